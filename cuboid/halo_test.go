package cuboid_test

import (
	"testing"

	"carina/cuboid"
	"carina/geometry"

	"pgregory.net/rapid"
)

// Each rank has as many halo cells as there are different fluid cells of others
// among the neighbours of its own.
func TestHaloCellsAgreeWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGrid(t)
		cuboids := randomCuboids(t, g)
		segments, err := cuboid.Label(g, cuboids)
		if err != nil {
			t.Fatal(err)
		}
		ranks := rapid.IntRange(1, 5).Draw(t, "ranks")
		owners := rapid.SliceOfN(rapid.Int32Range(0, int32(ranks-1)), len(cuboids), len(cuboids)).Draw(t, "owners")
		directions := rapid.SampledFrom([]int{18, 26}).Draw(t, "directions")
		rankOf := map[[3]int32]int32{}
		for _, s := range segments {
			for x := s.X0; x < s.X1; x++ {
				rankOf[[3]int32{x, s.Y, s.Z}] = owners[s.Cuboid]
			}
		}
		want := make([]int64, ranks)
		for cell, owner := range rankOf {
			needed := map[int32]bool{}
			for _, d := range geometry.Directions[:directions] {
				other, fluid := rankOf[[3]int32{cell[0] + int32(d.X), cell[1] + int32(d.Y), cell[2] + int32(d.Z)}]
				if fluid && other != owner && !needed[other] {
					needed[other] = true
					want[other]++
				}
			}
		}
		for r, got := range cuboid.HaloCells(segments, owners, ranks, directions) {
			if got != want[r] {
				t.Fatalf("rank %d has %d halo cells, want %d", r, got, want[r])
			}
		}
	})
}

package octree_test

import (
	"context"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/octree"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// leavesOf is the definition read literally: cell by cell, recursively.
func leavesOf(g *geometry.Grid, corner [3]int32, side int32, opt octree.Options) []cuboid.Cuboid {
	leaf := cuboid.Cuboid{Min: corner, Max: [3]int32{corner[0] + side, corner[1] + side, corner[2] + side}}.Intersect(cuboid.Box(g))
	var fluid int64
	for z := leaf.Min[2]; z < leaf.Max[2]; z++ {
		for y := leaf.Min[1]; y < leaf.Max[1]; y++ {
			for x := leaf.Min[0]; x < leaf.Max[0]; x++ {
				if g.Contains(x, y, z) {
					fluid++
				}
			}
		}
	}
	if fluid == 0 {
		return nil
	}
	mixed := fluid < leaf.Cells()
	if !(mixed && side > opt.MinSide || side > opt.MaxSide) {
		return []cuboid.Cuboid{leaf}
	}
	var leaves []cuboid.Cuboid
	h := side / 2
	for _, dz := range []int32{0, h} {
		for _, dy := range []int32{0, h} {
			for _, dx := range []int32{0, h} {
				leaves = append(leaves, leavesOf(g, [3]int32{corner[0] + dx, corner[1] + dy, corner[2] + dz}, h, opt)...)
			}
		}
	}
	return leaves
}

func TestDecomposeAgreesWithTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var size [3]int32
		for axis := range size {
			size[axis] = rapid.Int32Range(1, 24).Draw(t, "side")
		}
		g := generate.BallsGrid(size, rapid.IntRange(1, 3).Draw(t, "balls"), rapid.Uint64().Draw(t, "seed"))
		opt := octree.Options{MinSide: 1 << rapid.IntRange(0, 4).Draw(t, "min")}
		opt.MaxSide = opt.MinSide << rapid.IntRange(0, 3).Draw(t, "max")
		got, err := octree.Decompose(context.Background(), g, opt)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(leavesOf(g, [3]int32{}, 32, opt), got); diff != "" {
			t.Fatal(diff)
		}
		if _, err := cuboid.Label(g, got); err != nil {
			t.Fatal(err)
		}
	})
}

func TestDecomposeRefuses(t *testing.T) {
	g := generate.FullGrid([3]int32{4, 4, 4})
	for _, opt := range []octree.Options{{}, {MinSide: 3}, {MinSide: -4}, {MinSide: 4, MaxSide: 2}, {MinSide: 2, MaxSide: 6}} {
		if _, err := octree.Decompose(context.Background(), g, opt); err == nil {
			t.Errorf("%+v: no error", opt)
		}
	}
}

func TestDecomposeStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := octree.Decompose(ctx, generate.FullGrid([3]int32{4, 4, 4}), octree.Options{MinSide: 1}); err == nil {
		t.Error("no error")
	}
}

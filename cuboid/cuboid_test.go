package cuboid_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// randomGrid draws one of the kinds of small grids.
func randomGrid(t *rapid.T) *geometry.Grid {
	var size [3]int32
	for axis := range size {
		size[axis] = rapid.Int32Range(1, 20).Draw(t, "side")
	}
	seed := rapid.Uint64().Draw(t, "seed")
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		g := generate.NoiseGrid(size, rapid.Float64Range(0.05, 1).Draw(t, "share"), seed)
		if len(g.Runs) == 0 {
			return generate.FullGrid(size)
		}
		return g
	case 1:
		return generate.BallsGrid(size, rapid.IntRange(1, 4).Draw(t, "balls"), seed)
	default:
		return generate.FullGrid(size)
	}
}

// randomCuboids draws a decomposition that covers every fluid cell.
func randomCuboids(t *rapid.T, g *geometry.Grid) []cuboid.Cuboid {
	if rapid.Bool().Draw(t, "bricks") {
		side := rapid.Int32Range(1, 9)
		c, err := cuboid.Bricks(g, [3]int32{side.Draw(t, "bx"), side.Draw(t, "by"), side.Draw(t, "bz")})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	count := rapid.IntRange(1, int(min(60, cuboid.Box(g).Cells()))).Draw(t, "count")
	c, err := cuboid.Regular(cuboid.Box(g), count)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// cellOwners is the brute-force truth: the cuboid of every fluid cell.
func cellOwners(t *rapid.T, g *geometry.Grid, cuboids []cuboid.Cuboid) map[[3]int32]int32 {
	owners := make(map[[3]int32]int32)
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			for i, c := range cuboids {
				if c.Contains(x, r.Y, r.Z) {
					if _, twice := owners[[3]int32{x, r.Y, r.Z}]; twice {
						t.Fatalf("cell (%d,%d,%d) twice", x, r.Y, r.Z)
					}
					owners[[3]int32{x, r.Y, r.Z}] = int32(i)
				}
			}
		}
	}
	return owners
}

func TestLabelCountAndCrossingsAgreeWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGrid(t)
		directions := rapid.SampledFrom([]int{18, 26}).Draw(t, "directions")
		g.Links.Directions = directions
		cuboids := randomCuboids(t, g)
		segments, err := cuboid.Label(g, cuboids)
		if err != nil {
			t.Fatal(err)
		}
		owners := cellOwners(t, g, cuboids)
		if int64(len(owners)) != g.Cells() {
			t.Fatalf("%d of %d cells lie in a cuboid", len(owners), g.Cells())
		}
		checkSegments(t, g, segments, owners)
		counts, crossings := bruteForce(cuboids, owners, directions)
		if diff := cmp.Diff(counts, cuboid.Count(g, cuboids, segments)); diff != "" {
			t.Fatalf("counts: %s", diff)
		}
		got := cuboid.Crossings(segments, directions)
		var reaches []cuboid.Reach
		for _, o := range geometry.Directions[:directions] {
			reaches = append(reaches, cuboid.Reach{Offset: o, Values: 1})
		}
		if diff := cmp.Diff(got, cuboid.CrossingsOf(segments, reaches, [3]int32{}), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("crossings of reaches: %s", diff)
		}
		if len(got) != len(crossings) {
			t.Fatalf("%d crossings, want %d", len(got), len(crossings))
		}
		for i, c := range got {
			if crossings[[2]int32{c.A, c.B}] != c.Populations || crossings[[2]int32{c.A, c.B}] == 0 {
				t.Fatalf("crossing %d–%d: %d, want %d", c.A, c.B, c.Populations, crossings[[2]int32{c.A, c.B}])
			}
			if i > 0 && (got[i-1].A > c.A || got[i-1].A == c.A && got[i-1].B >= c.B) {
				t.Fatalf("crossings not in order at %d", i)
			}
		}
	})
}

func checkSegments(t *rapid.T, g *geometry.Grid, segments []cuboid.Segment, owners map[[3]int32]int32) {
	var cells int64
	for i, s := range segments {
		if i > 0 {
			p := segments[i-1]
			if s.Z < p.Z || s.Z == p.Z && (s.Y < p.Y || s.Y == p.Y && s.X0 < p.X1) {
				t.Fatalf("segments %d and %d are not in order", i-1, i)
			}
		}
		for x := s.X0; x < s.X1; x++ {
			cells++
			if owner, ok := owners[[3]int32{x, s.Y, s.Z}]; !ok || owner != s.Cuboid {
				t.Fatalf("cell (%d,%d,%d) in cuboid %d, want %d", x, s.Y, s.Z, s.Cuboid, owner)
			}
		}
	}
	if cells != g.Cells() {
		t.Fatalf("segments hold %d of %d cells", cells, g.Cells())
	}
}

// bruteForce visits every link of every cell; a pair is counted once in each
// direction and must come out the same.
func bruteForce(cuboids []cuboid.Cuboid, owners map[[3]int32]int32, directions int) ([]cuboid.Counts, map[[2]int32]int64) {
	counts := make([]cuboid.Counts, len(cuboids))
	crossings := make(map[[2]int32]int64)
	for i, c := range cuboids {
		counts[i].Empty = c.Cells()
	}
	for cell, owner := range owners {
		counts[owner].Fluid++
		counts[owner].Empty--
		boundary := int64(0)
		for _, d := range geometry.Directions[:directions] {
			other, fluid := owners[[3]int32{cell[0] + int32(d.X), cell[1] + int32(d.Y), cell[2] + int32(d.Z)}]
			switch {
			case !fluid:
				boundary = 1
			case owner < other:
				crossings[[2]int32{owner, other}]++
			}
		}
		counts[owner].Boundary += boundary
	}
	return counts, crossings
}

func TestLabelRefuses(t *testing.T) {
	g := generate.FullGrid([3]int32{4, 3, 2})
	box := func(x0, x1 int32) cuboid.Cuboid {
		return cuboid.Cuboid{Min: [3]int32{x0, 0, 0}, Max: [3]int32{x1, 3, 2}}
	}
	for _, test := range []struct {
		name    string
		cuboids []cuboid.Cuboid
		want    string
	}{
		{"no cuboids", nil, "lies in no cuboid"},
		{"gap", []cuboid.Cuboid{box(0, 2), box(3, 4)}, "fluid cell (2, 0, 0) lies in no cuboid"},
		{"end missing", []cuboid.Cuboid{box(0, 3)}, "fluid cell (3, 0, 0) lies in no cuboid"},
		{"overlap", []cuboid.Cuboid{box(0, 3), box(2, 4)}, "fluid cell (2, 0, 0) lies in cuboids 0 and 1"},
		{"inside another", []cuboid.Cuboid{box(0, 4), box(1, 2)}, "lies in cuboids 0 and 1"},
		{"outside", []cuboid.Cuboid{box(0, 5)}, "reaches outside the grid"},
		{"negative", []cuboid.Cuboid{box(-1, 4)}, "reaches outside the grid"},
		{"inside out", []cuboid.Cuboid{box(0, 4), box(2, 1)}, "is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := cuboid.Label(g, test.cuboids); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

// overlap says by comparing all with all whether two cuboids have a common cell.
func overlap(cuboids []cuboid.Cuboid) bool {
	for i, a := range cuboids {
		for _, b := range cuboids[:i] {
			if a.Intersect(b).Cells() > 0 {
				return true
			}
		}
	}
	return false
}

// Of the pieces of a grid none overlap, until one of them grows by a cell. The
// two halves of the grid are cut along axes of their own.
func TestDisjoint(t *testing.T) {
	for seed := range uint64(2500) {
		random := rand.New(rand.NewPCG(seed, 1))
		size := [3]int32{2 + random.Int32N(40), 2 + random.Int32N(40), 2 + random.Int32N(40)}
		pieces := []cuboid.Cuboid{{Max: size}}
		cut := func(i, axis int) {
			if c := pieces[i]; c.Size()[axis] > 1 {
				at := c.Min[axis] + 1 + random.Int32N(c.Size()[axis]-1)
				lower, upper := c, c
				lower.Max[axis], upper.Min[axis] = at, at
				pieces[i] = lower
				pieces = append(pieces, upper)
			}
		}
		half := random.IntN(3)
		cut(0, half)
		border := pieces[0].Max[half]
		var axes [2][]int
		for k := range axes {
			axes[k] = [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}}[random.IntN(7)]
		}
		for range random.IntN(300) {
			i := random.IntN(len(pieces))
			along := axes[0]
			if pieces[i].Min[half] >= border {
				along = axes[1]
			}
			cut(i, along[random.IntN(len(along))])
		}
		random.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		pieces = pieces[:len(pieces)-random.IntN(1+len(pieces)/4)]
		if c, axis := &pieces[0], random.IntN(3); random.IntN(3) > 0 {
			c.Min[axis] = max(0, c.Min[axis]-random.Int32N(2))
			c.Max[axis] = min(size[axis], c.Max[axis]+random.Int32N(2))
		}
		if err, want := cuboid.Disjoint(pieces, size), overlap(pieces); (err != nil) != want {
			t.Fatalf("%v: error %v, but overlap is %v", pieces, err, want)
		}
	}
}

func TestRegularFillsTheBoxWithTheCountAskedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var box cuboid.Cuboid
		for axis := range 3 {
			box.Min[axis] = rapid.Int32Range(-5, 5).Draw(t, "min")
			box.Max[axis] = box.Min[axis] + rapid.Int32Range(1, 40).Draw(t, "side")
		}
		count := rapid.IntRange(1, int(min(3000, box.Cells()))).Draw(t, "count")
		blocks, err := cuboid.Regular(box, count)
		if err != nil {
			t.Fatal(err)
		}
		if len(blocks) != count {
			t.Fatalf("%d blocks, want %d", len(blocks), count)
		}
		covered := make(map[[3]int32]bool)
		for _, b := range blocks {
			if b.Cells() == 0 {
				t.Fatalf("empty block %v", b)
			}
			for z := b.Min[2]; z < b.Max[2]; z++ {
				for y := b.Min[1]; y < b.Max[1]; y++ {
					for x := b.Min[0]; x < b.Max[0]; x++ {
						if covered[[3]int32{x, y, z}] || !box.Contains(x, y, z) {
							t.Fatalf("cell (%d,%d,%d) twice or outside", x, y, z)
						}
						covered[[3]int32{x, y, z}] = true
					}
				}
			}
		}
		if int64(len(covered)) != box.Cells() {
			t.Fatalf("%d of %d cells covered", len(covered), box.Cells())
		}
	})
}

func TestRegularBlocksAreNearCubicAndEqual(t *testing.T) {
	for _, test := range []struct {
		size  [3]int32
		count int
	}{
		{[3]int32{100, 100, 100}, 8}, {[3]int32{428, 66, 503}, 71}, {[3]int32{428, 66, 503}, 512},
		{[3]int32{684, 105, 802}, 1021}, {[3]int32{448, 196, 536}, 97}, {[3]int32{100, 100, 100}, 4096},
	} {
		t.Run(fmt.Sprint(test.size, test.count), func(t *testing.T) {
			box := cuboid.Cuboid{Max: test.size}
			blocks, err := cuboid.Regular(box, test.count)
			if err != nil {
				t.Fatal(err)
			}
			mean := float64(box.Cells()) / float64(test.count)
			for _, b := range blocks {
				s := b.Size()
				if ratio := float64(max(s[0], s[1], s[2])) / float64(min(s[0], s[1], s[2])); ratio > 2.5 {
					t.Errorf("block %v is %.2f times as long as wide", b, ratio)
				}
				// Sides of 6 or 7 cells, for 6.25 wanted, make 1.40.
				if share := float64(b.Cells()) / mean; share > 1.41 || share < 0.7 {
					t.Errorf("block %v holds %.2f of the mean", b, share)
				}
			}
		})
	}
}

func TestRegularRefuses(t *testing.T) {
	box := cuboid.Cuboid{Max: [3]int32{2, 2, 2}}
	for _, count := range []int{-1, 0, 9} {
		if _, err := cuboid.Regular(box, count); err == nil {
			t.Errorf("%d blocks of 8 cells: no error", count)
		}
	}
}

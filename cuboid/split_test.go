package cuboid_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestOccupiedShrinksToTheFluid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGrid(t)
		cuboids := randomCuboids(t, g)
		segments, err := cuboid.Label(g, cuboids)
		if err != nil {
			t.Fatal(err)
		}
		shrink := rapid.Bool().Draw(t, "shrink")
		kept := cuboid.Occupied(cuboids, segments, shrink)
		again, err := cuboid.Label(g, kept)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(again, segments); diff != "" {
			t.Fatalf("segments were not numbered anew: %s", diff)
		}
		for i, c := range kept {
			if shrink {
				checkTight(t, g, c)
			}
			if cuboid.Count(g, kept, segments)[i].Fluid == 0 {
				t.Fatalf("cuboid %v is empty", c)
			}
		}
	})
}

// checkTight fails if one of the six outer layers holds no fluid.
func checkTight(t *rapid.T, g *geometry.Grid, c cuboid.Cuboid) {
	for axis := range 3 {
		for _, layer := range []int32{c.Min[axis], c.Max[axis] - 1} {
			face := c
			face.Min[axis], face.Max[axis] = layer, layer+1
			fluid := false
			for _, r := range g.Runs {
				row := cuboid.Cuboid{Min: [3]int32{r.X0, r.Y, r.Z}, Max: [3]int32{r.X1, r.Y + 1, r.Z + 1}}
				fluid = fluid || face.Intersect(row).Cells() > 0
			}
			if !fluid {
				t.Fatalf("layer %d of axis %d of %v is empty", layer, axis, c)
			}
		}
	}
}

func TestSplitReachesCountAndLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGrid(t)
		cuboids := randomCuboids(t, g)
		segments, err := cuboid.Label(g, cuboids)
		if err != nil {
			t.Fatal(err)
		}
		shrink := rapid.Bool().Draw(t, "shrink")
		cuboids = cuboid.Occupied(cuboids, segments, shrink)
		weight := func(c cuboid.Counts) int64 { return 3*c.Fluid + c.Empty }
		opt := cuboid.Splitting{
			Weight: weight, Shrink: shrink,
			Count: rapid.IntRange(1, int(g.Cells())).Draw(t, "count"),
			Limit: rapid.Int64Range(0, 3*g.Cells()).Draw(t, "limit"),
		}
		// What a cuboid costs besides is shared by its fluid cells.
		more := rapid.Int64Range(0, 3).Draw(t, "more for a fluid cell")
		if more > 0 {
			for _, fluid := range fluidOf(g, cuboids, segments) {
				opt.Extra = append(opt.Extra, more*fluid)
			}
		}
		split, err := cuboid.Split(context.Background(), cuboids, segments, opt)
		if err != nil {
			t.Fatal(err)
		}
		segments, err = cuboid.Label(g, split)
		if err != nil {
			t.Fatal(err)
		}
		if len(split) < opt.Count {
			t.Fatalf("%d cuboids, want at least %d", len(split), opt.Count)
		}
		for i, c := range cuboid.Count(g, split, segments) {
			if c.Fluid == 0 {
				t.Fatalf("cuboid %v is empty", split[i])
			}
			if all := weight(c) + more*c.Fluid; opt.Limit > 0 && c.Fluid > 1 && all > opt.Limit && all > 3 {
				t.Fatalf("cuboid %v weighs %d, limit %d", split[i], all, opt.Limit)
			}
			if shrink {
				checkTight(t, g, split[i])
			}
		}
	})
}

func TestRecombineKeepsCellsAndNeverLoses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGrid(t)
		cuboids := randomCuboids(t, g)
		segments, err := cuboid.Label(g, cuboids)
		if err != nil {
			t.Fatal(err)
		}
		cuboids = cuboid.Occupied(cuboids, segments, rapid.Bool().Draw(t, "shrink"))
		fluid := fluidOf(g, cuboids, segments)
		crossings := cuboid.Crossings(segments, 18)
		perCell := rapid.Float64Range(0, 5).Draw(t, "cost of an empty cell")
		opt := cuboid.Merging{Gain: func(populations int64, _ bool, wasted int64) float64 {
			return float64(populations) - perCell*float64(wasted)
		}}
		if rapid.Bool().Draw(t, "groups") {
			opt.Group = make([]int32, len(cuboids))
			for i := range opt.Group {
				opt.Group[i] = int32(i % 2)
			}
		}
		limit := int64(-1)
		if rapid.Bool().Draw(t, "limit") {
			limit = rapid.Int64Range(1, 500).Draw(t, "cells")
			opt.Allowed = func(c cuboid.Counts) bool { return c.Fluid+c.Empty <= limit }
		}
		merged, into := cuboid.Recombine(cuboids, fluid, crossings, opt)
		if err := cuboid.Disjoint(merged, g.Size); err != nil {
			t.Fatal(err)
		}
		again, err := cuboid.Label(g, merged)
		if err != nil {
			t.Fatal(err)
		}
		parts := make([]int, len(merged))
		for i, m := range into {
			parts[m]++
			if merged[m].Union(cuboids[i]) != merged[m] {
				t.Fatalf("cuboid %v is not in %v", cuboids[i], merged[m])
			}
			if opt.Group != nil && opt.Group[i] != opt.Group[slices.Index(into, m)] {
				t.Fatalf("cuboid %d was merged across groups", i)
			}
		}
		before := cost(cuboids, crossings, perCell)
		if after := cost(merged, cuboid.Crossings(again, 18), perCell); after > before+1e-9*math.Abs(before) {
			t.Fatalf("cost rose from %g to %g", before, after)
		}
		for i, c := range merged {
			if limit > 0 && parts[i] > 1 && c.Cells() > limit {
				t.Fatalf("merged %v is larger than the limit of %d cells", c, limit)
			}
		}
	})
}

func fluidOf(g *geometry.Grid, cuboids []cuboid.Cuboid, segments []cuboid.Segment) []int64 {
	fluid := make([]int64, len(cuboids))
	for i, c := range cuboid.Count(g, cuboids, segments) {
		fluid[i] = c.Fluid
	}
	return fluid
}

// cost is what the merging above is meant to lower.
func cost(cuboids []cuboid.Cuboid, crossings []cuboid.Crossing, perCell float64) float64 {
	sum := 0.0
	for _, c := range cuboids {
		sum += perCell * float64(c.Cells())
	}
	for _, c := range crossings {
		sum += float64(c.Populations)
	}
	return sum
}

func TestRecombineUndoesRegular(t *testing.T) {
	g := generate.FullGrid([3]int32{12, 10, 8})
	cuboids, err := cuboid.Regular(cuboid.Box(g), 60)
	if err != nil {
		t.Fatal(err)
	}
	segments, err := cuboid.Label(g, cuboids)
	if err != nil {
		t.Fatal(err)
	}
	merged, _ := cuboid.Recombine(cuboids, fluidOf(g, cuboids, segments), cuboid.Crossings(segments, 18), cuboid.Merging{
		Gain: func(populations int64, _ bool, wasted int64) float64 {
			return float64(populations) - 1e6*float64(wasted)
		},
	})
	if len(merged) > 2 {
		t.Errorf("%d cuboids are left of a full box: %v", len(merged), merged)
	}
}

func TestCarveSavesWhatItGains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := randomGrid(t)
		cuboids := randomCuboids(t, g)
		segments, err := cuboid.Label(g, cuboids)
		if err != nil {
			t.Fatal(err)
		}
		cuboids = cuboid.Occupied(cuboids, segments, true)
		overhead := rapid.Float64Range(1, 50).Draw(t, "overhead")
		count := rapid.IntRange(0, 40).Draw(t, "count")
		carved, err := cuboid.Carve(context.Background(), cuboids, segments, cuboid.Carving{
			Gain:  func(_ int, saved, _ int64) float64 { return float64(saved) - overhead },
			Count: count,
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := cuboid.Label(g, carved); err != nil {
			t.Fatal(err)
		}
		if count > 0 && len(carved) > max(count, len(cuboids)) {
			t.Fatalf("%d cuboids, at most %d wanted", len(carved), count)
		}
		cells := func(list []cuboid.Cuboid) (n float64) {
			for _, c := range list {
				n += float64(c.Cells())
			}
			return n
		}
		if saved := cells(cuboids) - cells(carved); saved < overhead*float64(len(carved)-len(cuboids)) {
			t.Fatalf("%d cuts saved %g cells, each must save %g", len(carved)-len(cuboids), saved, overhead)
		}
		for _, c := range carved {
			checkTight(t, g, c)
		}
	})
}

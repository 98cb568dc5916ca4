package balance

import (
	"context"
	"slices"
	"testing"

	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"pgregory.net/rapid"
)

// TestTrimOutdoesWholeCuboids divides a full box unevenly among hosts of one
// rank: no cuboid can be moved to help, slices can.
func TestTrimOutdoesWholeCuboids(t *testing.T) {
	const ranks = 3
	g := generate.FullGrid([3]int32{60, 20, 20})
	cost := DefaultCost(Plain)
	opt := Options{Ranks: ranks, Cost: &cost, DevicesPerHost: 1}
	if err := opt.complete(g); err != nil {
		t.Fatal(err)
	}
	now := &layoutState{owners: []int32{0, 1, 2}}
	now.cuboids = []cuboid.Cuboid{
		{Min: [3]int32{0, 0, 0}, Max: [3]int32{10, 20, 20}},
		{Min: [3]int32{10, 0, 0}, Max: [3]int32{24, 20, 20}},
		{Min: [3]int32{24, 0, 0}, Max: [3]int32{60, 20, 20}},
	}
	if err := now.count(g, &cost, true); err != nil {
		t.Fatal(err)
	}
	d := now.decomposition
	if improve(context.Background(), &cost, opt.ranks(), d.counts, now.crossings, slices.Clone(now.owners)) > 0 {
		t.Fatal("a whole cuboid could be moved")
	}
	now.judge(&cost, opt.ranks())
	trimmed, err := now.trim(context.Background(), g, &opt, opt.ranks(), true)
	if err != nil {
		t.Fatal(err)
	}
	q := measureQuality(&cost, opt.ranks(), trimmed.counts, trimmed.crossings, trimmed.owners, trimmed.segments)
	if q.FluidCells != g.Cells() || q.EmptyRanks > 0 {
		t.Errorf("%d cells of %d, %d ranks empty", q.FluidCells, g.Cells(), q.EmptyRanks)
	}
	// A layer is 1/60 of all cells, 5 % of a rank's share.
	if q.WorkMaxOverMean > 1.05 || len(trimmed.cuboids) != ranks {
		t.Errorf("work max/mean %.3f with %d cuboids; slices should merge with their neighbours and leave 1.05", q.WorkMaxOverMean, len(trimmed.cuboids))
	}
}

func TestTrimNeverSlowsDown(t *testing.T) {
	faster := 0
	rapid.Check(t, func(t *rapid.T) {
		g := generate.BallsGrid([3]int32{24, 20, 28}, 3, rapid.Uint64().Draw(t, "seed"))
		cost := DefaultCost(Plain)
		opt := Options{Ranks: rapid.IntRange(2, 9).Draw(t, "ranks"), Cost: &cost, Decompose: rapid.SampledFrom([]string{"shrink", "regular", "carve"}).Draw(t, "decompose"), CuboidsPerRank: 2, Improve: true, DevicesPerHost: rapid.IntRange(0, 3).Draw(t, "devices")}
		trimmed, err := Make(context.Background(), g, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Improve = false
		plain, err := Make(context.Background(), g, opt)
		if err != nil {
			t.Fatal(err)
		}
		improve(context.Background(), &cost, plain.Ranks, plain.Counts, crossingsOf(t, plain, g), plain.Owners)
		whole := measureQuality(&cost, plain.Ranks, plain.Counts, crossingsOf(t, plain, g), plain.Owners, nil)
		if trimmed.Quality.PredictedStep > whole.PredictedStep*(1+1e-9) {
			t.Fatalf("slices raised the step from %g to %g", whole.PredictedStep, trimmed.Quality.PredictedStep)
		}
		if trimmed.Quality.PredictedStep < whole.PredictedStep*0.99 {
			faster++
		}
		if _, err := trimmed.Segments(g); err != nil {
			t.Fatal(err)
		}
	})
	if faster == 0 {
		t.Error("slices never made a step faster")
	}
}

func TestLayersCountFluid(t *testing.T) {
	g := generate.TreeGrid(20, 2)
	s := &layoutState{owners: []int32{0}}
	s.cuboids = []cuboid.Cuboid{cuboid.Box(g)}
	cost := DefaultCost(Plain)
	if err := s.count(g, &cost, false); err != nil {
		t.Fatal(err)
	}
	trimmer := newTrimmer(s, &cost, []Rank{{Speed: 1}})
	for axis := range 3 {
		want := make([]int64, g.Size[axis])
		for _, run := range g.Runs {
			for x := run.X0; x < run.X1; x++ {
				want[[3]int32{x, run.Y, run.Z}[axis]]++
			}
		}
		if got := trimmer.layers(0, axis); !slices.Equal(got, want) {
			t.Errorf("axis %d: %v, want %v", axis, got, want)
		}
	}
}

func crossingsOf(t *rapid.T, p *Partition, g *geometry.Grid) []cuboid.Crossing {
	segments, err := p.Segments(g)
	if err != nil {
		t.Fatal(err)
	}
	return cuboid.Crossings(segments, p.Cost.Directions)
}

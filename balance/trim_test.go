package balance

import (
	"context"
	"slices"
	"testing"

	"carina/cuboid"
	"carina/geometry/generate"
	"carina/internal/race"
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

// trimCase is a grid of three balls and how it is divided.
type trimCase struct {
	seed      uint64 // of the balls
	ranks     int
	decompose string
	devices   int // per host
}

// check makes the partition with slices moved and with whole cuboids alone, and
// returns how long a step takes with the former relative to the latter, which
// is never longer.
func (c trimCase) check(t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}) float64 {
	t.Helper()
	g := generate.BallsGrid([3]int32{24, 20, 28}, 3, c.seed)
	cost := DefaultCost(Plain)
	opt := Options{Ranks: c.ranks, Cost: &cost, Decompose: c.decompose, CuboidsPerRank: 2, Improve: true, DevicesPerHost: c.devices}
	trimmed, err := Make(context.Background(), g, opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Improve = false
	plain, err := Make(context.Background(), g, opt)
	if err != nil {
		t.Fatal(err)
	}
	segments, err := plain.Segments(g)
	if err != nil {
		t.Fatal(err)
	}
	crossings := cuboid.Crossings(segments, plain.Cost.Directions)
	improve(context.Background(), &cost, plain.Ranks, plain.Counts, crossings, plain.Owners)
	whole := measureQuality(&cost, plain.Ranks, plain.Counts, crossings, plain.Owners, nil)
	if trimmed.Quality.PredictedStep > whole.PredictedStep*(1+1e-9) {
		t.Fatalf("%+v: slices raised the step from %g to %g", c, whole.PredictedStep, trimmed.Quality.PredictedStep)
	}
	if _, err := trimmed.Segments(g); err != nil {
		t.Fatal(err)
	}
	return trimmed.Quality.PredictedStep / whole.PredictedStep
}

func TestTrimNeverSlowsDown(t *testing.T) {
	race.SkipArithmetic(t)
	t.Run("three balls, shrunken boxes, all ranks on one host", func(t *testing.T) {
		trimCase{seed: 3, ranks: 3, decompose: "shrink"}.check(t)
	})
	checkAndHappens(t, func(t *rapid.T) (faster int) {
		c := trimCase{
			seed: rapid.Uint64().Draw(t, "seed"), ranks: rapid.IntRange(2, 9).Draw(t, "ranks"),
			decompose: rapid.SampledFrom([]string{"shrink", "regular", "carve"}).Draw(t, "decompose"),
			devices:   rapid.IntRange(0, 3).Draw(t, "devices"),
		}
		if c.check(t) < 0.99 {
			faster++
		}
		return faster
	})
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

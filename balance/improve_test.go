package balance

import (
	"context"
	"math"
	"slices"
	"testing"

	"carina/cuboid"
	"carina/geometry/generate"
	"carina/internal/race"
	"pgregory.net/rapid"
)

// randomProblem returns a decomposed grid with random owners, so that every
// rank owns something.
func randomProblem(t *rapid.T) (*Cost, []Rank, []cuboid.Counts, []cuboid.Crossing, []int32) {
	g := generate.BallsGrid([3]int32{20, 16, 18}, 3, rapid.Uint64().Draw(t, "seed"))
	cuboids, err := cuboid.Bricks(g, [3]int32{4, 4, 4})
	if err != nil {
		t.Fatal(err)
	}
	segments, err := cuboid.Label(g, cuboids)
	if err != nil {
		t.Fatal(err)
	}
	cost := DefaultCost(rapid.SampledFrom(Layouts).Draw(t, "layout"))
	ranks := make([]Rank, rapid.IntRange(1, min(7, len(cuboids))).Draw(t, "ranks"))
	for r := range ranks {
		ranks[r] = Rank{Speed: float64(rapid.IntRange(1, 3).Draw(t, "speed")), Host: r / 3}
	}
	owners := make([]int32, len(cuboids))
	for i := range owners {
		owners[i] = int32(i % len(ranks))
		if i >= len(ranks) {
			owners[i] = rapid.Int32Range(0, int32(len(ranks))-1).Draw(t, "owner")
		}
	}
	return &cost, ranks, cuboid.Count(g, cuboids, segments), cuboid.Crossings(segments, 18), owners
}

// checkAndHappens checks a property that returns how often what it is about
// happened, and wants it to happen in one of some problems: the same in every run,
// so that chance does not decide.
func checkAndHappens(t *testing.T, property func(t *rapid.T) int) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) { property(t) })
	for seed := range 40 {
		if rapid.Custom(property).Example(seed) > 0 {
			return
		}
	}
	t.Error("it never happened: this test shows nothing")
}

func TestImproveLowersThePredictedStep(t *testing.T) {
	checkAndHappens(t, func(t *rapid.T) int {
		cost, ranks, counts, crossings, owners := randomProblem(t)
		before := measureQuality(cost, ranks, counts, crossings, owners, nil)
		again := slices.Clone(owners)
		moves := improve(context.Background(), cost, ranks, counts, crossings, owners)
		after := measureQuality(cost, ranks, counts, crossings, owners, nil)
		if after.EmptyRanks > 0 {
			t.Fatal("a rank was emptied")
		}
		if after.PredictedStep > before.PredictedStep*(1+1e-9) {
			t.Fatalf("step rose from %g to %g", before.PredictedStep, after.PredictedStep)
		}
		if improve(context.Background(), cost, ranks, counts, crossings, again); !slices.Equal(owners, again) {
			t.Fatal("the second run moved otherwise")
		}
		return moves
	})
}

// TestImproverKeepsItsBooks compares the step times kept during moves with
// those worked out afresh.
func TestImproverKeepsItsBooks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cost, ranks, counts, crossings, owners := randomProblem(t)
		m := newImprover(cost, ranks, counts, crossings, owners)
		for range 20 {
			v := rapid.Int32Range(0, int32(len(owners))-1).Draw(t, "cuboid")
			for _, q := range m.adjacent(v) {
				m.move(v, q)
				break
			}
			for r, want := range measureQuality(cost, ranks, counts, crossings, owners, nil).Ranks {
				if got := m.load[r].step(cost); math.Abs(got-want.Step) > 1e-9*want.Step+1e-15 {
					t.Fatalf("rank %d: %g s, want %g s", r, got, want.Step)
				}
			}
		}
	})
}

func TestGraphKeepsHeavyEdgesInsideHosts(t *testing.T) {
	race.SkipArithmetic(t)
	g := generate.TreeGrid(100, 4)
	between := func(p *Partition, perHost int) int64 {
		segments, err := p.Segments(g)
		if err != nil {
			t.Fatal(err)
		}
		var bytes int64
		sent, _ := exchanges(&p.Cost, cuboid.Crossings(segments, 18), p.Owners, len(p.Ranks))
		for _, e := range sent {
			if int(e.from)/perHost != int(e.to)/perHost {
				bytes += e.bytes
			}
		}
		return bytes
	}
	const perHost = 4
	options := Options{Ranks: 16, Balance: "graph"}
	flat, err := Make(context.Background(), g, options)
	if err != nil {
		t.Fatal(err)
	}
	options.DevicesPerHost = perHost
	byHost, err := Make(context.Background(), g, options)
	if err != nil {
		t.Fatal(err)
	}
	if byHost.Quality.WorkMaxOverMean > 1.031 {
		t.Errorf("max/mean %.3f", byHost.Quality.WorkMaxOverMean)
	}
	if a, b := between(byHost, perHost), between(flat, perHost); a > b {
		t.Errorf("%d bytes between hosts, %d without looking at hosts", a, b)
	}
	if a, b := byHost.Quality.BytesTotal, flat.Quality.BytesTotal; float64(a) > 1.25*float64(b) {
		t.Errorf("%d bytes in all, %d without looking at hosts", a, b)
	}
}

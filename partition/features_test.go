package partition

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"carina/internal/machine"
	"carina/internal/race"
	"carina/partition/graph"
	"carina/partition/graphtest"
	"carina/partition/metis"
)

func mustPartition(t testing.TB, g *graph.Graph, opt Options) *Result {
	t.Helper()
	res, err := Partition(context.Background(), g, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// sharedGraph reads a graph of the shared collection, or skips the test.
func sharedGraph(t testing.TB, name string) *graph.Graph {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "shared", "graphs", name+".graph"))
	if err != nil {
		t.Skipf("the shared graphs are not here: %v", err)
	}
	defer file.Close()
	g, err := metis.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestTargets(t *testing.T) {
	g := graphtest.Grid(40, 30, 1)
	opt := Options{Parts: 4, Imbalance: 0.02, Preset: Eco, Targets: []float64{1, 2, 3, 6}}
	res := mustPartition(t, g, opt)
	checkResult(t, g, opt, res)
	// ⌈1.02·1200·share/12⌉
	for p, limit := range []int64{102, 204, 306, 612} {
		if res.Limits[p] != limit || res.PartWeights[p] > limit {
			t.Errorf("part %d weighs %d, limit %d, want limit %d", p, res.PartWeights[p], res.Limits[p], limit)
		}
	}
	if !res.Feasible {
		t.Error("infeasible")
	}
}

func TestFixedVerticesStay(t *testing.T) {
	g := graphtest.Grid(30, 30, 1)
	fixed := make([]int32, 900)
	for v := range fixed {
		fixed[v] = -1
	}
	// Opposite corners together, which no free partition would do.
	fixed[0], fixed[899] = 2, 2
	fixed[29], fixed[870] = 0, 0
	opt := Options{Parts: 4, Imbalance: 0.03, Preset: Eco, Fixed: fixed}
	res := mustPartition(t, g, opt)
	checkResult(t, g, opt, res)
	if !res.Feasible {
		t.Error("infeasible")
	}
}

func TestContiguousParts(t *testing.T) {
	race.SkipArithmetic(t)
	for _, c := range []struct {
		name  string
		parts int
		graph *graph.Graph // nil where it is of the shared collection
	}{
		{"mesh", 8, graphtest.Grid(20, 15, 9)}, {"comb", 6, comb(12, 40)}, {"airway_a", 4, nil}, {"airway_a", 8, nil}, {"add20", 8, nil}, {"3elt", 8, nil},
	} {
		t.Run(fmt.Sprintf("%s in %d", c.name, c.parts), func(t *testing.T) {
			g := c.graph
			if g == nil {
				g = sharedGraph(t, c.name)
			}
			opt := Options{Parts: c.parts, Imbalance: 0.03, Preset: Fast}
			free := mustPartition(t, g, opt)
			opt.Contiguous = true
			res := mustPartition(t, g, opt)
			checkResult(t, g, opt, res)
			if res.DisconnectedParts > 0 || !res.Feasible {
				t.Errorf("%d disconnected parts, feasible %v", res.DisconnectedParts, res.Feasible)
			}
			t.Logf("cut %d, free %d with %d disconnected", res.Cut, free.Cut, free.DisconnectedParts)
		})
	}
}

// comb is a path with another path, a tooth, at every vertex: free parts of it come
// in pieces.
func comb(teeth, length int64) *graph.Graph {
	var edges [][3]int64
	for tooth := range teeth {
		if tooth > 0 {
			edges = append(edges, [3]int64{(tooth - 1) * length, tooth * length, 1})
		}
		for v := range length - 1 {
			edges = append(edges, [3]int64{tooth*length + v, tooth*length + v + 1, 1})
		}
	}
	return graphtest.FromEdges(int(teeth*length), edges)
}

func TestRepartitioningWeighsMigration(t *testing.T) {
	g := graphtest.Grid(24, 24, 1)
	opt := Options{Parts: 6, Imbalance: 0.03, Preset: Eco}
	before := mustPartition(t, g, opt)
	// The load of one corner doubles.
	g.VertexWeights = slices.Repeat([]int64{1}, 576)
	for v := range 576 {
		if v%24 < 12 && v/24 < 12 {
			g.VertexWeights[v] = 2
		}
	}
	moved := func(cost int64) *Result {
		opt := opt
		opt.Previous = before.Parts
		opt.MigrationCosts = make([]int64, 576)
		for v := range opt.MigrationCosts {
			opt.MigrationCosts[v] = cost
		}
		res := mustPartition(t, g, opt)
		checkResult(t, g, opt, res)
		if !res.Feasible {
			t.Errorf("cost %d: infeasible", cost)
		}
		return res
	}
	fresh := mustPartition(t, g, opt)
	cheap, dear := moved(0), moved(100)
	if dear.MigratedWeight > cheap.MigratedWeight {
		t.Errorf("at a cost of 100 weight %d moved, at none %d", dear.MigratedWeight, cheap.MigratedWeight)
	}
	// The limit is ⌈1.03·720/6⌉ = 124; the heaviest part of before weighs about
	// 192, so about 70 have to leave it, 200 in all at the very most.
	if dear.MigratedWeight > 200 {
		t.Errorf("weight %d moved", dear.MigratedWeight)
	}
	t.Logf("fresh cut %d; cost 0: cut %d moved %d; cost 100: cut %d moved %d", fresh.Cut, cheap.Cut, cheap.MigratedWeight, dear.Cut, dear.MigratedWeight)
}

func TestNoMigrationWithoutCause(t *testing.T) {
	g := graphtest.Grid(24, 24, 1)
	opt := Options{Parts: 6, Imbalance: 0.03, Preset: Strong}
	opt.Previous = mustPartition(t, g, opt).Parts
	opt.MigrationCosts = make([]int64, 576)
	for v := range opt.MigrationCosts {
		opt.MigrationCosts[v] = 10
	}
	if res := mustPartition(t, g, opt); res.MigratedWeight > 0 {
		t.Errorf("weight %d moved although the partition was good", res.MigratedWeight)
	}
}

func TestVolumeObjectives(t *testing.T) {
	g := graphtest.Grid(30, 20, 2)
	cut := mustPartition(t, g, Options{Parts: 8, Imbalance: 0.03})
	total := mustPartition(t, g, Options{Parts: 8, Imbalance: 0.03, Objective: CommunicationVolume})
	bottleneck := mustPartition(t, g, Options{Parts: 8, Imbalance: 0.03, Objective: BottleneckVolume})
	if total.CommunicationVolume > cut.CommunicationVolume {
		t.Errorf("volume %d, minimising the cut %d", total.CommunicationVolume, cut.CommunicationVolume)
	}
	if bottleneck.BottleneckVolume > cut.BottleneckVolume {
		t.Errorf("bottleneck %d, minimising the cut %d", bottleneck.BottleneckVolume, cut.BottleneckVolume)
	}
}

func TestHierarchy(t *testing.T) {
	d, err := Hierarchy([]int{2, 3}, []int64{10, 1})
	if err != nil {
		t.Fatal(err)
	}
	for a := range 6 {
		for b := range 6 {
			want := int64(10)
			if a/3 == b/3 {
				want = 1
			}
			if a == b {
				want = 0
			}
			if d[a][b] != want {
				t.Errorf("distance of %d and %d is %d, want %d", a, b, d[a][b], want)
			}
		}
	}
	if err := checkDistances(d, 6); err != nil {
		t.Error(err)
	}
	if _, err := Hierarchy([]int{2}, nil); err == nil {
		t.Error("accepted counts without distances")
	}
}

func TestMappingBeatsMappingAfterTheFact(t *testing.T) {
	race.SkipArithmetic(t)
	d, err := Hierarchy([]int{4, 4}, []int64{20, 1})
	if err != nil {
		t.Fatal(err)
	}
	g := graphtest.Grid(40, 40, 1)
	opt := Options{Parts: 16, Imbalance: 0.03, Preset: Eco}
	free := mustPartition(t, g, opt)
	opt.Objective, opt.Distances = MappingCost, d
	res := mustPartition(t, g, opt)
	checkResult(t, g, opt, res)
	if want := MappingCostOf(g, res.Parts, d); res.MappingCost != want {
		t.Errorf("mapping cost %d, recomputed %d", res.MappingCost, want)
	}
	after, err := MapParts(g, free.Parts, d)
	if err != nil {
		t.Fatal(err)
	}
	if after := MappingCostOf(g, after, d); res.MappingCost > after {
		t.Errorf("mapping cost %d, minimising the cut and mapping afterwards %d", res.MappingCost, after)
	}
	// Straight cuts between hosts cost 20·80, within hosts 4·40·1.
	if res.MappingCost > (20*80+160)*11/10 {
		t.Errorf("mapping cost %d, straight cuts cost 1760", res.MappingCost)
	}
}

// A search goes on until its time is over, gets better, and ends soon then. Ten
// milliseconds pass with every look at the clock.
func TestTimeLimitImproves(t *testing.T) {
	g := graphtest.Grid(30, 30, 1)
	opt := Options{Parts: 9, Imbalance: 0.03, Preset: Strong, TimeLimit: 300 * time.Millisecond}
	calls, last := 0, int64(-1)
	opt.Progress = func(p Progress) {
		if calls++; last >= 0 && p.Objective > last {
			t.Errorf("progress went from %d to %d", last, p.Objective)
		}
		last = p.Objective
	}
	var looks atomic.Int64
	opt.Clock = func() time.Duration { return 10 * time.Millisecond * time.Duration(looks.Add(1)) }
	res := mustPartition(t, g, opt)
	if passed := 10 * time.Millisecond * time.Duration(looks.Load()); passed < opt.TimeLimit || passed > 2*opt.TimeLimit {
		t.Errorf("it ends after %v, and the limit is %v", passed, opt.TimeLimit)
	}
	checkResult(t, g, opt, res)
	if calls == 0 || res.Cut > last {
		t.Errorf("%d progress calls, last %d, result %d", calls, last, res.Cut)
	}
}

// By a clock that an hour passes on every other look, an hour is soon over; by
// one that stands still it never is.
func TestClock(t *testing.T) {
	g := graphtest.Grid(30, 30, 1)
	opt := Options{Parts: 9, Imbalance: 0.03, TimeLimit: time.Hour}
	var looks atomic.Int64
	opt.Clock = func() time.Duration { return time.Duration(looks.Add(1)) * time.Hour / 2 }
	checkResult(t, g, opt, mustPartition(t, g, opt))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	looks.Store(0)
	opt.TimeLimit, opt.Clock = time.Nanosecond, func() time.Duration {
		if looks.Add(1) == 100 {
			cancel()
		}
		return 0
	}
	if _, err := Partition(ctx, g, opt); err == nil {
		t.Error("ended by itself although no time passed")
	}
}

// A search that is cancelled at any time returns what it has found, and computes less until
// then than the quickest whole search. There are two workers on any machine: each does
// something until it hears of it.
func TestCancelledReturnsBest(t *testing.T) {
	layers := 20
	if race.Enabled {
		layers = 4
	}
	g := graphtest.Grid(60, 60, layers)
	opt := Options{Parts: 16, Imbalance: 0.03, Preset: Strong, Workers: 2}
	quickest := machine.ProcessorTime()
	mustPartition(t, g, Options{Parts: opt.Parts, Imbalance: opt.Imbalance, Preset: Fast, Workers: opt.Workers})
	quickest = machine.ProcessorTime() - quickest
	r := rand.New(rand.NewPCG(1, 2))
	for range 4 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(r.IntN(300))*time.Millisecond)
		cancelled := make(chan time.Duration, 1)
		context.AfterFunc(ctx, func() { cancelled <- machine.ProcessorTime() })
		res, err := Partition(ctx, g, opt)
		after := machine.ProcessorTime()
		cancel()
		late := after - <-cancelled
		if err == nil || res == nil {
			t.Fatalf("result %v, error %v", res, err)
		}
		checkResult(t, g, Options{Parts: 16}, res)
		if late > quickest {
			t.Errorf("returned after %v more of the processors, and a quick search takes %v", late, quickest)
		}
		t.Logf("%v late, %v are quick, cut %d, feasible %v", late, quickest, res.Cut, res.Feasible)
	}
}

package partition

import (
	"context"
	"testing"

	"carina/internal/race"
	"carina/partition/graph"
	"carina/partition/graphtest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// drawOptions draws any combination of options for n vertices.
func drawOptions(t *rapid.T, n int) Options {
	opt := Options{
		Parts:      rapid.SampledFrom([]int{1, 2, 3, 4, 5, 8, max(n-1, 1), max(n, 1), n + 3}).Draw(t, "parts"),
		Imbalance:  rapid.SampledFrom([]float64{0, 0.03, 0.5}).Draw(t, "imbalance"),
		Preset:     rapid.SampledFrom([]Preset{Fast, Eco, Strong}).Draw(t, "preset"),
		Seed:       rapid.Uint64().Draw(t, "seed"),
		Contiguous: rapid.Bool().Draw(t, "contiguous"),
		Objective:  rapid.SampledFrom([]Objective{EdgeCut, CommunicationVolume, BottleneckVolume, MappingCost}).Draw(t, "objective"),
	}
	labels := func(least int32, name string) []int32 {
		return rapid.SliceOfN(rapid.Int32Range(least, int32(opt.Parts)-1), n, n).Draw(t, name)
	}
	if rapid.Bool().Draw(t, "with targets") {
		opt.Targets = rapid.SliceOfN(rapid.Float64Range(0.1, 3), opt.Parts, opt.Parts).Draw(t, "targets")
	}
	if rapid.IntRange(0, 3).Draw(t, "with fixed") == 0 {
		opt.Fixed = labels(-1, "fixed")
	}
	if rapid.IntRange(0, 2).Draw(t, "with previous") == 0 {
		opt.Previous = labels(-1, "previous")
		if rapid.Bool().Draw(t, "with costs") {
			opt.MigrationCosts = rapid.SliceOfN(rapid.Int64Range(0, 20), n, n).Draw(t, "costs")
		}
	}
	if opt.Objective == MappingCost {
		opt.Distances = make([][]int64, opt.Parts)
		hosts := rapid.IntRange(1, 3).Draw(t, "hosts")
		noise := rapid.Int64Range(0, 1).Draw(t, "noise")
		for p := range opt.Distances {
			opt.Distances[p] = make([]int64, opt.Parts)
			for q := range p {
				d := int64(1)
				if p%hosts != q%hosts {
					d = 10
				}
				d += noise * int64((p+q)%3)
				opt.Distances[p][q], opt.Distances[q][p] = d, d
			}
		}
	}
	return opt
}

// checkFigures recomputes the figures that only some options ask for, by their
// definitions.
func checkFigures(t interface{ Fatalf(string, ...any) }, g *graph.Graph, opt Options, res *Result) {
	volume := make([]int64, opt.Parts)
	var mapping, migrated, cost int64
	for v, p := range res.Parts {
		others := map[int32]bool{}
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			q := res.Parts[g.Neighbours[e]]
			if q != p {
				others[q] = true
			}
			if opt.Distances != nil && int(g.Neighbours[e]) > v {
				mapping += g.EdgeWeight(e) * opt.Distances[p][q]
			}
		}
		volume[p] += int64(len(others))
		if opt.Previous != nil && opt.Previous[v] >= 0 && opt.Previous[v] != p {
			migrated += g.VertexWeight(int32(v))
			if opt.MigrationCosts != nil {
				cost += opt.MigrationCosts[v]
			}
		}
	}
	var total, most int64
	for _, x := range volume {
		total, most = total+x, max(most, x)
	}
	if total != res.CommunicationVolume || most != res.BottleneckVolume {
		t.Fatalf("volumes %d and %d, reported %d and %d", total, most, res.CommunicationVolume, res.BottleneckVolume)
	}
	if mapping != res.MappingCost || migrated != res.MigratedWeight || cost != res.MigrationCost {
		t.Fatalf("mapping cost %d, migrated %d at %d; reported %d, %d, %d", mapping, migrated, cost, res.MappingCost, res.MigratedWeight, res.MigrationCost)
	}
}

// Whatever is asked for together, figures must be true, labels in range, and
// balance must not suffer from the other wishes.
func TestAllOptionsTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.DrawFamily(t)
		opt := drawOptions(t, g.Vertices())
		res, err := Partition(context.Background(), g, opt)
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, g, opt, res)
		checkFigures(t, g, opt, res)
		plain, err := Partition(context.Background(), g, Options{Parts: opt.Parts, Imbalance: opt.Imbalance, Targets: opt.Targets, Fixed: opt.Fixed})
		if err != nil {
			t.Fatal(err)
		}
		if plain.Feasible && !res.Feasible {
			t.Fatalf("weights %v above limits %v, although there is %v", res.PartWeights, res.Limits, plain.PartWeights)
		}
	})
}

// Cancelled at any time, even before it begins, a run returns a partition.
func TestCancelledAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.DrawFamily(t)
		opt := drawOptions(t, g.Vertices())
		if rapid.Bool().Draw(t, "timed") {
			opt.TimeLimit = 1
		}
		res, err := Partition(ctx, g, opt)
		if err == nil || res == nil {
			t.Fatalf("result %v, error %v", res, err)
		}
		opt.Fixed = nil // empty parts cannot always be filled in no time
		if len(res.Parts) != g.Vertices() {
			t.Fatalf("%d labels for %d vertices", len(res.Parts), g.Vertices())
		}
		checkFigures(t, g, opt, res)
	})
}

// Where one vertex is heavier than a part, the heaviest part is exactly that
// vertex and all others keep their limit, with weights that differ a
// thousandfold.
func TestHeavyVertexAmongThousandfoldWeights(t *testing.T) {
	race.SkipArithmetic(t)
	rapid.Check(t, func(t *rapid.T) {
		g := graphtest.Grid(rapid.IntRange(4, 6).Draw(t, "x"), rapid.IntRange(4, 6).Draw(t, "y"), 1)
		n := g.Vertices()
		g.VertexWeights = rapid.SliceOfN(rapid.Int64Range(1, 1000), n, n).Draw(t, "weights")
		k := rapid.IntRange(2, 6).Draw(t, "parts")
		heavy := rapid.IntRange(0, n-1).Draw(t, "heavy")
		g.VertexWeights[heavy] = g.TotalVertexWeight() * rapid.Int64Range(1, 3).Draw(t, "factor")
		opt := Options{Parts: k, Imbalance: 0.03,
			Preset:     rapid.SampledFrom([]Preset{Fast, Fast, Fast, Fast, Fast, Fast, Eco, Eco, Strong}).Draw(t, "preset"),
			Contiguous: rapid.Bool().Draw(t, "contiguous"),
			Seed:       rapid.Uint64().Draw(t, "seed"),
		}
		res, err := Partition(context.Background(), g, opt)
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, g, opt, res)
		members := make([]int, k)
		for _, p := range res.Parts {
			members[p]++
		}
		for p, w := range res.PartWeights {
			if int32(p) == res.Parts[heavy] {
				if w != g.VertexWeights[heavy] {
					t.Fatalf("the part of a vertex of weight %d weighs %d", g.VertexWeights[heavy], w)
				}
			} else if w > res.Limits[p] && members[p] > 1 { // a second vertex may be too heavy, too
				t.Fatalf("part %d weighs %d, limit %d", p, w, res.Limits[p])
			}
		}
	})
}

// Connected parts and mapping are searched for side by side, too, and must not
// depend on by how many.
func TestFeaturesIndependentOfWorkers(t *testing.T) {
	g := graphtest.Grid(race.Few(6, 12), race.Few(4, 8), race.Few(2, 4))
	distances, err := Hierarchy([]int{2, 3}, []int64{10, 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string]Options{
		"contiguous": {Parts: 6, Imbalance: 0.03, Preset: Eco, Contiguous: true},
		"mapping":    {Parts: 6, Imbalance: 0.03, Preset: Fast, Objective: MappingCost, Distances: distances},
	} {
		opt.Workers = 1
		first := mustPartition(t, g, opt)
		opt.Workers = 5
		if diff := cmp.Diff(first, mustPartition(t, g, opt)); diff != "" {
			t.Errorf("%s: five workers differ from one: %s", name, diff)
		}
	}
}

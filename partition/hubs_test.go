package partition

import (
	"math"
	"math/rand/v2"
	"testing"

	"carina/internal/race"
	"carina/partition/graph"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

func TestHasHubs(t *testing.T) {
	for _, c := range []struct {
		name string
		g    *graph.Graph
		want bool
	}{
		{"grid", graphtest.Grid(20, 20, 1), false},
		{"path", graphtest.FromEdges(50, graphtest.PathEdges(50)), false},
		{"preferential attachment", graphtest.Preferential(2000, 4, rand.New(rand.NewPCG(1, 1))), true},
		{"no edges", &graph.Graph{Offsets: make([]int64, 9)}, false},
	} {
		if got := hasHubs(c.g); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Narrowed limits hold all the weight, are never wider, and keep their ratios.
func TestNarrowedLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SliceOfN(rapid.Int64Range(0, math.MaxInt64/2), 2, 9).Draw(t, "limits")
		sum := 0.0
		for _, x := range limit {
			sum += float64(x)
		}
		total := int64(rapid.Float64Range(0, 1).Draw(t, "share") * min(sum, math.MaxInt64/4))
		held := 0.0
		for p, x := range narrowed(limit, total) {
			if x < 0 || x > limit[p] {
				t.Fatalf("limit %d became %d", limit[p], x)
			}
			held += float64(x)
		}
		if held < float64(total)*(1-1e-9) {
			t.Fatalf("%v narrowed hold %g of %d", limit, held, total)
		}
	})
	if got := narrowed([]int64{1300, 2600}, 3000); got[0] != 1030 || got[1] != 2060 {
		t.Errorf("narrowed to %v, want a tenth of the slack", got)
	}
}

// With hubs, parts that were let grow to wide limits early used to cut more
// than parts within narrow ones, which they may as well be.
func TestWiderLimitsCutNoMore(t *testing.T) {
	race.SkipArithmetic(t)
	g := graphtest.Preferential(6000, 5, rand.New(rand.NewPCG(3, 4)))
	for _, k := range []int{2, 8} {
		narrow := mustPartition(t, g, Options{Parts: k, Imbalance: 0.01, Preset: Fast})
		wide := mustPartition(t, g, Options{Parts: k, Imbalance: 0.1, Preset: Fast})
		if float64(wide.Cut) > 1.02*float64(narrow.Cut) {
			t.Errorf("%d parts: cut %d within 10 %%, %d within 1 %%", k, wide.Cut, narrow.Cut)
		}
	}
}

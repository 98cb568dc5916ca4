package refine

import (
	"slices"
	"testing"

	"carina/internal/parallel"
	"carina/internal/race"
	"carina/internal/random"
	"carina/partition/graph"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// drawFeasible draws a state within its limits without distances, and which part a
// vertex is fixed to, or -1.
func drawFeasible(t *rapid.T) (*State, []int32) {
	drawn := drawState(t)
	limit := slices.Clone(drawn.Limit)
	for p, w := range drawn.Weight {
		limit[p] = max(limit[p], w)
	}
	fixed := make([]int32, len(drawn.Part))
	for v, p := range drawn.Part {
		fixed[v] = -1
		if rapid.IntRange(0, 9).Draw(t, "fixed") == 0 {
			fixed[v] = p
		}
	}
	return NewState(drawn.Graph, fixed, slices.Clone(drawn.Part), limit, nil), fixed
}

// Whatever is annealed, and whenever it is stopped, stays within its limits and,
// if asked to, in as few pieces, cuts no more than before, and what is kept about it is true.
func TestAnnealingKeepsPartsSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, fixed := drawFeasible(t)
		pieces, cut, anyEmpty := len(graph.Pieces(s.Graph, s.Part)), s.Cut, slices.Contains(s.Count, 0)
		heat := rapid.SampledFrom([]float64{0.5, 3, 16}).Draw(t, "heat") * s.MeanCutEdge()
		rounds := rapid.IntRange(0, 30).Draw(t, "rounds until stopped")
		stop := func() bool { rounds--; return rounds < 0 }
		connected := rapid.Bool().Draw(t, "connected")
		NewAnnealing(s, connected, random.New(rapid.Uint64().Draw(t, "seed"))).Run(20*triesPerTemperature, heat, stop)
		checkState(t, s)
		if now := len(graph.Pieces(s.Graph, s.Part)); connected && now > pieces || s.Overload() > 0 || s.Cut > cut {
			t.Fatalf("%d pieces became %d, the cut of %d %d, overload %d", pieces, now, cut, s.Cut, s.Overload())
		}
		for v, p := range fixed {
			if p >= 0 && s.Part[v] != p {
				t.Fatalf("vertex %d is fixed to part %d and was moved to %d", v, p, s.Part[v])
			}
		}
		if slices.Contains(s.Count, 0) && !anyEmpty {
			t.Fatalf("a part was emptied: %v", s.Count)
		}
	})
}

// A tube has two necks, and the boundary lies in the wider one. The way to the
// other is longer than refinement looks, through partitions that cut more.
func TestAnnealingFindsTheNarrowerNeck(t *testing.T) {
	race.SkipArithmetic(t)
	const long, wide, wideNeck, narrowNeck = 50, 10, 4, 2
	height := func(x int) int {
		switch x {
		case long / 3:
			return wideNeck
		case 2 * long / 3:
			return narrowNeck
		}
		return wide
	}
	number := map[[2]int]int64{}
	var parts []int32
	var edges [][3]int64
	for x := range long {
		for y := range height(x) {
			v := int64(len(parts))
			number[[2]int{x, y}] = v
			for _, before := range [][2]int{{x - 1, y}, {x, y - 1}} {
				if u, ok := number[before]; ok {
					edges = append(edges, [3]int64{u, v, 1})
				}
			}
			parts = append(parts, 0)
			if x > long/3 {
				parts[v] = 1
			}
		}
	}
	g := graphtest.FromEdges(len(parts), edges).Weighted()
	limit := []int64{int64(len(parts)) * 3 / 4, int64(len(parts)) * 3 / 4}
	refined := NewState(g, nil, slices.Clone(parts), limit, nil)
	Connect(refined, 4, 80, random.New(1), false, parallel.Never)
	if refined.Cut != wideNeck {
		t.Errorf("refinement alone cuts %d: this test shows nothing", refined.Cut)
	}
	s := NewState(g, nil, parts, limit, nil)
	NewAnnealing(s, true, random.New(1)).Run(4_000_000, 3*s.MeanCutEdge(), parallel.Never)
	if s.Cut != narrowNeck || s.Overload() > 0 || len(graph.Pieces(s.Graph, s.Part)) != 2 {
		t.Errorf("cut %d, overload %d, %d pieces; want %d, none, 2", s.Cut, s.Overload(), len(graph.Pieces(s.Graph, s.Part)), narrowNeck)
	}
}

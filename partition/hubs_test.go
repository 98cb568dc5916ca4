package partition

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// preferentialGraph lets every vertex choose as many others, each by its degree
// (Barabási and Albert 1999).
func preferentialGraph(vertices, edges int, r *rand.Rand) *Graph {
	var chosen []int32 // every vertex as often as it has edges
	joined := map[[2]int32]bool{}
	var list [][3]int64
	for v := int32(edges); int(v) < vertices; v++ {
		for range edges {
			u := r.Int32N(int32(edges))
			if len(chosen) > 0 {
				u = chosen[r.IntN(len(chosen))]
			}
			if u != v && !joined[[2]int32{u, v}] {
				joined[[2]int32{u, v}] = true
				list = append(list, [3]int64{int64(u), int64(v), 1})
				chosen = append(chosen, u, v)
			}
		}
	}
	return fromEdges(vertices, list)
}

func TestHasHubs(t *testing.T) {
	for _, c := range []struct {
		name string
		g    *Graph
		want bool
	}{
		{"grid", gridGraph(20, 20, 1), false},
		{"path", fromEdges(50, pathEdges(50)), false},
		{"preferential attachment", preferentialGraph(2000, 4, rand.New(rand.NewPCG(1, 1))), true},
		{"no edges", &Graph{Offsets: make([]int64, 9)}, false},
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
	g := preferentialGraph(6000, 5, rand.New(rand.NewPCG(3, 4)))
	for _, k := range []int{2, 8} {
		narrow := mustPartition(t, g, Options{Parts: k, Imbalance: 0.01, Preset: Fast})
		wide := mustPartition(t, g, Options{Parts: k, Imbalance: 0.1, Preset: Fast})
		if float64(wide.Cut) > 1.02*float64(narrow.Cut) {
			t.Errorf("%d parts: cut %d within 10 %%, %d within 1 %%", k, wide.Cut, narrow.Cut)
		}
	}
}

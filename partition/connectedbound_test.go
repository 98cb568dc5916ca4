package partition

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// leastConnectedCut tries all divisions into two connected parts; -1 if there
// is none.
func leastConnectedCut(g *Graph, imbalance float64) int64 {
	limits := newLimits(g, &Options{Parts: 2, Imbalance: imbalance}, never)
	d := newDivider(g, 2, max(limits.effective[0], limits.effective[1]))
	d.from(0, 0)
	return d.connected
}

// On light graphs no weights are rounded: the bound is the least cut itself, and
// asked for no more than that it says so.
func TestConnectedBisectionBoundIsExactOnLightGraphs(t *testing.T) {
	const far = 1 << 40
	check := func(t interface {
		Fatalf(format string, arguments ...any)
	}, g *Graph, imbalance float64) {
		least := leastConnectedCut(g, imbalance)
		want := least
		if least < 0 {
			want = far
		}
		for _, below := range []int64{far, least, least + 1, least / 2} {
			if below <= 0 {
				continue
			}
			got, err := ConnectedBisectionBound(context.Background(), g, imbalance, below, 1<<20)
			if err != nil || got != min(want, below) {
				t.Fatalf("bound %d below %d, error %v; the least connected cut is %d", got, below, err, least)
			}
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 20 {
		check(t, tubeTree(r, 14), 0.1)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "vertices")
		var edges [][3]int64
		for u := range n {
			for v := range u {
				if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
					edges = append(edges, [3]int64{int64(u), int64(v), rapid.Int64Range(1, 9).Draw(t, "weight")})
				}
			}
		}
		g := fromEdges(n, edges).weighted()
		for v := range g.VertexWeights {
			g.VertexWeights[v] = rapid.Int64Range(0, 9).Draw(t, "vertex weight")
		}
		check(t, g, rapid.Float64Range(0, 0.5).Draw(t, "imbalance"))
	})
}

// Where weights are rounded the bound may be lower than the least cut, but
// never higher, and hardly lower.
func TestConnectedBisectionBoundHoldsWithRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	lower := 0
	for range 30 {
		g := tubeTree(r, 16)
		for v := range g.VertexWeights {
			g.VertexWeights[v] = g.VertexWeights[v]*1_000_003 + r.Int64N(1_000_000)
		}
		least := leastConnectedCut(g, 0.03)
		if least < 0 {
			continue
		}
		bound, err := ConnectedBisectionBound(context.Background(), g, 0.03, least+5, 1<<20)
		if err != nil || bound > least {
			t.Fatalf("bound %d, error %v; the least connected cut is %d", bound, err, least)
		}
		if bound < least {
			lower++
		}
	}
	if lower > 3 {
		t.Errorf("%d of 30 bounds are below the least cut", lower)
	}
}

func TestConnectedBisectionBoundGivesUp(t *testing.T) {
	wide := gridGraph(40, 40, 1)
	if _, err := ConnectedBisectionBound(context.Background(), wide, 0.03, 1<<40, 1<<12); !errors.Is(err, ErrBoundOutOfReach) {
		t.Errorf("error %v on a wide graph", err)
	}
	narrow := gridGraph(20, 8, 1)
	if _, err := ConnectedBisectionBound(context.Background(), narrow, 0.03, 1<<40, 100); !errors.Is(err, ErrBoundOutOfReach) {
		t.Errorf("error %v with 100 states", err)
	}
	// Across the short side: 8 edges.
	if bound, err := ConnectedBisectionBound(context.Background(), narrow, 0.03, 20, 1<<20); err != nil || bound != 8 {
		t.Errorf("bound %d, error %v; want 8", bound, err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ConnectedBisectionBound(done, narrow, 0.03, 20, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v when cancelled", err)
	}
	broken := &Graph{Offsets: []int64{0, 1}, Neighbours: []int32{0}}
	if _, err := ConnectedBisectionBound(context.Background(), broken, 0.03, 20, 1<<20); !errors.Is(err, ErrInvalidGraph) {
		t.Errorf("error %v on a self loop", err)
	}
}

package partition

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// leastConnectedCut tries all divisions into connected parts; -1 if there is
// none.
func leastConnectedCut(g *Graph, parts int, imbalance float64) int64 {
	limits := newLimits(g, &Options{Parts: parts, Imbalance: imbalance}, never)
	d := newDivider(g, parts, slices.Max(limits.effective))
	d.from(0, 0)
	return d.connected
}

// On light graphs no weights are rounded: the bound is the least cut itself, and
// asked for no more than that it says so.
func TestConnectedCutBoundIsExactOnLightGraphs(t *testing.T) {
	const far = 1 << 40
	check := func(t interface {
		Fatalf(format string, arguments ...any)
	}, g *Graph, imbalance float64) {
		least := leastConnectedCut(g, 2, imbalance)
		want := least
		if least < 0 {
			want = far
		}
		for _, below := range []int64{far, least, least + 1, least / 2} {
			if below <= 0 {
				continue
			}
			got, err := ConnectedCutBound(context.Background(), g, 2, imbalance, below, 1<<20)
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
func TestConnectedCutBoundHoldsWithRounding(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	lower := 0
	for range 30 {
		g := tubeTree(r, 16)
		for v := range g.VertexWeights {
			g.VertexWeights[v] = g.VertexWeights[v]*1_000_003 + r.Int64N(1_000_000)
		}
		least := leastConnectedCut(g, 2, 0.03)
		if least < 0 {
			continue
		}
		bound, err := ConnectedCutBound(context.Background(), g, 2, 0.03, least+5, 1<<20)
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

func TestConnectedCutBoundGivesUp(t *testing.T) {
	wide := gridGraph(40, 40, 1)
	if _, err := ConnectedCutBound(context.Background(), wide, 2, 0.03, 1<<40, 1<<12); !errors.Is(err, ErrBoundOutOfReach) {
		t.Errorf("error %v on a wide graph", err)
	}
	narrow := gridGraph(20, 8, 1)
	if _, err := ConnectedCutBound(context.Background(), narrow, 2, 0.03, 1<<40, 100); !errors.Is(err, ErrBoundOutOfReach) {
		t.Errorf("error %v with 100 states", err)
	}
	// Across the short side: 8 edges.
	if bound, err := ConnectedCutBound(context.Background(), narrow, 2, 0.03, 20, 1<<20); err != nil || bound != 8 {
		t.Errorf("bound %d, error %v; want 8", bound, err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ConnectedCutBound(done, narrow, 2, 0.03, 20, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v when cancelled", err)
	}
	broken := &Graph{Offsets: []int64{0, 1}, Neighbours: []int32{0}}
	if _, err := ConnectedCutBound(context.Background(), broken, 2, 0.03, 20, 1<<20); !errors.Is(err, ErrInvalidGraph) {
		t.Errorf("error %v on a self loop", err)
	}
}

// The bound of four parts may be lower than the least cut, never higher.
func TestConnectedCutBoundHoldsForFourParts(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	higher := 0
	check := func(g *Graph, imbalance float64) {
		least := leastConnectedCut(g, 4, imbalance)
		below := least + 1
		if least < 0 {
			below = 1 + r.Int64N(40)
		}
		bound, err := ConnectedCutBound(context.Background(), g, 4, imbalance, below, 1<<20)
		if inPieces(g) {
			if !errors.Is(err, ErrBoundOutOfReach) {
				t.Fatalf("error %v on a graph in several pieces", err)
			}
			return
		}
		if err != nil || bound > below || least >= 0 && bound > least {
			t.Fatalf("bound %d below %d, error %v; the least connected cut is %d of %+v", bound, below, err, least, g)
		}
		if least >= 0 && 2*bound > least {
			higher++
		}
	}
	for range 30 {
		check(tubeTree(r, 12), 0.1)
	}
	for range 1000 {
		check(randomGraph(r, 4+r.IntN(5)), r.Float64())
	}
	if higher < 300 {
		t.Errorf("%d bounds are over half of the least cut: the test tests little", higher)
	}
}

// quarters must be no more than the cut of any four parts that are neighbours
// in any way, with the least cuts that these have themselves.
func TestQuartersHoldForAllNeighbours(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	equal := 0
	for range 20000 {
		var edges [][3]int64
		for u := range int64(4) {
			for v := range u {
				if w := r.Int64N(6); w > 1 {
					edges = append(edges, [3]int64{u, v, w - 1})
				}
			}
		}
		g := fromEdges(4, edges).weighted()
		if inPieces(g) {
			continue
		}
		d := newDivider(g, 2, 4)
		quarter, half := int64(1<<40), int64(1<<40)
		const all = 1<<4 - 1
		for set := uint32(1); set < all; set++ {
			if !d.isConnected(set) || !d.isConnected(all&^set) {
				continue
			}
			for v := range d.parts {
				d.parts[v] = int32(set >> v & 1)
			}
			if cut := EdgeCutOf(g, d.parts); bits.OnesCount32(set) == 2 {
				half = min(half, cut)
			} else {
				quarter = min(quarter, cut)
			}
		}
		cut := EdgeCutOf(g, []int32{0, 1, 2, 3})
		if bound := quarters(quarter, half); bound > cut {
			t.Fatalf("%d of quarters %d and halves %d, but the cut is %d of %+v", bound, quarter, half, cut, g)
		} else if bound == cut {
			equal++
		}
	}
	if equal < 300 {
		t.Errorf("%d bounds equal the cut: the test tests little", equal)
	}
}

// Four pairs of vertices, each a part, three of them beside the fourth only: the least cut
// is three quarters, whatever is asked for.
func TestConnectedCutBoundOfStar(t *testing.T) {
	g := fromEdges(8, [][3]int64{{0, 1, 50}, {2, 3, 50}, {4, 5, 50}, {6, 7, 50}, {0, 2, 4}, {0, 4, 4}, {1, 6, 4}}).weighted()
	for v := range g.VertexWeights {
		g.VertexWeights[v] = 100
	}
	for _, below := range []int64{11, 12, 13, 14, 100, 1000, math.MaxInt64 - 1, math.MaxInt64} {
		bound, err := ConnectedCutBound(context.Background(), g, 4, 0.03, below, 1<<20)
		if err != nil || bound != min(below, 12) {
			t.Errorf("bound %d below %d, error %v; the least cut is 12", bound, below, err)
		}
	}
	if bound, err := ConnectedCutBound(context.Background(), g, 3, 0.03, 12, 1<<20); err == nil {
		t.Errorf("bound %d of three parts", bound)
	}
}

// quartersBound must ask for what it needs and take no more than it is told.
func TestQuartersBoundAsks(t *testing.T) {
	type answer struct {
		first, second int
		below, bound  int64
		err           error
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		below, want int64
		err         error
		answers     []answer
	}{
		{100, 100, nil, []answer{{3, 1, 34, 34, nil}, {2, 2, 68, 68, nil}}},
		{100, 60, nil, []answer{{3, 1, 34, 20, nil}, {2, 2, 40, 40, nil}}},
		{100, 45, nil, []answer{{3, 1, 34, 20, nil}, {2, 2, 40, 30, nil}}},
		{100, 100, nil, []answer{{3, 1, 34, 34, nil}, {2, 2, 68, 0, ErrBoundOutOfReach}, {3, 1, 50, 50, nil}}},
		{100, 90, nil, []answer{{3, 1, 34, 34, nil}, {2, 2, 68, 60, nil}, {3, 1, 50, 40, nil}}},
		{100, 68, nil, []answer{{3, 1, 34, 34, nil}, {2, 2, 68, 0, ErrBoundOutOfReach}, {3, 1, 50, 30, nil}}},
		{100, 68, nil, []answer{{3, 1, 34, 34, nil}, {2, 2, 68, 0, ErrBoundOutOfReach}, {3, 1, 50, 0, ErrBoundOutOfReach}}},
		{100, 0, ErrBoundOutOfReach, []answer{{3, 1, 34, 0, ErrBoundOutOfReach}}},
		{100, 0, broken, []answer{{3, 1, 34, 34, nil}, {2, 2, 68, 0, broken}}},
		{100, 0, broken, []answer{{3, 1, 34, 34, nil}, {2, 2, 68, 0, ErrBoundOutOfReach}, {3, 1, 50, 0, broken}}},
	} {
		left := c.answers
		bound, err := quartersBound(c.below, func(first, second int, below int64) (int64, error) {
			if len(left) == 0 || left[0].first != first || left[0].second != second || left[0].below != below {
				t.Fatalf("asked for %d and %d below %d, left are %+v", first, second, below, left)
			}
			a := left[0]
			left = left[1:]
			return a.bound, a.err
		})
		if bound != c.want || !errors.Is(err, c.err) || len(left) > 0 {
			t.Errorf("bound %d, error %v, not asked %+v; want %d, %v", bound, err, left, c.want, c.err)
		}
	}
}

package partition

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
)

// randomGraph returns a graph of a few vertices, connected or not, of weights
// that differ up to a thousandfold.
func randomGraph(r *rand.Rand, vertices int) *Graph {
	var edges [][3]int64
	density := 0.2 + 0.6*r.Float64()
	for u := range int64(vertices) {
		for v := range u {
			if r.Float64() < density {
				edges = append(edges, [3]int64{u, v, 1 + r.Int64N(9)})
			}
		}
	}
	g := fromEdges(vertices, edges).weighted()
	for v := range g.VertexWeights {
		g.VertexWeights[v] = r.Int64N([]int64{3, 10, 1000}[r.IntN(3)])
	}
	return g
}

// smallGraphs calls check with graphs of which all divisions can be tried.
func smallGraphs(r *rand.Rand, trees, others int, check func(g *Graph)) {
	for range trees {
		check(tubeTree(r, 14))
	}
	for range others {
		check(randomGraph(r, 2+r.IntN(9)))
	}
}

// randomLimits returns limits of two sides' weights, alike or not.
func randomLimits(r *rand.Rand, g *Graph) [2]int64 {
	total := g.TotalVertexWeight()
	first := (total*int64(100+r.IntN(80)) + 199) / 200
	if r.IntN(2) == 0 {
		return [2]int64{first, first}
	}
	return [2]int64{first, total - first + r.Int64N(1+total/3)}
}

func undecidedSides(g *Graph) []int8 {
	side := make([]int8, g.Vertices())
	for v := range side {
		side[v] = undecided
	}
	return side
}

func TestSearchBoundIsExact(t *testing.T) {
	const far = 1 << 40
	r := rand.New(rand.NewPCG(11, 12))
	smallGraphs(r, 60, 2000, func(g *Graph) {
		limits := randomLimits(r, g)
		least, _ := leastCompletion(g, undecidedSides(g), limits)
		want := least
		if least < 0 {
			want = far
		}
		for _, below := range []int64{far, least, least + 1, least / 2, least + 1 + r.Int64N(20)} {
			if below <= 0 {
				continue
			}
			got, err := searchBound(context.Background(), g, limits, below, 1<<20)
			if err != nil || got != min(want, below) {
				t.Fatalf("bound %d below %d, error %v; the least connected cut is %d of %+v", got, below, err, least, g)
			}
		}
	})
}

// Every bound and every vertex put on a side must hold for all divisions that
// have the vertices so far on their sides.
func TestSearchBoundsHoldForAllDivisions(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	tight, connecting, settled := 0, 0, 0
	smallGraphs(r, 600, 3000, func(g *Graph) {
		limits := randomLimits(r, g)
		s := newBoundSearch(context.Background(), g, limits, 1<<40)
		side := undecidedSides(g)
		for v := range side {
			if r.IntN(3) == 0 {
				side[v] = int8(r.IntN(2))
			}
		}
		least, everOn := leastCompletion(g, side, limits)
		n := &boundNode{side: append([]int8(nil), side...), prices: []int64{0, 1 + r.Int64N(s.scale), -1 - r.Int64N(s.scale)}}
		if s.settle(n) {
			if least >= 0 {
				t.Fatalf("%v has no division, but there is one that cuts %d of %+v", side, least, g)
			}
			return
		}
		if least < 0 {
			return
		}
		for v, p := range n.side {
			if p != undecided && everOn[1-p][v] {
				t.Fatalf("%v: vertex %d may be on side %d of %+v", side, v, 1-p, g)
			}
			if p != side[v] {
				settled++
			}
		}
		for _, price := range n.prices {
			n.networks = append(n.networks, s.network(n.side, price))
		}
		s.balance(n)
		for _, w := range n.networks {
			far := s.path.bound(n.side, w)
			raised := s.path.raise(n.side, w, endless)
			if s.worth(w)+max(far, raised) > s.scale*least {
				t.Fatalf("%v: bounds %d and %d, %d on top, scale %d; the least cut is %d of %+v", side, s.worth(w), far, raised, s.scale, least, g)
			}
			if raised > far {
				connecting++
			}
			if s.worth(w)+max(far, raised) > s.scale*(least-1) {
				tight++
			}
			for v, p := range n.side {
				for own := range int8(2) {
					if p == undecided && s.worth(w)+w.probe(int32(v), int(own), endless, func(int64) int64 { return 0 }) > s.scale*least && everOn[own][v] && onSide(g, n.side, limits, v, own) == least {
						t.Fatalf("%v: vertex %d may be on side %d of %+v", side, v, own, g)
					}
				}
			}
		}
	})
	if tight < 500 || connecting < 50 || settled < 1000 {
		t.Errorf("%d tight bounds, %d raised, %d vertices settled: the test tests little", tight, connecting, settled)
	}
	t.Logf("%d tight bounds, %d raised, %d vertices settled", tight, connecting, settled)
}

// leastCompletion tries all divisions into two connected sides within the limits
// that agree with the sides given; everOn tells which vertices are on a side of
// any.
func leastCompletion(g *Graph, side []int8, limits [2]int64) (least int64, everOn [2][]bool) {
	d := newDivider(g, 2, max(limits[0], limits[1]))
	n := g.Vertices()
	everOn = [2][]bool{make([]bool, n), make([]bool, n)}
	least = -1
	all := uint32(1)<<n - 1
	for set := uint32(1); set < all; set++ {
		var weight int64
		agrees := true
		for v := range n {
			p := int8(set >> v & 1)
			agrees = agrees && (side[v] == undecided || side[v] == p)
			weight += int64(p) * g.VertexWeights[v]
			d.parts[v] = int32(p)
		}
		if !agrees || weight > limits[1] || g.TotalVertexWeight()-weight > limits[0] || !d.isConnected(set) || !d.isConnected(all&^set) {
			continue
		}
		if cut := EdgeCutOf(g, d.parts); least < 0 || cut < least {
			least = cut
		}
		for v := range n {
			everOn[set>>v&1][v] = true
		}
	}
	return least, everOn
}

// onSide is leastCompletion with one more vertex on a side.
func onSide(g *Graph, side []int8, limits [2]int64, v int, own int8) int64 {
	side = append([]int8(nil), side...)
	side[v] = own
	least, _ := leastCompletion(g, side, limits)
	return least
}

// On graphs too large to try all divisions the two methods must agree.
func TestSearchBoundAgreesWithFrontier(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for i := range 12 {
		g := tubeTree(r, 60)
		if i%3 == 0 {
			g = gridGraph(14, 4, 1).weighted()
			for v := range g.VertexWeights {
				g.VertexWeights[v] = 1 + r.Int64N(15)
			}
		}
		targets := [][]float64{{1, 1}, {1, 3}}[i/2%2]
		limits := newLimits(g, &Options{Parts: 2, Imbalance: 0.05, Targets: targets}, never).effective
		for grain := int64(1); grain <= 1_000_003; grain += 1_000_002 {
			heavy := *g
			heavy.VertexWeights = nil
			for _, w := range g.VertexWeights {
				heavy.VertexWeights = append(heavy.VertexWeights, w*grain)
			}
			const below = 5
			heavyLimits := [2]int64{limits[0] * grain, limits[1] * grain}
			want, err := frontierBound(context.Background(), &heavy, heavyLimits, below, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			got, err := searchBound(context.Background(), &heavy, heavyLimits, below, 1<<20)
			if err != nil || got < want || grain == 1 && got != want {
				t.Errorf("graph %d: bound %d, error %v; the other method's is %d", i, got, err, want)
			}
		}
	}
}

func TestSearchBoundGivesUp(t *testing.T) {
	g := gridGraph(40, 40, 1)
	if _, err := ConnectedCutBound(context.Background(), g, 2, 0.03, 41, 2*1600); !errors.Is(err, ErrBoundOutOfReach) {
		t.Errorf("error %v in two steps", err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := searchBound(done, g.weighted(), [2]int64{824, 824}, 41, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v when cancelled", err)
	}
}

// A grid 33 wide is too wide for the other method.
func TestConnectedCutBoundOfWideGraph(t *testing.T) {
	g := gridGraph(60, 33, 1)
	const below = 5 // across the short side: 33 edges
	if _, err := frontierBound(context.Background(), g.weighted(), [2]int64{1020, 1020}, below, 1<<20); !errors.Is(err, ErrBoundOutOfReach) {
		t.Errorf("error %v along the graph", err)
	}
	if bound, err := ConnectedCutBound(context.Background(), g, 2, 0.03, below, 20*g.Vertices()); err != nil || bound != below {
		t.Errorf("bound %d, error %v; want %d", bound, err, below)
	}
}

// What balls pay for is no more than the cheapest vertices that connect all
// pieces of a side, and often as much; afterwards connecting them costs nothing.
func TestAscendHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	equal, several := 0, 0
	for range 4000 {
		g := randomGraph(r, 4+r.IntN(7))
		n := g.Vertices()
		side, b := undecidedSides(g), newBoundPath(g)
		costs := make([]int64, n)
		for v := range side {
			switch r.IntN(8) {
			case 0, 1, 2:
				side[v] = 0
			case 3:
				side[v] = 1
			default:
				costs[v] = max(0, r.Int64N(30)-10)
			}
		}
		least := cheapestConnection(g, side, costs)
		if least < 0 {
			continue
		}
		copy(b.cost, costs)
		got := b.ascend(side, 0)
		if got > least {
			t.Fatalf("balls pay %d, vertices cost %d: %v, %v of %+v", got, least, side, costs, g)
		}
		if again := b.ascend(side, 0); again != 0 {
			t.Fatalf("once more, balls pay %d: %v, %v of %+v", again, side, costs, g)
		}
		if len(b.pieces(side, 0)) > 2 && least > 0 {
			several++
			if got == least {
				equal++
			}
		}
	}
	if equal < 50 || 2*equal < several {
		t.Errorf("%d of %d bounds of three and more pieces are exact", equal, several)
	}
}

// cheapestConnection tries all sets of undecided vertices that connect all
// vertices of side 0; -1 if none does.
func cheapestConnection(g *Graph, side []int8, costs []int64) int64 {
	d := newDivider(g, 2, 0)
	least := int64(-1)
	for set := range uint32(1) << g.Vertices() {
		var cost int64
		possible := set != 0
		for v, p := range side {
			in := set>>v&1 == 1
			possible = possible && (p == undecided || in == (p == 0))
			if in {
				cost += costs[v]
			}
		}
		if possible && (least < 0 || cost < least) && d.isConnected(set) {
			least = cost
		}
	}
	return least
}

// What connecting both sides costs may be added only if they pay with different
// edges.
func TestBoundPathHoldsForBothSides(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	both := 0
	for range 20000 {
		g := randomGraph(r, 5+r.IntN(5))
		for e := range g.Neighbours {
			g.EdgeWeights[e] = 1 // few ways to pay
		}
		total := g.TotalVertexWeight()
		s := newBoundSearch(context.Background(), g, [2]int64{total, total}, 1<<40)
		side := undecidedSides(g)
		for v := range side {
			if v < 4 {
				side[v] = int8(v & 1)
			}
		}
		least, _ := leastCompletion(g, side, [2]int64{total, total})
		if least < 0 {
			continue
		}
		w := s.network(side, 0)
		s.path.farthest(side, w, 0)
		pieces := min(1, len(s.path.last))
		s.path.farthest(side, w, 1)
		if pieces += min(1, len(s.path.last)); pieces == 2 {
			both++
		}
		far, raised := s.path.bound(side, w), s.path.raise(side, w, endless)
		if s.worth(w)+max(far, raised) > s.scale*least {
			t.Fatalf("bounds %d and %d, %d on top, scale %d; the least cut is %d of %+v", s.worth(w), far, raised, s.scale, least, g)
		}
	}
	if both < 500 {
		t.Errorf("%d with both sides in pieces: the test tests little", both)
	}
}

package refine

import (
	"slices"
	"testing"

	"carina/internal/random"
	"carina/partition/graph"
	"carina/partition/graphtest"

	"pgregory.net/rapid"
)

// Two cliques are the parts but for one vertex of each, and there is no room: no
// single move can bring these home.
func TestExchangeBringsBothHome(t *testing.T) {
	const size = 5
	var edges [][3]int64
	for v := range int64(size) {
		for u := range v {
			edges = append(edges, [3]int64{u, v, 1}, [3]int64{size + u, size + v, 1})
		}
	}
	edges = append(edges, [3]int64{0, size, 1})
	for _, connected := range []bool{false, true} {
		parts := []int32{1, 0, 0, 0, 0, 0, 1, 1, 1, 1}
		s := NewState(graphtest.FromEdges(2*size, edges).Weighted(), nil, parts, []int64{size, size}, nil)
		a := NewAnnealing(s, connected, random.New(1))
		a.price = 1000
		for range 200 {
			if s.Part[0] == 1 {
				a.exchange(0, 0, s.Connection(0, 1)-s.Connection(0, 0), 0)
			}
		}
		if s.Cut != 1 || s.Overload() > 0 || s.Part[0] != 0 || s.Part[size] != 1 {
			t.Errorf("connected %v: cut %d, parts %v", connected, s.Cut, s.Part)
		}
	}
}

// An exchange costs no more than allowed, keeps what is fixed, breaks nothing if parts
// are to be connected, and leaves what is kept about the partition true.
func TestExchangeKeepsItsWord(t *testing.T) {
	keepsItsWord := func(t *rapid.T) (exchanged int) {
		s, fixed := drawFeasible(t)
		connected := rapid.Bool().Draw(t, "connected")
		a := NewAnnealing(s, connected, random.New(rapid.Uint64().Draw(t, "seed")))
		a.price = rapid.SampledFrom([]float64{0, 0.5, 100}).Draw(t, "price")
		allowed := rapid.Float64Range(0, 1000).Draw(t, "allowed")
		for range 60 {
			if len(a.boundary) == 0 {
				return exchanged
			}
			v := a.boundary[a.r.Below(len(a.boundary))]
			parts, conn := s.Row(v)
			i := a.r.Below(len(parts))
			from, to := s.Part[v], parts[i]
			if to == from || s.Count[from] == 1 {
				continue
			}
			before, cut, over, pieces := slices.Clone(s.Part), s.Cut, a.over, len(graph.Pieces(s.Graph, s.Part))
			a.exchange(v, to, s.Connection(v, from)-conn[i], allowed)
			moved := 0
			for u, p := range before {
				if s.Part[u] != p {
					moved++
				}
			}
			if moved != 0 && (moved != 2 || s.Part[v] != to) {
				t.Fatalf("%d vertices moved", moved)
			}
			if cost := float64(s.Cut-cut) + a.price*float64(a.over-over); moved > 0 && cost > allowed+1e-6 {
				t.Fatalf("it cost %g; allowed were %g", cost, allowed)
			}
			if now := len(graph.Pieces(s.Graph, s.Part)); connected && now > pieces {
				t.Fatalf("%d pieces became %d", pieces, now)
			}
			if a.over != s.Overload() {
				t.Fatalf("overload %d; kept is %d", s.Overload(), a.over)
			}
			exchanged += moved / 2
		}
		for v, p := range fixed {
			if p >= 0 && s.Part[v] != p {
				t.Fatalf("vertex %d is fixed to part %d and was moved to %d", v, p, s.Part[v])
			}
		}
		checkState(t, s)
		return exchanged
	}
	rapid.Check(t, func(t *rapid.T) { keepsItsWord(t) })
	// The same in every run, so that chance does not decide.
	exchanged := 0
	for seed := range 40 {
		exchanged += rapid.Custom(keepsItsWord).Example(seed)
	}
	if exchanged == 0 {
		t.Error("nothing was exchanged: this test shows nothing")
	}
}

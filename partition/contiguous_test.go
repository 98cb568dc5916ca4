package partition

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawState draws a partition of a small graph under refinement, with limits
// about its weights.
func drawState(t *rapid.T) *state {
	g := drawFamily(t).weighted()
	for g.Vertices() == 0 {
		g = fromEdges(1, nil).weighted()
	}
	n := g.Vertices()
	for v := range g.VertexWeights {
		g.VertexWeights[v] = min(g.VertexWeights[v], 1<<20)
	}
	for e := range g.EdgeWeights {
		g.EdgeWeights[e] = min(g.EdgeWeights[e], 1<<20)
	}
	k := rapid.IntRange(1, min(5, n)).Draw(t, "k")
	parts := rapid.SliceOfN(rapid.Int32Range(0, int32(k)-1), n, n).Draw(t, "parts")
	limit := make([]int64, k)
	for p := range limit {
		limit[p] = g.TotalVertexWeight()/int64(k) + rapid.Int64Range(0, 5).Draw(t, "slack")
	}
	var distance [][]int64
	if k == 4 && rapid.Bool().Draw(t, "mapped") {
		distance = [][]int64{{0, 1, 7, 7}, {1, 0, 7, 7}, {7, 7, 0, 1}, {7, 7, 1, 0}}
	}
	return newState(&level{g: g}, parts, limit, distance)
}

// piecesWithout lists the connected pieces of v's part without v that have a
// neighbour of v, by definition.
func piecesWithout(s *state, v int32) [][]int32 {
	parts := slices.Clone(s.part)
	parts[v] = int32(s.k)
	var pieces [][]int32
	for _, piece := range fragments(s.g, parts) {
		near := func(u int32) bool { return slices.Contains(s.g.Neighbours[s.g.Offsets[v]:s.g.Offsets[v+1]], u) }
		if parts[piece[0]] == s.part[v] && slices.ContainsFunc(piece, near) {
			pieces = append(pieces, piece)
		}
	}
	return pieces
}

func TestWithoutFindsWhatBreaksOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		v := rapid.Int32Range(0, int32(len(s.part))-1).Draw(t, "vertex")
		got, ok := newConnectivity(s).without(v)
		if !ok {
			t.Fatal("out of budget on a graph smaller than it")
		}
		pieces := piecesWithout(s, v)
		lost := map[int32]bool{}
		for _, u := range got {
			lost[u] = true
		}
		// All pieces but one, whole.
		kept := 0
		for _, piece := range pieces {
			n := 0
			for _, u := range piece {
				if lost[u] {
					n++
				}
			}
			switch n {
			case 0:
				kept++
			case len(piece):
			default:
				t.Fatalf("%v of piece %v would break off", got, piece)
			}
		}
		if len(pieces) > 0 && kept != 1 {
			t.Fatalf("%d of pieces %v are kept, breaking off are %v", kept, pieces, got)
		}
	})
}

func TestBranchGainIsForetold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		v := rapid.Int32Range(0, int32(len(s.part))-1).Draw(t, "vertex")
		from := s.part[v]
		pieces, _ := newConnectivity(s).without(v)
		b := newBranch(s)
		if !b.set(s, v, pieces) {
			t.Fatal("nothing is fixed")
		}
		to, gain := b.best(s, from, func(int32) bool { return true })
		if to < 0 {
			return
		}
		before, weight := s.cut, s.weight[to]
		for _, u := range b.vertices {
			s.move(u, to)
		}
		if s.cut != before-gain || s.weight[to] != weight+b.weight {
			t.Fatalf("gain %d and weight %d foretold; the cut went from %d to %d, the weight from %d to %d", gain, b.weight, before, s.cut, weight, s.weight[to])
		}
	})
}

// Passing weight on must break no part and not raise the overload.
func TestChainsKeepPartsConnected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		pieces, over := len(fragments(s.g, s.part)), s.overload()
		relieveAlongChains(s, newConnectivity(s), newBranch(s), never)
		if now := len(fragments(s.g, s.part)); now > pieces {
			t.Fatalf("%d pieces became %d", pieces, now)
		}
		if s.overload() > over {
			t.Fatalf("overload %d became %d", over, s.overload())
		}
	})
}

// On a path the only way from the overloaded end to the room at the other
// leads through all parts.
func TestChainsPassThroughFullParts(t *testing.T) {
	g := fromEdges(40, pathEdges(40)).weighted()
	parts := make([]int32, 40)
	for v := range parts {
		parts[v] = int32(max(v-4, 0) / 9) // 13, 9, 9, 9
	}
	s := newState(&level{g: g}, parts, []int64{10, 10, 10, 10}, nil)
	relieveAlongChains(s, newConnectivity(s), newBranch(s), never)
	if s.overload() > 0 || s.cut != 3 {
		t.Errorf("weights %v, cut %d; want 10 each and 3", s.weight, s.cut)
	}
}

func TestCorridorIsShortest(t *testing.T) {
	// Two rooms of part 0 at the ends of a hall of part 1, which is 5 wide and
	// 9 long: a corridor along a wall cuts 9 edges more, in the middle 18 less
	// the ends'.
	g := gridGraph(11, 5, 1).weighted()
	parts := make([]int32, 55)
	for v := range parts {
		if x := v % 11; x > 0 && x < 10 {
			parts[v] = 1
		}
	}
	s := newState(&level{g: g}, parts, []int64{55, 55}, nil)
	before := s.cut
	pieces := fragmentsByPart(s)[0]
	if len(pieces) != 2 || !layCorridor(s, pieces[1], never) {
		t.Fatalf("no corridor between %v", pieces)
	}
	if DisconnectedPartsOf(g, s.part, 2) != 0 {
		t.Error("a part is broken")
	}
	// Along the wall: 9 edges cut anew, and one at each end no longer.
	if s.cut != before+9-2 {
		t.Errorf("the cut rose from %d to %d, want %d", before, s.cut, before+7)
	}
}

// Flow moves that break parts are mended or refused.
func TestMendLeavesNothingBroken(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawState(t)
		joinFragments(s, false, never)
		pieces := len(fragments(s.g, s.part))
		var moves []moved
		var pair [2]int32
		for range rapid.IntRange(1, 6).Draw(t, "moves") {
			v := rapid.Int32Range(0, int32(len(s.part))-1).Draw(t, "vertex")
			parts, _ := s.row(v)
			if len(parts) == 0 {
				continue
			}
			to := parts[rapid.IntRange(0, len(parts)-1).Draw(t, "to")]
			if to != s.part[v] && s.count[s.part[v]] > 1 && (len(moves) == 0 || to == pair[0] && s.part[v] == pair[1] || to == pair[1] && s.part[v] == pair[0]) {
				pair = [2]int32{s.part[v], to}
				moves = append(moves, moved{v, s.part[v]})
				s.move(v, to)
			}
		}
		if len(moves) == 0 {
			return
		}
		if _, mended := newConnectivity(s).mend(pair, moves); mended && len(fragments(s.g, s.part)) > pieces {
			t.Fatalf("%d pieces became %d", pieces, len(fragments(s.g, s.part)))
		}
	})
}

// On a mesh parts are nearly connected anyway: asking for it must cost next to
// nothing, and every part be in one piece, whatever else is asked for.
func TestContiguousCostsLittleOnAMesh(t *testing.T) {
	g := gridGraph(12, 11, 9)
	for _, preset := range []Preset{Fast, Eco} {
		opt := Options{Parts: 12, Imbalance: 0.03, Preset: preset}
		free := mustPartition(t, g, opt)
		opt.Contiguous = true
		res := mustPartition(t, g, opt)
		checkResult(t, g, opt, res)
		if res.DisconnectedParts > 0 || !res.Feasible || float64(res.Cut) > 1.05*float64(free.Cut) {
			t.Errorf("%v: cut %d, %d disconnected, feasible %v; free cut %d", preset, res.Cut, res.DisconnectedParts, res.Feasible, free.Cut)
		}
		moved := opt
		moved.Previous, moved.MigrationCosts = res.Parts, make([]int64, g.Vertices())
		for v := range moved.MigrationCosts {
			moved.MigrationCosts[v] = 1
		}
		g := *g
		g.VertexWeights = ones(g.Vertices())
		for v := range 130 {
			g.VertexWeights[v] = 2
		}
		res = mustPartition(t, &g, moved)
		checkResult(t, &g, moved, res)
		if res.DisconnectedParts > 0 || !res.Feasible {
			t.Errorf("%v, repartitioned: %d disconnected, feasible %v", preset, res.DisconnectedParts, res.Feasible)
		}
	}
}

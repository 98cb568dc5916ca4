package refine

import (
	"carina/internal/parallel"
	"carina/internal/random"
)

// FM is the k-way Fiduccia–Mattheyses refinement: searches move vertices by
// gain, best first, and are rolled back to their best point; first a few from
// the whole boundary at once, then localised ones with multiple tries (Sanders
// and Schulz 2011), a small one from every boundary vertex in turn. A vertex
// moves at most once per round.
type FM struct {
	s     *State
	r     *random.Source
	queue *Queue
	// locked[v] equals stamp when v has moved in this round.
	locked []int32
	stamp  int32
	moves  []Moved
	seeds  []int32
	over   int64 // current overload
	// patience is the number of moves without improvement after which a
	// localised search ends.
	patience int
	// Global says what comes before the localised searches.
	Global GlobalSearch
	// Slack is how far a part may pass its limit during a search.
	Slack int64
	// connected and branch, if set, allow only moves that leave parts
	// connected.
	connected *Connectivity
	branch    *branch
	stop      func() bool
	// Workers, if set, search groups of parts side by side on large graphs.
	Workers  *parallel.Workers
	ofVertex []int32 // scratch for regions
	// kept collects, if keep is set, the moves not undone.
	keep bool
	kept []Moved
}

// Moved records one move for rolling back.
type Moved struct {
	V, From int32 // the vertex and the part it was in
}

// NewFM sets up searches in s; localised ones end after patience moves without
// improvement.
func NewFM(s *State, r *random.Source, patience int, stop func() bool) *FM {
	n := len(s.Part)
	return &FM{s: s, r: r, queue: NewQueue(n), locked: make([]int32, n), patience: patience, stop: stop}
}

// bestMove returns the part where v gains most among those with room, or -1.
func (f *FM) bestMove(v int32) (int32, int64) {
	s := f.s
	from := s.Part[v]
	if s.Count[from] == 1 || s.IsFixed(v) {
		return -1, 0
	}
	if s.Distance != nil {
		return f.bestMappedMove(v)
	}
	w := s.Graph.VertexWeights[v]
	parts, conn := s.Row(v)
	best, bestConn, inner, outside := int32(-1), int64(-1), int64(0), int64(-1)
	for i, p := range parts {
		if p == from {
			inner = conn[i]
			continue
		}
		if conn[i] < bestConn {
			continue
		}
		if !s.region.holds(p) {
			outside = max(outside, conn[i])
			continue
		}
		if s.Weight[p]+w > s.Limit[p]+f.Slack {
			continue
		}
		if conn[i] > bestConn || s.Limit[p]-s.Weight[p] > s.Limit[best]-s.Weight[best] {
			best, bestConn = p, conn[i]
		}
	}
	if outside > bestConn {
		return -1, 0 // its turn comes when that part is in the group
	}
	return best, bestConn - inner
}

// bestMappedMove is bestMove with distances between parts.
func (f *FM) bestMappedMove(v int32) (int32, int64) {
	s := f.s
	from, w := s.Part[v], s.Graph.VertexWeights[v]
	parts, conn := s.Row(v)
	best, bestGain := int32(-1), int64(0)
	for _, p := range parts {
		if p == from || s.Weight[p]+w > s.Limit[p]+f.Slack {
			continue
		}
		if gain := s.mappedGain(parts, conn, from, p); best < 0 || gain > bestGain {
			best, bestGain = p, gain
		}
	}
	return best, bestGain
}

// GlobalSearch sets how many searches over the whole boundary at once there are
// at most, and the moves without improvement that end one.
type GlobalSearch struct{ rounds, patience int }

// Searches over the whole boundary see farther than localised ones. Bisections
// gain by it, since all parts come from them, and graphs with hubs gain most:
// there a few steps lead anywhere.
var (
	GlobalInBisections = GlobalSearch{rounds: 4, patience: 100}
	GlobalWithHubs     = GlobalSearch{rounds: 10, patience: 2000}
)

// Refine runs up to rounds rounds of localised searches, of some partitions
// others over the whole boundary before, of either kind no more when one gains
// nothing. In groups, where a vertex may move several times in a round, it runs
// one less.
func (f *FM) Refine(rounds int) {
	f.repeat(f.Global.rounds, f.globalRound)
	if f.mayGroup() {
		f.repeat(max(rounds-1, 1), f.roundInGroups)
		return
	}
	f.repeat(rounds, f.round)
}

// repeat runs round up to times times, until one gains nothing.
func (f *FM) repeat(times int, round func()) {
	for i := 0; i < times && !f.stop(); i++ {
		before, overBefore := f.s.Cut, f.s.Overload()
		round()
		if f.s.Cut >= before && f.over >= overBefore {
			return
		}
	}
}

// globalRound is one search that starts from all of the boundary (Fiduccia and
// Mattheyses 1982).
func (f *FM) globalRound() {
	f.begin()
	for i, v := range f.seeds {
		if i%parallel.CheckEvery == 0 && f.stop() {
			break
		}
		if to, gain := f.bestMove(v); to >= 0 {
			f.queue.Set(v, gain)
		}
	}
	f.search(f.Global.patience)
}

// begin starts a round: all vertices may move, the boundary is in random order.
func (f *FM) begin() {
	f.stamp++
	f.over = f.s.Overload()
	f.seeds = f.s.boundary(f.seeds[:0])
	f.r.Shuffle(f.seeds)
}

// round starts one search from every boundary vertex that has not moved yet.
func (f *FM) round() {
	f.begin()
	f.searchFrom(f.seeds)
}

// searchFrom starts a search from each of the seeds that has not moved yet.
func (f *FM) searchFrom(seeds []int32) {
	for _, v := range seeds {
		if f.locked[v] == f.stamp {
			continue
		}
		if to, gain := f.bestMove(v); to >= 0 {
			f.queue.Set(v, gain)
			f.search(f.patience)
			if f.stop() {
				return
			}
		}
	}
}

// search moves vertices from the queue until it is empty or patience ends,
// then undoes what came after the best point.
func (f *FM) search(patience int) {
	s := f.s
	f.moves = f.moves[:0]
	startOver := f.over
	bestCut, bestOver, bestLength := s.Cut, f.over, 0
	for idle := 0; !f.queue.Empty() && idle < patience && !f.stop(); {
		v, key := f.queue.Top()
		f.queue.Remove(v)
		to, gain := f.bestMove(v)
		if to < 0 {
			continue
		}
		if gain < key {
			f.queue.Set(v, gain)
			continue
		}
		if f.connected == nil {
			f.apply(v, to)
		} else if !f.moveBranch(v, to, key) {
			continue
		}
		idle++
		if f.over < bestOver || f.over == bestOver && s.Cut < bestCut {
			bestCut, bestOver, bestLength = s.Cut, f.over, len(f.moves)
			idle = 0
		}
		f.touchNeighbours(v)
	}
	f.queue.Clear()
	for i := len(f.moves) - 1; i >= bestLength; i-- {
		m := f.moves[i]
		s.Move(m.V, m.From)
	}
	if f.keep {
		f.kept = append(f.kept, f.moves[:bestLength]...)
	}
	if bestLength == 0 {
		f.over = startOver
	} else {
		f.over = bestOver
	}
}

func (f *FM) apply(v, to int32) {
	s := f.s
	from := s.Part[v]
	f.over -= max(s.Weight[from]-s.Limit[from], 0) + max(s.Weight[to]-s.Limit[to], 0)
	f.moves = append(f.moves, Moved{v, from})
	f.locked[v] = f.stamp
	s.Move(v, to)
	f.over += max(s.Weight[from]-s.Limit[from], 0) + max(s.Weight[to]-s.Limit[to], 0)
}

func (f *FM) touchNeighbours(v int32) {
	g := f.s.Graph
	for _, u := range g.NeighboursOf(v) {
		if f.s.region.isOutside(u) || f.locked[u] == f.stamp {
			continue
		}
		if to, gain := f.bestMove(u); to >= 0 {
			f.queue.Set(u, gain)
		} else if f.queue.contains(u) {
			f.queue.Remove(u)
		}
	}
}

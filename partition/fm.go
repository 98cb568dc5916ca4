package partition

// fm is the k-way Fiduccia–Mattheyses refinement: searches move vertices by
// gain, best first, and are rolled back to their best point; first a few from
// the whole boundary at once, then localised ones with multiple tries (Sanders
// and Schulz 2011), a small one from every boundary vertex in turn. A vertex
// moves at most once per round.
type fm struct {
	s     *state
	r     *random
	queue *gainQueue
	// locked[v] equals stamp when v has moved in this round.
	locked []int32
	stamp  int32
	moves  []moved
	seeds  []int32
	over   int64 // current overload
	// patience is the number of moves without improvement after which a
	// localised search ends.
	patience int
	whole    wholeSearch
	// slack is how far a part may pass its limit during a search.
	slack int64
	// connected and branch, if set, allow only moves that leave parts
	// connected.
	connected *connectivity
	branch    *branch
	stop      func() bool
	// workers, if set, search groups of parts side by side on large graphs.
	workers  *workers
	ofVertex []int32 // scratch for regions
	// kept collects, if keep is set, the moves not undone.
	keep bool
	kept []moved
}

// moved records one move for rolling back.
type moved struct{ v, from int32 }

func newFM(s *state, r *random, patience int, stop func() bool) *fm {
	n := len(s.part)
	return &fm{s: s, r: r, queue: newGainQueue(n), locked: make([]int32, n), patience: patience, stop: stop}
}

// bestMove returns the part where v gains most among those with room, or -1.
func (f *fm) bestMove(v int32) (int32, int64) {
	s := f.s
	from := s.part[v]
	if s.count[from] == 1 || s.isFixed(v) {
		return -1, 0
	}
	if s.distance != nil {
		return f.bestMappedMove(v)
	}
	w := s.g.VertexWeights[v]
	parts, conn := s.row(v)
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
		if s.weight[p]+w > s.limit[p]+f.slack {
			continue
		}
		if conn[i] > bestConn || s.limit[p]-s.weight[p] > s.limit[best]-s.weight[best] {
			best, bestConn = p, conn[i]
		}
	}
	if outside > bestConn {
		return -1, 0 // its turn comes when that part is in the group
	}
	return best, bestConn - inner
}

// bestMappedMove is bestMove with distances between parts.
func (f *fm) bestMappedMove(v int32) (int32, int64) {
	s := f.s
	from, w := s.part[v], s.g.VertexWeights[v]
	parts, conn := s.row(v)
	best, bestGain := int32(-1), int64(0)
	for _, p := range parts {
		if p == from || s.weight[p]+w > s.limit[p]+f.slack {
			continue
		}
		if gain := s.mappedGain(parts, conn, from, p); best < 0 || gain > bestGain {
			best, bestGain = p, gain
		}
	}
	return best, bestGain
}

// wholeSearch sets how many searches over the whole boundary at once there are
// at most, and the moves without improvement that end one.
type wholeSearch struct{ rounds, patience int }

// Searches over the whole boundary see farther than localised ones. Bisections
// gain by it, since all parts come from them, and graphs with hubs gain most:
// there a few steps lead anywhere.
var (
	wholeOfBisection = wholeSearch{rounds: 4, patience: 100}
	wholeWithHubs    = wholeSearch{rounds: 10, patience: 2000}
)

// refine runs up to rounds rounds of localised searches, of some partitions
// others over the whole boundary before, of either kind no more when one gains
// nothing. In groups, where a vertex may move several times in a round, it runs
// one less.
func (f *fm) refine(rounds int) {
	f.repeat(f.whole.rounds, f.roundOfWhole)
	if f.mayGroup() {
		f.repeat(max(rounds-1, 1), f.roundInGroups)
		return
	}
	f.repeat(rounds, f.round)
}

// repeat runs round up to times times, until one gains nothing.
func (f *fm) repeat(times int, round func()) {
	for i := 0; i < times && !f.stop(); i++ {
		before, overBefore := f.s.cut, f.s.overload()
		round()
		if f.s.cut >= before && f.over >= overBefore {
			return
		}
	}
}

// roundOfWhole is one search that starts from all of the boundary (Fiduccia and
// Mattheyses 1982).
func (f *fm) roundOfWhole() {
	f.begin()
	for i, v := range f.seeds {
		if i%lookout == 0 && f.stop() {
			break
		}
		if to, gain := f.bestMove(v); to >= 0 {
			f.queue.set(v, gain)
		}
	}
	f.search(f.whole.patience)
}

// begin starts a round: all vertices may move, the boundary is in random order.
func (f *fm) begin() {
	f.stamp++
	f.over = f.s.overload()
	f.seeds = f.s.boundary(f.seeds[:0])
	f.r.shuffle(f.seeds)
}

// round starts one search from every boundary vertex that has not moved yet.
func (f *fm) round() {
	f.begin()
	f.searchFrom(f.seeds)
}

// searchFrom starts a search from each of the seeds that has not moved yet.
func (f *fm) searchFrom(seeds []int32) {
	for _, v := range seeds {
		if f.locked[v] == f.stamp {
			continue
		}
		if to, gain := f.bestMove(v); to >= 0 {
			f.queue.set(v, gain)
			f.search(f.patience)
			if f.stop() {
				return
			}
		}
	}
}

// search moves vertices from the queue until it is empty or patience ends,
// then undoes what came after the best point.
func (f *fm) search(patience int) {
	s := f.s
	f.moves = f.moves[:0]
	startOver := f.over
	bestCut, bestOver, bestLength := s.cut, f.over, 0
	for idle := 0; !f.queue.empty() && idle < patience && !f.stop(); {
		v, key := f.queue.top()
		f.queue.remove(v)
		to, gain := f.bestMove(v)
		if to < 0 {
			continue
		}
		if gain < key {
			f.queue.set(v, gain)
			continue
		}
		if f.connected == nil {
			f.apply(v, to)
		} else if !f.moveBranch(v, to, key) {
			continue
		}
		idle++
		if f.over < bestOver || f.over == bestOver && s.cut < bestCut {
			bestCut, bestOver, bestLength = s.cut, f.over, len(f.moves)
			idle = 0
		}
		f.touchNeighbours(v)
	}
	f.queue.clear()
	for i := len(f.moves) - 1; i >= bestLength; i-- {
		m := f.moves[i]
		s.move(m.v, m.from)
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

func (f *fm) apply(v, to int32) {
	s := f.s
	from := s.part[v]
	f.over -= max(s.weight[from]-s.limit[from], 0) + max(s.weight[to]-s.limit[to], 0)
	f.moves = append(f.moves, moved{v, from})
	f.locked[v] = f.stamp
	s.move(v, to)
	f.over += max(s.weight[from]-s.limit[from], 0) + max(s.weight[to]-s.limit[to], 0)
}

func (f *fm) touchNeighbours(v int32) {
	g := f.s.g
	for _, u := range g.Neighbours[g.Offsets[v]:g.Offsets[v+1]] {
		if f.s.region.isOutside(u) || f.locked[u] == f.stamp {
			continue
		}
		if to, gain := f.bestMove(u); to >= 0 {
			f.queue.set(u, gain)
		} else if f.queue.contains(u) {
			f.queue.remove(u)
		}
	}
}

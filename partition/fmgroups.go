package partition

import (
	"cmp"
	"slices"
)

// region confines a state to one of several groups of parts, so that groups
// can be refined side by side: vertices move only between parts of their
// group, and what a move changes for vertices of other groups is made up for
// afterwards ([fm.settleAccounts]).
type region struct {
	own      int32
	ofPart   []int32 // group of each part
	ofVertex []int32 // group of each vertex, which no move changes
}

// holds tells whether part p is of the group.
func (r *region) holds(p int32) bool { return r == nil || r.ofPart[p] == r.own }

// isOutside tells whether v is of another group.
func (r *region) isOutside(v int32) bool { return r != nil && r.ofVertex[v] != r.own }

// Grouping parts pays from fewestToGroup vertices on. Several groupings leave
// little of the boundary to the search on one processor that ends a round;
// groups of fewer parts than smallestWorth would leave more.
const (
	fewestToGroup = 50_000
	groupings     = 3
	groupsWanted  = 8
	smallestWorth = 4
)

// mayGroup tells whether rounds may work on groups of parts side by side: the
// moves then must change nothing but the cut between two parts, and the graph
// be worth it. It does not depend on the number of workers.
func (f *fm) mayGroup() bool {
	s := f.s
	return f.workers != nil && f.connected == nil && s.distance == nil && s.k >= 4 && len(s.part) >= fewestToGroup
}

// roundInGroups is round by groups of adjacent parts: of several groupings in
// turn the groups are searched side by side, each within itself, and at last
// whatever lies between parts that were in no group together. A vertex may move
// once in each.
func (f *fm) roundInGroups() {
	s := f.s
	f.seeds = s.boundaryRows(f.seeds[:0], f.workers, f.stop)
	f.r.shuffleRuns(f.seeds)
	ties := quotientTies(s, f.seeds, f.stop)
	if f.stop() {
		return
	}
	var tried [][]int32
	for range groupings {
		group, groups := groupByTies(ties, s.k, tried, f.r)
		f.stamp++
		f.searchGroups(group, groups)
		tried = append(tried, group)
		if f.stop() {
			return
		}
	}
	apart := func(v int32) bool {
		p := s.part[v]
		parts, _ := s.row(v)
		return slices.ContainsFunc(parts, func(q int32) bool { return p != q && !together(tried, p, q) })
	}
	f.stamp++
	f.over = s.overload()
	f.searchFrom(slices.DeleteFunc(f.seeds, func(v int32) bool { return !apart(v) }))
}

// together tells whether two parts were of one group.
func together(groupings [][]int32, p, q int32) bool {
	return slices.ContainsFunc(groupings, func(group []int32) bool { return group[p] == group[q] })
}

// tie is the cut between two parts, as seen from the boundary.
type tie struct {
	p, q   int32
	weight int64
}

// quotientTies lists the pairs of parts that the vertices connect, or some of
// them when stopped.
func quotientTies(s *state, vertices []int32, stop func() bool) []tie {
	place := make(map[int64]int)
	var ties []tie
	for i, v := range vertices {
		if i%lookout == 0 && stop() {
			break
		}
		p := s.part[v]
		parts, conn := s.row(v)
		for i, q := range parts {
			if q <= p {
				continue
			}
			pair := int64(p)*int64(s.k) + int64(q)
			at, ok := place[pair]
			if !ok {
				at = len(ties)
				place[pair] = at
				ties = append(ties, tie{p: p, q: q})
			}
			ties[at].weight += conn[i]
		}
	}
	return ties
}

// groupByTies joins parts to groups along the heaviest ties, a little at
// random, between parts that have not been together.
func groupByTies(ties []tie, k int, tried [][]int32, r *random) (group []int32, groups int) {
	type candidate struct {
		tie
		order float64
	}
	var candidates []candidate
	for _, x := range ties {
		chance := 1 + float64(r.below(1024))/1024
		if !together(tried, x.p, x.q) {
			candidates = append(candidates, candidate{x, chance * float64(x.weight)})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.order, a.order) })
	most := max(smallestWorth, (k+groupsWanted-1)/groupsWanted)
	leader, size := make([]int32, k), make([]int, k)
	for p := range leader {
		leader[p], size[p] = int32(p), 1
	}
	find := func(p int32) int32 {
		for leader[p] != p {
			leader[p] = leader[leader[p]]
			p = leader[p]
		}
		return p
	}
	for _, x := range candidates {
		if a, b := find(x.p), find(x.q); a != b && size[a]+size[b] <= most {
			leader[b] = a
			size[a] += size[b]
		}
	}
	number := make([]int32, k)
	group = make([]int32, k)
	for p := range group {
		a := find(int32(p))
		if number[a] == 0 {
			groups++
			number[a] = int32(groups)
		}
		group[p] = number[a] - 1
	}
	return group, groups
}

// searchGroups searches from the seeds of every group, side by side.
func (f *fm) searchGroups(group []int32, groups int) {
	s := f.s
	seeds := make([][]int32, groups)
	for _, v := range f.seeds {
		g := group[s.part[v]]
		seeds[g] = append(seeds[g], v)
	}
	f.ofVertex = resize(f.ofVertex, len(s.part))
	f.workers.ranges(len(s.part), func(begin, end int) {
		for v := begin; v < end; v++ {
			f.ofVertex[v] = group[s.part[v]]
		}
	})
	searches := make([]*fm, groups)
	f.workers.each(groups, func(i int) {
		confined := *s
		// Groups that count next to each other would share cache lines.
		confined.weight, confined.count = slices.Clone(s.weight), slices.Clone(s.count)
		confined.region = &region{own: int32(i), ofPart: group, ofVertex: f.ofVertex}
		search := *f
		search.s, search.moves = &confined, nil
		search.queue = &gainQueue{position: f.queue.position}
		search.over = confined.overload()
		search.keep = true
		search.searchFrom(seeds[i])
		searches[i] = &search
	})
	f.settleAccounts(searches)
}

// settleAccounts makes up for what searches in groups left out: the cut, and
// what vertices of one group know of moves in others. When stopped it lets all
// vertices forget what they know.
func (f *fm) settleAccounts(searches []*fm) {
	s := f.s
	cut := s.cut
	for _, search := range searches {
		s.cut += search.s.cut - cut
		for p := range s.weight {
			if search.s.region.holds(int32(p)) {
				s.weight[p], s.count[p] = search.s.weight[p], search.s.count[p]
			}
		}
	}
	for _, search := range searches {
		for i, m := range search.kept {
			if i%lookout == 0 && f.stop() {
				s.forgetRows()
				return
			}
			for e := s.g.Offsets[m.v]; e < s.g.Offsets[m.v+1]; e++ {
				if u := s.g.Neighbours[e]; search.s.region.isOutside(u) && s.rowLen[u] >= 0 {
					s.shiftRow(u, m.from, s.part[m.v], s.g.EdgeWeights[e])
				}
			}
		}
	}
}

// boundaryRows appends all vertices with a neighbour in another part to list
// and builds their rows, or of some of them when stopped.
func (s *state) boundaryRows(list []int32, w *workers, stop func() bool) []int32 {
	n := len(s.part)
	found := make([][]int32, (n+stretch-1)/stretch)
	w.ranges(n, func(begin, end int) {
		if stop() {
			return
		}
		var some []int32
		for v := int32(begin); int(v) < end; v++ {
			if s.isBoundary(v) {
				some = append(some, v)
				s.row(v)
			}
		}
		found[begin/stretch] = some
	})
	for _, some := range found {
		list = append(list, some...)
	}
	return list
}

package refine

import (
	"cmp"
	"slices"

	"carina/internal/parallel"
	"carina/internal/random"
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
func (f *FM) mayGroup() bool {
	s := f.s
	return f.Workers != nil && f.connected == nil && s.Distance == nil && s.K >= 4 && len(s.Part) >= fewestToGroup
}

// roundInGroups is round by groups of adjacent parts: of several groupings in
// turn the groups are searched side by side, each within itself, and at last
// whatever lies between parts that were in no group together. A vertex may move
// once in each.
func (f *FM) roundInGroups() {
	s := f.s
	f.seeds = s.boundaryRows(f.seeds[:0], f.Workers, f.stop)
	f.r.ShuffleRuns(f.seeds)
	ties := quotientTies(s, f.seeds, f.stop)
	if f.stop() {
		return
	}
	var tried [][]int32
	for range groupings {
		group, groups := groupByTies(ties, s.K, tried, f.r)
		f.stamp++
		f.searchGroups(group, groups)
		tried = append(tried, group)
		if f.stop() {
			return
		}
	}
	apart := func(v int32) bool {
		p := s.Part[v]
		parts, _ := s.Row(v)
		return slices.ContainsFunc(parts, func(q int32) bool { return p != q && !together(tried, p, q) })
	}
	f.stamp++
	f.over = s.Overload()
	f.searchFrom(slices.DeleteFunc(f.seeds, func(v int32) bool { return !apart(v) }))
}

// together tells whether two parts were of one group.
func together(groupings [][]int32, p, q int32) bool {
	return slices.ContainsFunc(groupings, func(group []int32) bool { return group[p] == group[q] })
}

// partsCut is the cut between two parts, as seen from the boundary.
type partsCut struct {
	p, q   int32
	weight int64
}

// quotientTies lists the pairs of parts that the vertices connect, or some of
// them when stopped.
func quotientTies(s *State, vertices []int32, stop func() bool) []partsCut {
	place := make(map[int64]int)
	var ties []partsCut
	for i, v := range vertices {
		if i%parallel.CheckEvery == 0 && stop() {
			break
		}
		p := s.Part[v]
		parts, conn := s.Row(v)
		for i, q := range parts {
			if q <= p {
				continue
			}
			pair := int64(p)*int64(s.K) + int64(q)
			at, ok := place[pair]
			if !ok {
				at = len(ties)
				place[pair] = at
				ties = append(ties, partsCut{p: p, q: q})
			}
			ties[at].weight += conn[i]
		}
	}
	return ties
}

// groupByTies joins parts to groups along the heaviest ties, a little at
// random, between parts that have not been together.
func groupByTies(ties []partsCut, k int, tried [][]int32, r *random.Source) (group []int32, groups int) {
	type candidate struct {
		partsCut
		order float64
	}
	var candidates []candidate
	for _, x := range ties {
		chance := 1 + float64(r.Below(1024))/1024
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
func (f *FM) searchGroups(group []int32, groups int) {
	s := f.s
	seeds := make([][]int32, groups)
	for _, v := range f.seeds {
		g := group[s.Part[v]]
		seeds[g] = append(seeds[g], v)
	}
	if f.ofVertex == nil {
		f.ofVertex = make([]int32, len(s.Part))
	}
	f.Workers.Ranges(len(s.Part), func(begin, end int) {
		for v := begin; v < end; v++ {
			f.ofVertex[v] = group[s.Part[v]]
		}
	})
	searches := make([]*FM, groups)
	f.Workers.Each(groups, func(i int) {
		confined := *s
		// Groups that count next to each other would share cache lines.
		confined.Weight, confined.Count = slices.Clone(s.Weight), slices.Clone(s.Count)
		confined.region = &region{own: int32(i), ofPart: group, ofVertex: f.ofVertex}
		search := *f
		search.s, search.moves = &confined, nil
		search.queue = &Queue{position: f.queue.position}
		search.over = confined.Overload()
		search.keep = true
		search.searchFrom(seeds[i])
		searches[i] = &search
	})
	f.settleAccounts(searches)
}

// settleAccounts makes up for what searches in groups left out: the cut, and
// what vertices of one group know of moves in others. When stopped it lets all
// vertices forget what they know.
func (f *FM) settleAccounts(searches []*FM) {
	s := f.s
	cut := s.Cut
	for _, search := range searches {
		s.Cut += search.s.Cut - cut
		for p := range s.Weight {
			if search.s.region.holds(int32(p)) {
				s.Weight[p], s.Count[p] = search.s.Weight[p], search.s.Count[p]
			}
		}
	}
	for _, search := range searches {
		for i, m := range search.kept {
			if i%parallel.CheckEvery == 0 && f.stop() {
				s.forgetRows()
				return
			}
			for e := s.Graph.Offsets[m.V]; e < s.Graph.Offsets[m.V+1]; e++ {
				if u := s.Graph.Neighbours[e]; search.s.region.isOutside(u) && s.rowLen[u] >= 0 {
					s.shiftRow(u, m.From, s.Part[m.V], s.Graph.EdgeWeights[e])
				}
			}
		}
	}
}

// boundaryRows appends all vertices with a neighbour in another part to list
// and builds their rows, or of some of them when stopped.
func (s *State) boundaryRows(list []int32, w *parallel.Workers, stop func() bool) []int32 {
	n := len(s.Part)
	found := make([][]int32, (n+parallel.ChunkLength-1)/parallel.ChunkLength)
	w.Ranges(n, func(begin, end int) {
		if stop() {
			return
		}
		var some []int32
		for v := int32(begin); int(v) < end; v++ {
			if s.IsBoundary(v) {
				some = append(some, v)
				s.Row(v)
			}
		}
		found[begin/parallel.ChunkLength] = some
	})
	for _, some := range found {
		list = append(list, some...)
	}
	return list
}

package partition

// undecided marks vertices that may yet be on either side.
const undecided = int8(-1)

// sideSettler puts vertices on the only side that two connected sides within
// the limit leave them.
type sideSettler struct {
	g           *Graph
	limit, need [2]int64 // of a side's weight: at most, at least
	side        []int8
	weight      [2]int64 // of the vertices on a side
	settled     [2][]int32

	// About a depth-first search through what is not on the other side.
	order       []int32 // by vertex, from 1; 0 if not reached
	low         []int32 // least order that the vertices below reach
	parent      []int32
	preorder    []int32
	below       []int64 // weight of the vertices below and the vertex
	fixed       []int32 // how many of them are on the side
	cutOff      []int64 // weight that breaks off without the vertex
	cutOffFixed []bool  // a vertex on the side breaks off
	next        []int64
	stack       []int32
}

func newSideSettler(g *Graph, limits [2]int64) *sideSettler {
	n, total := g.Vertices(), g.TotalVertexWeight()
	return &sideSettler{g: g, limit: limits, need: [2]int64{total - limits[1], total - limits[0]}, order: make([]int32, n), low: make([]int32, n), parent: make([]int32, n),
		below: make([]int64, n), fixed: make([]int32, n), cutOff: make([]int64, n), cutOffFixed: make([]bool, n), next: make([]int64, n)}
}

// settle puts vertices on the sides given and then on those that follow, all
// of which it leaves in settled; it is false if no two sides are left.
func (s *sideSettler) settle(side []int8) bool {
	s.side = side
	s.weight = [2]int64{}
	s.settled = [2][]int32{}
	for v, p := range side {
		if p != undecided {
			s.weight[p] += s.g.VertexWeights[v]
		}
	}
	for {
		before := len(s.settled[0]) + len(s.settled[1])
		if !s.byWeight() {
			return false
		}
		for p := range int8(2) {
			if !s.byConnection(p) {
				return false
			}
		}
		if s.tooHeavy() {
			return false
		}
		if before == len(s.settled[0])+len(s.settled[1]) {
			return true
		}
	}
}

func (s *sideSettler) put(v int32, side int8) {
	s.side[v] = side
	s.weight[side] += s.g.VertexWeights[v]
	s.settled[side] = append(s.settled[side], v)
}

func (s *sideSettler) tooHeavy() bool {
	return s.weight[0] > s.limit[0] || s.weight[1] > s.limit[1]
}

// byWeight settles the vertices that are too heavy for a side.
func (s *sideSettler) byWeight() bool {
	for v, p := range s.side {
		if p != undecided {
			continue
		}
		w := s.g.VertexWeights[v]
		fits := [2]bool{s.weight[0]+w <= s.limit[0], s.weight[1]+w <= s.limit[1]}
		switch {
		case !fits[0] && !fits[1]:
			return false
		case !fits[0]:
			s.put(int32(v), 1)
		case !fits[1]:
			s.put(int32(v), 0)
		}
	}
	return !s.tooHeavy()
}

// byConnection settles what the connection of a side demands: it lies within
// one component of what is not on the other side, and holds the vertices without
// which it would break or be too light.
func (s *sideSettler) byConnection(side int8) bool {
	clear(s.order)
	s.preorder = s.preorder[:0]
	anyFixed := false
	for v, p := range s.side {
		if p == side {
			if s.order[v] == 0 {
				if anyFixed {
					return false // in two components
				}
				s.search(int32(v), side)
				anyFixed = true
			}
		}
	}
	if anyFixed {
		component := s.preorder
		for v, p := range s.side {
			if p == undecided && s.order[v] == 0 {
				s.put(int32(v), 1-side)
			}
		}
		total := s.below[component[0]]
		if total < s.need[side] {
			return false
		}
		for _, v := range component {
			if s.side[v] == undecided && (s.cutOffFixed[v] || total-s.cutOff[v]-s.g.VertexWeights[v] < s.need[side]) {
				s.put(v, side)
			}
		}
		return true
	}
	possible := false
	for v, p := range s.side {
		if p != undecided || s.order[v] != 0 {
			continue
		}
		begin := len(s.preorder)
		s.search(int32(v), side)
		if s.below[v] >= s.need[side] {
			possible = true
			continue
		}
		for _, u := range s.preorder[begin:] {
			s.put(u, 1-side)
		}
	}
	return possible
}

// search goes depth first through the component of the root among vertices not
// on the other side and appends them to preorder (Hopcroft and Tarjan 1973).
func (s *sideSettler) search(root int32, side int8) {
	g := s.g
	reach := func(v, parent int32) {
		s.preorder = append(s.preorder, v)
		s.order[v] = int32(len(s.preorder))
		s.low[v], s.parent[v] = s.order[v], parent
		s.below[v], s.cutOff[v], s.cutOffFixed[v] = g.VertexWeights[v], 0, false
		s.fixed[v] = 0
		if s.side[v] == side {
			s.fixed[v] = 1
		}
		s.next[v] = g.Offsets[v]
		s.stack = append(s.stack, v)
	}
	s.stack = s.stack[:0]
	reach(root, -1)
	for len(s.stack) > 0 {
		v := s.stack[len(s.stack)-1]
		if s.next[v] < g.Offsets[v+1] {
			u := g.Neighbours[s.next[v]]
			s.next[v]++
			switch {
			case s.side[u] == 1-side || u == s.parent[v]:
			case s.order[u] == 0:
				reach(u, v)
			default:
				s.low[v] = min(s.low[v], s.order[u])
			}
			continue
		}
		s.stack = s.stack[:len(s.stack)-1]
		p := s.parent[v]
		if p < 0 {
			continue
		}
		s.low[p] = min(s.low[p], s.low[v])
		s.below[p] += s.below[v]
		s.fixed[p] += s.fixed[v]
		if s.low[v] >= s.order[p] {
			s.cutOff[p] += s.below[v]
			s.cutOffFixed[p] = s.cutOffFixed[p] || s.fixed[v] > 0
		}
	}
}

package refine

import (
	"carina/partition/graph"
)

// State is a partition of one level's graph under refinement. It keeps, for
// the vertices that have been looked at, the edge weight from the vertex to
// every part it touches (a sparse gain table), and updates it on every move.
type State struct {
	Graph *graph.Graph // with weights stored
	// Fixed holds for each vertex the part it must be in or -1; nil if none is
	// fixed.
	Fixed []int32
	// K is the number of parts, and Part that of each vertex.
	K    int
	Part []int32
	// Weight and Limit of each part. Count is its number of vertices, which
	// guards against emptying it.
	Weight, Limit []int64
	Count         []int32
	// Cut is the weight of the edges between parts, or with distances, Σ weight
	// × distance over them.
	Cut      int64
	Distance [][]int64 // between parts; nil means 1
	// Sizes are what vertices send to each other part beside them; nil means 1.
	Sizes []int64
	// Row v of the gain table occupies Offsets[v] onward: no vertex touches
	// more parts than it has neighbours. rowLen is -1 where not built.
	rowLen  []int32
	rowPart []int32
	rowConn []int64
	// region, if set, confines moves to a group of parts.
	region *region
}

// NewState takes over part, which it will change.
func NewState(g *graph.Graph, fixed, part []int32, limit []int64, distance [][]int64) *State {
	n, k := g.Vertices(), len(limit)
	s := &State{Graph: g, Fixed: fixed, K: k, Distance: distance, Part: part, Limit: limit,
		Weight: make([]int64, k), Count: make([]int32, k), rowLen: make([]int32, n),
		rowPart: make([]int32, len(g.Neighbours)), rowConn: make([]int64, len(g.Neighbours))}
	s.forgetRows()
	s.recount()
	return s
}

// forgetRows empties the gain table.
func (s *State) forgetRows() {
	for v := range s.rowLen {
		s.rowLen[v] = -1
	}
}

// recount recomputes part weights, counts and the cut from part.
func (s *State) recount() {
	clear(s.Weight)
	clear(s.Count)
	var cut int64
	for v, p := range s.Part {
		s.Weight[p] += s.Graph.VertexWeights[v]
		s.Count[p]++
		for e := s.Graph.Offsets[v]; e < s.Graph.Offsets[v+1]; e++ {
			if q := s.Part[s.Graph.Neighbours[e]]; q == p {
				continue
			} else if s.Distance != nil {
				cut += s.Graph.EdgeWeights[e] * s.Distance[p][q]
			} else {
				cut += s.Graph.EdgeWeights[e]
			}
		}
	}
	s.Cut = cut / 2
}

// Reset replaces the partition by part (copied) and forgets the gain table.
func (s *State) Reset(part []int32) {
	copy(s.Part, part)
	s.forgetRows()
	s.recount()
}

// IsFixed tells whether v must stay where it is.
func (s *State) IsFixed(v int32) bool { return s.Fixed != nil && s.Fixed[v] >= 0 }

// Row returns the parts v touches and the edge weight to each, in no order.
func (s *State) Row(v int32) ([]int32, []int64) {
	begin := s.Graph.Offsets[v]
	length := s.rowLen[v]
	if length < 0 {
		length = s.buildRow(v)
	}
	end := begin + int64(length)
	return s.rowPart[begin:end], s.rowConn[begin:end]
}

func (s *State) buildRow(v int32) int32 {
	begin, end := s.Graph.Offsets[v], s.Graph.Offsets[v+1]
	parts, conn := s.rowPart[begin:end], s.rowConn[begin:end]
	neighbours, weights := s.Graph.Neighbours[begin:end], s.Graph.EdgeWeights[begin:end]
	length := 0
next:
	for i, u := range neighbours {
		p := s.Part[u]
		for j := 0; j < length; j++ {
			if parts[j] == p {
				conn[j] += weights[i]
				continue next
			}
		}
		parts[length], conn[length] = p, weights[i]
		length++
	}
	s.rowLen[v] = int32(length)
	return int32(length)
}

// Move puts v into part to and updates weights, cut and the built rows of the
// neighbours.
func (s *State) Move(v, to int32) {
	from := s.Part[v]
	parts, conn := s.Row(v)
	if s.Distance != nil {
		s.Cut -= s.mappedGain(parts, conn, from, to)
	} else {
		for i, p := range parts {
			switch p {
			case from:
				s.Cut += conn[i]
			case to:
				s.Cut -= conn[i]
			}
		}
	}
	w := s.Graph.VertexWeights[v]
	s.Weight[from] -= w
	s.Weight[to] += w
	s.Count[from]--
	s.Count[to]++
	s.Part[v] = to
	for e := s.Graph.Offsets[v]; e < s.Graph.Offsets[v+1]; e++ {
		if u := s.Graph.Neighbours[e]; !s.region.isOutside(u) && s.rowLen[u] >= 0 {
			s.shiftRow(u, from, to, s.Graph.EdgeWeights[e])
		}
	}
}

func (s *State) shiftRow(u, from, to int32, w int64) {
	begin := s.Graph.Offsets[u]
	length := int64(s.rowLen[u])
	row := s.rowPart[begin : begin+length]
	for i, p := range row {
		if p == from {
			if s.rowConn[begin+int64(i)] -= w; s.rowConn[begin+int64(i)] == 0 {
				length--
				s.rowPart[begin+int64(i)] = s.rowPart[begin+length]
				s.rowConn[begin+int64(i)] = s.rowConn[begin+length]
			}
			break
		}
	}
	row = s.rowPart[begin : begin+length]
	for i, p := range row {
		if p == to {
			s.rowConn[begin+int64(i)] += w
			s.rowLen[u] = int32(length)
			return
		}
	}
	s.rowPart[begin+length], s.rowConn[begin+length] = to, w
	s.rowLen[u] = int32(length + 1)
}

// IsBoundary tells whether v has a neighbour in another part.
func (s *State) IsBoundary(v int32) bool {
	p := s.Part[v]
	if s.rowLen[v] >= 0 {
		parts, _ := s.Row(v)
		return len(parts) > 1 || len(parts) == 1 && parts[0] != p
	}
	for _, u := range s.Graph.NeighboursOf(v) {
		if s.Part[u] != p {
			return true
		}
	}
	return false
}

// boundary appends all vertices with a neighbour in another part to list.
func (s *State) boundary(list []int32) []int32 {
	for v := int32(0); int(v) < len(s.Part); v++ {
		if s.IsBoundary(v) {
			list = append(list, v)
		}
	}
	return list
}

// Overload returns the total weight above the limits, of the region's parts if
// there is one.
func (s *State) Overload() int64 {
	var over int64
	for p := range s.Weight {
		if s.region.holds(int32(p)) {
			over += max(s.Weight[p]-s.Limit[p], 0)
		}
	}
	return over
}

// mappedGain returns by how much the mapping cost falls when a vertex with
// the given row goes from one part to another.
func (s *State) mappedGain(parts []int32, conn []int64, from, to int32) int64 {
	var gain int64
	before, after := s.Distance[from], s.Distance[to]
	for i, p := range parts {
		gain += conn[i] * (before[p] - after[p])
	}
	return gain
}

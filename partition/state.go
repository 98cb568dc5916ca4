package partition

// state is a partition of one level's graph under refinement. It keeps, for
// the vertices that have been looked at, the edge weight from the vertex to
// every part it touches (a sparse gain table), and updates it on every move.
type state struct {
	g     *Graph
	fixed []int32 // part or -1; nil if none is fixed
	k     int
	part  []int32
	// weight, limit and count are per part; count guards against emptying.
	weight []int64
	limit  []int64
	count  []int32
	// cut is the weight of the edges between parts, or with distances, Σ weight
	// × distance over them.
	cut      int64
	distance [][]int64 // between parts; nil means 1
	// Row v of the gain table occupies Offsets[v] onward: no vertex touches
	// more parts than it has neighbours. rowLen is -1 where not built.
	rowLen  []int32
	rowPart []int32
	rowConn []int64
	// region, if set, confines moves to a group of parts.
	region *region
}

// newState takes over part, which it will change.
func newState(l *level, part []int32, limit []int64, distance [][]int64) *state {
	g, n, k := l.g, l.g.Vertices(), len(limit)
	s := &state{g: g, fixed: l.fixed, k: k, distance: distance, part: part, limit: limit,
		weight: make([]int64, k), count: make([]int32, k), rowLen: make([]int32, n),
		rowPart: make([]int32, len(g.Neighbours)), rowConn: make([]int64, len(g.Neighbours))}
	s.forgetRows()
	s.recount()
	return s
}

// forgetRows empties the gain table.
func (s *state) forgetRows() {
	for v := range s.rowLen {
		s.rowLen[v] = -1
	}
}

// recount recomputes part weights, counts and the cut from part.
func (s *state) recount() {
	clear(s.weight)
	clear(s.count)
	var cut int64
	for v, p := range s.part {
		s.weight[p] += s.g.VertexWeights[v]
		s.count[p]++
		for e := s.g.Offsets[v]; e < s.g.Offsets[v+1]; e++ {
			if q := s.part[s.g.Neighbours[e]]; q == p {
				continue
			} else if s.distance != nil {
				cut += s.g.EdgeWeights[e] * s.distance[p][q]
			} else {
				cut += s.g.EdgeWeights[e]
			}
		}
	}
	s.cut = cut / 2
}

// reset replaces the partition by part (copied) and forgets the gain table.
func (s *state) reset(part []int32) {
	copy(s.part, part)
	s.forgetRows()
	s.recount()
}

func (s *state) isFixed(v int32) bool { return s.fixed != nil && s.fixed[v] >= 0 }

// row returns the parts v touches and the edge weight to each, in no order.
func (s *state) row(v int32) ([]int32, []int64) {
	begin := s.g.Offsets[v]
	length := s.rowLen[v]
	if length < 0 {
		length = s.buildRow(v)
	}
	end := begin + int64(length)
	return s.rowPart[begin:end], s.rowConn[begin:end]
}

func (s *state) buildRow(v int32) int32 {
	begin, end := s.g.Offsets[v], s.g.Offsets[v+1]
	parts, conn := s.rowPart[begin:end], s.rowConn[begin:end]
	neighbours, weights := s.g.Neighbours[begin:end], s.g.EdgeWeights[begin:end]
	length := 0
next:
	for i, u := range neighbours {
		p := s.part[u]
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

// move puts v into part to and updates weights, cut and the built rows of the
// neighbours.
func (s *state) move(v, to int32) {
	from := s.part[v]
	parts, conn := s.row(v)
	if s.distance != nil {
		s.cut -= s.mappedGain(parts, conn, from, to)
	} else {
		for i, p := range parts {
			switch p {
			case from:
				s.cut += conn[i]
			case to:
				s.cut -= conn[i]
			}
		}
	}
	w := s.g.VertexWeights[v]
	s.weight[from] -= w
	s.weight[to] += w
	s.count[from]--
	s.count[to]++
	s.part[v] = to
	for e := s.g.Offsets[v]; e < s.g.Offsets[v+1]; e++ {
		if u := s.g.Neighbours[e]; !s.region.isOutside(u) && s.rowLen[u] >= 0 {
			s.shiftRow(u, from, to, s.g.EdgeWeights[e])
		}
	}
}

func (s *state) shiftRow(u, from, to int32, w int64) {
	begin := s.g.Offsets[u]
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

// isBoundary tells whether v has a neighbour in another part.
func (s *state) isBoundary(v int32) bool {
	p := s.part[v]
	if s.rowLen[v] >= 0 {
		parts, _ := s.row(v)
		return len(parts) > 1 || len(parts) == 1 && parts[0] != p
	}
	for _, u := range s.g.Neighbours[s.g.Offsets[v]:s.g.Offsets[v+1]] {
		if s.part[u] != p {
			return true
		}
	}
	return false
}

// boundary appends all vertices with a neighbour in another part to list.
func (s *state) boundary(list []int32) []int32 {
	for v := int32(0); int(v) < len(s.part); v++ {
		if s.isBoundary(v) {
			list = append(list, v)
		}
	}
	return list
}

// overload returns the total weight above the limits, of the region's parts if
// there is one.
func (s *state) overload() int64 {
	var over int64
	for p := range s.weight {
		if s.region.holds(int32(p)) {
			over += max(s.weight[p]-s.limit[p], 0)
		}
	}
	return over
}

package partition

// volumes tracks the communication volume of every part: the number of
// (vertex of the part, other part) pairs that touch.
type volumes struct {
	s       *state
	perPart []int64
	total   int64
	// change collects what a move would do to each part.
	change  []int64
	touched []int32
}

func newVolumes(s *state) *volumes {
	v := &volumes{s: s, perPart: make([]int64, s.k), change: make([]int64, s.k)}
	for u, p := range s.part {
		parts, _ := s.row(int32(u))
		v.perPart[p] += others(parts, p)
	}
	for _, x := range v.perPart {
		v.total += x
	}
	return v
}

// others counts the parts in a row besides p.
func others(parts []int32, p int32) int64 {
	n := int64(len(parts))
	for _, q := range parts {
		if q == p {
			n--
		}
	}
	return n
}

func (o *volumes) add(p int32, x int64) {
	if x != 0 {
		o.change[p] += x
		o.touched = append(o.touched, p)
	}
}

// weigh fills change for moving v to part to and returns the changes of the
// total and of the largest volume.
func (o *volumes) weigh(v, to int32) (total, bottleneck int64) {
	s := o.s
	from := s.part[v]
	for _, p := range o.touched {
		o.change[p] = 0
	}
	o.touched = o.touched[:0]
	parts, _ := s.row(v)
	o.add(from, -others(parts, from))
	o.add(to, others(parts, to))
	for e := s.g.Offsets[v]; e < s.g.Offsets[v+1]; e++ {
		u := s.g.Neighbours[e]
		p := s.part[u]
		if p != from && s.connection(u, from) == s.g.EdgeWeights[e] {
			o.add(p, -1)
		}
		if p != to && s.connection(u, to) == 0 {
			o.add(p, 1)
		}
	}
	var before, after int64
	for p, x := range o.perPart {
		total += o.change[p]
		before, after = max(before, x), max(after, x+o.change[p])
	}
	return total, after - before
}

func (o *volumes) apply(v, to int32) {
	for p, x := range o.change {
		o.perPart[p] += x
		o.total += x
	}
	o.s.move(v, to)
}

// refineVolume moves boundary vertices while that lowers the objective, ties
// decided by the other volume and then the cut.
func refineVolume(s *state, objective Objective, r *random, contiguous bool, stop func() bool) {
	o := newVolumes(s)
	c := newConnectivity(s)
	for range 20 {
		improved := false
		list := s.boundary(nil)
		r.shuffle(list)
		for _, v := range list {
			if stop() {
				return
			}
			if to := o.bestMove(v, objective); to >= 0 && (!contiguous || c.free(v)) {
				o.weigh(v, to)
				o.apply(v, to)
				improved = true
			}
		}
		if !improved {
			return
		}
	}
}

// bestMove returns the part where v lowers the objective most, or -1.
func (o *volumes) bestMove(v int32, objective Objective) int32 {
	s := o.s
	from := s.part[v]
	if s.isFixed(v) || s.count[from] == 1 {
		return -1
	}
	w := s.g.VertexWeights[v]
	best, bestKey := int32(-1), [3]int64{}
	parts, conn := s.row(v)
	inner := s.connection(v, from)
	for i, p := range parts {
		if p == from || s.weight[p]+w > s.limit[p] {
			continue
		}
		total, bottleneck := o.weigh(v, p)
		key := [3]int64{total, bottleneck, inner - conn[i]}
		if objective == BottleneckVolume {
			key[0], key[1] = bottleneck, total
		}
		if less(key, bestKey) {
			best, bestKey = p, key
		}
	}
	return best
}

// less compares lexicographically.
func less(a, b [3]int64) bool {
	for i := range a {
		if a[i] != b[i] {
			return a[i] < b[i]
		}
	}
	return false
}

package refine

import (
	"carina/internal/random"
)

// volumes tracks the communication volume of every part: the sizes of its vertices
// for each other part that they touch.
type volumes struct {
	s       *State
	perPart []int64
	total   int64
	// change collects what a move would do to each part.
	change  []int64
	touched []int32
}

func newVolumes(s *State) *volumes {
	v := &volumes{s: s, perPart: make([]int64, s.K), change: make([]int64, s.K)}
	for u, p := range s.Part {
		parts, _ := s.Row(int32(u))
		v.perPart[p] += s.size(int32(u)) * others(parts, p)
	}
	for _, x := range v.perPart {
		v.total += x
	}
	return v
}

// size is what a vertex sends to each other part beside it.
func (s *State) size(v int32) int64 {
	if s.Sizes == nil {
		return 1
	}
	return s.Sizes[v]
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
	from := s.Part[v]
	for _, p := range o.touched {
		o.change[p] = 0
	}
	o.touched = o.touched[:0]
	parts, _ := s.Row(v)
	o.add(from, -s.size(v)*others(parts, from))
	o.add(to, s.size(v)*others(parts, to))
	for e := s.Graph.Offsets[v]; e < s.Graph.Offsets[v+1]; e++ {
		u := s.Graph.Neighbours[e]
		p := s.Part[u]
		if p != from && s.Connection(u, from) == s.Graph.EdgeWeights[e] {
			o.add(p, -s.size(u))
		}
		if p != to && s.Connection(u, to) == 0 {
			o.add(p, s.size(u))
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
	o.s.Move(v, to)
}

// Volume moves boundary vertices while that lowers the objective, ties
// decided by the other volume and then the cut. The objective is the largest volume
// of a part, or else that of all together.
func Volume(s *State, largest bool, r *random.Source, contiguous bool, stop func() bool) {
	o := newVolumes(s)
	c := NewConnectivity(s)
	for range 20 {
		improved := false
		list := s.boundary(nil)
		r.Shuffle(list)
		for _, v := range list {
			if stop() {
				return
			}
			if to := o.bestMove(v, largest); to >= 0 && (!contiguous || c.free(v)) {
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
func (o *volumes) bestMove(v int32, largest bool) int32 {
	s := o.s
	from := s.Part[v]
	if s.IsFixed(v) || s.Count[from] == 1 {
		return -1
	}
	w := s.Graph.VertexWeights[v]
	best, bestKey := int32(-1), [3]int64{}
	parts, conn := s.Row(v)
	inner := s.Connection(v, from)
	for i, p := range parts {
		if p == from || s.Weight[p]+w > s.Limit[p] {
			continue
		}
		total, bottleneck := o.weigh(v, p)
		key := [3]int64{total, bottleneck, inner - conn[i]}
		if largest {
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

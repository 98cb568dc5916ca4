package partition

import (
	"cmp"
	"slices"
)

// branch picks the vertex of which both sides lead furthest; -1 if all are on a
// side.
func (s *boundSearch) branch(n *boundNode) int32 {
	best, most := int32(-1), 0.0
	for _, v := range s.candidates(n) {
		if s.ctx.Err() != nil {
			break
		}
		// A little more than nothing, so that the other side counts.
		const little = 0.01
		product := (s.progress(n, v, 0) + little) * (s.progress(n, v, 1) + little)
		if product > most {
			best, most = v, product
		}
	}
	return best
}

// progress tells how far a vertex on a side leads, from 0 to 1 if nothing is
// left then.
func (s *boundSearch) progress(n *boundNode, v int32, side int8) float64 {
	child := &boundNode{side: slices.Clone(n.side)}
	for _, w := range n.networks {
		child.networks = append(child.networks, w.clone())
	}
	child.side[v] = side
	if s.fix(child, []int32{v}, int(side)) || s.settle(child) {
		return 1
	}
	s.balance(child)
	gap := s.gap(child.best()) - s.path.bound(child.side, child.best())
	if gap <= 0 {
		return 1
	}
	gapShare := min(1, float64(gap)/float64(s.gap(n.best())-n.extra))
	return 1 - float64(gapShare*float64(free(child.side))/float64(free(n.side)))
}

func free(side []int8) int {
	count := 0
	for _, p := range side {
		if p == undecided {
			count++
		}
	}
	return count
}

// candidates returns vertices that may be worth branching on: the heaviest and
// those with the heaviest edges, since most hangs on them; the cores of what the
// least cuts leave in pieces or disagree on; and some of the path that connects
// a side.
func (s *boundSearch) candidates(n *boundNode) []int32 {
	const heaviest, dearest, onPath = 8, 8, 4
	g := s.g
	var undecidedVertices, picked []int32
	degree := make([]int64, len(n.side))
	for v, p := range n.side {
		if p == undecided {
			undecidedVertices = append(undecidedVertices, int32(v))
			for _, w := range g.EdgeWeights[g.Offsets[v]:g.Offsets[v+1]] {
				degree[v] += w
			}
		}
	}
	take := func(most int, key []int64) {
		slices.SortStableFunc(undecidedVertices, func(a, b int32) int { return cmp.Or(cmp.Compare(key[b], key[a]), cmp.Compare(a, b)) })
		picked = append(picked, undecidedVertices[:min(most, len(undecidedVertices))]...)
	}
	take(heaviest, g.VertexWeights)
	take(dearest, degree)
	picked = append(picked, s.cores(n)...)
	for i := range min(onPath, len(s.path.last)) {
		picked = append(picked, s.path.last[i*len(s.path.last)/onPath])
	}
	var once []int32
	for i, v := range picked {
		if n.side[v] == undecided && !slices.Contains(picked[:i], v) {
			once = append(once, v)
		}
	}
	return once
}

// cores returns the heaviest undecided vertex of each of the heaviest pieces of
// what the least cuts put on one side, on the other, or not on the same.
func (s *boundSearch) cores(n *boundNode) []int32 {
	const most = 4
	within, without := n.best().reached(1), n.best().reached(0)
	kind := func(v int32) int {
		switch {
		case within[v] && (n.light == nil || n.light[v]) && (n.heavy == nil || n.heavy[v]):
			return 1
		case without[v] && (n.light == nil || !n.light[v]) && (n.heavy == nil || !n.heavy[v]):
			return 0
		}
		return 2
	}
	type core struct {
		weight int64 // of its piece
		v      int32
	}
	var cores [3][]core
	eachPiece(s.g, kind, func(kind int, piece []int32) {
		c := core{v: -1}
		for _, v := range piece {
			c.weight += s.g.VertexWeights[v]
			if n.side[v] == undecided && (c.v < 0 || s.g.VertexWeights[v] > s.g.VertexWeights[c.v]) {
				c.v = v
			}
		}
		cores[kind] = append(cores[kind], c)
	})
	var picked []int32
	for _, list := range cores {
		slices.SortStableFunc(list, func(a, b core) int { return cmp.Compare(b.weight, a.weight) })
		for _, c := range list[:min(most, len(list))] {
			if c.v >= 0 {
				picked = append(picked, c.v)
			}
		}
	}
	return picked
}

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
		product := (s.expect(n, v, 0) + little) * (s.expect(n, v, 1) + little)
		if product > most {
			best, most = v, product
		}
	}
	return best
}

// try tells how far a vertex on a side leads, from 0 to 1 if nothing is left
// then.
func (s *boundSearch) try(n *boundNode, v int32, side int8) float64 {
	child := &boundNode{side: slices.Clone(n.side)}
	for _, w := range n.networks {
		child.networks = append(child.networks, w.clone())
	}
	child.side[v] = side
	if s.fix(child, []int32{v}, int(side)) || s.settle(child) {
		return 1
	}
	s.balance(child)
	from := branching{gap: s.gap(n.best()) - n.extra, free: free(n.side)}
	return from.progress(s.gap(child.best())-s.path.roughBound(child.side, child.best()), free(child.side))
}

// branching is what led to a node: a vertex on a side, and how much was open
// before.
type branching struct {
	vertex int32 // -1 at the root
	side   int8
	gap    int64
	free   int
}

// progress tells how far it led, if so much is open now.
func (b branching) progress(gap int64, open int) float64 {
	if gap <= 0 {
		return 1
	}
	gapShare := min(1, float64(gap)/float64(b.gap))
	return 1 - float64(gapShare*float64(open)/float64(b.free))
}

// branchOutcomes is how far a vertex on a side has led, in the mean.
type branchOutcomes struct {
	sum   [2]float64
	count [2]int
}

// learn remembers how far what led to a node has, once it is as tight as can be:
// trials do not show that, and a vertex that decides much in one place often
// does so in others.
func (s *boundSearch) learn(n *boundNode, done bool) {
	b := n.origin
	if b.vertex < 0 {
		return
	}
	outcome := 1.0
	if !done {
		outcome = b.progress(s.gap(n.best())-n.extra, free(n.side))
	}
	e := &s.experience[b.vertex]
	e.sum[b.side] += outcome
	e.count[b.side]++
}

// expect is progress by trial, or more if experience says so.
func (s *boundSearch) expect(n *boundNode, v int32, side int8) float64 {
	progress := s.try(n, v, side)
	if e := s.experience[v]; e.count[side] > 0 {
		progress = max(progress, e.sum[side]/float64(e.count[side]))
	}
	return progress
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
// least cuts leave in pieces or disagree on; some of the paths that connect
// the sides in the probe made last; and those on which it has led far to branch.
func (s *boundSearch) candidates(n *boundNode) []int32 {
	const heaviest, dearest, onPath, best = 8, 8, 4, 8
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
	picked = append(picked, s.experienced(undecidedVertices, best)...)
	var once []int32
	for i, v := range picked {
		if n.side[v] == undecided && !slices.Contains(picked[:i], v) {
			once = append(once, v)
		}
	}
	return once
}

// experienced returns those of the vertices on which it has led furthest to
// branch.
func (s *boundSearch) experienced(vertices []int32, most int) []int32 {
	score := func(v int32) float64 {
		e := s.experience[v]
		if e.count[0] == 0 || e.count[1] == 0 {
			return 0
		}
		return e.sum[0] / float64(e.count[0]) * (e.sum[1] / float64(e.count[1]))
	}
	var known []int32
	for _, v := range vertices {
		if score(v) > 0 {
			known = append(known, v)
		}
	}
	slices.SortStableFunc(known, func(a, b int32) int { return cmp.Or(cmp.Compare(score(b), score(a)), cmp.Compare(a, b)) })
	return known[:min(most, len(known))]
}

// cores returns the heaviest undecided vertex of each of the heaviest pieces of
// what the least cuts put on one side, on the other, or not on the same.
func (s *boundSearch) cores(n *boundNode) []int32 {
	const most = 4
	within, without := n.best().reached(1), n.best().reached(0)
	kind := make([]int32, s.g.Vertices())
	for v := range kind {
		switch {
		case within[v] && (n.light == nil || n.light[v]) && (n.heavy == nil || n.heavy[v]):
			kind[v] = 1
		case without[v] && (n.light == nil || !n.light[v]) && (n.heavy == nil || !n.heavy[v]):
			kind[v] = 0
		default:
			kind[v] = 2
		}
	}
	type core struct {
		weight int64 // of its piece
		v      int32
	}
	var cores [3][]core
	for _, piece := range fragments(s.g, kind) {
		c := core{v: -1}
		for _, v := range piece {
			c.weight += s.g.VertexWeights[v]
			if n.side[v] == undecided && (c.v < 0 || s.g.VertexWeights[v] > s.g.VertexWeights[c.v]) {
				c.v = v
			}
		}
		cores[kind[piece[0]]] = append(cores[kind[piece[0]]], c)
	}
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

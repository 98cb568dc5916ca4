package partition

import (
	"cmp"
	"slices"
)

// boundPath bounds what connecting the pieces of a side costs beyond a flow.
//
// Where vertices certain to be on a side lie in several pieces, undecided vertices on that
// side must connect them. What leaves the side at
// least is the flow and the residual capacities; so if every undecided vertex v
// can send a charge of its own through residual arcs to the other side, all of
// them at once, then every division with a set P of them on the side costs the
// charges of P on top of the flow. So the shortest path by charges to the farthest
// piece is a bound, and so is any of the tree that connects all pieces
// ([boundPath.ascend]). The bounds of both sides may be added only if no arc serves
// both.
type boundPath struct {
	g        *Graph
	charge   []int64 // by flows, beyond what arcs to the other side take
	cost     []int64
	distance []int64
	parent   []int32
	queue    *gainQueue // by distance, the smallest first
	touched  []int32    // vertices with a distance
	stack    []int32
	last     []int32 // undecided vertices of the path found last
}

func newBoundPath(g *Graph) *boundPath {
	n := g.Vertices()
	b := &boundPath{g: g, charge: make([]int64, n), cost: make([]int64, n), distance: make([]int64, n), parent: make([]int32, n), queue: newGainQueue(n)}
	for v := range b.distance {
		b.distance[v] = -1
	}
	return b
}

// bound charges what arcs to vertices on the other side take, which are others
// for either side.
func (b *boundPath) bound(side []int8, n *boundNetwork) int64 {
	return b.both(side, n, b.connect)
}

// roughBound is that in a fraction of the time.
func (b *boundPath) roughBound(side []int8, n *boundNetwork) int64 {
	return b.both(side, n, b.farthest)
}

// both adds what connecting either side costs, and leaves both paths in last.
func (b *boundPath) both(side []int8, n *boundNetwork, connect func(side []int8, n *boundNetwork, own int8) int64) int64 {
	clear(b.charge)
	var sum int64
	var path []int32
	for own := range int8(2) {
		sum += connect(side, n, own)
		path = append(path, b.last...)
	}
	b.last = path
	return sum
}

// connect returns the better bound of what connecting a side costs.
func (b *boundPath) connect(side []int8, n *boundNetwork, own int8) int64 {
	return max(b.farthest(side, n, own), b.ascend(side, own))
}

// raise charges one side more, the one that gains more by it: over and over,
// vertices on the path that is the shortest so far send on flow of their own
// through vertices beside it. Arcs that the other side charges for are left to it.
// It stops at goal.
func (b *boundPath) raise(side []int8, n *boundNetwork, goal int64) int64 {
	const rounds = 40
	var most int64
	for own := range int8(2) {
		clear(b.charge)
		work := n.clone()
		other := b.connect(side, work, 1-own)
		b.reserve(side, work, 1-own)
		for range rounds {
			far := b.farthest(side, work, own)
			most = max(most, other+max(far, b.ascend(side, own)))
			if most >= goal {
				return most
			}
			if len(b.last) == 0 || !b.chargePath(side, work, own, goal-other-far) {
				break
			}
		}
	}
	return most
}

// reserve closes the arcs that a side charges for directly. The other side has no
// way to them while the flow is the largest; so the charges hold for any flow.
func (b *boundPath) reserve(side []int8, n *boundNetwork, own int8) {
	g := b.g
	for v, p := range side {
		if p != undecided {
			continue
		}
		n.terminal[1-own][v] = 0
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if side[g.Neighbours[e]] != 1-own {
				continue
			}
			if own == 0 {
				n.residual[n.reverse[e]] = 0
			} else {
				n.residual[e] = 0
			}
		}
	}
}

// chargePath raises the charges on the last path towards a sum that is missing;
// it is false if that is impossible.
func (b *boundPath) chargePath(side []int8, n *boundNetwork, own int8, missing int64) bool {
	for _, v := range b.last {
		b.commit(side, n, v, own)
	}
	step, any := missing/int64(len(b.last))+1, false
	for _, v := range b.last {
		n.terminal[own][v] += step
		sent := n.augment([]int32{v}, int(own), step)
		n.terminal[own][v] -= step - sent
		b.charge[v] += sent
		any = any || sent > 0
	}
	return any
}

// commit makes what the arcs of v to the other side take a part of its charge,
// so that no other flow takes them.
func (b *boundPath) commit(side []int8, n *boundNetwork, v int32, own int8) {
	g := b.g
	b.charge[v] += n.terminal[1-own][v]
	n.terminal[1-own][v] = 0
	for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
		if side[g.Neighbours[e]] != 1-own {
			continue
		}
		taken := n.open(e, int(own))
		b.charge[v] += taken
		along := e
		if own == 0 {
			along = int64(n.reverse[e])
		}
		n.useArc(along, taken)
	}
}

// farthest returns how far the pieces of a side are from its heaviest vertex at
// most, and leaves the path there in last and what vertices cost in cost.
func (b *boundPath) farthest(side []int8, n *boundNetwork, own int8) int64 {
	g := b.g
	b.last = b.last[:0]
	root := int32(-1)
	for v, p := range side {
		b.cost[v] = 0
		if p == own && (root < 0 || g.VertexWeights[v] > g.VertexWeights[root]) {
			root = int32(v)
		}
		if p == undecided {
			b.cost[v] = b.costOf(side, n, int32(v), own)
		}
	}
	if root < 0 {
		return 0
	}
	end := b.spread(side, own, root, false)
	for v := end; v >= 0; v = b.parent[v] {
		if side[v] == undecided {
			b.last = append(b.last, v)
		}
	}
	return b.distance[end]
}

// costOf returns what an undecided vertex on a side costs.
func (b *boundPath) costOf(side []int8, n *boundNetwork, v int32, own int8) int64 {
	g, cost := b.g, b.charge[v]+n.terminal[1-own][v]
	for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
		if side[g.Neighbours[e]] == 1-own {
			cost += n.open(e, int(own))
		}
	}
	return cost
}

// spread finds the distances from a vertex through those not on the other side
// (Dijkstra 1959) and returns the farthest vertex on the side. If it is to stop, it
// does so at the nearest vertex on the side at a distance above zero; what is not
// final then is at least as far away without its own cost.
func (b *boundPath) spread(side []int8, own int8, from int32, stop bool) int32 {
	g := b.g
	for _, v := range b.touched {
		b.distance[v] = -1
	}
	b.touched, b.stack = append(b.touched[:0], from), append(b.stack[:0], from)
	b.queue.clear()
	b.distance[from], b.parent[from] = 0, -1
	for end := from; ; {
		// What costs nothing needs no queue.
		var v int32
		if last := len(b.stack) - 1; last >= 0 {
			v = b.stack[last]
			b.stack = b.stack[:last]
		} else if b.queue.empty() {
			return end
		} else {
			v, _ = b.queue.top()
			b.queue.remove(v)
		}
		d := b.distance[v]
		if side[v] == own && d >= b.distance[end] {
			if end = v; stop && d > 0 {
				return end
			}
		}
		for _, u := range g.Neighbours[g.Offsets[v]:g.Offsets[v+1]] {
			if side[u] == 1-own {
				continue
			}
			through := d + b.cost[u]
			if b.distance[u] < 0 {
				b.touched = append(b.touched, u)
			} else if through >= b.distance[u] {
				continue
			}
			b.distance[u], b.parent[u] = through, v
			if through > d {
				b.queue.set(u, -through)
				continue
			}
			if b.queue.contains(u) {
				b.queue.remove(u)
			}
			b.stack = append(b.stack, u)
		}
	}
}

// ascend returns another bound of what connecting all pieces of a side costs, from the costs
// that farthest left, which it uses up: around piece after piece, the lightest
// first, a ball grows until it meets another piece, and pays for
// the vertices that it grows through. Whatever connects the pieces has a vertex on the
// border of the ball at every radius, and no vertex is paid for twice: a solution of
// the dual of the Steiner tree problem with costs of vertices. Once is enough: the
// way to the piece that a ball meets costs nothing from then on, so balls
// around all pieces but one connect all.
func (b *boundPath) ascend(side []int8, own int8) int64 {
	var sum int64
	pieces := b.pieces(side, own)
	for i := range len(pieces) - 1 {
		end := b.spread(side, own, pieces[i].core, true)
		radius := b.distance[end]
		sum += radius
		for _, v := range b.touched {
			before := b.distance[v] - b.cost[v]
			b.cost[v] -= max(0, min(b.cost[v], radius-before))
		}
	}
	return sum
}

// sidePiece is a connected piece of the vertices on a side.
type sidePiece struct {
	core   int32 // one of its vertices
	weight int64
}

// pieces returns those of a side, the heaviest last.
func (b *boundPath) pieces(side []int8, own int8) []sidePiece {
	var pieces []sidePiece
	for _, vertices := range fragments(b.g, side) {
		if side[vertices[0]] != own {
			continue
		}
		piece := sidePiece{core: vertices[0]}
		for _, v := range vertices {
			piece.weight += b.g.VertexWeights[v]
		}
		pieces = append(pieces, piece)
	}
	slices.SortStableFunc(pieces, func(a, b sidePiece) int { return cmp.Compare(a.weight, b.weight) })
	return pieces
}

package partition

import (
	"cmp"
	"container/heap"
)

// boundPath bounds what connecting the pieces of a side costs beyond a flow.
//
// Where vertices certain to be on a side lie in several pieces, a path of
// undecided vertices on that side must connect them. What leaves the side at
// least is the flow and the residual capacities; so if every undecided vertex v
// can send a charge of its own through residual arcs to the other side, all of
// them at once, then every division with a set P of them on the side costs the
// charges of P on top of the flow: the shortest path by charges is a bound. The
// two sides' may be added only if no arc serves both.
type boundPath struct {
	g        *Graph
	charge   []int64 // by flows, beyond what arcs to the other side take
	cost     []int64
	distance []int64
	parent   []int32
	done     []bool
	queue    pathQueue
	last     []int32 // undecided vertices of the path found last
}

func newBoundPath(g *Graph) *boundPath {
	n := g.Vertices()
	return &boundPath{g: g, charge: make([]int64, n), cost: make([]int64, n), distance: make([]int64, n), parent: make([]int32, n), done: make([]bool, n)}
}

// bound charges what arcs to vertices on the other side take, which are others
// for either side.
func (b *boundPath) bound(side []int8, n *boundNetwork) int64 {
	clear(b.charge)
	far := b.farthest(side, n, 0)
	path := append([]int32(nil), b.last...)
	far += b.farthest(side, n, 1)
	b.last = append(b.last, path...)
	return far
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
		other := b.farthest(side, work, 1-own)
		b.reserve(side, work, 1-own)
		for range rounds {
			far := b.farthest(side, work, own)
			most = max(most, other+far)
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

// reserve closes the arcs that a side charges for directly.
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
// most, and leaves the path there in last.
func (b *boundPath) farthest(side []int8, n *boundNetwork, own int8) int64 {
	g := b.g
	b.last = b.last[:0]
	root := int32(-1)
	for v, p := range side {
		b.distance[v], b.parent[v], b.done[v], b.cost[v] = -1, -1, false, 0
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
	b.distance[root] = 0
	b.queue = append(b.queue[:0], pathEntry{0, root})
	end := root
	for len(b.queue) > 0 {
		next := heap.Pop(&b.queue).(pathEntry)
		if b.done[next.v] {
			continue
		}
		b.done[next.v] = true
		if side[next.v] == own {
			end = next.v
		}
		b.relax(side, own, next)
	}
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

// relax shortens the distances of the neighbours of a vertex (Dijkstra 1959).
func (b *boundPath) relax(side []int8, own int8, from pathEntry) {
	g := b.g
	for _, u := range g.Neighbours[g.Offsets[from.v]:g.Offsets[from.v+1]] {
		if side[u] == 1-own || b.done[u] {
			continue
		}
		if d := from.distance + b.cost[u]; b.distance[u] < 0 || d < b.distance[u] {
			b.distance[u], b.parent[u] = d, from.v
			heap.Push(&b.queue, pathEntry{d, u})
		}
	}
}

// pathEntry is a vertex with a distance it may have.
type pathEntry struct {
	distance int64
	v        int32
}

// pathQueue is a [heap.Interface], the nearest first.
type pathQueue []pathEntry

func (q pathQueue) Len() int      { return len(q) }
func (q pathQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q pathQueue) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[i].distance, q[j].distance), cmp.Compare(q[i].v, q[j].v)) < 0
}
func (q *pathQueue) Push(entry any) { *q = append(*q, entry.(pathEntry)) }
func (q *pathQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

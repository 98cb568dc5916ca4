package partition

import (
	"math"
	"slices"
)

// boundNetwork is a flow from the vertices of side 1 to those of side 0. Every
// vertex may have an arc of its own from the source and one to the sink; it is
// on a side for certain if the capacity of that arc is endless.
//
// For every set S of vertices the capacities that leave S and the source are the
// flow's value plus the residual capacities that leave them: all bounds of
// [boundSearch] rest on that.
type boundNetwork struct {
	g        *Graph
	reverse  []int32
	residual []int64    // by arc of g
	terminal [2][]int64 // residual capacity of a vertex's arc to the sink (0), from the source (1)
	value    int64
	price    int64 // see [boundSearch.network]
	scratch  *boundScratch
}

// boundScratch is memory that networks of one search share.
type boundScratch struct {
	level []int32 // by vertex, of the search whose number mark tells
	mark  []int32
	stamp int32
	next  []int64 // arc to try next
	queue []int32
	// journal lists pushes to be taken back, if recording.
	journal   []boundPush
	recording bool
}

// boundPush is flow over an arc of the graph or, if side is not -1, over the
// terminal arc of a vertex.
type boundPush struct {
	at     int64
	side   int8
	amount int64
}

// endless is more than any flow, and twice it is a number still.
const endless = math.MaxInt64 / 4

// reverseArcs returns for every arc of g the one back.
func reverseArcs(g *Graph) []int32 {
	reverse := make([]int32, len(g.Neighbours))
	// Arcs into v come by in order of their tails, and so do v's own if its
	// neighbours are sorted; otherwise they are looked up.
	at := append([]int64(nil), g.Offsets...)
	for u := int32(0); int(u) < g.Vertices(); u++ {
		for e := g.Offsets[u]; e < g.Offsets[u+1]; e++ {
			v := g.Neighbours[e]
			if v < u {
				continue
			}
			back := at[v]
			if back >= g.Offsets[v+1] || g.Neighbours[back] != u {
				back = g.Offsets[v]
				for g.Neighbours[back] != u {
					back++
				}
			}
			at[v] = back + 1
			reverse[e], reverse[back] = int32(back), int32(e)
		}
	}
	return reverse
}

func newBoundScratch(n int) *boundScratch {
	return &boundScratch{level: make([]int32, n), mark: make([]int32, n), next: make([]int64, n)}
}

func (n *boundNetwork) clone() *boundNetwork {
	c := *n
	c.residual = slices.Clone(n.residual)
	for i := range c.terminal {
		c.terminal[i] = slices.Clone(n.terminal[i])
	}
	return &c
}

// augment raises the flow by augmenting paths that begin at the source's arcs
// of the given vertices (side 1) or end at the sink's (side 0), shortest first
// (Dinic 1970), as far as it goes or until more has been added; it returns how
// much was.
func (n *boundNetwork) augment(roots []int32, side int, most int64) int64 {
	added := int64(0)
	for added < most {
		depth := n.levels(roots, side)
		if depth < 0 {
			break
		}
		for _, root := range roots {
			if added >= most {
				break
			}
			if own := n.terminal[side][root]; own > 0 {
				pushed := n.push(root, side, depth, min(own, most-added))
				n.useTerminal(root, side, pushed)
				added += pushed
			}
		}
	}
	n.value += added
	return added
}

// levels searches breadth first from the roots, along the flow from side 1 and
// against it from side 0, and returns how far away the first vertex with an
// open arc to the opposite terminal is; -1 if there is none.
func (n *boundNetwork) levels(roots []int32, side int) int32 {
	s, g := n.scratch, n.g
	s.stamp++
	s.queue = s.queue[:0]
	reach := func(v, level int32) {
		s.mark[v], s.level[v], s.next[v] = s.stamp, level, g.Offsets[v]
		s.queue = append(s.queue, v)
	}
	for _, v := range roots {
		if s.mark[v] != s.stamp && n.terminal[side][v] > 0 {
			reach(v, 0)
		}
	}
	opposite, found := n.terminal[1-side], int32(-1)
	for at := 0; at < len(s.queue); at++ {
		v := s.queue[at]
		if found >= 0 && s.level[v] > found {
			break
		}
		if opposite[v] > 0 {
			found = s.level[v]
		}
		if found >= 0 {
			continue
		}
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if u := g.Neighbours[e]; s.mark[u] != s.stamp && n.open(e, side) > 0 {
				reach(u, s.level[v]+1)
			}
		}
	}
	return found
}

// open returns the residual capacity of an arc seen from a search from a side.
func (n *boundNetwork) open(e int64, side int) int64 {
	if side == 0 {
		return n.residual[n.reverse[e]]
	}
	return n.residual[e]
}

// push sends up to amount from v on to opposite terminals depth levels away.
func (n *boundNetwork) push(v int32, side int, depth int32, amount int64) int64 {
	s, g := n.scratch, n.g
	if s.level[v] == depth {
		pushed := min(amount, n.terminal[1-side][v])
		if pushed > 0 {
			n.useTerminal(v, 1-side, pushed)
		}
		return pushed
	}
	sent := int64(0)
	for ; s.next[v] < g.Offsets[v+1]; s.next[v]++ {
		e := s.next[v]
		u := g.Neighbours[e]
		if s.mark[u] != s.stamp || s.level[u] != s.level[v]+1 {
			continue
		}
		room := n.open(e, side)
		if room == 0 {
			continue
		}
		pushed := n.push(u, side, depth, min(amount-sent, room))
		if pushed > 0 {
			along := e
			if side == 0 {
				along = int64(n.reverse[e])
			}
			n.useArc(along, pushed)
			if sent += pushed; sent == amount {
				return sent
			}
		}
	}
	return sent
}

func (n *boundNetwork) useArc(e, amount int64) {
	n.residual[e] -= amount
	n.residual[n.reverse[e]] += amount
	if n.scratch.recording {
		n.scratch.journal = append(n.scratch.journal, boundPush{e, -1, amount})
	}
}

func (n *boundNetwork) useTerminal(v int32, side int, amount int64) {
	n.terminal[side][v] -= amount
	if n.scratch.recording {
		n.scratch.journal = append(n.scratch.journal, boundPush{int64(v), int8(side), amount})
	}
}

// fix puts vertices on a side for certain and raises the flow by up to most.
func (n *boundNetwork) fix(vertices []int32, side int, most int64) int64 {
	for _, v := range vertices {
		n.terminal[side][v] = endless
	}
	return n.augment(vertices, side, most)
}

// probe returns by how much the flow would grow, at most by most, were v on a
// side for certain, and what more makes of the network then, which it must
// leave as it is.
func (n *boundNetwork) probe(v int32, side int, most int64, more func(gain int64) int64) int64 {
	s := n.scratch
	s.recording, s.journal = true, s.journal[:0]
	before, value := n.terminal[side][v], n.value
	gain := n.fix([]int32{v}, side, most)
	s.recording = false
	gain += more(gain)
	for i := len(s.journal) - 1; i >= 0; i-- {
		p := s.journal[i]
		if p.side < 0 {
			n.useArc(p.at, -p.amount)
		} else {
			n.terminal[p.side][p.at] += p.amount
		}
	}
	n.terminal[side][v], n.value = before, value
	return gain
}

// room bounds from above what probe can find, roughly once that is enough.
func (n *boundNetwork) room(v int32, side int, enough int64) int64 {
	room := n.terminal[1-side][v]
	for e := n.g.Offsets[v]; e < n.g.Offsets[v+1] && room < enough; e++ {
		room += n.open(e, side)
	}
	return room
}

// reached tells to which vertices residual paths lead from the source (side 1),
// or from which they lead to the sink (side 0).
func (n *boundNetwork) reached(side int) []bool {
	g, seen := n.g, make([]bool, n.g.Vertices())
	queue := n.scratch.queue[:0]
	for v := range seen {
		if n.terminal[side][v] > 0 {
			seen[v] = true
			queue = append(queue, int32(v))
		}
	}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if u := g.Neighbours[e]; !seen[u] && n.open(e, side) > 0 {
				seen[u] = true
				queue = append(queue, u)
			}
		}
	}
	n.scratch.queue = queue
	return seen
}

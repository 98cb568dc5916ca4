package flow

import "math"

// cutter bisects a small network between a source and a target set with
// bounded cut and balance (FlowCutter, Hamann and Strasser 2018; for
// partition refinement Gottesbüren, Hamann, Schlag and Wagner 2020). It
// computes a minimum cut; while neither side's cut is balanced it adds a
// vertex of the cut to the lighter side's terminals ("piercing") and augments
// the flow. All memory is reused between runs.
type cutter struct {
	// Arcs in rows by node; node 0 is the source, 1 the target. Arc e runs
	// back as reverse[e]; residual[0][e] may still flow along it,
	// residual[1][e] against it, so that a search from either side reads one
	// array in order.
	first    []int32
	head     []int32
	reverse  []int32
	residual [2][]int64
	weight   []int64
	// distance is positive on the source's original side, negative on the
	// target's, and grows away from the original cut.
	distance []int32
	total    int64
	limit    [2]int64

	flow    int64
	bound   int64
	settled [2][]int32 // terminals of each side
	grown   [2][]int32 // all nodes reachable from (reaching) a side, terminals first
	heavy   [2]int64   // weight of grown
	// reach is 1 for grown[0], 2 for grown[1], 0 elsewhere.
	reach    []int8
	terminal []int8 // the same for settled
	// candidates are nodes next to a side's grown set.
	candidates [2][]int32
	// depth[v]-base is the layer of v if not negative.
	depth []int32
	base  int32
	next  []int32
	queue []int32
	path  []int32
	side  []int8 // best cut found: side of every node
	stop  func() bool
}

func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// start prepares for a network of n nodes whose rows have been laid out.
func (f *cutter) start(n int) {
	f.flow = 0
	f.reach, f.terminal, f.side = resize(f.reach, n), resize(f.terminal, n), resize(f.side, n)
	f.depth, f.next = resize(f.depth, n), resize(f.next, n)
	clear(f.depth)
	f.base = 0
	clear(f.reach)
	clear(f.terminal)
	f.total = 0
	for _, w := range f.weight {
		f.total += w
	}
	for s := range 2 {
		f.settled[s] = append(f.settled[s][:0], int32(s))
		f.grown[s] = append(f.grown[s][:0], int32(s))
		f.candidates[s] = f.candidates[s][:0]
		f.terminal[s] = int8(s + 1)
		f.reach[s] = int8(s + 1)
		f.heavy[s] = f.weight[s]
	}
	f.collect(0, 0)
	f.collect(1, 1)
}

// augment pushes flow between origin, a terminal of side s, and the other
// side's terminals until none fits, or the bound is passed. It returns
// whether any flow was pushed; then f.queue holds what origin still reaches.
func (f *cutter) augment(s int, origin int32) bool {
	pushed := false
	for f.layers(s, origin) {
		pushed = true
		f.block(s, origin)
		if f.flow > f.bound || f.stop() {
			return true
		}
	}
	return pushed
}

// layers numbers nodes by their residual distance from origin and returns
// whether the other side was reached. Nodes of grown[s] are closed off: no
// residual arc leaves them.
func (f *cutter) layers(s int, origin int32) bool {
	f.newLayers()
	depth, residual := f.depth, f.residual[s]
	depth[origin] = f.base
	f.next[origin] = f.first[origin]
	queue := append(f.queue[:0], origin)
	own, other := int8(s+1), int8(2-s)
	reached := false
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		below := depth[v] + 1
		if reached && below > depth[queue[len(queue)-1]] {
			break
		}
		for e, end := f.first[v], f.first[v+1]; e < end; e++ {
			u := f.head[e]
			if residual[e] == 0 || depth[u] >= f.base || f.terminal[u] == own {
				continue
			}
			depth[u] = below
			f.next[u] = f.first[u]
			if f.terminal[u] == other {
				reached = true
				continue
			}
			queue = append(queue, u)
		}
	}
	f.queue = queue
	return reached
}

// newLayers forgets all depths by raising the base above them.
func (f *cutter) newLayers() {
	step := int32(len(f.depth)) + 1
	if f.base > math.MaxInt32-2*step {
		clear(f.depth)
		f.base = 0
	}
	f.base += step
}

// block finds a blocking flow in the layers by depth-first search.
func (f *cutter) block(s int, origin int32) {
	other := int8(2 - s)
	residual := f.residual[s]
	f.path = f.path[:0]
	v := origin
	for {
		if f.terminal[v] == other {
			v = f.push(s, origin)
			if f.flow > f.bound {
				return
			}
			continue
		}
		e := f.next[v]
		end := f.first[v+1]
		for ; e < end; e++ {
			if residual[e] > 0 && f.depth[f.head[e]] == f.depth[v]+1 {
				break
			}
		}
		f.next[v] = e
		if e < end {
			f.path = append(f.path, e)
			v = f.head[e]
			continue
		}
		if len(f.path) == 0 {
			return
		}
		last := f.path[len(f.path)-1]
		f.path = f.path[:len(f.path)-1]
		v = f.head[f.reverse[last]]
		f.next[v]++
	}
}

// push sends the bottleneck along the path and returns the node where the
// search goes on: the tail of the first saturated arc.
func (f *cutter) push(s int, origin int32) int32 {
	along, against := f.residual[s], f.residual[1-s]
	least := along[f.path[0]]
	for _, e := range f.path[1:] {
		least = min(least, along[e])
	}
	keep := -1
	for i, e := range f.path {
		r := f.reverse[e]
		along[e] -= least
		against[e] += least
		along[r] += least
		against[r] -= least
		if keep < 0 && along[e] == 0 {
			keep = i
		}
	}
	f.flow += least
	v := f.head[f.reverse[f.path[keep]]]
	f.path = f.path[:keep]
	return v
}

// adopt adds the nodes in f.queue to grown[s].
func (f *cutter) adopt(s int) {
	for _, v := range f.queue {
		if f.reach[v] == int8(s+1) {
			continue
		}
		f.reach[v] = int8(s + 1)
		f.grown[s] = append(f.grown[s], v)
		f.heavy[s] += f.weight[v]
	}
}

// regrow recomputes grown[s] from its terminals after the flow has changed.
func (f *cutter) regrow(s int) {
	mark := int8(s + 1)
	for _, v := range f.grown[s] {
		f.reach[v] = 0
	}
	f.grown[s] = append(f.grown[s][:0], f.settled[s]...)
	f.heavy[s] = 0
	for _, v := range f.grown[s] {
		f.reach[v] = mark
	}
	for at := 0; at < len(f.grown[s]); at++ {
		v := f.grown[s][at]
		f.heavy[s] += f.weight[v]
		for e := f.first[v]; e < f.first[v+1]; e++ {
			if u := f.head[e]; f.residual[s][e] > 0 && f.reach[u] == 0 {
				f.reach[u] = mark
				f.grown[s] = append(f.grown[s], u)
			}
		}
	}
}

// settle makes all of grown[s] terminals and collects the nodes next to it.
func (f *cutter) settle(s int) {
	for _, v := range f.grown[s][len(f.settled[s]):] {
		f.terminal[v] = int8(s + 1)
		f.settled[s] = append(f.settled[s], v)
		f.collect(s, v)
	}
}

func (f *cutter) collect(s int, v int32) {
	for e := f.first[v]; e < f.first[v+1]; e++ {
		if u := f.head[e]; f.terminal[u] == 0 && u > 1 {
			f.candidates[s] = append(f.candidates[s], u)
		}
	}
}

// pierce returns the candidate of side s to add: one that opens no
// augmenting path if there is one, the farthest from the original cut on the
// side's own ground; -1 if none is left.
func (f *cutter) pierce(s int, avoidOnly bool) int32 {
	best, bestFree, bestDistance := int32(-1), false, int32(0)
	kept := f.candidates[s][:0]
	for _, v := range f.candidates[s] {
		if f.terminal[v] != 0 {
			continue
		}
		kept = append(kept, v)
		free := f.reach[v] != int8(2-s)
		distance := f.distance[v]
		if s == 1 {
			distance = -distance
		}
		if avoidOnly && !free {
			continue
		}
		if best < 0 || free && !bestFree || free == bestFree && distance > bestDistance {
			best, bestFree, bestDistance = v, free, distance
		}
	}
	f.candidates[s] = kept
	return best
}

// excess returns by how much the limits are passed, and the larger load
// relative to its limit, when side 0 weighs w.
func (f *cutter) excess(w int64) (int64, float64) {
	rest := f.total - w
	over := max(w-f.limit[0], 0) + max(rest-f.limit[1], 0)
	return over, max(float64(w)/float64(max(f.limit[0], 1)), float64(rest)/float64(max(f.limit[1], 1)))
}

// run searches a cut with flow at most bound whose excess is at most allowed,
// prefers the best balanced of that value, and leaves it in f.side. It
// returns the cut's value and balance and whether one was found.
func (f *cutter) run(allowed int64, stop func() bool) (value int64, load float64, found bool) {
	f.stop = stop
	f.augment(0, 0)
	if f.flow > f.bound || stop() {
		return 0, 0, false
	}
	f.adopt(0)
	f.regrow(1)
	for !stop() {
		if found && f.flow > value {
			return value, load, true
		}
		for s := range 2 {
			w := f.heavy[0]
			if s == 1 {
				w = f.total - f.heavy[1]
			}
			over, l := f.excess(w)
			if over <= allowed && (!found || l < load) {
				f.record(s)
				value, load, found = f.flow, l, true
			}
		}
		if !f.grow(found) {
			break
		}
	}
	return value, load, found
}

func (f *cutter) record(s int) {
	for v := range f.side {
		on := int8(1 - s)
		if f.reach[v] == int8(s+1) {
			on = int8(s)
		}
		f.side[v] = on
	}
}

// grow pierces the lighter side and reports whether that could be done within
// the bound.
func (f *cutter) grow(avoidOnly bool) bool {
	s := 0
	if float64(f.heavy[0])*float64(f.limit[1]) > float64(f.heavy[1])*float64(f.limit[0]) {
		s = 1
	}
	f.settle(s)
	v := f.pierce(s, avoidOnly)
	if v < 0 {
		return false
	}
	augmenting := f.reach[v] == int8(2-s)
	f.terminal[v] = int8(s + 1)
	f.settled[s] = append(f.settled[s], v)
	if augmenting {
		f.reach[v] = 0
		f.augment(s, v)
		if f.flow > f.bound {
			return false
		}
	} else {
		f.layers(s, v)
	}
	if augmenting {
		f.regrow(1 - s)
	}
	// The pierced node is adopted first, right after the settled ones.
	f.adopt(s)
	f.collect(s, v)
	return true
}

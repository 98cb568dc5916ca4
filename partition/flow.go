package partition

import "sync"

// flowRefiner improves pairs of adjacent parts by flow cuts on the vertices
// around their common boundary (Sanders and Schulz 2011; active parts as in
// Holtgrewe, Sanders and Schulz 2010). Pairs without a common part are worked
// on side by side; their moves are applied afterwards, in order.
type flowRefiner struct {
	s *state
	r *random
	// reach is the share of each part's weight that the network may hold.
	reach float64
	lists [][]int32 // boundary vertices per part
	// movedAt is when each vertex last moved, triedAt when a pair was last
	// tried, by a clock that counts batches.
	movedAt []int32
	triedAt map[[2]int32]int32
	clock   int32
	// connected is set if parts must not be broken.
	connected *connectivity
	t         *task
	mutex     sync.Mutex
	scratch   []*flowNetwork // not in use
}

// flowNetwork is the network of one pair and the memory to build it.
type flowNetwork struct {
	s      *state
	cutter flowCutter
	local  []int32 // node of a vertex, 0 outside the network
	region []int32 // vertex of node i+2
	degree []int32
}

func newFlowRefiner(s *state, r *random, reach float64, t *task) *flowRefiner {
	f := &flowRefiner{s: s, r: r, reach: reach, t: t, lists: make([][]int32, s.k), movedAt: make([]int32, len(s.part)), triedAt: make(map[[2]int32]int32)}
	if t.contiguous {
		f.connected = newConnectivity(s)
	}
	return f
}

func (f *flowRefiner) borrow() *flowNetwork {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if last := len(f.scratch) - 1; last >= 0 {
		n := f.scratch[last]
		f.scratch = f.scratch[:last]
		return n
	}
	return &flowNetwork{s: f.s, local: make([]int32, len(f.s.part))}
}

func (f *flowRefiner) giveBack(n *flowNetwork) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.scratch = append(f.scratch, n)
}

// refine goes over all adjacent pairs of which one part has changed since its
// last turn, for at most rounds rounds.
func (f *flowRefiner) refine(rounds int) {
	clear(f.triedAt) // the partition may be another than last time
	active := make([]bool, f.s.k)
	for p := range active {
		active[p] = true
	}
	for range rounds {
		if f.t.stopped() {
			return
		}
		changed := make([]bool, f.s.k)
		any := false
		pairs := f.adjacentPairs(active)
		for len(pairs) > 0 && !f.t.stopped() {
			var batch [][2]int32
			batch, pairs = disjointPairs(pairs, f.s.k)
			for i, improved := range f.improveAll(batch) {
				if improved {
					changed[batch[i][0]], changed[batch[i][1]], any = true, true, true
				}
			}
		}
		if !any || f.t.stopped() {
			return
		}
		active = changed
	}
}

// disjointPairs takes pairs in order as long as they share no part with those
// taken; the others are returned as rest.
func disjointPairs(pairs [][2]int32, k int) (taken, rest [][2]int32) {
	used := make([]bool, k)
	for _, pair := range pairs {
		if used[pair[0]] || used[pair[1]] {
			rest = append(rest, pair)
			continue
		}
		used[pair[0]], used[pair[1]] = true, true
		taken = append(taken, pair)
	}
	return taken, rest
}

// improveAll improves disjoint pairs and tells whose cut has become smaller.
func (f *flowRefiner) improveAll(pairs [][2]int32) []bool {
	shifts := make([][]shift, len(pairs))
	f.t.workers.each(len(pairs), func(i int) {
		network := f.borrow()
		shifts[i] = network.improve(pairs[i], f)
		f.giveBack(network)
	})
	f.clock++
	for _, pair := range pairs {
		f.triedAt[pair] = f.clock
	}
	improved := make([]bool, len(pairs))
	for i := range pairs {
		before := f.s.cut
		f.apply(pairs[i], shifts[i])
		improved[i] = f.s.cut < before
	}
	return improved
}

// apply makes the moves between a pair of parts; if parts must stay connected
// it mends what that breaks, and takes all back if nothing is gained then.
func (f *flowRefiner) apply(pair [2]int32, shifts []shift) {
	s := f.s
	var undo []moved
	cut, over := s.cut, int64(0)
	if f.connected != nil {
		over = s.overload()
	}
	for _, m := range shifts {
		if s.count[s.part[m.v]] > 1 {
			undo = append(undo, moved{m.v, s.part[m.v]})
			s.move(m.v, m.to)
			f.movedAt[m.v] = f.clock
		}
	}
	if f.connected == nil || len(undo) == 0 {
		return
	}
	var mended bool
	undo, mended = f.connected.mend(pair, undo)
	for _, m := range undo {
		f.movedAt[m.v] = f.clock
	}
	if mended && s.overload() <= over && s.cut <= cut {
		return
	}
	for i := len(undo) - 1; i >= 0; i-- {
		s.move(undo[i].v, undo[i].from)
	}
}

// adjacentPairs lists, in random order, pairs of adjacent parts of which one
// is active, and fills the boundary lists.
func (f *flowRefiner) adjacentPairs(active []bool) [][2]int32 {
	s := f.s
	for p := range f.lists {
		f.lists[p] = f.lists[p][:0]
	}
	seen := make(map[[2]int32]bool)
	var pairs [][2]int32
	for v := int32(0); int(v) < len(s.part); v++ {
		if !s.isBoundary(v) {
			continue
		}
		p := s.part[v]
		f.lists[p] = append(f.lists[p], v)
		parts, _ := s.row(v)
		for _, q := range parts {
			if p < q && (active[p] || active[q]) && !seen[[2]int32{p, q}] {
				seen[[2]int32{p, q}] = true
				pairs = append(pairs, [2]int32{p, q})
			}
		}
	}
	for i := len(pairs) - 1; i > 0; i-- {
		j := f.r.below(i + 1)
		pairs[i], pairs[j] = pairs[j], pairs[i]
	}
	return pairs
}

// shift is a move to be made.
type shift struct{ v, to int32 }

// improve returns the moves that replace the boundary between the parts of
// pair by a better one, none if it finds none. It changes nothing but rows of
// vertices of these two parts.
func (f *flowNetwork) improve(pair [2]int32, refiner *flowRefiner) []shift {
	if refiner.t.stopped() {
		return nil
	}
	s := f.s
	a, b := pair[0], pair[1]
	f.region = f.region[:0]
	f.cutter.distance = append(f.cutter.distance[:0], 0, 0)
	weightA := f.grow(a, b, 1, refiner.lists[a], refiner.reach)
	weightB := f.grow(b, a, -1, refiner.lists[b], refiner.reach)
	defer func() {
		for _, v := range f.region {
			f.local[v] = 0
		}
	}()
	if len(f.region) == 0 || refiner.isStale(pair, f.region) {
		return nil
	}
	cut := f.build(a, b, weightA, weightB)
	c := &f.cutter
	c.bound = cut
	c.limit = [2]int64{s.limit[a], s.limit[b]}
	over, load := c.excess(s.weight[a])
	value, newLoad, found := c.run(over, refiner.t.stopped)
	if !found || value > cut || value == cut && newLoad >= load {
		return nil
	}
	var shifts []shift
	for i, v := range f.region {
		if to := pair[c.side[i+2]]; s.part[v] != to {
			shifts = append(shifts, shift{v, to})
		}
	}
	return shifts
}

// isStale tells whether the pair has been tried before and nothing has moved
// in the region since.
func (f *flowRefiner) isStale(pair [2]int32, region []int32) bool {
	tried := f.triedAt[pair]
	if tried == 0 {
		return false
	}
	for _, v := range region {
		if f.movedAt[v] >= tried {
			return false
		}
	}
	return true
}

// hops is how many vertices deep a region is on either side of the boundary.
// Deeper ones cost time and gain nothing: coarser levels have made the moves
// they would find (two in Gottesbüren, Heuer, Sanders and Schlag 2022).
const hops = 3

// grow adds vertices of part p to the region, breadth first from the
// boundary with part q, and returns their weight. Vertices that pass the
// budget are left out, the search goes on beside them.
func (f *flowNetwork) grow(p, q int32, sign int32, boundary []int32, reach float64) int64 {
	s := f.s
	budget := int64(reach * float64(s.weight[p]))
	var weight int64
	begin := len(f.region)
	add := func(v int32, distance int32) {
		if f.local[v] != 0 || s.part[v] != p || s.isFixed(v) || weight+s.g.VertexWeights[v] > budget {
			return
		}
		weight += s.g.VertexWeights[v]
		f.region = append(f.region, v)
		f.local[v] = int32(len(f.region) + 1)
		f.cutter.distance = append(f.cutter.distance, sign*distance)
	}
	for _, v := range boundary {
		if s.part[v] == p && s.connection(v, q) > 0 {
			add(v, 1)
		}
	}
	for at := begin; at < len(f.region); at++ {
		v := f.region[at]
		distance := sign*f.cutter.distance[at+2] + 1
		if distance > hops {
			break
		}
		for _, u := range s.g.Neighbours[s.g.Offsets[v]:s.g.Offsets[v+1]] {
			add(u, distance)
		}
	}
	return weight
}

// build lays out the network and returns the present cut within it.
func (f *flowNetwork) build(a, b int32, weightA, weightB int64) int64 {
	s, c, g := f.s, &f.cutter, f.s.g
	n := len(f.region) + 2
	c.weight = resize(c.weight, n)
	c.first = resize(c.first, n+1)
	c.weight[0], c.weight[1] = s.weight[a]-weightA, s.weight[b]-weightB
	f.degree = resize(f.degree, n)
	clear(f.degree)
	// Every region vertex has one arc slot to each terminal.
	arcs := int32(0)
	f.degree[0], f.degree[1] = int32(n), int32(n)
	for i, v := range f.region {
		c.weight[i+2] = g.VertexWeights[v]
		f.degree[i+2] = int32(g.Offsets[v+1]-g.Offsets[v]) + 2
	}
	for i := range n {
		c.first[i] = arcs
		arcs += f.degree[i]
	}
	c.first[n] = arcs
	c.head, c.reverse = resize(c.head, int(arcs)), resize(c.reverse, int(arcs))
	c.residual[0], c.residual[1] = resize(c.residual[0], int(arcs)), resize(c.residual[1], int(arcs))
	fill := f.degree
	copy(fill, c.first[:n])
	var cut int64
	for i, v := range f.region {
		cut += f.arcsOf(int32(i+2), v, a, b, fill)
	}
	f.compact(n, fill)
	c.start(n)
	return cut
}

// arcsOf adds the arcs of node i: to nodes of higher number and the
// terminals.
func (f *flowNetwork) arcsOf(i, v, a, b int32, fill []int32) int64 {
	s, g := f.s, f.s.g
	var cut int64
	var terminal [2]int64
	own := s.part[v]
	apart := int64(1)
	if s.distance != nil {
		apart = s.distance[a][b]
	}
	for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
		u := g.Neighbours[e]
		p := s.part[u]
		w := g.EdgeWeights[e]
		if p != a && p != b {
			if s.distance == nil {
				continue
			}
			// The cost towards a third part differs with the side.
			if more := w * (s.distance[b][p] - s.distance[a][p]); more > 0 {
				terminal[0] += more
			} else {
				terminal[1] -= more
			}
			continue
		}
		w *= apart
		j := f.local[u]
		switch {
		case j > i:
			f.link(i, j, w, w, fill)
			if p != own {
				cut += w
			}
		case j == 0 && p == a:
			terminal[0] += w
		case j == 0:
			terminal[1] += w
		}
	}
	if terminal[0] > 0 {
		f.link(0, i, terminal[0], 0, fill)
		if own == b {
			cut += terminal[0]
		}
	}
	if terminal[1] > 0 {
		f.link(i, 1, terminal[1], 0, fill)
		if own == a {
			cut += terminal[1]
		}
	}
	return cut
}

func (f *flowNetwork) link(i, j int32, forward, backward int64, fill []int32) {
	c := &f.cutter
	e, r := fill[i], fill[j]
	fill[i]++
	fill[j]++
	c.head[e], c.reverse[e], c.residual[0][e], c.residual[1][e] = j, r, forward, backward
	c.head[r], c.reverse[r], c.residual[0][r], c.residual[1][r] = i, e, backward, forward
}

// compact closes the gaps between rows.
func (f *flowNetwork) compact(n int, fill []int32) {
	c := &f.cutter
	at := int32(0)
	for i := range n {
		begin, end := c.first[i], fill[i]
		c.first[i] = at
		for e := begin; e < end; e++ {
			c.head[at], c.reverse[at] = c.head[e], c.reverse[e]
			c.residual[0][at], c.residual[1][at] = c.residual[0][e], c.residual[1][e]
			c.reverse[c.reverse[at]] = at
			at++
		}
	}
	c.first[n] = at
}

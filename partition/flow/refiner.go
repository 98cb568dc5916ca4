package flow

import (
	"sync"

	"carina/internal/parallel"
	"carina/internal/random"
	"carina/partition/refine"
)

// Refiner improves pairs of adjacent parts by flow cuts on the vertices
// around their common boundary (Sanders and Schulz 2011; active parts as in
// Holtgrewe, Sanders and Schulz 2010). Pairs without a common part are worked
// on side by side; their moves are applied afterwards, in order.
type Refiner struct {
	state *refine.State
	r     *random.Source
	// reach is the share of each part's weight that the network may hold.
	reach float64
	lists [][]int32 // boundary vertices per part
	// movedAt is when each vertex last moved, triedAt when a pair was last
	// tried, by a clock that counts batches.
	movedAt []int32
	triedAt map[[2]int32]int32
	clock   int32
	// connected is set if parts must not be broken.
	connected *refine.Connectivity
	workers   *parallel.Workers
	stop      func() bool
	mutex     sync.Mutex
	scratch   []*network // not in use
}

// network is the network of one pair and the memory to build it.
type network struct {
	s      *refine.State
	cutter cutter
	local  []int32 // node of a vertex, 0 outside the network
	region []int32 // vertex of node i+2
	degree []int32
}

// NewRefiner sets up the refinement of s by networks that hold a share reach
// of either part.
func NewRefiner(s *refine.State, r *random.Source, reach float64, connected bool, w *parallel.Workers, stop func() bool) *Refiner {
	f := &Refiner{state: s, r: r, reach: reach, workers: w, stop: stop, lists: make([][]int32, s.K), movedAt: make([]int32, len(s.Part)), triedAt: make(map[[2]int32]int32)}
	if connected {
		f.connected = refine.NewConnectivity(s)
	}
	return f
}

func (f *Refiner) borrow() *network {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if last := len(f.scratch) - 1; last >= 0 {
		n := f.scratch[last]
		f.scratch = f.scratch[:last]
		return n
	}
	return &network{s: f.state, local: make([]int32, len(f.state.Part))}
}

func (f *Refiner) giveBack(n *network) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.scratch = append(f.scratch, n)
}

// Refine goes over all adjacent pairs of which one part has changed since its
// last turn, for at most rounds rounds.
func (f *Refiner) Refine(rounds int) {
	clear(f.triedAt) // the partition may be another than last time
	active := make([]bool, f.state.K)
	for p := range active {
		active[p] = true
	}
	for range rounds {
		if f.stop() {
			return
		}
		changed := make([]bool, f.state.K)
		any := false
		pairs := f.adjacentPairs(active)
		for len(pairs) > 0 && !f.stop() {
			var batch [][2]int32
			batch, pairs = disjointPairs(pairs, f.state.K)
			for i, improved := range f.improveAll(batch) {
				if improved {
					changed[batch[i][0]], changed[batch[i][1]], any = true, true, true
				}
			}
		}
		if !any || f.stop() {
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
func (f *Refiner) improveAll(pairs [][2]int32) []bool {
	shifts := make([][]shift, len(pairs))
	f.workers.Each(len(pairs), func(i int) {
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
		before := f.state.Cut
		f.apply(pairs[i], shifts[i])
		improved[i] = f.state.Cut < before
	}
	return improved
}

// apply makes the moves between a pair of parts; if parts must stay connected
// it mends what that breaks, and takes all back if nothing is gained then.
func (f *Refiner) apply(pair [2]int32, shifts []shift) {
	s := f.state
	var undo []refine.Moved
	cut, over := s.Cut, int64(0)
	if f.connected != nil {
		over = s.Overload()
	}
	for _, m := range shifts {
		if s.Count[s.Part[m.v]] > 1 {
			undo = append(undo, refine.Moved{V: m.v, From: s.Part[m.v]})
			s.Move(m.v, m.to)
			f.movedAt[m.v] = f.clock
		}
	}
	if f.connected == nil || len(undo) == 0 {
		return
	}
	var mended bool
	undo, mended = f.connected.Mend(pair, undo)
	for _, m := range undo {
		f.movedAt[m.V] = f.clock
	}
	if mended && s.Overload() <= over && s.Cut <= cut {
		return
	}
	for i := len(undo) - 1; i >= 0; i-- {
		s.Move(undo[i].V, undo[i].From)
	}
}

// adjacentPairs lists, in random order, pairs of adjacent parts of which one
// is active, and fills the boundary lists.
func (f *Refiner) adjacentPairs(active []bool) [][2]int32 {
	s := f.state
	for p := range f.lists {
		f.lists[p] = f.lists[p][:0]
	}
	seen := make(map[[2]int32]bool)
	var pairs [][2]int32
	for v := int32(0); int(v) < len(s.Part); v++ {
		if !s.IsBoundary(v) {
			continue
		}
		p := s.Part[v]
		f.lists[p] = append(f.lists[p], v)
		parts, _ := s.Row(v)
		for _, q := range parts {
			if p < q && (active[p] || active[q]) && !seen[[2]int32{p, q}] {
				seen[[2]int32{p, q}] = true
				pairs = append(pairs, [2]int32{p, q})
			}
		}
	}
	for i := len(pairs) - 1; i > 0; i-- {
		j := f.r.Below(i + 1)
		pairs[i], pairs[j] = pairs[j], pairs[i]
	}
	return pairs
}

// shift is a move to be made.
type shift struct{ v, to int32 }

// improve returns the moves that replace the boundary between the parts of
// pair by a better one, none if it finds none. It changes nothing but rows of
// vertices of these two parts.
func (f *network) improve(pair [2]int32, refiner *Refiner) []shift {
	if refiner.stop() {
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
	c.limit = [2]int64{s.Limit[a], s.Limit[b]}
	over, load := c.excess(s.Weight[a])
	value, newLoad, found := c.run(over, refiner.stop)
	if !found || value > cut || value == cut && newLoad >= load {
		return nil
	}
	var shifts []shift
	for i, v := range f.region {
		if to := pair[c.side[i+2]]; s.Part[v] != to {
			shifts = append(shifts, shift{v, to})
		}
	}
	return shifts
}

// isStale tells whether the pair has been tried before and nothing has moved
// in the region since.
func (f *Refiner) isStale(pair [2]int32, region []int32) bool {
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
func (f *network) grow(p, q int32, sign int32, boundary []int32, reach float64) int64 {
	s := f.s
	budget := int64(reach * float64(s.Weight[p]))
	var weight int64
	begin := len(f.region)
	add := func(v int32, distance int32) {
		if f.local[v] != 0 || s.Part[v] != p || s.IsFixed(v) || weight+s.Graph.VertexWeights[v] > budget {
			return
		}
		weight += s.Graph.VertexWeights[v]
		f.region = append(f.region, v)
		f.local[v] = int32(len(f.region) + 1)
		f.cutter.distance = append(f.cutter.distance, sign*distance)
	}
	for _, v := range boundary {
		if s.Part[v] == p && s.Connection(v, q) > 0 {
			add(v, 1)
		}
	}
	for at := begin; at < len(f.region); at++ {
		v := f.region[at]
		distance := sign*f.cutter.distance[at+2] + 1
		if distance > hops {
			break
		}
		for _, u := range s.Graph.NeighboursOf(v) {
			add(u, distance)
		}
	}
	return weight
}

// build lays out the network and returns the present cut within it.
func (f *network) build(a, b int32, weightA, weightB int64) int64 {
	s, c, g := f.s, &f.cutter, f.s.Graph
	n := len(f.region) + 2
	c.weight = resize(c.weight, n)
	c.first = resize(c.first, n+1)
	c.weight[0], c.weight[1] = s.Weight[a]-weightA, s.Weight[b]-weightB
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
func (f *network) arcsOf(i, v, a, b int32, fill []int32) int64 {
	s, g := f.s, f.s.Graph
	var cut int64
	var terminal [2]int64
	own := s.Part[v]
	apart := int64(1)
	if s.Distance != nil {
		apart = s.Distance[a][b]
	}
	for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
		u := g.Neighbours[e]
		p := s.Part[u]
		w := g.EdgeWeights[e]
		if p != a && p != b {
			if s.Distance == nil {
				continue
			}
			// The cost towards a third part differs with the side.
			if more := w * (s.Distance[b][p] - s.Distance[a][p]); more > 0 {
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
			f.addArc(i, j, w, w, fill)
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
		f.addArc(0, i, terminal[0], 0, fill)
		if own == b {
			cut += terminal[0]
		}
	}
	if terminal[1] > 0 {
		f.addArc(i, 1, terminal[1], 0, fill)
		if own == a {
			cut += terminal[1]
		}
	}
	return cut
}

func (f *network) addArc(i, j int32, forward, backward int64, fill []int32) {
	c := &f.cutter
	e, r := fill[i], fill[j]
	fill[i]++
	fill[j]++
	c.head[e], c.reverse[e], c.residual[0][e], c.residual[1][e] = j, r, forward, backward
	c.head[r], c.reverse[r], c.residual[0][r], c.residual[1][r] = i, e, backward, forward
}

// compact closes the gaps between rows.
func (f *network) compact(n int, fill []int32) {
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

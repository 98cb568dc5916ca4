package partition

// layCorridor ties a piece to another piece of its part by the path through
// other parts that adds least to the cut, and tells whether there is one.
// Vertices without which their own part would fall apart are no ground for a
// corridor.
func layCorridor(s *state, piece fragment, stop func() bool) bool {
	n := len(s.part)
	c := &corridor{s: s, connected: newConnectivity(s), queue: newGainQueue(n), cost: make([]int64, n), from: make([]int32, n)}
	for v := range c.from {
		c.from[v] = unreached
	}
	for _, v := range piece.vertices {
		c.from[v] = ownGround
	}
	for _, v := range piece.vertices {
		c.spread(v, piece.part)
	}
	for !c.queue.empty() && !stop() {
		v, _ := c.queue.top()
		c.queue.remove(v)
		if s.part[v] == piece.part {
			c.lay(c.from[v], piece.part)
			return true
		}
		if c.connected.free(v) {
			c.spread(v, piece.part)
		}
	}
	return false
}

// Marks in corridor.from besides the vertex before.
const (
	unreached = -2
	ownGround = -1
)

// corridor is a search by least cost (Dijkstra 1959).
type corridor struct {
	s         *state
	connected *connectivity
	queue     *gainQueue // by negative cost
	cost      []int64
	from      []int32
}

// spread reaches v's neighbours.
func (c *corridor) spread(v, p int32) {
	s, g := c.s, c.s.g
	for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
		u := g.Neighbours[e]
		if c.from[u] != unreached && !c.queue.contains(u) || s.isFixed(u) && s.part[u] != p {
			continue
		}
		cost := c.cost[v]
		if s.part[u] != p {
			if s.count[s.part[u]] == 1 {
				continue
			}
			cost += c.step(v, u, e, p)
		}
		if !c.queue.contains(u) || cost < c.cost[u] {
			c.cost[u], c.from[u] = cost, v
			c.queue.set(u, -cost)
		}
	}
}

// step is what moving u into part p adds to the cut, after v; a little more
// than nothing, so that corridors are short.
func (c *corridor) step(v, u int32, e int64, p int32) int64 {
	s := c.s
	cost := s.connection(u, s.part[u]) - s.connection(u, p)
	if s.part[v] != p {
		cost -= s.g.EdgeWeights[e]
		if s.part[v] == s.part[u] {
			cost -= s.g.EdgeWeights[e]
		}
	}
	return max(cost, 1)
}

// lay moves the path that ends in v into part p.
func (c *corridor) lay(v, p int32) {
	for ; v >= 0 && c.s.part[v] != p; v = c.from[v] {
		c.s.move(v, p)
	}
}

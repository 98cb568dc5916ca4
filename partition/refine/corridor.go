package refine

// layCorridor ties a piece to another piece of its part by the path through
// other parts that adds least to the cut, and tells whether there is one.
// Vertices without which their own part would fall apart are no ground for a
// corridor.
func layCorridor(s *State, piece fragment, stop func() bool) bool {
	n := len(s.Part)
	c := &corridor{s: s, connected: NewConnectivity(s), queue: NewQueue(n), cost: make([]int64, n), from: make([]int32, n)}
	for v := range c.from {
		c.from[v] = unreached
	}
	for _, v := range piece.vertices {
		c.from[v] = ownGround
	}
	for _, v := range piece.vertices {
		c.spread(v, piece.part)
	}
	for !c.queue.Empty() && !stop() {
		v, _ := c.queue.Top()
		c.queue.Remove(v)
		if s.Part[v] == piece.part {
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
	s         *State
	connected *Connectivity
	queue     *Queue // by negative cost
	cost      []int64
	from      []int32
}

// spread reaches v's neighbours.
func (c *corridor) spread(v, p int32) {
	s, g := c.s, c.s.Graph
	for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
		u := g.Neighbours[e]
		if c.from[u] != unreached && !c.queue.contains(u) || s.IsFixed(u) && s.Part[u] != p {
			continue
		}
		cost := c.cost[v]
		if s.Part[u] != p {
			if s.Count[s.Part[u]] == 1 {
				continue
			}
			cost += c.step(v, u, e, p)
		}
		if !c.queue.contains(u) || cost < c.cost[u] {
			c.cost[u], c.from[u] = cost, v
			c.queue.Set(u, -cost)
		}
	}
}

// step is what moving u into part p adds to the cut, after v; a little more
// than nothing, so that corridors are short.
func (c *corridor) step(v, u int32, e int64, p int32) int64 {
	s := c.s
	cost := s.Connection(u, s.Part[u]) - s.Connection(u, p)
	if s.Part[v] != p {
		cost -= s.Graph.EdgeWeights[e]
		if s.Part[v] == s.Part[u] {
			cost -= s.Graph.EdgeWeights[e]
		}
	}
	return max(cost, 1)
}

// lay moves the path that ends in v into part p.
func (c *corridor) lay(v, p int32) {
	for ; v >= 0 && c.s.Part[v] != p; v = c.from[v] {
		c.s.Move(v, p)
	}
}

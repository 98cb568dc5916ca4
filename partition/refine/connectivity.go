package refine

// Connectivity finds what breaks off a part when a vertex leaves it.
type Connectivity struct {
	s *State
	// group[v] is, in the search stamped now, the number of the neighbour that
	// v was reached from.
	group   []int32
	stamped []int32
	stamp   int32
	queue   []int32
	// Groups that meet are merged (union-find). open is the number of vertices
	// of a group still to be looked at, weight that of all its vertices.
	leader []int32
	open   []int32
	weight []int64
	lesser []int32
	// budget is how many vertices a search from one vertex's neighbours looks at.
	budget int
}

// nearby is how many vertices a search looks at. Around almost every vertex of
// a mesh its neighbours meet again within a few steps; where they meet only
// far away, the part has a hole or a handle, and leaving a vertex there where
// it is costs little.
const nearby = 500

// NewConnectivity begins for the parts of s, as they are whenever it is asked.
func NewConnectivity(s *State) *Connectivity {
	n := len(s.Part)
	return &Connectivity{s: s, budget: nearby, group: make([]int32, n), stamped: make([]int32, n)}
}

// without returns the vertices that break off v's part when v leaves it: all
// connected pieces but the heaviest, if they are small; ok is false if they
// are not. It searches from all neighbours at once, so that a small piece is
// found at its own cost. The result is valid until the next call.
func (c *Connectivity) without(v int32) (pieces []int32, ok bool) {
	g, part := c.s.Graph, c.s.Part
	c.begin()
	// Met, v leads nowhere.
	c.stamped[v], c.group[v] = c.stamp, nowhere
	for _, u := range g.NeighboursOf(v) {
		if part[u] == part[v] {
			c.seed(u)
		}
	}
	if !c.search(part[v], c.budget) {
		return nil, false
	}
	return c.collect(), true
}

// around returns the vertices of part p, in or next to the given vertices, that
// are in other pieces than the heaviest of these, together with their pieces.
func (c *Connectivity) around(p int32, vertices []Moved) (pieces []int32, ok bool) {
	g, part := c.s.Graph, c.s.Part
	c.begin()
	for _, m := range vertices {
		if part[m.V] == p && c.stamped[m.V] != c.stamp {
			c.seed(m.V)
		}
		for _, u := range g.NeighboursOf(m.V) {
			if part[u] == p && c.stamped[u] != c.stamp {
				c.seed(u)
			}
		}
	}
	if !c.search(p, nearby+8*len(c.queue)) {
		return nil, false
	}
	return c.collect(), true
}

// nowhere marks a vertex that is to be passed by.
const nowhere = -1

func (c *Connectivity) begin() {
	c.stamp++
	c.queue, c.leader = c.queue[:0], c.leader[:0]
	c.open, c.weight = c.open[:0], c.weight[:0]
}

// seed begins a group with v.
func (c *Connectivity) seed(v int32) {
	group := int32(len(c.leader))
	c.leader, c.open, c.weight = append(c.leader, group), append(c.open, 0), append(c.weight, 0)
	c.reach(v, group)
}

// search grows the groups within part p until all but one are closed or met,
// and tells whether it came to that within the budget.
func (c *Connectivity) search(p int32, budget int) bool {
	g, part := c.s.Graph, c.s.Part
	live := len(c.leader)
	for at := 0; at < len(c.queue) && live > 1; at++ {
		if at > budget {
			return false
		}
		u := c.queue[at]
		own := c.find(c.group[u])
		for _, x := range g.NeighboursOf(u) {
			switch {
			case part[x] != p:
			case c.stamped[x] != c.stamp:
				c.reach(x, own)
			case c.group[x] != nowhere:
				if other := c.find(c.group[x]); other != own {
					c.leader[other] = own
					c.open[own] += c.open[other]
					c.weight[own] += c.weight[other]
					if c.open[other] > 0 {
						live--
					}
				}
			}
		}
		if c.open[own]--; c.open[own] == 0 {
			live--
		}
	}
	return true
}

// reach adds v to a group.
func (c *Connectivity) reach(v, group int32) {
	c.stamped[v], c.group[v] = c.stamp, group
	c.open[group]++
	c.weight[group] += c.s.Graph.VertexWeights[v]
	c.queue = append(c.queue, v)
}

func (c *Connectivity) find(group int32) int32 {
	for c.leader[group] != group {
		c.leader[group] = c.leader[c.leader[group]]
		group = c.leader[group]
	}
	return group
}

// collect returns the vertices of all groups but the one still open, or else
// the heaviest.
func (c *Connectivity) collect() []int32 {
	c.lesser = c.lesser[:0]
	main := int32(-1)
	groups := 0
	for i, leader := range c.leader {
		if int32(i) != leader {
			continue
		}
		groups++
		if main < 0 || c.open[i] > 0 || c.open[main] == 0 && c.weight[i] > c.weight[main] {
			main = int32(i)
		}
	}
	if groups < 2 {
		return nil
	}
	for _, u := range c.queue {
		if c.find(c.group[u]) != main {
			c.lesser = append(c.lesser, u)
		}
	}
	return c.lesser
}

// free tells whether v's part stays connected without v.
func (c *Connectivity) free(v int32) bool {
	pieces, ok := c.without(v)
	return ok && len(pieces) == 0
}

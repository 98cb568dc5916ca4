package refine

// relieveAlongChains passes weight from overloaded parts on to parts with
// room, from neighbour to neighbour along the shortest chain of parts, by
// moves that keep all parts connected.
func relieveAlongChains(s *State, connected *Connectivity, b *branch, stop func() bool) {
	c := &chains{s: s, connected: connected, stop: stop, branch: b, queue: NewQueue(len(s.Part)), stuck: make([]bool, s.K), hops: make([]int32, s.K)}
	for range 8*s.K + 8 {
		if s.Overload() == 0 || stop() {
			return
		}
		if !c.relieveOne() {
			return
		}
	}
}

// chains is the state of relieveAlongChains.
type chains struct {
	s         *State
	connected *Connectivity
	branch    *branch
	queue     *Queue
	stuck     []bool // parts that could not pass on anything
	stop      func() bool
	hops      []int32
	boundary  []int32
}

// relieveOne passes weight on from the part farthest above its limit that can
// do so, and tells whether it found one.
func (c *chains) relieveOne() bool {
	s := c.s
	c.boundary = s.boundary(c.boundary[:0])
	c.measureHops()
	for {
		p, over := int32(-1), int64(0)
		for q, w := range s.Weight {
			if x := w - s.Limit[q]; x > over && !c.stuck[q] {
				p, over = int32(q), x
			}
		}
		if p < 0 {
			return false
		}
		if c.passOn(p) {
			clear(c.stuck)
			return true
		}
		c.stuck[p] = true
	}
}

// measureHops counts for every part the parts to pass through to one with
// room; -1 where there is no way.
func (c *chains) measureHops() {
	s := c.s
	adjacent := make(map[[2]int32]bool)
	next := make([][]int32, s.K)
	for _, v := range c.boundary {
		p := s.Part[v]
		parts, _ := s.Row(v)
		for _, q := range parts {
			if pair := [2]int32{q, p}; q != p && !adjacent[pair] {
				adjacent[pair] = true
				next[q] = append(next[q], p)
			}
		}
	}
	var queue []int32
	for p := range c.hops {
		c.hops[p] = -1
		if s.Weight[p] < s.Limit[p] {
			c.hops[p] = 0
			queue = append(queue, int32(p))
		}
	}
	for at := 0; at < len(queue); at++ {
		for _, p := range next[queue[at]] {
			if c.hops[p] < 0 {
				c.hops[p] = c.hops[queue[at]] + 1
				queue = append(queue, p)
			}
		}
	}
}

// target returns where v should go to bring weight nearer to a part with
// room: the part it is tied to most among those one hop on.
func (c *chains) target(v int32) (to int32, gain int64) {
	s := c.s
	from := s.Part[v]
	if s.IsFixed(v) || s.Count[from] == 1 || s.Graph.VertexWeights[v] == 0 {
		return -1, 0
	}
	w := s.Graph.VertexWeights[v]
	parts, conn := s.Row(v)
	to = -1
	var inner, best int64
	for i, p := range parts {
		switch {
		case p == from:
			inner = conn[i]
		case !c.leads(from, p) || !c.admits(from, p, w):
		case conn[i] > best:
			to, best = p, conn[i]
		}
	}
	return to, best - inner
}

// passOn moves vertices out of p until it is within its limit and tells
// whether it moved any.
func (c *chains) passOn(p int32) bool {
	s := c.s
	c.queue.Clear()
	for _, v := range c.boundary {
		if s.Part[v] == p {
			c.enqueue(v)
		}
	}
	passed := false
	for s.Weight[p] > s.Limit[p] && !c.queue.Empty() && !c.stop() {
		v, key := c.queue.Top()
		c.queue.Remove(v)
		to, gain := c.target(v)
		if to < 0 {
			continue
		}
		if now := relativeGain(gain, s.Graph.VertexWeights[v]); now < key {
			c.queue.Set(v, now)
			continue
		}
		if !c.moveBranch(v, to, key) {
			continue
		}
		passed = true
		for _, u := range c.branch.vertices {
			for _, x := range s.Graph.NeighboursOf(u) {
				if s.Part[x] == p {
					c.enqueue(x)
				}
			}
		}
	}
	return passed
}

func (c *chains) enqueue(v int32) {
	if to, gain := c.target(v); to >= 0 {
		c.queue.Set(v, relativeGain(gain, c.s.Graph.VertexWeights[v]))
	}
}

// moveBranch moves v and what would break off without it, or puts v back into
// the queue where that is worth less than the key said.
func (c *chains) moveBranch(v, to int32, key int64) bool {
	s := c.s
	p := s.Part[v]
	pieces, ok := c.connected.without(v)
	if !ok || !c.branch.set(s, v, pieces) {
		return false
	}
	if len(pieces) > 0 {
		var gain int64
		to, gain = c.branch.best(s, p, func(to int32) bool { return c.leads(p, to) && c.admits(p, to, c.branch.weight) })
		if to < 0 {
			return false
		}
		if now := relativeGain(gain, c.branch.weight); now < key {
			c.queue.Set(v, now)
			return false
		}
	}
	for _, u := range c.branch.vertices {
		if c.queue.contains(u) {
			c.queue.Remove(u)
		}
		s.Move(u, to)
	}
	return true
}

// admits tells whether part to may take weight w from an overloaded part: if it
// has room, or if it is to pass it on and the overload does not grow.
func (c *chains) admits(from, to int32, w int64) bool {
	room := c.s.Limit[to] - c.s.Weight[to]
	over := c.s.Weight[from] - c.s.Limit[from]
	return w <= room || c.hops[to] > 0 && (w <= over || w-room <= over)
}

// leads tells whether to is nearer than from to a part with room.
func (c *chains) leads(from, to int32) bool {
	return c.hops[to] >= 0 && (c.hops[from] < 0 || c.hops[to] < c.hops[from])
}

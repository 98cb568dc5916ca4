package partition

// DisconnectedPartsOf returns how many of k parts are not connected within
// themselves.
func DisconnectedPartsOf(g *Graph, parts []int32, k int) int {
	pieces := make([]int, k)
	for _, f := range fragments(g, parts) {
		pieces[parts[f[0]]]++
	}
	broken := 0
	for _, n := range pieces {
		if n > 1 {
			broken++
		}
	}
	return broken
}

// fragments lists the connected pieces of all parts.
func fragments(g *Graph, parts []int32) [][]int32 {
	n := g.Vertices()
	seen := make([]bool, n)
	queue := make([]int32, 0, n)
	var pieces [][]int32
	for v := range n {
		if seen[v] {
			continue
		}
		begin := len(queue)
		queue = append(queue, int32(v))
		seen[v] = true
		for at := begin; at < len(queue); at++ {
			u := queue[at]
			for _, x := range g.Neighbours[g.Offsets[u]:g.Offsets[u+1]] {
				if !seen[x] && parts[x] == parts[u] {
					seen[x] = true
					queue = append(queue, x)
				}
			}
		}
		pieces = append(pieces, queue[begin:len(queue):len(queue)])
	}
	return pieces
}

// connectParts joins every piece of a part but its heaviest to the part it is
// tied to most, then restores balance and improves the cut by moves that keep
// all parts connected.
func (t *task) connectParts(s *state, c *levelConfig, r *random) {
	for range s.k + 8 {
		if !joinFragments(s) {
			break
		}
	}
	f := newFM(s, r, 2*c.patience, t.stopped)
	f.connected = newConnectivity(s)
	f.slack = heaviestOf(s.g)
	for range 4 {
		f.relieveConnected()
		f.refine(c.rounds)
		if s.overload() == 0 || t.stopped() {
			return
		}
	}
}

// joinFragments moves each lesser piece once and tells whether it moved any.
func joinFragments(s *state) bool {
	pieces := fragments(s.g, s.part)
	main := make([]int, s.k)
	weights := make([]int64, len(pieces))
	for p := range main {
		main[p] = -1
	}
	for i, piece := range pieces {
		for _, v := range piece {
			weights[i] += s.g.VertexWeights[v]
		}
		p := s.part[piece[0]]
		if m := main[p]; m < 0 || weights[i] > weights[m] || weights[i] == weights[m] && len(piece) > len(pieces[m]) {
			main[p] = i
		}
	}
	tie := make([]int64, s.k)
	moved := false
	for i, piece := range pieces {
		if main[s.part[piece[0]]] == i {
			continue
		}
		if to := s.bestHome(piece, weights[i], tie); to >= 0 {
			for _, v := range piece {
				s.move(v, to)
			}
			moved = true
		}
	}
	return moved
}

// bestHome returns the part a piece should join: the one it is tied to most
// among those with room, or among all if none has; -1 if it touches none or
// may not move.
func (s *state) bestHome(piece []int32, weight int64, tie []int64) int32 {
	clear(tie)
	for _, v := range piece {
		if s.isFixed(v) {
			return -1
		}
		parts, conn := s.row(v)
		for i, p := range parts {
			tie[p] += conn[i]
		}
	}
	from := s.part[piece[0]]
	best, bestRoom := int32(-1), false
	for p, w := range tie {
		if int32(p) == from || w == 0 {
			continue
		}
		room := s.weight[p]+weight <= s.limit[p]
		if best < 0 || room && !bestRoom || room == bestRoom && w > tie[best] {
			best, bestRoom = int32(p), room
		}
	}
	return best
}

// connectivity answers whether a part stays connected without a vertex.
type connectivity struct {
	s     *state
	seen  []int32
	stamp int32
	queue []int32
}

func newConnectivity(s *state) *connectivity {
	return &connectivity{s: s, seen: make([]int32, len(s.part))}
}

// without tells whether v's neighbours in its part reach each other without
// v.
func (c *connectivity) without(v int32) bool {
	g, part := c.s.g, c.s.part
	p := part[v]
	c.stamp++
	wanted := 0
	c.queue = c.queue[:0]
	// Marks: stamp·2 wanted, stamp·2+1 reached.
	want, reached := 2*c.stamp, 2*c.stamp+1
	c.seen[v] = reached
	for _, u := range g.Neighbours[g.Offsets[v]:g.Offsets[v+1]] {
		if part[u] == p {
			c.seen[u] = want
			wanted++
			if wanted == 1 {
				c.queue = append(c.queue, u)
				c.seen[u] = reached
			}
		}
	}
	wanted--
	for at := 0; at < len(c.queue) && wanted > 0; at++ {
		u := c.queue[at]
		for _, x := range g.Neighbours[g.Offsets[u]:g.Offsets[u+1]] {
			if part[x] != p || c.seen[x] == reached {
				continue
			}
			if c.seen[x] == want {
				wanted--
			}
			c.seen[x] = reached
			c.queue = append(c.queue, x)
		}
	}
	return wanted <= 0
}

// relieveConnected moves vertices from the part farthest above its limit to
// adjacent parts less loaded, least loss per weight first, as long as parts
// stay connected.
func (f *fm) relieveConnected() {
	s := f.s
	for range 4 * len(s.part) {
		p := s.mostOverloaded()
		if p < 0 || f.stop() {
			return
		}
		over := s.weight[p] - s.limit[p]
		bestV, bestTo, bestRating := int32(-1), int32(-1), int64(0)
		for v, q := range s.part {
			w := s.g.VertexWeights[v]
			if q != p || w == 0 || s.isFixed(int32(v)) || s.count[p] == 1 {
				continue
			}
			parts, conn := s.row(int32(v))
			inner := s.connection(int32(v), p)
			for i, to := range parts {
				if to == p || s.weight[to]+w-s.limit[to] >= over {
					continue
				}
				rating := relativeGain(conn[i]-inner, w)
				if (bestV < 0 || rating > bestRating) && f.connected.without(int32(v)) {
					bestV, bestTo, bestRating = int32(v), to, rating
				}
			}
		}
		if bestV < 0 {
			return
		}
		s.move(bestV, bestTo)
	}
}

// mostOverloaded returns the part farthest above its limit, or -1.
func (s *state) mostOverloaded() int32 {
	worst, over := int32(-1), int64(0)
	for p, w := range s.weight {
		if w-s.limit[p] > over {
			worst, over = int32(p), w-s.limit[p]
		}
	}
	return worst
}

// pieces counts the connected pieces of part p.
func (c *connectivity) pieces(p int32) int {
	g, part := c.s.g, c.s.part
	c.stamp++
	reached := 2*c.stamp + 1
	n := 0
	for v, q := range part {
		if q != p || c.seen[v] == reached {
			continue
		}
		n++
		c.seen[v] = reached
		c.queue = append(c.queue[:0], int32(v))
		for at := 0; at < len(c.queue); at++ {
			u := c.queue[at]
			for _, x := range g.Neighbours[g.Offsets[u]:g.Offsets[u+1]] {
				if part[x] == p && c.seen[x] != reached {
					c.seen[x] = reached
					c.queue = append(c.queue, x)
				}
			}
		}
	}
	return n
}

package partition

import (
	"cmp"

	"carina/internal/heap"
	"carina/internal/random"
	"carina/partition/graph"
)

// packing is an assignment of vertices to parts that looks at weights only.
type packing struct {
	parts  []int32
	weight []int64
	over   int64 // weight above the effective limits
}

// packVertices packs heaviest first, each vertex to the part with the most
// room left (worst fit), and if that breaks a limit, to the part with the
// least sufficient room (best fit), and if that breaks one too, searches. It
// returns the best found.
func packVertices(g *graph.Graph, fixed []int32, l *limits, stop func() bool) *packing {
	order := heaviestFirst(g, stop)
	worst := packWorstFit(g, fixed, l, order)
	if worst.over == 0 || stop() {
		return worst
	}
	best := packBestFit(g, fixed, l, order, stop)
	if best == nil {
		return worst
	}
	if best.over == 0 {
		return best
	}
	if exact := packBySearch(g, fixed, l, order, stop); exact != nil {
		return exact
	}
	if best.over < worst.over {
		return best
	}
	return worst
}

// heaviestFirst lists all vertices by weight; if stopped, not in order.
func heaviestFirst(g *graph.Graph, stop func() bool) []int32 {
	return sortUntilStopped(graph.Numbers(g.Vertices()), func(a, b int32) int {
		return cmp.Or(cmp.Compare(g.VertexWeight(b), g.VertexWeight(a)), cmp.Compare(a, b))
	}, stop)
}

// startPacking starts a packing with the vertices that have no choice and returns
// the others in the given order.
func startPacking(g *graph.Graph, fixed []int32, l *limits, order []int32) (*packing, []int32) {
	p := &packing{parts: make([]int32, g.Vertices()), weight: make([]int64, len(l.effective))}
	free := make([]int32, 0, len(order))
	for _, v := range order {
		if own, ok := l.own[v]; ok {
			p.put(g, v, own)
		} else if fixed != nil && fixed[v] >= 0 {
			p.put(g, v, fixed[v])
		} else {
			free = append(free, v)
		}
	}
	return p, free
}

func (p *packing) put(g *graph.Graph, v, part int32) {
	p.parts[v] = part
	p.weight[part] += g.VertexWeight(v)
}

func (p *packing) finish(l *limits) *packing {
	for q, w := range p.weight {
		p.over += max(w-l.effective[q], 0)
	}
	return p
}

func packWorstFit(g *graph.Graph, fixed []int32, l *limits, order []int32) *packing {
	p, free := startPacking(g, fixed, l, order)
	byRoom := heap.New(func(a, b int32) bool {
		return cmp.Or(cmp.Compare(p.room(l, b), p.room(l, a)), cmp.Compare(a, b)) < 0
	}, graph.Numbers(len(l.effective))...)
	for _, v := range free {
		p.put(g, v, byRoom.Top())
		byRoom.Fix()
	}
	return p.finish(l)
}

// packBestFit returns nil if stopped.
func packBestFit(g *graph.Graph, fixed []int32, l *limits, order []int32, stop func() bool) *packing {
	p, free := startPacking(g, fixed, l, order)
	for i, v := range free {
		if i%64 == 0 && stop() {
			return nil
		}
		best, bestRoom := int32(-1), int64(0)
		loosest, loosestRoom := int32(0), int64(0)
		for q := range l.effective {
			room := l.effective[q] - p.weight[q] - g.VertexWeight(v)
			if room >= 0 && (best < 0 || room < bestRoom) {
				best, bestRoom = int32(q), room
			}
			if q == 0 || room > loosestRoom {
				loosest, loosestRoom = int32(q), room
			}
		}
		if best < 0 {
			best = loosest
		}
		p.put(g, v, best)
	}
	return p.finish(l)
}

// packInPlace packs heaviest first, each vertex where it is if there is room, else
// into the part with room that it is tied to most, else into the one with most
// room. Where few parts are too heavy, few vertices move: those that a heavier
// one displaces, and those that these displace. It returns nil if stopped.
func packInPlace(g *graph.Graph, fixed []int32, l *limits, parts []int32, stop func() bool) *packing {
	p, free := startPacking(g, fixed, l, heaviestFirst(g, stop))
	for _, v := range free {
		p.parts[v] = parts[v]
	}
	for i, v := range free {
		if i%64 == 0 && stop() {
			return nil
		}
		to := p.parts[v]
		if p.room(l, to) < g.VertexWeight(v) {
			to = p.nearestWithRoom(g, l, v)
		}
		p.put(g, v, to)
	}
	return p.finish(l)
}

// room is what a part may take yet.
func (p *packing) room(l *limits, part int32) int64 { return l.effective[part] - p.weight[part] }

// nearestWithRoom returns the part that v is tied to most of those that have
// room for it, or the one with most room.
func (p *packing) nearestWithRoom(g *graph.Graph, l *limits, v int32) int32 {
	ties := map[int32]int64{}
	best := int32(-1)
	for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
		q := p.parts[g.Neighbours[e]]
		if p.room(l, q) < g.VertexWeight(v) {
			continue
		}
		ties[q] += g.EdgeWeight(e)
		if best < 0 || ties[q] > ties[best] || ties[q] == ties[best] && q < best {
			best = q
		}
	}
	if best >= 0 {
		return best
	}
	return p.roomiest(l)
}

// roomiest returns the part with most room.
func (p *packing) roomiest(l *limits) int32 {
	best := int32(0)
	for q := range int32(len(p.weight)) {
		if p.room(l, q) > p.room(l, best) {
			best = q
		}
	}
	return best
}

// Bounds of packBySearch: vertices that are searched over, heaviest first, and
// placements tried.
const (
	searchedVertices = 2000
	searchedSteps    = 1 << 26 // times parts
	searchedStates   = 1 << 18
)

// packBySearch looks for a packing within the limits by backtracking: heaviest
// first, each vertex into the tightest parts first, parts with equal room tried
// once, and rooms from which a search has failed not again. It returns nil if it
// finds none within its bounds; vertices beyond searchedVertices, the lightest, are
// placed by best fit.
func packBySearch(g *graph.Graph, fixed []int32, l *limits, order []int32, stop func() bool) *packing {
	p, free := startPacking(g, fixed, l, order)
	room := make([]int64, len(p.weight))
	for q := range room {
		if room[q] = p.room(l, int32(q)); room[q] < 0 {
			return nil
		}
	}
	s := &packSearch{g: g, l: l, p: p, free: free, steps: searchedSteps / len(l.effective), stop: stop, failed: map[packState]bool{}}
	searched := free[:min(len(free), searchedVertices)]
	s.filling = newFilling(g, searched, room)
	s.spare = s.filling.spare(g, searched, room)
	for _, r := range room {
		s.rooms += roomHash(r)
	}
	if !s.place(0) {
		return nil
	}
	return p
}

// packSearch is the state of packBySearch.
type packSearch struct {
	g     *graph.Graph
	l     *limits
	p     *packing
	free  []int32
	steps int
	stop  func() bool
	// rooms is the sum of the hashes of all parts' rooms, failed are states that have
	// no packing: which part has which room does not matter.
	rooms  uint64
	failed map[packState]bool
	// filling is of the vertices searched over, spare how much more the rooms can take
	// of them than is left.
	filling *filling
	spare   int64
}

// packState is which vertices are left and what room there is for them.
type packState struct {
	first int
	rooms uint64
}

func roomHash(room int64) uint64 { return random.Mix(uint64(room) + 1) }

// move adds to the weight of a part what is taken from what is left.
func (s *packSearch) move(part int32, w int64) {
	before := s.p.room(s.l, part)
	s.p.weight[part] += w
	s.rooms += roomHash(before-w) - roomHash(before)
	s.spare += s.filling.of(before-w) - s.filling.of(before) + s.filling.units(w)
}

// place finds parts for free[i] onward.
func (s *packSearch) place(i int) bool {
	if i == len(s.free) || i == searchedVertices {
		return s.placeRest(i)
	}
	state := packState{i, s.rooms}
	if s.spare < 0 || s.failed[state] {
		return false
	}
	w := s.g.VertexWeight(s.free[i])
	// Rooms from tightest on; each is tried once.
	for last := int64(-1); s.steps > 0 && !s.stop(); s.steps-- {
		best, bestRoom := int32(-1), int64(0)
		for q, limit := range s.l.effective {
			room := limit - s.p.weight[q] - w
			if room > last && (best < 0 || room < bestRoom) {
				best, bestRoom = int32(q), room
			}
		}
		if best < 0 {
			if len(s.failed) < searchedStates {
				s.failed[state] = true
			}
			return false
		}
		s.p.parts[s.free[i]] = best
		s.move(best, w)
		if s.place(i + 1) {
			return true
		}
		s.move(best, -w)
		last = bestRoom
	}
	return false
}

func (s *packSearch) placeRest(i int) bool {
	before := append([]int64(nil), s.p.weight...)
	s.steps -= len(s.free) - i
	for j, v := range s.free[i:] {
		if j%64 == 0 && s.stop() {
			return false
		}
		w := s.g.VertexWeight(v)
		best, bestRoom := int32(-1), int64(0)
		for q, limit := range s.l.effective {
			if room := limit - s.p.weight[q] - w; room >= 0 && (best < 0 || room < bestRoom) {
				best, bestRoom = int32(q), room
			}
		}
		if best < 0 {
			copy(s.p.weight, before)
			return false
		}
		s.p.put(s.g, v, best)
	}
	return true
}

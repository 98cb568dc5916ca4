package balance

import (
	"context"
	"math"
	"slices"

	"carina/cuboid"
)

// improver moves cuboids between neighbouring ranks while the predicted time
// of the slowest of the ranks concerned falls.
type improver struct {
	cost    *Cost
	ranks   []Rank
	owners  []int32
	seconds []float64 // work of each cuboid on a rank of speed 1
	offsets []int64   // CSR of what crosses, in bytes one way
	targets []int32
	bytes   []int64
	load    []rankLoad        // of each rank
	sent    []map[int32]int64 // bytes from each rank to each other
}

// rankLoad is what a rank has to do in a step.
type rankLoad struct {
	seconds         float64 // all but the latency
	inside, between int     // messages inside the host and to other hosts
}

// step returns the predicted time.
func (l rankLoad) step(c *Cost) float64 {
	switch {
	case l.between > 0 && (l.inside == 0 || c.Between.Latency > c.Inside.Latency):
		return l.seconds + c.Between.Latency
	case l.inside > 0:
		return l.seconds + c.Inside.Latency
	}
	return l.seconds
}

// improve lowers the predicted step time: it takes the slowest rank and moves
// one of its cuboids to a neighbouring rank where that leaves the slowest of
// all ranks concerned faster than before, until the slowest rank has no such
// cuboid. It changes owners and returns the number of moves.
func improve(ctx context.Context, cost *Cost, ranks []Rank, counts []cuboid.Counts, crossings []cuboid.Crossing, owners []int32) int {
	m := newImprover(cost, ranks, counts, crossings, owners)
	members := make([][]int32, len(ranks))
	for v, o := range owners {
		members[o] = append(members[o], int32(v))
	}
	moves := 0
	// Every move lowers the sorted list of step times, so that it ends; the
	// bound is for the time it may take.
	for limit := 4 * len(owners); moves < limit && ctx.Err() == nil; moves++ {
		slowest := int32(0)
		for r := range m.load {
			if m.load[r].step(cost) > m.load[slowest].step(cost) {
				slowest = int32(r)
			}
		}
		v, to, ok := m.best(slowest, members[slowest])
		if !ok {
			break
		}
		m.move(v, to)
		at := slices.Index(members[slowest], v)
		members[slowest] = slices.Delete(members[slowest], at, at+1)
		members[to] = append(members[to], v)
	}
	return moves
}

func newImprover(cost *Cost, ranks []Rank, counts []cuboid.Counts, crossings []cuboid.Crossing, owners []int32) *improver {
	g := Graph(cost, counts, crossings)
	m := &improver{
		cost: cost, ranks: ranks, owners: owners, offsets: g.Offsets, targets: g.Neighbours, bytes: g.EdgeWeights,
		seconds: make([]float64, len(counts)),
		load:    make([]rankLoad, len(ranks)), sent: make([]map[int32]int64, len(ranks)),
	}
	for r := range m.sent {
		m.sent[r] = make(map[int32]int64)
	}
	for i := range m.bytes {
		m.bytes[i] /= 2 // the graph counts both ways
	}
	for v, o := range owners {
		m.seconds[v] = cost.Seconds(counts[v])
		m.load[o].seconds += m.seconds[v] / ranks[o].Speed
		for e := m.offsets[v]; e < m.offsets[v+1]; e++ {
			m.sent[o][owners[m.targets[e]]] += m.bytes[e]
		}
	}
	for r := range ranks {
		to := make([]int32, 0, len(m.sent[r]))
		for q := range m.sent[r] {
			to = append(to, q)
		}
		slices.Sort(to) // sums must not depend on the order of a map
		for _, q := range to {
			m.change(&m.load[r], int32(r), q, m.sent[r][q], 1)
		}
	}
	return m
}

// change adds (sign 1) to a load, or takes off (−1), what rank r has to do to
// send bytes to rank q, or to copy them if q is r.
func (m *improver) change(l *rankLoad, r, q int32, bytes int64, sign int) {
	if bytes == 0 {
		return
	}
	if r == q {
		l.seconds += float64(sign) * float64(bytes) * m.cost.CopyPerByte / m.ranks[r].Speed
		return
	}
	l.seconds += float64(sign) * m.cost.link(m.ranks, r, q).message(bytes)
	if m.ranks[r].Host == m.ranks[q].Host {
		l.inside += sign
	} else {
		l.between += sign
	}
}

// shift says how a move alters the bytes between two ranks, each way; from may
// be to.
type shift struct {
	from, to int32
	bytes    int64
}

// changes lists what moving cuboid v to rank q alters, one entry for each pair
// of ranks, beginning with the pair of the old owner and q, and what crosses
// between v and each rank.
func (m *improver) changes(v, q int32) []shift {
	p := m.owners[v]
	// with[r] is what v sends to cuboids of rank r.
	var with []shift
	for e := m.offsets[v]; e < m.offsets[v+1]; e++ {
		r := m.owners[m.targets[e]]
		i := slices.IndexFunc(with, func(c shift) bool { return c.to == r })
		if i < 0 {
			with = append(with, shift{to: r})
			i = len(with) - 1
		}
		with[i].bytes += m.bytes[e]
	}
	list := []shift{{from: p, to: q}, {from: p, to: p}, {from: q, to: q}}
	for _, w := range with {
		switch w.to {
		case p: // copies within p become messages
			list[0].bytes += w.bytes
			list[1].bytes -= 2 * w.bytes
		case q: // messages become copies within q
			list[0].bytes -= w.bytes
			list[2].bytes += 2 * w.bytes
		default:
			list = append(list, shift{p, w.to, -w.bytes}, shift{q, w.to, w.bytes})
		}
	}
	return list
}

// after returns the loads, after a move, of the ranks it touches.
func (m *improver) after(v, q int32, list []shift) map[int32]rankLoad {
	p := m.owners[v]
	loads := map[int32]rankLoad{p: m.load[p], q: m.load[q]}
	work := func(r int32, sign float64) {
		l := loads[r]
		l.seconds += sign * m.seconds[v] / m.ranks[r].Speed
		loads[r] = l
	}
	work(p, -1)
	work(q, 1)
	alter := func(r, s int32, bytes int64) {
		l, ok := loads[r]
		if !ok {
			l = m.load[r]
		}
		m.change(&l, r, s, m.sent[r][s], -1)
		m.change(&l, r, s, m.sent[r][s]+bytes, 1)
		loads[r] = l
	}
	for _, c := range list {
		alter(c.from, c.to, c.bytes)
		if c.from != c.to {
			alter(c.to, c.from, c.bytes)
		}
	}
	return loads
}

// best returns the move of one of the members of rank p that leaves the
// slowest of the ranks concerned fastest, if that is faster than p is now.
func (m *improver) best(p int32, members []int32) (v, to int32, ok bool) {
	if len(members) < 2 {
		return 0, 0, false
	}
	// A gain too small to matter would only make work.
	limit := m.load[p].step(m.cost) * (1 - 1e-6)
	for _, u := range members {
		for _, q := range m.adjacent(u) {
			worst := 0.0
			for _, l := range m.after(u, q, m.changes(u, q)) {
				worst = math.Max(worst, l.step(m.cost))
			}
			if worst < limit {
				limit, v, to, ok = worst, u, q, true
			}
		}
	}
	return v, to, ok
}

// adjacent returns the other ranks that cuboid v exchanges with, in the order
// of its edges.
func (m *improver) adjacent(v int32) []int32 {
	var list []int32
	for e := m.offsets[v]; e < m.offsets[v+1]; e++ {
		if r := m.owners[m.targets[e]]; r != m.owners[v] && !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
}

// move makes a move.
func (m *improver) move(v, q int32) {
	list := m.changes(v, q)
	for r, l := range m.after(v, q, list) {
		m.load[r] = l
	}
	for _, c := range list {
		m.sent[c.from][c.to] += c.bytes
		if c.from != c.to {
			m.sent[c.to][c.from] += c.bytes
		}
	}
	m.owners[v] = q
}

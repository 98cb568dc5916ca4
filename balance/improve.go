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
	step    []float64         // predicted time of each rank
	sent    []map[int32]int64 // bytes from each rank to each other
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
		for r := range m.step {
			if m.step[r] > m.step[slowest] {
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
		step:    make([]float64, len(ranks)), sent: make([]map[int32]int64, len(ranks)),
	}
	for r := range m.sent {
		m.sent[r] = make(map[int32]int64)
	}
	for i := range m.bytes {
		m.bytes[i] /= 2 // the graph counts both ways
	}
	for v, o := range owners {
		m.seconds[v] = cost.Seconds(counts[v])
		m.step[o] += m.seconds[v] / ranks[o].Speed
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
			m.step[r] += m.exchange(int32(r), q, m.sent[r][q])
		}
	}
	return m
}

// exchange returns the time that rank r spends on sending bytes to rank q, or
// on copying them if q is r.
func (m *improver) exchange(r, q int32, bytes int64) float64 {
	switch {
	case bytes == 0:
		return 0
	case r == q:
		return float64(bytes) * m.cost.CopyPerByte / m.ranks[r].Speed
	}
	return m.cost.message(m.ranks, exchange{r, q, bytes})
}

// change says how a move alters the bytes between two ranks, each way, and so
// the step time of both; from may be to.
type change struct {
	from, to int32
	bytes    int64
}

// changes lists what moving cuboid v to rank q alters, one entry for each pair
// of ranks, beginning with the pair of the old owner and q, and what crosses
// between v and each rank.
func (m *improver) changes(v, q int32) []change {
	p := m.owners[v]
	// with[r] is what v sends to cuboids of rank r.
	var with []change
	for e := m.offsets[v]; e < m.offsets[v+1]; e++ {
		r := m.owners[m.targets[e]]
		i := slices.IndexFunc(with, func(c change) bool { return c.to == r })
		if i < 0 {
			with = append(with, change{to: r})
			i = len(with) - 1
		}
		with[i].bytes += m.bytes[e]
	}
	list := []change{{from: p, to: q}, {from: p, to: p}, {from: q, to: q}}
	for _, w := range with {
		switch w.to {
		case p: // copies within p become messages
			list[0].bytes += w.bytes
			list[1].bytes -= 2 * w.bytes
		case q: // messages become copies within q
			list[0].bytes -= w.bytes
			list[2].bytes += 2 * w.bytes
		default:
			list = append(list, change{p, w.to, -w.bytes}, change{q, w.to, w.bytes})
		}
	}
	return list
}

// after returns the step times, after a move, of the ranks it touches.
func (m *improver) after(v, q int32, list []change) map[int32]float64 {
	p := m.owners[v]
	times := map[int32]float64{
		p: m.step[p] - m.seconds[v]/m.ranks[p].Speed,
		q: m.step[q] + m.seconds[v]/m.ranks[q].Speed,
	}
	shift := func(r, s int32, bytes int64) {
		if _, ok := times[r]; !ok {
			times[r] = m.step[r]
		}
		times[r] += m.exchange(r, s, m.sent[r][s]+bytes) - m.exchange(r, s, m.sent[r][s])
	}
	for _, c := range list {
		shift(c.from, c.to, c.bytes)
		if c.from != c.to {
			shift(c.to, c.from, c.bytes)
		}
	}
	return times
}

// best returns the move of one of the members of rank p that leaves the
// slowest of the ranks concerned fastest, if that is faster than p is now.
func (m *improver) best(p int32, members []int32) (v, to int32, ok bool) {
	if len(members) < 2 {
		return 0, 0, false
	}
	// A gain too small to matter would only make work.
	limit := m.step[p] * (1 - 1e-6)
	for _, u := range members {
		for _, q := range m.adjacent(u) {
			worst := 0.0
			for _, t := range m.after(u, q, m.changes(u, q)) {
				worst = math.Max(worst, t)
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
	for r, t := range m.after(v, q, list) {
		m.step[r] = t
	}
	for _, c := range list {
		m.sent[c.from][c.to] += c.bytes
		if c.from != c.to {
			m.sent[c.to][c.from] += c.bytes
		}
	}
	m.owners[v] = q
}

package balance

import (
	"cmp"
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
	members [][]int32         // cuboids of each rank
	hosts   map[int][]int32   // ranks of each host
	load    []rankLoad        // of each rank
	sent    []map[int32]int64 // bytes from each rank to each other, as many as back

	with, shifts  []shift // for use again
	first, second []touched
	moved         []touched
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

// improvePasses bounds the passes over the slow ranks; most gain comes in the
// first few.
const improvePasses = 20

// improve lowers the predicted step time: slow ranks, the slowest first, move
// one of their cuboids to another rank, or swap it for a lighter one, where that
// leaves the slowest of all ranks concerned faster than before. A rank that
// finds nothing gets another chance once others have made room. It changes
// owners and returns the number of moves.
func improve(ctx context.Context, cost *Cost, ranks []Rank, counts []cuboid.Counts, crossings []cuboid.Crossing, owners []int32) int {
	m := newImprover(cost, ranks, counts, crossings, owners)
	return m.relieveAll(ctx)
}

// improveAndSave is improve with moves in between that save time over all,
// which makes room for more.
func improveAndSave(ctx context.Context, cost *Cost, ranks []Rank, counts []cuboid.Counts, crossings []cuboid.Crossing, owners []int32) {
	m := newImprover(cost, ranks, counts, crossings, owners)
	m.relieveAll(ctx)
	for range savingPasses {
		if ctx.Err() != nil || m.saveAll()+m.relieveAll(ctx) == 0 {
			return
		}
	}
}

// relieveAll relieves slow ranks until none can be and returns the number of
// moves.
func (m *improver) relieveAll(ctx context.Context) int {
	moves := 0
	// Every move lowers the sorted list of step times, so that it ends; the
	// bounds are for the time it may take.
	for range improvePasses {
		before := moves
		for _, p := range m.slow() {
			for moves < 4*len(m.owners) && ctx.Err() == nil && m.relieve(p) {
				moves++
			}
		}
		if moves == before {
			break
		}
	}
	return moves
}

// slow lists the ranks in the upper half between the mean step time and the
// slowest one's, the slowest first.
func (m *improver) slow() []int32 {
	mean, slowest := 0.0, 0.0
	for r := range m.load {
		t := m.load[r].step(m.cost)
		mean += t / float64(len(m.load))
		slowest = math.Max(slowest, t)
	}
	var list []int32
	for r := range m.load {
		if m.load[r].step(m.cost) > (mean+slowest)/2 {
			list = append(list, int32(r))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int {
		return cmp.Compare(m.load[b].step(m.cost), m.load[a].step(m.cost))
	})
	return list
}

// relieve makes rank p faster by a move or, if there is none, a swap.
func (m *improver) relieve(p int32) bool {
	if v, to, ok := m.best(p); ok {
		m.move(v, to)
		return true
	}
	u, w, ok := m.bestSwap(p)
	if ok {
		to := m.owners[w]
		m.move(u, to)
		m.move(w, p)
	}
	return ok
}

func newImprover(cost *Cost, ranks []Rank, counts []cuboid.Counts, crossings []cuboid.Crossing, owners []int32) *improver {
	g := Graph(cost, counts, crossings)
	m := &improver{
		cost: cost, ranks: ranks, owners: owners, offsets: g.Offsets, targets: g.Neighbours, bytes: g.EdgeWeights,
		seconds: make([]float64, len(counts)),
		load:    make([]rankLoad, len(ranks)), sent: make([]map[int32]int64, len(ranks)),
		members: make([][]int32, len(ranks)), hosts: make(map[int][]int32),
	}
	for r := range m.sent {
		m.sent[r] = make(map[int32]int64)
		m.hosts[ranks[r].Host] = append(m.hosts[ranks[r].Host], int32(r))
	}
	for i := range m.bytes {
		m.bytes[i] /= 2 // the graph counts both ways
	}
	for v, o := range owners {
		m.members[o] = append(m.members[o], int32(v))
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
	l.seconds += float64(sign) * m.cost.network(m.ranks, r, q).message(bytes)
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

// changes appends to list what moving cuboid v to rank q alters, one entry for
// each pair of ranks, beginning with the pair of the old owner and q, and what
// crosses between v and each rank.
func (m *improver) changes(list []shift, v, q int32) []shift {
	p := m.owners[v]
	// with[r] is what v sends to cuboids of rank r.
	with := m.with[:0]
	for e := m.offsets[v]; e < m.offsets[v+1]; e++ {
		r := m.owners[m.targets[e]]
		i := slices.IndexFunc(with, func(c shift) bool { return c.to == r })
		if i < 0 {
			with = append(with, shift{to: r})
			i = len(with) - 1
		}
		with[i].bytes += m.bytes[e]
	}
	m.with = with
	list = append(list, shift{from: p, to: q}, shift{from: p, to: p}, shift{from: q, to: q})
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

// touched is the load that a rank would have.
type touched struct {
	rank int32
	load rankLoad
}

// at returns the place of a rank in the list of loads, which it joins with its
// present load if it is not there yet.
func (m *improver) at(loads []touched, r int32) ([]touched, int) {
	for i := range loads {
		if loads[i].rank == r {
			return loads, i
		}
	}
	return append(loads, touched{r, m.load[r]}), len(loads)
}

// after appends to loads, which are empty, the loads of the ranks that a move
// touches, after it.
func (m *improver) after(loads []touched, v, q int32) []touched {
	p := m.owners[v]
	loads = append(loads, touched{p, m.load[p]}, touched{q, m.load[q]})
	loads[0].load.seconds -= m.seconds[v] / m.ranks[p].Speed
	loads[1].load.seconds += m.seconds[v] / m.ranks[q].Speed
	alter := func(r, s int32, before, bytes int64) {
		var i int
		loads, i = m.at(loads, r)
		m.change(&loads[i].load, r, s, before, -1)
		m.change(&loads[i].load, r, s, before+bytes, 1)
	}
	m.shifts = m.changes(m.shifts[:0], v, q)
	for _, c := range m.shifts {
		before := m.sent[c.from][c.to] // as much as the other way
		alter(c.from, c.to, before, c.bytes)
		if c.from != c.to {
			alter(c.to, c.from, before, c.bytes)
		}
	}
	return loads
}

// lowers is how much faster, as a fraction, a move must make the slowest of the
// ranks it touches; less would only make work.
const lowers = 1e-6

// best returns the move of one of the cuboids of rank p that leaves the
// slowest of the ranks concerned fastest, if that is faster than p is now.
func (m *improver) best(p int32) (v, to int32, ok bool) {
	if len(m.members[p]) < 2 {
		return 0, 0, false
	}
	limit := m.load[p].step(m.cost) * (1 - lowers)
	idle := m.idle(p)
	for _, u := range m.members[p] {
		for _, q := range m.receivers(u, idle) {
			m.first = m.after(m.first[:0], u, q)
			if worst := m.slowest(m.first); worst < limit {
				limit, v, to, ok = worst, u, q, true
			}
		}
	}
	return v, to, ok
}

// fewMembers bounds the cuboids of ranks that swap some: those with many find
// one of the right size to move.
const fewMembers = 32

// manyCuboids is the number of cuboids beyond which there are no swaps: there
// are too many pairs to try.
const manyCuboids = 50_000

// bestSwap returns a cuboid of rank p and one of another rank, whose exchange
// leaves the slowest of the ranks concerned fastest, if that is faster than p
// is now.
func (m *improver) bestSwap(p int32) (u, w int32, ok bool) {
	if len(m.members[p]) > fewMembers || len(m.owners) > manyCuboids {
		return 0, 0, false
	}
	limit := m.load[p].step(m.cost) * (1 - lowers)
	idle := m.idle(p)
	for _, mine := range slices.Clone(m.members[p]) {
		for _, q := range m.receivers(mine, idle) {
			if len(m.members[q]) > fewMembers {
				continue
			}
			for _, theirs := range slices.Clone(m.members[q]) {
				work := m.seconds[mine] - m.seconds[theirs]
				if work <= 0 || m.load[q].step(m.cost)+work/m.ranks[q].Speed >= limit {
					continue
				}
				if worst := m.slowest(m.afterSwap(mine, theirs)); worst < limit {
					limit, u, w, ok = worst, mine, theirs, true
				}
			}
		}
	}
	return u, w, ok
}

// afterSwap returns the loads, after two cuboids changed places, of the ranks
// that it touches. They are good until the next call.
func (m *improver) afterSwap(mine, theirs int32) []touched {
	p, q := m.owners[mine], m.owners[theirs]
	m.first = m.after(m.first[:0], mine, q)
	m.apply(mine, q, m.first)
	m.second = m.after(m.second[:0], theirs, p)
	m.move(mine, p)
	for _, f := range m.first {
		if !slices.ContainsFunc(m.second, func(t touched) bool { return t.rank == f.rank }) {
			m.second = append(m.second, f)
		}
	}
	return m.second
}

// slowest returns the longest step time of some ranks.
func (m *improver) slowest(loads []touched) float64 {
	worst := 0.0
	for i := range loads {
		worst = math.Max(worst, loads[i].load.step(m.cost))
	}
	return worst
}

// fewRanks bounds the hosts all of whose ranks a cuboid may move to; in larger
// ones it is the fastest rank besides those it exchanges with.
const fewRanks = 16

// idle returns the ranks of a rank's host that are faster than it, or the
// fastest of them if there are many in the host.
func (m *improver) idle(p int32) []int32 {
	host := m.hosts[m.ranks[p].Host]
	var list []int32
	for _, r := range host {
		if m.load[r].step(m.cost) >= m.load[p].step(m.cost) {
			continue
		}
		switch {
		case len(host) <= fewRanks || len(list) == 0:
			list = append(list, r)
		case m.load[r].step(m.cost) < m.load[list[0]].step(m.cost):
			list[0] = r
		}
	}
	return list
}

// receivers returns the ranks that a cuboid may move to: those it exchanges
// with, and what is idle in its host.
func (m *improver) receivers(u int32, idle []int32) []int32 {
	list := m.adjacent(u)
	for _, r := range idle {
		if !slices.Contains(list, r) {
			list = append(list, r)
		}
	}
	return list
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
	m.moved = m.after(m.moved[:0], v, q)
	m.apply(v, q, m.moved)
}

// apply makes a move whose loads and shifts after has just told.
func (m *improver) apply(v, q int32, loads []touched) {
	for _, t := range loads {
		m.load[t.rank] = t.load
	}
	for _, c := range m.shifts {
		m.sent[c.from][c.to] += c.bytes
		if c.from != c.to {
			m.sent[c.to][c.from] += c.bytes
		}
	}
	p := m.owners[v]
	at := slices.Index(m.members[p], v)
	m.members[p] = slices.Delete(m.members[p], at, at+1)
	m.members[q] = append(m.members[q], v)
	m.owners[v] = q
}

package rebalance

import (
	"math"
	"slices"
)

// assignment is owners of vertices, and what they cost every rank.
type assignment struct {
	*Problem
	seconds        [][]float64 // by kind and vertex
	speed          []float64
	owners         []int32
	members        [][]int32
	place          []int32   // of every vertex among the members of its rank
	work, crossing []float64 // seconds of every rank
	cells          []int64
	with           []tie // for use again
}

// tie is what crosses between a vertex and a rank, in bytes both ways.
type tie struct {
	rank  int32
	bytes int64
}

func newAssignment(p *Problem, seconds [][]float64, speed []float64, owners []int32) *assignment {
	n := len(p.Ranks)
	a := &assignment{Problem: p, seconds: seconds, speed: speed, owners: slices.Clone(owners), members: make([][]int32, n),
		place: make([]int32, len(owners)), work: make([]float64, n), crossing: make([]float64, n), cells: make([]int64, n)}
	for r, list := range a.room(owners) {
		a.members[r] = list
	}
	for v, r := range owners {
		a.place[v] = int32(len(a.members[r]))
		a.members[r] = append(a.members[r], int32(v))
		a.work[r] += a.needs(int32(v), r)
		a.cells[r] += p.Cells[v]
		for e := p.Graph.Offsets[v]; e < p.Graph.Offsets[v+1]; e++ {
			if q := owners[p.Graph.Neighbours[e]]; q != r {
				a.crossing[r] += a.sends(r, q, p.Graph.EdgeWeights[e])
			}
		}
	}
	return a
}

// room returns empty lists, one behind the other, for the members of every rank.
func (a *assignment) room(owners []int32) [][]int32 {
	count := make([]int, len(a.Ranks))
	for _, r := range owners {
		count[r]++
	}
	all, lists := make([]int32, len(owners)), make([][]int32, len(count))
	for r, n := range count {
		lists[r], all = all[:0:n], all[n:]
	}
	return lists
}

// clone returns a copy that can be changed.
func (a *assignment) clone() *assignment {
	b := *a
	b.owners, b.place, b.with = slices.Clone(a.owners), slices.Clone(a.place), nil
	b.work, b.crossing, b.cells = slices.Clone(a.work), slices.Clone(a.crossing), slices.Clone(a.cells)
	b.members = a.room(a.owners)
	for r, list := range a.members {
		b.members[r] = append(b.members[r], list...)
	}
	return &b
}

// anew is the same with all sums taken again.
func (a *assignment) anew() *assignment {
	return newAssignment(a.Problem, a.seconds, a.speed, a.owners)
}

// needs is the time that a rank needs for a vertex.
func (a *assignment) needs(v, r int32) float64 { return a.seconds[a.Ranks[r].Kind][v] / a.speed[r] }

// sends is the time that a rank needs to exchange bytes, both ways together, with
// another.
func (a *assignment) sends(r, q int32, bytes int64) float64 {
	kind := &a.Kinds[a.Ranks[r].Kind]
	if a.Ranks[r].Host == a.Ranks[q].Host {
		return kind.Inside * float64(bytes) / 2
	}
	return kind.Between * float64(bytes) / 2
}

func (a *assignment) load(r int32) float64 { return a.work[r] + a.crossing[r] }

// slowestRank is the first of those that need longest.
func (a *assignment) slowestRank() int32 {
	var worst int32
	for r := range a.work {
		if a.load(int32(r)) > a.load(worst) {
			worst = int32(r)
		}
	}
	return worst
}

func (a *assignment) slowest() float64 { return a.load(a.slowestRank()) }

// ties lists what vertex v exchanges with each rank. The list is good until the
// next call.
func (a *assignment) ties(v int32) []tie {
	a.with = a.with[:0]
	for e := a.Graph.Offsets[v]; e < a.Graph.Offsets[v+1]; e++ {
		r := a.owners[a.Graph.Neighbours[e]]
		i := slices.IndexFunc(a.with, func(t tie) bool { return t.rank == r })
		if i < 0 {
			i, a.with = len(a.with), append(a.with, tie{rank: r})
		}
		a.with[i].bytes += a.Graph.EdgeWeights[e]
	}
	return a.with
}

// after returns the loads of a vertex's owner and of rank q if q had it.
func (a *assignment) after(v, q int32, with []tie) (giver, receiver float64) {
	p := a.owners[v]
	giver, receiver = a.load(p)-a.needs(v, p), a.load(q)+a.needs(v, q)
	for _, t := range with {
		switch t.rank {
		case p:
			giver += a.sends(p, q, t.bytes)
			receiver += a.sends(q, p, t.bytes)
		case q:
			giver -= a.sends(p, q, t.bytes)
			receiver -= a.sends(q, p, t.bytes)
		default:
			giver -= a.sends(p, t.rank, t.bytes)
			receiver += a.sends(q, t.rank, t.bytes)
		}
	}
	return giver, receiver
}

// holds tells whether a rank's memory has room for a vertex more.
func (a *assignment) holds(v, q int32) bool {
	most := a.Ranks[q].Cells
	return most == 0 || a.cells[q]+a.Cells[v] <= most
}

// give makes rank q the owner of vertex v.
func (a *assignment) give(v, q int32) {
	p := a.owners[v]
	with := a.ties(v)
	giver, receiver := a.after(v, q, with)
	for _, t := range with {
		if t.rank != p && t.rank != q {
			a.crossing[t.rank] += a.sends(t.rank, q, t.bytes) - a.sends(t.rank, p, t.bytes)
		}
	}
	a.work[p] -= a.needs(v, p)
	a.work[q] += a.needs(v, q)
	a.crossing[p], a.crossing[q] = giver-a.work[p], receiver-a.work[q]
	a.cells[p] -= a.Cells[v]
	a.cells[q] += a.Cells[v]
	list := a.members[p]
	last := list[len(list)-1]
	list[a.place[v]], a.place[last] = last, a.place[v]
	a.members[p] = list[:len(list)-1]
	a.place[v] = int32(len(a.members[q]))
	a.members[q] = append(a.members[q], v)
	a.owners[v] = q
}

// reference is the work of a vertex by which ranks of unlike kinds compare.
func (a *assignment) reference(v int32) float64 { return a.seconds[0][v] }

// rates is how much reference work every rank does in a second.
func (a *assignment) rates() []float64 {
	rates := make([]float64, len(a.Ranks))
	var all, own float64
	for r, list := range a.members {
		sum := 0.0
		for _, v := range list {
			sum += a.reference(v)
		}
		if a.work[r] > 0 {
			rates[r] = sum / a.work[r]
			all, own = all+sum, own+a.work[r]*a.speed[r]
		}
	}
	for r := range rates {
		if !(rates[r] > 0) {
			rates[r] = a.speed[r] * all / own
		}
	}
	return rates
}

// ideal is the time of a step if the work could be divided at will: ranks whose
// memory is full are left with what they hold.
func (a *assignment) ideal() float64 {
	rates := a.rates()
	var work float64
	var cells int64
	for v := range a.owners {
		work += a.reference(int32(v))
		cells += a.Cells[v]
	}
	perCell := work / float64(max(1, cells))
	full := make([]bool, len(rates))
	for {
		rest, rate := work, 0.0
		for r := range rates {
			if full[r] {
				rest -= perCell * float64(a.Ranks[r].Cells)
				continue
			}
			rest += a.crossing[r] * rates[r]
			rate += rates[r]
		}
		if !(rate > 0) {
			return a.slowest()
		}
		seconds := rest / rate
		more := false
		for r := range rates {
			if most := a.Ranks[r].Cells; most > 0 && !full[r] && (seconds-a.crossing[r])*rates[r] > perCell*float64(most) {
				full[r], more = true, true
			}
		}
		if !more {
			return math.Max(0, seconds)
		}
	}
}

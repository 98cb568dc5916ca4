package refine

import (
	"math"

	"carina/internal/random"
)

// Annealing improves a partition by simulated annealing (Kirkpatrick, Gelatt
// and Vecchi 1983): vertices at the boundary move to a neighbouring part at
// random, the less readily the more that costs and the lower the temperature.
// Other refinement looks for the best move nearby and leaves alone what is changed
// only by many moves that each cost something, such as where a connected part
// runs through a tree of tubes.
type Annealing struct {
	s *State
	// connected is set if parts must not be broken: then a vertex moves with
	// what would break off its part without it.
	connected *Connectivity
	branch    *branch
	r         *random.Source
	boundary  []int32 // that may move, in no order
	place     []int32 // of a vertex in boundary; -1 if it is not there
	over      int64   // present overload
	// temperature and the price of a unit of weight above the limits, both in
	// units of edge weight.
	temperature, price float64
	least              leastPartition
}

// leastPartition is the partition of the least cut so far among those within
// the limits, from which the present one differs in changed vertices.
type leastPartition struct {
	cut      int64
	part     []int32
	changed  []int32
	isMarked []bool // of a vertex: whether it is in changed
}

// NewAnnealing begins with a partition within the limits.
func NewAnnealing(s *State, connected bool, r *random.Source) *Annealing {
	n := len(s.Part)
	a := &Annealing{s: s, branch: newBranch(s), r: r, place: make([]int32, n),
		least: leastPartition{cut: s.Cut, part: append([]int32(nil), s.Part...), isMarked: make([]bool, n)}}
	if connected {
		a.connected = NewConnectivity(s)
		a.connected.budget = nearby / 4 // most moves are tried in vain
	}
	for v := range int32(n) {
		a.place[v] = -1
		a.enlist(v)
	}
	return a
}

// Where the temperature ends relative to where it begins, and how many tries
// there are at each.
const (
	coolest             = 0.02
	triesPerTemperature = 256
)

// Of the price of weight, relative to the cut per unit of weight: where it begins,
// how far it may fall and rise, and by what factor it does at a time. For two parts:
// by what factor it rises in all.
const (
	firstPrice, cheapest, dearest = 8.0, 1.0, 10_000.0
	priceStep                     = 1.003
	priceRise                     = 10.0
)

// Run makes so many tries while the temperature falls from hottest, and leaves the
// state at the least cut found within the limits.
func (a *Annealing) Run(tries int, hottest float64, stop func() bool) {
	worth := float64(a.s.Cut) / float64(max(a.s.Graph.TotalVertexWeight(), 1))
	a.price = worth * firstPrice
	for begin := 0; begin < tries && !stop(); begin += triesPerTemperature {
		done := float64(begin) / float64(tries)
		a.temperature = hottest * math.Pow(coolest, done)
		switch {
		case a.s.K == 2:
			a.price = worth * firstPrice * math.Pow(priceRise, done)
		case begin > 0:
			a.followOverload(worth)
		}
		for range triesPerTemperature {
			a.try()
		}
	}
	for _, v := range a.least.changed {
		if to := a.least.part[v]; to != a.s.Part[v] {
			a.s.Move(v, to)
		}
	}
}

// followOverload raises the price while there is overload and lowers it while there
// is none: so the search stays about the limits, where the least cuts are, however
// tight they are. That was seen to help more than two parts only.
func (a *Annealing) followOverload(worth float64) {
	if a.over > 0 {
		a.price = min(a.price*priceStep, worth*dearest)
	} else {
		a.price = max(a.price/priceStep, worth*cheapest)
	}
}

// try draws a vertex at the boundary and a part beside it, and moves it there if
// that costs no more than drawn. Among more than two parts, a vertex that may not move
// alone is sometimes exchanged for another.
func (a *Annealing) try() {
	if len(a.boundary) == 0 {
		return
	}
	s := a.s
	v := a.boundary[a.r.Below(len(a.boundary))]
	from := s.Part[v]
	parts, conn := s.Row(v)
	i := a.r.Below(len(parts))
	to := parts[i]
	if to == from || s.Count[from] == 1 {
		return
	}
	const sometimes = 4
	allowed := -a.temperature * math.Log(a.r.Share())
	cut := s.Connection(v, from) - conn[i]
	alone := a.cost(cut, from, to, s.Graph.VertexWeights[v]) <= allowed
	if !alone && s.K > 2 && a.r.Below(sometimes) == 0 {
		a.exchange(v, to, cut, allowed)
		return
	}
	if a.gather(v, to, alone, allowed) {
		a.move(to)
	}
}

// gather makes the branch what moves with v, and tells whether it may.
func (a *Annealing) gather(v, to int32, alone bool, allowed float64) bool {
	s := a.s
	if a.connected == nil {
		return alone && a.branch.set(s, v, nil)
	}
	const seldom = 8 // what hangs on a vertex is looked at where it could move alone, else seldom
	if !alone && a.r.Below(seldom) > 0 {
		return false
	}
	from := s.Part[v]
	pieces, ok := a.connected.without(v)
	if !ok || len(pieces) == 0 && !alone || !a.branch.set(s, v, pieces) || len(a.branch.vertices) >= int(s.Count[from]) {
		return false
	}
	return len(pieces) == 0 || a.cost(-a.branch.gain(s, from, to), from, to, a.branch.weight) <= allowed
}

// cost is what a growth of the cut and a move of weight cost together.
func (a *Annealing) cost(cut int64, from, to int32, weight int64) float64 {
	return float64(cut) + a.price*float64(a.growth(from, to, weight))
}

// growth is by how much the overload grows when weight moves.
func (a *Annealing) growth(from, to int32, weight int64) int64 {
	above := func(p int32, more int64) int64 { return max(0, a.s.Weight[p]-a.s.Limit[p]+more) }
	return above(to, weight) - above(to, 0) + above(from, -weight) - above(from, 0)
}

// move moves the branch.
func (a *Annealing) move(to int32) {
	s := a.s
	a.over += a.growth(s.Part[a.branch.vertices[0]], to, a.branch.weight)
	for _, v := range a.branch.vertices {
		s.Move(v, to)
	}
	a.note(a.branch.vertices)
}

// note takes note of vertices that have moved.
func (a *Annealing) note(moved []int32) {
	s := a.s
	for _, v := range moved {
		a.least.mark(v)
	}
	for _, v := range moved {
		a.enlist(v)
		for _, u := range s.Graph.NeighboursOf(v) {
			a.enlist(u)
		}
	}
	if a.over == 0 && s.Cut < a.least.cut {
		a.least.update(s)
	}
}

// enlist puts a vertex on the list of the boundary or takes it off.
func (a *Annealing) enlist(v int32) {
	at, on := a.place[v], a.s.IsBoundary(v) && !a.s.IsFixed(v)
	switch {
	case on && at < 0:
		a.place[v] = int32(len(a.boundary))
		a.boundary = append(a.boundary, v)
	case !on && at >= 0:
		end := len(a.boundary) - 1
		last := a.boundary[end]
		a.boundary[at], a.place[last] = last, at
		a.boundary, a.place[v] = a.boundary[:end], -1
	}
}

func (l *leastPartition) mark(v int32) {
	if !l.isMarked[v] {
		l.isMarked[v] = true
		l.changed = append(l.changed, v)
	}
}

func (l *leastPartition) update(s *State) {
	l.cut = s.Cut
	for _, v := range l.changed {
		l.part[v] = s.Part[v]
		l.isMarked[v] = false
	}
	l.changed = l.changed[:0]
}

// MeanCutEdge is the mean weight of the edges cut.
func (s *State) MeanCutEdge() float64 {
	arcs := 0
	for v, p := range s.Part {
		for _, u := range s.Graph.NeighboursOf(int32(v)) {
			if s.Part[u] != p {
				arcs++
			}
		}
	}
	return 2 * float64(s.Cut) / float64(max(arcs, 1))
}

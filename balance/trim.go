package balance

import (
	"cmp"
	"context"
	"math"
	"slices"

	"carina/cuboid"
	"carina/geometry"
)

// Bounds of trim: rounds of slices, and how much faster the slower of two
// ranks must be expected to become for a slice to be worth cutting.
const (
	trimRounds = 30
	trimGain   = 1e-3
)

// layoutState is a decomposition with owners, one of which trim keeps.
type layoutState struct {
	decomposition
	crossings []cuboid.Crossing
	owners    []int32
	steps     []float64 // predicted seconds of each rank
	step      float64   // of the slowest
	norm      float64   // their power mean
}

// trim evens out what whole cuboids cannot: slower ranks cut slices off their
// cuboids and give them to faster ranks that they touch there or that are in
// their host, many at a time, as long as the predicted step time falls. Slices
// are merged with what the other rank has where that pays, and whole cuboids are
// moved again. It returns the fastest state it came to.
func (s *layoutState) trim(ctx context.Context, g *geometry.Grid, opt *Options, ranks []Rank, shrink bool) (*layoutState, error) {
	now, best := s, s
	most := len(ranks) // slices of a round
	refused := make(map[refusal]bool)
	for round := 0; round < trimRounds && most > 0 && ctx.Err() == nil; round++ {
		t := newTrimmer(now, opt.Cost, ranks)
		t.refused = refused
		cuts := t.slices(most)
		if len(cuts) == 0 {
			break
		}
		next, err := now.cut(ctx, g, opt, ranks, shrink, cuts)
		if err != nil {
			return nil, err
		}
		if !next.better(now) {
			// Others may be worth cutting without those that did not help.
			all := len(cuts)
			if cuts = now.helpful(next, cuts, refused); len(cuts) > 0 && len(cuts) < all {
				if next, err = now.cut(ctx, g, opt, ranks, shrink, cuts); err != nil {
					return nil, err
				}
			}
		}
		if !next.better(now) {
			most /= 2 // the slowest ranks alone
			continue
		}
		if now = next; now.step < best.step {
			best = now
		}
	}
	return best, ctx.Err()
}

// better reports whether a state is faster than one before.
func (s *layoutState) better(before *layoutState) bool {
	const less = 1 - trimGain/2
	return s.norm < before.norm*less || s.step < before.step*less
}

// refusal is a slice that did not help where it was tried.
type refusal struct {
	box   cuboid.Cuboid
	axis  int
	plane int32
	to    int32
	back  cuboid.Cuboid // without cells for nothing
}

// refusal describes a slice so that it is known again in other states.
func (s *layoutState) refusal(c slicing) refusal {
	r := refusal{box: s.cuboids[c.cuboid], axis: c.axis, plane: c.plane, to: c.to}
	if c.back != nothing {
		r.back = s.cuboids[c.back]
	}
	return r
}

// helpful returns those slices after which the slower of the two ranks is
// faster, and notes the others.
func (s *layoutState) helpful(next *layoutState, cuts []slicing, refused map[refusal]bool) []slicing {
	var list []slicing
	for _, c := range cuts {
		from := s.owners[c.cuboid]
		if math.Max(next.steps[from], next.steps[c.to]) < s.steps[from] {
			list = append(list, c)
			continue
		}
		refused[s.refusal(c)] = true
	}
	return list
}

// judge predicts the step time of the slowest rank, and the power mean of all
// ranks' that trim lowers: mostly the slowest ones' too, but work may flow
// through a rank that touches both a slow and a fast one.
func (s *layoutState) judge(cost *Cost, ranks []Rank) {
	const power = 32
	load := newImprover(cost, ranks, s.counts, s.crossings, s.owners).load
	s.steps = make([]float64, len(load))
	for r, l := range load {
		s.steps[r] = l.step(cost)
	}
	s.step = slices.Max(s.steps)
	sum := 0.0
	for _, t := range s.steps {
		sum += math.Pow(t/s.step, power)
	}
	s.norm = s.step * math.Pow(sum/float64(len(load)), 1./power)
}

// slicing cuts a cuboid at a plane and gives the part below it (low) or above
// it to another rank, perhaps in return for a whole cuboid.
type slicing struct {
	cuboid int32
	axis   int
	plane  int32
	low    bool
	to     int32
	back   int32   // the cuboid that is given in return, or nothing
	worst  float64 // expected seconds of the slower of the two ranks
}

// nothing stands for no cuboid.
const nothing = -1

// cut applies slices, tidies up and predicts the step time.
func (s *layoutState) cut(ctx context.Context, g *geometry.Grid, opt *Options, ranks []Rank, shrink bool, cuts []slicing) (*layoutState, error) {
	next := &layoutState{owners: slices.Clone(s.owners)}
	next.cuboids = slices.Clone(s.cuboids)
	for _, c := range cuts {
		below, above := next.cuboids[c.cuboid], next.cuboids[c.cuboid]
		below.Max[c.axis], above.Min[c.axis] = c.plane, c.plane
		if c.low {
			below, above = above, below
		}
		next.cuboids[c.cuboid] = below
		next.cuboids = append(next.cuboids, above)
		next.owners = append(next.owners, c.to)
		if c.back != nothing {
			next.owners[c.back] = s.owners[c.cuboid]
		}
	}
	if err := next.count(g, opt.Cost, shrink); err != nil {
		return nil, err
	}
	var err error
	if next.crossings, next.owners, err = next.mergeOwned(g, opt, next.crossings, next.owners); err != nil {
		return nil, err
	}
	improve(ctx, opt.Cost, ranks, next.counts, next.crossings, next.owners)
	next.judge(opt.Cost, ranks)
	return next, nil
}

// count labels the grid, shrinks the cuboids if asked to, and works out what
// they hold and what crosses between them.
func (s *layoutState) count(g *geometry.Grid, cost *Cost, shrink bool) error {
	var err error
	if s.segments, err = cuboid.Label(g, s.cuboids); err != nil {
		return err
	}
	s.cuboids = cuboid.Occupied(s.cuboids, s.segments, shrink)
	s.counts = cost.count(g, s.cuboids, s.segments)
	s.crossings = cost.Crossings(s.segments)
	return nil
}

// trimmer looks for slices.
type trimmer struct {
	state   *layoutState
	cost    *Cost
	load    *improver
	first   []int   // where the segments of each cuboid begin in sorted
	sorted  []int32 // numbers of segments by cuboid
	members [][]int32
	refused map[refusal]bool // slices not to be tried again
}

func newTrimmer(s *layoutState, cost *Cost, ranks []Rank) *trimmer {
	t := &trimmer{
		state: s, cost: cost, load: newImprover(cost, ranks, s.counts, s.crossings, slices.Clone(s.owners)),
		first: make([]int, len(s.cuboids)+1), sorted: make([]int32, len(s.segments)), members: make([][]int32, len(ranks)),
	}
	for i := range s.segments {
		t.first[s.segments[i].Cuboid+1]++
	}
	for i := range s.cuboids {
		t.first[i+1] += t.first[i]
	}
	next := slices.Clone(t.first)
	for i := range s.segments {
		c := s.segments[i].Cuboid
		t.sorted[next[c]] = int32(i)
		next[c]++
	}
	for v, o := range s.owners {
		t.members[o] = append(t.members[o], int32(v))
	}
	return t
}

// slices returns at most so many slices, those of the slowest ranks first, so
// that no rank gives or takes twice.
func (t *trimmer) slices(most int) []slicing {
	order := make([]int32, len(t.members))
	mean, speed := 0.0, 0.0
	for r := range order {
		order[r] = int32(r)
		mean += t.step(int32(r)) * t.load.ranks[r].Speed
		speed += t.load.ranks[r].Speed
	}
	mean /= speed
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(t.step(b), t.step(a)) })
	busy := make([]bool, len(order))
	var list []slicing
	for _, p := range order {
		if len(list) == most || t.step(p) <= mean {
			break
		}
		if busy[p] {
			continue
		}
		if best, ok := t.best(p, busy); ok {
			busy[p], busy[best.to] = true, true
			list = append(list, best)
		}
	}
	return list
}

func (t *trimmer) step(r int32) float64 { return t.load.load[r].step(t.cost) }

// best returns the slice of a rank that leaves the slower of the two ranks
// fastest.
func (t *trimmer) best(p int32, busy []bool) (slicing, bool) {
	best := slicing{worst: t.step(p) * (1 - trimGain)}
	found := false
	try := func(s slicing) {
		if s.worst < best.worst && !t.refused[t.state.refusal(s)] {
			best, found = s, true
		}
	}
	receivers, returns := t.receivers(p, busy)
	for _, u := range t.members[p] {
		var layers [3][]int64
		for axis := range 3 {
			layers[axis] = t.layers(u, axis)
		}
		for e := t.load.offsets[u]; e < t.load.offsets[u+1]; e++ {
			v := t.load.targets[e]
			q := t.state.owners[v]
			if q == p || busy[q] || t.step(q) >= t.step(p) {
				continue
			}
			if axis, low, ok := facing(t.state.cuboids[u], t.state.cuboids[v]); ok {
				try(t.thickest(u, v, axis, low, layers[axis]))
			}
		}
		for i, q := range receivers {
			for axis := range 3 {
				for _, low := range []bool{true, false} {
					for _, back := range returns[i] {
						try(t.thickestFor(u, q, back, axis, low, layers[axis]))
					}
				}
			}
		}
	}
	return best, found
}

// receivers lists the faster ranks that are in a rank's host or exchange with
// it and are not busy, and what each may give in return: nothing or one of its
// cuboids.
func (t *trimmer) receivers(p int32, busy []bool) (list []int32, returns [][]int32) {
	list = t.load.idle(p)
	for _, u := range t.members[p] {
		list = t.load.receivers(u, list)
	}
	slices.Sort(list)
	list = slices.DeleteFunc(slices.Compact(list), func(q int32) bool { return q == p || busy[q] || t.step(q) >= t.step(p) })
	for _, q := range list {
		may := []int32{nothing}
		if len(t.members[q]) <= fewMembers {
			may = append(may, t.members[q]...)
		}
		returns = append(returns, may)
	}
	return list, returns
}

// facing returns the axis along which two cuboids touch face to face, and
// whether it is at the low side of the first.
func facing(u, v cuboid.Cuboid) (axis int, low, ok bool) {
	for axis := range 3 {
		low := u.Min[axis] == v.Max[axis]
		if !low && u.Max[axis] != v.Min[axis] {
			continue
		}
		v.Min[axis], v.Max[axis] = u.Min[axis], u.Max[axis]
		return axis, low, u.Intersect(v).Cells() > 0
	}
	return 0, false, false
}

// layers counts the fluid cells of a cuboid layer by layer.
func (t *trimmer) layers(u int32, axis int) []int64 {
	box := t.state.cuboids[u]
	n := box.Max[axis] - box.Min[axis]
	fluid := make([]int64, n+1)
	for _, i := range t.sorted[t.first[u]:t.first[u+1]] {
		switch s := &t.state.segments[i]; axis {
		case 0: // differences, summed below
			fluid[s.X0-box.Min[0]]++
			fluid[s.X1-box.Min[0]]--
		case 1:
			fluid[s.Y-box.Min[1]] += int64(s.X1 - s.X0)
		default:
			fluid[s.Z-box.Min[2]] += int64(s.X1 - s.X0)
		}
	}
	for i := 1; axis == 0 && i < len(fluid); i++ {
		fluid[i] += fluid[i-1]
	}
	return fluid[:n]
}

// thickest returns the slice of cuboid u at its face to cuboid v that leaves
// the slower of their ranks fastest. Its work is taken to be in proportion to
// its fluid cells.
func (t *trimmer) thickest(u, v int32, axis int, low bool, layers []int64) slicing {
	box, other := t.state.cuboids[u], t.state.cuboids[v]
	p, q := t.state.owners[u], t.state.owners[v]
	merges := true // the slice and v make a cuboid
	for a := range 3 {
		merges = merges && (a == axis || box.Min[a] == other.Min[a] && box.Max[a] == other.Max[a])
	}
	return t.thicknesses(u, q, axis, low, layers, func(work float64, at, _ int) (giver, receiver float64) {
		if !merges {
			receiver = t.cost.Cuboid + t.cost.CopyPerByte*t.faceBytes(layers[at]) + t.cost.cutRows(axis, layers[at])
		}
		return t.step(p) - work/t.load.ranks[p].Speed, t.step(q) + (work+receiver)/t.load.ranks[q].Speed
	})
}

// thickestFor is thickest where the slice goes to a rank q that need not touch
// it: it receives a cuboid of its own, perhaps gives one back, and what crosses
// the cut becomes messages.
func (t *trimmer) thickestFor(u, q, back int32, axis int, low bool, layers []int64) slicing {
	p := t.state.owners[u]
	network := t.cost.network(t.load.ranks, p, q)
	// What u and the cuboid given back exchange with others moves with them.
	ofU, returned, ofReturned := t.cost.Between.SecondsPerByte*t.crossing(u), 0.0, 0.0
	if back != nothing {
		returned, ofReturned = t.load.seconds[back], t.cost.Between.SecondsPerByte*t.crossing(back)
	}
	best := t.thicknesses(u, q, axis, low, layers, func(work float64, _, inner int) (giver, receiver float64) {
		rows := t.cost.cutRows(axis, layers[inner])
		sent := network.message(int64(t.faceBytes(layers[inner]) / 2))
		exchanged := ofU*work/t.load.seconds[u] - ofReturned
		return t.step(p) - (work-returned)/t.load.ranks[p].Speed + sent - exchanged,
			t.step(q) + (work-returned+t.cost.Cuboid+rows)/t.load.ranks[q].Speed + sent + exchanged
	})
	best.back = back
	return best
}

// crossing returns the bytes that a cuboid sends to and copies for others.
func (t *trimmer) crossing(u int32) float64 {
	var bytes int64
	for e := t.load.offsets[u]; e < t.load.offsets[u+1]; e++ {
		bytes += t.load.bytes[e]
	}
	return float64(bytes)
}

// faceBytes returns what crosses a face of so many fluid cells, both ways.
func (t *trimmer) faceBytes(cells int64) float64 {
	return float64(t.cost.Bytes(cuboid.Crossing{Populations: populationsPerFace * cells}))
}

// thicknesses returns the best slice of cuboid u for rank q. Costs says how
// long giver and receiver would take with a slice of so much work, whose
// outermost and innermost layers are at and inner.
func (t *trimmer) thicknesses(u, q int32, axis int, low bool, layers []int64, costs func(work float64, at, inner int) (giver, receiver float64)) slicing {
	box := t.state.cuboids[u]
	all := t.state.counts[u].Fluid
	perCell := (t.load.seconds[u] - t.cost.Cuboid) / float64(all)
	best := slicing{cuboid: u, axis: axis, low: low, to: q, back: nothing, worst: math.Inf(1)}
	var taken int64
	outermost, step := 0, 1
	if !low {
		outermost, step = len(layers)-1, -1
	}
	for i := 0; i+1 < len(layers); i++ {
		at := outermost + i*step
		taken += layers[at]
		if taken == 0 || taken == all {
			continue
		}
		giver, receiver := costs(perCell*float64(taken), outermost, at)
		if worst := math.Max(giver, receiver); worst < best.worst {
			best.worst, best.plane = worst, box.Min[axis]+int32(i)+1
			if !low {
				best.plane = box.Max[axis] - int32(i) - 1
			}
		}
	}
	return best
}

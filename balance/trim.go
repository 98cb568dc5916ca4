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
	step      float64 // predicted seconds of the slowest rank
	norm      float64 // power mean of the seconds of all ranks
}

// trim evens out what whole cuboids cannot: slower ranks cut slices off their
// cuboids and give them to faster ranks that they touch there, many at a time,
// as long as the predicted step time falls. Slices are merged with what the
// other rank has where that pays, and whole cuboids are moved again. It leaves
// the better decomposition in d.
func (d *decomposition) trim(ctx context.Context, g *geometry.Grid, opt *Options, ranks []Rank, shrink bool, crossings []cuboid.Crossing, owners []int32) ([]cuboid.Crossing, []int32, error) {
	now := &layoutState{decomposition: *d, crossings: crossings, owners: owners}
	now.judge(opt.Cost, ranks)
	best := now
	most := len(ranks) // slices of a round
	for round := 0; round < trimRounds && most > 0 && ctx.Err() == nil; round++ {
		cuts := newTrimmer(now, opt.Cost, ranks).slices(most)
		if len(cuts) == 0 {
			break
		}
		next, err := now.cut(ctx, g, opt, ranks, shrink, cuts)
		if err != nil {
			return nil, nil, err
		}
		if less := 1 - trimGain/10; next.norm >= now.norm*less && next.step >= now.step*less {
			most = len(cuts) / 4 // the slowest ranks alone
			continue
		}
		if now = next; now.step < best.step {
			best = now
		}
	}
	*d = best.decomposition
	return best.crossings, best.owners, ctx.Err()
}

// judge predicts the step time of the slowest rank, and the power mean of all
// ranks' that trim lowers: mostly the slowest ones' too, but work may flow
// through a rank that touches both a slow and a fast one.
func (s *layoutState) judge(cost *Cost, ranks []Rank) {
	const power = 32
	load := newImprover(cost, ranks, s.counts, s.crossings, s.owners).load
	s.step = 0
	for _, l := range load {
		s.step = math.Max(s.step, l.step(cost))
	}
	sum := 0.0
	for _, l := range load {
		sum += math.Pow(l.step(cost)/s.step, power)
	}
	s.norm = s.step * math.Pow(sum/float64(len(load)), 1./power)
}

// slicing cuts a cuboid at a plane and gives the part below it (low) or above
// it to another rank.
type slicing struct {
	cuboid int32
	axis   int
	plane  int32
	low    bool
	to     int32
	worst  float64 // expected seconds of the slower of the two ranks
}

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
	s.counts = cuboid.Count(g, s.cuboids, s.segments)
	s.crossings = cuboid.Crossings(s.segments, cost.Directions)
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
	for _, u := range t.members[p] {
		var layers [3][]int64
		for e := t.load.offsets[u]; e < t.load.offsets[u+1]; e++ {
			v := t.load.targets[e]
			q := t.state.owners[v]
			if q == p || busy[q] || t.step(q) >= t.step(p) {
				continue
			}
			axis, low, ok := facing(t.state.cuboids[u], t.state.cuboids[v])
			if !ok {
				continue
			}
			if layers[axis] == nil {
				layers[axis] = t.layers(u, axis)
			}
			if s := t.thickest(u, v, axis, low, layers[axis]); s.worst < best.worst {
				best, found = s, true
			}
		}
	}
	return best, found
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
	all := t.state.counts[u].Fluid
	perCell := (t.load.seconds[u] - t.cost.Cuboid) / float64(all)
	merges := true // the slice and v make a cuboid
	for a := range 3 {
		merges = merges && (a == axis || box.Min[a] == other.Min[a] && box.Max[a] == other.Max[a])
	}
	best := slicing{cuboid: u, axis: axis, low: low, to: q, worst: math.Inf(1)}
	var taken int64
	for i := 0; i+1 < len(layers); i++ {
		at := i
		if !low {
			at = len(layers) - 1 - i
		}
		taken += layers[at]
		if taken == 0 || taken == all {
			continue
		}
		work := perCell * float64(taken)
		more := work
		if !merges {
			more += t.cost.Cuboid + t.cost.CopyPerByte*float64(t.cost.Bytes(cuboid.Crossing{Populations: populationsPerFace * layers[at]}))
		}
		worst := math.Max(t.step(p)-work/t.load.ranks[p].Speed, t.step(q)+more/t.load.ranks[q].Speed)
		if worst < best.worst {
			best.worst, best.plane = worst, box.Min[axis]+int32(i)+1
			if !low {
				best.plane = box.Max[axis] - int32(i) - 1
			}
		}
	}
	return best
}

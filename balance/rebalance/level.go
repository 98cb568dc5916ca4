package rebalance

import (
	"cmp"
	"context"
	"math"
	"slices"
)

const (
	// levelled is how far above the ideal the slowest rank may end.
	levelled = 0.005
	// levelRounds bounds how often work is sent on its way.
	levelRounds = 6
)

// level moves vertices between ranks that touch until none needs much more than the
// ideal: first it plans how much work goes along which border, from slow ranks to
// the nearest that have time, then it chooses vertices there, and at last it evens
// out what is left one by one. It keeps the best it came to.
func (a *assignment) level(ctx context.Context) {
	best, owners := a.slowest(), slices.Clone(a.owners)
	for round := range levelRounds {
		limit := a.ideal() * (1 + levelled)
		if ctx.Err() != nil || a.slowest() <= limit {
			break
		}
		for _, s := range a.plan(limit) {
			a.send(s)
		}
		a.even(limit)
		if now := a.slowest(); now < best*(1-1e-4) {
			best, owners = now, slices.Clone(a.owners)
		} else if round > 1 {
			break
		}
	}
	if a.slowest() > best {
		*a = *newAssignment(a.Problem, a.seconds, a.speed, owners)
	}
}

// sending is work, by the reference, that is to go from a rank to another that it
// touches.
type sending struct {
	from, to int32
	work     float64
}

// touching lists the ranks that each exchanges with, as long as owners stay; a list is made
// when it is first needed.
type touching struct {
	*assignment
	lists [][]int32
	seen  []int32 // by a rank, plus one
}

func (a *assignment) touching() *touching {
	return &touching{assignment: a, lists: make([][]int32, len(a.Ranks)), seen: make([]int32, len(a.Ranks))}
}

// of are those of a rank.
func (t *touching) of(r int32) []int32 {
	if t.lists[r] != nil {
		return t.lists[r]
	}
	list := []int32{}
	for _, v := range t.members[r] {
		for e := t.Graph.Offsets[v]; e < t.Graph.Offsets[v+1]; e++ {
			if q := t.owners[t.Graph.Neighbours[e]]; q != r && t.seen[q] != r+1 {
				t.seen[q] = r + 1
				list = append(list, q)
			}
		}
	}
	slices.Sort(list)
	t.lists[r] = list
	return list
}

// plan says how much work goes from rank to rank so that none needs longer than the
// limit: that of slow ranks goes to the nearest with time left, the slowest first.
func (a *assignment) plan(limit float64) []sending {
	rates, touching := a.rates(), a.touching()
	spare := make([]float64, len(rates))
	var slow []int32
	for r := range rates {
		spare[r] = (limit - a.load(int32(r))) * rates[r]
		if spare[r] < 0 {
			slow = append(slow, int32(r))
		}
		if most := a.Ranks[r].Cells; most > 0 && a.cells[r] > 0 {
			perCell := a.work[r] * rates[r] / float64(a.cells[r])
			spare[r] = math.Min(spare[r], perCell*float64(most-a.cells[r]))
		}
	}
	slices.SortStableFunc(slow, func(p, q int32) int { return cmp.Compare(spare[p], spare[q]) })
	flow := map[[2]int32]float64{}
	parent := make([]int32, len(rates))
	for _, p := range slow {
		a.planFor(p, spare, touching, parent, func(from, to int32, work float64) {
			back := math.Min(work, flow[[2]int32{to, from}])
			flow[[2]int32{to, from}] -= back
			flow[[2]int32{from, to}] += work - back
		})
	}
	var list []sending
	for pair, work := range flow {
		if work > 0 {
			list = append(list, sending{pair[0], pair[1], work})
		}
	}
	// Those with most to do give first, so that what passes through others comes to
	// them before they give.
	slices.SortFunc(list, func(s, t sending) int {
		return cmp.Or(cmp.Compare(a.load(t.from), a.load(s.from)), cmp.Compare(s.from, t.from), cmp.Compare(s.to, t.to))
	})
	return list
}

// planFor sends what rank p has too much to the nearest ranks with time left.
func (a *assignment) planFor(p int32, spare []float64, touching *touching, parent []int32, add func(from, to int32, work float64)) {
	for i := range parent {
		parent[i] = -1
	}
	parent[p] = p
	rest := -spare[p]
	spare[p] = 0
	for queue := []int32{p}; len(queue) > 0 && rest > 0; queue = queue[1:] {
		q := queue[0]
		if take := math.Min(rest, spare[q]); take > 0 {
			rest -= take
			spare[q] -= take
			for r := q; r != p; r = parent[r] {
				add(parent[r], r, take)
			}
		}
		for _, r := range touching.of(q) {
			if parent[r] < 0 {
				parent[r] = q
				queue = append(queue, r)
			}
		}
	}
}

// send gives vertices at the border between two ranks to the second, those first
// that exchange most with it and least with what stays.
func (a *assignment) send(s sending) {
	for s.work > 0 && len(a.members[s.from]) > 1 {
		best, score := int32(-1), math.Inf(-1)
		for _, v := range a.members[s.from] {
			if a.reference(v) > 2*s.work || !a.holds(v, s.to) {
				continue
			}
			var to, stays, all int64
			for e := a.Graph.Offsets[v]; e < a.Graph.Offsets[v+1]; e++ {
				bytes := a.Graph.EdgeWeights[e]
				all += bytes
				switch a.owners[a.Graph.Neighbours[e]] {
				case s.to:
					to += bytes
				case s.from:
					stays += bytes
				}
			}
			if to == 0 {
				continue
			}
			if is := float64(to-stays) / float64(all); is > score {
				best, score = v, is
			}
		}
		if best < 0 {
			return
		}
		s.work -= a.reference(best)
		a.give(best, s.to)
	}
}

// even moves one vertex of the slowest rank after the other to a rank that it
// touches, while that leaves the slower of both faster.
func (a *assignment) even(limit float64) {
	for range 4 * len(a.Ranks) * 8 {
		p := a.slowestRank()
		now := a.load(p)
		if now <= limit || len(a.members[p]) < 2 {
			return
		}
		best, vertex, to := now*(1-1e-6), int32(-1), int32(-1)
		for _, v := range a.members[p] {
			with := a.ties(v)
			for _, t := range with {
				if t.rank == p || a.load(t.rank) >= now || !a.holds(v, t.rank) {
					continue
				}
				giver, receiver := a.after(v, t.rank, with)
				if worse := math.Max(giver, receiver); worse < best {
					best, vertex, to = worse, v, t.rank
				}
			}
		}
		if vertex < 0 {
			return
		}
		a.give(vertex, to)
	}
}

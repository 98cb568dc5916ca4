package partition

import (
	"slices"

	"carina/internal/random"
	"carina/partition/coarsen"
	"carina/partition/graph"
)

// plain tells whether the cut is all that counts: neither distances nor what
// moving costs nor connected parts, of which bisections know nothing.
func (t *task) plain() bool { return !t.contiguous && t.distance == nil && t.previous == nil }

// enough is how many rounds in a row that gain next to nothing, less than one
// part in worthwhile of the cut, end a renewal. Of connected parts most rounds
// find nothing, and a later one still does.
const (
	enough          = 6
	enoughConnected = 20
	worthwhile      = 2000
)

// renew improves a partition by rounds of a large neighbourhood search. With
// two parts that would only start over, and groups know neither distances nor
// what moving costs.
func (t *task) renew(l *coarsen.Level, found *individual, limit []int64, c levelConfig, rounds int, r *random.Source) *individual {
	if len(limit) == 2 || t.distance != nil || t.previous != nil {
		return found
	}
	most := enough
	if t.contiguous {
		most = enoughConnected
	}
	for idle := 0; rounds > 0 && idle < most && !t.stopped(); rounds-- {
		before := found
		found = t.repartitionGroups(l, found, limit, c, r)
		if found.over < before.over || found.broken < before.broken || before.cut-found.cut > before.cut/worthwhile {
			idle = 0
		} else {
			idle++
		}
		t.report("improving", 1, found)
	}
	return found
}

// repartitionGroups improves a partition by a large neighbourhood search (Shaw
// 1998): the parts are put into groups of adjacent ones, each group is
// partitioned anew, by itself, and the outcome kept where it is no worse. Edges
// that leave a group are cut either way, so a gain within is a gain of the
// whole. Unlike the choice among whole partitions, this takes the best locally,
// which is worth the more the more parts there are.
func (t *task) repartitionGroups(l *coarsen.Level, found *individual, limit []int64, c levelConfig, r *random.Source) *individual {
	largest := largestGroup
	if t.contiguous {
		largest = max(largestGroup, min(largestConnectedGroup, len(limit)*3/4)) // not all of them
	}
	groups := groupParts(l.Graph, found.part, len(limit), largest, r)
	members := graph.VerticesByPart(found.part, len(limit))
	part := append([]int32(nil), found.part...)
	seeds := r.Seeds(len(groups))
	replaced := make([]bool, len(groups))
	number := make([]int32, len(part))
	t.workers.Each(len(groups), func(i int) {
		if len(groups[i]) > 1 && !t.stopped() {
			replaced[i] = t.repartitionGroup(l, found.part, part, number, groups[i], members, limit, c, random.New(seeds[i]))
		}
	})
	if slices.Contains(replaced, true) {
		t.refine(l, part, limit, &t.c.kway, r)
	}
	if result := t.measure(l, part, limit); !found.better(result) {
		return result
	}
	return found
}

// repartitionGroup partitions the parts of one group anew and tells whether
// the outcome has taken the place of the old parts, as it does where it is no
// worse: other boundaries of the same cut give refinement with the parts around
// a new start. It changes part and number only at the group's own vertices and
// reads the others' old parts.
func (t *task) repartitionGroup(l *coarsen.Level, from, part, number []int32, group []int32, members [][]int32, limit []int64, c levelConfig, r *random.Source) bool {
	var vertices, old []int32
	limits := make([]int64, len(group))
	for i, p := range group {
		limits[i] = limit[p]
		vertices = append(vertices, members[p]...)
		for range members[p] {
			old = append(old, int32(i))
		}
	}
	if len(group) == 2 {
		c = t.c.bisection
		c.tries *= 2
	}
	sub := inducedLevel(l, vertices, number, from, group)
	before := t.measure(sub, old, limits)
	after := t.measure(sub, t.multilevel(sub, limits, c, r), limits)
	if t.contiguous && t.searchesWidely(l) && !t.stopped() {
		// Connected from the coarsest graph on or only at the end: either may be cheaper.
		after = bestOf([]*individual{after, t.tiedByCorridors(sub, limits, c, r)})
	}
	if t.stopped() || before.better(after) {
		return false
	}
	for i, v := range vertices {
		part[v] = group[after.part[i]]
	}
	return true
}

// Bounds of the number of parts that are partitioned anew together. Pairs cost
// least but cannot improve how three parts meet. Connected parts hem each other
// in: it takes more of them for another way to divide them up.
const smallestGroup, largestGroup, largestConnectedGroup = 2, 4, 6

// groupParts divides the parts, in random order, into groups of adjacent ones
// of a size drawn at random; parts none of whose neighbours is free are left
// alone.
func groupParts(g *graph.Graph, part []int32, k, largest int, r *random.Source) [][]int32 {
	adjacent := graph.Quotient(g, part, k)
	taken := make([]bool, k)
	var groups [][]int32
	size := smallestGroup + r.Below(largest-smallestGroup+1)
	for _, p := range r.Permutation(k) {
		if taken[p] {
			continue
		}
		taken[p] = true
		group := []int32{p}
		for len(group) < size {
			q := randomNeighbour(adjacent, group, taken, r)
			if q < 0 {
				break
			}
			taken[q] = true
			group = append(group, q)
		}
		groups = append(groups, group)
	}
	return groups
}

// randomNeighbour returns a part that is not taken and adjacent to the group,
// drawn by the number of group members it is adjacent to; -1 if there is none.
func randomNeighbour(adjacent [][]graph.Tie, group []int32, taken []bool, r *random.Source) int32 {
	q, seen := int32(-1), 0
	for _, p := range group {
		for _, next := range adjacent[p] {
			if taken[next.To] {
				continue
			}
			if seen++; r.Below(seen) == 0 {
				q = next.To
			}
		}
	}
	return q
}

// inducedLevel returns the subgraph of the vertices, which are all those of
// the parts in group. It numbers them in number.
func inducedLevel(l *coarsen.Level, vertices, number, part, group []int32) *coarsen.Level {
	inside := make(map[int32]int32, len(group))
	for i, p := range group {
		inside[p] = int32(i)
	}
	sub := &coarsen.Level{Graph: l.Graph.Subgraph(vertices, number, func(v int32) bool {
		_, ok := inside[part[v]]
		return ok
	})}
	if l.Fixed == nil {
		return sub
	}
	sub.Fixed = make([]int32, len(vertices))
	for i, v := range vertices {
		sub.Fixed[i] = -1
		if l.Fixed[v] >= 0 {
			sub.Fixed[i] = inside[l.Fixed[v]]
		}
	}
	return sub
}

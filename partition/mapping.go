package partition

import (
	"fmt"
	"math"
	"sync/atomic"
)

// Hierarchy returns the distances between the leaves of a regular machine,
// for [Options.Distances]: counts from the outside in, with the distance
// between leaves that first differ on that layer. Hierarchy([]int{4, 8},
// []int64{10, 1}) is 4 hosts of 8 devices each, 10 apart between hosts and 1
// within. Leaf numbers run through the innermost layer first.
func Hierarchy(counts []int, distances []int64) ([][]int64, error) {
	if len(counts) == 0 || len(counts) != len(distances) {
		return nil, fmt.Errorf("%d counts and %d distances; give one distance per layer", len(counts), len(distances))
	}
	leaves := 1
	for i, c := range counts {
		if c < 1 || distances[i] < 0 || leaves > 1<<15/c {
			return nil, fmt.Errorf("layer %d has count %d and distance %d; counts must be positive, at most %d leaves in all, distances not negative", i, c, distances[i], 1<<15)
		}
		leaves *= c
	}
	result := make([][]int64, leaves)
	for a := range result {
		result[a] = make([]int64, leaves)
		for b := range result[a] {
			result[a][b] = leafDistance(counts, distances, leaves, a, b)
		}
	}
	return result, nil
}

func leafDistance(counts []int, distances []int64, leaves, a, b int) int64 {
	below := leaves
	for i, c := range counts {
		below /= c
		if a/below != b/below {
			return distances[i]
		}
	}
	return 0
}

// checkDistances tells what is wrong with a matrix of distances of k parts.
func checkDistances(d [][]int64, k int) error {
	if len(d) != k {
		return fmt.Errorf("%d rows of distances for %d parts; give one per part", len(d), k)
	}
	for p, row := range d {
		if len(row) != k {
			return fmt.Errorf("row %d of the distances has %d entries for %d parts", p, len(row), k)
		}
		for q, x := range row {
			if x < 0 || p == q && x != 0 || q < p && x != d[q][p] || x > 1<<20 {
				return fmt.Errorf("distance from part %d to %d is %d; distances must be symmetric, zero from a part to itself, 0 to %d elsewhere", p, q, x, 1<<20)
			}
		}
	}
	return nil
}

// MappingCostOf returns Σ weight × distance over the edges between different
// parts.
func MappingCostOf(g *Graph, parts []int32, distances [][]int64) int64 {
	var twice atomic.Int64
	inShares(g.Vertices(), share, func(begin, end int) {
		var cost int64
		for v := begin; v < end; v++ {
			distance := distances[parts[v]]
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				cost += g.edgeWeight(e) * distance[parts[g.Neighbours[e]]]
			}
		}
		twice.Add(cost)
	})
	return twice.Load() / 2
}

// MapParts renumbers the parts of a given partition so that the mapping cost
// becomes small: it exchanges the places of whole parts, whatever they weigh.
// [Options.Objective] MappingCost does better, since it also chooses the parts.
func MapParts(g *Graph, parts []int32, distances [][]int64) ([]int32, error) {
	k := len(distances)
	if err := checkDistances(distances, k); err != nil {
		return nil, err
	}
	if err := checkParts(g, parts, k); err != nil {
		return nil, err
	}
	limit := make([]int64, k)
	for p := range limit {
		limit[p] = math.MaxInt64
	}
	s := newState(&level{g: g.weighted()}, append([]int32(nil), parts...), limit, distances)
	permuteParts(s, never)
	return s.part, nil
}

// mappedGain returns by how much the mapping cost falls when a vertex with
// the given row goes from one part to another.
func (s *state) mappedGain(parts []int32, conn []int64, from, to int32) int64 {
	var gain int64
	before, after := s.distance[from], s.distance[to]
	for i, p := range parts {
		gain += conn[i] * (before[p] - after[p])
	}
	return gain
}

// permuteParts exchanges the numbers of whole parts as long as that lowers
// the mapping cost and keeps the limits.
func permuteParts(s *state, stop func() bool) {
	q := newQuotient(s)
	for improved := true; improved; {
		improved = false
		for a := range int32(s.k) {
			if stop() {
				break
			}
			for b := a + 1; int(b) < s.k; b++ {
				if q.exchangeGain(a, b) > 0 {
					q.place[a], q.place[b] = q.place[b], q.place[a]
					improved = true
				}
			}
		}
	}
	parts := make([]int32, len(s.part))
	for v, p := range s.part {
		parts[v] = q.place[p]
	}
	s.reset(parts)
}

// quotient is the graph of the parts: which exchange how much with which.
type quotient struct {
	s       *state
	traffic [][]exchanged
	place   []int32 // place[p] is the new number of part p
}

// exchanged is the edge weight between a part and another.
type exchanged struct {
	with   int32
	weight int64
}

func newQuotient(s *state) *quotient {
	q := &quotient{s: s, traffic: make([][]exchanged, s.k), place: make([]int32, s.k)}
	members := verticesByPart(s.part, s.k)
	weight := make([]int64, s.k)
	for p := range q.place {
		q.place[p] = int32(p)
		for _, v := range members[p] {
			parts, conn := s.row(v)
			for i, o := range parts {
				if int(o) == p {
					continue
				}
				if weight[o] == 0 {
					q.traffic[p] = append(q.traffic[p], exchanged{with: o})
				}
				weight[o] += conn[i]
			}
		}
		for i := range q.traffic[p] {
			e := &q.traffic[p][i]
			e.weight, weight[e.with] = weight[e.with], 0
		}
	}
	return q
}

// exchangeGain returns by how much the mapping cost falls when parts a and b
// exchange their places; nothing if a limit forbids it.
func (q *quotient) exchangeGain(a, b int32) int64 {
	s := q.s
	placeA, placeB := q.place[a], q.place[b]
	if s.weight[a] > s.limit[placeB] || s.weight[b] > s.limit[placeA] {
		return 0
	}
	there, here := s.distance[placeB], s.distance[placeA]
	var gain int64
	for _, e := range q.traffic[a] {
		if at := q.place[e.with]; e.with != b {
			gain += e.weight * (here[at] - there[at])
		}
	}
	for _, e := range q.traffic[b] {
		if at := q.place[e.with]; e.with != a {
			gain += e.weight * (there[at] - here[at])
		}
	}
	return gain
}

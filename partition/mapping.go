package partition

import "fmt"

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
	var cost int64
	for v, p := range parts {
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			cost += g.edgeWeight(e) * distances[p][parts[g.Neighbours[e]]]
		}
	}
	return cost / 2
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
func permuteParts(s *state) {
	k := s.k
	traffic := make([][]int64, k)
	for p := range traffic {
		traffic[p] = make([]int64, k)
	}
	for v, p := range s.part {
		for e := s.g.Offsets[v]; e < s.g.Offsets[v+1]; e++ {
			traffic[p][s.part[s.g.Neighbours[e]]] += s.g.EdgeWeights[e]
		}
	}
	place := make([]int32, k) // place[p] is the new number of part p
	for p := range place {
		place[p] = int32(p)
	}
	for improved := true; improved; {
		improved = false
		for p := 0; p < k; p++ {
			for q := p + 1; q < k; q++ {
				a, b := place[p], place[q]
				if s.weight[p] > s.limit[b] || s.weight[q] > s.limit[a] {
					continue
				}
				var gain int64
				for o := range k {
					if o != p && o != q {
						gain += (traffic[p][o] - traffic[q][o]) * (s.distance[a][place[o]] - s.distance[b][place[o]])
					}
				}
				if gain > 0 {
					place[p], place[q] = b, a
					improved = true
				}
			}
		}
	}
	parts := make([]int32, len(s.part))
	for v, p := range s.part {
		parts[v] = place[p]
	}
	s.reset(parts)
}

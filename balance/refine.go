package balance

import "math"

// refinePasses bounds the passes of refineCut; most gain comes in the first
// few.
const refinePasses = 10

// refineCut moves cuboids to the neighbouring rank they exchange most with, as
// long as fewer bytes cross afterwards and no rank gets more than its share and
// the imbalance allow (greedy k-way refinement, Karypis and Kumar 1998). It is
// for partitions that come from coordinates and so do not know the graph.
func refineCut(p *Problem, owners []int32) {
	g := p.Graph
	load := loads(p, owners)
	total := float64(g.TotalVertexWeight())
	limit := make([]int64, len(p.Ranks))
	for r, target := range targets(p.Ranks) {
		limit[r] = int64(math.Floor((1 + p.Imbalance) * target * total))
	}
	owned := make([]int, len(p.Ranks))
	for _, o := range owners {
		owned[o]++
	}
	bytes := make([]int64, len(p.Ranks)) // from the present cuboid to each rank
	var near []int32
	for range refinePasses {
		moves := 0
		for v, from := range owners {
			near = near[:0]
			for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
				r := owners[g.Neighbours[e]]
				if bytes[r] == 0 {
					near = append(near, r)
				}
				bytes[r] += g.EdgeWeights[e]
			}
			to := from
			for _, r := range near {
				// Ties go to the rank with the lower number.
				fits := load[r]+g.VertexWeights[v] <= limit[r]
				if fits && owned[from] > 1 && (bytes[r] > bytes[to] || bytes[r] == bytes[to] && to != from && r < to) {
					to = r
				}
			}
			for _, r := range near {
				bytes[r] = 0
			}
			if to == from {
				continue
			}
			owners[v] = to
			load[from] -= g.VertexWeights[v]
			load[to] += g.VertexWeights[v]
			owned[from]--
			owned[to]++
			moves++
		}
		if moves == 0 {
			return
		}
	}
}

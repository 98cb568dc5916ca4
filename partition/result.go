package partition

import (
	"cmp"
	"slices"
)

// newResult computes all figures of parts from scratch.
func newResult(g *Graph, parts []int32, stated []int64, opt *Options) *Result {
	res := &Result{Parts: parts, Limits: stated, PartWeights: make([]int64, opt.Parts), Feasible: true}
	count := make([]int, opt.Parts)
	for v, p := range parts {
		res.PartWeights[p] += g.vertexWeight(int32(v))
		count[p]++
	}
	for p, w := range res.PartWeights {
		if w > stated[p] {
			res.Feasible = false
		}
		if count[p] == 0 {
			res.EmptyParts++
		}
	}
	res.Cut = EdgeCutOf(g, parts)
	res.CommunicationVolume, res.BottleneckVolume = VolumesOf(g, parts, opt.Parts)
	res.Imbalance = imbalance(res.PartWeights, opt.Targets)
	return res
}

// imbalance returns the largest ratio of weight to target, minus 1.
func imbalance(weights []int64, targets []float64) float64 {
	var total, sum float64
	for _, w := range weights {
		total += float64(w)
	}
	for _, t := range targets {
		sum += t
	}
	worst := 0.0
	for p, w := range weights {
		target := total / float64(len(weights))
		if targets != nil {
			target = total * targets[p] / sum
		}
		if target > 0 {
			worst = max(worst, float64(w)/target-1)
		}
	}
	return worst
}

// EdgeCutOf returns the weight of the edges between different parts.
func EdgeCutOf(g *Graph, parts []int32) int64 {
	var cut int64
	for v, p := range parts {
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			if parts[g.Neighbours[e]] != p {
				cut += g.edgeWeight(e)
			}
		}
	}
	return cut / 2
}

// VolumesOf returns the total communication volume of a partition into k
// parts, Σ over vertices of the number of other parts among the neighbours,
// and the largest share of it that a single part sends.
func VolumesOf(g *Graph, parts []int32, k int) (total, bottleneck int64) {
	perPart := make([]int64, k)
	seen := make([]int32, k)
	for v, p := range parts {
		seen[p] = int32(v) + 1
		for _, u := range g.Neighbours[g.Offsets[v]:g.Offsets[v+1]] {
			if q := parts[u]; seen[q] != int32(v)+1 {
				seen[q] = int32(v) + 1
				perPart[p]++
			}
		}
	}
	for _, volume := range perPart {
		total += volume
		bottleneck = max(bottleneck, volume)
	}
	return total, bottleneck
}

// onePerPart gives every vertex its own part, heavier vertices to parts with
// larger limits.
func onePerPart(g *Graph, limit []int64) []int32 {
	vertices := make([]int32, g.Vertices())
	for v := range vertices {
		vertices[v] = int32(v)
	}
	slices.SortStableFunc(vertices, func(a, b int32) int { return cmp.Compare(g.vertexWeight(b), g.vertexWeight(a)) })
	order := make([]int32, len(limit))
	for p := range order {
		order[p] = int32(p)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(limit[b], limit[a]) })
	parts := make([]int32, g.Vertices())
	for i, v := range vertices {
		parts[v] = order[i]
	}
	return parts
}

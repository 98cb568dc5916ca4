package coarsen

import (
	"carina/internal/random"
	"carina/partition/graph"
)

// Cluster merges vertices into clusters of any size up to heaviest:
// every vertex still alone joins, in random order, the neighbouring cluster of
// best rating Σω/(c(v)·c(C)). Where degrees differ much it shrinks the graph
// further than any matching could. It stops at a shrinking factor of 1.8, on
// large graphs of 3: more at once costs quality on small ones and saves levels,
// of which each takes its time, on large ones.
func Cluster(l *Level, heaviest int64, r *random.Source, stop func() bool) ([]int32, int) {
	g := l.Graph
	n := g.Vertices()
	fewest := n * 5 / 9
	const large = 1 << 15
	if n > large {
		fewest = n / 3
	}
	cluster := make([]int32, n)
	weight := append([]int64(nil), g.VertexWeights...)
	alone := make([]bool, n)
	for v := range cluster {
		cluster[v], alone[v] = int32(v), true
	}
	tie := make([]int64, n) // edge weight to each adjacent cluster
	var adjacent []int32
	clusters := n
	order := graph.Numbers(n)
	r.ShuffleRuns(order)
	for i, v := range order {
		if i%4096 == 0 && stop() {
			break
		}
		if !alone[v] || clusters <= fewest {
			continue
		}
		adjacent = adjacent[:0]
		for e := g.Offsets[v]; e < g.Offsets[v+1]; e++ {
			u := g.Neighbours[e]
			c := cluster[u]
			if weight[c]+weight[v] > heaviest || !l.mayMerge(u, v) {
				continue
			}
			if tie[c] == 0 {
				adjacent = append(adjacent, c)
			}
			tie[c] += g.EdgeWeights[e]
		}
		best, bestRating, ties := v, 0.0, 1
		for _, c := range adjacent {
			w := float64(tie[c])
			tie[c] = 0
			rating := w * w / (float64(max(weight[v], 1)) * float64(max(weight[c], 1)))
			switch {
			case rating > bestRating:
				best, bestRating, ties = c, rating, 1
			case rating == bestRating:
				if ties++; r.Below(ties) == 0 {
					best = c
				}
			}
		}
		if best == v {
			continue
		}
		alone[v], alone[best] = false, false
		cluster[v] = best
		weight[best] += weight[v]
		clusters--
	}
	return numberClusters(cluster)
}

// numberClusters numbers clusters by their first vertex.
func numberClusters(cluster []int32) ([]int32, int) {
	number := make([]int32, len(cluster))
	toCoarse := make([]int32, len(cluster))
	next := int32(0)
	for v, c := range cluster {
		if number[c] == 0 {
			next++
			number[c] = next
		}
		toCoarse[v] = number[c] - 1
	}
	return toCoarse, int(next)
}

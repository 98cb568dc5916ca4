package balance

import (
	"cmp"
	"context"
	"slices"
)

// rcb bisects the cuboids recursively across the longest extent of their
// centres, each side weighing what its ranks should get (recursive coordinate
// bisection, Berger and Bokhari 1987).
func rcb(ctx context.Context, p *Problem) ([]int32, error) {
	b := bisection{problem: p, centers: make([][3]uint32, len(p.Cuboids)), owners: make([]int32, len(p.Cuboids))}
	vertices := make([]int32, len(p.Cuboids))
	for i, c := range p.Cuboids {
		b.centers[i] = center(c)
		vertices[i] = int32(i)
	}
	b.targets = targets(p.Ranks)
	b.split(vertices, 0, len(p.Ranks))
	return b.owners, ctx.Err()
}

type bisection struct {
	problem *Problem
	centers [][3]uint32
	targets []float64
	owners  []int32
}

// split distributes vertices over the ranks from ≤ r < to.
func (b *bisection) split(vertices []int32, from, to int) {
	if to-from == 1 {
		for _, v := range vertices {
			b.owners[v] = int32(from)
		}
		return
	}
	axis := b.longest(vertices)
	slices.SortFunc(vertices, func(u, v int32) int {
		return cmp.Or(cmp.Compare(b.centers[u][axis], b.centers[v][axis]), cmp.Compare(u, v))
	})
	middle := (from + to) / 2
	weights := b.problem.Graph.VertexWeights
	var total, low, all float64
	for _, v := range vertices {
		total += float64(weights[v])
	}
	for r := from; r < to; r++ {
		all += b.targets[r]
		if r < middle {
			low += b.targets[r]
		}
	}
	cut, sum := 0, 0.0
	for cut < len(vertices) && sum+float64(weights[vertices[cut]])/2 <= total*low/all {
		sum += float64(weights[vertices[cut]])
		cut++
	}
	cut = min(max(cut, middle-from), len(vertices)-(to-middle))
	b.split(vertices[:cut], from, middle)
	b.split(vertices[cut:], middle, to)
}

// longest returns the axis along which the centres spread furthest.
func (b *bisection) longest(vertices []int32) int {
	low, high := b.centers[vertices[0]], b.centers[vertices[0]]
	for _, v := range vertices {
		for axis, x := range b.centers[v] {
			low[axis], high[axis] = min(low[axis], x), max(high[axis], x)
		}
	}
	best := 0
	for axis := range low {
		if high[axis]-low[axis] > high[best]-low[best] {
			best = axis
		}
	}
	return best
}

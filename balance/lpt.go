package balance

import (
	"container/heap"
	"context"
	"slices"
)

// lpt gives the heaviest remaining cuboid to the rank that would be done with
// it first (largest processing time first, Graham 1969: at most 4/3 − 1/(3n) of
// the optimum for equal speeds; Fietz 2011, section 4.2), with heaps.
func lpt(_ context.Context, p *Problem) ([]int32, error) {
	return lptOwners(p.Graph.VertexWeights, p.Ranks), nil
}

func lptOwners(weights []int64, ranks []Rank) []int32 {
	order := make([]int32, len(weights))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case weights[a] > weights[b]:
			return -1
		case weights[a] < weights[b]:
			return 1
		}
		return 0
	})
	groups := speedGroups(ranks)
	owners := make([]int32, len(weights))
	for _, v := range order {
		w := float64(weights[v])
		best := groups[0]
		for _, g := range groups[1:] {
			if g.top(w) < best.top(w) {
				best = g
			}
		}
		r := best.order[0]
		owners[v] = r
		best.load[r] += w
		heap.Fix(best, 0)
	}
	return owners
}

// maxGroups bounds the heaps that are looked at for every cuboid.
const maxGroups = 64

// speedGroups returns heaps of ranks of equal speed, fastest first, so that
// the rank that is done first is on top of one of them. Where there are very
// many speeds, ranks of similar speed share a heap.
func speedGroups(ranks []Rank) []*rankHeap {
	order := make([]int32, len(ranks))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case ranks[a].Speed > ranks[b].Speed:
			return -1
		case ranks[a].Speed < ranks[b].Speed:
			return 1
		}
		return 0
	})
	load := make([]float64, len(ranks))
	least := (len(ranks) + maxGroups - 1) / maxGroups
	distinct := 1
	for i := 1; i < len(order); i++ {
		if ranks[order[i]].Speed != ranks[order[i-1]].Speed {
			distinct++
		}
	}
	var groups []*rankHeap
	for _, r := range order {
		if n := len(groups); n > 0 {
			g := groups[n-1]
			last := g.order[len(g.order)-1]
			if ranks[last].Speed == ranks[r].Speed || distinct > maxGroups && len(g.order) < least {
				g.order = append(g.order, r)
				continue
			}
		}
		groups = append(groups, &rankHeap{ranks: ranks, load: load, order: []int32{r}})
	}
	return groups
}

// rankHeap has the rank that is done first on top.
type rankHeap struct {
	ranks []Rank
	load  []float64
	order []int32
}

// top returns when the first rank would be done if it took on weight w.
func (h *rankHeap) top(w float64) float64 {
	r := h.order[0]
	return (h.load[r] + w) / h.ranks[r].Speed
}

func (h *rankHeap) Len() int { return len(h.order) }
func (h *rankHeap) Less(i, j int) bool {
	a, b := h.order[i], h.order[j]
	ta, tb := h.load[a]/h.ranks[a].Speed, h.load[b]/h.ranks[b].Speed
	if ta != tb {
		return ta < tb
	}
	return a < b
}
func (h *rankHeap) Swap(i, j int) { h.order[i], h.order[j] = h.order[j], h.order[i] }
func (h *rankHeap) Push(x any)    { h.order = append(h.order, x.(int32)) }
func (h *rankHeap) Pop() any {
	last := h.order[len(h.order)-1]
	h.order = h.order[:len(h.order)-1]
	return last
}

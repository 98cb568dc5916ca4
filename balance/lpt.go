package balance

import (
	"cmp"
	"context"
	"slices"

	"carina/internal/heap"
	"carina/partition/graph"
)

// lpt gives the heaviest remaining cuboid to the rank that would be done with
// it first (largest processing time first, Graham 1969: at most 4/3 − 1/(3n) of
// the optimum for equal speeds; Fietz 2011, section 4.2), with heaps.
func lpt(_ context.Context, p *Problem) ([]int32, error) {
	return lptOwners(p.Graph.VertexWeights, p.Ranks), nil
}

func lptOwners(weights []int64, ranks []Rank) []int32 {
	order := graph.Numbers(len(weights))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(weights[b], weights[a]) })
	groups := speedGroups(ranks)
	owners := make([]int32, len(weights))
	for _, v := range order {
		w := float64(weights[v])
		best := groups[0]
		for _, g := range groups[1:] {
			if g.done(w) < best.done(w) {
				best = g
			}
		}
		r := best.Top()
		owners[v] = r
		best.load[r] += w
		best.Fix()
	}
	return owners
}

// maxGroups bounds the heaps that are looked at for every cuboid.
const maxGroups = 64

// speedGroups returns heaps of ranks of equal speed, fastest first, so that
// the rank that is done first is on top of one of them. Where there are very
// many speeds, ranks of similar speed share a heap.
func speedGroups(ranks []Rank) []*rankGroup {
	order := graph.Numbers(len(ranks))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(ranks[b].Speed, ranks[a].Speed) })
	load := make([]float64, len(ranks))
	least := (len(ranks) + maxGroups - 1) / maxGroups
	distinct := 1
	for i := 1; i < len(order); i++ {
		if ranks[order[i]].Speed != ranks[order[i-1]].Speed {
			distinct++
		}
	}
	doneFirst := func(a, b int32) bool {
		return cmp.Or(cmp.Compare(load[a]/ranks[a].Speed, load[b]/ranks[b].Speed), cmp.Compare(a, b)) < 0
	}
	var groups []*rankGroup
	for begin := 0; begin < len(order); {
		end := begin + 1
		for end < len(order) && (ranks[order[end]].Speed == ranks[order[end-1]].Speed || distinct > maxGroups && end-begin < least) {
			end++
		}
		groups = append(groups, &rankGroup{heap.New(doneFirst, order[begin:end]...), ranks, load})
		begin = end
	}
	return groups
}

// rankGroup is the ranks that are compared, the one that is done first on top.
type rankGroup struct {
	*heap.Heap[int32]
	ranks []Rank
	load  []float64
}

// done returns when the first rank would be done if it took on weight w.
func (g *rankGroup) done(w float64) float64 {
	r := g.Top()
	return (g.load[r] + w) / g.ranks[r].Speed
}

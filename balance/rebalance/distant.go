package rebalance

import (
	"context"
	"fmt"
	"math"
	"slices"

	"carina/partition"
)

// Distant starts to partition the graph anew from the present owners and speeds,
// with what moving costs: it returns a function that may run beside all else,
// and whose result the next look judges once Found has been given it.
func (b *Balancer) Distant(steps int64) func(ctx context.Context) ([]int32, error) {
	now := b.assign(b.owners)
	limit, moving := now.ideal(), b.Moving
	targets := now.targets(limit)
	return func(ctx context.Context) ([]int32, error) {
		return now.partition(ctx, limit, targets, moving, steps)
	}
}

// Found offers owners that Distant has found to the next look.
func (b *Balancer) Found(owners []int32) { b.graph = owners }

// distant returns the owners offered, evened out, where they fit.
func (b *Balancer) distant(ctx context.Context, now *assignment) *assignment {
	if b.graph == nil {
		return nil
	}
	a := b.assign(b.graph)
	if slices.ContainsFunc(a.members, func(list []int32) bool { return len(list) == 0 }) {
		return nil // the partitioner may leave a rank without work
	}
	a.level(ctx)
	for r, rank := range a.Ranks {
		if rank.Cells > 0 && a.cells[r] > max(rank.Cells, now.cells[r]) {
			return nil // it may overfill a memory, too
		}
	}
	return a
}

// targets are the shares of the work that ranks are to have, as far as their memory holds
// them.
func (a *assignment) targets(ideal float64) []float64 {
	list := a.rates()
	var work float64
	var cells int64
	for v := range a.owners {
		work += a.reference(int32(v))
		cells += a.Cells[v]
	}
	for r := range list {
		if most := a.Ranks[r].Cells; most > 0 {
			list[r] = math.Min(list[r], work*float64(most)/float64(max(1, cells))/ideal)
		}
	}
	return list
}

// partition calls the graph partitioner.
func (a *assignment) partition(ctx context.Context, ideal float64, targets []float64, moving Moving, steps int64) ([]int32, error) {
	g := *a.Graph
	unit := ideal / 1e7 // a rank's work in whole numbers
	g.VertexWeights = make([]int64, len(a.owners))
	for v := range g.VertexWeights {
		g.VertexWeights[v] = max(1, int64(math.Round(a.reference(int32(v))/unit)))
	}
	o := partition.Options{Parts: len(a.Ranks), Imbalance: levelled, Targets: targets, Previous: slices.Clone(a.owners), MigrationCosts: make([]int64, len(a.owners))}
	// An edge's unit is a byte of a step; a cell is moved once in so many steps.
	perByte := math.Max(a.Kinds[0].Inside, 1e-15)
	for v, cells := range a.Cells {
		cost := moving.PerCell * float64(cells) / float64(max(1, steps)) / perByte
		o.MigrationCosts[v] = int64(math.Min(math.Max(1, cost), partition.LargestMigrationCost))
	}
	result, err := partition.Partition(ctx, &g, o)
	if err != nil {
		return nil, fmt.Errorf("partitioning %d vertices anew: %w", len(a.owners), err)
	}
	return result.Parts, nil
}

package partition

import (
	"cmp"
	"fmt"
	"slices"

	"carina/internal/parallel"
	"carina/internal/quantity"
	"carina/partition/graph"
)

// Result is a partition and its figures, recomputed from scratch.
type Result struct {
	// Parts holds the part of every vertex, 0 to Options.Parts-1.
	Parts []int32
	// Cut is the weight of the edges between different parts.
	Cut int64
	// CommunicationVolume sums, over all vertices, the number of other parts
	// the vertex has neighbours in; BottleneckVolume is the largest such sum
	// of a single part.
	CommunicationVolume, BottleneckVolume int64
	// MappingCost is Σ weight × distance if distances were given.
	MappingCost int64
	// MigrationCost is the cost of the vertices that left their previous
	// part, and MigratedWeight their vertex weight.
	MigrationCost, MigratedWeight int64
	// PartWeights is the weight of each part.
	PartWeights []int64
	// Limits holds ⌈(1+ε)·target⌉ for each part.
	Limits []int64
	// Unreachable tells that single vertices are too heavy, or whole vertices too
	// coarse, for Limits, so that some parts were allowed more (a vertex
	// heavier than a part gets a part to itself; the others keep Limits).
	Unreachable bool
	// Imbalance is the largest part weight over its target, minus 1.
	Imbalance float64
	// Feasible tells whether every part is within Limits.
	Feasible bool
	// EmptyParts is the number of parts without a vertex: zero unless there
	// are more parts than vertices.
	EmptyParts int
	// DisconnectedParts is the number of parts that consist of more than one
	// piece.
	DisconnectedParts int
}

// newResult computes all figures of parts from scratch.
func newResult(g *graph.Graph, parts []int32, l *limits, opt *Options) *Result {
	stated := l.stated
	res := &Result{Parts: parts, Limits: stated, Unreachable: !slices.Equal(stated, l.effective), PartWeights: make([]int64, opt.Parts), Feasible: true}
	for p, f := range figuresOf(g, opt.VertexSizes, parts, opt.Parts) {
		res.PartWeights[p] = f.weight
		if f.weight > stated[p] {
			res.Feasible = false
		}
		if f.vertices == 0 {
			res.EmptyParts++
		}
		res.Cut += f.cut
		res.CommunicationVolume += f.volume
		res.BottleneckVolume = max(res.BottleneckVolume, f.volume)
	}
	res.Cut /= 2
	res.DisconnectedParts = DisconnectedPartsOf(g, parts, opt.Parts)
	if checkDistances(opt.Distances, opt.Parts) == nil {
		res.MappingCost = MappingCostOf(g, parts, opt.Distances)
	}
	for v, p := range opt.Previous {
		if p >= 0 && p != parts[v] {
			res.MigratedWeight += g.VertexWeight(int32(v))
			if opt.MigrationCosts != nil {
				res.MigrationCost += opt.MigrationCosts[v]
			}
		}
	}
	res.Imbalance = imbalance(res.PartWeights, opt.Targets)
	return res
}

// Evaluate computes the figures of any partition of g, as [Partition] would
// report them under opt.
func Evaluate(g *graph.Graph, parts []int32, opt Options) (*Result, error) {
	if err := g.ValidateShape(); err != nil {
		return nil, err
	}
	if err := opt.check(g.Vertices()); err != nil {
		return nil, err
	}
	if err := opt.checkSizes(g); err != nil {
		return nil, err
	}
	if err := checkParts(g, parts, opt.Parts); err != nil {
		return nil, err
	}
	return newResult(g, parts, newLimits(g, &opt, parallel.Never), &opt), nil
}

// checkParts tells what is wrong with a partition of g into k parts.
func checkParts(g *graph.Graph, parts []int32, k int) error {
	if len(parts) != g.Vertices() {
		return fmt.Errorf("%s for %s", quantity.Count(len(parts), "label"), quantity.Count(g.Vertices(), "vertex"))
	}
	for v, p := range parts {
		if p < 0 || int(p) >= k {
			return fmt.Errorf("vertex %d is in part %d; parts run from 0 to %d", v, p, k-1)
		}
	}
	return nil
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

// onePerPart gives every vertex its own part, heavier vertices to parts with
// larger limits.
func onePerPart(g *graph.Graph, limit []int64) []int32 {
	vertices := graph.Numbers(g.Vertices())
	slices.SortStableFunc(vertices, func(a, b int32) int { return cmp.Compare(g.VertexWeight(b), g.VertexWeight(a)) })
	order := graph.Numbers(len(limit))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(limit[b], limit[a]) })
	parts := make([]int32, g.Vertices())
	for i, v := range vertices {
		parts[v] = order[i]
	}
	return parts
}

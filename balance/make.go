package balance

import (
	"context"
	"slices"

	"carina/cuboid"
	"carina/geometry"
)

// Make partitions a grid: it decomposes it into cuboids, weighs them and what
// crosses between them, and gives each an owner. No rank stays empty, whatever
// their number, as long as there are as many fluid cells. The same grid and
// options give the same partition.
func Make(ctx context.Context, g *geometry.Grid, opt Options) (*Partition, error) {
	if err := opt.complete(g); err != nil {
		return nil, err
	}
	balancer, err := NewBalancer(opt.Balance)
	if err != nil {
		return nil, err
	}
	ranks := opt.ranks()
	opt.Progress("decompose", 0)
	d, err := decompose(ctx, g, &opt, ranks)
	if err != nil {
		return nil, err
	}
	crossings, owners, err := d.assign(ctx, g, &opt, ranks, balancer)
	if err != nil {
		return nil, err
	}
	if crossings, owners, err = d.refine(ctx, g, &opt, ranks, crossings, owners); err != nil {
		return nil, err
	}
	opt.Progress("judge", 0.9)
	p := &Partition{
		Source: opt.Source, Grid: Reference(g), Cost: *opt.Cost, Ranks: ranks, Method: opt.method(),
		Quality: measureQuality(opt.Cost, ranks, d.counts, crossings, owners, d.segments),
		Cuboids: d.cuboids, Counts: d.counts, Owners: owners,
	}
	opt.Progress("judge", 1)
	return p, nil
}

// refine does what the options ask for after balancing: recombination within
// ranks, and improvement.
func (d *decomposition) refine(ctx context.Context, g *geometry.Grid, opt *Options, ranks []Rank, crossings []cuboid.Crossing, owners []int32) ([]cuboid.Crossing, []int32, error) {
	s, err := parseStrategy(opt.Decompose)
	if err != nil {
		return nil, nil, err
	}
	if s.recombine {
		if crossings, owners, err = d.mergeOwned(g, opt, crossings, owners); err != nil {
			return nil, nil, err
		}
	}
	if !opt.Improve {
		return crossings, owners, nil
	}
	opt.Progress("improve", 0.8)
	improve(ctx, opt.Cost, ranks, d.counts, crossings, owners)
	if opt.KeepHeavy || s.base == "bricks" {
		return crossings, owners, nil
	}
	return d.trim(ctx, g, opt, ranks, s.shrink, crossings, owners)
}

// tries is how often cuboids are split further when the balancer cannot meet
// the imbalance with them.
const tries = 4

// assign weighs cuboids and what crosses between them and gives each an owner.
// That they could be shared evenly by weight alone does not mean that the graph
// partitioner finds out how; it then gets smaller ones.
func (d *decomposition) assign(ctx context.Context, g *geometry.Grid, opt *Options, ranks []Rank, balancer Balancer) ([]cuboid.Crossing, []int32, error) {
	s, err := parseStrategy(opt.Decompose)
	if err != nil {
		return nil, nil, err
	}
	for try := 1; ; try++ {
		opt.Progress("weigh", 0.2)
		crossings := cuboid.Crossings(d.segments, opt.Cost.Directions)
		problem := &Problem{
			Graph: Graph(opt.Cost, d.counts, crossings), Cuboids: d.cuboids, Ranks: ranks,
			Imbalance: opt.room(ranks), Seed: opt.Seed, Preset: opt.Preset, TimeLimit: opt.TimeLimit,
			Inside: opt.Cost.Inside, Between: opt.Cost.Between,
			Progress: func(stage string, done float64) { opt.Progress(stage, 0.4+0.4*done) },
		}
		opt.Progress("balance", 0.4)
		owners, err := balancer.Balance(ctx, problem)
		if err != nil {
			return nil, nil, err
		}
		weights := problem.Graph.VertexWeights
		// The partitioner's limit is rounded up to whole units.
		met := imbalance(weights, owners, ranks) <= opt.room(ranks)*(1+1e-6)+1e-9
		if met || opt.KeepHeavy || opt.Balance != "graph" || try == tries {
			return crossings, owners, nil
		}
		cuboids := len(d.cuboids)
		limit := max(slices.Max(weights)*2/3, opt.Cost.Weight(cuboid.Counts{Fluid: fewestCells}))
		if err := d.split(ctx, g, cuboid.Splitting{Weight: opt.Cost.Weight, Count: len(ranks), Limit: limit, Shrink: s.shrink}); err != nil {
			return nil, nil, err
		}
		if len(d.cuboids) == cuboids {
			return crossings, owners, nil
		}
	}
}

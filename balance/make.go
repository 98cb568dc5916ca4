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
	balancer, err := opt.balancer()
	if err != nil {
		return nil, err
	}
	ranks := opt.ranks()
	best, err := opt.balanced(ctx, g, ranks, balancer)
	if err != nil {
		return nil, err
	}
	opt.Progress("judge", 0.9)
	p := &Partition{
		Source: opt.Source, Grid: Reference(g), Cost: *opt.Cost, Ranks: ranks, Method: opt.method(),
		Quality: measureQuality(opt.Cost, ranks, best.counts, best.crossings, best.owners, best.segments),
		Cuboids: best.cuboids, Counts: best.counts, Owners: best.owners,
	}
	for i := range p.Counts {
		n := &p.Counts[i]
		n.Lanes, n.Passed = 0, 0 // like read from a file
	}
	opt.Progress("judge", 1)
	return p, nil
}

// balanced decomposes the grid, gives cuboids to ranks by a balancer, and does
// what the options ask for afterwards.
func (opt *Options) balanced(ctx context.Context, g *geometry.Grid, ranks []Rank, balancer Balancer) (*layoutState, error) {
	opt.Progress("decompose", 0)
	d, err := decompose(ctx, g, opt, ranks)
	if err != nil {
		return nil, err
	}
	opt.chooseCost(d)
	crossings, owners, err := d.assign(ctx, g, opt, ranks, balancer)
	if err != nil {
		return nil, err
	}
	return d.refine(ctx, g, opt, ranks, crossings, owners)
}

// chooseCost fits the cost model to the cells that ranks will hold. Only
// messages compare differently with all else for it, so that a decomposition is
// as good as before.
func (opt *Options) chooseCost(d *decomposition) {
	var cells int64
	for _, n := range d.counts {
		cells += opt.Cost.StoredCells(n)
	}
	cost := opt.Cost.For(float64(cells) / float64(opt.Ranks))
	opt.Cost = &cost
}

// refine does what the options ask for after balancing: recombination within
// ranks, and improvement.
func (d *decomposition) refine(ctx context.Context, g *geometry.Grid, opt *Options, ranks []Rank, crossings []cuboid.Crossing, owners []int32) (*layoutState, error) {
	s := opt.strategy
	if s.recombine {
		var err error
		if crossings, owners, err = d.mergeOwned(g, opt, crossings, owners); err != nil {
			return nil, err
		}
	}
	now := &layoutState{decomposition: *d, crossings: crossings, owners: owners}
	now.judge(opt.Cost, ranks)
	if !opt.Improve {
		return now, nil
	}
	opt.Progress("improve", 0.8)
	if s.base == "bricks" { // of which there may be a million
		improve(ctx, opt.Cost, ranks, now.counts, now.crossings, now.owners)
		now.judge(opt.Cost, ranks)
		return now, nil
	}
	for range improvements {
		before := now.step
		var err error
		improveAndSave(ctx, opt.Cost, ranks, now.counts, now.crossings, now.owners)
		now.judge(opt.Cost, ranks)
		if opt.KeepHeavy {
			break
		}
		if now, err = now.trim(ctx, g, opt, ranks, s.shrink); err != nil {
			return nil, err
		}
		if now.step > before*(1-trimGain) {
			break
		}
	}
	return now, nil
}

// improvements bounds how often whole cuboids and slices of them are moved in
// turn.
const improvements = 3

// tries is how often cuboids are split further when the balancer cannot meet
// the imbalance with them.
const tries = 4

// assign weighs cuboids and what crosses between them and gives each an owner.
// That they could be shared evenly by weight alone does not mean that the graph
// partitioner finds out how; it then gets smaller ones.
func (d *decomposition) assign(ctx context.Context, g *geometry.Grid, opt *Options, ranks []Rank, balancer Balancer) ([]cuboid.Crossing, []int32, error) {
	for try := 1; ; try++ {
		opt.Progress("weigh", 0.2)
		crossings := opt.Cost.Crossings(d.segments)
		problem := d.problem(opt, ranks, crossings)
		opt.Progress("balance", 0.4)
		owners, err := balancer.Balance(ctx, problem)
		if err != nil {
			return nil, nil, err
		}
		weights := problem.Graph.VertexWeights
		// The partitioner's limit is rounded up to whole units.
		met := imbalance(weights, owners, ranks) <= opt.room(ranks)*(1+1e-6)+1e-9
		if met || opt.KeepHeavy || opt.Balancer != nil || opt.Balance != "graph" || try == tries {
			return crossings, owners, nil
		}
		cuboids := len(d.cuboids)
		limit := max(slices.Max(weights)*2/3, opt.Cost.Weight(cuboid.Counts{Fluid: fewestCells}))
		if err := d.split(ctx, g, opt.Cost, cuboid.Splitting{Weight: opt.Cost.Weight, Count: len(ranks), Limit: limit, Shrink: opt.strategy.shrink}); err != nil {
			return nil, nil, err
		}
		if len(d.cuboids) == cuboids {
			return crossings, owners, nil
		}
	}
}

// problem states what a balancer is to solve.
func (d *decomposition) problem(opt *Options, ranks []Rank, crossings []cuboid.Crossing) *Problem {
	return &Problem{
		Graph: Graph(opt.Cost, d.counts, crossings), Cuboids: d.cuboids, Ranks: ranks,
		Imbalance: opt.room(ranks), Seed: opt.Seed, Preset: opt.Preset, TimeLimit: opt.TimeLimit,
		Inside: opt.Cost.Inside, Between: opt.Cost.Between,
		Progress: func(stage string, done float64) { opt.Progress(stage, 0.4+0.4*done) },
	}
}

package balance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"carina/cuboid"
	"carina/geometry"
)

// Options say how a grid is to be partitioned. Zero values stand for sensible
// defaults; only Ranks must be given.
type Options struct {
	// Ranks is the number of ranks.
	Ranks int
	// Speeds has one relative speed per rank; nil means that all are equal.
	Speeds []float64
	// DevicesPerHost says how many consecutive ranks share a host; 0 means
	// that all do.
	DevicesPerHost int
	// Decompose is regular, shrink, octree, bricks or carve, followed by
	// +shrink, +carve and +recombine as wanted; bricks by default. Regular
	// blocks are as many as CuboidsPerRank asks for; shrink is regular+shrink;
	// octree and bricks are limited by MinSide and MaxSide; carve starts from
	// the bounding box and cuts empty space away where that pays. +shrink
	// shrinks cuboids to their fluid. +recombine merges neighbours where that
	// pays, before balancing and, within ranks, after it.
	Decompose string
	// Balance is the name of a balancer, see NewBalancer; graph by default.
	Balance string
	// CuboidsPerRank is k, the number of blocks per rank before those without
	// fluid are removed; 8 by default. If given it also bounds the cuboids that
	// carving makes.
	CuboidsPerRank int
	// MinSide and MaxSide are the sides of octree leaves; MinSide is the side
	// of a brick. Chosen from the number of ranks if 0.
	MinSide, MaxSide int32
	// Imbalance is how far the heaviest rank may exceed its share: 0.03 by
	// default.
	Imbalance float64
	// KeepHeavy leaves cuboids whole although the ranks cannot share them
	// within the imbalance, as long as there are enough of them.
	KeepHeavy bool
	// Seed chooses one of several possible results.
	Seed uint64
	// Preset is the effort of the graph partitioner: fast, eco or strong; by
	// default eco for up to some ten thousand cuboids and fast for more.
	Preset string
	// TimeLimit, if positive, lets the graph partitioner go on improving for so
	// long; the result then depends on the machine.
	TimeLimit time.Duration
	// Improve moves cuboids between neighbouring ranks afterwards while the
	// predicted step time falls.
	Improve bool
	// Cost is the cost model; DefaultCost(Sparse) by default.
	Cost *Cost
	// Source is copied into the partition.
	Source Source
	// Progress, if set, is told the stage and the share done, 0 to 1.
	Progress func(stage string, done float64)

	carved int // the largest number of cuboids carving may make; 0 for any
}

// complete checks the options and fills in the defaults.
func (opt *Options) complete(g *geometry.Grid) error {
	if opt.Ranks < 1 {
		return fmt.Errorf("%d ranks asked for: ask for at least one", opt.Ranks)
	}
	if cells := g.Cells(); int64(opt.Ranks) > cells {
		return fmt.Errorf("%d ranks asked for, but there are only %d fluid cells: use at most %d ranks or a finer spacing", opt.Ranks, cells, cells)
	}
	if opt.Speeds != nil && len(opt.Speeds) != opt.Ranks {
		return fmt.Errorf("%d speeds given for %d ranks: give one for each", len(opt.Speeds), opt.Ranks)
	}
	if opt.DevicesPerHost < 0 || opt.CuboidsPerRank < 0 || opt.MinSide < 0 || opt.MaxSide < 0 || !(opt.Imbalance >= 0) {
		return fmt.Errorf("devices per host %d, cuboids per rank %d, sides %d to %d, imbalance %v: none may be negative", opt.DevicesPerHost, opt.CuboidsPerRank, opt.MinSide, opt.MaxSide, opt.Imbalance)
	}
	if opt.Cost == nil {
		cost := DefaultCost(Sparse)
		opt.Cost = &cost
	}
	if err := opt.Cost.Check(); err != nil {
		return err
	}
	setDefault(&opt.Decompose, "bricks")
	setDefault(&opt.Balance, "graph")
	opt.carved = opt.CuboidsPerRank * opt.Ranks
	setDefault(&opt.CuboidsPerRank, 8)
	setDefault(&opt.Imbalance, 0.03)
	if opt.Progress == nil {
		opt.Progress = func(string, float64) {}
	}
	s, err := parseStrategy(opt.Decompose)
	if err != nil {
		return err
	}
	opt.chooseSides(g, s.base)
	return nil
}

func setDefault[T comparable](value *T, standard T) {
	var zero T
	if *value == zero {
		*value = standard
	}
}

// ranks returns the ranks that the options describe.
func (opt *Options) ranks() []Rank {
	list := make([]Rank, opt.Ranks)
	for i := range list {
		list[i].Speed = 1
		if opt.Speeds != nil {
			list[i].Speed = opt.Speeds[i]
		}
		if opt.DevicesPerHost > 0 {
			list[i].Host = i / opt.DevicesPerHost
		}
	}
	return list
}

// room returns how far ranks may be from their shares. Where speeds differ it
// is half of the imbalance, so that ranks of different speed, one above and one
// below its share, are no further apart than that.
func (opt *Options) room(ranks []Rank) float64 {
	if equalSpeeds(ranks) {
		return opt.Imbalance
	}
	return opt.Imbalance / 2
}

// method records the options in a partition.
func (opt *Options) method() Method {
	return Method{
		Decompose: opt.Decompose, Balance: opt.Balance, CuboidsPerRank: opt.CuboidsPerRank,
		MinSide: opt.MinSide, MaxSide: opt.MaxSide, KeepHeavy: opt.KeepHeavy,
		Imbalance: opt.Imbalance, Preset: opt.Preset, Seed: opt.Seed, TimeLimit: opt.TimeLimit.Seconds(), Improve: opt.Improve,
	}
}

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
	if crossings, owners, err = d.recombineOwned(g, &opt, crossings, owners); err != nil {
		return nil, err
	}
	if opt.Improve {
		opt.Progress("improve", 0.8)
		improve(ctx, opt.Cost, ranks, d.counts, crossings, owners)
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

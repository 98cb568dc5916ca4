package balance

import (
	"fmt"
	"math"
	"time"

	"carina/geometry"
	"carina/internal/quantity"
)

// Options say how a grid is to be partitioned. Zero values stand for sensible
// defaults; only Ranks must be given.
type Options struct {
	// Ranks is the number of ranks.
	Ranks int
	// Speeds has one relative speed per rank; nil means that all are equal.
	Speeds []float64
	// Devices names what each rank computes on, where they differ; Unused says why some
	// that could have a rank have none, or what has the cells that the GPUs' memory does not
	// hold. Both are for the partition to tell.
	Devices []string
	Unused  string
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
	// Decomposer and Balancer, if set, take the place of those by name, and
	// Decompose and Balance say how the partition calls them: own by default. The
	// Decomposer's cuboids are left as they are, but for those without fluid; the
	// Balancer must leave no rank without a cuboid.
	Decomposer Decomposer
	Balancer   Balancer
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
	// Improve moves and swaps cuboids between ranks afterwards while the
	// predicted step time falls and, except for bricks and with KeepHeavy, moves
	// slices of cuboids too.
	Improve bool
	// Cost is the cost model; DefaultCost(Sparse) by default.
	Cost *Cost
	// Source is copied into the partition.
	Source Source
	// Progress, if set, is told the stage and the share done, 0 to 1.
	Progress func(stage string, done float64)

	strategy strategy
	carved   int // the largest number of cuboids carving may make; 0 for any
}

// complete checks the options and fills in the defaults.
func (opt *Options) complete(g *geometry.Grid) error {
	if opt.Ranks < 1 {
		return fmt.Errorf("%d ranks asked for: ask for at least one", opt.Ranks)
	}
	if cells := g.Cells(); int64(opt.Ranks) > cells {
		return fmt.Errorf("%d ranks asked for, but there are only %s: use at most %s or a finer spacing", opt.Ranks, quantity.Count(cells, "fluid cell"), quantity.Count(cells, "rank"))
	}
	if opt.Speeds != nil && len(opt.Speeds) != opt.Ranks {
		return fmt.Errorf("%s given for %s: give one for each", quantity.Count(len(opt.Speeds), "speed"), quantity.Count(opt.Ranks, "rank"))
	}
	if opt.Devices != nil && len(opt.Devices) != opt.Ranks {
		return fmt.Errorf("%s named for %s: name one for each", quantity.Count(len(opt.Devices), "device"), quantity.Count(opt.Ranks, "rank"))
	}
	for _, number := range []struct {
		name  string
		value int64
	}{{"devices-per-host", int64(opt.DevicesPerHost)}, {"cuboids-per-rank", int64(opt.CuboidsPerRank)}, {"min-side", int64(opt.MinSide)}, {"max-side", int64(opt.MaxSide)}} {
		if number.value < 0 {
			return fmt.Errorf("%s is %d, and may not be negative: give a number above zero", number.name, number.value)
		}
	}
	if !(opt.Imbalance >= 0) {
		return fmt.Errorf("the imbalance is %v, and may not be negative: give a number such as 0.03", opt.Imbalance)
	}
	if most := max(g.Size[0], g.Size[1], g.Size[2]); most > maxSide {
		return fmt.Errorf("the grid is %d cells long, more than the %d that can be partitioned: voxelize with a larger spacing", most, maxSide)
	}
	if int64(opt.CuboidsPerRank) > math.MaxInt32/int64(opt.Ranks) {
		return fmt.Errorf("%s on each of %s cannot be numbered: ask for fewer", quantity.Count(opt.CuboidsPerRank, "cuboid"), quantity.Count(opt.Ranks, "rank"))
	}
	if opt.Cost == nil {
		cost := DefaultCost(Sparse)
		opt.Cost = &cost
	}
	if err := opt.Cost.Check(); err != nil {
		return err
	}
	if err := opt.nameOwn(); err != nil {
		return err
	}
	setDefault(&opt.Decompose, "bricks")
	setDefault(&opt.Balance, "graph")
	if opt.Decomposer == nil {
		var err error
		if opt.strategy, err = parseStrategy(opt.Decompose); err != nil {
			return err
		}
	}
	if err := opt.refuseIdle(); err != nil {
		return err
	}
	if opt.Progress == nil {
		opt.Progress = func(string, float64) {}
	}
	setDefault(&opt.Imbalance, 0.03)
	if opt.Decomposer != nil {
		return nil
	}
	opt.carved = opt.CuboidsPerRank * opt.Ranks
	setDefault(&opt.CuboidsPerRank, 8)
	opt.chooseSides(g, opt.strategy.base)
	return nil
}

// refuseIdle refuses options that the decomposition or the balancer does not
// use, rather than to ignore them in silence.
func (opt *Options) refuseIdle() error {
	s, named := opt.strategy, opt.Balancer == nil
	for _, idle := range []struct {
		given bool
		what  string
	}{
		{opt.MaxSide > 0 && s.base != "octree", "a largest side (max-side) is for the octree decomposition only"},
		{opt.MinSide > 0 && s.base != "octree" && s.base != "bricks", "a smallest side (min-side) is for the octree and bricks decompositions only"},
		{opt.Preset != "" && named && opt.Balance != "graph", "a preset is for the graph balancer only"},
		{opt.TimeLimit > 0 && named && opt.Balance != "graph", "a time limit is for the graph balancer only"},
		{opt.Imbalance > 0 && named && opt.Balance == "linear", "an imbalance is for balancers that look at work, which linear does not"},
	} {
		if idle.given {
			return fmt.Errorf("%s: leave it out with %s + %s", idle.what, opt.Decompose, opt.Balance)
		}
	}
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
		if opt.Devices != nil {
			list[i].Device = opt.Devices[i]
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
		Imbalance: opt.Imbalance, Preset: opt.Preset, Seed: opt.Seed, TimeLimit: opt.TimeLimit.Seconds(), Improve: opt.Improve, Unused: opt.Unused,
	}
}

package balance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/quantity"
)

// Decomposer cuts a grid into cuboids.
type Decomposer interface {
	// Decompose returns disjoint cuboids that hold every fluid cell of the grid,
	// at least as many with fluid as there are ranks.
	Decompose(ctx context.Context, g *geometry.Grid, ranks []Rank) ([]cuboid.Cuboid, error)
}

// DecomposerFunc is a function that is a Decomposer.
type DecomposerFunc func(ctx context.Context, g *geometry.Grid, ranks []Rank) ([]cuboid.Cuboid, error)

// Decompose calls f.
func (f DecomposerFunc) Decompose(ctx context.Context, g *geometry.Grid, ranks []Rank) ([]cuboid.Cuboid, error) {
	return f(ctx, g, ranks)
}

// Cuboids are a Decomposer that cuts a grid into what they are, such as those of
// another partition.
type Cuboids []cuboid.Cuboid

// Decompose returns the cuboids.
func (c Cuboids) Decompose(context.Context, *geometry.Grid, []Rank) ([]cuboid.Cuboid, error) {
	return c, nil
}

// Owners are a Balancer that gives every cuboid with fluid, in order, the owner
// that it has been given elsewhere, for instance by METIS.
type Owners []int32

// Balance returns the owners.
func (o Owners) Balance(context.Context, *Problem) ([]int32, error) { return o, nil }

var (
	_ Decomposer = Cuboids(nil)
	_ Balancer   = Owners(nil)
)

// own is the name of decompositions and balancers that a caller brings without
// one.
const own = "own"

// balancer returns the balancer that the options choose. What the caller's own
// returns is checked, and is not changed.
func (opt *Options) balancer() (Balancer, error) {
	if opt.Balancer == nil {
		return NewBalancer(opt.Balance)
	}
	return BalancerFunc(func(ctx context.Context, p *Problem) ([]int32, error) {
		owners, err := opt.Balancer.Balance(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("balancer %s: %w", opt.Balance, err)
		}
		return slices.Clone(owners), checkOwners(owners, len(p.Cuboids), len(p.Ranks))
	}), nil
}

// checkOwners refuses owners that make no partition.
func checkOwners(owners []int32, cuboids, ranks int) error {
	if len(owners) != cuboids {
		return fmt.Errorf("%s given for %s with fluid: give one for each", quantity.Count(len(owners), "owner"), quantity.Count(cuboids, "cuboid"))
	}
	owned := make([]bool, ranks)
	for i, o := range owners {
		if o < 0 || int(o) >= ranks {
			return fmt.Errorf("cuboid %d is given to rank %d, but there are ranks 0 to %d", i, o, ranks-1)
		}
		owned[o] = true
	}
	if idle := slices.Index(owned, false); idle >= 0 {
		return fmt.Errorf("rank %d is given no cuboid: give it one, or ask for fewer ranks", idle)
	}
	return nil
}

// decomposeOwn cuts the grid with the caller's own decomposition, of which
// nothing is changed but that cuboids without fluid are left out.
func decomposeOwn(ctx context.Context, g *geometry.Grid, opt *Options, ranks []Rank) (*decomposition, error) {
	given, err := opt.Decomposer.Decompose(ctx, g, slices.Clone(ranks))
	cuboids := slices.Clone(given)
	if err != nil {
		return nil, fmt.Errorf("decomposition %s: %w", opt.Decompose, err)
	}
	if err := admitCuboids(int64(len(cuboids)), bytesPerCuboid); err != nil {
		return nil, err
	}
	if err := cuboid.Disjoint(cuboids, g.Size); err != nil {
		return nil, fmt.Errorf("decomposition %s: %w", opt.Decompose, err)
	}
	d := &decomposition{}
	if d.segments, err = cuboid.Label(g, cuboids); err != nil {
		return nil, fmt.Errorf("decomposition %s: %w", opt.Decompose, err)
	}
	d.cuboids = cuboid.Occupied(cuboids, d.segments, false)
	if len(d.cuboids) < len(ranks) {
		return nil, fmt.Errorf("decomposition %s has %s with fluid for %s: cut finer, or ask for fewer ranks", opt.Decompose, quantity.Count(len(d.cuboids), "cuboid"), quantity.Count(len(ranks), "rank"))
	}
	d.counts = opt.Cost.count(g, d.cuboids, d.segments)
	return d, nil
}

// nameOwn names what the caller brings, and refuses what has no effect on it.
func (opt *Options) nameOwn() error {
	if opt.Balancer != nil {
		setDefault(&opt.Balance, own)
	}
	if opt.Decomposer == nil {
		return nil
	}
	setDefault(&opt.Decompose, own)
	opt.KeepHeavy = true
	if opt.CuboidsPerRank > 0 || opt.MinSide > 0 || opt.MaxSide > 0 {
		return errors.New("numbers and sides of cuboids (CuboidsPerRank, MinSide, MaxSide) are for decompositions by name: leave them out with a Decomposer")
	}
	return nil
}

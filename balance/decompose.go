package balance

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"carina/cuboid"
	"carina/geometry"
	"carina/internal/machine"
	"carina/octree"
	"carina/partition/graph"
)

// decompositions are the names of the first step of a decomposition.
var decompositions = []string{"regular", "shrink", "octree", "bricks", "carve"}

// steps are what may follow it: "octree+shrink+recombine".
var steps = []string{"shrink", "carve", "recombine"}

// DecompositionNames returns the names that a decomposition may begin with, and
// those of the steps that may follow.
func DecompositionNames() (first, after []string) {
	return slices.Clone(decompositions), slices.Clone(steps)
}

// strategy is a decomposition in steps. Whatever their order in the name,
// shrinking comes first, then carving, then recombination.
type strategy struct {
	base                     string
	shrink, carve, recombine bool
}

// CheckDecomposition refuses a name that no decomposition has.
func CheckDecomposition(name string) error {
	_, err := parseStrategy(name)
	return err
}

// parseStrategy reads a name such as "shrink" or "octree+shrink".
func parseStrategy(name string) (strategy, error) {
	words := strings.Split(name, "+")
	s := strategy{base: words[0]}
	if !slices.Contains(decompositions, s.base) {
		return s, fmt.Errorf("unknown decomposition %q: use one of %s, with +%s as wanted", name, strings.Join(decompositions, ", "), strings.Join(steps, " or +"))
	}
	switch s.base {
	case "shrink":
		s.base, s.shrink = "regular", true
	case "carve":
		s.shrink, s.carve = true, true
	}
	for _, w := range words[1:] {
		switch w {
		case "shrink":
			s.shrink = true
		case "carve":
			s.shrink, s.carve = true, true
		case "recombine":
			s.recombine = true
		default:
			return s, fmt.Errorf("unknown step %q in decomposition %q: use +%s", w, name, strings.Join(steps, " or +"))
		}
	}
	return s, nil
}

// decomposition is a grid cut into cuboids.
type decomposition struct {
	cuboids  []cuboid.Cuboid
	segments []cuboid.Segment
	counts   []cuboid.Counts
}

// decompose cuts the grid as the options say: the first step, removal of
// cuboids without fluid, shrinking, and splitting until the ranks can share the
// cuboids evenly.
func decompose(ctx context.Context, g *geometry.Grid, opt *Options, ranks []Rank) (*decomposition, error) {
	if opt.Decomposer != nil {
		return decomposeOwn(ctx, g, opt, ranks)
	}
	s := opt.strategy
	cuboids, err := firstStep(ctx, g, s.base, opt)
	if err != nil {
		return nil, err
	}
	if err := admitCuboids(int64(len(cuboids)), bytesPerCuboid); err != nil {
		return nil, err
	}
	d := &decomposition{cuboids: cuboids}
	if d.segments, err = cuboid.Label(g, cuboids); err != nil {
		return nil, err
	}
	d.cuboids = cuboid.Occupied(d.cuboids, d.segments, s.shrink)
	if s.carve {
		if err := d.carve(ctx, g, opt); err != nil {
			return nil, err
		}
	}
	if s.recombine {
		if err := d.recombine(g, opt); err != nil {
			return nil, err
		}
	}
	return d, d.divide(ctx, g, opt, ranks, s.shrink)
}

// What a cuboid takes while it is made, and until all have an owner: its counts,
// and what crosses to some twenty neighbours, in a list and in the graph.
const (
	bytesPerBox    = 64
	bytesPerCuboid = 1000
)

// admitCuboids refuses more cuboids than the memory holds.
func admitCuboids(count, bytes int64) error {
	if err := machine.Admit(count * bytes); err != nil {
		return fmt.Errorf("%d cuboids are too many for this machine (%w): ask for fewer or larger ones", count, err)
	}
	return nil
}

// firstStep makes cuboids that cover the fluid.
func firstStep(ctx context.Context, g *geometry.Grid, base string, opt *Options) ([]cuboid.Cuboid, error) {
	switch base {
	case "octree":
		return octree.Decompose(ctx, g, octree.Options{MinSide: opt.MinSide, MaxSide: opt.MaxSide})
	case "carve":
		return []cuboid.Cuboid{cuboid.Box(g)}, nil
	case "bricks":
		// Every worker marks those of a layer that are used.
		layer := (int64(g.Size[0]/opt.MinSide) + 1) * (int64(g.Size[1]/opt.MinSide) + 1)
		if err := admitCuboids(layer, int64(runtime.GOMAXPROCS(0))); err != nil {
			return nil, err
		}
		return cuboid.Bricks(g, [3]int32{opt.MinSide, opt.MinSide, opt.MinSide})
	default:
		count := min(int64(opt.CuboidsPerRank)*int64(opt.Ranks), cuboid.Box(g).Cells())
		if err := admitCuboids(count, bytesPerBox); err != nil {
			return nil, err
		}
		return cuboid.Regular(cuboid.Box(g), int(count))
	}
}

// chooseSides fills in the sides that were not given, as the number of cuboids
// per rank that is wanted suggests.
func (opt *Options) chooseSides(g *geometry.Grid, base string) {
	wanted := float64(g.Cells()) / (float64(opt.Ranks) * float64(opt.CuboidsPerRank))
	side := int32(1) << max(0, int(math.Floor(math.Log2(math.Cbrt(wanted)))))
	switch {
	case base == "bricks" && opt.MinSide == 0:
		opt.MinSide = min(8, max(2, side))
	case base == "octree":
		if opt.MinSide == 0 {
			opt.MinSide = max(2, side)
			if opt.MaxSide > 0 {
				opt.MinSide = min(opt.MinSide, opt.MaxSide)
			}
		}
		if opt.MaxSide == 0 {
			opt.MaxSide = 4 * opt.MinSide
		}
	}
}

// finest is how much smaller than a rank's share cuboids are made at most in
// order to meet the balance limit.
const finest = 64

// divide splits cuboids until there are as many as ranks and, unless KeepHeavy
// says otherwise, until the balance limit can be met. It labels the grid again
// and counts the cells.
func (d *decomposition) divide(ctx context.Context, g *geometry.Grid, opt *Options, ranks []Rank, shrink bool) error {
	split := cuboid.Splitting{Weight: opt.Cost.Weight, Count: len(ranks), Shrink: shrink}
	if err := d.split(ctx, g, opt.Cost, split); err != nil {
		return err
	}
	d.counts = opt.Cost.count(g, d.cuboids, d.segments)
	if opt.KeepHeavy || opt.Balancer == nil && opt.Balance == "linear" {
		return nil
	}
	largest, smallest := slices.Max(targets(ranks)), opt.Cost.Weight(cuboid.Counts{Fluid: fewestCells})
	// Each try allows cuboids somewhat less heavy than the last.
	for grain := 1.0; grain <= finest; grain *= 1.25 {
		split.Limit = int64((1 + opt.Imbalance) * largest * float64(sum(d.weigh(opt.Cost))) / grain)
		if err := d.split(ctx, g, opt.Cost, split); err != nil {
			return err
		}
		met, err := d.trial(ctx, opt, ranks)
		if err != nil || met || split.Limit < smallest {
			return err
		}
	}
	return nil
}

// fewestCells is the size below which cuboids are not split only to balance
// better: nobody meets a limit of some percent with ranks of so few cells.
const fewestCells = 8

// split cuts cuboids if need be; it labels the grid again then and, where the
// cells were counted before, counts them.
func (d *decomposition) split(ctx context.Context, g *geometry.Grid, cost *Cost, split cuboid.Splitting) error {
	split.LanesPerCut = lanesPerCut
	counted := d.counts != nil
	if counted {
		split.Extra = d.beyondFluid(split.Weight)
	}
	weights, _ := d.weights(split.Weight)
	for i := range split.Extra {
		weights[i] += split.Extra[i]
	}
	if len(weights) >= split.Count && (split.Limit == 0 || slices.Max(weights) <= split.Limit) {
		return nil
	}
	boxes, err := cuboid.Split(ctx, d.cuboids, d.segments, split)
	if err != nil || len(boxes) == len(d.cuboids) {
		return err
	}
	d.cuboids = boxes
	if d.segments, err = cuboid.Label(g, boxes); err == nil && counted {
		d.counts = cost.count(g, d.cuboids, d.segments)
	}
	return err
}

// beyondFluid returns what every cuboid weighs more than it would if none of
// its cells were at a wall or an opening.
func (d *decomposition) beyondFluid(weight func(cuboid.Counts) int64) []int64 {
	list := make([]int64, len(d.counts))
	for i, n := range d.counts {
		list[i] = max(0, weight(n)-weight(cuboid.Counts{Fluid: n.Fluid, Empty: n.Empty}))
	}
	return list
}

// weigh returns the work of every cuboid.
func (d *decomposition) weigh(c *Cost) []int64 {
	list := make([]int64, len(d.counts))
	for i, n := range d.counts {
		list[i] = c.Weight(n)
	}
	return list
}

// trial reports whether the balance limit is met when the cuboids are handed
// out by their weights alone: heaviest first, which shows what the graph
// balancer can reach too, or by the balancer that will be used if it looks at
// weights and places only.
func (d *decomposition) trial(ctx context.Context, opt *Options, ranks []Rank) (bool, error) {
	name := opt.Balance
	if name == "graph" || opt.Balancer != nil {
		name = "lpt"
	}
	b, err := NewBalancer(name)
	if err != nil {
		return false, err
	}
	weights := d.weigh(opt.Cost)
	owners, err := b.Balance(ctx, &Problem{Graph: &graph.Graph{VertexWeights: weights}, Cuboids: d.cuboids, Ranks: ranks})
	return err == nil && imbalance(weights, owners, ranks) <= opt.room(ranks), err
}

// weights returns the work of every cuboid, and of all, as if none of their
// cells were at a wall or an opening; it needs no counts.
func (d *decomposition) weights(weight func(cuboid.Counts) int64) ([]int64, int64) {
	counts := make([]cuboid.Counts, len(d.cuboids))
	for i, c := range d.cuboids {
		counts[i].Empty = c.Cells()
	}
	for i := range d.segments {
		s := &d.segments[i]
		counts[s.Cuboid].Fluid += int64(s.X1 - s.X0)
		counts[s.Cuboid].Empty -= int64(s.X1 - s.X0)
	}
	weights := make([]int64, len(counts))
	var total int64
	for i, c := range counts {
		weights[i] = weight(c)
		total += weights[i]
	}
	return weights, total
}

// imbalance returns how far a rank is above its share of all weight, as a
// fraction of its share. Where speeds differ a slow rank's want counts like too
// much: what a fast rank may have too much is missing several times over there.
func imbalance(weights []int64, owners []int32, ranks []Rank) float64 {
	load := make([]float64, len(ranks))
	var total float64
	for v, o := range owners {
		load[o] += float64(weights[v])
		total += float64(weights[v])
	}
	equal := equalSpeeds(ranks)
	worst := 0.0
	for r, target := range targets(ranks) {
		ratio := load[r] / (target * total)
		worst = math.Max(worst, ratio-1)
		if !equal {
			worst = math.Max(worst, 1-ratio)
		}
	}
	return worst
}

func sum(weights []int64) int64 {
	var total int64
	for _, w := range weights {
		total += w
	}
	return total
}

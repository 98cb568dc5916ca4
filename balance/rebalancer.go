package balance

import (
	"context"
	"fmt"
	"slices"

	"carina/balance/rebalance"
	"carina/cuboid"
	"carina/geometry"
	"carina/partition/graph"
)

// Device is a kind of device that ranks of a job compute on.
type Device struct {
	// Cost is what a step costs on one of speed 1.
	Cost Cost
	// Cells is how many cells its memory holds; 0 for any.
	Cells int64
}

type (
	// Measured is what ranks have measured since the last look.
	Measured = rebalance.Measured
	// Decision says which cuboids change owner while a job runs, or why none does.
	Decision = rebalance.Decision
	// Part is a part of the time between two looks.
	Part = rebalance.Part
	// Moving is what it costs to move cells.
	Moving = rebalance.Moving
	// Watch judges whether ranks are balanced before their cells can move.
	Watch = rebalance.Balancer
)

// Mean returns the mean time of a step in the parts of a look, and its relative error, for
// Measured.
func Mean(parts []Part) (mean, spread float64) { return rebalance.Mean(parts) }

// Rebalancer decides while a job runs which cells change owner. Its cuboids are
// those of a partition, cut where they are too coarse to be shared evenly by ranks
// whose speeds change.
type Rebalancer struct {
	*rebalance.Balancer
	partition *Partition
	grid      *geometry.Grid
	cuboids   []cuboid.Cuboid
	segments  []cuboid.Segment
	fluid     []int64     // cells of each cuboid
	full      [][]float64 // what it costs, by kind of device
	dear      []int64     // cells of each by the last Weigh
}

// How finely work is cut: into so many cuboids a rank, and fewer where there are
// many ranks; and how many cells a cuboid has at least.
const (
	finestPerRank, finestPerJob, coarsestPerRank = 256, 8192, 32
	leastCuboidCells                             = 64
)

// NewRebalancer returns one for a job that runs by a partition of a grid. The
// devices are those of the job, by kind, and kinds the number of each rank's; without
// devices all ranks are what the partition's cost model says.
func NewRebalancer(ctx context.Context, p *Partition, g *geometry.Grid, devices []Device, kinds []int) (*Rebalancer, error) {
	devices, kinds, err := devicesOf(p, devices, kinds)
	if err != nil {
		return nil, err
	}
	segments, err := p.Segments(g)
	if err != nil {
		return nil, err
	}
	r := &Rebalancer{partition: p, grid: g, cuboids: p.Cuboids, segments: segments}
	owners, err := r.cut(ctx)
	if err != nil {
		return nil, err
	}
	problem := &rebalance.Problem{Ranks: p.ranksOn(devices, kinds), Cells: make([]int64, len(r.cuboids))}
	crossings := p.Cost.Crossings(r.segments)
	for i := range devices {
		cost := &devices[i].Cost
		counts := cost.count(g, r.cuboids, r.segments)
		kind := rebalance.Kind{Work: make([]rebalance.Parts, len(counts)), Inside: cost.Inside.SecondsPerByte, Between: cost.Between.SecondsPerByte}
		full := make([]float64, len(counts))
		for v, n := range counts {
			problem.Cells[v] = n.Fluid
			kind.Work[v] = cost.parts3(n)
			full[v] = cost.Seconds(n)
		}
		r.full = append(r.full, full)
		if problem.Kinds = append(problem.Kinds, kind); i == 0 {
			problem.Graph = Graph(cost, counts, crossings)
		}
	}
	r.Balancer, r.fluid = rebalance.New(problem, owners), problem.Cells
	return r, nil
}

// cheap is what part of a dear cell another one is taken to cost until ranks have measured.
const cheap = 0.02

// Weigh says how many cells of every cuboid are dear just now, such as those that are wet
// where water is computed; the others cost little, how little is learned from what ranks
// measure. It is called before each look.
func (r *Rebalancer) Weigh(dear []int64) {
	if r.dear == nil {
		r.dear = dear
	}
	now, since := make([]float64, len(dear)), make([]float64, len(dear))
	for v, n := range dear {
		all, before := float64(max(1, r.fluid[v])), float64(r.dear[v])
		since[v] = (float64(n) + before) / 2 / all
		// What comes is taken to go on as it came, for half of what is between looks.
		now[v] = min(1, max(0, float64(n)+(float64(n)-before)/2)/all)
	}
	r.dear = dear
	r.Balancer.Weigh(r.parts(now), r.parts(since))
}

// parts are what cuboids cost of which a share is dear, by kind of device.
func (r *Rebalancer) parts(share []float64) [][]rebalance.Parts {
	work := make([][]rebalance.Parts, len(r.full))
	for k, full := range r.full {
		work[k] = make([]rebalance.Parts, len(full))
		for v, seconds := range full {
			work[k][v] = rebalance.Parts{seconds * share[v], cheap * seconds * (1 - share[v]), 0}
		}
	}
	return work
}

// NewWatch returns what judges, without other preparation, whether the ranks of a partition
// are balanced: it takes the cells of each as one. A Rebalancer may follow it.
func NewWatch(p *Partition, devices []Device, kinds []int) (*Watch, error) {
	devices, kinds, err := devicesOf(p, devices, kinds)
	if err != nil {
		return nil, err
	}
	n := len(p.Ranks)
	problem := &rebalance.Problem{Graph: &graph.Graph{Offsets: make([]int64, n+1)}, Cells: make([]int64, n), Ranks: p.ranksOn(devices, kinds)}
	for i, r := range p.Owners {
		problem.Cells[r] += p.Counts[i].Fluid
	}
	for _, device := range devices {
		kind := rebalance.Kind{Work: make([]rebalance.Parts, n)}
		for i, r := range p.Owners {
			for k, seconds := range device.Cost.parts3(p.Counts[i]) {
				kind.Work[r][k] += seconds
			}
		}
		problem.Kinds = append(problem.Kinds, kind)
	}
	owners := make([]int32, n)
	for r := range owners {
		owners[r] = int32(r)
	}
	return rebalance.New(problem, owners), nil
}

// devicesOf checks what ranks compute on; without devices all are what the cost model says.
func devicesOf(p *Partition, devices []Device, kinds []int) ([]Device, []int, error) {
	if len(devices) == 0 {
		return []Device{{Cost: p.Cost}}, make([]int, len(p.Ranks)), nil
	}
	if len(kinds) != len(p.Ranks) {
		return nil, nil, fmt.Errorf("%d kinds of device given for %d ranks: give one for each", len(kinds), len(p.Ranks))
	}
	for r, k := range kinds {
		if k < 0 || k >= len(devices) {
			return nil, nil, fmt.Errorf("rank %d has device number %d, of %d", r, k, len(devices))
		}
	}
	return devices, kinds, nil
}

// ranksOn are the ranks as a balancer has them.
func (p *Partition) ranksOn(devices []Device, kinds []int) []rebalance.Rank {
	list := make([]rebalance.Rank, len(p.Ranks))
	for i, rank := range p.Ranks {
		list[i] = rebalance.Rank{Kind: kinds[i], Host: rank.Host, Speed: rank.Speed, Cells: devices[kinds[i]].Cells}
	}
	return list
}

// parts3 is Seconds by what the cells are.
func (c *Cost) parts3(n cuboid.Counts) rebalance.Parts {
	boundary, opening := c.Boundary*float64(n.Boundary-n.Opening), c.Opening*float64(n.Opening)
	return rebalance.Parts{c.Seconds(n) - boundary - opening, boundary, opening}
}

// cut cuts cuboids that are too coarse and returns the owners of all.
func (r *Rebalancer) cut(ctx context.Context) ([]int32, error) {
	p := r.partition
	perRank := max(coarsestPerRank, min(finestPerRank, finestPerJob/len(p.Ranks)))
	var all int64
	for _, n := range p.Counts {
		all += p.Cost.Weight(n)
	}
	d := decomposition{cuboids: p.Cuboids, segments: r.segments, counts: p.Counts}
	limit := max(all/int64(perRank*len(p.Ranks)), p.Cost.Weight(cuboid.Counts{Fluid: leastCuboidCells}))
	if err := d.split(ctx, r.grid, &p.Cost, cuboid.Splitting{Weight: p.Cost.Weight, Limit: limit}); err != nil {
		return nil, err
	}
	owners := make([]int32, len(d.cuboids))
	from := 0 // what was cut from a cuboid stands together, in the order of all
	for v, box := range d.cuboids {
		for p.Cuboids[from].Intersect(box).Cells() == 0 {
			from++
		}
		owners[v] = p.Owners[from]
	}
	r.cuboids, r.segments = d.cuboids, d.segments
	return owners, nil
}

// Cuboids are those that decisions speak of.
func (r *Rebalancer) Cuboids() []cuboid.Cuboid { return slices.Clone(r.cuboids) }

// Partition is the one that owners of the cuboids make, with ranks that have such speeds;
// without speeds, those of the partition that the job began with.
func (r *Rebalancer) Partition(owners []int32, speeds []float64) *Partition {
	p := *r.partition
	p.Ranks = slices.Clone(p.Ranks)
	for i, speed := range speeds {
		p.Ranks[i].Speed = speed
	}
	p.Cuboids, p.Owners = r.Cuboids(), slices.Clone(owners)
	p.measure(r.grid, r.segments)
	return &p
}

// Segments are the fluid cells of the grid as parts of runs, each with the number
// of its cuboid.
func (r *Rebalancer) Segments() []cuboid.Segment { return r.segments }

// Calibrated is the partition with the speeds of ranks and the costs of cells that looks at
// a running job have found, all on one kind of device: its watch or its rebalancer. Speeds
// are such that the costs are those of a rank of speed 1.
func (p *Partition) Calibrated(g *geometry.Grid, found *rebalance.Balancer) (*Partition, error) {
	q := *p
	q.Cost = p.Cost.times(found.Factors()[0])
	q.Ranks = slices.Clone(p.Ranks)
	for i, speed := range found.Speeds() {
		q.Ranks[i].Speed = speed
	}
	segments, err := p.Segments(g)
	if err != nil {
		return nil, err
	}
	q.measure(g, segments)
	return &q, nil
}

// times is the cost model with cells that cost more or less, by what they are.
func (c *Cost) times(factors rebalance.Parts) Cost {
	d := *c
	d.Source = "found while a job ran, at first " + c.Source
	for _, f := range []*float64{&d.Fluid, &d.Empty, &d.Lane, &d.Cuboid} {
		*f *= factors[0]
	}
	d.Boundary, d.Opening = c.Boundary*factors[1], c.Opening*factors[2]
	return d
}

// measure counts the cells of the cuboids and works out the quality anew.
func (p *Partition) measure(g *geometry.Grid, segments []cuboid.Segment) {
	p.Counts = p.Cost.count(g, p.Cuboids, segments)
	p.Quality = measureQuality(&p.Cost, p.Ranks, p.Counts, p.Cost.Crossings(segments), p.Owners, segments)
	for i := range p.Counts {
		p.Counts[i].Lanes, p.Counts[i].Passed = 0, 0 // like read from a file
	}
}

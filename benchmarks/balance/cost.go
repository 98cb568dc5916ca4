package balancebench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/machine"
	"carina/solver"
	"carina/solver/transport"
	"gonum.org/v1/gonum/spatial/r3"
)

// box returns a grid of a box of which cells are fluid for which fluid is true
// for their row, from x0 to x1.
func box(size [3]int32, row func(y, z int32) (x0, x1 int32)) *geometry.Grid {
	g := &geometry.Grid{Spacing: 1e-3, Size: size, Origin: r3.Vec{}}
	for z := range size[2] {
		for y := range size[1] {
			if x0, x1 := row(y, z); x0 < x1 {
				g.Runs = append(g.Runs, geometry.Run{X0: x0, X1: x1, Y: y, Z: z})
			}
		}
	}
	return g
}

// denseGrids are grids with different shares of inner, boundary and empty
// cells, large enough not to fit into caches.
func denseGrids(side int32) map[string]*geometry.Grid {
	size := [3]int32{side, side, side}
	return map[string]*geometry.Grid{
		"full": box(size, func(_, _ int32) (int32, int32) { return 0, side }),
		"half": box(size, func(_, z int32) (int32, int32) {
			if z < side/2 {
				return 0, side
			}
			return 0, 0
		}),
		"plates": box(size, func(y, _ int32) (int32, int32) {
			if y%4 == 3 {
				return 0, 0
			}
			return 0, side
		}),
		"tubes": box(size, func(y, z int32) (int32, int32) {
			if y%8 < 5 && z%8 < 5 {
				return 0, side
			}
			return 0, 0
		}),
		"stairs": box(size, func(y, z int32) (int32, int32) { return (y + z) / 4 % (side / 2), side/2 + (y+2*z)/8%(side/2) }),
	}
}

// denseCases cuts the grids into one cuboid and into smaller ones.
func denseCases(side int32) ([]balance.Case, error) {
	var cases []balance.Case
	grids := denseGrids(side)
	for _, name := range []string{"full", "half", "plates", "tubes", "stairs"} {
		g := grids[name]
		for _, b := range []int32{side, 32, 16, 8} {
			cuboids, err := cuboid.Bricks(g, [3]int32{b, b, b})
			if err != nil {
				return nil, err
			}
			cases = append(cases, balance.Case{Name: fmt.Sprintf("%s in cubes of %d", name, b), Grid: g, Cuboids: cuboids})
		}
	}
	return cases, nil
}

// sparseShapes are surfaces with different shares of inner, boundary and
// opening cells once they are voxelized: tubes that are wide, long or next to
// nothing but openings, and airways with real branches.
var sparseShapes = []struct {
	name string
	make func() (*geometry.Surface, []geometry.Opening, error)
}{
	{"wide tube", tube(3)},
	{"long tube", tube(100)},
	{"very long tube", tube(1000)},
	{"disc between two openings", tube(0.05)},
	{"thicker disc", tube(0.2)},
	{"airway of 3 generations", airwayOf(3)},
	{"airway of 8 generations", airwayOf(8)},
}

// tube generates a tube that is so many diameters long.
func tube(diameters float64) func() (*geometry.Surface, []geometry.Opening, error) {
	const diameter = 18e-3
	return func() (*geometry.Surface, []geometry.Opening, error) {
		return generate.Pipe(generate.PipeOptions{Diameter: diameter, Length: diameters * diameter})
	}
}

func airwayOf(generations int) func() (*geometry.Surface, []geometry.Opening, error) {
	return func() (*geometry.Surface, []geometry.Opening, error) {
		return generate.Airway(generate.AirwayOptions{Generations: generations})
	}
}

// sparseCases voxelizes the shapes with about so many cells.
func sparseCases(ctx context.Context, cells int64) ([]balance.Case, error) {
	var cases []balance.Case
	for _, shape := range sparseShapes {
		surface, _, err := shape.make()
		if err != nil {
			return nil, fmt.Errorf("the shape of %s: %w", shape.name, err)
		}
		g, err := geometry.Voxelize(ctx, surface, geometry.Options{FluidCells: cells})
		if err != nil {
			return nil, fmt.Errorf("the grid of %s: %w", shape.name, err)
		}
		cases = append(cases, balance.Case{Name: shape.name, Grid: g, Cuboids: []cuboid.Cuboid{cuboid.Box(g)}})
	}
	return cases, nil
}

// CostOptions say what Cost measures.
type CostOptions struct {
	// Name is what the machine is called in its file; the host's name if empty.
	Name string
	// Quick measures smaller grids, less exactly.
	Quick bool
	// Progress, if set, is told the share done, 0 to 1.
	Progress func(stage string, done float64)
}

// Cost measures the cost models of the sparse layout, with the solver's own
// kernels on one core in single and in double precision, and of the dense
// layout, with the plain kernel of this package in double precision, and what
// messages cost between two ranks of this process, with what the solver's
// kernels lose next to other ranks, and in the dense layout with packing and
// unpacking as copies cost. What cannot be measured on one host, the
// network between hosts, keeps the assumed figures.
func Cost(ctx context.Context, opt CostOptions) (*CostReport, error) {
	if opt.Progress == nil {
		opt.Progress = func(string, float64) {}
	}
	if opt.Name == "" {
		opt.Name, _ = os.Hostname()
	}
	side, cells := int32(128), int64(2_000_000)
	if opt.Quick {
		side, cells = 64, 200_000
	}
	d := machine.Describe()
	report := &CostReport{Machine: balance.NewMachine(opt.Name, fmt.Sprintf("%s, %d cores, %s; one core", d.Processor, d.Cores, d.GoVersion))}
	inside, err := measureLink()
	if err != nil {
		return nil, err
	}
	opt.Progress("voxelizing", 0)
	sparse, err := sparseCases(ctx, cells)
	if err != nil {
		return nil, err
	}
	dense, err := denseCases(side)
	if err != nil {
		return nil, err
	}
	for _, m := range []struct {
		layout balance.Layout
		bytes  int
		cases  []balance.Case
	}{{balance.Sparse, 4, sparse}, {balance.Sparse, 8, sparse}, {balance.Dense, 8, dense}} {
		start := balance.DefaultCost(m.layout)
		start.Source, start.Inside, start.BytesPerPopulation = opt.Name, inside, m.bytes
		stage := fmt.Sprintf("%s layout, %d bytes a population", m.layout, m.bytes)
		cost, samples, err := balance.MeasureCost(ctx, start, m.cases, measurer(m.layout, m.bytes), func(done float64) { opt.Progress(stage, done) })
		if err != nil {
			return nil, fmt.Errorf("the %s: %w", stage, err)
		}
		if m.layout == balance.Dense {
			// The plain kernel has no openings; its cells there would do the work
			// of a boundary cell. What is sent is packed and unpacked, which reads
			// and writes the same cells as a copy between two cuboids of a rank.
			cost.Opening = cost.Boundary
			cost.Inside.SecondsPerByte += cost.CopyPerByte
			cost.Between.SecondsPerByte += cost.CopyPerByte
		}
		if m.layout == balance.Sparse {
			crossing, err := measureCrossing(ctx, &cost, m.cases[len(m.cases)-1].Grid)
			if err != nil {
				return nil, err
			}
			cost.Inside.SecondsPerByte += crossing
			cost.Between.SecondsPerByte += crossing
		}
		report.Machine.Costs = append(report.Machine.Costs, cost)
		report.add(&cost, m.cases, samples)
	}
	return report, nil
}

// measurer returns the function that times one rank that owns everything.
func measurer(layout balance.Layout, bytesPerPopulation int) balance.Measure {
	if layout == balance.Dense {
		return func(ctx context.Context, g *geometry.Grid, cuboids []cuboid.Cuboid) (float64, error) {
			return timeDense(g, cuboids, carefully), ctx.Err()
		}
	}
	return func(ctx context.Context, g *geometry.Grid, _ []cuboid.Cuboid) (float64, error) {
		t, _, err := timeSparse(solver.WholeDomain(g), 0, bytesPerPopulation, carefully)
		return t, errors.Join(err, ctx.Err())
	}
}

// measureCrossing returns the seconds that a rank spends on each byte it sends,
// apart from the transport: on packing and unpacking, and because cells next to
// other ranks cannot be updated as many at a time as others.
func measureCrossing(ctx context.Context, cost *balance.Cost, g *geometry.Grid) (float64, error) {
	const ranks, timed = 32, 5
	p, err := balance.Make(ctx, g, balance.Options{Ranks: ranks, Cost: cost})
	if err != nil {
		return 0, fmt.Errorf("a partition to measure what crosses: %w", err)
	}
	domain, err := domainOf(g, p)
	if err != nil {
		return 0, err
	}
	var list []float64
	for i := range timed {
		rank := i * ranks / timed
		t, _, err := timeSparse(domain, rank, cost.BytesPerPopulation, carefully)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return 0, err
		}
		q := &p.Quality.Ranks[rank]
		list = append(list, max(0, t-q.Work)/float64(q.Bytes))
	}
	slices.Sort(list)
	return list[timed/2], nil
}

// measureLink measures messages between two ranks of this process.
func measureLink() (balance.Link, error) {
	const small, large = 8, 1 << 20
	fast, err := pingPong(small, 2000)
	if err != nil {
		return balance.Link{}, err
	}
	slow, err := pingPong(large, 20)
	if err != nil {
		return balance.Link{}, err
	}
	return balance.Link{Latency: fast, SecondsPerByte: max(0, slow-fast) / (large - small)}, nil
}

// pingPong returns the seconds of one exchange of so many bytes each way.
func pingPong(bytes, count int) (float64, error) {
	ranks := transport.NewLocal(2)
	failures := make(chan error, len(ranks))
	begin := time.Now()
	for i, t := range ranks {
		go func() {
			messages := []transport.Message{{Peer: 1 - i, Send: make([]byte, bytes), Receive: make([]byte, bytes)}}
			for range count {
				if err := t.Exchange(messages); err != nil {
					failures <- err
					return
				}
			}
			failures <- nil
		}()
	}
	for range ranks {
		if err := <-failures; err != nil {
			return 0, err
		}
	}
	return time.Since(begin).Seconds() / float64(count), nil
}

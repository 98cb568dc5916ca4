package balancebench

import (
	"context"
	"fmt"
	"os"
	"time"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/internal/machine"
	"carina/solver"
	"carina/solver/transport"
	"gonum.org/v1/gonum/spatial/r3"
)

// repetitions is how often a step is timed; the fastest counts.
const repetitions = 3

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

// costGrids are grids with different shares of inner, boundary and empty
// cells, large enough not to fit into caches.
func costGrids(side int32) map[string]*geometry.Grid {
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

// costCases cuts the grids into one cuboid, and smaller ones for the dense
// layout.
func costCases(layout balance.Layout, side int32) ([]balance.Case, error) {
	var cases []balance.Case
	grids := costGrids(side)
	for _, name := range []string{"full", "half", "plates", "tubes", "stairs"} {
		g := grids[name]
		bricks := []int32{side}
		if layout == balance.Dense {
			bricks = append(bricks, 32, 16, 8)
		}
		for _, b := range bricks {
			cuboids, err := cuboid.Bricks(g, [3]int32{b, b, b})
			if err != nil {
				return nil, err
			}
			cases = append(cases, balance.Case{Name: fmt.Sprintf("%s in cubes of %d", name, b), Grid: g, Cuboids: cuboids})
		}
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
// kernels in double precision on one core, and of the dense layout, with the
// plain kernel of this package, and what messages cost between two ranks of
// this process. What cannot be measured on one host, messages between hosts,
// keeps the assumed figures.
func Cost(ctx context.Context, opt CostOptions) (*balance.Machine, error) {
	if opt.Progress == nil {
		opt.Progress = func(string, float64) {}
	}
	if opt.Name == "" {
		opt.Name, _ = os.Hostname()
	}
	side := int32(128)
	if opt.Quick {
		side = 64
	}
	d := machine.Describe()
	m := balance.NewMachine(opt.Name, fmt.Sprintf("%s, %d cores, %s; one core, double precision", d.Processor, d.Cores, d.GoVersion))
	inside, err := measureLink()
	if err != nil {
		return nil, err
	}
	for _, layout := range []balance.Layout{balance.Sparse, balance.Dense} {
		cases, err := costCases(layout, side)
		if err != nil {
			return nil, err
		}
		start := balance.DefaultCost(layout)
		start.Source, start.Inside = opt.Name, inside
		cost, _, err := balance.MeasureCost(ctx, start, cases, measurer(layout), func(done float64) { opt.Progress(string(layout), done) })
		if err != nil {
			return nil, fmt.Errorf("the %s layout: %w", layout, err)
		}
		// The grids have no openings; such cells do the work of a boundary cell
		// and read their neighbours again.
		cost.Opening = max(2*cost.Fluid, cost.Boundary)
		m.Costs = append(m.Costs, cost)
	}
	return m, nil
}

// measurer returns the function that times one rank that owns everything.
func measurer(layout balance.Layout) balance.Measure {
	if layout == balance.Dense {
		return func(ctx context.Context, g *geometry.Grid, cuboids []cuboid.Cuboid) (float64, error) {
			return timeDense(g, cuboids, repetitions), ctx.Err()
		}
	}
	return func(ctx context.Context, g *geometry.Grid, _ []cuboid.Cuboid) (float64, error) {
		t, _, err := timeSparse(ctx, solver.WholeDomain(g), 0, repetitions)
		return t, err
	}
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

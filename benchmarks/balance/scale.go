package balancebench

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"carina/balance"
	"carina/geometry"
	"carina/internal/quantity"
	"gonum.org/v1/plot/plotter"
)

// clusters are the modelled machines: figures of the kind that makers and
// public measurements give, for what-if only.
var clusters = []struct {
	name, describes string
	devicesPerHost  int
	cost            balance.Cost
}{
	{"cpu", "hosts of 64 cores, 5 GB/s and 304 bytes per update a core, 5 GB/s and 0.5 µs inside, 2 GB/s a core and 2 µs between hosts", 64, balance.Cost{
		Source: "modelled CPU cluster", Layout: balance.Sparse, Fluid: 304 / 5e9, Boundary: 1.2 * 304 / 5e9, Opening: 2 * 304 / 5e9,
		BytesPerPopulation: 8, Directions: 18,
		Inside: balance.Network{Latency: 0.5e-6, Overhead: 0.2e-6, SecondsPerByte: 1 / 5e9}, Between: balance.Network{Latency: 2e-6, Overhead: 0.5e-6, SecondsPerByte: 1 / 2e9},
	}},
	{"gpu", "hosts of 8 GPUs, 20 GLUPS each in single precision, 300 GB/s, 3 µs and 0.5 µs a message inside, 50 GB/s, 6 µs and 1 µs a message between hosts", 8, balance.Cost{
		Source: "modelled GPU cluster", Layout: balance.Sparse, Fluid: 1 / 20e9, Boundary: 1.1 / 20e9, Opening: 2 / 20e9,
		BytesPerPopulation: 4, Directions: 18,
		Inside: balance.Network{Latency: 3e-6, Overhead: 0.5e-6, SecondsPerByte: 1 / 300e9}, Between: balance.Network{Latency: 6e-6, Overhead: 1e-6, SecondsPerByte: 1 / 50e9},
	}},
}

// scaleCase is one grid of the scaling study.
type scaleCase struct {
	cells   int64
	brick   int32
	ranks   []int
	maximum int // ranks up to which the graph partitioner is used; rcb beyond
}

// scaleCases are the grids and ranks of the study, or those asked for.
func scaleCases(opt *Options) []scaleCase {
	cases := []scaleCase{
		{10_000_000, 8, []int{1, 8, 64, 512, 4096, 10_000}, 512},
		{100_000_000, 8, []int{64, 512, 4096, 32_768, 100_000}, 512},
		{1_000_000_000, 16, []int{4096, 32_768, 100_000}, 512},
	}
	switch {
	case opt.FluidCells > 0:
		cases = []scaleCase{{opt.FluidCells, 8, []int{64, 512, 4096, 32_768, 100_000}, 512}}
	case opt.Quick:
		cases = []scaleCase{{1_000_000, 8, []int{1, 8, 64, 512}, 512}}
	}
	if len(opt.Ranks) > 0 {
		for i := range cases {
			cases[i].ranks = opt.Ranks
		}
	}
	return cases
}

// Scale partitions airways of up to 10⁹ fluid cells for up to 100,000 ranks of
// modelled machines, and writes scale.csv, scale.md and a plot of the predicted
// efficiency for each machine into the folder. Efficiency is the predicted
// speed-up over the number of ranks. Earlier rows for other grids or numbers of
// ranks are kept, so that a long study can be run in slices.
func Scale(ctx context.Context, opt Options) error {
	if err := opt.complete(); err != nil {
		return err
	}
	name := "airway"
	switch len(opt.Geometries) {
	case 0:
	case 1:
		name = opt.Geometries[0]
	default:
		return fmt.Errorf("the study of scaling is of one geometry, not of %d: name one", len(opt.Geometries))
	}
	rows, err := readCSV(filepath.Join(opt.Folder, "scale.csv"))
	if err != nil {
		return err
	}
	study, cases, pieces := scaleStudy{opt: &opt, rows: rows}, scaleCases(&opt), 0
	for _, c := range cases {
		pieces += 1 + len(c.ranks)*len(clusters)
	}
	opt.tally = newTally(opt.Progress, float64(pieces))
	for _, c := range cases {
		if err := study.add(ctx, name, &c); err != nil {
			return err
		}
	}
	return nil
}

// scaleStudy collects the results.
type scaleStudy struct {
	opt  *Options
	rows []Row
}

// add partitions one grid for all machines and numbers of ranks, and writes
// after each what there is.
func (s *scaleStudy) add(ctx context.Context, name string, c *scaleCase) error {
	s.opt.tally.at(fmt.Sprintf("voxelizing %d cells", c.cells), 0, 1)
	short, g, err := Grid(ctx, name, c.cells)
	if err != nil {
		return err
	}
	s.opt.tally.add(1)
	for _, ranks := range c.ranks {
		for _, m := range clusters {
			s.opt.tally.at(fmt.Sprintf("%s: %d cells, %s", m.name, c.cells, quantity.Count(ranks, "rank")), 0, 1)
			row, err := scaleRow(ctx, g, c, &m.cost, m.devicesPerHost, ranks)
			if err != nil {
				return err
			}
			s.opt.tally.add(1)
			row.Geometry = short + " on " + m.name
			s.put(row)
			if err := s.write(); err != nil {
				return err
			}
		}
	}
	return nil
}

// put adds a row in place of an earlier one for the same machine, grid and
// number of ranks.
func (s *scaleStudy) put(row Row) {
	s.rows = slices.DeleteFunc(s.rows, func(r Row) bool {
		return r.Geometry == row.Geometry && r.FluidCells == row.FluidCells && r.Ranks == row.Ranks
	})
	s.rows = append(s.rows, row)
	slices.SortStableFunc(s.rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Geometry, b.Geometry), cmp.Compare(a.FluidCells, b.FluidCells), cmp.Compare(a.Ranks, b.Ranks))
	})
}

// write writes what there is so far.
func (s *scaleStudy) write() error {
	report := &report{opt: s.opt}
	report.printf("# Scaling on paper\n\nPredicted by the cost model alone: strong scaling of an airway in bricks, sparse layout, exchange not hidden behind computation. ")
	report.printf("The graph partitioner is used for up to 512 ranks, recursive coordinate bisection beyond.\n\n")
	for _, m := range clusters {
		var lines [][]string
		var curves []curve
		for _, row := range s.rows {
			if !strings.HasSuffix(row.Geometry, " on "+m.name) {
				continue
			}
			efficiency := row.Alone / row.Predicted
			lines = append(lines, []string{fmt.Sprint(row.FluidCells), fmt.Sprint(row.Ranks), row.Strategy.Balance, fmt.Sprint(row.Cuboids),
				fmt.Sprintf("%.3f", row.MaxOverMean), fmt.Sprintf("%.3f", float64(row.Bytes)/1e6), fmt.Sprint(row.NeighboursMax),
				fmt.Sprintf("%.4g", 1e6*row.Predicted), fmt.Sprintf("%.1f %%", 100*efficiency), fmt.Sprintf("%.1f", row.Seconds)})
			label := fmt.Sprintf("%.0e cells", float64(row.FluidCells))
			if n := len(curves); n == 0 || curves[n-1].name != label {
				curves = append(curves, curve{name: label})
			}
			line := &curves[len(curves)-1]
			line.xys = append(line.xys, plotter.XY{X: float64(row.Ranks), Y: efficiency})
		}
		file := "scale-" + m.name + ".png"
		if err := savePlot(filepath.Join(s.opt.Folder, file), "predicted efficiency, "+m.name+" cluster", "efficiency", false, curves); err != nil {
			return err
		}
		report.table("Modelled machine: "+m.describes, []string{"fluid cells", "ranks", "balancer", "bricks", "work max/mean", "MB per step", "neighbours", "step µs", "efficiency", "seconds to partition"}, lines)
		report.printf("![efficiency](%s)\n\n", file)
	}
	if err := writeFile(filepath.Join(s.opt.Folder, "scale.csv"), func(w writer) error { return writeCSV(w, s.rows) }); err != nil {
		return err
	}
	return report.write(filepath.Join(s.opt.Folder, "scale.md"))
}

// scaleRow partitions for so many ranks. Its field Alone is the seconds of a
// step if work were shared perfectly and messages cost nothing.
func scaleRow(ctx context.Context, g *geometry.Grid, c *scaleCase, cost *balance.Cost, devices, ranks int) (Row, error) {
	strategy, preset := Strategy{Decompose: "bricks", Balance: "graph"}, "fast"
	if ranks > c.maximum {
		strategy.Balance, preset = "rcb", ""
	}
	brick := c.brick
	for brick > 2 && g.Cells()/int64(brick*brick*brick) < 8*int64(ranks) {
		brick /= 2
	}
	begin := time.Now()
	p, err := balance.Make(ctx, g, balance.Options{
		Ranks: ranks, Decompose: strategy.Decompose, Balance: strategy.Balance, MinSide: brick,
		Cost: cost, Preset: preset, DevicesPerHost: devices,
	})
	if err != nil {
		return Row{}, fmt.Errorf("%d cells on %s: %w", g.Cells(), quantity.Count(ranks, "rank"), err)
	}
	q := &p.Quality
	bound, lost := ideal(p, p.Counts)
	return Row{
		FluidCells: q.FluidCells, Layout: balance.Sparse, Strategy: strategy, Ranks: ranks,
		Cuboids: len(p.Cuboids), KeptCells: q.KeptCells, MaxOverMean: q.WorkMaxOverMean,
		Bytes: q.BytesTotal, BytesMax: q.BytesMax, NeighboursMax: q.NeighboursMax,
		Predicted: q.PredictedStep, Seconds: time.Since(begin).Seconds(),
		Ideal: bound, Lost: lost, Costs: describeCosts(cost), Alone: q.PredictedStep * q.PredictedSpeedUp / float64(ranks),
	}, nil
}

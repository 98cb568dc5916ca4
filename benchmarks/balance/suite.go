package balancebench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"carina/balance"
	"carina/geometry"
	"carina/internal/machine"
	"carina/internal/quantity"
)

// Options say what Balance and Scale do. The zero value is the whole suite
// with assumed costs.
type Options struct {
	// Folder takes the results.
	Folder string
	// Geometries are names or STL files, see Grid; the suite's own if empty.
	Geometries []string
	// FluidCells is the size of each grid; the suite's own if 0.
	FluidCells int64
	// Ranks are the numbers of ranks; the suite's own if empty.
	Ranks []int
	// Machine has the cost models; assumed figures if nil.
	Machine *balance.Machine
	// Layout restricts the suite to one layout; all if empty.
	Layout balance.Layout
	// Measured times ranks with real kernels as well.
	Measured bool
	// Quick does less, in under a minute on two cores unless more is asked for.
	Quick bool
	// Preset is the effort of the graph partitioner; fast by default for
	// whole cuboids, where many partitions are tried, else the balancer's own.
	Preset string
	// DevicesPerHost is 8 by default, as in the source's clusters; for Strict,
	// which counts bytes wherever they go, all ranks are in one host.
	DevicesPerHost int
	// Progress, if set, is told the stage and the share of all that is done, 0 to
	// 1.
	Progress func(stage string, done float64)

	tally *tally
}

func (o *Options) complete() error {
	if o.DevicesPerHost == 0 {
		o.DevicesPerHost = 8
	}
	if o.Folder == "" {
		return errors.New("the benchmark needs a folder for its results: name one, such as benchmarks/results")
	}
	if o.Layout != "" && !slices.Contains(balance.Layouts, o.Layout) {
		return fmt.Errorf("there is no %s layout: use one of %s", o.Layout, quantity.Either(balance.Layouts))
	}
	for _, p := range o.Ranks {
		if p < 1 {
			return fmt.Errorf("the benchmark cannot use %d ranks: give numbers of at least 1", p)
		}
	}
	return os.MkdirAll(o.Folder, 0o777)
}

// cost returns the cost model of a layout.
func (o *Options) cost(layout balance.Layout) (*balance.Cost, error) {
	c := balance.DefaultCost(layout)
	if o.Machine != nil {
		var err error
		if c, err = o.Machine.Cost(layout); err != nil {
			return nil, err
		}
	}
	return &c, nil
}

// perRank are the k of the source.
var perRank = []int{1, 2, 4, 8, 16, 32}

// fewPerRank are the k where the source's tables are not wanted.
var fewPerRank = []int{8, 32}

// denseStrategies are the source's and ours, for cuboids that are stored
// whole. The first is the traditional one.
var denseStrategies = []Strategy{
	{Decompose: "regular", Balance: "linear", Plain: true, PerRank: perRank},
	{Decompose: "regular", Balance: "graph", Plain: true, PerRank: perRank},
	{Decompose: "regular", Balance: "lpt", Plain: true, PerRank: perRank},
	{Decompose: "shrink", Balance: "graph", Plain: true, PerRank: perRank},
	{Decompose: "shrink", Balance: "lpt", Plain: true, PerRank: perRank},
	{Decompose: "octree", Balance: "graph", Plain: true},
	{Decompose: "shrink", Balance: "graph", PerRank: []int{4, 8}},
	{Decompose: "octree+shrink", Balance: "graph"},
	{Decompose: "octree+shrink+recombine", Balance: "graph", Imbalance: 0.01, Improve: true, MostRanks: 128},
	{Decompose: "carve", Balance: "graph", Imbalance: 0.02, Improve: true, MostRanks: 256},
	{Decompose: "carve", Balance: "graph", Imbalance: 0.003, Improve: true, MostRanks: 64},
	{Decompose: "shrink+carve", Balance: "graph", Imbalance: 0.01, Improve: true, PerRank: []int{8}},
	{Decompose: "shrink+carve+recombine", Balance: "graph", Imbalance: 0.02, Improve: true, PerRank: []int{8, 16, 24, 32}},
	{Decompose: "shrink+carve+recombine", Balance: "graph", Imbalance: 0.01, Improve: true, PerRank: []int{4, 16}},
	{Decompose: "shrink+carve+recombine", Balance: "graph", Imbalance: 0.05, Improve: true, PerRank: []int{16}},
	{Decompose: "shrink+carve+recombine", Balance: "graph", Imbalance: 0.003, Improve: true, PerRank: []int{8}, MostRanks: 128},
}

// sparseStrategies compare balancers on bricks.
var sparseStrategies = []Strategy{
	{Decompose: "bricks", Balance: "linear"},
	{Decompose: "bricks", Balance: "lpt"},
	{Decompose: "bricks", Balance: "morton"},
	{Decompose: "bricks", Balance: "sfc"},
	{Decompose: "bricks", Balance: "rcb"},
	{Decompose: "bricks", Balance: "graph"},
	{Decompose: "bricks", Balance: "graph", Improve: true},
}

// suite collects rows.
type suite struct {
	opt  *Options
	path string // of the CSV file
	rows []Row
}

// complete runs all that is planned for a layout and the numbers of ranks that
// have no rows of this grid with the present costs yet, and writes the rows after
// each.
func (s *suite) complete(ctx context.Context, name string, g *geometry.Grid, part *layoutPlan) error {
	cost, err := s.opt.cost(part.layout)
	if err != nil {
		return err
	}
	for _, p := range part.ranks {
		trials := s.opt.trials(part, p)
		if slices.ContainsFunc(s.rows, func(r Row) bool {
			return r.Layout == part.layout && r.Ranks == p && r.FluidCells == g.Cells() && r.Costs == describeCosts(cost)
		}) {
			s.opt.tally.add(float64(len(trials)))
			continue
		}
		fresh := suite{opt: s.opt}
		for _, t := range trials {
			s.opt.tally.at(fmt.Sprintf("%s, %s layout, %s", name, part.layout, quantity.Count(p, "rank")), 0, 1)
			if _, err := fresh.run(ctx, name, g, part.layout, t.strategy, t.perRank, p); err != nil {
				return err
			}
			s.opt.tally.add(1)
		}
		s.rows = merged(s.rows, fresh.rows)
		if err := s.write(); err != nil {
			return err
		}
	}
	return nil
}

// write writes the rows.
func (s *suite) write() error {
	return writeFile(s.path, func(w writer) error { return writeCSV(w, s.rows) })
}

// run partitions a grid by a strategy and notes the result.
func (s *suite) run(ctx context.Context, name string, g *geometry.Grid, layout balance.Layout, strategy Strategy, k, ranks int) (*balance.Partition, error) {
	cost, err := s.opt.cost(layout)
	if err != nil {
		return nil, err
	}
	preset := s.opt.Preset
	switch {
	case strategy.Balance != "graph":
		preset = ""
	case preset == "" && layout != balance.Sparse:
		preset = "fast"
	}
	begin := machine.ProcessorTime()
	p, err := balance.Make(ctx, g, balance.Options{
		Ranks: ranks, Decompose: strategy.Decompose, Balance: strategy.Balance, CuboidsPerRank: k,
		KeepHeavy: strategy.Plain, Improve: strategy.Improve, Imbalance: strategy.Imbalance, Cost: cost, Preset: preset,
		DevicesPerHost: s.opt.DevicesPerHost,
	})
	if err != nil {
		return nil, fmt.Errorf("%s, %v, k = %d, %s: %w", name, strategy, k, quantity.Count(ranks, "rank"), err)
	}
	q := &p.Quality
	counts, err := countsOf(g, p)
	if err != nil {
		return nil, err
	}
	bound, lost := ideal(p, counts)
	s.rows = append(s.rows, Row{
		Geometry: name, FluidCells: q.FluidCells, Layout: layout, Strategy: strategy, PerRank: k, Ranks: ranks,
		Cuboids: len(p.Cuboids), KeptCells: q.KeptCells, MaxOverMean: q.WorkMaxOverMean,
		Bytes: q.BytesTotal, BytesMax: q.BytesMax, NeighboursMax: q.NeighboursMax,
		Predicted: q.PredictedStep, Ideal: bound, Lost: lost, Seconds: (machine.ProcessorTime() - begin).Seconds(), Costs: describeCosts(cost),
	})
	return p, nil
}

// trial is a strategy with a number of cuboids for each rank, 0 for the
// strategy's own.
type trial struct {
	strategy Strategy
	perRank  int
}

// trials lists what is tried for a number of ranks.
func (o *Options) trials(part *layoutPlan, ranks int) []trial {
	var list []trial
	for j, strategy := range part.strategies {
		if strategy.MostRanks > 0 && ranks > strategy.MostRanks || o.Quick && variant(part.strategies, j) {
			continue
		}
		ks := strategy.PerRank
		if ks == nil {
			ks = []int{0}
		} else if !part.sourceTables {
			ks = fewPerRank
		}
		if o.Quick && strategy.Improve {
			ks = ks[:1]
		}
		for _, k := range ks {
			list = append(list, trial{strategy, k})
		}
	}
	return list
}

// variant reports whether a strategy is improved and differs from an earlier one
// by its imbalance alone.
func variant(strategies []Strategy, j int) bool {
	s := strategies[j]
	return s.Improve && slices.ContainsFunc(strategies[:j], func(earlier Strategy) bool {
		return earlier.Improve && earlier.Decompose == s.Decompose && earlier.Balance == s.Balance
	})
}

// best returns the row with the shortest predicted step of those that match.
func best(rows []Row, match func(r *Row) bool) *Row {
	return fastestBy(predictedStep, rows, match)
}

// fastestBy returns the row with the shortest step of those that match.
func fastestBy(step func(r *Row) float64, rows []Row, match func(r *Row) bool) *Row {
	var found *Row
	for i := range rows {
		if match(&rows[i]) && (found == nil || step(&rows[i]) < step(found)) {
			found = &rows[i]
		}
	}
	return found
}

// ranksOf returns the different numbers of ranks in ascending order.
func ranksOf(rows []Row) []int {
	var list []int
	for i := range rows {
		if !slices.Contains(list, rows[i].Ranks) {
			list = append(list, rows[i].Ranks)
		}
	}
	slices.Sort(list)
	return list
}

// plan is what the suite does for one geometry.
type plan struct {
	geometry     string
	cells        int64
	dense        []int // numbers of ranks in the plain and the dense layout
	sparse       []int // numbers of ranks in the sparse layout
	sourceTables bool  // the source's tables are made of it
}

// layoutPlan is what is done for one layout of a geometry.
type layoutPlan struct {
	layout       balance.Layout
	strategies   []Strategy
	ranks        []int
	sourceTables bool
}

// layouts lists what is done for each layout.
func (o *Options) layouts(p *plan) []layoutPlan {
	all := []layoutPlan{
		{balance.Plain, denseStrategies, p.dense, p.sourceTables},
		{balance.Dense, denseStrategies, p.dense, p.sourceTables},
		{balance.Sparse, sparseStrategies, p.sparse, p.sourceTables},
	}
	return slices.DeleteFunc(all, func(l layoutPlan) bool { return o.Layout != "" && o.Layout != l.layout })
}

// trialsOf counts what is tried for a geometry.
func (o *Options) trialsOf(p *plan) int {
	count := 0
	for _, part := range o.layouts(p) {
		for _, ranks := range part.ranks {
			count += len(o.trials(&part, ranks))
		}
	}
	return count
}

// pieces counts the work for a geometry: its grid, what is tried, and as much
// again where that is timed.
func (o *Options) pieces(p *plan) float64 {
	trials := o.trialsOf(p)
	if o.Measured {
		trials *= 2
	}
	return float64(1 + trials)
}

// plans lists what is done.
func (o *Options) plans() []plan {
	powers := []int{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
	all := []plan{
		{"bifurcation-large", 1_660_000, powers, []int{2, 8, 32, 128, 512}, true},
		{"cavity", 1_000_000, []int{1, 8, 64, 512}, []int{8, 64, 512}, false},
		{"bifurcation", 1_000_000, []int{1, 8, 64, 512}, []int{8, 64, 512}, false},
		{"airway", 10_000_000, []int{8, 64, 512}, []int{2, 8, 32, 128, 512, 2048, 10_000}, false},
	}
	if o.Quick {
		all = []plan{
			{"bifurcation-large", 150_000, []int{1, 8, 32}, []int{8, 32}, true},
			{"airway", 300_000, []int{32}, []int{8, 32}, false},
		}
	}
	if len(o.Geometries) > 0 {
		dense, sparse := []int{8, 64}, []int{2, 8, 32, 64, 128, 512}
		suite := all
		all = nil
		for _, g := range o.Geometries {
			chosen := plan{g, 10_000_000, dense, sparse, g == "bifurcation-large"}
			if i := slices.IndexFunc(suite, func(p plan) bool { return p.geometry == g }); i >= 0 {
				chosen.cells = suite[i].cells
			}
			all = append(all, chosen)
		}
	}
	for i := range all {
		if o.FluidCells > 0 {
			all[i].cells = o.FluidCells
		}
		if len(o.Ranks) > 0 {
			all[i].dense, all[i].sparse = o.Ranks, o.Ranks
		}
	}
	return all
}

// Balance runs the suite. For each geometry it writes balance-NAME.csv,
// balance-NAME.md and plots into the folder, and balance.md that lists them. What
// an earlier run with the same costs left in the folder is not done again, so
// that a long suite can be run in slices; empty the folder to begin anew.
func Balance(ctx context.Context, opt Options) error {
	if err := opt.complete(); err != nil {
		return err
	}
	plans, pieces := opt.plans(), 0.0
	for i := range plans {
		pieces += opt.pieces(&plans[i])
	}
	opt.tally = newTally(opt.Progress, pieces)
	for i := range plans {
		if err := opt.run(ctx, &plans[i]); err != nil {
			return err
		}
		// After every geometry, so that a long suite that is stopped leaves
		// what it has.
		if err := writeIndex(&opt); err != nil {
			return err
		}
	}
	return nil
}

// run does what is planned for one geometry.
func (o *Options) run(ctx context.Context, p *plan) error {
	o.tally.at("voxelizing "+p.geometry, 0, 1)
	name, g, err := Grid(ctx, p.geometry, p.cells)
	if err != nil {
		return err
	}
	path := filepath.Join(o.Folder, "balance-"+name)
	s := suite{opt: o, path: path + ".csv"}
	if s.rows, err = readCSV(s.path); err != nil {
		return err
	}
	o.tally.add(1)
	for _, part := range o.layouts(p) {
		if err := s.complete(ctx, name, g, &part); err != nil {
			return err
		}
	}
	if o.Measured {
		if err := s.measure(ctx, name, g, float64(o.trialsOf(p))); err != nil {
			return err
		}
	}
	for _, layout := range []balance.Layout{balance.Plain, balance.Dense} {
		if err := plotRates(fmt.Sprintf("%s-%s.png", path, layout), name, s.rows, layout); err != nil {
			return err
		}
	}
	if err := plotBytes(path+"-bytes.png", name, s.rows); err != nil {
		return err
	}
	report := newReport(o, "# Decompositions and balancers: "+name)
	if err := report.geometry(ctx, &s, name, g, p.sourceTables); err != nil {
		return err
	}
	return report.write(path + ".md")
}

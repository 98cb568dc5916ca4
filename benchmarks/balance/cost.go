package balancebench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"carina/balance"
	"carina/cuboid"
	"carina/geometry"
	"carina/internal/crash"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/transport"
)

// CostOptions say what Cost measures.
type CostOptions struct {
	// Name is what the machine is called in its file; the host's name if empty.
	Name string
	// Quick measures smaller grids, less exactly.
	Quick bool
	// Layout restricts the measurement to one layout; all if empty.
	Layout balance.Layout
	// Progress, if set, is told the stage and the share of all that is done, 0 to
	// 1.
	Progress func(stage string, done float64)

	cells int64 // of the grids that are fitted; as many as it takes if 0
}

// Cost measures the cost models of the solver's sparse and dense layouts, with
// its own kernels on one core in single and in double precision, and of the
// plain layout, with the plain kernel of this package in double precision, and
// what messages cost between two ranks of this process, with what the solver's
// kernels lose next to other ranks, and in the plain layout with packing and
// unpacking as copies cost. What cannot be measured on one host, the network
// between hosts, keeps the assumed figures.
func Cost(ctx context.Context, opt CostOptions) (*CostReport, error) {
	if opt.Name == "" {
		opt.Name, _ = os.Hostname()
	}
	if opt.Layout != "" && !slices.Contains(balance.Layouts, opt.Layout) {
		return nil, fmt.Errorf("there is no %s layout: use one of %s", opt.Layout, quantity.Either(balance.Layouts))
	}
	d := machine.Describe()
	report := &CostReport{Machine: balance.NewMachine(opt.Name, fmt.Sprintf("%s, %d cores, %s; one core", d.Processor, d.Cores, d.GoVersion))}
	inside, err := measureLink()
	if err != nil {
		return nil, err
	}
	list, pieces := costMeasurements(&opt), 0.0
	for i := range list {
		pieces += list[i].pieces()
	}
	count := newTally(opt.Progress, pieces)
	for _, m := range list {
		start := balance.DefaultCost(m.layout)
		start.Source, start.Inside, start.BytesPerPopulation = opt.Name, inside, m.bytes
		if err := report.measure(ctx, start, &m, count); err != nil {
			return nil, fmt.Errorf("the %s: %w", m.stage(), err)
		}
	}
	return report, nil
}

// costMeasurement is what is measured for one cost model.
type costMeasurement struct {
	layout balance.Layout
	bytes  int           // of a population
	timing time.Duration // of a case, or longer while that is not settled
	shapes *shapes
	// cases are fitted; few, where there is one, makes cases with about so many
	// cells, for each of sizes, which show how caches matter.
	cases func(ctx context.Context) ([]balance.Case, error)
	few   func(ctx context.Context, cells int64) ([]balance.Case, error)
	sizes []int64
}

func (m *costMeasurement) stage() string {
	return fmt.Sprintf("%s layout, %d bytes a population", m.layout, m.bytes)
}

// Pieces of work of a measurement, about as long as they take: making its shapes,
// measuring its cases, and for each size its cases and what crosses.
const shapesPieces, casesPieces, sizePieces, crossingPieces = 1, 6, 0.5, 1

func (m *costMeasurement) pieces() float64 {
	pieces := float64(shapesPieces + casesPieces)
	if m.few != nil {
		pieces += sizePieces * float64(len(m.sizes))
	}
	if m.layout != balance.Plain {
		pieces += crossingPieces * float64(len(m.sizes))
	}
	return pieces
}

// costMeasurements lists what is measured.
func costMeasurements(opt *CostOptions) []costMeasurement {
	cells, sizes, timing := int64(2_000_000), []int64{4_000, 16_000, 64_000, 250_000}, carefully/2
	if opt.Quick {
		cells, sizes, timing = 100_000, []int64{4_000, 16_000}, briefly
	}
	if opt.cells > 0 {
		cells = opt.cells
	}
	var list []costMeasurement
	s := new(shapes)
	for _, bytes := range []int{4, 8} {
		list = append(list, costMeasurement{layout: balance.Sparse, bytes: bytes, timing: timing, shapes: s, sizes: sizes,
			cases: func(ctx context.Context) ([]balance.Case, error) { return s.cases(ctx, cells, sparseShapes...) }})
	}
	for _, bytes := range []int{4, 8} {
		list = append(list, costMeasurement{layout: balance.Dense, bytes: bytes, timing: timing, shapes: s, sizes: sizes,
			cases: func(ctx context.Context) ([]balance.Case, error) {
				return s.solverCases(ctx, cells/2, denseShapes, solverCuts)
			},
			few: func(ctx context.Context, n int64) ([]balance.Case, error) {
				return s.solverCases(ctx, n, smallShapes, fewShrunk)
			}})
	}
	list = append(list, costMeasurement{layout: balance.Plain, bytes: 8, timing: timing, shapes: s, sizes: sizes,
		cases: func(context.Context) ([]balance.Case, error) { return plainCases(cells, plainCuts) },
		few:   func(_ context.Context, n int64) ([]balance.Case, error) { return plainCases(n, fewCuts) }})
	return slices.DeleteFunc(list, func(m costMeasurement) bool { return opt.Layout != "" && opt.Layout != m.layout })
}

// measure measures one cost model.
func (r *CostReport) measure(ctx context.Context, start balance.Cost, m *costMeasurement, count *tally) error {
	count.at("shapes for the "+m.stage(), 0, shapesPieces)
	cases, err := m.cases(ctx)
	if err != nil {
		return err
	}
	count.add(shapesPieces)
	measure := m.measurer()
	fitted, samples, err := balance.MeasureCost(ctx, start, cases, measure, func(done float64) { count.at(m.stage(), done, casesPieces) })
	if err != nil {
		return err
	}
	count.add(casesPieces)
	cost, all := fitted, meanStored(&fitted, samples)
	for _, cells := range m.sizes {
		if m.few == nil {
			cost.BySize = append(cost.BySize, balance.SizeFactors{Cells: cells, Factor: 1, Empty: 1})
			continue
		}
		count.at(fmt.Sprintf("%s, %d cells", m.stage(), cells), 0, sizePieces)
		few, err := m.few(ctx, cells)
		if err != nil {
			return err
		}
		factors, more, err := balance.MeasureSizeFactors(ctx, &fitted, few, measure)
		if err != nil {
			return err
		}
		count.add(sizePieces)
		cost.BySize = append(cost.BySize, factors)
		cases, samples = append(cases, few...), append(samples, more...)
	}
	if m.layout == balance.Plain {
		// The plain kernel has no openings; its cells there would do the work of a
		// boundary cell. Packing reads and writes the same cells as copying.
		cost.Opening = cost.Boundary
		cost.AddPacking(cost.CopyPerByte)
	} else if err := m.measureCrossings(ctx, &cost, count); err != nil {
		return err
	}
	if m.few != nil {
		cost.BySize = append(cost.BySize, balance.SizeFactors{Cells: all, Factor: 1, Empty: 1, Packing: 1})
	}
	r.add(&cost, cases, samples)
	r.Machine.Costs = append(r.Machine.Costs, cost)
	return nil
}

// meanStored is the mean number of cells that the measured cases hold.
func meanStored(cost *balance.Cost, samples []balance.Sample) int64 {
	var sum int64
	for i := range samples {
		sum += cost.StoredCells(samples[i].Counts)
	}
	return sum / int64(len(samples))
}

// measurer returns the function that times one rank that owns everything.
func (m *costMeasurement) measurer() balance.Measure {
	if m.layout == balance.Plain {
		return func(ctx context.Context, g *geometry.Grid, cuboids []cuboid.Cuboid) (float64, error) {
			return timePlain(g, cuboids, m.timing), ctx.Err()
		}
	}
	return func(ctx context.Context, g *geometry.Grid, cuboids []cuboid.Cuboid) (float64, error) {
		segments, err := cuboid.Label(g, cuboids)
		if err != nil {
			return 0, err
		}
		domain := &solver.Domain{Grid: g, Segments: segments, Owners: make([]int32, len(cuboids)), Boxes: cuboids, Ranks: 1}
		t, _, err := timeSolver(domain, 0, m.layout, m.bytes, m.timing)
		return t, errors.Join(err, ctx.Err())
	}
}

// measureCrossings measures what ranks compute for the bytes they send where
// they hold as many cells as the entries of BySize say, and notes it there.
func (m *costMeasurement) measureCrossings(ctx context.Context, cost *balance.Cost, count *tally) error {
	seconds := make([]float64, len(cost.BySize))
	for i := range seconds {
		cells := cost.BySize[i].Cells
		count.at(fmt.Sprintf("%s, messages of ranks of %d cells", m.stage(), cells), 0, crossingPieces)
		var err error
		if seconds[i], err = m.shapes.measureCrossing(ctx, cost, cells, m.timing/2); err != nil {
			return err
		}
		count.add(crossingPieces)
	}
	notePacking(cost, seconds)
	return nil
}

// notePacking takes over what ranks compute for each byte where they hold as
// many cells as the entries of BySize say: the last one as Packing, the others as
// factors of it.
func notePacking(cost *balance.Cost, seconds []float64) {
	const least, largest = 0.1, 10 // beyond would be noise
	most := seconds[len(seconds)-1]
	if cost.AddPacking(most); most == 0 {
		return
	}
	for i := range seconds {
		cost.BySize[i].Packing = min(largest, max(least, seconds[i]/most))
	}
}

// measureCrossing returns the seconds that a rank of so many cells spends on each
// byte it sends, apart from the transport: on packing and unpacking, and because
// cells next to other ranks cannot be updated as many at a time as others. It
// times all ranks of a partition in which little crosses, each for the given time,
// and again where the same cuboids, small ones, are scattered among the ranks.
func (s *shapes) measureCrossing(ctx context.Context, cost *balance.Cost, cells int64, timing time.Duration) (float64, error) {
	const ranks = 8
	airway, err := s.cases(ctx, ranks*cells, "airway of 8 generations")
	if err != nil {
		return 0, err
	}
	g := airway[0].Grid
	opt := balance.Options{Ranks: ranks, Cost: cost, Decompose: "bricks"}
	if cost.Layout != balance.Sparse {
		opt.Decompose = "shrink+carve"
	}
	p, err := balance.Make(ctx, g, opt)
	if err != nil {
		return 0, fmt.Errorf("a partition to measure what crosses: %w", err)
	}
	scattered := *p
	scattered.Owners = make([]int32, len(p.Owners))
	order := make([]int, len(p.Owners))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Counts[b].Fluid, p.Counts[a].Fluid) })
	for i, c := range order {
		scattered.Owners[c] = int32(i % ranks)
	}
	few, fewBytes, err := timeAll(ctx, g, p, timing)
	if err != nil {
		return 0, err
	}
	many, manyBytes, err := timeAll(ctx, g, &scattered, timing)
	if err != nil {
		return 0, err
	}
	// What crosses between ranks is no longer copied within one.
	return max(0, (many-few)/float64(manyBytes-fewBytes)+p.Cost.CopyPerByte), nil
}

// timeAll returns the seconds that all ranks of a partition compute for a step,
// together, and the bytes that they send.
func timeAll(ctx context.Context, g *geometry.Grid, p *balance.Partition, timing time.Duration) (seconds float64, bytes int64, err error) {
	domain, err := domainOf(g, p)
	if err != nil {
		return 0, 0, err
	}
	for rank := range p.Ranks {
		t, sent, err := timeSolver(domain, rank, p.Cost.Layout, p.Cost.BytesPerPopulation, timing)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return 0, 0, err
		}
		seconds += t
		for _, n := range sent {
			bytes += n
		}
	}
	return seconds, bytes, nil
}

// measureLink measures messages between two ranks of this process.
func measureLink() (balance.Network, error) {
	const small, large = 8, 1 << 20
	fast, err := pingPong(small, 2000)
	if err != nil {
		return balance.Network{}, err
	}
	slow, err := pingPong(large, 20)
	if err != nil {
		return balance.Network{}, err
	}
	return balance.Network{Latency: fast, SecondsPerByte: max(0, slow-fast) / (large - small)}, nil
}

// pingPong returns the seconds of one exchange of so many bytes each way.
func pingPong(bytes, count int) (float64, error) {
	ranks := transport.NewLocal(2)
	failures := make(chan error, len(ranks))
	begin := time.Now()
	for i, t := range ranks {
		go func() {
			defer crash.Guard()
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

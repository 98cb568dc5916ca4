package balance

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"carina/cuboid"
	"carina/geometry"
	"gonum.org/v1/gonum/mat"
)

// Sample is the measured time of one step of a rank that owns cuboids with
// these counts, of which there are Cuboids.
type Sample struct {
	Counts  cuboid.Counts
	Cuboids int
	// CopiedBytes is what crosses between its cuboids.
	CopiedBytes int64
	Seconds     float64
}

// Measure runs the solver on one rank and returns the seconds of one step. The
// cuboids cover the fluid of the grid.
type Measure func(ctx context.Context, g *geometry.Grid, cuboids []cuboid.Cuboid) (seconds float64, err error)

// Case is a grid to measure, cut into cuboids.
type Case struct {
	Name    string
	Grid    *geometry.Grid
	Cuboids []cuboid.Cuboid
}

// MeasureCost measures all cases and fits the costs per fluid, boundary,
// opening and empty cell, per lane, per cuboid and per byte copied to the times. The
// cases must differ in what they hold; what none of them holds keeps the
// figure of start. Networks keep theirs too.
func MeasureCost(ctx context.Context, start Cost, cases []Case, measure Measure, progress func(done float64)) (Cost, []Sample, error) {
	samples, err := measureCases(ctx, &start, cases, measure, progress)
	if err != nil {
		return start, nil, err
	}
	fitted, err := FitCost(start, samples)
	return fitted, samples, err
}

// MeasureSizeFactors measures cases with fewer cells than a cost model was fitted to
// and returns how much faster or slower than it says they are in what depends on
// that, see SizeFactors, and the mean number of cells that they hold. Medians of the
// cases keep single ones from mattering, in which the processor's caches serve
// badly by chance.
func MeasureSizeFactors(ctx context.Context, cost *Cost, cases []Case, measure Measure) (SizeFactors, []Sample, error) {
	samples, err := measureCases(ctx, cost, cases, measure, nil)
	if err != nil {
		return SizeFactors{}, nil, err
	}
	const manyEmpty = 0.25 // of the time, so that it tells of them
	var full, empty []float64
	var cells int64
	for i := range samples {
		s := &samples[i]
		cells += cost.StoredCells(s.Counts)
		if all, scaled, part := cost.parts(s); part < manyEmpty*all {
			full = append(full, bounded((s.Seconds-(all-scaled-part))/(scaled+part)))
		}
	}
	factors := SizeFactors{Cells: cells / int64(len(samples)), Factor: 1}
	if len(full) > 0 {
		factors.Factor = median(full)
	}
	for i := range samples {
		s := &samples[i]
		if all, scaled, part := cost.parts(s); part >= manyEmpty*all {
			empty = append(empty, bounded((s.Seconds-(all-part)+(1-factors.Factor)*scaled)/part))
		}
	}
	if factors.Empty = factors.Factor; len(empty) > 0 {
		factors.Empty = median(empty)
	}
	return factors, samples, checkSizeFactors([]SizeFactors{factors})
}

// parts returns the seconds of a step by a cost model, and how many of them a
// factor and an empty factor of SizeFactors would multiply.
func (c *Cost) parts(s *Sample) (all, scaled, empty float64) {
	without := *c
	without.scale(SizeFactors{Factor: 0, Empty: 1})
	all = c.predict(s)
	return all, all - without.predict(s), c.Empty * float64(c.computedEmpty(s.Counts))
}

// bounded keeps a factor within reason: what it is made of may be mostly noise.
func bounded(factor float64) float64 { return min(2, max(0.1, factor)) }

// median returns the middle one of some numbers, which it sorts, or the mean of
// the two there.
func median(list []float64) float64 {
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// predict returns the seconds of a step by a cost model.
func (c *Cost) predict(s *Sample) float64 {
	return c.Seconds(s.Counts) + c.Cuboid*float64(s.Cuboids-1) + c.CopyPerByte*float64(s.CopiedBytes)
}

// Fitted returns the seconds of a step of a sample by a cost model, for the
// cells that it holds.
func (s *Sample) Fitted(cost *Cost) float64 {
	scaled := cost.For(float64(cost.StoredCells(s.Counts)))
	return scaled.predict(s)
}

// rounds is how often every case is measured, all of them in turn, so that what
// else the machine does for a while disturbs one round only: the shortest time
// counts.
const rounds = 2

// measureCases measures all cases; what crosses within is counted in the bytes of
// the cost model.
func measureCases(ctx context.Context, cost *Cost, cases []Case, measure Measure, progress func(done float64)) ([]Sample, error) {
	samples := make([]Sample, len(cases))
	for i, c := range cases {
		segments, err := cuboid.Label(c.Grid, c.Cuboids)
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w", c.Name, err)
		}
		s := &samples[i]
		s.Cuboids = len(c.Cuboids)
		for _, n := range cost.count(c.Grid, c.Cuboids, segments) {
			s.Counts.Fluid += n.Fluid
			s.Counts.Boundary += n.Boundary
			s.Counts.Opening += n.Opening
			s.Counts.Empty += n.Empty
			s.Counts.Lanes += n.Lanes
			s.Counts.Passed += n.Passed
		}
		for _, x := range cost.Crossings(segments) {
			s.CopiedBytes += cost.Bytes(x)
		}
	}
	for done := range rounds * len(cases) {
		i := done % len(cases)
		t, err := measure(ctx, cases[i].Grid, cases[i].Cuboids)
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w", cases[i].Name, err)
		}
		if s := &samples[i]; s.Seconds == 0 || t < s.Seconds {
			s.Seconds = t
		}
		if progress != nil {
			progress(float64(done+1) / float64(rounds*len(cases)))
		}
	}
	return samples, nil
}

// feature is one figure of a cost model, as far as it is fitted, and how much of
// it a sample holds.
type feature struct {
	figure  func(c *fittedCost) *float64
	amount  func(s *Sample) float64
	layouts []Layout
}

// fittedCost is a cost model in which Boundary and Opening are what such a cell
// costs more than one without links to the wall, or to an opening.
type fittedCost Cost

// features are the figures that are fitted.
var features = []feature{
	{func(c *fittedCost) *float64 { return &c.Fluid }, func(s *Sample) float64 { return float64(s.Counts.Fluid) }, Layouts},
	{func(c *fittedCost) *float64 { return &c.Boundary }, func(s *Sample) float64 { return float64(s.Counts.Boundary) }, Layouts},
	{func(c *fittedCost) *float64 { return &c.Opening }, func(s *Sample) float64 { return float64(s.Counts.Opening) }, Layouts},
	{func(c *fittedCost) *float64 { return &c.Empty }, func(s *Sample) float64 { return float64(s.Counts.Empty) }, []Layout{Plain}},
	{func(c *fittedCost) *float64 { return &c.Empty }, func(s *Sample) float64 { return float64(s.Counts.Empty - s.Counts.Passed) }, []Layout{Dense}},
	{func(c *fittedCost) *float64 { return &c.Cuboid }, func(s *Sample) float64 { return float64(s.Cuboids) }, []Layout{Dense, Plain}},
	{func(c *fittedCost) *float64 { return &c.CopyPerByte }, func(s *Sample) float64 { return float64(s.CopiedBytes) }, []Layout{Plain}},
	{func(c *fittedCost) *float64 { return &c.Lane }, func(s *Sample) float64 { return float64(s.Counts.Lanes) }, []Layout{Dense}},
}

// FitCost fits a cost model to measured steps by least squares of the relative
// errors, with no figure below zero, no boundary cell faster than another and no
// cell at an opening faster than others of the boundary. Figures that the samples say
// nothing about keep those of start.
func FitCost(start Cost, samples []Sample) (Cost, error) {
	fit := fittedCost(start)
	fit.Opening = math.Max(0, fit.Opening-fit.Boundary)
	fit.Boundary = math.Max(0, fit.Boundary-fit.Fluid)
	var active []feature
	for _, f := range features {
		holds := func(s Sample) bool { return f.amount(&s) > 0 }
		if slices.Contains(f.layouts, start.Layout) && slices.ContainsFunc(samples, holds) {
			active = append(active, f)
		}
	}
	for i := range samples {
		if !(samples[i].Seconds > 0) {
			return start, fmt.Errorf("sample %d took %v s: time more steps", i, samples[i].Seconds)
		}
	}
	// Figures that come out negative are held at zero, the worst first.
	for len(active) > 0 {
		x, err := leastSquares(active, samples)
		if err != nil {
			return start, err
		}
		worst := 0
		for k := range x {
			if x[k] < x[worst] {
				worst = k
			}
		}
		if x[worst] >= 0 {
			for k, f := range active {
				*f.figure(&fit) = x[k]
			}
			break
		}
		*active[worst].figure(&fit) = 0
		active = slices.Delete(active, worst, worst+1)
	}
	fit.Boundary += fit.Fluid
	fit.Opening += fit.Boundary
	fitted := Cost(fit)
	return fitted, fitted.Check()
}

// leastSquares solves for the figures of the active features.
func leastSquares(active []feature, samples []Sample) ([]float64, error) {
	a, b := mat.NewDense(len(samples), len(active), nil), mat.NewVecDense(len(samples), nil)
	for i := range samples {
		b.SetVec(i, 1)
		for k, f := range active {
			a.Set(i, k, f.amount(&samples[i])/samples[i].Seconds)
		}
	}
	if len(samples) < len(active) {
		return nil, fmt.Errorf("%d measurements for %d costs: measure more cases", len(samples), len(active))
	}
	var x mat.VecDense
	if err := x.SolveVec(a, b); err != nil {
		var bad mat.Condition
		if !errors.As(err, &bad) || math.IsInf(float64(bad), 1) {
			return nil, fmt.Errorf("the %d measurements do not tell %d costs apart (%w): measure cases that differ more", len(samples), len(active), err)
		}
	}
	return x.RawVector().Data, nil
}

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
// opening and empty cell, per cuboid and per byte copied to the times. The
// cases must differ in what they hold; what none of them holds keeps the
// figure of start. Links keep theirs too.
func MeasureCost(ctx context.Context, start Cost, cases []Case, measure Measure, progress func(done float64)) (Cost, []Sample, error) {
	samples := make([]Sample, 0, len(cases))
	for i, c := range cases {
		segments, err := cuboid.Label(c.Grid, c.Cuboids)
		if err != nil {
			return start, nil, fmt.Errorf("measuring %s: %w", c.Name, err)
		}
		s := Sample{Cuboids: len(c.Cuboids)}
		for _, n := range cuboid.Count(c.Grid, c.Cuboids, segments) {
			s.Counts.Fluid += n.Fluid
			s.Counts.Boundary += n.Boundary
			s.Counts.Opening += n.Opening
			s.Counts.Empty += n.Empty
		}
		for _, x := range cuboid.Crossings(segments, start.Directions) {
			s.CopiedBytes += start.Bytes(x)
		}
		if s.Seconds, err = measure(ctx, c.Grid, c.Cuboids); err != nil {
			return start, nil, fmt.Errorf("measuring %s: %w", c.Name, err)
		}
		samples = append(samples, s)
		if progress != nil {
			progress(float64(i+1) / float64(len(cases)))
		}
	}
	fitted, err := FitCost(start, samples)
	return fitted, samples, err
}

// feature is one figure of a cost model and how much of it a sample holds.
type feature struct {
	figure func(c *Cost) *float64
	amount func(s *Sample) float64
}

// features are the figures that are fitted; the sparse layout has only those
// of fluid cells, the first sparseFeatures.
var features = []feature{
	{func(c *Cost) *float64 { return &c.Fluid }, func(s *Sample) float64 { return float64(s.Counts.Fluid - s.Counts.Boundary) }},
	{func(c *Cost) *float64 { return &c.Boundary }, func(s *Sample) float64 { return float64(s.Counts.Boundary - s.Counts.Opening) }},
	{func(c *Cost) *float64 { return &c.Opening }, func(s *Sample) float64 { return float64(s.Counts.Opening) }},
	{func(c *Cost) *float64 { return &c.Empty }, func(s *Sample) float64 { return float64(s.Counts.Empty) }},
	{func(c *Cost) *float64 { return &c.Cuboid }, func(s *Sample) float64 { return float64(s.Cuboids) }},
	{func(c *Cost) *float64 { return &c.CopyPerByte }, func(s *Sample) float64 { return float64(s.CopiedBytes) }},
}

const sparseFeatures = 3

// FitCost fits a cost model to measured steps by least squares of the relative
// errors, with no figure below zero. Figures that the samples say nothing about
// keep those of start.
func FitCost(start Cost, samples []Sample) (Cost, error) {
	fit := start
	var active []feature
	for j, f := range features {
		holds := func(s Sample) bool { return f.amount(&s) > 0 }
		if (start.Layout == Dense || j < sparseFeatures) && slices.ContainsFunc(samples, holds) {
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
	return fit, fit.Check()
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

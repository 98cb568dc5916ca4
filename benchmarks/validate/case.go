package validate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow"

	"gonum.org/v1/gonum/stat"
)

// Result is one number against its reference.
type Result struct {
	Case     string `json:"case"`
	Quantity string `json:"quantity"`
	// Value must not differ from Reference by more than Tolerance; where the
	// reference is zero, Value is an error that must stay below Tolerance. An
	// order of convergence and a share that is resolved may exceed their reference.
	Value     float64 `json:"value"`
	Reference float64 `json:"reference"`
	Tolerance float64 `json:"tolerance"`
	Source    string  `json:"source"`
	Pass      bool    `json:"pass"`
}

// Words is the result as a line.
func (r Result) Words() string {
	verdict := "pass"
	if !r.Pass {
		verdict = "FAIL"
	}
	return row(r.Case, r.Quantity, digits(r.Value, 6), digits(r.Reference, 6), digits(r.Tolerance, 4), verdict, r.Source)
}

// row is a line of the table.
func row(name, quantity, value, reference, tolerance, verdict, source string) string {
	return fmt.Sprintf("%-32s %-38s %12s %12s %10s  %-7s  %s", name, quantity, value, reference, tolerance, verdict, source)
}

func digits(v float64, n int) string { return strconv.FormatFloat(v, 'g', n, 64) }

// Curve is a line or (Points) a set of points of a plot.
type Curve struct {
	Name   string
	X, Y   []float64
	Points bool
}

// Plot is a picture of a case.
type Plot struct {
	Name, Title, XLabel, YLabel string
	Curves                      []Curve
	// Logarithmic tells whether both axes are.
	Logarithmic bool
}

// convergence is a plot of errors over the resolution, with a line of second
// order.
func convergence(name, title string, errors ...Curve) Plot {
	p := Plot{Name: name, Title: title, XLabel: "cells", YLabel: "relative error", Logarithmic: true}
	second := Curve{Name: "second order"}
	for _, n := range slices.Sorted(slices.Values(errors[0].X)) {
		second.X, second.Y = append(second.X, n), append(second.Y, errors[0].Y[0]*math.Pow(errors[0].X[0]/n, 2))
	}
	p.Curves = append(p.Curves, second)
	for _, e := range errors {
		e.Points = true
		p.Curves = append(p.Curves, e)
	}
	return p
}

// suite collects what the cases find.
type suite struct {
	options Options
	// precision is that of all cases.
	precision airflow.Precision
	ctx       context.Context
	device    string // that computed the last case
	results   []Result
	plots     []Plot
	// pipeProfiles are the velocities over the radius of the aligned pipes.
	pipeProfiles []Curve
}

// add notes a number with the largest difference that is accepted.
func (s *suite) add(name, quantity string, value, reference, tolerance float64, source string) {
	s.found(Result{name, quantity, value, reference, tolerance, source, math.Abs(value-reference) <= tolerance})
}

// found notes a result and tells of it.
func (s *suite) found(r Result) {
	s.results = append(s.results, r)
	if s.options.Found != nil {
		s.options.Found(r)
	}
}

// addError notes an error that must not exceed a limit.
func (s *suite) addError(name, quantity string, value, limit float64, source string) {
	s.add(name, quantity, value, 0, limit, source)
}

// tolerance is the first number, or the second for 16-bit storage: eleven
// significant bits leave rounding errors that grow with the number of steps a
// flow needs, up to about one percent in the cases here.
func (s *suite) tolerance(full, half float64) float64 {
	if s.precision == airflow.Half {
		return half
	}
	return full
}

// addAtLeast notes a number that must not be below a limit.
func (s *suite) addAtLeast(name, quantity string, value, least float64, source string) {
	s.found(Result{name, quantity, value, least, 0, source, value >= least})
}

// addOrder notes an order of convergence, which may exceed two.
func (s *suite) addOrder(name string, value, tolerance float64) {
	s.found(Result{name, "order of convergence", value, 2, tolerance, "second order", value >= 2-tolerance})
}

// extent says where a size of a case is computed: sizes take seconds, minutes, or
// minutes on a GPU.
type extent int

const (
	quick extent = iota
	processor
	onGPU
)

// wants tells whether a size is to be computed.
func (s *suite) wants(e extent) bool {
	switch e {
	case quick:
		return true
	case processor:
		return !s.options.Quick
	}
	return !s.options.Quick && s.options.Device == GPU
}

// flow is a computation and how it ended.
type flow struct {
	grid     *geometry.Grid
	settings airflow.Settings
	summary  *airflow.Summary
	fields   *airflow.Fields
}

// compute runs a shape for some steps, rounded up to an even number. Visit may
// be nil.
func (s *suite) compute(sh *shape, settings airflow.Settings, steps int64, visit func(*airflow.Rank) error) (*flow, error) {
	return s.computeOn(sh.grid(), sh.periodic, settings, steps, visit)
}

// computeOn is compute on the cells of a grid.
func (s *suite) computeOn(grid *geometry.Grid, periodic [3]bool, settings airflow.Settings, steps int64, visit func(*airflow.Rank) error) (*flow, error) {
	s.options.Change(&settings)
	f := &flow{grid: grid, settings: settings}
	domain := solver.WholeDomain(f.grid)
	domain.Periodic = periodic
	var err error
	f.summary, err = s.run(domain, settings, airflow.Plan{Steps: steps}, nil, func(c *airflow.Rank) (err error) {
		if f.fields, err = c.Fields(); err != nil || visit == nil {
			return err
		}
		return visit(c)
	})
	if err != nil {
		return nil, fmt.Errorf("computing: %w", err)
	}
	if s.device = "processor"; s.options.Device == GPU {
		s.device = f.summary.Ranks[0].Device
	}
	return f, nil
}

// eachCell calls f for all cells with their number and centre.
func (f *flow) eachCell(sh *shape, visit func(i int, x, y, z int32)) {
	i := 0
	for _, r := range f.grid.Runs {
		for x := r.X0; x < r.X1; x++ {
			visit(i, x, r.Y, r.Z)
			i++
		}
	}
}

// norm accumulates a relative L2 error.
type norm struct{ difference, reference float64 }

func (n *norm) add(value, reference float64) {
	n.difference += (value - reference) * (value - reference)
	n.reference += reference * reference
}

func (n *norm) relative() float64 { return math.Sqrt(n.difference / n.reference) }

// order is the order of convergence of the first n errors over the resolution:
// how steeply a line falls through their logarithms.
func (c *Curve) order(n int) float64 {
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = math.Log(c.X[i]), math.Log(c.Y[i])
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	return -slope
}

// order is the order of convergence between two errors at resolutions that
// differ by a factor.
func order(coarse, fine, factor float64) float64 { return math.Log(coarse/fine) / math.Log(factor) }

// latticeStep is the time step with which the viscosity is that much in
// lattice units.
func latticeStep(latticeViscosity, spacing, viscosity float64) float64 {
	return latticeViscosity * spacing * spacing / viscosity
}

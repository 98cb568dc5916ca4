package convergence

import (
	"errors"
	"fmt"
	"math"
)

// Point is a number on one spacing.
type Point struct {
	Spacing float64
	Value   float64
	// Error is the standard error of the value where it fluctuates, or how far it is
	// from steady; 0 where it is exact.
	Error float64
}

// Estimate is what a number tends to.
type Estimate struct {
	// Value is extrapolated, where an order was observed or assumed, else that of
	// the least spacing.
	Value float64 `json:"value"`
	// Uncertainty is how far the limit may be from Value, about 95 times of 100:
	// that of the spacing and twice the standard error together.
	Uncertainty float64 `json:"uncertainty"`
	// Order is the observed order of convergence; 0 where none was.
	Order float64 `json:"order,omitempty"`
	// Used is the order by which value and uncertainty go with the spacing: the observed
	// one, at most the method's, or an assumed one; 0 where the spacing makes no difference.
	Used float64 `json:"used_order,omitempty"`
	// Basis says in words how the estimate was made.
	Basis string `json:"basis"`
}

// Limits of what counts as an observed order; FormalOrder is that of the method.
const (
	leastOrder  = 0.5
	mostOrder   = 3
	FormalOrder = 2
)

// coarsePart is the part of the difference of the coarser two of three points that is
// uncertain where values converge faster than any order of the method: the finer two may
// be alike by accident, where errors of opposite signs meet. With a tenth, pipes of 13 and
// 16 cells across at Reynolds numbers of 180 and 900 miss the drop of Hagen and Poiseuille.
const coarsePart = 1. / 3

// noOrder begins the basis of estimates whose points show no order.
const noOrder = "no order observed"

// Safety factors of the grid convergence index: of three spacings, and of two with an
// assumed order.
const (
	observedSafety = 1.25
	assumedSafety  = 3
)

// Of estimates the limit of points, the least spacing first. Of more than three
// the first three count.
func Of(points []Point) (Estimate, error) {
	if len(points) < 2 {
		return Estimate{}, errors.New("one spacing shows no convergence: compute two or three")
	}
	points = points[:min(len(points), 3)]
	for i, p := range points {
		if !(p.Spacing > 0) || math.IsInf(p.Spacing, 0) || math.IsNaN(p.Value) || math.IsInf(p.Value, 0) || !(p.Error >= 0) {
			return Estimate{}, fmt.Errorf("%g ± %g on a spacing of %g is no number to extrapolate", p.Value, p.Error, p.Spacing)
		}
		if i > 0 && p.Spacing < 1.05*points[i-1].Spacing {
			return Estimate{}, fmt.Errorf("spacings %g and %g are too alike to show a convergence: choose a ratio of 1.3 or more", points[i-1].Spacing, p.Spacing)
		}
	}
	if len(points) == 2 {
		e := extrapolated(points, FormalOrder, assumedSafety)
		e.Basis = "two spacings, second order assumed"
		return e, nil
	}
	return ofThree(points), nil
}

func ofThree(points []Point) Estimate {
	fine, coarse := points[1].Value-points[0].Value, points[2].Value-points[1].Value
	noise := 2 * math.Hypot(points[0].Error, points[1].Error)
	if math.Abs(fine) <= noise && math.Abs(coarse) <= 2*math.Hypot(points[1].Error, points[2].Error) {
		return within(points, math.Max(math.Abs(fine), math.Abs(coarse)), "no difference between the spacings beyond what fluctuates")
	}
	// Rounding and the last of the transient have no order.
	const alike = 1e-5
	if difference := spread(points); difference <= alike*math.Abs(points[0].Value) {
		return within(points, difference, "no difference between the spacings")
	}
	order, ok := observedOrder(points)
	switch {
	case ok && order >= leastOrder && order <= mostOrder:
		// A higher order than the method's is luck, and would promise too much.
		e := extrapolated(points, min(order, FormalOrder), observedSafety)
		e.Order, e.Basis = order, fmt.Sprintf("observed order %.2g", order)
		return e
	case ok && order > mostOrder:
		// The coarsest is not near enough to the limit to tell the order of the others.
		e := extrapolated(points, FormalOrder, observedSafety)
		e.Uncertainty, e.Basis = math.Hypot(e.Uncertainty, coarsePart*coarse), noOrder+", but faster than the third"
		return e
	}
	e := within(points, firstOrder(points), noOrder)
	e.Used = 1
	return e
}

// firstOrder is the largest uncertainty of the least spacing's value that any other
// one gives by the first order, the lowest that walls between cells leave.
func firstOrder(points []Point) (unsure float64) {
	for _, p := range points[1:] {
		unsure = math.Max(unsure, observedSafety*math.Abs(p.Value-points[0].Value)/(p.Spacing/points[0].Spacing-1))
	}
	return unsure
}

// within is the value of the least spacing, uncertain by so much.
func within(points []Point, unsure float64, basis string) Estimate {
	return Estimate{Value: points[0].Value, Uncertainty: math.Hypot(unsure, 2*points[0].Error), Basis: basis}
}

// spread is the largest difference between two values.
func spread(points []Point) float64 {
	low, high := points[0].Value, points[0].Value
	for _, p := range points {
		low, high = math.Min(low, p.Value), math.Max(high, p.Value)
	}
	return high - low
}

// extrapolated takes the error to be proportional to a power of the spacing.
func extrapolated(points []Point, order, safety float64) Estimate {
	a := 1 / (math.Pow(points[1].Spacing/points[0].Spacing, order) - 1)
	correction := a * (points[0].Value - points[1].Value)
	statistical := math.Hypot((1+a)*points[0].Error, a*points[1].Error)
	return Estimate{Value: points[0].Value + correction, Uncertainty: math.Hypot(safety*correction, 2*statistical), Used: order}
}

// observedOrder solves for the order with which three values tend to a limit; it
// is none where they do not approach it from one side.
func observedOrder(points []Point) (float64, bool) {
	fine, coarse := points[1].Value-points[0].Value, points[2].Value-points[1].Value
	if fine*coarse <= 0 {
		return 0, false
	}
	r, q := points[1].Spacing/points[0].Spacing, points[2].Spacing/points[0].Spacing
	// (q^p − r^p) / (r^p − 1) grows with p.
	ratio := func(p float64) float64 { return (math.Pow(q, p) - math.Pow(r, p)) / (math.Pow(r, p) - 1) }
	low, high := 1e-3, 20.
	if want := coarse / fine; want <= ratio(low) {
		return low, true
	} else if want >= ratio(high) {
		return high, true
	}
	for range 60 {
		if middle := (low + high) / 2; ratio(middle) < coarse/fine {
			low = middle
		} else {
			high = middle
		}
	}
	return low, true
}

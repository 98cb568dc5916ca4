package convergence

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// A number that tends to its limit with a power of the spacing is extrapolated to it.
func TestPowersAreExtrapolated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.Float64Range(-10, 10).Draw(t, "limit")
		slope := rapid.Float64Range(0.1, 10).Draw(t, "slope") * float64(1-2*rapid.IntRange(0, 1).Draw(t, "sign"))
		order := rapid.Float64Range(0.51, 1.99).Draw(t, "order")
		points := make([]Point, 3)
		h := rapid.Float64Range(0.05, 1).Draw(t, "spacing")
		for i := range points {
			points[i] = Point{Spacing: h, Value: limit + slope*math.Pow(h, order)}
			h *= rapid.Float64Range(1.2, 2).Draw(t, "ratio")
		}
		e, err := Of(points)
		if err != nil {
			t.Fatal(err)
		}
		size := math.Abs(points[0].Value-points[1].Value) + 1e-9
		if math.Abs(e.Value-limit) > 1e-4*size+1e-9 || math.Abs(e.Order-order) > 1e-3 {
			t.Fatalf("%+v, want %g of order %g", e, limit, order)
		}
		if e.Uncertainty < math.Abs(points[0].Value-limit) {
			t.Fatalf("the uncertainty %g is less than the error %g of the least spacing", e.Uncertainty, points[0].Value-limit)
		}
	})
}

// With errors of second order, terms of higher ones and noise, the limit lies within
// the uncertainty in at least 93 of 100, with three spacings and with two.
func TestLimitIsWithinTheUncertainty(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const draws = 4000
	for _, count := range []int{2, 3} {
		inside := 0
		for range draws {
			a, b, noise := random.NormFloat64(), 0.5*random.NormFloat64(), 0.01*random.Float64()
			points := make([]Point, count)
			for i := range points {
				h := 0.4 * math.Pow(1.4, float64(i))
				points[i] = Point{Spacing: h, Value: 3 + a*h*h + b*h*h*h + noise*random.NormFloat64(), Error: noise}
			}
			e, err := Of(points)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(e.Value-3) <= e.Uncertainty {
				inside++
			}
		}
		t.Logf("%d spacings: %.1f %%", count, 100*float64(inside)/draws)
		if inside < draws*93/100 {
			t.Errorf("%d spacings: only %d of %d limits lie within their uncertainty", count, inside, draws)
		}
	}
}

func TestNoOrderIsNoOrder(t *testing.T) {
	for name, values := range map[string][3]float64{
		"oscillates": {1, 1.1, 1.05}, "diverges": {1, 1.2, 1.21}, "constant": {1, 1, 1},
	} {
		e, err := Of([]Point{{1, values[0], 0}, {1.4, values[1], 0}, {1.96, values[2], 0}})
		if err != nil {
			t.Fatal(err)
		}
		if e.Order != 0 || e.Value != values[0] {
			t.Errorf("%s: %+v", name, e)
		}
		if name != "constant" && e.Uncertainty < math.Abs(values[1]-values[0]) {
			t.Errorf("%s: the uncertainty %g is less than the difference", name, e.Uncertainty)
		}
	}
	// What converges faster than any order of the method has none, and its limit lies where
	// the finer two put it by the second: the coarsest was too coarse.
	for _, c := range []struct{ limit, second, coarse float64 }{{2.95, 0.45, 0.4}, {62.8, 1.8, 6}, {-1, 0.001, 0.05}} {
		at := func(h float64) float64 { return c.limit + c.second*h*h + c.coarse*math.Pow(h, 8)/10 }
		e, err := Of([]Point{{1, at(1), 0}, {1.4, at(1.4), 0}, {1.96, at(1.96), 0}})
		if err != nil || e.Order != 0 || math.Abs(e.Value-c.limit) > e.Uncertainty || e.Uncertainty > 0.5*math.Abs(at(1.96)-at(1)) {
			t.Errorf("faster than an order: %+v, %v, want %g", e, err, c.limit)
		}
	}
	// The finer two of pipes that were computed are alike by accident.
	for _, c := range []struct{ exact, fine, middle, coarse float64 }{{0.11937, 0.12287, 0.12304, 0.13358}, {0.59683, 0.66879, 0.67514, 0.94553}} {
		if e, err := Of([]Point{{1, c.fine, 0}, {1.4, c.middle, 0}, {1.96, c.coarse, 0}}); err != nil || math.Abs(e.Value-c.exact) > e.Uncertainty || e.Uncertainty > 0.15*c.exact+0.01 {
			t.Errorf("a pipe: %+v, %v, want %g", e, err, c.exact)
		}
	}
	// What only fluctuates has no order.
	if e, err := Of([]Point{{1, 1, 0.1}, {1.4, 1.01, 0.1}, {1.96, 1.03, 0.1}}); err != nil || e.Order != 0 || e.Uncertainty < 0.2 {
		t.Errorf("fluctuation: %+v, %v", e, err)
	}
}

func TestWrongPoints(t *testing.T) {
	for name, points := range map[string][]Point{
		"one": {{1, 1, 0}}, "alike": {{1, 1, 0}, {1.01, 2, 0}}, "nan": {{1, math.NaN(), 0}, {2, 1, 0}},
		"negative error": {{1, 1, -1}, {2, 1, 0}}, "no spacing": {{0, 1, 0}, {2, 1, 0}}, "order": {{2, 1, 0}, {1, 2, 0}},
	} {
		if e, err := Of(points); err == nil {
			t.Errorf("%s: %+v", name, e)
		}
	}
}

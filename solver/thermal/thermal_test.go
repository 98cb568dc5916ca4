package thermal_test

import (
	"math"
	"slices"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/thermal"
	"carina/solver/thermal/arithmetic"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// gasCase is a gas with waves along both axes.
func gasCase(g *geometry.Grid, periodic [3]bool, collision arithmetic.Collision) *enginetest.Case {
	return &enginetest.Case{Grid: g, Periodic: periodic, Steps: 11, Physics: func(*solver.Domain) (solver.Together, error) {
		return solver.Together{&thermal.Gas{Tau: 0.8, Collision: collision, Gravity: [2]float64{1e-4, -2e-4}, Initial: func(p r3.Vec) thermal.State {
			return state(1+0.02*math.Sin(900*p.X), [2]float64{0.03 * math.Cos(700*p.Y), 0.01}, 0.69+0.01*math.Sin(800*(p.X-p.Y)))
		}}}, nil
	}}
}

// holes is a grid of one layer of which a part is missing.
func holes() *geometry.Grid {
	return generate.Grid([3]int32{40, 30, 1}, func(x, y, _ int32) bool { return (x*x+7*y+x*y)%23 > 0 })
}

// single makes the gas of a case one in single precision.
func single(c *enginetest.Case) *enginetest.Case {
	plain := c.Physics
	c.Physics = func(d *solver.Domain) (solver.Together, error) {
		all, err := plain(d)
		all[0].(*thermal.Gas).Single = true
		return all, err
	}
	return c
}

// Single precision follows double as far as it goes.
func TestSinglePrecision(t *testing.T) {
	size := [2]int32{24, 16}
	named(t, func(t *testing.T, c arithmetic.Collision) {
		var states [2][]thermal.State
		for i := range states {
			follow(t, size, sides, 100, 100, thermal.Gas{Tau: 0.6, Collision: c, Gravity: [2]float64{0, -1e-4}, Walls: &thermal.Walls{Bottom: 0.75, Top: 0.65}, Single: i > 0}, uneven(size),
				func(_ int, at func(x, y int32) *thermal.State) {
					for n := range size[0] * size[1] {
						states[i] = append(states[i], *at(n%size[0], n/size[0]))
					}
				})
		}
		largest := 0.0
		for n, s := range states[0] {
			other := states[1][n]
			largest = max(largest, math.Abs(s.Density-other.Density), math.Abs(s.Velocity[0]-other.Velocity[0]), math.Abs(s.Velocity[1]-other.Velocity[1]), math.Abs(s.Temperature-other.Temperature))
		}
		if !(largest > 1e-9) || !(largest < 1e-4) {
			t.Errorf("single precision is %g from double", largest)
		}
	})
}

func TestGasOnRanks(t *testing.T) {
	gasCase(holes(), [3]bool{true, true, false}, arithmetic.BGK).Accept(t)
	single(gasCase(generate.FullGrid([3]int32{40, 30, 1}), [3]bool{true, false, false}, arithmetic.Regularized)).Accept(t)
}

// A gas in a periodic box that is narrower than populations reach is that of copies of it
// side by side, on any ranks.
func TestNarrowBoxes(t *testing.T) {
	for rows := range int32(4) {
		rows++
		values := func(height int32, c *enginetest.Case) (list [][]float64) {
			c.Grid, c.Periodic = generate.FullGrid([3]int32{30, height, 1}), [3]bool{true, true, false}
			enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
				d := solver.WholeDomain(c.Grid)
				d.Periodic = c.Periodic
				r, err := c.New(d, 1, tr)
				if err != nil {
					return err
				}
				defer r.Close()
				for range 4 {
					if err := r.Step(); err != nil {
						return err
					}
				}
				for v := range arithmetic.Populations {
					all, err := r.Values(0, v)
					if err != nil {
						return err
					}
					list = append(list, all[:30*rows])
				}
				return nil
			})
			return list
		}
		c := &enginetest.Case{Steps: 4, Physics: func(*solver.Domain) (solver.Together, error) {
			return solver.Together{&thermal.Gas{Tau: 0.8, Initial: func(p r3.Vec) thermal.State {
				row := int32(p.Y/0.001) % rows
				return thermal.State{Density: 1 + 0.02*math.Sin(900*p.X), Velocity: [2]float64{0.03, 0.01 * float64(row)}, Temperature: 0.69}
			}}}, nil
		}}
		if got, want := values(rows, c), values(12*rows, c); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d rows: another gas than in a box of %d", rows, 12*rows)
		}
	}
	gasCase(generate.FullGrid([3]int32{60, 1, 1}), [3]bool{true, true, false}, arithmetic.Regularized).Accept(t)
	gasCase(generate.FullGrid([3]int32{2, 30, 1}), [3]bool{true, true, false}, arithmetic.BGK).Accept(t)
}

// The moments of weights and velocities are those of a Maxwellian to order nine, and
// every velocity stands beside its opposite.
func TestVelocities(t *testing.T) {
	for n := range 10 {
		for m := range 10 - n {
			sum, want := 0.0, 1.0
			for _, v := range arithmetic.Velocities {
				sum += v.Weight * math.Pow(arithmetic.Spacing*float64(v.C.X), float64(n)) * math.Pow(arithmetic.Spacing*float64(v.C.Y), float64(m))
			}
			for _, k := range []int{n, m} {
				for i := 1; i < k; i += 2 {
					want *= float64(i)
				}
				if k%2 == 1 {
					want = 0
				}
			}
			if math.Abs(sum-want) > 1e-12*max(1, want) {
				t.Errorf("moment (%d, %d) is %g, want %g", n, m, sum, want)
			}
		}
	}
	for i, v := range arithmetic.Velocities {
		if o := arithmetic.Velocities[arithmetic.Opposite(i)]; o.C.X != -v.C.X || o.C.Y != -v.C.Y {
			t.Errorf("%v is said to be opposite to %v", o.C, v.C)
		}
	}
}

// The equilibrium has the moments that it is given.
func TestEquilibrium(t *testing.T) {
	f := arithmetic.Equilibrium().Evaluate([]float64{1.1, 0.04, -0.07, 0.75}, nil)
	s := (&thermal.Gas{}).Moments(f)
	for i, pair := range [][2]float64{{s.Density, 1.1}, {s.Velocity[0], 0.04}, {s.Velocity[1], -0.07}, {s.Temperature, 0.75}} {
		if math.Abs(pair[0]-pair[1]) > 1e-14 {
			t.Errorf("moment %d is %g, want %g", i, pair[0], pair[1])
		}
	}
}

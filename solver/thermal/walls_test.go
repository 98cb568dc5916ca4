package thermal_test

import (
	"math"
	"strings"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/thermal"
	"carina/solver/thermal/arithmetic"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// sides are periodic, bottom and top have walls.
var sides = [3]bool{true, false, false}

// Mass stays what it is, to rounding, between walls of any temperature, with gravity, and
// in a box that is closed at its sides, too.
func TestWallsConserveMass(t *testing.T) {
	size := [2]int32{24, 16}
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, periodic := range [][3]bool{sides, {}} {
			var mass float64
			follow(t, size, periodic, 400, 50, thermal.Gas{Tau: 0.8, Collision: c, Gravity: [2]float64{1e-4, -5e-4}, Walls: &thermal.Walls{Bottom: 0.75, Top: 0.65}}, uneven(size),
				func(step int, at func(x, y int32) *state) {
					got := totals(size, at)[0]
					if step == 0 {
						mass = got
					}
					if !(math.Abs(got-mass) <= 2e-13*mass) {
						t.Errorf("mass %.17g after %d steps, %.17g before", got, step, mass)
					}
				})
		}
	})
}

// Heat is conducted with a straight profile between the temperatures of the walls, at one
// pressure; what it is wrong by falls with the size of a cell.
func TestConduction(t *testing.T) {
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, tau := range []float64{0.65, 0.8} {
			var worst [2]float64
			for i, height := range []int32{16, 32} {
				steps := int(float64(height*height) / (tau - 0.5))
				follow(t, [2]int32{8, height}, sides, steps, steps, thermal.Gas{Tau: tau, Collision: c, Walls: &thermal.Walls{Bottom: 0.72, Top: 0.68}},
					func(_, y int32) state {
						warm := 0.72 - 0.04*(float64(y)+0.5)/float64(height)
						return state{0.7 / warm, [2]float64{}, warm}
					}, func(step int, at func(x, y int32) *state) {
						if step == 0 {
							return
						}
						for y := range height {
							s := at(0, y)
							want := 0.72 - 0.04*(float64(y)+0.5)/float64(height)
							worst[i] = max(worst[i], math.Abs(s.temperature-want)/0.04)
							if math.Abs(s.density*s.temperature-at(0, height/2).density*at(0, height/2).temperature) > 2e-3 {
								t.Errorf("pressure %g in row %d", s.density*s.temperature, y)
							}
						}
					})
			}
			if !(worst[0] < 0.06) || !(worst[1] < 0.65*worst[0]) {
				t.Errorf("τ = %g: temperatures are wrong by up to %g of the difference with 16 rows, %g with 32", tau, worst[0], worst[1])
			}
		}
	})
}

// Gas that gravity pulls along walls has a parabola of velocities, and none at the walls.
func TestFlowBetweenWalls(t *testing.T) {
	const height, tau, g, temperature = 16, 0.8, 1e-6, 0.7
	named(t, func(t *testing.T, c arithmetic.Collision) {
		follow(t, [2]int32{8, height}, sides, 4000, 4000, thermal.Gas{Tau: tau, Collision: c, Gravity: [2]float64{g, 0}, Walls: &thermal.Walls{Bottom: temperature, Top: temperature}},
			func(_, _ int32) state { return state{1, [2]float64{}, temperature} },
			func(step int, at func(x, y int32) *state) {
				for y := range int32(height) {
					d, scale := float64(y)+0.5, g/2/((tau-0.5)*temperature)
					if got, want := at(0, y).velocity[0], scale*d*(height-d); step > 0 && math.Abs(got-want) > 0.05*scale*height*height/4 {
						t.Errorf("velocity %g in row %d, want %g", got, y, want)
					}
				}
			})
	})
}

// Gas heated from below stays at rest where the Rayleigh number is small, and rolls where it
// is large.
func TestRayleighBenard(t *testing.T) {
	const height, tau, temperature, difference = 24, 0.53, 0.7, 0.1
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, rayleigh := range []float64{800, 4000} {
			// Ra = g(ΔT/H − g/c_p)H⁴/(Tνχ), c_p = 2.
			nu := (tau - 0.5) * temperature
			lapse, scale := difference/height, math.Pow(height, 4)/(temperature*nu*nu)
			g := lapse - math.Sqrt(lapse*lapse-2*rayleigh/scale)
			var rolls []float64
			follow(t, [2]int32{2 * height, height}, sides, 4500, 1500, thermal.Gas{Tau: tau, Collision: c, Gravity: [2]float64{0, -g}, Walls: &thermal.Walls{Bottom: temperature + difference/2, Top: temperature - difference/2}},
				func(x, y int32) state {
					d := (float64(y) + 0.5) / height
					warm := temperature + difference*(0.5-d)
					push := 1e-4 * math.Sin(math.Pi*d) * math.Cos(math.Pi*(float64(x)+0.5)/height)
					return state{math.Pow(warm/temperature, g*height/difference) / warm * temperature, [2]float64{0, push}, warm}
				}, func(_ int, at func(x, y int32) *state) {
					var sum float64
					for x := range int32(2 * height) {
						sum += at(x, height/2).velocity[1] * math.Cos(math.Pi*(float64(x)+0.5)/height) / height
					}
					rolls = append(rolls, sum)
				})
			before, after := math.Abs(rolls[1]), math.Abs(rolls[3])
			if rayleigh < 1708 && !(after < 0.7*before) || rayleigh > 1708 && !(after > 1.5*before) {
				t.Errorf("rolls at Ra = %g had velocities %g, then %g", rayleigh, before, after)
			}
		}
	})
}

// walled is a gas between walls on ranks.
func walled(c arithmetic.Collision) *enginetest.Case {
	e := gasCase(generate.FullGrid([3]int32{40, 30, 1}), sides, c)
	plain := e.Physics
	e.Physics = func(d *solver.Domain) (solver.Together, error) {
		all, err := plain(d)
		all[0].(*thermal.Gas).Walls = &thermal.Walls{Bottom: 0.75, Top: 0.65}
		return all, err
	}
	return e
}

func TestWallsOnRanks(t *testing.T) { walled(arithmetic.Regularized).Accept(t) }

// What cannot be between walls, and periods that are shorter than populations reach, are
// refused.
func TestBoxesOfAGas(t *testing.T) {
	for _, c := range []struct {
		grid     *geometry.Grid
		periodic bool // along y
		want     string
	}{
		{holes(), false, "without holes"},
		{generate.FullGrid([3]int32{8, 5, 1}), false, "at least 6"},
		{generate.FullGrid([3]int32{8, 8, 1}), true, "cannot be periodic"},
		{generate.FullGrid([3]int32{2, 8, 1}), false, "with 2 cells"},
		{generate.FullGrid([3]int32{8, 1, 1}), true, "with 1 cells"},
	} {
		d := solver.WholeDomain(c.grid)
		d.Periodic = [3]bool{true, c.periodic, false}
		tr := transport.NewLocal(1)[0]
		gas := &thermal.Gas{Tau: 0.8, Walls: &thermal.Walls{Bottom: 1, Top: 1}, Initial: func(r3.Vec) (float64, [2]float64, float64) { return 1, [2]float64{}, 1 }}
		if _, err := solver.NewRank(d, solver.Together{gas}, processor.New(1, tr), tr, solver.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

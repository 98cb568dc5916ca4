package thermal_test

import (
	"math"
	"strings"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/internal/race"
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
				func(step int, at func(x, y int32) *thermal.State) {
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

// steady is the profile across a gas between walls after its height squared over twice its
// diffusivity, at τ ≥ 1 over a half, beginning as still as a state of each row.
func steady(t *testing.T, height int32, gas thermal.Gas, start func(d float64) thermal.State) (list []thermal.State) {
	t.Helper()
	steps := int(float64(height*height) / (min(gas.Tau, 1) - 0.5))
	follow(t, [2]int32{4, height}, sides, steps, steps, gas,
		func(_, y int32) thermal.State { return start(float64(y) + 0.5) },
		func(step int, at func(x, y int32) *thermal.State) {
			for y := range height {
				if step > 0 {
					list = append(list, *at(3, y))
				}
			}
		})
	return list
}

// farthest is the largest difference of a profile from what it should be.
func farthest(list []thermal.State, difference func(d float64, s thermal.State) float64) (worst float64) {
	for y, s := range list {
		worst = max(worst, math.Abs(difference(float64(y)+0.5, s)))
	}
	return worst
}

// Heat is conducted with a straight profile between the temperatures of the walls, at one
// pressure, and a wall that slides draws gas along with a straight profile of velocities.
// What is wrong falls with the square of the height at least.
func TestStraightProfiles(t *testing.T) {
	race.SkipArithmetic(t)
	const warm, difference, slide = 0.7, 0.04, 0.002
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, tau := range []float64{0.55, 0.8, 1.5} {
			var worst [2]float64
			for i, height := range []int32{8, 16} {
				h := float64(height)
				list := steady(t, height, thermal.Gas{Tau: tau, Collision: c, Walls: &thermal.Walls{Bottom: warm + difference/2, Top: warm - difference/2, TopSlide: slide}},
					func(d float64) thermal.State {
						t := warm + difference*(0.5-d/h)
						return state(warm/t, [2]float64{slide * d / h, 0}, t*(1+0.1*difference*math.Sin(math.Pi*d/h)))
					})
				pressure := list[0].Density * list[0].Temperature
				worst[i] = farthest(list, func(d float64, s thermal.State) float64 { return (s.Temperature-warm)/difference - 0.5 + d/h })
				along := farthest(list, func(d float64, s thermal.State) float64 { return s.Velocity[0]/slide - d/h })
				pressures := farthest(list, func(_ float64, s thermal.State) float64 { return s.Density*s.Temperature/pressure - 1 })
				if limit := 0.75 / (h * h); !(worst[i] < limit) || !(along < limit) || !(pressures < limit/10) {
					t.Errorf("τ = %g, %d rows: temperatures are wrong by %g of the difference, velocities by %g, pressures by %g", tau, height, worst[i], along, pressures)
				}
			}
			if !(worst[1] < 0.3*worst[0]+5e-4) { // the start has not quite faded
				t.Errorf("τ = %g: temperatures are wrong by up to %g of the difference with 8 rows, %g with 16", tau, worst[0], worst[1])
			}
		}
	})
}

// Gas that gravity pulls along walls has a parabola of velocities, and none at the walls.
// What is wrong falls with the square of the height.
func TestFlowBetweenWalls(t *testing.T) {
	race.SkipArithmetic(t)
	const temperature, most = 0.7, 0.01
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, tau := range []float64{0.55, 0.8} {
			var worst [2]float64
			for i, height := range []int32{8, 16} {
				h := float64(height)
				parabola := func(d float64) float64 { return 4 * d * (h - d) / (h * h) }
				list := steady(t, height, thermal.Gas{Tau: tau, Collision: c, Gravity: [2]float64{most * 8 * (tau - 0.5) * temperature / (h * h), 0}, Walls: &thermal.Walls{Bottom: temperature, Top: temperature}},
					func(d float64) thermal.State { return state(1, [2]float64{most * parabola(d), 0}, temperature) })
				worst[i] = farthest(list, func(d float64, s thermal.State) float64 { return s.Velocity[0]/most - parabola(d) })
			}
			if !(worst[1] < map[float64]float64{0.55: 0.025, 0.8: 0.0025}[tau]) || !(worst[1] < 0.27*worst[0]) {
				t.Errorf("τ = %g: velocities are wrong by %g of the largest with 8 rows, %g with 16", tau, worst[0], worst[1])
			}
		}
	})
}

// Gas at rest under gravity stays at rest between walls, with its exponential profile.
func TestRestUnderGravity(t *testing.T) {
	race.SkipArithmetic(t)
	const warm, fall, height = 0.7, 0.05, 16
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, tau := range []float64{0.55, 0.8} {
			g := fall * warm / height
			list := steady(t, height, thermal.Gas{Tau: tau, Collision: c, Gravity: [2]float64{0, -g}, Walls: &thermal.Walls{Bottom: warm, Top: warm}},
				func(d float64) thermal.State { return state(math.Exp(-g*d/warm), [2]float64{}, warm) })
			density := farthest(list, func(d float64, s thermal.State) float64 { return (s.Density - math.Exp(-g*d/warm)) / fall })
			velocity := farthest(list, func(_ float64, s thermal.State) float64 { return s.Velocity[1] })
			heat := farthest(list, func(_ float64, s thermal.State) float64 { return s.Temperature - warm })
			if !(density < 1e-5) || !(velocity < 1e-7) || !(heat < 1e-6) {
				t.Errorf("τ = %g: densities are wrong by %g of their fall, velocities by %g, temperatures by %g", tau, density, velocity, heat)
			}
		}
	})
}

// Walls let no wave grow, in noise, down to nearly no viscosity, and in a box that is closed
// at its sides, too.
func TestWallsAreStable(t *testing.T) {
	race.SkipArithmetic(t)
	size := [2]int32{24, 16}
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, periodic := range [][3]bool{sides, {}} {
			for _, tau := range []float64{0.505, 0.55, 1.2} {
				follow(t, size, periodic, 300, 300, thermal.Gas{Tau: tau, Collision: c, Walls: &thermal.Walls{Bottom: 0.75, Top: 0.65}}, uneven(size),
					func(_ int, at func(x, y int32) *thermal.State) {
						for n := range size[0] * size[1] {
							if u := at(n%size[0], n/size[0]).Velocity; !(max(math.Abs(u[0]), math.Abs(u[1])) < 0.3) {
								t.Fatalf("τ = %g, periodic %v: velocity %v", tau, periodic, u)
							}
						}
					})
			}
		}
	})
}

// Gas heated from below stays at rest where the Rayleigh number is small, and rolls where it
// is large.
func TestRayleighBenard(t *testing.T) {
	race.SkipArithmetic(t)
	const height, tau, temperature, difference = 16, 0.53, 0.7, 0.1
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, rayleigh := range []float64{800, 4000} {
			// Ra = g(ΔT/H − g/c_p)H⁴/(Tνχ), c_p = 2.
			nu := (tau - 0.5) * temperature
			lapse, scale := difference/height, math.Pow(height, 4)/(temperature*nu*nu)
			g := lapse - math.Sqrt(lapse*lapse-2*rayleigh/scale)
			var rolls []float64
			follow(t, [2]int32{2 * height, height}, sides, 2001, 667, thermal.Gas{Tau: tau, Collision: c, Gravity: [2]float64{0, -g}, Walls: &thermal.Walls{Bottom: temperature + difference/2, Top: temperature - difference/2}},
				func(x, y int32) thermal.State {
					d := (float64(y) + 0.5) / height
					warm := temperature + difference*(0.5-d)
					push := 1e-4 * math.Sin(math.Pi*d) * math.Cos(math.Pi*(float64(x)+0.5)/height)
					return state(math.Pow(warm/temperature, g*height/difference)/warm*temperature, [2]float64{0, push}, warm)
				}, func(_ int, at func(x, y int32) *thermal.State) {
					var sum float64
					for x := range int32(2 * height) {
						sum += at(x, height/2).Velocity[1] * math.Cos(math.Pi*(float64(x)+0.5)/height) / height
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

// What cannot be between walls is refused.
func TestBoxesOfAGas(t *testing.T) {
	for _, c := range []struct {
		grid     *geometry.Grid
		periodic bool // along y
		want     string
	}{
		{holes(), false, "without holes"},
		{generate.FullGrid([3]int32{8, 5, 1}), false, "at least 6"},
		{generate.FullGrid([3]int32{8, 8, 1}), true, "cannot be periodic"},
	} {
		d := solver.WholeDomain(c.grid)
		d.Periodic = [3]bool{true, c.periodic, false}
		tr := transport.NewLocal(1)[0]
		gas := &thermal.Gas{Tau: 0.8, Walls: &thermal.Walls{Bottom: 1, Top: 1}, Initial: func(r3.Vec) thermal.State { return state(1, [2]float64{}, 1) }}
		if _, err := solver.NewRank(d, solver.Together{gas}, processor.New(1, tr), tr, solver.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

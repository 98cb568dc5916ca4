package thermal_test

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"carina/geometry/generate"
	"carina/internal/race"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/thermal"
	"carina/solver/thermal/arithmetic"
	"carina/solver/transport"

	"gonum.org/v1/gonum/spatial/r3"
)

// state makes one of a cell.
func state(density float64, velocity [2]float64, temperature float64) thermal.State {
	return thermal.State{Density: density, Velocity: velocity, Temperature: temperature}
}

// follow computes a gas in a box that is full, from a state at whole coordinates of cells,
// and calls see before the first step and whenever so many have passed.
func follow(t *testing.T, size [2]int32, periodic [3]bool, steps, every int, gas thermal.Gas, start func(x, y int32) thermal.State, see func(step int, at func(x, y int32) *thermal.State)) {
	t.Helper()
	g := generate.FullGrid([3]int32{size[0], size[1], 1})
	gas.Initial = func(p r3.Vec) thermal.State {
		return start(int32((p.X-g.Origin.X)/g.Spacing), int32((p.Y-g.Origin.Y)/g.Spacing))
	}
	c := enginetest.Case{Grid: g, Physics: func(*solver.Domain) (solver.Together, error) { return solver.Together{&gas}, nil }}
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		d := solver.WholeDomain(g)
		d.Periodic = periodic
		r, err := c.New(d, 1, tr)
		if err != nil {
			return err
		}
		defer r.Close()
		states := make([]thermal.State, size[0]*size[1])
		for step := 0; ; step += every {
			if err := gas.Each(r, func(global int64, s thermal.State) { states[global] = s }); err != nil {
				return err
			}
			see(step, func(x, y int32) *thermal.State { return &states[y*size[0]+x] })
			if step >= steps {
				return nil
			}
			for range every {
				if err := r.Step(); err != nil {
					return err
				}
			}
		}
	})
}

var everywhere = [3]bool{true, true, false}

// named calls f for each operator.
func named(t *testing.T, f func(t *testing.T, c arithmetic.Collision)) {
	for _, c := range arithmetic.Collisions {
		t.Run(c.Update(false).Name, func(t *testing.T) { f(t, c) })
	}
}

const (
	cells = 128
	rest  = 0.7
	small = 1e-4
)

// wave is the amplitude of a quantity along x whenever so many steps have passed.
func wave(t *testing.T, c arithmetic.Collision, every int, start func(x float64) thermal.State, quantity func(s *thermal.State) float64) (list []complex128) {
	t.Helper()
	k := 2 * math.Pi / cells
	follow(t, [2]int32{cells, 4}, everywhere, 500, every, thermal.Gas{Tau: 0.8, Collision: c},
		func(x, _ int32) thermal.State { return start(k * (float64(x) + 0.5)) },
		func(_ int, at func(x, y int32) *thermal.State) {
			var sum complex128
			for x := range int32(cells) {
				sum += complex(quantity(at(x, 0))*2/cells, 0) * cmplx.Exp(complex(0, -k*(float64(x)+0.5)))
			}
			list = append(list, sum)
		})
	return list
}

// fades compares what is left of a wave with exp(−νk²t), and its drift with a velocity.
func fades(t *testing.T, list []complex128, drift, tolerance float64) {
	t.Helper()
	const steps, k = 450, 2 * math.Pi / cells
	ratio := list[10] / list[1] // the start is no eigenmode
	nu := (0.8 - 0.5) * rest
	if got := -math.Log(cmplx.Abs(ratio)) / (k * k * steps); math.Abs(got/nu-1) > tolerance {
		t.Errorf("it fades with %g, want %g", got, nu)
	}
	if got := cmplx.Phase(ratio*cmplx.Exp(complex(0, k*drift*steps))) / k; math.Abs(got) > tolerance*max(1, drift*steps) {
		t.Errorf("it is %g cells from where it should be", got)
	}
}

func TestShearWave(t *testing.T) {
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, drift := range []float64{0, 0.2} {
			fades(t, wave(t, c, 50, func(x float64) thermal.State { return state(1, [2]float64{drift, 0.1*drift + small*math.Sin(x)}, rest) },
				func(s *thermal.State) float64 { return s.Velocity[1] }), drift, 5e-4)
		}
	})
}

func TestEntropyWave(t *testing.T) {
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, drift := range []float64{0, 0.2} {
			fades(t, wave(t, c, 50, func(x float64) thermal.State {
				return state(1/(1+small*math.Sin(x)), [2]float64{drift, 0}, rest*(1+small*math.Sin(x)))
			}, func(s *thermal.State) float64 { return (math.Log(s.Temperature) - math.Log(s.Density)) / 2 }), drift, 1e-3)
		}
	})
}

// A standing sound wave has the speed √(2T) and fades with exp(−νk²t): what it is before
// and after a while and what it is between are those of such a wave.
func TestSoundWave(t *testing.T) {
	named(t, func(t *testing.T, c arithmetic.Collision) {
		const each, m = 10, 3
		list := wave(t, c, each, func(x float64) thermal.State {
			return state(1+small*math.Sin(x), [2]float64{}, rest*(1+small*math.Sin(x)))
		}, func(s *thermal.State) float64 { return s.Density * s.Temperature })
		// p(n+m) = 2a·p(n) − b·p(n−m) with a = e^{−Γm} cos ωm, b = e^{−2Γm}; least squares.
		var pp, pq, qq, pr, qr float64
		for n := m; n+m < len(list); n++ {
			p, q, r := 2*imag(list[n]), -imag(list[n-m]), imag(list[n+m])
			pp, pq, qq, pr, qr = pp+p*p, pq+p*q, qq+q*q, pr+p*r, qr+q*r
		}
		det := pp*qq - pq*pq
		a, b := (pr*qq-qr*pq)/det, (qr*pp-pr*pq)/det
		k := 2 * math.Pi / cells
		speed, fading := math.Acos(a/math.Sqrt(b))/(m*each)/k, -math.Log(b)/2/(m*each)/(k*k)
		if want := math.Sqrt(2 * rest); math.Abs(speed/want-1) > 1e-4 {
			t.Errorf("speed %g, want %g", speed, want)
		}
		if want := 0.3 * rest; math.Abs(fading/want-1) > 1e-3 {
			t.Errorf("it fades with %g, want %g", fading, want)
		}
	})
}

// totals adds mass, momentum and energy.
func totals(size [2]int32, at func(x, y int32) *thermal.State) (sum [4]float64) {
	for y := range size[1] {
		for x := range size[0] {
			s := at(x, y)
			for i, v := range [...]float64{s.Density, s.Density * s.Velocity[0], s.Density * s.Velocity[1], s.Energy()} {
				sum[i] += v
			}
		}
	}
	return sum
}

// uneven is a state that differs from cell to cell.
func uneven(size [2]int32) func(x, y int32) thermal.State {
	random := rand.New(rand.NewPCG(5, 6))
	list := make([]thermal.State, size[0]*size[1])
	for i := range list {
		list[i] = state(1+0.05*random.NormFloat64(), [2]float64{0.1 + 0.05*random.NormFloat64(), 0.05 * random.NormFloat64()}, rest+0.02*random.NormFloat64())
	}
	return func(x, y int32) thermal.State { return list[y*size[0]+x] }
}

// Mass, momentum and energy of a periodic box are constant to rounding; with gravity a
// step adds force and work.
func TestTotals(t *testing.T) {
	size := [2]int32{24, 16}
	named(t, func(t *testing.T, c arithmetic.Collision) {
		for _, gravity := range [][2]float64{{}, {3e-4, -2e-4}} {
			var want [4]float64
			follow(t, size, everywhere, 200, 20, thermal.Gas{Tau: 0.8, Collision: c, Gravity: gravity}, uneven(size), func(step int, at func(x, y int32) *thermal.State) {
				got := totals(size, at)
				if step == 0 {
					want = got
				}
				for i := range got {
					if !(math.Abs(got[i]-want[i]) <= 1e-12*want[0]) {
						t.Fatalf("total %d after %d steps with gravity %v is %.17g, want %.17g", i, step, gravity, got[i], want[i])
					}
				}
				// The velocity in the middle of the steps grows by g, its work is between.
				for i := range 2 * 20 {
					axis, g := i%2, gravity[i%2]
					want[3] += want[1+axis]*g + want[0]*g*g/2
					want[1+axis] += want[0] * g
				}
			})
		}
	})
}

// A uniform gas falls freely, as warm as before.
func TestFreeFall(t *testing.T) {
	gravity := [2]float64{2e-3, -1e-3}
	named(t, func(t *testing.T, c arithmetic.Collision) {
		follow(t, [2]int32{4, 4}, everywhere, 100, 25, thermal.Gas{Tau: 0.6, Collision: c, Gravity: gravity}, func(_, _ int32) thermal.State { return state(1.1, [2]float64{}, rest) },
			func(step int, at func(x, y int32) *thermal.State) {
				s := at(1, 2)
				for axis, g := range gravity {
					if math.Abs(s.Velocity[axis]-g*float64(step)) > 1e-13 {
						t.Errorf("velocity %v after %d steps", s.Velocity, step)
					}
				}
				if math.Abs(s.Temperature-rest) > 1e-13 || math.Abs(s.Density-1.1) > 1e-13 {
					t.Errorf("temperature %.15g, density %.15g after %d steps", s.Temperature, s.Density, step)
				}
			})
	})
}

// Regularisation leaves an equilibrium as it is and keeps the moments of any populations.
func TestRegularizedMoments(t *testing.T) {
	program := arithmetic.Regularized.Update(false).Program
	moments := func(f []float64) (list []float64) {
		for _, m := range []func(x, y float64) float64{
			func(_, _ float64) float64 { return 1 }, func(x, _ float64) float64 { return x }, func(_, y float64) float64 { return y },
			func(x, _ float64) float64 { return x * x }, func(x, y float64) float64 { return x * y }, func(_, y float64) float64 { return y * y },
			func(x, y float64) float64 { return x * (x*x + y*y) }, func(x, y float64) float64 { return y * (x*x + y*y) },
		} {
			sum := 0.0
			for i, v := range arithmetic.Velocities {
				sum += m(float64(v.C.X), float64(v.C.Y)) * f[i]
			}
			list = append(list, sum)
		}
		return list
	}
	equilibrium := arithmetic.Equilibrium().Evaluate([]float64{1.1, 0.14, -0.07, 0.75}, nil)
	for i, v := range program.Evaluate(equilibrium, map[string]float64{arithmetic.Omega: 1.3}) {
		if !(math.Abs(v-equilibrium[i]) <= 1e-15) {
			t.Errorf("population %d of an equilibrium is %g, want %g", i, v, equilibrium[i])
		}
	}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range equilibrium {
		equilibrium[i] += arithmetic.Velocities[i].Weight * 0.1 * random.NormFloat64()
	}
	// Nothing relaxes: stress and flux of heat stay.
	want := moments(equilibrium)
	for i, v := range moments(program.Evaluate(equilibrium, map[string]float64{arithmetic.Omega: 1e-17})) {
		if !(math.Abs(v-want[i]) <= 1e-13) {
			t.Errorf("moment %d is %g, want %g", i, v, want[i])
		}
	}
}

// A shear layer that BGK does not survive.
func TestRegularizationIsMoreStable(t *testing.T) {
	race.SkipArithmetic(t)
	size := [2]int32{48, 48}
	kinetic := map[arithmetic.Collision]float64{}
	for _, c := range arithmetic.Collisions {
		follow(t, size, everywhere, 600, 300, thermal.Gas{Tau: 0.5005, Collision: c}, func(x, y int32) thermal.State {
			k := 2 * math.Pi / float64(size[0])
			return state(1, [2]float64{0.3 * math.Tanh(6*math.Sin(k*float64(y))), 0.02 * math.Sin(k*float64(x))}, rest)
		}, func(_ int, at func(x, y int32) *thermal.State) { kinetic[c] = totals(size, at)[3] })
	}
	if v := kinetic[arithmetic.Regularized]; !(v > 0) {
		t.Errorf("energy %g with regularisation", v)
	}
	if v := kinetic[arithmetic.BGK]; v > 0 && v < 1e9 {
		t.Errorf("BGK survives with energy %g: the case tells nothing", v)
	}
}

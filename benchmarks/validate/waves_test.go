package validate

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"carina/internal/race"
	"carina/solver/airflow"
	"carina/solver/cuda/device"

	"gonum.org/v1/gonum/spatial/r3"
)

// The power series agrees with the library on the real axis, and with the modified
// Bessel function's table on the imaginary one (Abramowitz and Stegun, table 9.8).
func TestBesselJ0(t *testing.T) {
	for x := 0.0; x <= 10; x += 0.25 {
		if got := besselJ0(complex(x, 0)); math.Abs(real(got)-math.J0(x)) > 1e-11 || imag(got) != 0 {
			t.Errorf("J0(%g) is %g, want %g", x, got, math.J0(x))
		}
	}
	for x, want := range map[float64]float64{1: 1.2660658778, 2: 2.2795853023, 5: 27.2398718236} {
		if got := besselJ0(complex(0, x)); math.Abs(real(got)-want) > 1e-9 {
			t.Errorf("I0(%g) is %g, want %g", x, got, want)
		}
	}
}

// shearWave is a wave of velocity across the direction in which it varies. In a
// periodic box it decays as exp(−νk²t) and does nothing else.
type shearWave struct {
	collision airflow.Collision
	lattice   airflow.Lattice
	precision airflow.Precision
	// relaxationTime is τ, of the viscosity (τ−½)/3 in lattice units.
	relaxationTime float64
	// diagonal waves vary along (1,1,0).
	diagonal bool
	// speed is the amplitude, drift the velocity with which the wave is carried
	// along and noise that of a random one on top, in cells a step.
	speed, drift, noise float64
}

func (w shearWave) String() string {
	along := "an axis"
	if w.diagonal {
		along = "a diagonal"
	}
	return fmt.Sprintf("%s on %s, %s, relaxation time %g, along %s, carried along at %g", w.collision, w.lattice, w.precision, w.relaxationTime, along, w.drift)
}

// viscosity is that of the lattice.
func (w shearWave) viscosity() float64 { return (w.relaxationTime - 0.5) / 3 }

// side is that of the periodic box in cells, along rows: there are 32 of them in a wave, or
// 31.1 along a diagonal.
func (w shearWave) side() (cells int32) {
	cells = 32
	if w.diagonal {
		cells = 44
	}
	return cells
}

// number is k in cells.
func (w shearWave) number() float64 {
	k := 2 * math.Pi / float64(w.side())
	if w.diagonal {
		return math.Sqrt2 * k
	}
	return k
}

// directions are those of the velocity and of the wave's number. With noise the
// velocity is along the shortest side of the box: longer waves along it would
// grow, as shear does at Reynolds numbers above one.
func (w shearWave) directions() (velocity, number r3.Vec) {
	if w.diagonal && w.noise > 0 {
		return r3.Vec{Z: 1}, r3.Unit(r3.Vec{X: 1, Y: 1})
	} else if w.diagonal {
		return r3.Unit(r3.Vec{X: 1, Y: -1}), r3.Unit(r3.Vec{X: 1, Y: 1})
	}
	return r3.Vec{Z: 1}, r3.Vec{X: 1}
}

// size is that of the box in cells: where there is noise it is wide and deep enough for
// roundings to differ.
func (w shearWave) size(s *suite) [3]int32 {
	n, width, depth := w.side(), s.layers(), s.layers()
	if w.noise > 0 {
		width, depth = 8, 4
	}
	if w.diagonal {
		width = n
	}
	return [3]int32{n, width, depth}
}

// amplitudes computes the wave and returns its amplitude after two numbers of
// steps, both even, in cells a step.
func (w shearWave) amplitudes(s *suite, first, last int64, change func(*airflow.Settings)) (a [2]float64, err error) {
	n := w.side()
	sh := &shape{size: w.size(s), spacing: 1 / float64(n), periodic: [3]bool{true, true, true}, inside: func(r3.Vec) float64 { return 1 }}
	settings := periodicSettings(w.viscosity(), sh.spacing)
	settings.Collision, settings.Lattice, settings.Precision = w.collision, w.lattice, w.precision
	settings.Workers = 1
	change(&settings)
	unit := sh.spacing / settings.TimeStep
	velocity, number := w.directions()
	phase := func(p r3.Vec) float64 { return w.number() * r3.Dot(number, p) / sh.spacing }
	settings.Initial = func(p r3.Vec) (float64, r3.Vec) {
		u := r3.Add(r3.Scale(w.speed*math.Sin(phase(p)), velocity), r3.Scale(w.drift, number))
		noise := r3.Vec{X: scatter(p, 1), Y: scatter(p, 1.7), Z: scatter(p, 2.3)}
		return 0, r3.Scale(unit, r3.Add(u, r3.Scale(w.noise, noise)))
	}
	amplitude := func(f flow) float64 {
		var sum complex128
		f.eachCell(sh, func(i int, x, y, z int32) {
			u := r3.Vec{X: float64(f.fields.Velocity[0][i]), Y: float64(f.fields.Velocity[1][i]), Z: float64(f.fields.Velocity[2][i])}
			sum += complex(r3.Dot(u, velocity), 0) * cmplx.Exp(complex(0, phase(sh.center(x, y, z))))
		})
		return 2 * cmplx.Abs(sum) / float64(f.grid.Cells()) / unit
	}
	f, err := s.compute(sh, settings, first, func(c *airflow.Rank) error {
		if err := c.Advance(s.ctx, last-first, nil); err != nil {
			return err
		}
		fields, err := c.Fields()
		a[1] = amplitude(flow{grid: sh.grid(), fields: fields})
		return err
	})
	if err == nil {
		a[0] = amplitude(*f)
	}
	return a, err
}

// ratio computes the viscosity of the flow over that of the settings.
func (w shearWave) ratio(s *suite) (float64, error) {
	// What the start lacks in stress is forgotten as exp(−t/τ) or, with changing
	// sign, (1/τ−1)^t.
	start := 2 * int64(math.Ceil(3/(w.relaxationTime-0.5)))
	decay := 0.2
	if w.noise > 0 {
		decay = 0.4 // so that less of it is left by noise
	}
	rate := w.viscosity() * w.number() * w.number()
	steps := 2 * int64(math.Ceil(decay/rate/2))
	a, err := w.amplitudes(s, start, start+steps, func(*airflow.Settings) {})
	return math.Log(a[0]/a[1]) / (rate * float64(steps)), err
}

// waveOperators are all operators on the lattices they exist on, and relaxation
// times that they are meant for.
var waveOperators = []struct {
	collision airflow.Collision
	lattice   airflow.Lattice
	times     []float64
}{
	{airflow.TRT, airflow.D3Q19, []float64{0.8, 0.55, 0.51}}, {airflow.TRT, airflow.D3Q27, []float64{0.8, 0.55, 0.51}},
	{airflow.BGK, airflow.D3Q19, []float64{0.8, 0.55, 0.51}}, {airflow.Regularized, airflow.D3Q19, []float64{0.8, 0.55, 0.51}},
	{airflow.Recursive, airflow.D3Q19, []float64{0.8, 0.51, 0.503}}, {airflow.Cumulant, airflow.D3Q27, []float64{0.8, 0.51, 0.503}},
}

// testSlowWaves compares the decay of waves that a step changes by a twenty-fifth of the
// spacing of 16-bit numbers with that in single precision, in which the lattice's own error
// is, too. Rounded to the nearest numbers, they would decay several per cent too fast or too
// slowly, by the velocity with which they are carried along.
func (w shearWave) testSlowWaves(t *testing.T, s *suite) {
	t.Helper()
	for _, w.drift = range []float64{0, 0.02, 0.05} {
		w.testRatio(t, s, w.inSinglePrecision(t, s))
	}
}

// inSinglePrecision is the ratio of the same wave in single precision: what the operator
// itself makes of a wave that is carried along is no matter of 16 bits.
func (w shearWave) inSinglePrecision(t *testing.T, s *suite) float64 {
	t.Helper()
	w.precision = airflow.Single
	ratio, err := w.ratio(s)
	if err != nil {
		t.Fatal(err)
	}
	return ratio
}

// testRatio checks the viscosity of the flow over that of the settings.
func (w shearWave) testRatio(t *testing.T, s *suite, want float64) {
	t.Helper()
	ratio, err := w.ratio(s)
	t.Logf("%v: %.4f", w, ratio)
	if err != nil || !(math.Abs(ratio/want-1) <= 0.01) {
		t.Errorf("%v: the viscosity is %.4f times that of the settings, want %.4f times, error %v", w, ratio, want, err)
	}
}

// The viscosity is that of the settings, with every operator on every lattice in
// every precision; in 16 bits that of single precision where waves decay slowly.
func testShearWaves(t *testing.T, device string) {
	s := &suite{options: Options{Device: device, Change: func(*airflow.Settings) {}}, ctx: context.Background()}
	for _, o := range waveOperators {
		for _, precision := range airflow.Precisions {
			for _, relaxationTime := range o.times {
				if testing.Short() && relaxationTime < 0.8 {
					continue // takes many steps
				}
				for _, diagonal := range []bool{false, true} {
					if device == Processor && diagonal && precision == airflow.Half && relaxationTime == 0.51 && !*whole {
						continue // six of these would take two thirds of the time
					}
					w := shearWave{collision: o.collision, lattice: o.lattice, precision: precision, relaxationTime: relaxationTime, diagonal: diagonal, speed: 0.02}
					if precision == airflow.Half {
						// The same in all cells along it, the wave would be rounded
						// alike in them.
						w.speed, w.drift, w.noise = 0.05, 0.02, 1e-3
					}
					switch {
					case precision == airflow.Half && relaxationTime < 0.51:
						w.testSlowWaves(t, s)
					case precision == airflow.Half && relaxationTime == 0.51:
						w.testRatio(t, s, w.inSinglePrecision(t, s))
					default:
						w.testRatio(t, s, 1)
					}
				}
			}
		}
	}
}

func TestShearWaves(t *testing.T) {
	race.SkipArithmetic(t)
	testShearWaves(t, Processor)
	sayLeftOut(t, "waves in 16 bits along a diagonal at a relaxation time of 0.51")
}

func TestShearWavesOnGPU(t *testing.T) {
	skipWithoutGPU(t)
	testShearWaves(t, GPU)
}

func skipWithoutGPU(t *testing.T) {
	t.Helper()
	if _, err := device.Devices(); err != nil {
		t.Skip(err)
	}
}

// testLimitedWave compares the decay of a wave whose strain rate is far above the
// recursive operator's limit, once the start is forgotten, with that by the
// viscosity max(ν, C²|S|).
func testLimitedWave(t *testing.T, device string) {
	const limiter, early, late = 0.2, 4000, 8000
	s := &suite{options: Options{Device: device, Change: func(*airflow.Settings) {}}, ctx: context.Background()}
	w := shearWave{collision: airflow.Recursive, lattice: airflow.D3Q19, precision: airflow.Single, relaxationTime: 0.50003, speed: 0.05}
	a, err := w.amplitudes(s, early, late, func(s *airflow.Settings) { s.Limiter = limiter })
	if err != nil {
		t.Fatal(err)
	}
	want := w.limited(limiter, early) - w.limited(limiter, late)
	t.Logf("the amplitude falls from %.4g by %.4g, want %.4g", a[0], a[0]-a[1], want)
	if !(math.Abs((a[0]-a[1])/want-1) <= 0.01) {
		t.Errorf("the amplitude falls from %g by %g, want %g", a[0], a[0]-a[1], want)
	}
}

// limited is the amplitude after some steps of u_t = (max(ν, C²|u_y|) u_y)_y, by
// differences on eight times as many points.
func (w shearWave) limited(constant float64, steps int) float64 {
	const finer = 8
	n := int(w.side()) * finer
	h := 1. / finer
	u, flux := make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = w.speed * math.Sin(w.number()*h*float64(i))
	}
	for range steps {
		for i := range u {
			slope := (u[(i+1)%n] - u[i]) / h
			flux[i] = max(w.viscosity(), constant*constant*math.Abs(slope)) * slope
		}
		for i := range u {
			u[i] += (flux[i] - flux[(i+n-1)%n]) / h
		}
	}
	var sum float64
	for i := range u {
		sum += 2 / float64(n) * u[i] * math.Sin(w.number()*h*float64(i))
	}
	return sum
}

// Above the limit the viscosity is C²|S| in lattice units.
func TestLimitedWave(t *testing.T) {
	race.SkipArithmetic(t)
	testLimitedWave(t, Processor)
}

func TestLimitedWaveOnGPU(t *testing.T) {
	skipWithoutGPU(t)
	testLimitedWave(t, GPU)
}

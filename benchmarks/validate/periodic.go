package validate

import (
	"fmt"
	"math"
	"math/cmplx"

	"carina/solver/airflow"
	"carina/solver/airflow/opening"

	"gonum.org/v1/gonum/spatial/r3"
)

// duct is the fully developed flow in a square duct driven by a force.
func (s *suite) duct() error {
	const latticeViscosity = 0.1
	n := int32(41)
	if s.options.Quick {
		n = 21
	}
	sh := &shape{size: [3]int32{s.layers(), n, n}, spacing: 1 / float64(n), periodic: [3]bool{true, false, false}}
	sh.inside = func(p r3.Vec) float64 { return min(p.Y, 1-p.Y, p.Z, 1-p.Z) }
	settings := periodicSettings(latticeViscosity, sh.spacing)
	settings.BodyForce = [3]float64{1e-2, 0, 0}
	f, err := s.compute(sh, settings, int64(2*float64(n*n)/latticeViscosity), nil)
	if err != nil {
		return err
	}
	var mean, top float64
	for _, u := range f.fields.Velocity[0] {
		mean += float64(u) / float64(len(f.fields.Velocity[0]))
		top = max(top, float64(u))
	}
	s.add("square duct", "peak over mean velocity", top/mean, 2.0963, s.tolerance(0.005, 0.015)*2.0963, "series solution")
	computed, exact := Curve{Name: fmt.Sprintf("N = %d", n), Points: true}, Curve{Name: "series solution"}
	f.eachCell(sh, func(i int, _, y, z int32) {
		if z == n/2 {
			at := (float64(y) + 0.5) / float64(n)
			computed.X, computed.Y = append(computed.X, at), append(computed.Y, float64(f.fields.Velocity[0][i])/mean)
			exact.X, exact.Y = append(exact.X, at), append(exact.Y, ductVelocity(at, 0.5))
		}
	})
	s.plots = append(s.plots, Plot{Name: "duct", Title: "Square duct, on the middle line", XLabel: "position / side", YLabel: "velocity / mean", Curves: []Curve{exact, computed}})
	return nil
}

// ductVelocity is the developed velocity in a unit square over its mean (White,
// Viscous Fluid Flow, 3rd ed., eq. 3-48).
func ductVelocity(x, y float64) float64 {
	const terms = 60
	var u, mean float64
	for k := range terms {
		n := float64(2*k + 1)
		sign := 1 - 2*float64(k%2)
		u += sign / (n * n * n) * (1 - math.Cosh(n*math.Pi*(y-0.5))/math.Cosh(n*math.Pi/2)) * math.Cos(n*math.Pi*(x-0.5))
		mean += math.Tanh(n*math.Pi/2) / (n * n * n * n * n)
	}
	// u is over 4a²G/(π³μ), and the mean over a²G/μ is 1/12 − (16/π⁵) Σ tanh/n⁵.
	return u * 4 / math.Pow(math.Pi, 3) / (1./12 - 16/math.Pow(math.Pi, 5)*mean)
}

// periodicSettings are those of flows without openings: unit length, kinematic
// viscosity 0.01.
func periodicSettings(latticeViscosity, spacing float64) airflow.Settings {
	settings := airflow.DefaultSettings()
	settings.Collision = airflow.TRT
	settings.KinematicViscosity, settings.Density, settings.FlowRate = 0.01, 1, 0
	settings.TimeStep = latticeStep(latticeViscosity, spacing, settings.KinematicViscosity)
	return settings
}

// taylorGreen is the decay of a vortex in two dimensions, on one periodic
// layer.
func (s *suite) taylorGreen() error {
	sizes := []int32{16, 32, 64}
	exact := Curve{Name: "exp(−2νk²t)"}
	for i := range 51 {
		t := 0.5 * float64(i) / 50
		exact.X, exact.Y = append(exact.X, t), append(exact.Y, math.Exp(-2*t))
	}
	decay := []Curve{exact}
	errors := Curve{Name: "velocity"}
	for _, n := range sizes {
		v, err := s.vortex(n)
		if err != nil {
			return err
		}
		errors.X, errors.Y = append(errors.X, float64(n)), append(errors.Y, v.difference)
		decay = append(decay, v.decay)
		if n == 64 {
			s.add("Taylor–Green N=64", "decay over 2νk²", v.rate, 1, s.tolerance(0.005, 0.01), "exact solution")
			s.addError("Taylor–Green N=64", "velocity error", v.difference, s.tolerance(0.005, 0.01), "exact solution")
		}
	}
	if s.precision != airflow.Half { // whose rounding errors outweigh those of 64 cells
		s.addOrder("Taylor–Green", order(errors.Y[0], errors.Y[2], 4), 0.3)
	}
	s.plots = append(s.plots,
		Plot{Name: "taylor-green", Title: "Taylor–Green vortex", XLabel: "ν k² t", YLabel: "amplitude", Curves: decay},
		convergence("taylor-green-order", "Taylor–Green vortex, error after a decay to 1/e", errors))
	return nil
}

// vortexDecay is how a vortex has decayed.
type vortexDecay struct {
	// difference is the relative L2 error of the velocity after a decay to
	// about 1/e, rate the rate of decay over the exact one.
	difference, rate float64
	// decay is the amplitude over ν k² t.
	decay Curve
}

// vortex computes the decay to about 1/e.
func (s *suite) vortex(n int32) (*vortexDecay, error) {
	const speed, latticeViscosity, samples = 0.05, 0.02, 8
	sh := &shape{size: [3]int32{n, n, s.layers()}, spacing: 1 / float64(n), periodic: [3]bool{true, true, true}, inside: func(r3.Vec) float64 { return 1 }}
	settings := periodicSettings(latticeViscosity, sh.spacing)
	k := 2 * math.Pi
	nu := settings.KinematicViscosity
	velocity := func(p r3.Vec, t float64) (u, v float64) {
		decay := speed * math.Exp(-2*nu*k*k*t)
		return decay * math.Sin(k*p.X) * math.Cos(k*p.Y), -decay * math.Cos(k*p.X) * math.Sin(k*p.Y)
	}
	settings.Initial = func(p r3.Vec) (float64, r3.Vec) {
		u, v := velocity(p, 0)
		return speed * speed / 4 * (math.Cos(2*k*p.X) + math.Cos(2*k*p.Y)), r3.Vec{X: u, Y: v}
	}
	steps := int64(math.Round(1/(2*nu*k*k)/settings.TimeStep/(2*samples))) * 2
	d := &vortexDecay{decay: Curve{Name: fmt.Sprintf("N = %d", n), Points: true}}
	var times, ratios []float64 // amplitude over the exact one
	_, err := s.compute(sh, settings, steps, func(c *airflow.Rank) error {
		for sample := range samples {
			if sample > 0 {
				if err := c.Advance(s.ctx, steps, nil); err != nil {
					return err
				}
			}
			fields, err := c.Fields()
			if err != nil {
				return err
			}
			f, t := flow{grid: sh.grid(), fields: fields}, c.Time()
			var difference norm
			var a float64
			f.eachCell(sh, func(i int, x, y, z int32) {
				u, v := velocity(sh.center(x, y, z), t)
				difference.add(float64(f.fields.Velocity[0][i]), u)
				difference.add(float64(f.fields.Velocity[1][i]), v)
				a += float64(f.fields.Velocity[0][i])*u + float64(f.fields.Velocity[1][i])*v
			})
			a /= difference.reference
			d.difference = difference.relative()
			times, ratios = append(times, t), append(ratios, a)
			d.decay.X, d.decay.Y = append(d.decay.X, nu*k*k*t), append(d.decay.Y, a*math.Exp(-2*nu*k*k*t))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	half, last := samples/2-1, samples-1
	d.rate = 1 - math.Log(ratios[last]/ratios[half])/(2*nu*k*k*(times[last]-times[half]))
	return d, nil
}

// womersley is the flow in a pipe under an oscillating force.
func (s *suite) womersley() error {
	for _, alpha := range []float64{4, 8} {
		e, err := s.oscillation(alpha)
		if err != nil {
			return err
		}
		s.addError(fmt.Sprintf("Womersley α=%g", alpha), "velocity error over a cycle", e, s.tolerance(0.02, 0.025), "Womersley 1955")
	}
	return nil
}

// oscillation returns the relative L2 error over eight phases of the last of
// several cycles.
func (s *suite) oscillation(alpha float64) (float64, error) {
	const n, latticeViscosity, force, phases = 41, 0.1, 1e-3, 8
	sh := pipeShape(n, r3.Vec{X: 1}, 2)
	sh.size[0], sh.periodic, sh.openings = s.layers(), [3]bool{true, false, false}, nil
	settings := periodicSettings(latticeViscosity, sh.spacing)
	nu := settings.KinematicViscosity
	omega := alpha * alpha * nu / 0.25
	period := 2 * math.Pi / omega
	// The flow at rest is forgotten as exp(−5.8 ν t/R²): to 1e-5 then.
	cycles := int64(math.Ceil(2 * 0.25 / nu / period))
	// A whole number of steps, divisible by twice the phases, makes a cycle.
	steps := int64(math.Round(period/settings.TimeStep/(2*phases))) * 2 * phases
	settings.TimeStep = period / float64(steps)
	settings.BodyForce = [3]float64{force, 0, 0}
	settings.ForceWaveform = opening.Sine{Period: period, Amplitude: 1}
	middle := r3.Vec{Y: 0.5, Z: 0.5}
	exact := func(r, t float64) float64 {
		// The force is Im(F e^{iωt}).
		root := cmplx.Pow(1i, 1.5) * complex(alpha, 0)
		u := complex(0, -force/omega) * (1 - besselJ0(root*complex(r/0.5, 0))/besselJ0(root))
		return imag(u * cmplx.Exp(complex(0, omega*t)))
	}
	var total norm
	plot := Plot{Name: fmt.Sprintf("womersley-%g", alpha), Title: fmt.Sprintf("Womersley flow, α = %g", alpha), XLabel: "radius / diameter", YLabel: "velocity"}
	_, err := s.compute(sh, settings, cycles*steps, func(c *airflow.Rank) error {
		for phase := range phases {
			if phase > 0 {
				if err := c.Advance(s.ctx, steps/phases, nil); err != nil {
					return err
				}
			}
			fields, err := c.Fields()
			if err != nil {
				return err
			}
			f, t := flow{grid: sh.grid(), fields: fields}, c.Time()
			computed, wanted := Curve{Name: fmt.Sprintf("phase %d/%d", phase, phases), Points: true}, Curve{}
			f.eachCell(sh, func(i int, x, y, z int32) {
				r := radius(r3.Sub(sh.center(x, y, z), middle), r3.Vec{X: 1})
				want := exact(r, t)
				total.add(float64(f.fields.Velocity[0][i]), want)
				if z == n/2 && y >= n/2 {
					computed.X, computed.Y = append(computed.X, r), append(computed.Y, float64(f.fields.Velocity[0][i]))
					wanted.X, wanted.Y = append(wanted.X, r), append(wanted.Y, want)
				}
			})
			plot.Curves = append(plot.Curves, computed, wanted)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	s.plots = append(s.plots, plot)
	return total.relative(), nil
}

// besselJ0 is the Bessel function of the first kind and order zero, by its
// power series, which suffices for arguments up to about ten.
func besselJ0(z complex128) complex128 {
	sum, term := complex(1, 0), complex(1, 0)
	for k := 1; k < 60; k++ {
		term *= -z * z / complex(4*float64(k)*float64(k), 0)
		sum += term
	}
	return sum
}

package validate

import (
	"fmt"
	"math"
	"math/cmplx"

	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

// duct is the fully developed flow in a square duct driven by a force.
func (s *suite) duct() error {
	const n = 41
	const latticeViscosity = 0.1
	sh := &shape{size: [3]int32{1, n, n}, spacing: 1. / n, periodic: [3]bool{true, false, false}}
	sh.inside = func(p r3.Vec) float64 { return min(p.Y, 1-p.Y, p.Z, 1-p.Z) }
	settings := periodicSettings(latticeViscosity, sh.spacing)
	settings.BodyForce = [3]float64{1e-2, 0, 0}
	f, err := s.compute(sh, settings, 2*n*n/latticeViscosity, nil)
	if err != nil {
		return err
	}
	var mean, top float64
	for _, u := range f.fields.Velocity[0] {
		mean += float64(u) / float64(len(f.fields.Velocity[0]))
		top = max(top, float64(u))
	}
	s.add("square duct", "peak over mean velocity", top/mean, 2.0963, 0.005*2.0963, "series solution")
	return nil
}

// periodicSettings are those of flows without openings: unit length, kinematic
// viscosity 0.01.
func periodicSettings(latticeViscosity, spacing float64) solver.Settings {
	settings := solver.DefaultSettings()
	settings.Collision = solver.TRT
	settings.KinematicViscosity, settings.Density, settings.FlowRate = 0.01, 1, 0
	settings.TimeStep = latticeStep(latticeViscosity, spacing, settings.KinematicViscosity)
	return settings
}

// taylorGreen is the decay of a vortex in two dimensions, on one periodic
// layer.
func (s *suite) taylorGreen() error {
	var errors []float64
	sizes := []int32{16, 32, 64}
	curve := Curve{Name: "measured", Points: true}
	exact := Curve{Name: "exp(−2νk²t)"}
	for _, n := range sizes {
		e, rate, err := s.vortex(n, &curve, &exact)
		if err != nil {
			return err
		}
		errors = append(errors, e)
		if n == 64 {
			s.add("Taylor–Green N=64", "decay over 2νk²", rate, 1, 0.005, "exact solution")
		}
	}
	s.add("Taylor–Green", "order of convergence", order(errors[0], errors[2], 4), 2, 0.3, "second order")
	s.plots = append(s.plots, Plot{"taylor-green", "Taylor–Green vortex", "ν k² t", "amplitude", []Curve{curve, exact}})
	return nil
}

// vortex returns the error of the velocity after a decay to about 1/e, and the
// rate of decay over the exact one.
func (s *suite) vortex(n int32, curve, exact *Curve) (e, rate float64, err error) {
	const speed, latticeViscosity = 0.05, 0.02
	sh := &shape{size: [3]int32{n, n, 1}, spacing: 1 / float64(n), periodic: [3]bool{true, true, true}, inside: func(r3.Vec) float64 { return 1 }}
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
	end := 1 / (2 * nu * k * k)
	steps := int64(math.Round(end/settings.TimeStep/4)) * 4
	amplitude := func(f *flow, t float64) (a float64, difference norm) {
		f.eachCell(sh, func(i int, x, y, z int32) {
			u, v := velocity(sh.center(x, y, z), t)
			difference.add(float64(f.fields.Velocity[0][i]), u)
			difference.add(float64(f.fields.Velocity[1][i]), v)
			a += float64(f.fields.Velocity[0][i])*u + float64(f.fields.Velocity[1][i])*v
		})
		return a / difference.reference, difference
	}
	half, err := s.compute(sh, settings, steps/2, nil)
	if err != nil {
		return 0, 0, err
	}
	whole, err := s.compute(sh, settings, steps, nil)
	if err != nil {
		return 0, 0, err
	}
	a1, _ := amplitude(half, half.summary.Time)
	a2, difference := amplitude(whole, whole.summary.Time)
	between := whole.summary.Time - half.summary.Time
	rate = 1 - math.Log(a2/a1)/(2*nu*k*k*between)
	for _, f := range []*flow{half, whole} {
		t := f.summary.Time
		a, _ := amplitude(f, t)
		curve.X, curve.Y = append(curve.X, nu*k*k*t), append(curve.Y, a*math.Exp(-2*nu*k*k*t))
		exact.X, exact.Y = append(exact.X, nu*k*k*t), append(exact.Y, math.Exp(-2*nu*k*k*t))
	}
	return difference.relative(), rate, nil
}

// womersley is the flow in a pipe under an oscillating force.
func (s *suite) womersley() error {
	for _, alpha := range []float64{4, 8} {
		e, err := s.oscillation(alpha)
		if err != nil {
			return err
		}
		s.addError(fmt.Sprintf("Womersley α=%g", alpha), "velocity error over a cycle", e, 0.02, "Womersley 1955")
	}
	return nil
}

// oscillation returns the relative L2 error over eight phases of the last of
// several cycles.
func (s *suite) oscillation(alpha float64) (float64, error) {
	const n, latticeViscosity, force, cycles, phases = 41, 0.02, 1e-3, 8, 8
	sh := pipeShape(n, r3.Vec{X: 1}, 2)
	sh.size[0], sh.periodic, sh.openings = 1, [3]bool{true, false, false}, nil
	settings := periodicSettings(latticeViscosity, sh.spacing)
	nu := settings.KinematicViscosity
	omega := alpha * alpha * nu / 0.25
	period := 2 * math.Pi / omega
	// A whole number of steps, divisible by twice the phases, makes a cycle.
	steps := int64(math.Round(period/settings.TimeStep/(2*phases))) * 2 * phases
	settings.TimeStep = period / float64(steps)
	settings.BodyForce = [3]float64{force, 0, 0}
	settings.ForceWaveform = solver.Sine{Period: period, Amplitude: 1}
	middle := r3.Vec{Y: 0.5, Z: 0.5}
	exact := func(r, t float64) float64 {
		// The force is Im(F e^{iωt}).
		root := cmplx.Pow(1i, 1.5) * complex(alpha, 0)
		u := complex(0, -force/omega) * (1 - besselJ0(root*complex(r/0.5, 0))/besselJ0(root))
		return imag(u * cmplx.Exp(complex(0, omega*t)))
	}
	var total norm
	plot := Plot{Name: fmt.Sprintf("womersley-%g", alpha), Title: fmt.Sprintf("Womersley flow, α = %g", alpha), XLabel: "radius / diameter", YLabel: "velocity"}
	for phase := range int64(phases) {
		f, err := s.compute(sh, settings, cycles*steps+phase*steps/phases, nil)
		if err != nil {
			return 0, err
		}
		computed, wanted := Curve{Name: fmt.Sprintf("phase %d/%d", phase, phases), Points: true}, Curve{}
		f.eachCell(sh, func(i int, x, y, z int32) {
			r := radius(r3.Sub(sh.center(x, y, z), middle), r3.Vec{X: 1})
			want := exact(r, f.summary.Time)
			total.add(float64(f.fields.Velocity[0][i]), want)
			if z == n/2 && y >= n/2 {
				computed.X, computed.Y = append(computed.X, r), append(computed.Y, float64(f.fields.Velocity[0][i]))
				wanted.X, wanted.Y = append(wanted.X, r), append(wanted.Y, want)
			}
		})
		plot.Curves = append(plot.Curves, computed, wanted)
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

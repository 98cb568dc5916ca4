package validate

import (
	"fmt"
	"math"

	"carina/geometry"
	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

// pipeShape is a pipe of unit diameter with n cells across and the given
// direction and length, between an inlet and an outlet.
func pipeShape(n int32, direction r3.Vec, length float64) *shape {
	axis := r3.Unit(direction)
	dx := 1 / float64(n)
	// The box holds the pipe, and for the aligned pipe the axis lies in the
	// middle of the cells across.
	reach := func(component float64) float64 {
		return length*math.Abs(component) + math.Sqrt(max(0, 1-component*component))
	}
	box := r3.Vec{X: reach(axis.X), Y: reach(axis.Y), Z: reach(axis.Z)}
	cells := func(l float64) int32 { return int32(math.Ceil(l/dx - 1e-9)) }
	s := &shape{size: [3]int32{cells(box.X), cells(box.Y), cells(box.Z)}, spacing: dx}
	middle := r3.Scale(dx/2, r3.Vec{X: float64(s.size[0]), Y: float64(s.size[1]), Z: float64(s.size[2])})
	start := r3.Sub(middle, r3.Scale(length/2, axis))
	s.inside = func(p r3.Vec) float64 { return 0.5 - radius(r3.Sub(p, start), axis) }
	s.openings = []geometry.Opening{
		{Number: 1, Name: "inlet", Role: geometry.Inlet, Center: start, Normal: r3.Scale(-1, axis), Area: math.Pi / 4},
		{Number: 2, Name: "outlet", Role: geometry.Outlet, Center: r3.Add(start, r3.Scale(length, axis)), Normal: axis, Area: math.Pi / 4},
	}
	return s
}

// radius is the distance of a point from an axis through the origin.
func radius(p, axis r3.Vec) float64 {
	return r3.Norm(r3.Sub(p, r3.Scale(r3.Dot(p, axis), axis)))
}

// pipeErrors are relative L2 errors against Hagen and Poiseuille.
type pipeErrors struct {
	velocity, pressure, strain float64
	// middle is the velocity's in the middle half of the length.
	middle, balance float64
}

// poiseuille computes an inlet-driven pipe at Re 10 (mean velocity and
// diameter one) and compares all cells.
func (s *suite) poiseuille(n int32, direction r3.Vec, wall solver.Wall) (e pipeErrors, err error) {
	const length, reynolds, peak = 2.0, 10.0, 2.0
	const latticeViscosity = 0.1
	sh := pipeShape(n, direction, length)
	settings := solver.DefaultSettings()
	settings.Collision, settings.Wall, settings.Profile = solver.TRT, wall, solver.Parabolic
	settings.KinematicViscosity, settings.Density, settings.FlowRate = 1/reynolds, 1, math.Pi/4
	settings.TimeStep = latticeStep(latticeViscosity, sh.spacing, settings.KinematicViscosity)
	// Four crossings by sound to start, and then until the sound is gone.
	const diffusionTimes, crossings = 0.6, 60
	steps := int64(max(diffusionTimes*float64(n)*float64(n)/latticeViscosity, crossings*length*float64(n)*math.Sqrt(3)))
	axis := r3.Unit(direction)
	start := sh.openings[0].Center
	var strain [6][]float32
	f, err := s.compute(sh, settings, steps, func(r *solver.Rank) error { strain = r.StrainRate(); return nil })
	if err != nil {
		return e, err
	}
	var velocity, pressure, shear, middle norm
	// Pressure openings act at the centres of their cells: half a cell inside.
	zero := length - sh.spacing/2
	profile := Curve{Name: fmt.Sprintf("N = %d", n), Points: true}
	f.eachCell(sh, func(i int, x, y, z int32) {
		p := r3.Sub(sh.center(x, y, z), start)
		r := radius(p, axis)
		want := r3.Scale(peak*(1-4*r*r), axis)
		for a, w := range [3]float64{want.X, want.Y, want.Z} {
			velocity.add(float64(f.fields.Velocity[a][i]), w)
			if math.Abs(r3.Dot(p, axis)-length/2) < length/4 {
				middle.add(float64(f.fields.Velocity[a][i]), w)
			}
		}
		// p = 16 ρ ν u_peak (L−x)/D²
		pressure.add(float64(f.fields.Pressure[i]), 16*settings.KinematicViscosity*peak*(zero-r3.Dot(p, axis)))
		for k, want := range poiseuilleStrain(p, axis, peak) {
			weight := 1.0
			if k >= 3 {
				weight = math.Sqrt2 // off-diagonal components count twice
			}
			shear.add(weight*float64(strain[k][i]), weight*want)
		}
		if math.Abs(r3.Dot(p, axis)-length/2) < sh.spacing/2 {
			u := r3.Vec{X: float64(f.fields.Velocity[0][i]), Y: float64(f.fields.Velocity[1][i]), Z: float64(f.fields.Velocity[2][i])}
			profile.X, profile.Y = append(profile.X, r), append(profile.Y, r3.Dot(u, axis))
		}
	})
	if wall == solver.Interpolated && axis.X == 1 {
		s.pipeProfiles = append(s.pipeProfiles, profile)
	}
	return pipeErrors{velocity.relative(), pressure.relative(), shear.relative(), middle.relative(), f.summary.MassBalance}, nil
}

// poiseuilleStrain is ½(∇u + ∇uᵀ) of u = peak (1−4r²) along an axis, in the
// order xx, yy, zz, xy, xz, yz.
func poiseuilleStrain(p, axis r3.Vec, peak float64) [6]float64 {
	g := r3.Scale(-8*peak, r3.Sub(p, r3.Scale(r3.Dot(p, axis), axis))) // ∇ of the speed
	a, b := [3]float64{axis.X, axis.Y, axis.Z}, [3]float64{g.X, g.Y, g.Z}
	var s [6]float64
	for k, ij := range [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}} {
		s[k] = 0.5 * (a[ij[0]]*b[ij[1]] + b[ij[0]]*a[ij[1]])
	}
	return s
}

// pipe is the case of the straight pipe.
func (s *suite) pipe() error {
	const source = "gates of OpenLB's testPoiseuille3DBGK (Bouzidi)"
	x := r3.Vec{X: 1}
	limits := []struct {
		n                          int32
		velocity, pressure, strain float64
	}{{11, 0.0565, 0.0702, 0.0885}, {21, 0.01625, 0.02448, 0.04647}, {41, 0.00445, 0.00584, 0.02117}}
	if s.options.Quick {
		limits = limits[:2]
	}
	var errors, middles []float64
	for _, l := range limits {
		e, err := s.poiseuille(l.n, x, solver.Interpolated)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("pipe N=%d", l.n)
		s.addError(name, "velocity error", e.velocity, l.velocity, source)
		s.addError(name, "pressure error", e.pressure, l.pressure, source)
		s.addError(name, "strain rate error", e.strain, l.strain, source)
		s.addError(name, "mass balance", e.balance, 1e-5, "conservation")
		errors, middles = append(errors, e.velocity), append(middles, e.middle)
	}
	first, last := limits[0].n, limits[len(limits)-1].n
	factor := float64(last) / float64(first)
	s.add("pipe", "order of convergence", order(errors[0], errors[len(errors)-1], factor), 2, 0.4, "second order")
	s.add("pipe, middle half", "order of convergence", order(middles[0], middles[len(middles)-1], factor), 2, 0.4, "second order")
	turned, err := s.poiseuille(21, r3.Vec{X: 1, Y: 0.42, Z: 0.23}, solver.Interpolated)
	if err != nil {
		return err
	}
	s.addError("pipe N=21 turned", "velocity error", turned.velocity, limits[1].velocity, source)
	s.addError("pipe N=21 turned", "velocity error over the aligned one", turned.velocity/errors[1], 1.5, "isotropy")
	plain, err := s.poiseuille(21, x, solver.BounceBack)
	if err != nil {
		return err
	}
	s.addError("pipe N=21 bounce-back", "velocity error", plain.velocity, 0.10, "issue's gate")
	exact := Curve{Name: "Hagen–Poiseuille"}
	for i := range 101 {
		r := 0.5 * float64(i) / 100
		exact.X, exact.Y = append(exact.X, r), append(exact.Y, 2*(1-4*r*r))
	}
	s.plots = append(s.plots, Plot{"pipe", "Pipe at Re 10, interpolated walls", "radius / diameter", "velocity / mean", append(s.pipeProfiles, exact)})
	return nil
}

package cuda

import (
	"fmt"
	"math"
	"testing"

	"carina/geometry"
	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

// physics compares flows with analytic solutions and published numbers, with
// the gates of benchmarks/validate; periodic axes are four cells long instead
// of one, which tiles need.
type physics struct {
	*testing.T
	compute func(domain *solver.Domain, settings solver.Settings, steps int64) outcome
	change  func(*solver.Settings)
}

// outcome is what a computation ended with.
type outcome struct {
	summary *solver.Summary
	fields  *solver.Fields
	strain  func() [6][]float32
}

// gate judges a number.
func (p *physics) gate(what string, value, want, tolerance float64) {
	p.Helper()
	verdict := "pass"
	if !(math.Abs(value-want) <= tolerance) {
		verdict = "FAIL"
		p.Fail()
	}
	p.Logf("%-44s %12.6g, want %10.6g within %9.4g: %s", what, value, want, tolerance, verdict)
}

// lumen is the inside of a function that is positive there, between openings.
type lumen struct {
	size     [3]int32
	spacing  float64
	periodic [3]bool
	inside   func(p r3.Vec) float64
	openings []geometry.Opening
}

func (s *lumen) center(x, y, z int32) r3.Vec {
	return r3.Scale(s.spacing, r3.Vec{X: float64(x) + 0.5, Y: float64(y) + 0.5, Z: float64(z) + 0.5})
}

func (s *lumen) fluid(c [3]int32) bool {
	for a := range 3 {
		if s.periodic[a] {
			c[a] = (c[a] + s.size[a]) % s.size[a]
		} else if c[a] < 0 || c[a] >= s.size[a] {
			return false
		}
	}
	p := s.center(c[0], c[1], c[2])
	for _, o := range s.openings {
		if r3.Dot(r3.Sub(p, o.Center), o.Normal) > 0 {
			return false
		}
	}
	return s.inside(p) > 0
}

// meet returns the fraction of a link at which it leaves the lumen, and the
// number of the opening through which it does, 0 for the wall.
func (s *lumen) meet(from, link r3.Vec) (fraction float64, opening uint16) {
	fraction = 2
	if s.inside(r3.Add(from, link)) <= 0 {
		low, high := 0.0, 1.0
		for range 40 {
			if mid := (low + high) / 2; s.inside(r3.Add(from, r3.Scale(mid, link))) > 0 {
				low = mid
			} else {
				high = mid
			}
		}
		fraction = high
	}
	for _, o := range s.openings {
		if along := r3.Dot(link, o.Normal); along > 0 {
			if q := r3.Dot(r3.Sub(o.Center, from), o.Normal) / along; q <= 1 && q < fraction {
				fraction, opening = q, uint16(o.Number)
			}
		}
	}
	return fraction, opening
}

func (s *lumen) domain() *solver.Domain {
	g := &geometry.Grid{Spacing: s.spacing, Size: s.size, Openings: s.openings}
	l := &g.Links
	l.Directions = len(geometry.Directions)
	var number int64
	for z := range s.size[2] {
		for y := range s.size[1] {
			for x := range s.size[0] {
				if !s.fluid([3]int32{x, y, z}) {
					continue
				}
				if n := len(g.Runs); n > 0 && g.Runs[n-1] == (geometry.Run{X0: g.Runs[n-1].X0, X1: x, Y: y, Z: z}) {
					g.Runs[n-1].X1++
				} else {
					g.Runs = append(g.Runs, geometry.Run{X0: x, X1: x + 1, Y: y, Z: z})
				}
				var mask uint32
				first := int64(len(l.Distance))
				for d, c := range geometry.Directions {
					if s.fluid([3]int32{x + int32(c.X), y + int32(c.Y), z + int32(c.Z)}) {
						continue
					}
					mask |= 1 << d
					link := r3.Scale(s.spacing, r3.Vec{X: float64(c.X), Y: float64(c.Y), Z: float64(c.Z)})
					fraction, opening := s.meet(s.center(x, y, z), link)
					if opening > 0 {
						l.Openings = append(l.Openings, geometry.OpeningLink{Link: int64(len(l.Distance)), Number: opening})
					}
					l.Distance = append(l.Distance, uint16(math.Round(min(1, max(fraction, 1./65536))*65536-1)))
				}
				if mask != 0 {
					l.Cells, l.Mask, l.First = append(l.Cells, number), append(l.Mask, mask), append(l.First, first)
				}
				number++
			}
		}
	}
	l.First = append(l.First, int64(len(l.Distance)))
	d := solver.WholeDomain(g)
	d.Periodic = s.periodic
	return d
}

// eachCell calls f for all cells of a domain.
func eachCell(d *solver.Domain, f func(i int, x, y, z int32)) {
	i := 0
	for _, r := range d.Grid.Runs {
		for x := r.X0; x < r.X1; x++ {
			f(i, x, r.Y, r.Z)
			i++
		}
	}
}

// difference accumulates a relative L2 error.
type difference struct{ error, reference float64 }

func (d *difference) add(value, want float64) {
	d.error += (value - want) * (value - want)
	d.reference += want * want
}

func (d *difference) relative() float64 { return math.Sqrt(d.error / d.reference) }

func (p *physics) run(s *lumen, settings solver.Settings, steps int64) (*solver.Domain, outcome) {
	d := s.domain()
	p.change(&settings)
	return d, p.compute(d, settings, steps)
}

// pipe is a straight pipe at Re 10 between an inlet and an outlet.
func (p *physics) pipe(n int32, direction r3.Vec, name string, velocityGate, pressureGate, strainGate float64) {
	const length, viscosity, peak, latticeViscosity = 2.0, 0.1, 2.0, 0.1
	axis, dx := r3.Unit(direction), 1/float64(n)
	reach := func(c float64) int32 {
		return int32(math.Ceil((length*math.Abs(c)+math.Sqrt(max(0, 1-c*c)))/dx - 1e-9))
	}
	s := &lumen{size: [3]int32{reach(axis.X), reach(axis.Y), reach(axis.Z)}, spacing: dx}
	middle := r3.Scale(dx/2, r3.Vec{X: float64(s.size[0]), Y: float64(s.size[1]), Z: float64(s.size[2])})
	start := r3.Sub(middle, r3.Scale(length/2, axis))
	along := func(q r3.Vec) float64 { return r3.Dot(r3.Sub(q, start), axis) }
	aside := func(q r3.Vec) float64 { return r3.Norm(r3.Sub(r3.Sub(q, start), r3.Scale(along(q), axis))) }
	s.inside = func(q r3.Vec) float64 { return 0.5 - aside(q) }
	s.openings = []geometry.Opening{
		{Number: 1, Role: geometry.Inlet, Center: start, Normal: r3.Scale(-1, axis), Area: math.Pi / 4},
		{Number: 2, Role: geometry.Outlet, Center: r3.Add(start, r3.Scale(length, axis)), Normal: axis, Area: math.Pi / 4},
	}
	settings := solver.DefaultSettings()
	settings.Profile = solver.Parabolic
	settings.KinematicViscosity, settings.Density, settings.FlowRate = viscosity, 1, math.Pi/4
	settings.TimeStep = latticeViscosity * dx * dx / viscosity
	steps := int64(max(6*float64(n)*float64(n), 60*length*float64(n)*math.Sqrt(3)))
	d, out := p.run(s, settings, steps)
	strain := out.strain()
	var velocity, pressure, shear difference
	eachCell(d, func(i int, x, y, z int32) {
		q := s.center(x, y, z)
		r := aside(q)
		u := r3.Scale(peak*(1-4*r*r), axis)
		for a, want := range [3]float64{u.X, u.Y, u.Z} {
			velocity.add(float64(out.fields.Velocity[a][i]), want)
		}
		// p = 16 ρ ν u_peak (L−x)/D²
		pressure.add(float64(out.fields.Pressure[i]), 16*viscosity*peak*(length-along(q)))
		g := r3.Scale(-8*peak, r3.Sub(r3.Sub(q, start), r3.Scale(along(q), axis)))
		e, v := [3]float64{axis.X, axis.Y, axis.Z}, [3]float64{g.X, g.Y, g.Z}
		for k, ij := range [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}} {
			weight := 1.0
			if k >= 3 {
				weight = math.Sqrt2
			}
			shear.add(weight*float64(strain[k][i]), weight*0.5*(e[ij[0]]*v[ij[1]]+v[ij[0]]*e[ij[1]]))
		}
	})
	p.gate(name+", velocity error", velocity.relative(), 0, velocityGate)
	p.gate(name+", pressure error", pressure.relative(), 0, pressureGate)
	p.gate(name+", strain rate error", shear.relative(), 0, strainGate)
}

// periodicSettings are those of flows without openings.
func periodicSettings(latticeViscosity, spacing float64) solver.Settings {
	s := solver.DefaultSettings()
	s.Collision, s.KinematicViscosity, s.Density, s.FlowRate = solver.TRT, 0.01, 1, 0
	s.TimeStep = latticeViscosity * spacing * spacing / s.KinematicViscosity
	return s
}

// vortex is the decay of Taylor and Green's vortex; it returns the error.
func (p *physics) vortex(n int32, rateGate float64) float64 {
	const speed = 0.05
	s := &lumen{size: [3]int32{n, n, 4}, spacing: 1 / float64(n), periodic: [3]bool{true, true, true}, inside: func(r3.Vec) float64 { return 1 }}
	settings := periodicSettings(0.02, s.spacing)
	k, nu := 2*math.Pi, settings.KinematicViscosity
	velocity := func(q r3.Vec, t float64) (u, v float64) {
		decay := speed * math.Exp(-2*nu*k*k*t)
		return decay * math.Sin(k*q.X) * math.Cos(k*q.Y), -decay * math.Cos(k*q.X) * math.Sin(k*q.Y)
	}
	settings.Initial = func(q r3.Vec) (float64, r3.Vec) {
		u, v := velocity(q, 0)
		return speed * speed / 4 * (math.Cos(2*k*q.X) + math.Cos(2*k*q.Y)), r3.Vec{X: u, Y: v}
	}
	steps := int64(math.Round(1/(2*nu*k*k)/settings.TimeStep/4)) * 4
	var amplitudes, times [2]float64
	var last difference
	for i, n := range [2]int64{steps / 2, steps} {
		d, out := p.run(s, settings, n)
		last = difference{}
		eachCell(d, func(j int, x, y, z int32) {
			u, v := velocity(s.center(x, y, z), out.summary.Time)
			last.add(float64(out.fields.Velocity[0][j]), u)
			last.add(float64(out.fields.Velocity[1][j]), v)
			amplitudes[i] += float64(out.fields.Velocity[0][j])*u + float64(out.fields.Velocity[1][j])*v
		})
		amplitudes[i] /= last.reference
		times[i] = out.summary.Time
	}
	rate := 1 - math.Log(amplitudes[1]/amplitudes[0])/(2*nu*k*k*(times[1]-times[0]))
	if rateGate > 0 {
		p.gate(fmt.Sprintf("Taylor–Green N=%d, decay over 2νk²", n), rate, 1, rateGate)
	}
	return last.relative()
}

// The suite itself is right where the processor's solver passes it.
func TestPhysicsOnProcessor(t *testing.T) {
	p := &physics{T: t, change: func(*solver.Settings) {}, compute: func(d *solver.Domain, s solver.Settings, steps int64) (o outcome) {
		o.summary, o.fields = processor(t, d, s, steps, func(r *solver.Rank) error {
			strain := r.StrainRate()
			o.strain = func() [6][]float32 { return strain }
			return nil
		})
		return o
	}}
	p.pipe(11, r3.Vec{X: 1}, "pipe N=11", 0.0565, 0.0702, 0.0885)
	p.vortex(16, 0.05)
}

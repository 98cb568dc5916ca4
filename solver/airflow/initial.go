package airflow

import (
	"carina/solver/lattice"

	"gonum.org/v1/gonum/spatial/r3"
)

// Start is how a cell starts, in lattice units: the deviation of the density, the
// velocity, and the second moments out of equilibrium, xx, yy, zz, xy, xz and yz.
type Start struct {
	Density  float64
	Velocity r3.Vec
	Stress   [6]float64
}

// StartAt is how the flow of Settings.Initial and InitialStrain starts at a
// position.
func (f *Flow) StartAt(position r3.Vec) Start { return f.flow.startAt(position) }

// startAt is as StartAt of Flow.
func (a *airflow) startAt(position r3.Vec) Start {
	pressure, velocity := a.settings.Initial(position)
	start := Start{Density: pressure / a.units.Pressure(), Velocity: r3.Scale(1/a.units.Velocity(), velocity)}
	if a.settings.InitialStrain == nil {
		return start
	}
	// Π = −⅔ τ S (Chapman–Enskog), of which the trace is left to the operator.
	strain := a.settings.InitialStrain(position)
	factor := -2. / 3 * a.units.RelaxationTime() * a.units.TimeStep
	mean := (strain[0] + strain[1] + strain[2]) / 3
	for k, ab := range lattice.TensorAxes {
		if ab[0] == ab[1] {
			strain[k] -= mean
		}
		start.Stress[k] = factor * strain[k]
	}
	return start
}

// initialize sets the populations of Settings.Initial.
func (r *bound) initialize() {
	for _, p := range r.layout.Pieces {
		for x := p.X0; x < p.X1; x++ {
			r.start(p.Local+x-p.X0, r.startAt(r.domain.Grid.Center(x, p.Y, p.Z)))
		}
	}
}

// start sets a cell to the equilibrium of He and Luo (1997) and the stress that
// belongs to its rate of strain.
func (r *bound) start(cell int32, s Start) {
	square := r3.Norm2(s.Velocity)
	for i, c := range r.set.Velocities {
		cu := float64(c[0])*s.Velocity.X + float64(c[1])*s.Velocity.Y + float64(c[2])*s.Velocity.Z
		var stress float64
		for k, ab := range lattice.TensorAxes {
			twice := 2.
			if ab[0] == ab[1] {
				twice = 1
			}
			stress += twice * float64(c[ab[0]]*c[ab[1]]) * s.Stress[k]
		}
		r.populations.Set(cell, i, r.set.Weights[i]*(s.Density+3*cu+4.5*cu*cu-1.5*square+4.5*stress))
	}
}

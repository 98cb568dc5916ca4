package airflow

import (
	"gonum.org/v1/gonum/spatial/r3"
)

// initialize sets the equilibrium of Settings.Initial.
func (r *bound) initialize() {
	for _, p := range r.layout.Pieces {
		for x := p.X0; x < p.X1; x++ {
			pressure, velocity := r.settings.Initial(r.domain.Grid.Center(x, p.Y, p.Z))
			r.setEquilibrium(p.Local+x-p.X0, pressure/r.units.Pressure(), r3.Scale(1/r.units.Velocity(), velocity))
		}
	}
}

// setEquilibrium sets the equilibrium of He and Luo (1997) in a cell.
func (r *bound) setEquilibrium(cell int32, density float64, u r3.Vec) {
	square := r3.Norm2(u)
	for i, c := range r.set.Velocities {
		cu := float64(c[0])*u.X + float64(c[1])*u.Y + float64(c[2])*u.Z
		r.populations.Set(cell, i, r.set.Weights[i]*(density+3*cu+4.5*cu*cu-1.5*square))
	}
}

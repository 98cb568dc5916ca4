package airflow

import (
	"math"

	"carina/solver"
	"carina/solver/airflow/update"
	"carina/solver/lattice"
)

// StrainRate returns the rate of strain ½(∂_a u_b + ∂_b u_a) in the rank's own
// cells, in 1/s, for the components xx, yy, zz, xy, xz and yz. It comes from
// what the populations are out of equilibrium, without differences between
// cells. Call it after an even number of steps.
func (r *Rank) StrainRate() ([6][]float32, error) { return r.kernel.StrainRate() }

// ShearStress returns the largest shear stress in the rank's own cells, in Pa:
// next to a wall, the wall shear stress half a cell inside.
func (r *Rank) ShearStress() ([]float32, error) { return r.kernel.ShearStress() }

// StrainRate is as Rank's.
func (r *bound) StrainRate() ([6][]float32, error) {
	var s [6][]float32
	for i := range s {
		s[i] = make([]float32, r.layout.Fluid)
	}
	// S = −3/(2τ) Π (Chapman–Enskog), per step.
	factor := -1.5 / r.units.RelaxationTime() / r.units.TimeStep
	r.eachStress(func(index int32, stress [6]float64) {
		for i := range s {
			s[i][index] = float32(factor * stress[i])
		}
	})
	return s, nil
}

// ShearStress is as Rank's.
func (r *bound) ShearStress() ([]float32, error) {
	shear := make([]float32, r.layout.Fluid)
	viscosity := r.units.KinematicViscosity * r.units.Density
	factor := 1.5 / r.units.RelaxationTime() / r.units.TimeStep
	r.eachStress(func(index int32, s [6]float64) {
		// √(2 S:S) is the shear rate of simple shear.
		sum := s[0]*s[0] + s[1]*s[1] + s[2]*s[2] + 2*(s[3]*s[3]+s[4]*s[4]+s[5]*s[5])
		shear[index] = float32(viscosity * factor * math.Sqrt(2*sum))
	})
	return shear, nil
}

// eachStress calls f for all own cells, by their index in Fields, with the
// second moments that arrive, less those of the equilibrium.
func (r *bound) eachStress(f func(index int32, stress [6]float64)) {
	r.eachBlock(func(i int, w *update.Workspace) {
		r.eachPart(int32(i), w, func(p *solver.Piece, cell, count int32, populations *update.Window) {
			for lane := range count {
				f(p.Index+cell-p.Local+lane, r.stress(populations, lane))
			}
		})
	})
}

func (r *bound) stress(populations *update.Window, lane int32) (stress [6]float64) {
	var density float64
	u := [3]float64{r.force[0] / 2, r.force[1] / 2, r.force[2] / 2}
	for i, c := range r.set.Velocities {
		v := populations[i][lane]
		density += v
		for a := range 3 {
			u[a] += float64(c[a]) * v
		}
		for k, ab := range lattice.TensorAxes {
			stress[k] += float64(c[ab[0]]*c[ab[1]]) * v
		}
	}
	for k, ab := range lattice.TensorAxes {
		stress[k] -= u[ab[0]] * u[ab[1]]
		// Half the force's own stress, −½(u F + F u), is in the moments.
		stress[k] += 0.5 * (u[ab[0]]*r.force[ab[1]] + r.force[ab[0]]*u[ab[1]])
		if ab[0] == ab[1] {
			stress[k] -= density / 3
		}
	}
	return stress
}

package kernel

import "carina/solver/lattice"

// Moments are density and velocity of the cells of a window, in lattice units. A Summer has
// the velocity behind the density.
type Moments struct {
	Density  [WindowCells]float64
	Velocity [3][WindowCells]float64
}

// AddUp adds up the populations of all lanes in their order, WindowCells of each, and half
// the force to the momentum, as the equilibrium has it.
func AddUp[T Real](m *Moments, set *lattice.Set, half *[3]float64, gathered []T) {
	rest := (*[WindowCells]T)(gathered)
	for lane, v := range rest {
		m.Density[lane] = float64(v)
	}
	for a := range m.Velocity {
		u, half := &m.Velocity[a], half[a]
		for lane, v := range rest {
			u[lane] = half + 0*float64(v) // no number if that at rest is none
		}
	}
	for i := 1; i < set.Q; i++ {
		values := (*[WindowCells]T)(gathered[i*WindowCells:])
		for lane, v := range values {
			m.Density[lane] += float64(v)
		}
		for a, component := range set.Velocities[i] {
			u := &m.Velocity[a]
			switch component {
			case 1:
				for lane, v := range values {
					u[lane] += float64(v)
				}
			case -1:
				for lane, v := range values {
					u[lane] -= float64(v)
				}
			}
		}
	}
}

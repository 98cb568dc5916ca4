package update

import "carina/solver/lattice"

// Moments are density and velocity of the cells of a window, in lattice units.
type Moments struct {
	Density  [windowCells]float64
	Velocity [3][windowCells]float64
}

// Moments adds half the force to the momentum, as the equilibrium has it.
func (s *populations[T, S]) Moments(block int32, odd bool, force [3]float64, w *Workspace, f func(cell, count int32, m *Moments)) {
	gathered := s.gathered(w)
	s.gather(block, odd, w, func(cell, count int32) {
		momentsOf(&w.moments, s.layout.set, &force, gathered)
		f(cell, count, &w.moments)
	})
}

// momentsOf adds up the populations of all lanes in their order.
func momentsOf[T float32 | float64](m *Moments, set *lattice.Set, force *[3]float64, gathered []T) {
	rest := (*[windowCells]T)(gathered)
	for lane, v := range rest {
		m.Density[lane] = float64(v)
	}
	for a := range m.Velocity {
		u, half := &m.Velocity[a], force[a]/2
		for lane, v := range rest {
			u[lane] = half + 0*float64(v) // no number if that at rest is none
		}
	}
	for i := 1; i < set.Q; i++ {
		values := (*[windowCells]T)(gathered[i*windowCells:])
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

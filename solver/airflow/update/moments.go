package update

import (
	"unsafe"

	"carina/solver/airflow/kernel"
)

// Moments adds half the force to the momentum, as the equilibrium has it.
func (s *populations[T, S]) Moments(block int32, odd bool, force [3]float64, w *Workspace, f func(cell, count int32, m *kernel.Moments)) {
	gathered := s.gathered(w)
	half := [3]float64{force[0] / 2, force[1] / 2, force[2] / 2}
	s.gather(block, odd, w, func(cell, count int32) {
		if s.gatheredVector != nil {
			s.gatheredVector.Sum(&w.moments.Density[0], (*byte)(unsafe.Pointer(&gathered[0])), &half[0])
		} else {
			kernel.AddUp(&w.moments, s.layout.set, &half, gathered)
		}
		f(cell, count, &w.moments)
	})
}

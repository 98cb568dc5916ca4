package gpu

import "sync/atomic"

// StrainRate returns the rate of strain in all own cells, in 1/s, for the
// components xx, yy, zz, xy, xz and yz.
func (s *bound) StrainRate() ([6][]float32, error) {
	var strain [6][]float32
	for i := range strain {
		strain[i] = make([]float32, s.layout.Fluid)
	}
	u := s.flow.Units
	factor := -1.5 / u.RelaxationTime() / u.TimeStep
	err := s.gather(s.observer("stress", stressComponents), len(strain), [][]uint64{s.reals(factor)}, func(index int32, cell []float32) {
		for i, v := range cell {
			strain[i][index] = v
		}
	})
	return strain, err
}

// ShearStress returns the largest shear stress in all own cells, in Pa: next to a
// wall, the wall shear stress half a cell inside.
func (s *bound) ShearStress() ([]float32, error) {
	shear := make([]float32, s.layout.Fluid)
	u := s.flow.Units
	factor := u.KinematicViscosity * u.Density * 1.5 / u.RelaxationTime() / u.TimeStep
	err := s.gather(s.observer("stress", stressOfShear), 1, [][]uint64{s.reals(factor)}, func(index int32, cell []float32) { shear[index] = cell[0] })
	return shear, err
}

// LimitedCells counts the cells in which the traceless stress is above a norm.
func (s *bound) LimitedCells(stress float64) (int64, error) {
	var count atomic.Int64
	err := s.gather(s.observer("stress", stressTraceless), 1, [][]uint64{s.reals(1)}, func(_ int32, cell []float32) {
		if float64(cell[0]) > stress {
			count.Add(1)
		}
	})
	return count.Load(), err
}

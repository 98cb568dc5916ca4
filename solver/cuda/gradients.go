package cuda

// StrainRate returns the rate of strain in all cells by global number, in 1/s,
// for the components xx, yy, zz, xy, xz and yz, as solver.Rank does. Call it
// after an even number of steps.
func (s *Solver) StrainRate() ([6][]float32, error) {
	var strain [6][]float32
	for i := range strain {
		strain[i] = make([]float32, s.flow.Domain.Grid.Cells())
	}
	u := s.flow.Units
	factor := -1.5 / u.RelaxationTime() / u.TimeStep
	err := s.gather(s.observer("stress", stressComponents), len(strain), [][]uint64{s.reals(factor)}, func(global int64, cell []float32) {
		for i, v := range cell {
			strain[i][global] = v
		}
	})
	return strain, err
}

// ShearStress returns the largest shear stress in all cells by global number,
// in Pa: next to a wall, the wall shear stress half a cell inside.
func (s *Solver) ShearStress() ([]float32, error) {
	shear := make([]float32, s.flow.Domain.Grid.Cells())
	u := s.flow.Units
	factor := u.KinematicViscosity * u.Density * 1.5 / u.RelaxationTime() / u.TimeStep
	err := s.gather(s.observer("stress", stressOfShear), 1, [][]uint64{s.reals(factor)}, func(global int64, cell []float32) { shear[global] = cell[0] })
	return shear, err
}

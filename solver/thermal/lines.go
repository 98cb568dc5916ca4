package thermal

import (
	"carina/solver"
	"carina/solver/thermal/arithmetic"
	"carina/solver/twocopies"
)

// Line is sums over the cells of a row or of a column, with velocity and temperature in the
// middle of a step; energy is without that of height.
type Line struct {
	Mass            float64
	Momentum        [2]float64
	Energy, Kinetic float64
	Velocity        [2]float64
	Temperature     float64
	Pressure        float64
}

// Lines sums over the rows of all ranks, which axis 1 numbers, or over the columns, on any
// device and with the same bits on any. All ranks call it. The gas has the rank for itself.
func (g *Gas) Lines(r *solver.Rank, axis int) ([]Line, error) {
	sums, err := twocopies.Lines(r, axis)
	lines := make([]Line, len(sums)/arithmetic.Terms)
	for i := range lines {
		of := sums[i*arithmetic.Terms:]
		lines[i] = Line{
			Mass: of[arithmetic.Mass], Momentum: [2]float64{of[arithmetic.MomentumX], of[arithmetic.MomentumY]}, Energy: of[arithmetic.Energy], Kinetic: of[arithmetic.Kinetic],
			Velocity: [2]float64{of[arithmetic.VelocityX], of[arithmetic.VelocityY]}, Temperature: of[arithmetic.Temperature], Pressure: of[arithmetic.Pressure],
		}
	}
	return lines, err
}

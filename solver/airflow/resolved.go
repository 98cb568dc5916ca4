package airflow

import (
	"math"
	"slices"
)

// ResolutionFields tell how well each cell resolves the flow.
type ResolutionFields struct {
	// CellReynolds is |u|Δx/ν. YPlus is half a spacing over the viscous length of the shear
	// stress in cells with a link to a wall, 0 in others.
	CellReynolds, YPlus []float32
	// Resolved is the part of the dissipation that the fluid's own viscosity makes, beside
	// that of the limiter or of Smagorinsky: 1 where these do not act.
	Resolved []float32
}

// TellsResolution tells whether there are ResolutionFields and a Resolution: not where cells
// are very many, or ranks know a share of them.
func (r *Rank) TellsResolution() bool {
	return r.domain.CellCount() <= grainCells && r.domain.Share == nil
}

// ResolutionFields are those of the rank's own cells, given their fields. Call it after an
// even number of steps, where TellsResolution.
func (r *Rank) ResolutionFields(f *Fields) (*ResolutionFields, error) {
	strain, err := r.StrainRate()
	if err != nil {
		return nil, err
	}
	n := len(f.Pressure)
	out := &ResolutionFields{make([]float32, n), make([]float32, n), make([]float32, n)}
	u := r.units
	perVelocity, tau := u.Spacing/u.KinematicViscosity, u.RelaxationTime()
	viscosity := (tau - 0.5) / 3
	links, at := &r.domain.Grid.Links, 0
	for _, p := range r.layout.Pieces {
		first := r.domain.InGrid(p.Global)
		at, _ = slices.BinarySearch(links.Cells, first)
		for cell := range int64(p.Cells()) {
			i := p.Index + int32(cell)
			v := [3]float64{float64(f.Velocity[0][i]), float64(f.Velocity[1][i]), float64(f.Velocity[2][i])}
			out.CellReynolds[i] = float32(perVelocity * math.Sqrt(v[0]*v[0]+v[1]*v[1]+v[2]*v[2]))
			square, effective := r.strainSquare(&strain, i, tau)
			out.Resolved[i] = float32(viscosity / effective)
			if at == len(links.Cells) || links.Cells[at] != first+cell {
				continue
			}
			if wall, _ := r.faced(at); wall {
				out.YPlus[i] = float32(yPlus(square, effective, viscosity))
			}
			at++
		}
	}
	return out, nil
}

// yPlus is half a cell over the viscous length of the shear stress in a cell, given S:S and
// the viscosity that acts, in lattice units.
func yPlus(square, effective, viscosity float64) float64 {
	return math.Sqrt(effective*math.Sqrt(2*square)) / 2 / viscosity
}

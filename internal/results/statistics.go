package results

import (
	"fmt"
	"math"

	"carina/internal/run"
	"carina/output"
	"carina/output/vtk"
	"carina/solver/airflow"
	"carina/solver/airflow/moments"
)

// The files of statistics over the time, and of those by phase.
const (
	statisticsFile, statisticsPiece     = "statistics.pvtu", "statistics_%04d.vtu"
	phaseFile, phasePiece, phasesListed = "phase_%03d.pvtu", "phase_%03d_%04d.vtu", "phases.pvd"
)

// furtherFields are what files of statistics have beside the means.
var furtherFields = []output.Array{{Name: "rms_pressure", Components: 1}, {Name: "rms_velocity", Components: 3}, {Name: "reynolds_stress", Components: 6}}

// statisticsNames are the names of all files of statistics, of all ranks.
func (r *Results) statisticsNames() (names []string) {
	phases := r.of.Phases
	if phases == 0 {
		return nil
	}
	names = append(names, statisticsFile)
	for rank := range r.ranks {
		names = append(names, fmt.Sprintf(statisticsPiece, rank))
		for k := range phases {
			if phases > 1 {
				names = append(names, fmt.Sprintf(phasePiece, k, rank))
			}
		}
	}
	if phases > 1 {
		names = append(names, phasesListed)
		for k := range phases {
			names = append(names, fmt.Sprintf(phaseFile, k))
		}
	}
	return names
}

// visitStatistics writes the pieces of a rank.
func (r *Results) visitStatistics(v *run.View) error {
	s := v.Statistics()
	if r.of.Phases == 0 || s.Phases() != r.of.Phases {
		return nil
	}
	write := func(name string, m *moments.Moments, err error) error {
		if err != nil {
			return err
		}
		return vtk.WriteVTU(r.path(name), statisticsOf(v, m))
	}
	all, err := s.All()
	if err := write(fmt.Sprintf(statisticsPiece, v.Rank()), all, err); err != nil || r.of.Phases == 1 {
		return err
	}
	for k := range r.of.Phases {
		m, err := s.Phase(k)
		if err := write(fmt.Sprintf(phasePiece, k, v.Rank()), m, err); err != nil {
			return err
		}
	}
	return nil
}

// statisticsOf makes a piece of moments.
func statisticsOf(v *run.View, m *moments.Moments) *output.Piece {
	piece := v.Piece(&airflow.Fields{Pressure: m.Pressure, Velocity: m.Velocity})
	root := func(square float32) float32 { return float32(math.Sqrt(math.Max(float64(square), 0))) }
	n := len(m.PressureSquare)
	pressure, velocity, stress := make([]float32, n), make([]float32, 3*n), make([]float32, 6*n)
	for i, square := range m.PressureSquare {
		pressure[i] = root(square)
		for k := range m.Stress {
			stress[6*i+k] = m.Stress[k][i]
			if k < 3 {
				velocity[3*i+k] = root(m.Stress[k][i])
			}
		}
	}
	for k, values := range [][]float32{pressure, velocity, stress} {
		a := furtherFields[k]
		a.Values = values
		piece.Further = append(piece.Further, a)
	}
	return piece
}

// writeStatistics ties the pieces of all ranks together. Summary says whether there are any.
func (r *Results) writeStatistics(s *airflow.Summary) error {
	if r.of.Phases == 0 {
		return nil
	}
	if s.Statistics == nil || s.Statistics.Phases != r.of.Phases {
		s.Warnings = append(s.Warnings, "there are no statistics, since the flow ended before the transient had left: compute for longer, or say from when on with --statistics-from")
		return nil
	}
	if n := s.Statistics.Empty; n > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("no sample fell into %d of the %d phases, whose statistics are zero, and those of all are not of a whole period: compute for longer, or say fewer with --phases", n, r.of.Phases))
	}
	tie := func(name string, seconds float64, piece func(rank int) string) error {
		sources := make([]string, r.ranks)
		for rank := range sources {
			sources[rank] = r.path(piece(rank))
		}
		return vtk.WritePVTU(r.path(name), r.frame, seconds, sources, furtherFields...)
	}
	if err := tie(statisticsFile, s.Time, func(rank int) string { return fmt.Sprintf(statisticsPiece, rank) }); err != nil || r.of.Phases == 1 {
		return err
	}
	var list []vtk.Snapshot
	for k := range r.of.Phases {
		// The middle of the phase in the first period.
		middle := (float64(k) + 0.5) / float64(r.of.Phases) * r.of.Period
		name := fmt.Sprintf(phaseFile, k)
		if err := tie(name, middle, func(rank int) string { return fmt.Sprintf(phasePiece, k, rank) }); err != nil {
			return err
		}
		list = append(list, vtk.Snapshot{Time: middle, Path: r.path(name)})
	}
	return vtk.WritePVD(r.path(phasesListed), list)
}

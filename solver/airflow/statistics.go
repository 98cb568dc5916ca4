package airflow

import (
	"math"

	"carina/solver/airflow/moments"
)

// Averaging says which statistics are taken of a flow.
type Averaging struct {
	// From is when they begin, in seconds. Where it is negative they begin when the
	// transient has left: after the start and an exchange of the air, when all quantities
	// are known (see package steadiness), at the latest in the middle of the plan; in a flow
	// with a period at the beginning of a cycle, after the first.
	From float64
	// Phases is into how many equal parts a period is divided; 1 without a period.
	Phases int
}

// statisticsInterval is how many steps lie between samples of statistics.
const statisticsInterval = 2 * checkInterval

// StatisticsBytes is what statistics take of memory for each cell and phase.
const StatisticsBytes = moments.CellBytes

// Statistics are those of the rank's own cells.
func (r *Rank) Statistics() *moments.Statistics { return r.kernel.Statistics() }

// addStatistics takes a sample where it is time for one, in a plan whose last step is known.
func (r *Rank) addStatistics(a *Averaging, last int64) error {
	steps := r.engine.Steps()
	if a == nil || steps%statisticsInterval != 0 {
		return nil
	}
	s := r.kernel.Statistics()
	if s.Phases() != a.Phases {
		if !r.settled(a, last) {
			return nil
		}
		if err := s.Begin(a.Phases, r.layout.Fluid, steps); err != nil {
			return err
		}
	}
	return s.Add(r.phase(a.Phases), r.ambientAfter(steps), func() (fields [4][]float32, err error) {
		f, err := r.kernel.Relative()
		if err == nil {
			copy(fields[:], f.arrays())
		}
		return fields, err
	})
}

// phase is the number of the present one of so many.
func (r *Rank) phase(of int) int {
	period := r.period()
	if of == 1 || period == 0 {
		return 0
	}
	// Half a step behind, so that rounding does not move a sample that lies at a limit.
	_, part := math.Modf((float64(r.engine.Steps()) + 0.5) * r.units.TimeStep / period)
	return min(int(part*float64(of)), of-1)
}

// period is that of the flow in seconds, 0 where it has none.
func (r *Rank) period() float64 {
	if period := r.settings.Period(); period > 0 {
		return period
	}
	return 0
}

// settled tells whether the transient has left, alike on all ranks.
func (r *Rank) settled(a *Averaging, last int64) bool {
	now := r.Time()
	if a.From >= 0 {
		return now >= a.From
	}
	least := r.rampSteps * r.units.TimeStep
	if flow := r.expected.inflow; flow > 0 {
		least += float64(r.domain.CellCount()) * math.Pow(r.units.Spacing, 3) / flow
	}
	middle := float64(last) / 2 * r.units.TimeStep
	least = min(least, middle)
	if period := r.period(); period > 0 {
		cycles := math.Max(1, math.Ceil(least/period))
		least, middle = cycles*period, math.Ceil(middle/period)*period
		// A cycle begins between this sample and the one before.
		_, part := math.Modf((now + r.units.TimeStep/2) / period)
		if part*period >= statisticsInterval*r.units.TimeStep {
			return false
		}
	}
	return now >= least && (now >= middle || r.still.Settled())
}

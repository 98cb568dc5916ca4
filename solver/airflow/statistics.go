package airflow

import (
	"math"
	"runtime"

	"carina/internal/parallel"
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

// How many numbers a cell has in one phase, means of them means of fields.
const (
	means             = 4
	statisticsNumbers = means + 7
	statisticsBytes   = 4 * statisticsNumbers
	statisticsName    = "statistics of phase %d of %d"
	statisticsHead    = 24
)

// StatisticsBytes is what statistics take of memory for each cell and phase.
const StatisticsBytes = statisticsBytes

// products are the components of the Reynolds stress, in VTK's order of a symmetric tensor.
var products = [6][2]int{{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}}

// Statistics are those of a rank's own cells. The zero value has none, and takes them in
// the host's memory.
type Statistics struct {
	// Sampler takes them in the memory of a device; nil where there is none.
	Sampler Sampler

	phases  []phase
	sampled bool  // by the sampler, which has room
	cells   int   // in each
	from    int64 // step of the first sample
	workers *parallel.Workers
}

// Sampler takes statistics on a device.
type Sampler interface {
	// Begin forgets what is there, makes room for so many phases, whose numbers are zero,
	// and tells whether there is room.
	Begin(phases int) (bool, error)
	// Add adds the present fields to a phase, of whose samples they are such a share.
	Add(phase int, share float32) error
	// Fetch fills in the numbers of a phase, Put replaces them.
	Fetch(phase int, n *Numbers) error
	Put(phase int, n *Numbers) error
}

// phase is one part of the period.
type phase struct {
	count int64
	// ambient is the mean of the ambient pressure, in Pa, to which those of the numbers are
	// relative.
	ambient float64
	numbers *Numbers // nil where the sampler has them
}

// Moments are statistics of all samples, or of those of one phase.
type Moments struct {
	// Samples is how many there are.
	Samples int64
	// Mean are the mean fields.
	Mean Fields
	// PressureSquare is the mean square of the deviation from the mean pressure, in Pa², but
	// for what all openings have in common, and Stress the mean products of those of the velocity, in m²/s²: xx, yy, zz, xy, yz and xz.
	PressureSquare []float32
	Stress         [6][]float32
}

// moments are those of a phase whose numbers are in the host's memory.
func (p *phase) moments() *Moments {
	m := &Moments{Samples: p.count, PressureSquare: p.numbers[means]}
	if m.Mean.Pressure = p.numbers[0]; p.ambient != 0 {
		m.Mean.Pressure = make([]float32, len(p.numbers[0]))
		for i, v := range p.numbers[0] {
			m.Mean.Pressure[i] = float32(float64(v) + p.ambient)
		}
	}
	copy(m.Mean.Velocity[:], p.numbers[1:means])
	copy(m.Stress[:], p.numbers[means+1:])
	return m
}

// make forgets what is there and makes room.
func (s *Statistics) make(phases, cells int) (err error) {
	s.phases, s.cells, s.sampled = make([]phase, phases), cells, false
	if s.Sampler != nil && phases > 0 {
		if s.sampled, err = s.Sampler.Begin(phases); err != nil {
			return err
		}
	}
	if !s.sampled {
		for i := range s.phases {
			s.phases[i].numbers = NewNumbers(cells)
		}
	}
	return nil
}

// onHost is a phase with its numbers in the host's memory.
func (s *Statistics) onHost(number int) (phase, error) {
	p := s.phases[number]
	if !s.sampled {
		return p, nil
	}
	p.numbers = NewNumbers(s.cells)
	return p, s.Sampler.Fetch(number, p.numbers)
}

// add adds the present fields of a kernel to a phase, under an ambient pressure.
func (s *Statistics) add(number int, k Kernel, ambient float64) error {
	p := &s.phases[number]
	p.count++
	p.ambient += (ambient - p.ambient) / float64(p.count)
	share := 1 / float32(p.count)
	if s.sampled {
		return s.Sampler.Add(number, share)
	}
	f, err := k.Relative()
	if err != nil {
		return err
	}
	if s.workers == nil {
		s.workers = parallel.New(runtime.GOMAXPROCS(0))
	}
	s.workers.Ranges(len(f.Pressure), func(from, to int) { p.numbers.add(f, from, to, share) })
	return nil
}

// Phases is how many there are, 0 where there are no statistics.
func (s *Statistics) Phases() int { return len(s.phases) }

// Phase are the statistics of a phase.
func (s *Statistics) Phase(number int) (*Moments, error) {
	p, err := s.onHost(number)
	if err != nil {
		return nil, err
	}
	return p.moments(), nil
}

// All are the statistics over the period, in which each phase with samples counts alike:
// deviations are from the mean of the phase.
func (s *Statistics) All() (*Moments, error) {
	if len(s.phases) == 1 {
		return s.Phase(0)
	}
	sum := phase{numbers: NewNumbers(s.cells)}
	n := float32(0)
	for i := range s.phases {
		if s.phases[i].count == 0 {
			continue
		}
		p, err := s.onHost(i)
		if err != nil {
			return nil, err
		}
		n++
		sum.count += p.count
		sum.ambient += (p.ambient - sum.ambient) / float64(n)
		for k, values := range p.numbers {
			for cell, v := range values {
				sum.numbers[k][cell] += (v - sum.numbers[k][cell]) / n
			}
		}
	}
	return sum.moments(), nil
}

// StatisticsSummary tells of statistics.
type StatisticsSummary struct {
	From    float64 `json:"from_s"`
	Samples int64   `json:"samples"`
	// Phases are into how many the period is divided, 1 without; Empty is how many of them
	// no sample fell into.
	Phases int `json:"phases"`
	Empty  int `json:"phases_without_samples,omitempty"`
}

// summary is nil where there are none.
func (s *Statistics) summary(timeStep float64) *StatisticsSummary {
	if len(s.phases) == 0 {
		return nil
	}
	all := &StatisticsSummary{From: float64(s.from) * timeStep, Phases: len(s.phases)}
	for i := range s.phases {
		all.Samples += s.phases[i].count
		if s.phases[i].count == 0 {
			all.Empty++
		}
	}
	return all
}

// Bytes is what they take of the host's memory.
func (s *Statistics) Bytes() int64 {
	if s.sampled {
		return 0
	}
	return int64(len(s.phases)) * int64(s.cells) * statisticsBytes
}

// Statistics are those of the rank's own cells.
func (r *Rank) Statistics() *Statistics { return r.kernel.Statistics() }

// addStatistics takes a sample where it is time for one, in a plan whose last step is known.
func (r *Rank) addStatistics(a *Averaging, last int64) error {
	steps := r.engine.Steps()
	if a == nil || steps%statisticsInterval != 0 {
		return nil
	}
	s := r.kernel.Statistics()
	if len(s.phases) != a.Phases {
		if !r.settled(a, last) {
			return nil
		}
		if err := s.make(a.Phases, r.layout.Fluid); err != nil {
			return err
		}
		s.from = steps
	}
	return s.add(r.phase(a.Phases), r.kernel, r.ambientAfter(steps))
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
	if flow := r.settings.Inflow(r.domain.Grid); flow > 0 {
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

package moments

import (
	"runtime"

	"carina/internal/parallel"
)

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
	// Pressure, in Pa, and Velocity, in m/s, are the means.
	Pressure []float32
	Velocity [3][]float32
	// PressureSquare is the mean square of the deviation from the mean pressure, in Pa², but
	// for what all openings have in common, and Stress the mean products of those of the velocity, in m²/s²: xx, yy, zz, xy, yz and xz.
	PressureSquare []float32
	Stress         [6][]float32
}

// moments are those of a phase whose numbers are in the host's memory.
func (p *phase) moments() *Moments {
	m := &Moments{Samples: p.count, PressureSquare: p.numbers[means]}
	if m.Pressure = p.numbers[0]; p.ambient != 0 {
		m.Pressure = make([]float32, len(p.numbers[0]))
		for i, v := range p.numbers[0] {
			m.Pressure[i] = float32(float64(v) + p.ambient)
		}
	}
	copy(m.Velocity[:], p.numbers[1:means])
	copy(m.Stress[:], p.numbers[means+1:])
	return m
}

// Begin forgets what is there and makes room, for a first sample after so many steps.
func (s *Statistics) Begin(phases, cells int, steps int64) error {
	s.from = steps
	return s.make(phases, cells)
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

// Add adds the present fields to a phase, under an ambient pressure: those that the sampler
// has, or pressure, relative to the ambient one, and velocity that a function returns.
func (s *Statistics) Add(number int, ambient float64, fields func() ([4][]float32, error)) error {
	p := &s.phases[number]
	p.count++
	p.ambient += (ambient - p.ambient) / float64(p.count)
	share := 1 / float32(p.count)
	if s.sampled {
		return s.Sampler.Add(number, share)
	}
	f, err := fields()
	if err != nil {
		return err
	}
	if s.workers == nil {
		s.workers = parallel.New(runtime.GOMAXPROCS(0))
	}
	s.workers.Ranges(s.cells, func(from, to int) { p.numbers.add(f, from, to, share) })
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

// Summary tells of statistics.
type Summary struct {
	From    float64 `json:"from_s"`
	Samples int64   `json:"samples"`
	// Phases are into how many the period is divided, 1 without; Empty is how many of them
	// no sample fell into.
	Phases int `json:"phases"`
	Empty  int `json:"phases_without_samples,omitempty"`
}

// Summary is nil where there are none.
func (s *Statistics) Summary(timeStep float64) *Summary {
	if len(s.phases) == 0 {
		return nil
	}
	all := &Summary{From: float64(s.from) * timeStep, Phases: len(s.phases)}
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
	return int64(len(s.phases)) * int64(s.cells) * CellBytes
}

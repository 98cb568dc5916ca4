package airflow

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime"

	"carina/internal/parallel"
	"carina/solver"
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

// The numbers of a cell in one phase: mean pressure and velocity, the mean squares of the
// deviations of these from the means, and the mean products of those of the velocity.
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

// Statistics are those of a rank's own cells. The zero value has none.
type Statistics struct {
	phases  []phase
	from    int64 // step of the first sample
	workers *parallel.Workers
}

// phase is one part of the period.
type phase struct {
	count int64
	// ambient is the mean of the ambient pressure, in Pa, to which those of the numbers are
	// relative.
	ambient float64
	// numbers are statisticsNumbers fields of all cells.
	numbers [statisticsNumbers][]float32
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

func (p *phase) moments() Moments {
	m := Moments{Samples: p.count, PressureSquare: p.numbers[means]}
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

func newPhase(cells int) phase {
	var p phase
	for i := range p.numbers {
		p.numbers[i] = make([]float32, cells)
	}
	return p
}

// Begin forgets what is there and makes room.
func (s *Statistics) begin(phases, cells int, step int64) {
	s.phases, s.from = make([]phase, phases), step
	for i := range s.phases {
		s.phases[i] = newPhase(cells)
	}
}

// add adds fields to a phase, whose pressure is relative to an ambient one.
func (s *Statistics) add(number int, f *Fields, ambient float64) {
	if s.workers == nil {
		s.workers = parallel.New(runtime.GOMAXPROCS(0))
	}
	p := &s.phases[number]
	p.count++
	p.ambient += (ambient - p.ambient) / float64(p.count)
	s.workers.Ranges(len(f.Pressure), func(from, to int) { p.add(f, from, to) })
}

// portion is how many cells are added at a time: their deviations stay in the cache.
const portion = 512

// add adds some cells: running means lose no precision with the number of samples (Welford
// 1962).
func (p *phase) add(f *Fields, from, to int) {
	share := 1 / float32(p.count)
	var before, after [means][portion]float32
	for ; from < to; from += portion {
		n := min(portion, to-from)
		for k, values := range f.arrays() {
			deviate(values[from:][:n], p.numbers[k][from:][:n], before[k][:n], after[k][:n], share)
		}
		multiply(before[0][:n], after[0][:n], p.numbers[means][from:][:n], share)
		for k, c := range products {
			multiply(before[1+c[0]][:n], after[1+c[1]][:n], p.numbers[means+1+k][from:][:n], share)
		}
	}
}

// deviate adds values to means of which they are a share, and sets their deviations from
// these before and after.
func deviate(values, mean, before, after []float32, share float32) {
	mean, before, after = mean[:len(values)], before[:len(values)], after[:len(values)]
	for i, v := range values {
		old := v - mean[i]
		m := mean[i] + float32(old*share)
		before[i], mean[i], after[i] = old, m, v-m
	}
}

// multiply adds products of deviations to means.
func multiply(before, after, mean []float32, share float32) {
	after, mean = after[:len(before)], mean[:len(before)]
	for i, v := range before {
		mean[i] += float32((float32(v*after[i]) - mean[i]) * share)
	}
}

// Phases are the statistics by phase, nil where there are none.
func (s *Statistics) Phases() []Moments {
	var list []Moments
	for i := range s.phases {
		list = append(list, s.phases[i].moments())
	}
	return list
}

// All are the statistics over the period, in which each phase with samples counts alike:
// deviations are from the mean of the phase.
func (s *Statistics) All() *Moments {
	if len(s.phases) == 1 {
		m := s.phases[0].moments()
		return &m
	}
	var sum phase
	n := float32(0)
	for i := range s.phases {
		p := &s.phases[i]
		if p.count == 0 {
			continue
		}
		if n++; n == 1 {
			sum = newPhase(len(p.numbers[0]))
		}
		sum.count += p.count
		sum.ambient += (p.ambient - sum.ambient) / float64(n)
		for k, values := range p.numbers {
			for cell, v := range values {
				sum.numbers[k][cell] += (v - sum.numbers[k][cell]) / n
			}
		}
	}
	m := sum.moments()
	return &m
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

// Bytes is the memory that they take.
func (s *Statistics) Bytes() int64 {
	if len(s.phases) == 0 {
		return 0
	}
	return int64(len(s.phases)) * int64(len(s.phases[0].numbers[0])) * statisticsBytes
}

// Beside is what the engine keeps of them: a value of all numbers for each cell and phase.
func (s *Statistics) Beside() []solver.Beside {
	var list []solver.Beside
	for i := range s.phases {
		p := &s.phases[i]
		head := binary.LittleEndian.AppendUint64(nil, uint64(p.count))
		head = binary.LittleEndian.AppendUint64(head, uint64(s.from))
		head = binary.LittleEndian.AppendUint64(head, math.Float64bits(p.ambient))
		values := make([]float32, statisticsNumbers*len(p.numbers[0]))
		for k, numbers := range p.numbers {
			for cell, v := range numbers {
				values[statisticsNumbers*cell+k] = v
			}
		}
		list = append(list, solver.Beside{Name: fmt.Sprintf(statisticsName, i, len(s.phases)), Every: 1, Bytes: statisticsBytes, Head: head, Values: bytesOf(values)})
	}
	return list
}

// LoadBeside takes over those among what the engine has kept, and returns the rest.
func (s *Statistics) LoadBeside(list []solver.Beside) (rest []solver.Beside, err error) {
	s.phases = nil
	for _, b := range list {
		var number, phases int
		if n, _ := fmt.Sscanf(b.Name, statisticsName, &number, &phases); n != 2 {
			rest = append(rest, b)
			continue
		}
		if number != len(s.phases) || number >= phases || b.Every != 1 || b.Bytes != statisticsBytes || len(b.Head) != statisticsHead {
			return nil, errRemembered
		}
		values := make([]float32, len(b.Values)/4)
		copy(bytesOf(values), b.Values)
		p := newPhase(len(values) / statisticsNumbers)
		p.count, s.from = int64(binary.LittleEndian.Uint64(b.Head)), int64(binary.LittleEndian.Uint64(b.Head[8:]))
		p.ambient = math.Float64frombits(binary.LittleEndian.Uint64(b.Head[16:]))
		if math.IsNaN(p.ambient) || p.count < 0 || s.from < 0 {
			return nil, errRemembered
		}
		for k, numbers := range p.numbers {
			for cell := range numbers {
				numbers[cell] = values[statisticsNumbers*cell+k]
			}
		}
		s.phases = append(s.phases, p)
	}
	return rest, nil
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
		s.begin(a.Phases, r.layout.Fluid, steps)
	}
	f, err := r.kernel.Relative()
	if err == nil {
		s.add(r.phase(a.Phases), f, r.ambientAfter(steps))
	}
	return err
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

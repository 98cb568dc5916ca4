package cuda

import (
	"bytes"
	"fmt"

	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/transport"
)

// prepare sets what acts in the next step: what the openings impose, uploaded
// if it has changed, and the body force.
func (s *Solver) prepare() error {
	if err := s.couple(); err != nil {
		return err
	}
	s.flow.Prepare(s.steps)
	if s.flow.Settings.ForceWaveform != nil {
		s.rates = s.ratesNow()
		for _, p := range s.parts {
			p.forgetRates()
		}
	}
	if len(s.flow.Openings) == 0 {
		return nil
	}
	imposed := s.imposing[:0]
	for _, o := range s.flow.Openings {
		numbers := numbersOfStep(&o)
		imposed = appendReals(imposed, s.bits, numbers[:]...)
	}
	s.imposing = imposed
	if bytes.Equal(imposed, s.imposed) {
		return nil
	}
	s.imposed, s.imposing = imposed, s.imposed
	for _, p := range s.parts {
		if err := p.device.upload(p.wallParts.openings, imposed); err != nil {
			return err
		}
	}
	return nil
}

// numbersOfStep is struct Opening of kernels/tile.h.
func numbersOfStep(o *opening.Imposed) [openingNumbersOfStep]float64 {
	velocity := 0.0
	if o.Velocity {
		velocity = 1
	}
	return [...]float64{velocity, o.Inflow, o.Density, o.Gradient, o.Fastest, o.Transition,
		o.Normal[0], o.Normal[1], o.Normal[2], o.TauPlus, o.TauRatio, o.Forgetting}
}

// couple tells the openings what flows through them, when it is time and once.
func (s *Solver) couple() error {
	if s.steps == s.coupled || !s.flow.Couples(s.steps) {
		return nil
	}
	outflow, areaDensity, err := s.sumOpenings()
	if err != nil {
		return err
	}
	s.flow.Couple(outflow, areaDensity)
	s.coupled = s.steps
	return nil
}

// sumOpenings adds up for every opening what has left through it in the last
// step, and the area times the density, both in fixed point.
func (s *Solver) sumOpenings() (outflow, areaDensity []int64, err error) {
	n := len(s.flow.Openings)
	outflow, areaDensity = make([]int64, n), make([]int64, n)
	for _, p := range s.parts {
		if err := p.launchOutflow(n); err != nil {
			return nil, nil, err
		}
	}
	all, sums := make([]int64, 2*n), make([]int64, 2*n)
	for _, p := range s.parts {
		if err := p.device.download(bytesOf(sums), p.sums); err != nil {
			return nil, nil, err
		}
		for i, v := range sums {
			all[i] += v
		}
	}
	if err := s.reduce(transport.Sum, all); err != nil {
		return nil, nil, fmt.Errorf("summing the flow through the openings: %w", err)
	}
	for i := range n {
		outflow[i], areaDensity[i] = all[2*i], all[2*i+1]
	}
	return outflow, areaDensity, nil
}

// launchOutflow makes a part sum over its cells at so many openings.
func (p *part) launchOutflow(openings int) error {
	if openings == 0 {
		return nil
	}
	if err := p.device.zero(p.sums, int64(openings)*sumBytes); err != nil {
		return err
	}
	cells := len(p.walls.openingCells)
	if cells == 0 {
		return nil
	}
	program := observer("outflow", p.tileLayout, 0, true)
	threads := 32 * program.warps
	return p.launch(program, launch{
		blocks: (cells + threads*cellsOfSum - 1) / (threads * cellsOfSum), threads: threads,
		arguments: append([][]uint64{p.wallParts.words()}, words(uint64(cells), uint64(p.sums))...),
	})
}

// sumBytes is what the sums of an opening take.
const sumBytes = 16

// OpeningSummaries returns the flow through the openings in the last step.
func (s *Solver) OpeningSummaries() ([]airflow.OpeningSummary, error) {
	if err := s.couple(); err != nil {
		return nil, err
	}
	outflow, areaDensity, err := s.sumOpenings()
	if err != nil {
		return nil, err
	}
	return s.flow.OpeningSummaries(outflow, areaDensity), nil
}

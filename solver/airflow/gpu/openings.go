package gpu

import (
	"carina/solver/airflow/opening"
	"carina/solver/cuda/device"
)

// numbersOfStep is struct Opening of kernels/flow.h.
func numbersOfStep(o *opening.Imposed) [openingNumbersOfStep]float64 {
	velocity := 0.0
	if o.Velocity {
		velocity = 1
	}
	return [...]float64{velocity, o.Inflow, o.Density, o.Gradient, o.Fastest, o.Transition,
		o.Normal[0], o.Normal[1], o.Normal[2], o.TauPlus, o.TauRatio, o.Forgetting, o.Differences}
}

// Collect adds up for every opening what has left through it in the last
// step, and the weights times the density, both in fixed point.
func (s *bound) Collect(_ int, sums []int64) error {
	if err := s.part.launchOutflow(len(sums) / 2); err != nil || len(sums) == 0 {
		return err
	}
	return s.part.Device.Download(device.BytesOf(sums), s.part.sums)
}

// launchOutflow makes a part sum over its cells at so many openings.
func (p *part) launchOutflow(openings int) error {
	if openings == 0 {
		return nil
	}
	if err := p.Device.Zero(p.sums, int64(openings)*sumBytes); err != nil {
		return err
	}
	cells := len(p.walls.openingCells)
	if cells == 0 {
		return nil
	}
	program := p.outflowProgram()
	if p.outflow.All == nil {
		threads := 32 * program.warps
		p.outflow = device.Launch{
			Blocks: (cells + threads*cellsOfSum - 1) / (threads * cellsOfSum), Threads: threads,
			Arguments: append([][]uint64{p.wallWords()}, device.Words(uint64(cells), uint64(p.sums))...),
		}.Prepared()
	}
	return p.launch(program, p.outflow)
}

// outflowProgram is the kernel that sums over cells at openings.
func (p *part) outflowProgram() program { return observer("outflow", p.Layout, 0, true) }

// sumBytes is what the sums of an opening take.
const sumBytes = 16

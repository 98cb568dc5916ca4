package gpu

import (
	"bytes"

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
		o.Normal[0], o.Normal[1], o.Normal[2], o.TauPlus, o.TauRatio, o.Forgetting, o.Returning, o.Differences, o.Stress}
}

// imposing is what the openings impose, and how it comes to the device: as far as it has
// changed and, where that is much, from pinned memory on the queue for borders. So neither the
// host waits for the device nor the cells of the interior for the copy.
type imposing struct {
	imposed []opening.Imposed // as delivered
	content []byte            // the same as on the device
	// pinned is memory of the host, of which the first part may not have been delivered yet.
	pinned []byte
	used   int
	sums   []byte // pinned, for what is measured at openings
}

// takenAlong is how many bytes, some openings' numbers, are sent along with the work of the
// main queue: drivers do that at once, and it takes less than queues that follow each other.
const takenAlong = 1 << 8

// pinnedTimes is how many times what all openings impose fits into the pinned memory.
const pinnedTimes = 2

// prepare makes room for so many openings, where a part meets any.
func (m *imposing) prepare(p *part, openings int) (err error) {
	if len(p.walls.openingCells) == 0 {
		return nil
	}
	m.imposed, m.content = make([]opening.Imposed, openings), make([]byte, openings*openingNumbersOfStep*realBytes(p.Bits))
	if m.pinned, err = p.Pin(pinnedTimes * int64(len(m.content))); err != nil {
		return err
	}
	m.sums, err = p.Pin(int64(openings) * sumBytes)
	return err
}

// impose delivers what the openings impose in the next step.
func (s *bound) impose() error {
	m := &s.imposing
	if len(m.imposed) == 0 {
		return nil
	}
	size := len(m.content) / len(m.imposed)
	first, end := len(m.imposed), 0
	for i := range m.imposed {
		now := s.flow.Openings[i : i+1]
		if bytes.Equal(device.BytesOf(now), device.BytesOf(m.imposed[i:i+1])) {
			continue
		}
		m.imposed[i] = now[0]
		numbers := numbersOfStep(&now[0])
		appendReals(m.content[:i*size], s.Bits, numbers[:]...)
		first, end = min(first, i), i+1
	}
	if end == 0 {
		return nil
	}
	return m.deliver(s.part, first*size, end*size)
}

// deliver copies a part of the content to the device.
func (m *imposing) deliver(p *part, first, end int) error {
	if end-first <= takenAlong {
		return p.Device.Upload(p.wallParts.openings+device.Address(first), m.content[first:end])
	}
	if m.used+end-first > len(m.pinned) {
		if err := p.Device.Settle(); err != nil {
			return err
		}
		m.used = 0
	}
	from := m.pinned[m.used:][:end-first]
	copy(from, m.content[first:end])
	m.used += len(from)
	// The step before has read what it overwrites.
	if err := p.Device.Follow(device.BorderQueue, device.MainQueue); err != nil {
		return err
	}
	if err := p.Device.Deliver(p.wallParts.openings+device.Address(first), from); err != nil {
		return err
	}
	if p.arriving = true; p.measuring { // openings come first, and do not wait for the border
		return p.arrive()
	}
	return nil
}

// Collect adds up for every opening what has left through it in the last
// step, and the weights times the density, both in fixed point.
func (s *bound) Collect(_ int, sums []int64) error {
	p, m := s.part, &s.imposing
	if len(m.sums) == 0 {
		return nil
	}
	if !p.measuring {
		if err := p.Device.Follow(device.BorderQueue, device.MainQueue); err != nil {
			return err
		}
	}
	p.measuring = false
	if err := p.launchOutflow(); err != nil {
		return err
	}
	if err := p.Device.Fetch(m.sums, p.sums); err != nil {
		return err
	}
	if err := p.Device.Settle(); err != nil {
		return err
	}
	m.used = 0
	copy(device.BytesOf(sums), m.sums)
	// The queue for borders follows the main one before it adds to them again.
	return p.Device.Zero(p.sums, int64(len(m.sums)))
}

// launchOutflow makes a part sum over its cells at openings, on the queue for borders.
func (p *part) launchOutflow() error {
	program := p.outflowProgram()
	if p.outflow.All == nil {
		cells, threads := len(p.walls.openingCells), 32*program.warps
		p.outflow = device.Launch{
			Blocks: (cells + threads*cellsOfSum - 1) / (threads * cellsOfSum), Threads: threads,
			Arguments: append([][]uint64{p.wallWords()}, device.Words(uint64(cells), uint64(p.sums))...),
		}.Prepared()
	}
	return p.launchOn(device.BorderQueue, program, p.outflow)
}

// outflowProgram is the kernel that sums over cells at openings.
func (p *part) outflowProgram() program { return observer("outflow", p.Layout, 0, true) }

// sumBytes is what the sums of an opening take.
const sumBytes = 16

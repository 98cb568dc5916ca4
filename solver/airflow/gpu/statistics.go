package gpu

import (
	"fmt"
	"math"

	"carina/solver/airflow/moments"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
	"carina/solver/expression"
)

// sampler takes statistics on the device, of the fields that are kept there.
type sampler struct {
	on     *bound
	kernel device.Kernel
	// phases is where the numbers of each lie: each number of all cells, tile by tile as
	// the kept fields.
	phases []device.Address
}

var _ moments.Sampler = (*sampler)(nil)

// Statistics are those of the cells.
func (s *bound) Statistics() *moments.Statistics { return &s.statistics }

// cells is how many there are, whole tiles of them.
func (a *sampler) cells() int64 { return int64(len(a.on.part.Numbers)) * tiling.Cells }

// at is where a number of a phase lies.
func (a *sampler) at(phase, number int) device.Address {
	return a.phases[phase] + device.Address(4*int64(number)*a.cells())
}

// Begin makes room, if the device has it.
func (a *sampler) Begin(phases int) (room bool, err error) {
	if len(a.phases) != phases {
		if room, err = a.reserve(phases); err != nil || !room {
			return false, err
		}
	}
	for _, at := range a.phases {
		if err := a.on.part.Device.Zero(at, a.bytes()); err != nil {
			return false, err
		}
	}
	return true, nil
}

// bytes is the memory of a phase.
func (a *sampler) bytes() int64 { return a.cells() * moments.CellBytes }

// reserve makes room for so many phases and for the fields that they are of, and tells
// whether there is. A quarter of what is free stays so, for what is short-lived.
func (a *sampler) reserve(phases int) (room bool, err error) {
	if err := a.close(); err != nil {
		return false, err
	}
	if room, err := a.on.reserve(); err != nil || !room {
		return false, err
	}
	spare, err := a.on.on.Spare()
	if err != nil || int64(phases)*a.bytes() > spare/4*3 {
		return false, err
	}
	p := a.on.part
	if a.kernel == nil {
		if a.kernel, err = p.Device.Compile(statisticsSource()); err != nil {
			return false, err
		}
	}
	for range phases {
		at, err := p.Device.Allocate(a.bytes())
		if err != nil { // others take of the memory, too
			return false, a.close()
		}
		a.phases = append(a.phases, at)
		p.Bytes += a.bytes()
	}
	return true, nil
}

// close gives the memory back.
func (a *sampler) close() error {
	p := a.on.part
	for len(a.phases) > 0 {
		last := len(a.phases) - 1
		if err := p.Device.Free(a.phases[last]); err != nil {
			return err
		}
		a.phases = a.phases[:last]
		p.Bytes -= a.bytes()
	}
	return nil
}

// statisticsWarps are those of a block.
const statisticsWarps = 8

// statisticsSource is the kernel, which knows nothing of the flow.
func statisticsSource() device.Source {
	const name, blocks = "statistics", 4
	return device.Source{Name: name, Constants: fmt.Sprintf("#define WARPS %d\n#define BLOCKS %d\n", statisticsWarps, blocks), Body: expression.CHelpers + kernelText(name+".cu")}
}

// Add adds the fields that are kept, the present ones.
func (a *sampler) Add(phase int, share float32) error {
	s := a.on
	if !s.kept.full || s.kept.steps != s.steps {
		if err := s.Keep(); err != nil {
			return err
		}
	}
	const threads = 32 * statisticsWarps
	return s.part.Device.Launch(device.MainQueue, a.kernel, device.Launch{
		Blocks: int((a.cells() + threads - 1) / threads), Threads: threads,
		Arguments: device.Words(uint64(s.kept.fields), uint64(a.phases[phase]), uint64(a.cells()), uint64(math.Float32bits(share))),
	})
}

// Fetch fills in the numbers of a phase.
func (a *sampler) Fetch(phase int, n *moments.Numbers) error {
	return a.each(n, func(number int, at device.Address, cells []float32, scatter scatter) error {
		if err := a.on.part.Device.Download(device.BytesOf(cells), a.at(phase, number)+at); err != nil {
			return err
		}
		scatter(func(index int32, cell []float32) { n[number][index] = cell[0] })
		return nil
	})
}

// Put replaces them.
func (a *sampler) Put(phase int, n *moments.Numbers) error {
	return a.each(n, func(number int, at device.Address, cells []float32, scatter scatter) error {
		clear(cells)
		scatter(func(index int32, cell []float32) { cell[0] = n[number][index] })
		return a.on.part.Device.Upload(a.at(phase, number)+at, device.BytesOf(cells))
	})
}

// each calls f for portions of each of the numbers of all cells.
func (a *sampler) each(n *moments.Numbers, f func(number int, at device.Address, cells []float32, scatter scatter) error) error {
	for number := range n {
		err := a.on.eachNumbers(1, func(at device.Address, cells []float32, scatter scatter) error { return f(number, at, cells, scatter) })
		if err != nil {
			return err
		}
	}
	return nil
}

package gpu

import (
	"fmt"

	"carina/solver/airflow"
	"carina/solver/cuda/device"
)

// MemoryUse is what a rank takes of its GPU's memory.
type MemoryUse struct {
	Rank   int
	Device string
	// Needs is what its part of the computation takes; Free was free before.
	Needs, Free int64
}

// String is a sentence.
func (m MemoryUse) String() string {
	return fmt.Sprintf("rank %d needs %.2f GB of the %.2f GB that are free on its %s", m.Rank, float64(m.Needs)/1e9, float64(m.Free)/1e9, m.Device)
}

// MemoryOf is that of a rank; ok tells whether it is on a GPU.
func MemoryOf(r *airflow.Rank) (use MemoryUse, ok bool) {
	s, ok := r.Kernel().(*bound)
	if !ok {
		return use, false
	}
	return s.part.memory, true
}

// needs returns the memory that the part takes on its device.
func (p *part) needs() int64 {
	const mask, position, order = 8, 12, 4
	n := p.Needs(p.askedLinks()) + int64(len(p.Numbers))*(mask+position+order)
	t := p.walls
	if len(t.links) == 0 {
		return n
	}
	real := int64(realBytes(p.Bits))
	const ofStep = 2 // outflow and memory
	n += device.SizeOf(t.ranges) + device.SizeOf(t.cells) + device.SizeOf(t.links) + int64(len(t.links))*int64(p.ValueBytes())
	for _, list := range p.openTiles {
		n += device.SizeOf(list)
	}
	n += device.SizeOf(t.openingCells) + int64(len(t.openingCells))*sampleBytes(p.Bits)
	return n + int64(len(t.openingLinks))*(openingLinkBytes(p.Bits)+ofStep*real)
}

// openingLinkBytes and sampleBytes are the sizes of struct OpeningLink and struct
// Sample of kernels/flow.h.
func openingLinkBytes(bits int) int64 {
	if realBytes(bits) == 8 {
		return 64
	}
	return 32
}

func sampleBytes(bits int) int64 {
	if realBytes(bits) == 8 {
		return 80
	}
	return 48
}

// checkMemory says before anything is allocated whether it will fit.
func (p *part) checkMemory() error {
	free, _, err := p.Device.Memory()
	if err != nil {
		return err
	}
	p.memory = MemoryUse{p.Subdomain.Rank, p.Device.Name(), p.needs(), free}
	if p.memory.Needs > free {
		return fmt.Errorf("%v; use 16-bit storage, more GPUs or a coarser spacing", p.memory)
	}
	return nil
}

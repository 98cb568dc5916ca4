package gpu

import (
	"fmt"

	"carina/geometry"
	"carina/internal/machine"
	"carina/internal/quantity"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/tiling"
)

// MemoryUse is what a rank takes of its GPU's memory.
type MemoryUse struct {
	Rank   int
	Device string
	// Needs is what its part of the computation takes; Free was free before.
	Needs, Free int64
	// InHost of what it needs is in the host's memory instead.
	InHost int64
}

// String is a sentence.
func (m MemoryUse) String() string {
	s := fmt.Sprintf("rank %d needs %s of the %s that are free on its %s", m.Rank, quantity.FormatBytes(m.Needs), quantity.FormatBytes(m.Free), m.Device)
	if m.InHost > 0 {
		s += fmt.Sprintf(", %s of these in the host's memory", quantity.FormatBytes(m.InHost))
	}
	return s
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

// checkMemory says before anything is allocated whether it will fit, and what of it lies in
// the host's memory where that is allowed.
func (p *part) checkMemory(o Options) error {
	free, _, err := p.Device.Memory()
	if err != nil {
		return err
	}
	p.memory = MemoryUse{Rank: p.Subdomain.Rank, Device: p.Device.Name(), Needs: p.needs(), Free: free}
	most := o.Memory
	if o.HostMemory {
		return p.splitMemory(most)
	}
	switch {
	case p.memory.Needs > free:
		return fmt.Errorf("%v; use 16-bit storage, more GPUs, cores beside them or a coarser spacing", p.memory)
	case most > 0 && p.memory.Needs > most:
		return fmt.Errorf("rank %d needs %s of its %s and may take %s; allow more, or use 16-bit storage, more GPUs, cores beside them or a coarser spacing", p.memory.Rank, quantity.FormatBytes(p.memory.Needs), p.memory.Device, quantity.FormatBytes(most))
	}
	return nil
}

// splitMemory leaves as many populations as fit on the device, which may take at most so
// much of its memory, and the others in the host's.
func (p *part) splitMemory(most int64) error {
	const spared = 1 << 28 // for what is allocated now and then
	holds := p.memory.Free - spared
	if most > 0 {
		holds = min(most, p.memory.Free)
	}
	beyond := p.memory.Needs - holds
	if beyond <= 0 {
		return nil
	}
	if populations := p.AskedOffset(); beyond > populations {
		return fmt.Errorf("rank %d needs %s of its %s beside the populations, and it may take %s; allow more, or use more GPUs or a coarser spacing", p.memory.Rank, quantity.FormatBytes(p.memory.Needs-populations), p.memory.Device, quantity.FormatBytes(holds))
	}
	p.InHost, p.memory.InHost = beyond, beyond
	return machine.AdmitFor(fmt.Sprintf("what the %s does not hold of rank %d", p.memory.Device, p.memory.Rank), beyond, "use 16-bit storage, more GPUs or a coarser spacing")
}

// MemoryEstimate is about what a flow on a grid takes of the memory of GPUs, all together.
func MemoryEstimate(grid *geometry.Grid, s airflow.Settings, storage Storage) (int64, error) {
	domain := solver.WholeDomain(grid)
	set, err := tiling.NewPositions(domain)
	if err != nil {
		return 0, err
	}
	l := tiling.Layout{Bits: 8 * s.Precision.Bytes(), Directions: 18}
	if s.Lattice == airflow.D3Q27 {
		l.Directions = 26
	}
	if storage == Half || s.Precision == airflow.Half {
		l.Bits = 16
	}
	const ofTile, ofCell, ofLink = 64, 16, 8 // masks, positions and ranges; walls
	tiles, links := int64(len(set.Position)), int64(len(grid.Links.Distance))
	n := tiles*(l.TileBytes()+int64(4*l.Directions)+ofTile) + ofCell*int64(grid.Links.Len()) + links*(ofLink+int64(l.ValueBytes()))
	return n, nil
}

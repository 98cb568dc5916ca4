package update

import (
	"unsafe"

	"carina/solver/airflow/kernel"
	"carina/solver/lattice"
)

// Workspace is the scratch memory of one worker.
type Workspace struct {
	// gathered are the populations of a window, windowCells for each.
	gathered []float64
	// slots points to the populations in gathered, taken as float32 and as
	// float64.
	slots [2][]*byte
	// packed are the same as they are in memory, where that is 16 bits.
	packed []kernel.Float16
	dither kernel.Dither
	// arrived is room for the populations that arrive in a window.
	arrived Window
	// moments is room for those of a window.
	moments kernel.Moments
	// words is room for the windows of a block in an even step.
	words []uint32
	// registers is where assembly keeps values that do not fit into registers.
	registers *byte
}

// NewWorkspace makes one for a set of velocities.
func NewWorkspace(set *lattice.Set) *Workspace {
	const mostPopulations = 27
	const line = 64
	memory := make([]float64, mostPopulations*windowCells+(kernel.ScratchBytes+2*line)/8)
	align := func(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(p, -uintptr(p)&(line-1)) }
	first := align(unsafe.Pointer(&memory[0]))
	const mostWindows = (blockCells + windowCells) / windowCells
	w := &Workspace{words: make([]uint32, 0, 2*mostWindows),
		packed: make([]kernel.Float16, mostPopulations*windowCells), gathered: unsafe.Slice((*float64)(first), mostPopulations*windowCells)}
	for i := range mostPopulations {
		for k := range w.slots {
			w.slots[k] = append(w.slots[k], (*byte)(unsafe.Add(first, 4*(k+1)*windowCells*i)))
		}
	}
	w.registers = (*byte)(align(unsafe.Add(first, 8*mostPopulations*windowCells)))
	kernel.PrepareScratch(w.registers, set)
	return w
}

package airflow

import (
	"unsafe"

	"carina/solver/airflow/collision"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/opening"
	"carina/solver/expression"
	"carina/solver/lattice"
	"carina/solver/processor"
)

// state is the populations of one rank and what is done with them.
// populations implements it for each precision.
//
// Streaming is in place (the A-A pattern of Bailey et al. 2009). Before an
// even step the slots of a cell hold what arrives there; an even step works
// on the cell alone and leaves what departs along i in slot ī; an odd step
// finds what arrives in the neighbours' slots and leaves what departs there.
type state interface {
	// step updates the cells of a chunk.
	step(c *chunk, odd bool, o *opening.States, w *workspace)
	// arriving gives the populations that arrive at the cells of a chunk, before an
	// even or odd step, wall corrections included, window by window.
	arriving(c *chunk, odd bool, w *workspace, f func(cell, count int32, populations *[27][windowCells]float64))
	// set writes a population of a cell, before an even step.
	set(cell int32, p int, value float64)
	// curve makes the linear corrections of walls quadratic, between steps.
	curve(links []curveLink, odd bool, received []byte)
	// retune changes the parameters of the collision.
	retune(parameters map[string]float64)
	// leaving computes what leaves the cells of a window whose arriving
	// populations are given, without changing the state.
	leaving(populations *[27][windowCells]float64, w *workspace)
	// machine is the instruction set of the kernels.
	machine() string
}

// populations are the slots of all cells, one array per population, in memory
// as S and computed with as T.
type populations[T kernel.Real, S kernel.Stored] struct {
	kernel.Slots[S]
	layout *layout
	stride int
	// local is the plain Go kernel and table its table, for gathered
	// populations.
	local   kernel.Local[T]
	table   *kernel.Table[T]
	program *expression.Program
	// vector is assembly for the populations in memory, with the table stored,
	// and gatheredVector for gathered ones; nil if there is none. Slots points to
	// the slots of each population as kernel.CorrectedSlots says.
	vector, gatheredVector *kernel.Vector
	stored                 *kernel.Table[T]
	storedProgram          *expression.Program
	slots                  []*byte
}

var (
	_ state = (*populations[float32, float32])(nil)
	_ state = (*populations[float64, float64])(nil)
	_ state = (*populations[float32, kernel.Float16])(nil)
)

// newPopulations returns populations in the memory of a device, given the number of
// their first array.
func newPopulations[T kernel.Real, S kernel.Stored](l *layout, d *processor.Device, array int32, v collision.Variant, parameters map[string]float64) (*populations[T, S], error) {
	local, err := kernel.NewLocal[T](v)
	if err != nil {
		return nil, err
	}
	scaled := v
	scaled.Scaled = kernel.IsHalf[S]()
	p := &populations[T, S]{layout: l, local: local, program: v.Program(), storedProgram: scaled.Program(), Slots: kernel.Slots[S]{Q: l.set.Q}}
	if p.table, err = kernel.NewTable[T](v, parameters); err != nil {
		return nil, err
	}
	if p.stored, err = kernel.NewTable[T](scaled, parameters); err != nil {
		return nil, err
	}
	p.Values, p.stride = processor.Values[S](d, array)
	p.slots = make([]*byte, kernel.CorrectedSlots)
	for i := range p.Q {
		p.Offset[i] = i * p.stride
		p.slots[i] = (*byte)(unsafe.Pointer(&p.Values[p.Offset[i]]))
		if i > 0 {
			p.slots[kernel.OppositeSlots+lattice.Opposite(i)] = p.slots[i]
		}
	}
	if machines := kernel.Machines(); len(machines) > 0 {
		p.vector = kernel.NewVector(machines[0], kernel.StorageOf[S](), v)
		p.gatheredVector = kernel.NewVector(machines[0], kernel.StorageOf[T](), v)
	}
	return p, nil
}

func (s *populations[T, S]) machine() string {
	if s.vector == nil {
		return "Go"
	}
	return s.vector.Machine
}

// eachWalled calls f for the walled windows of a chunk.
func (s *populations[T, S]) eachWalled(c *chunk, f func(i int, words []uint32)) {
	width := walledWidth(s.Q)
	for i := range int(c.walledEnd - c.walled) {
		f(i, s.layout.windows.walled[(int(c.walled)+i)*width:][:width])
	}
}

func (s *populations[T, S]) arriving(c *chunk, odd bool, w *workspace, f func(cell, count int32, populations *[27][windowCells]float64)) {
	populations := &w.arrived
	gathered, packed := s.gathered(w), s.packed(w)
	give := func(cell, count int32) {
		for i := range s.Q {
			for lane := range count {
				populations[i][lane] = float64(gathered[i*windowCells+int(lane)])
			}
		}
		f(cell, count, populations)
	}
	width := innerWidth(s.Q)
	for i := int(c.inner); i < int(c.innerEnd); i++ {
		words := s.layout.windows.inner[i*width:]
		s.moveInner(words, packed, odd, true)
		s.decode(w)
		give(int32(words[0]), int32(words[1]))
	}
	near := s.linkCursor(s.layout.near[c.near:])
	s.eachWalled(c, func(i int, words []uint32) {
		s.moveWalled(words, packed, odd, true)
		s.decode(w)
		correct[T, S](gathered, &near, i, int(int32(words[0])-c.cell))
		give(int32(words[0]), int32(words[1]))
	})
}

func (s *populations[T, S]) set(cell int32, p int, value float64) {
	kernel.Store(&s.Values[s.Offset[p]+int(cell)], T(value))
}

func (s *populations[T, S]) retune(parameters map[string]float64) {
	copy(s.table[:], expression.EvaluateTable[T](s.program, parameters))
	copy(s.stored[:], expression.EvaluateTable[T](s.storedProgram, parameters))
}

func (s *populations[T, S]) leaving(populations *[27][windowCells]float64, w *workspace) {
	gathered := s.gathered(w)
	for i := range s.Q {
		for lane, v := range populations[i] {
			gathered[i*windowCells+lane] = T(v)
		}
	}
	s.collide(w)
	for i := range s.Q {
		for lane := range windowCells {
			populations[i][lane] = float64(gathered[lattice.Opposite(i)*windowCells+lane])
		}
	}
}

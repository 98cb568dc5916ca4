package update

import (
	"unsafe"

	"carina/internal/simd"
	"carina/solver/airflow/collision"
	"carina/solver/airflow/kernel"
	"carina/solver/airflow/opening"
	"carina/solver/airflow/wall"
	"carina/solver/expression"
	"carina/solver/lattice"
	"carina/solver/processor"
)

// Populations are those of one rank and what is done with them. Their type is another
// for each precision.
//
// Streaming is in place (the A-A pattern of Bailey et al. 2009). Before an
// even step the slots of a cell hold what arrives there; an even step works
// on the cell alone and leaves what departs along i in slot ī; an odd step
// finds what arrives in the neighbours' slots and leaves what departs there.
type Populations interface {
	// Step updates the cells of a block.
	Step(block int32, odd bool, o *opening.States, w *Workspace)
	// Arriving gives the populations that arrive at the cells of a block, before an
	// even or odd step, wall corrections included, window by window.
	Arriving(block int32, odd bool, w *Workspace, f func(cell, count int32, populations *Window))
	// Moments gives the moments of what Arriving gives.
	Moments(block int32, odd bool, force [3]float64, w *Workspace, f func(cell, count int32, m *kernel.Moments))
	// Set writes a population of a cell, before an even step.
	Set(cell int32, p int, value float64)
	// CorrectQuadratic makes the corrections of walls in a block quadratic, between
	// steps.
	CorrectQuadratic(walls *wall.Quadratic, block int32, odd bool)
	// Retune changes the parameters of the collision.
	Retune(parameters map[string]float64)
	// Outgoing makes of the populations that arrive in a window those that leave its
	// cells, without changing the state.
	Outgoing(populations *Window, w *Workspace)
	// InstructionSet is that of the kernels.
	InstructionSet() string
}

// Window is the populations of the cells of a window.
type Window [27][windowCells]float64

// populations are the slots of all cells, one array per population, in memory
// as S and computed with as T.
type populations[T kernel.Real, S kernel.Stored] struct {
	kernel.Slots[S]
	layout *Layout
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
	_ Populations = (*populations[float32, float32])(nil)
	_ Populations = (*populations[float64, float64])(nil)
	_ Populations = (*populations[float32, kernel.Float16])(nil)
)

func newPopulations[T kernel.Real, S kernel.Stored](l *Layout, d *processor.Device, array int32, v collision.Variant, parameters map[string]float64) (*populations[T, S], error) {
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
	if err := simd.CheckMachines(); err != nil {
		return nil, err
	}
	if machines := simd.Machines(); len(machines) > 0 {
		p.vector = kernel.NewVector(machines[0], kernel.StorageOf[S](), v)
		p.gatheredVector = kernel.NewVector(machines[0], kernel.StorageOf[T](), v)
	}
	return p, nil
}

// New makes the populations of a precision in the memory of a device, given the number
// of their first array.
func New(precision kernel.Storage, l *Layout, d *processor.Device, array int32, v collision.Variant, parameters map[string]float64) (Populations, error) {
	switch precision {
	case kernel.Double:
		return newPopulations[float64, float64](l, d, array, v, parameters)
	case kernel.Half:
		return newPopulations[float32, kernel.Float16](l, d, array, v, parameters)
	}
	return newPopulations[float32, float32](l, d, array, v, parameters)
}

func (s *populations[T, S]) InstructionSet() string {
	if s.vector == nil {
		return "Go"
	}
	return s.vector.Machine
}

// eachWalled calls f for the walled windows of a block.
func (s *populations[T, S]) eachWalled(c *block, f func(i int, words []uint32)) {
	width := walledWidth(s.Q)
	for i := range int(c.walledEnd - c.walled) {
		f(i, s.layout.windows.walled[(int(c.walled)+i)*width:][:width])
	}
}

func (s *populations[T, S]) Arriving(block int32, odd bool, w *Workspace, f func(cell, count int32, populations *Window)) {
	populations, gathered := &w.arrived, s.gathered(w)
	s.gather(block, odd, w, func(cell, count int32) {
		for i := range s.Q {
			for lane := range count {
				populations[i][lane] = float64(gathered[i*windowCells+int(lane)])
			}
		}
		f(cell, count, populations)
	})
}

// gather leaves what arrives in a window in the worker's room and calls give, for all
// windows of a block.
func (s *populations[T, S]) gather(block int32, odd bool, w *Workspace, give func(cell, count int32)) {
	c := &s.layout.blocks[block]
	gathered, packed := s.gathered(w), s.packed(w)
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
		wall.Correct[T, S](gathered, &near, i, int(int32(words[0])-c.cell))
		give(int32(words[0]), int32(words[1]))
	})
}

func (s *populations[T, S]) CorrectQuadratic(walls *wall.Quadratic, block int32, odd bool) {
	wall.CorrectQuadratic[T](&s.Slots, walls, block, odd)
}

func (s *populations[T, S]) Set(cell int32, p int, value float64) {
	kernel.Store(&s.Values[s.Offset[p]+int(cell)], T(value))
}

func (s *populations[T, S]) Retune(parameters map[string]float64) {
	copy(s.table[:], expression.EvaluateTable[T](s.program, parameters))
	copy(s.stored[:], expression.EvaluateTable[T](s.storedProgram, parameters))
}

func (s *populations[T, S]) Outgoing(populations *Window, w *Workspace) {
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

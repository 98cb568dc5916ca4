package solver

import (
	"unsafe"

	"carina/solver/collision"
	"carina/solver/expression"
	"carina/solver/kernel"
	"carina/solver/lattice"
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
	step(c *chunk, odd bool, o *openingStates, w *workspace)
	// pack copies slots to a message, unpack the other way.
	pack(list []location, message []byte)
	unpack(list []location, message []byte)
	// bytesPerValue is that of one population in a message.
	bytesPerValue() int
	// arriving gives the populations that arrive at the cells of a chunk,
	// before an even step, wall corrections included, window by window.
	arriving(c *chunk, w *workspace, f func(cell, count int32, populations *[27][windowCells]float64))
	// set writes a population of a cell, before an even step.
	set(cell int32, p int, value float64)
	// curve makes the linear corrections of walls quadratic, between steps.
	curve(links []curveLink, odd bool, received []byte)
	// retune changes the parameters of the collision.
	retune(parameters map[string]float64)
	// leaving computes what leaves the cells of a window whose arriving
	// populations are given, without changing the state.
	leaving(populations *[27][windowCells]float64, w *workspace)
	// bits returns the bits of population p of a cell, for hashing.
	bits(cell int32, p int) uint64
	// bytes is the memory held.
	bytes() int64
}

// workspace is the scratch memory of one worker.
type workspace struct {
	// gathered holds the populations of a window, windowCells for each.
	gathered []float64
	// slots points to the populations in gathered, taken as float32 and as
	// float64.
	slots [2][]*byte
	// words is room for the windows of a chunk in an even step.
	words []uint32
	// registers is where assembly keeps values that do not fit into registers.
	registers *byte
}

func newWorkspace() *workspace {
	const mostPopulations = 27
	const line = 64
	memory := make([]float64, mostPopulations*windowCells+(kernel.ScratchBytes+2*line)/8)
	align := func(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(p, -uintptr(p)&(line-1)) }
	first := align(unsafe.Pointer(&memory[0]))
	const mostWindows = (chunkCells + windowCells) / windowCells
	w := &workspace{words: make([]uint32, 0, 2*mostWindows), gathered: unsafe.Slice((*float64)(first), mostPopulations*windowCells)}
	for i := range mostPopulations {
		for k := range w.slots {
			w.slots[k] = append(w.slots[k], (*byte)(unsafe.Add(first, 4*(k+1)*windowCells*i)))
		}
	}
	w.registers = (*byte)(align(unsafe.Add(first, 8*mostPopulations*windowCells)))
	return w
}

// populations are the slots of all cells, one array per population, in memory
// as S and computed with as T.
type populations[T kernel.Real, S stored] struct {
	layout *layout
	f      []S
	stride int
	// local is the plain Go kernel and table its table, for gathered
	// populations.
	local   kernel.Local[T]
	table   *kernel.Table[T]
	program *expression.Program
	// vector is assembly for the populations in memory, with the table stored,
	// and gatheredVector for gathered ones; nil if there is none. Slots points to
	// the slots of each population.
	vector, gatheredVector *kernel.Vector
	stored                 *kernel.Table[T]
	storedProgram          *expression.Program
	slots                  []*byte
	// offset[p] is where the slots of population p begin.
	offset [27]int
	q      int
}

var (
	_ state = (*populations[float32, float32])(nil)
	_ state = (*populations[float64, float64])(nil)
	_ state = (*populations[float32, kernel.Float16])(nil)
)

// newPopulations returns populations at rest.
func newPopulations[T kernel.Real, S stored](l *layout, v collision.Variant, parameters map[string]float64) (*populations[T, S], error) {
	local, err := kernel.NewLocal[T](v)
	if err != nil {
		return nil, err
	}
	scaled := v
	scaled.Scaled = storage[S]() == kernel.Half
	p := &populations[T, S]{layout: l, local: local, program: v.Program(), storedProgram: scaled.Program(), q: l.set.Q}
	if p.table, err = kernel.NewTable[T](v, parameters); err != nil {
		return nil, err
	}
	if p.stored, err = kernel.NewTable[T](scaled, parameters); err != nil {
		return nil, err
	}
	p.stride = paddedStride(l.cells+l.ghosts, int(unsafe.Sizeof(S(0))))
	p.f = make([]S, p.q*p.stride)
	adviseHugePages(p.f)
	for i := range p.q {
		p.offset[i] = i * p.stride
		p.slots = append(p.slots, (*byte)(unsafe.Pointer(&p.f[p.offset[i]])))
	}
	if machines := kernel.Machines(); len(machines) > 0 {
		p.vector = kernel.NewVector(machines[0], storage[S](), v)
		p.gatheredVector = kernel.NewVector(machines[0], storage[T](), v)
	}
	return p, nil
}

// paddedStride spaces the arrays of the populations so that equal cells of
// different populations fall into different sets of the first-level cache.
func paddedStride(cells, bytesPerValue int) int {
	const line = 64
	const sets = 64 // of a 4096-byte way
	const step = 3
	lines := (cells*bytesPerValue + line - 1) / line
	lines += ((step-lines)%sets + sets) % sets
	return lines * line / bytesPerValue
}

func (s *populations[T, S]) bytesPerValue() int { return int(unsafe.Sizeof(S(0))) }

func (s *populations[T, S]) bytes() int64 { return int64(len(s.f)) * int64(unsafe.Sizeof(S(0))) }

func (s *populations[T, S]) step(c *chunk, odd bool, o *openingStates, w *workspace) {
	if c.openingEnd > c.opening {
		s.observeOpenings(c, odd, o)
	}
	if !odd && s.vector != nil {
		s.updateCells(c, w)
	} else {
		if c.innerEnd > c.inner {
			s.updateInner(c, odd, w)
		}
		s.updateBorder(c, odd, w)
	}
	if c.openingEnd > c.opening {
		s.imposeOpenings(c, o)
	}
}

// updateCells updates the cells of a chunk in an even step by assembly. Since
// no neighbour takes part, windows may go from one row to the next.
func (s *populations[T, S]) updateCells(c *chunk, w *workspace) {
	const width = 2
	words := w.words[:0]
	for cell := c.cell; cell < c.cellEnd; cell += windowCells {
		words = append(words, uint32(cell), uint32(min(windowCells, c.cellEnd-cell)))
	}
	correct := func(stream wallStream) {
		if stream[0] > 0 {
			s.vector.Correct(&s.slots[0], &words[0], 0, uint32(c.cell), &stream[0], 0, w.registers)
		}
	}
	correct(s.layout.near[c.near:])
	correct(s.layout.near[c.nearIrregular:])
	s.vector.Even(&s.slots[0], &words[0], width, len(words)/width, tablePointer(s.stored), w.registers)
	correct(s.layout.far[c.far:])
	correct(s.layout.far[c.farIrregular:])
}

// updateBorder updates the walled and irregular windows of a chunk. Irregular
// ones, and without assembly all, are gathered, updated and returned.
func (s *populations[T, S]) updateBorder(c *chunk, odd bool, w *workspace) {
	if n := int(c.walledEnd - c.walled); n > 0 {
		if s.vector != nil {
			s.updateWalled(c, w)
		} else {
			width := walledWidth(s.q)
			words := s.layout.windows.walled[int(c.walled)*width:]
			s.updateGathered(c.cell, n, func(i int) ([]uint32, []int32) { return words[i*width:][:width], nil }, c.near, c.far, odd, w)
		}
	}
	if n := int(c.irregularEnd - c.irregular); n > 0 {
		width := irregularWidth(s.q)
		words := s.layout.windows.irregular[int(c.irregular)*width:]
		s.updateGathered(c.cell, n, func(i int) ([]uint32, []int32) { return nil, words[i*width:][:width] }, c.nearIrregular, c.farIrregular, odd, w)
	}
}

// updateWalled updates the walled windows of a chunk in an odd step by
// assembly.
func (s *populations[T, S]) updateWalled(c *chunk, w *workspace) {
	width := walledWidth(s.q)
	words := s.layout.windows.walled[int(c.walled)*width:]
	near, far := s.layout.near[c.near:], s.layout.far[c.far:]
	if near[0] > 0 {
		s.vector.Correct(&s.slots[0], &words[0], width, uint32(c.cell), &near[0], 1, w.registers)
	}
	s.vector.Walled(&s.slots[0], &words[0], width, int(c.walledEnd-c.walled), tablePointer(s.stored), w.registers)
	if far[0] > 0 {
		s.vector.Correct(&s.slots[0], &words[0], width, uint32(c.cell), &far[0], 1, w.registers)
	}
}

// updateGathered gathers, updates and returns n windows of a chunk, with the
// corrections that begin at near and far.
func (s *populations[T, S]) updateGathered(first int32, n int, window func(i int) (walled []uint32, irregular []int32), near, far int64, odd bool, w *workspace) {
	gathered := s.gathered(w)
	before, after := s.layout.near[near:].open(), s.layout.far[far:].open()
	for i := range n {
		walled, irregular := window(i)
		cell := s.moveWindow(walled, irregular, gathered, odd, true)
		correct[T, S](gathered, &before, i, int(cell-first))
		s.collide(w)
		round[T, S](gathered)
		correct[T, S](gathered, &after, i, int(cell-first))
		s.moveWindow(walled, irregular, gathered, odd, false)
	}
}

// eachWalled and eachIrregular call f for windows of a chunk.
func (s *populations[T, S]) eachWalled(c *chunk, f func(i int, words []uint32)) {
	width := walledWidth(s.q)
	for i := range int(c.walledEnd - c.walled) {
		f(i, s.layout.windows.walled[(int(c.walled)+i)*width:][:width])
	}
}

func (s *populations[T, S]) eachIrregular(c *chunk, f func(i int, window []int32)) {
	width := irregularWidth(s.q)
	for i := range int(c.irregularEnd - c.irregular) {
		f(i, s.layout.windows.irregular[(int(c.irregular)+i)*width:][:width])
	}
}

// updateInner updates the inner windows of a chunk.
func (s *populations[T, S]) updateInner(c *chunk, odd bool, w *workspace) {
	width := innerWidth(s.q)
	words := s.layout.windows.inner[int(c.inner)*width : int(c.innerEnd)*width]
	if s.vector != nil {
		s.vector.Odd(&s.slots[0], &words[0], width, len(words)/width, tablePointer(s.stored), w.registers)
		return
	}
	gathered := s.gathered(w)
	f, inPlace := any(s.f).([]T)
	for ; len(words) > 0; words = words[width:] {
		cell, count := int(words[0]), int(words[1])
		if !odd && inPlace {
			s.local(f[cell:], s.stride, count, s.table)
			continue
		}
		s.moveInner(words, gathered, odd, true)
		s.collide(w)
		s.moveInner(words, gathered, odd, false)
	}
}

// gathered returns the worker's room for the populations of a window.
func (s *populations[T, S]) gathered(w *workspace) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&w.gathered[0])), s.q*windowCells)
}

func tablePointer[T kernel.Real](t *kernel.Table[T]) *byte { return (*byte)(unsafe.Pointer(t)) }

// oneWindow is a full window at cell 0, for gathered populations.
var oneWindow = []uint32{0, windowCells}

// collide updates the cells in the worker's gathered populations in place.
func (s *populations[T, S]) collide(w *workspace) {
	if s.gatheredVector != nil {
		s.gatheredVector.Even(&w.slots[unsafe.Sizeof(T(0))/8][0], &oneWindow[0], 0, 1, tablePointer(s.table), w.registers)
		return
	}
	s.local(s.gathered(w), windowCells, windowCells, s.table)
}

// moveInner copies what arrives in an inner window to gathered, or what leaves
// it back to the same places. In an odd step population i arrives from the
// neighbour against c_i, from whose slot ī it is taken.
func (s *populations[T, S]) moveInner(words []uint32, gathered []T, odd, in bool) {
	cell, count := int(words[0]), int(words[1])
	for i := range s.q {
		at := s.offset[i] + cell
		if back := lattice.Opposite(i); odd && i > 0 {
			at = s.offset[back] + cell + int(int32(words[2+back-1]))
		}
		move(s.f[at:][:count], gathered[i*windowCells:], in)
	}
}

// moveWindow does the same for a walled or irregular window, in any step, and
// returns its first cell.
func (s *populations[T, S]) moveWindow(walled []uint32, irregular []int32, gathered []T, odd, in bool) (first int32) {
	var cell, count int
	if walled != nil {
		cell, count = int(walled[0]), int(walled[1])
	} else {
		cell, count = int(irregular[0]), int(irregular[1])
	}
	switch {
	case !odd:
		for i := range s.q {
			move(s.f[s.offset[i]+cell:][:count], gathered[i*windowCells:], in)
		}
	case walled != nil:
		s.moveWalled(walled, gathered, in)
	default:
		s.moveIrregular(irregular, gathered, in)
	}
	return int32(cell)
}

// moveWalled copies what arrives in a walled window in an odd step, or what
// leaves it back. What comes from a wall is in slot i of the cell itself.
func (s *populations[T, S]) moveWalled(words []uint32, gathered []T, in bool) {
	cell, count := int(words[0]), int(words[1])
	move(s.f[s.offset[0]+cell:][:count], gathered, in)
	full := uint32(1)<<count - 1
	masks := words[2+s.q-1:]
	for i := 1; i < s.q; i++ {
		back := lattice.Opposite(i)
		d := back - 1
		mask := masks[d/2] >> (16 * (d % 2)) & 0xffff
		lanes := gathered[i*windowCells:][:count]
		away := cell + int(int32(words[2+d]))
		switch mask {
		case full:
			move(s.f[s.offset[back]+away:][:count], lanes, in)
		case 0:
			move(s.f[s.offset[i]+cell:][:count], lanes, in)
		default:
			own := s.f[s.offset[i]+cell:][:count]
			for j := range lanes {
				at := &own[j]
				if mask>>j&1 != 0 {
					at = &s.f[s.offset[back]+away+j]
				}
				moveOne(at, &lanes[j], in)
			}
		}
	}
}

// moveIrregular does the same for an irregular window.
func (s *populations[T, S]) moveIrregular(window []int32, gathered []T, in bool) {
	cell, count := int(window[0]), int(window[1])
	move(s.f[s.offset[0]+cell:][:count], gathered, in)
	for i := 1; i < s.q; i++ {
		back := lattice.Opposite(i)
		away := window[2+(back-1)*windowCells:][:count]
		lanes := gathered[i*windowCells:][:count]
		for j := range lanes {
			at := &s.f[s.offset[i]+cell+j]
			if away[j] >= 0 {
				at = &s.f[s.offset[back]+int(away[j])]
			}
			moveOne(at, &lanes[j], in)
		}
	}
}

func moveOne[T kernel.Real, S stored](f *S, gathered *T, in bool) {
	if in {
		*gathered = load[T](f)
	} else {
		store(f, *gathered)
	}
}

func (s *populations[T, S]) pack(list []location, message []byte) {
	values := unsafe.Slice((*S)(unsafe.Pointer(unsafe.SliceData(message))), len(list))
	for i, at := range list {
		values[i] = s.f[s.offset[at.p]+int(at.cell)]
	}
}

func (s *populations[T, S]) unpack(list []location, message []byte) {
	values := unsafe.Slice((*S)(unsafe.Pointer(unsafe.SliceData(message))), len(list))
	for i, at := range list {
		s.f[s.offset[at.p]+int(at.cell)] = values[i]
	}
}

func (s *populations[T, S]) arriving(c *chunk, w *workspace, f func(cell, count int32, populations *[27][windowCells]float64)) {
	var populations [27][windowCells]float64
	gathered := s.gathered(w)
	give := func(cell, count int32) {
		for i := range s.q {
			for lane := range count {
				populations[i][lane] = float64(gathered[i*windowCells+int(lane)])
			}
		}
		f(cell, count, &populations)
	}
	width := innerWidth(s.q)
	for i := int(c.inner); i < int(c.innerEnd); i++ {
		words := s.layout.windows.inner[i*width:]
		s.moveWindow(words, nil, gathered, false, true)
		give(int32(words[0]), int32(words[1]))
	}
	border := func(i int, cell, count int32, walled []uint32, irregular []int32, near *wallStream) {
		s.moveWindow(walled, irregular, gathered, false, true)
		correct[T, S](gathered, near, i, int(cell-c.cell))
		give(cell, count)
	}
	near := s.layout.near[c.near:].open()
	s.eachWalled(c, func(i int, words []uint32) { border(i, int32(words[0]), int32(words[1]), words, nil, &near) })
	near = s.layout.near[c.nearIrregular:].open()
	s.eachIrregular(c, func(i int, window []int32) { border(i, window[0], window[1], nil, window, &near) })
}

func (s *populations[T, S]) set(cell int32, p int, value float64) {
	store(&s.f[s.offset[p]+int(cell)], T(value))
}

func (s *populations[T, S]) retune(parameters map[string]float64) {
	copy(s.table[:], expression.EvaluateTable[T](s.program, parameters))
	copy(s.stored[:], expression.EvaluateTable[T](s.storedProgram, parameters))
}

func (s *populations[T, S]) leaving(populations *[27][windowCells]float64, w *workspace) {
	gathered := s.gathered(w)
	for i := range s.q {
		for lane, v := range populations[i] {
			gathered[i*windowCells+lane] = T(v)
		}
	}
	s.collide(w)
	for i := range s.q {
		for lane := range windowCells {
			populations[i][lane] = float64(gathered[lattice.Opposite(i)*windowCells+lane])
		}
	}
}

func (s *populations[T, S]) bits(cell int32, p int) uint64 {
	at := unsafe.Pointer(&s.f[s.offset[p]+int(cell)])
	switch unsafe.Sizeof(S(0)) {
	case 2:
		return uint64(*(*uint16)(at))
	case 4:
		return uint64(*(*uint32)(at))
	default:
		return *(*uint64)(at)
	}
}

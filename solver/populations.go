package solver

import (
	"fmt"
	"unsafe"

	"carina/solver/collision"
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
	// arriving reads the populations that arrive at a cell, before an even
	// step, wall corrections included.
	arriving(c *chunk, cell int32, into *[27]float64)
	// bits returns the bits of population p of a cell, for hashing.
	bits(cell int32, p int) uint64
	// bytes is the memory held.
	bytes() int64
}

// workspace is the scratch memory of one worker.
type workspace struct {
	// gathered holds the populations of a window, windowCells for each.
	gathered []float64
	// slots points to the populations in gathered, taken as float32.
	slots []*float32
	// registers is where assembly keeps values that do not fit into registers.
	registers *byte
}

func newWorkspace() *workspace {
	const mostPopulations = 27
	const line = 64
	memory := make([]float64, mostPopulations*windowCells+(kernel.ScratchBytes+2*line)/8)
	align := func(p unsafe.Pointer) unsafe.Pointer { return unsafe.Add(p, -uintptr(p)&(line-1)) }
	first := align(unsafe.Pointer(&memory[0]))
	w := &workspace{gathered: unsafe.Slice((*float64)(first), mostPopulations*windowCells)}
	for i := range mostPopulations {
		w.slots = append(w.slots, (*float32)(unsafe.Add(first, 4*windowCells*i)))
	}
	w.registers = (*byte)(align(unsafe.Add(first, 8*mostPopulations*windowCells)))
	return w
}

// populations are the slots of all cells, one array per population.
type populations[T kernel.Real] struct {
	layout *layout
	f      []T
	stride int
	local  kernel.Local[T]
	// vector is assembly for single precision, nil if there is none; slots
	// points to the slots of each population for it.
	vector *kernel.Vector
	slots  []*float32
	table  *kernel.Table[T]
	// offset[p] is where the slots of population p begin.
	offset [27]int
	q      int
	weight [27]T
}

var (
	_ state = (*populations[float32])(nil)
	_ state = (*populations[float64])(nil)
)

// newPopulations returns populations at rest.
func newPopulations[T kernel.Real](l *layout, v collision.Variant, parameters map[string]float64) (*populations[T], error) {
	local, err := kernel.NewLocal[T](v)
	if err != nil {
		return nil, err
	}
	table, err := kernel.NewTable[T](v, parameters)
	if err != nil {
		return nil, err
	}
	p := &populations[T]{layout: l, local: local, table: table, q: l.set.Q}
	p.stride = paddedStride(l.cells+l.ghosts, int(unsafe.Sizeof(T(0))))
	p.f = make([]T, p.q*p.stride)
	for i := range p.q {
		p.offset[i] = i * p.stride
		p.weight[i] = T(l.set.Weights[i])
	}
	if machines := kernel.Machines(); len(machines) > 0 {
		p.useVector(kernel.NewVector(machines[0], v))
	}
	return p, nil
}

// useVector makes assembly do the updates, in single precision.
func (s *populations[T]) useVector(v *kernel.Vector) {
	f, single := any(s.f).([]float32)
	if !single || v == nil {
		return
	}
	s.vector = v
	for i := range s.q {
		s.slots = append(s.slots, &f[s.offset[i]])
	}
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

func (s *populations[T]) bytesPerValue() int { return int(unsafe.Sizeof(T(0))) }

func (s *populations[T]) bytes() int64 { return int64(len(s.f)) * int64(unsafe.Sizeof(T(0))) }

func (s *populations[T]) step(c *chunk, odd bool, o *openingStates, w *workspace) {
	l := s.layout
	correctWalls(s, l.links.near[c.near:c.nearEnd], odd)
	if c.openingEnd > c.opening {
		s.observeOpenings(c, odd, o)
	}
	if odd {
		s.shifted(c, w)
	} else {
		s.inPlace(c, w)
	}
	correctWalls(s, l.links.far[c.far:c.farEnd], odd)
	if c.openingEnd > c.opening {
		s.imposeOpenings(c, o)
	}
}

// correctWalls applies the interpolation of wallLinks.
func correctWalls[T kernel.Real](s *populations[T], links []wallLink, odd bool) {
	for i := range links {
		k := &links[i]
		bounced := &s.f[s.offset[k.p]+int(k.cell)]
		var companion T
		if odd {
			companion = s.f[s.offset[k.p]+int(k.away)]
		} else {
			companion = s.f[s.offset[lattice.Opposite(int(k.p))]+int(k.cell)]
		}
		change := T(T(k.share) * (companion - *bounced))
		*bounced += change
		s.f[k.cell] -= change
	}
}

// inPlace updates the cells of a chunk in an even step.
func (s *populations[T]) inPlace(c *chunk, w *workspace) {
	first, n := int(c.cell), int(c.cellEnd-c.cell)
	if s.vector == nil {
		s.local(s.f[first:], s.stride, n, s.table)
		return
	}
	whole := n / windowCells * windowCells
	s.vector.Local(&s.slots[0], first, whole, s.singleTable(), w.registers)
	if n == whole {
		return
	}
	gathered := s.gathered(w)
	for _, in := range []bool{true, false} {
		for i := range s.q {
			move(s.f[s.offset[i]+first+whole:][:n-whole], gathered[i*windowCells:], in)
		}
		if in {
			s.collide(n-whole, w)
		}
	}
}

// gathered returns the worker's room for the populations of a window.
func (s *populations[T]) gathered(w *workspace) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&w.gathered[0])), s.q*windowCells)
}

func (s *populations[T]) singleTable() *float32 {
	return (*float32)(unsafe.Pointer(&s.table[0]))
}

// collide updates n cells in the worker's gathered populations.
func (s *populations[T]) collide(n int, w *workspace) {
	if s.vector != nil {
		s.vector.Local(&w.slots[0], 0, windowCells, s.singleTable(), w.registers)
		return
	}
	s.local(s.gathered(w), windowCells, n, s.table)
}

// shifted updates the cells of a chunk in an odd step. Without assembly, what
// arrives is gathered window by window, updated, and returned to where it
// came from.
func (s *populations[T]) shifted(c *chunk, w *workspace) {
	ww := &s.layout.windows
	gathered := s.gathered(w)
	if n := c.windowEnd - c.window; s.vector != nil && n > 0 {
		s.vector.Shifted(&s.slots[0], &ww.words[int(c.window)*ww.width], int(n), s.singleTable(), w.registers)
	} else {
		for i := c.window; i < c.windowEnd; i++ {
			words := ww.words[int(i)*ww.width:][:ww.width]
			cell, count := int(words[0]), int(words[1])
			s.moveRegular(words, cell, count, gathered, true)
			s.collide(count, w)
			s.moveRegular(words, cell, count, gathered, false)
		}
	}
	for i := c.irregular; i < c.irregularEnd; i++ {
		cell, count := int(ww.irregular[i].cell), int(ww.irregular[i].count)
		index := ww.index[int(i)*(s.q-1)*windowCells:][:(s.q-1)*windowCells]
		s.moveIrregular(index, cell, count, gathered, true)
		s.collide(count, w)
		s.moveIrregular(index, cell, count, gathered, false)
	}
}

// moveRegular copies the locations of a regular window to scratch, or back.
// Population i arrives from the neighbour against c_i, from whose slot ī it
// is taken; where that is not fluid it comes from slot i of the cell itself.
func (s *populations[T]) moveRegular(words []uint32, cell, count int, scratch []T, in bool) {
	move(s.f[s.offset[0]+cell:][:count], scratch[:count], in)
	full := uint32(1)<<count - 1
	masks := words[2+s.q-1:]
	for i := 1; i < s.q; i++ {
		back := lattice.Opposite(i)
		d := back - 1
		mask := masks[d/2] >> (16 * (d % 2)) & 0xffff
		lanes := scratch[i*windowCells:][:count]
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
				if in {
					lanes[j] = *at
				} else {
					*at = lanes[j]
				}
			}
		}
	}
}

// move copies f to scratch, or back.
func move[T kernel.Real](f, scratch []T, in bool) {
	if in {
		copy(scratch, f)
	} else {
		copy(f, scratch)
	}
}

// moveIrregular does the same for an irregular window.
func (s *populations[T]) moveIrregular(index []int32, cell, count int, scratch []T, in bool) {
	move(s.f[s.offset[0]+cell:][:count], scratch[:count], in)
	for i := 1; i < s.q; i++ {
		back := lattice.Opposite(i)
		away := index[(back-1)*windowCells:][:count]
		lanes := scratch[i*windowCells:][:count]
		for j := range lanes {
			at := &s.f[s.offset[i]+cell+j]
			if away[j] >= 0 {
				at = &s.f[s.offset[back]+int(away[j])]
			}
			if in {
				lanes[j] = *at
			} else {
				*at = lanes[j]
			}
		}
	}
}

func (s *populations[T]) pack(list []location, message []byte) {
	values := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(message))), len(list))
	for i, at := range list {
		values[i] = s.f[s.offset[at.p]+int(at.cell)]
	}
}

func (s *populations[T]) unpack(list []location, message []byte) {
	values := unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(message))), len(list))
	for i, at := range list {
		s.f[s.offset[at.p]+int(at.cell)] = values[i]
	}
}

func (s *populations[T]) arriving(c *chunk, cell int32, into *[27]float64) {
	for i := range s.q {
		into[i] = float64(s.f[s.offset[i]+int(cell)])
	}
	near := s.layout.links.near[c.near:c.nearEnd]
	for k := firstLink(near, cell); k < len(near) && near[k].cell == cell; k++ {
		back := int(near[k].p)
		change := float64(near[k].share) * (into[lattice.Opposite(back)] - into[back])
		into[back] += change
		into[0] -= change
	}
}

// firstLink finds the first link of a cell among links ordered by cell.
func firstLink(links []wallLink, cell int32) int {
	low, high := 0, len(links)
	for low < high {
		if mid := (low + high) / 2; links[mid].cell < cell {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func (s *populations[T]) bits(cell int32, p int) uint64 {
	switch v := any(s.f[s.offset[p]+int(cell)]).(type) {
	case float32:
		return uint64(*(*uint32)(unsafe.Pointer(&v)))
	case float64:
		return *(*uint64)(unsafe.Pointer(&v))
	}
	panic(fmt.Sprintf("no bits of %T", s.f[0]))
}

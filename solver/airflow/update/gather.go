package update

import (
	"unsafe"

	"carina/solver/airflow/kernel"
	"carina/solver/airflow/wall"
	"carina/solver/lattice"
)

// updateGathered gathers, updates and returns the walled windows of a block.
func (s *populations[T, S]) updateGathered(c *block, odd bool, w *Workspace) {
	gathered, packed := s.gathered(w), s.packed(w)
	before, after, reflected := s.linkCursor(s.layout.near[c.near:]), s.linkCursor(s.layout.far[c.far:]), s.reflectionCursor(c)
	s.eachWalled(c, func(i int, words []uint32) {
		first := int(int32(words[0]) - c.cell)
		s.moveWalled(words, packed, odd, true)
		s.decode(w)
		wall.Correct[T, S](gathered, &before, i, first)
		s.leave(w)
		if !after.IsEmpty() {
			s.decode(w)
			wall.Correct[T, S](gathered, &after, i, first)
			s.encode(w)
		}
		if !reflected.IsEmpty() {
			s.decode(w)
			wall.Reflect[T, S](s.layout.set, gathered, &reflected, i, first)
			s.encode(w)
		}
		s.moveWalled(words, packed, odd, false)
	})
}

// linkCursor returns a cursor for the links that begin a list.
func (s *populations[T, S]) linkCursor(links wall.Links) wall.Cursor {
	return wall.NewCursor(links, kernel.LinkGroup, walledWidth(s.Q))
}

// reflectionCursor returns a cursor for the reflections of a block.
func (s *populations[T, S]) reflectionCursor(c *block) wall.Cursor {
	return wall.NewCursor(s.layout.reflections[c.reflections:], kernel.ReflectionGroup, walledWidth(s.Q))
}

// gathered returns the worker's room for the populations of a window.
func (s *populations[T, S]) gathered(w *Workspace) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&w.gathered[0])), s.Q*windowCells)
}

// packed returns the worker's room for the populations of a window as they are
// in memory: the same as gathered, unless they must be converted.
func (s *populations[T, S]) packed(w *Workspace) []S {
	if kernel.IsHalf[S]() {
		return unsafe.Slice((*S)(unsafe.Pointer(&w.packed[0])), s.Q*windowCells)
	}
	return unsafe.Slice((*S)(unsafe.Pointer(&w.gathered[0])), s.Q*windowCells)
}

// leave updates the gathered populations and packs what leaves the cells.
func (s *populations[T, S]) leave(w *Workspace) {
	if !kernel.IsHalf[S]() {
		s.collide(w)
		return
	}
	n := s.Q * windowCells
	gathered := unsafe.Slice((*float32)(unsafe.Pointer(&w.gathered[0])), n)
	w.dither.Seed(gathered)
	s.collide(w)
	w.dither.Encode(w.packed[:n], gathered)
}

// decode converts the packed populations to the gathered ones, encode back.
func (s *populations[T, S]) decode(w *Workspace) {
	if kernel.IsHalf[S]() {
		n := s.Q * windowCells
		kernel.DecodeFloat16(unsafe.Slice((*float32)(unsafe.Pointer(&w.gathered[0])), n), w.packed[:n])
	}
}

func (s *populations[T, S]) encode(w *Workspace) {
	if kernel.IsHalf[S]() {
		n := s.Q * windowCells
		kernel.EncodeFloat16(w.packed[:n], unsafe.Slice((*float32)(unsafe.Pointer(&w.gathered[0])), n))
	}
}

func tablePointer[T kernel.Real](t *kernel.Table[T]) *byte { return (*byte)(unsafe.Pointer(t)) }

// oneWindow is a full window at cell 0, for gathered populations.
var oneWindow = []uint32{0, windowCells}

// collide updates the cells in the worker's gathered populations in place.
func (s *populations[T, S]) collide(w *Workspace) {
	if s.gatheredVector != nil {
		s.gatheredVector.Even(&w.slots[unsafe.Sizeof(T(0))/8][0], &oneWindow[0], 0, 1, tablePointer(s.table), w.registers)
		return
	}
	s.local(s.gathered(w), windowCells, windowCells, s.table)
}

// moveInner copies what arrives in an inner window to gathered, or what leaves
// it back to the same slots. In an odd step population i arrives from the
// neighbour against c_i, from whose slot ī it is taken.
func (s *populations[T, S]) moveInner(words []uint32, gathered []S, odd, in bool) {
	cell, count := int(words[0]), int(words[1])
	for i := range s.Q {
		at := s.Offset[i] + cell
		if back := lattice.Opposite(i); odd && i > 0 {
			at = s.Offset[back] + cell + int(int32(words[2+back-1]))
		}
		move(s.Values[at:][:count], gathered[i*windowCells:], in)
	}
}

// moveWalled does the same for a walled window. What comes from a wall in an
// odd step is in slot i of the cell itself.
func (s *populations[T, S]) moveWalled(words []uint32, gathered []S, odd, in bool) {
	if !odd {
		s.moveInner(words, gathered, odd, in)
		return
	}
	cell, count := int(words[0]), int(words[1])
	move(s.Values[s.Offset[0]+cell:][:count], gathered, in)
	full := uint32(1)<<count - 1
	masks := words[2+s.Q-1:]
	for i := 1; i < s.Q; i++ {
		back := lattice.Opposite(i)
		d := back - 1
		mask := masks[d/2] >> (16 * (d % 2)) & 0xffff
		lanes := gathered[i*windowCells:][:count]
		away := cell + int(int32(words[2+d]))
		switch mask {
		case full:
			move(s.Values[s.Offset[back]+away:][:count], lanes, in)
		case 0:
			move(s.Values[s.Offset[i]+cell:][:count], lanes, in)
		default:
			own := s.Values[s.Offset[i]+cell:][:count]
			for j := range lanes {
				at := &own[j]
				if mask>>j&1 != 0 {
					at = &s.Values[s.Offset[back]+away+j]
				}
				moveOne(at, &lanes[j], in)
			}
		}
	}
}

// move copies f to gathered, or back.
func move[S kernel.Stored](f, gathered []S, in bool) {
	if in {
		copy(gathered, f)
	} else {
		copy(f, gathered)
	}
}

func moveOne[S kernel.Stored](f, gathered *S, in bool) {
	if in {
		*gathered = *f
	} else {
		*f = *gathered
	}
}

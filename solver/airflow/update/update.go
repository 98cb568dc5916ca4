package update

import (
	"carina/solver/airflow/opening"
	"carina/solver/airflow/wall"
)

func (s *populations[T, S]) Step(block int32, odd bool, o *opening.States, w *Workspace) {
	c := &s.layout.blocks[block]
	if c.openingEnd > c.opening {
		opening.Observe[T](&s.Slots, o, s.layout.Openings, c.opening, c.openingEnd, odd)
	}
	if !odd && s.vector != nil {
		s.updateCells(c, w)
	} else {
		if c.innerEnd > c.inner {
			s.updateInner(c, odd, w)
		}
		switch {
		case c.walledEnd == c.walled:
		case s.vector != nil:
			s.updateWalled(c, w)
		default:
			s.updateGathered(c, odd, w)
		}
	}
	if c.openingEnd > c.opening {
		edge := s.layout.edge[c.edge:c.edgeEnd]
		wall.Leave[T](&s.Slots, s.layout.set, edge, odd)
		opening.Impose[T](&s.Slots, s.layout.set, o, s.layout.Openings, c.opening, c.openingEnd)
		wall.Arrive[T](&s.Slots, edge)
	}
}

// updateCells updates the cells of a block in an even step by assembly. Since
// no neighbour takes part, windows may go from one row to the next.
func (s *populations[T, S]) updateCells(c *block, w *Workspace) {
	const width = 2
	words := w.words[:0]
	for cell := c.cell; cell < c.cellEnd; cell += windowCells {
		words = append(words, uint32(cell), uint32(min(windowCells, c.cellEnd-cell)))
	}
	correct := func(links wall.Links) {
		if links[0] > 0 {
			s.vector.Correct(&s.slots[0], &words[0], int(c.cell), &links[0], 0, w.registers)
		}
	}
	correct(s.layout.near[c.near:])
	s.vector.Even(&s.slots[0], &words[0], width, len(words)/width, tablePointer(s.stored), w.registers)
	correct(s.layout.far[c.far:])
	if reflections := s.layout.reflections[c.reflections:]; reflections[0] > 0 {
		s.vector.Reflect(&s.slots[0], &words[0], int(c.cell), &reflections[0], 0, w.registers)
	}
}

// updateWalled updates the walled windows of a block in an odd step by
// assembly.
func (s *populations[T, S]) updateWalled(c *block, w *Workspace) {
	width := walledWidth(s.Q)
	words := s.layout.windows.walled[int(c.walled)*width:]
	near, far := s.layout.near[c.near:], s.layout.far[c.far:]
	if near[0] > 0 {
		s.vector.Correct(&s.slots[0], &words[0], int(c.cell), &near[0], 1, w.registers)
	}
	s.vector.Walled(&s.slots[0], &words[0], width, int(c.walledEnd-c.walled), tablePointer(s.stored), w.registers)
	if far[0] > 0 {
		s.vector.Correct(&s.slots[0], &words[0], int(c.cell), &far[0], 1, w.registers)
	}
	if reflections := s.layout.reflections[c.reflections:]; reflections[0] > 0 {
		s.vector.Reflect(&s.slots[0], &words[0], int(c.cell), &reflections[0], 1, w.registers)
	}
}

// updateInner updates the inner windows of a block.
func (s *populations[T, S]) updateInner(c *block, odd bool, w *Workspace) {
	width := innerWidth(s.Q)
	words := s.layout.windows.inner[int(c.inner)*width : int(c.innerEnd)*width]
	if s.vector != nil {
		s.vector.Odd(&s.slots[0], &words[0], width, len(words)/width, tablePointer(s.stored), w.registers)
		return
	}
	packed := s.packed(w)
	f, inPlace := any(s.Values).([]T)
	for ; len(words) > 0; words = words[width:] {
		cell, count := int(words[0]), int(words[1])
		if !odd && inPlace {
			s.local(f[cell:], s.stride, count, s.table)
			continue
		}
		s.moveInner(words, packed, odd, true)
		s.decode(w)
		s.leave(w)
		s.moveInner(words, packed, odd, false)
	}
}

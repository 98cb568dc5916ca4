package solver

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

// updateInner updates the inner windows of a chunk.
func (s *populations[T, S]) updateInner(c *chunk, odd bool, w *workspace) {
	width := innerWidth(s.q)
	words := s.layout.windows.inner[int(c.inner)*width : int(c.innerEnd)*width]
	if s.vector != nil {
		s.vector.Odd(&s.slots[0], &words[0], width, len(words)/width, tablePointer(s.stored), w.registers)
		return
	}
	packed := s.packed(w)
	f, inPlace := any(s.f).([]T)
	for ; len(words) > 0; words = words[width:] {
		cell, count := int(words[0]), int(words[1])
		if !odd && inPlace {
			s.local(f[cell:], s.stride, count, s.table)
			continue
		}
		s.moveInner(words, packed, odd, true)
		s.decode(w)
		s.collide(w)
		s.encode(w)
		s.moveInner(words, packed, odd, false)
	}
}

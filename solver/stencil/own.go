package stencil

import "unsafe"

// scatteredCells is how many cells are too few to be computed as a run of their own.
const scatteredCells = 8

// OwnOutputs tells that every output goes to a slot of the cell itself that no cell reads, and
// of how many bytes fields are. Then short runs that follow each other are computed together,
// from inputs that are gathered; and where the fields of all ranks that share the cache do not
// stay in it anyway, outputs go past it: it need not read what they overwrite. It is called
// after Inside.
func (s *Stencil[T]) OwnOutputs(bytes int64) {
	for i := range s.rooms {
		s.rooms[i].pieces.reserve(len(s.update.Reads), len(s.update.Writes))
	}
	for _, c := range []*compiled[T]{s.all, s.inside} {
		if c != nil && bytes*s.sharing > cacheBytes {
			c.past = best[T](c.functions, "Past")
		}
	}
	s.scatter()
}

// scatter lets short runs that follow each other be one, whose cells are all inside or none is.
func (s *Stencil[T]) scatter() {
	runs, begin := s.runs[:0], 0
	for block, end := range s.begin[1:] {
		own := len(runs)
		for _, r := range s.runs[begin:end] {
			if r.scattered = r.end-r.first < scatteredCells; r.scattered && len(runs) > own {
				last := &runs[len(runs)-1]
				if last.scattered && last.end == r.first && r.end-last.first <= pieceCells && s.isInside(last.first) == s.isInside(r.first) {
					last.end = r.end
					continue
				}
			}
			runs = append(runs, r)
		}
		s.begin[block+1], begin = int32(len(runs)), int(end)
	}
	s.runs = append([]run(nil), runs...)
}

// isInside tells whether all is there that the update asks for around a cell.
func (s *Stencil[T]) isInside(cell int32) bool {
	for i := range s.accesses[0] {
		if p := &s.accesses[0][i]; p.kind == presence && s.windows.Neighbour(p.offset, cell) < 0 {
			return false
		}
	}
	return s.inside != nil
}

// together computes cells of which inputs are scattered.
func (s *Stencil[T]) together(places []place, r *room[T], run run) {
	c := s.all
	if s.isInside(run.first) {
		c = s.inside
	}
	for i, place := range places[len(s.update.Reads):][:c.writes] {
		r.at[i] = unsafe.Add(place.array, uintptr(run.first)*unsafe.Sizeof(T(0)))
	}
	n := int(run.end - run.first)
	r.pieces.start(c, r.at[:c.writes], 0, n)
	s.gather(places[:c.reads], r, run)
	r.pieces.cells += n
}

// gather puts what is read of cells behind the values of pieces.
func (s *Stencil[T]) gather(places []place, r *room[T], run run) {
	var room [pieceCells]int32
	cells := room[:run.end-run.first]
	for i := range places {
		p, to := &places[i], r.pieces.values[i*pieceCells+r.pieces.cells:][:len(cells)]
		if p.offset >= 0 {
			s.windows.Neighbours(p.offset, run.first, cells)
		} else {
			for j := range cells {
				cells[j] = run.first + int32(j)
			}
		}
		for j, cell := range cells {
			array := p.array
			if cell < 0 {
				array, cell = p.wall, run.first+int32(j)
			}
			switch {
			case array != nil:
				to[j] = *(*T)(unsafe.Add(array, uintptr(cell)*unsafe.Sizeof(T(0))))
			case p.kind == presence && cells[j] >= 0:
				to[j] = 1
			default:
				to[j] = 0
			}
		}
	}
}

package solver

import "encoding/binary"

// records moves the states of cells in a row between memory and records: a cell's
// values in the order of the slots, one cell after the other.
type records struct {
	rank   *Rank
	state  *state
	finder *Finder // nil where no slot is a neighbour's
	device Device
	around rowsAround
	// most is how many cells are moved at once, for which there is room
	most   int32
	cells  []int32
	values []byte
	parts  [2]recordPart
}

// recordPart is the cells of which a value lies in the same array, and their places among
// the records.
type recordPart struct{ cells, lanes []int32 }

// stretch is cells in a row: count of a piece from the given one on.
type stretch struct {
	piece       *Piece
	from, count int32
}

// global is the number of the first cell.
func (s *stretch) global() int64 { return s.piece.Global + int64(s.from) }

// recordCells is how many cells are moved at once: more where it takes time to begin.
const recordCells, recordCellsOfInspectors = 1024, 1 << 15

func (r *Rank) newRecords(f *Finder) *records { return r.newRecordsOf(r.state(), f) }

func (r *Rank) newRecordsOf(s *state, f *Finder) *records {
	most := recordCells
	if _, ok := r.device.(Inspector); ok {
		most = min(recordCellsOfInspectors, max(r.layout.Fluid, 1))
	}
	return &records{rank: r, state: s, finder: f, device: r.device, around: rowsAround{y: -1, z: -1},
		most: int32(most), cells: make([]int32, most), values: make([]byte, 8*most)}
}

// each calls f for the cells of pieces, at most as many as are moved at once.
func (m *records) each(pieces []Piece, f func(list []stretch, cells int) error) error {
	var list []stretch
	cells := int32(0)
	for i := range pieces {
		p := &pieces[i]
		for from := int32(0); from < p.Cells(); {
			n := min(m.most-cells, p.Cells()-from)
			list, cells, from = append(list, stretch{p, from, n}), cells+n, from+n
			if cells < m.most && (from < p.Cells() || i+1 < len(pieces)) {
				continue
			}
			if err := f(list, int(cells)); err != nil {
				return err
			}
			list, cells = list[:0], 0
		}
	}
	return nil
}

// move moves the records of cells.
func (m *records) move(list []stretch, into []byte, save bool) error {
	s := m.state
	offset := 0
	for v := range s.slots {
		size := s.kind[v].Bytes()
		// Values of the cells themselves lie in the same ones.
		if v == 0 || !s.slots[v].own() || !s.slots[v-1].own() {
			m.split(list, &s.slots[v])
		}
		for k, array := range [2]int32{s.array[v], s.wall[v]} {
			if part := &m.parts[k]; len(part.cells) > 0 {
				if err := m.movePart(part, array, size, into[offset:], save); err != nil {
					return err
				}
			}
		}
		offset += size
	}
	return nil
}

// movePart moves the values of an array, of so many bytes each, in some cells.
func (m *records) movePart(part *recordPart, array int32, size int, into []byte, save bool) error {
	values := m.values[:size*len(part.cells)]
	segment := Segment{Array: array, Bytes: size, Cells: part.cells}
	if save {
		if err := m.device.Read(&segment, values); err != nil {
			return err
		}
	}
	if save {
		spread(into, part.lanes, m.state.record, values, size)
		return nil
	}
	for i, lane := range part.lanes {
		copy(values[i*size:][:size], into[int(lane)*m.state.record:])
	}
	return m.device.Write(&segment, values)
}

// spread puts values of so many bytes into the records of lanes.
func spread(records []byte, lanes []int32, record int, values []byte, size int) {
	order := binary.NativeEndian
	switch size {
	case 1:
		for i, lane := range lanes {
			records[int(lane)*record] = values[i]
		}
	case 2:
		for i, lane := range lanes {
			order.PutUint16(records[int(lane)*record:], order.Uint16(values[2*i:]))
		}
	case 4:
		for i, lane := range lanes {
			order.PutUint32(records[int(lane)*record:], order.Uint32(values[4*i:]))
		}
	default:
		for i, lane := range lanes {
			order.PutUint64(records[int(lane)*record:], order.Uint64(values[8*i:]))
		}
	}
}

// split finds the cells in which a slot of cells lies: the neighbours' and, where there
// are none, their own.
func (m *records) split(list []stretch, slot *Slot) {
	there, here := &m.parts[0], &m.parts[1]
	*there, *here = recordPart{there.cells[:0], there.lanes[:0]}, recordPart{here.cells[:0], here.lanes[:0]}
	lane := int32(0)
	for i := range list {
		p, from, count := list[i].piece, list[i].from, list[i].count
		if slot.own() {
			for i := range count {
				there.cells, there.lanes = append(there.cells, p.Local+from+i), append(there.lanes, lane+i)
			}
			lane += count
			continue
		}
		if m.around.y != p.Y || m.around.z != p.Z {
			m.around = m.finder.around(p.Y, p.Z)
		}
		cells := m.cells[:count]
		for i := range cells {
			cells[i] = -1
		}
		m.finder.neighbours(m.finder.at(&m.around, slot.Offset), p.X0+from+int32(slot.Offset.X), cells)
		for i, n := range cells {
			switch {
			case n >= 0:
				there.cells, there.lanes = append(there.cells, n), append(there.lanes, lane+int32(i))
			case slot.Wall >= 0:
				here.cells, here.lanes = append(here.cells, p.Local+from+int32(i)), append(here.lanes, lane+int32(i))
			}
		}
		lane += count
	}
}

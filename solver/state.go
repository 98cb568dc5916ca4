package solver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"carina/geometry"
	"carina/internal/random"
	"carina/solver/saved"
	"carina/solver/transport"
)

// state says where the state of a cell lies before steps of one kind.
type state struct {
	slots []Slot
	// array and wall are those of every slot, kind its type.
	array, wall []int32
	kind        []Kind
	record      int // bytes of a cell
	// returns is what loading has written into ghosts, on its way to the owners.
	returns *Exchange
}

// newState takes the slots of all physics.
func (r *Rank) newState(slots []Slot) *state {
	s := &state{slots: slots}
	for i := range slots {
		first := r.array(slots[i].Field)
		kind := r.kinds[first]
		s.array, s.wall = append(s.array, first+int32(slots[i].Value)), append(s.wall, first+int32(slots[i].Wall))
		s.kind = append(s.kind, kind)
		s.record += kind.Bytes()
	}
	return s
}

// kindBytes is the size of a value where all have the same.
func (s *state) kindBytes() int { return s.kind[0].Bytes() }

// locate finds a value of the state of an own cell.
func (s *state) locate(f *Finder, global int64, cell int32, value int) location {
	slot := &s.slots[value]
	if slot.own() {
		return location{s.array[value], cell}
	}
	p := holding(f.all, global)
	x := p.X0 + int32(global-p.Global)
	next := [1]int32{-1}
	f.neighbours(f.findRow(p.Y+int32(slot.Offset.Y), p.Z+int32(slot.Offset.Z)), x+int32(slot.Offset.X), next[:])
	if next[0] < 0 {
		return location{s.wall[value], cell}
	}
	return location{s.array[value], next[0]}
}

// records moves the states of cells in a row between memory and records: a cell's
// values in the order of the slots, one cell after the other.
type records struct {
	rank   *Rank
	state  *state
	finder *Finder // nil where no slot is a neighbour's
	device Device
	around rowsAround
	// room for one group of cells
	cells  []int32
	values []byte
	parts  [2]recordPart
}

// recordPart is the cells of a row whose value lies in the same array.
type recordPart struct{ cells, lanes []int32 }

// recordCells is how many cells are moved at once.
const recordCells = 1024

func (r *Rank) newRecords(f *Finder) *records {
	return &records{rank: r, state: r.state(), finder: f, device: r.device, around: rowsAround{y: -1, z: -1},
		cells: make([]int32, recordCells), values: make([]byte, 8*recordCells)}
}

// needsFinder tells whether a state has slots of neighbours.
func (s *state) needsFinder() bool {
	return slices.ContainsFunc(s.slots, func(slot Slot) bool { return !slot.own() })
}

// each calls f for parts of pieces of at most recordCells cells.
func (m *records) each(pieces []Piece, f func(p *Piece, from, count int32) error) error {
	for i := range pieces {
		p := &pieces[i]
		for from := int32(0); from < p.Cells(); from += recordCells {
			if err := f(p, from, min(recordCells, p.Cells()-from)); err != nil {
				return err
			}
		}
	}
	return nil
}

// move moves the records of count cells of a piece from the given one on.
func (m *records) move(p *Piece, from, count int32, into []byte, save bool) error {
	s := m.state
	offset := 0
	for v := range s.slots {
		size := s.kind[v].Bytes()
		m.split(p, from, count, &s.slots[v])
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

// split finds the cells in which a slot of cells in a row lies: the neighbours'
// and, where there are none, their own.
func (m *records) split(p *Piece, from, count int32, slot *Slot) {
	cells := m.cells[:count]
	there, here := &m.parts[0], &m.parts[1]
	*there, *here = recordPart{there.cells[:0], there.lanes[:0]}, recordPart{here.cells[:0], here.lanes[:0]}
	if slot.Offset == (geometry.Offset{}) {
		for i := range count {
			there.cells, there.lanes = append(there.cells, p.Local+from+i), append(there.lanes, i)
		}
		return
	}
	if m.around.y != p.Y || m.around.z != p.Z {
		m.around = m.finder.around(p.Y, p.Z)
	}
	for i := range cells {
		cells[i] = -1
	}
	m.finder.neighbours(m.finder.at(&m.around, slot.Offset), p.X0+from+int32(slot.Offset.X), cells)
	for i, n := range cells {
		switch {
		case n >= 0:
			there.cells, there.lanes = append(there.cells, n), append(there.lanes, int32(i))
		case slot.Wall >= 0:
			here.cells, here.lanes = append(here.cells, p.Local+from+int32(i)), append(here.lanes, int32(i))
		}
	}
}

// stateIndex is the index of the present state in Program.State.
func (r *Rank) stateIndex() int { return int(r.steps % int64(len(r.states))) }

// state is where the state lies now.
func (r *Rank) state() *state { return r.states[r.stateIndex()] }

// stateFinder returns a finder if the present state needs one.
func (r *Rank) stateFinder() (*Finder, error) {
	if !r.state().needsFinder() {
		return nil, nil
	}
	return newFinder(r.layout.Domain, int(r.layout.Rank), r.offsets, r.options.Dense)
}

// Hash returns a hash of the state of all cells, which knows nothing of ranks,
// devices and kinds of steps. Call it on all ranks.
func (r *Rank) Hash() (uint64, error) {
	sum, err := r.hashOwn()
	if err := transport.Agree(r.transport, err); err != nil {
		return 0, fmt.Errorf("hashing the state: %w", err)
	}
	total := []int64{int64(sum)}
	if err := r.transport.Reduce(transport.Sum, total); err != nil {
		return 0, fmt.Errorf("hashing the state: %w", err)
	}
	return uint64(total[0]), nil
}

// hashOwn is this rank's part of the hash.
func (r *Rank) hashOwn() (sum uint64, err error) {
	if r.keeper != nil {
		return r.keeper.HashRecords(r.stateIndex())
	}
	finder, err := r.stateFinder()
	if err != nil {
		return 0, err
	}
	var total atomic.Uint64
	err = r.eachPart(func(pieces []Piece) error {
		m := r.newRecords(finder)
		record := m.state.record
		buffer := make([]byte, record*recordCells)
		return m.each(pieces, func(p *Piece, from, count int32) error {
			if err := m.move(p, from, count, buffer, true); err != nil {
				return err
			}
			sum := uint64(0)
			for i := range int64(count) {
				sum += m.state.hash(p.Global+int64(from)+i, buffer[int(i)*record:])
			}
			total.Add(sum)
			return nil
		})
	})
	return total.Load(), err
}

// hash is that of one record: each value is mixed in after an odd step, as in
// SplitMix64 (Steele, Lea and Flood 2014).
func (s *state) hash(global int64, record []byte) uint64 {
	const odd = 0x9e3779b97f4a7c15
	h := random.Mix(uint64(global) + 1 + odd)
	for _, kind := range s.kind {
		var bits uint64
		switch kind.Bytes() {
		case 1:
			bits = uint64(record[0])
		case 2:
			bits = uint64(binary.NativeEndian.Uint16(record))
		case 4:
			bits = uint64(binary.NativeEndian.Uint32(record))
		default:
			bits = binary.NativeEndian.Uint64(record)
		}
		h = random.Mix((h ^ bits) + odd)
		record = record[kind.Bytes():]
	}
	return h
}

// What ranks save is in package saved.
type (
	// State is what a rank has after some steps.
	State = saved.State
	// CellRange is cells in a row, by global number.
	CellRange = saved.CellRange
	// Lots are numbers that physics keep at few cells.
	Lots = saved.Lots
	// Beside is values that physics keep of cells beside the fields.
	Beside = saved.Beside
	// RecordSource finds the records of saved states.
	RecordSource = saved.RecordSource
)

// ErrOtherState tells that a saved state does not fit.
var ErrOtherState = saved.ErrOtherState

// SaveState returns a copy of the rank's state, after any step.
func (r *Rank) SaveState() (*State, error) { return r.SaveStateInto(nil) }

// SaveStateInto is SaveState in the memory of a state that nobody needs any more, as far
// as that suffices; nil is none.
func (r *Rank) SaveStateInto(spare *State) (*State, error) {
	record := r.state().record
	s := &State{Identity: r.identity, Steps: r.steps, RecordBytes: record, Cells: r.layout.Ranges()}
	if size := record * r.layout.Fluid; spare != nil && cap(spare.Records) >= size {
		s.Records = spare.Records[:size]
	} else {
		s.Records = make([]byte, size)
	}
	if err := r.saveRecords(s.Records); err != nil {
		return nil, fmt.Errorf("saving the state: %w", err)
	}
	for _, k := range r.kernels {
		var global []byte
		if g, ok := k.(Global); ok {
			global = g.SaveGlobal()
		}
		s.Global = append(s.Global, global)
		var lots Lots
		if scattered, ok := k.(Scattered); ok {
			cells, numbers, err := scattered.Scattered()
			if err != nil {
				return nil, fmt.Errorf("saving the state: %w", err)
			}
			lots = Lots{Cells: append([]int64(nil), cells...), Numbers: append([]float64(nil), numbers...)}
		}
		s.Lots = append(s.Lots, lots)
		var beside []Beside
		if c, ok := k.(Companion); ok {
			var err error
			if beside, err = c.SaveBeside(); err != nil {
				return nil, fmt.Errorf("saving the state: %w", err)
			}
		}
		s.Beside = append(s.Beside, beside)
	}
	return s, nil
}

// saveRecords fills in the states of the own cells.
func (r *Rank) saveRecords(records []byte) error {
	if r.keeper != nil {
		return r.keeper.SaveRecords(r.stateIndex(), records)
	}
	finder, err := r.stateFinder()
	if err != nil {
		return err
	}
	record := r.state().record
	return r.eachPart(func(pieces []Piece) error {
		m := r.newRecords(finder)
		at := records[int(pieces[0].Index)*record:]
		if finder == nil {
			pieces = joined(pieces)
		}
		return m.each(pieces, func(p *Piece, from, count int32) error {
			err := m.move(p, from, count, at, true)
			at = at[int(count)*record:]
			return err
		})
	})
}

// joined are pieces of which those that follow each other in memory are one.
func joined(pieces []Piece) (list []Piece) {
	for _, p := range pieces {
		if n := len(list); n > 0 && list[n-1].Local+list[n-1].Cells() == p.Local {
			list[n-1].X1 += p.Cells()
			continue
		}
		list = append(list, p)
	}
	return list
}

// partCells is about how many cells a worker looks at together.
const partCells = 1 << 14

// eachPart calls f for all own pieces, many at a time, by all workers of the device.
func (r *Rank) eachPart(f func(pieces []Piece) error) error {
	pieces := r.layout.Pieces
	var parts []Block
	cells := 0
	for i := range pieces {
		if cells += int(pieces[i].Cells()); cells >= partCells || i == len(pieces)-1 {
			first := int32(0)
			if len(parts) > 0 {
				first = parts[len(parts)-1].End
			}
			parts, cells = append(parts, Block{int32(len(parts)), first, int32(i + 1)}), 0
		}
	}
	failures := make([]error, len(parts))
	err := r.device.Run(BlockWork(func(b *Block, _ int) { failures[b.Number] = f(pieces[b.First:b.End]) }), Side{Blocks: parts})
	return errors.Join(append(failures, err)...)
}

// Ranges are the own cells by ascending global number.
func (l *Layout) Ranges() (list []CellRange) {
	for i := range l.Pieces {
		p := &l.Pieces[i]
		if n := len(list); n > 0 && list[n-1].First+list[n-1].Count == p.Global {
			list[n-1].Count += int64(p.Cells())
			continue
		}
		list = append(list, CellRange{First: p.Global, Count: int64(p.Cells())})
	}
	return list
}

// LoadState takes over the state that ranks have saved, which may have been more
// or fewer, with other cells. Call it on all ranks, with the states of all.
func (r *Rank) LoadState(states []*State) error {
	err := r.loadOwn(states)
	if err := transport.Agree(r.transport, err); err != nil {
		return fmt.Errorf("loading a state: %w", err)
	}
	return r.settle()
}

// loadOwn does what needs no other rank.
func (r *Rank) loadOwn(states []*State) error {
	if err := saved.Check(states, len(r.kernels)); err != nil {
		return err
	}
	if err := states[0].Differs(&r.identity); err != nil {
		return err
	}
	r.steps = states[0].Steps
	for i, k := range r.kernels {
		if resumer, ok := k.(Resumer); ok {
			resumer.Resume(r.steps)
		}
		g, ok := k.(Global)
		if !ok {
			continue
		}
		if err := g.LoadGlobal(states[0].Global[i]); err != nil {
			return err
		}
	}
	for i := range r.kernels {
		if err := r.loadLots(i, states); err != nil {
			return err
		}
		if err := r.loadBeside(i, states); err != nil {
			return err
		}
	}
	source := saved.NewRecordSource(states)
	if r.keeper != nil {
		return r.keeper.LoadRecords(r.stateIndex(), source)
	}
	finder, err := r.stateFinder()
	if err != nil {
		return err
	}
	m := r.newRecords(finder)
	buffer := make([]byte, m.state.record*recordCells)
	return m.each(r.layout.Pieces, func(p *Piece, from, count int32) error {
		into := buffer[:int(count)*m.state.record]
		if !source.Read(p.Global+int64(from), into, m.state.record) {
			return ErrOtherState
		}
		return m.move(p, from, count, into, false)
	})
}

// loadLots gives kernel number k what was kept at its cells.
func (r *Rank) loadLots(k int, states []*State) error {
	kernel, ok := r.kernels[k].(Scattered)
	if !ok {
		return nil
	}
	cells, numbers, err := kernel.Scattered()
	if err != nil || len(cells) == 0 {
		return err
	}
	each := len(numbers) / len(cells)
	lots := map[int64][]float64{}
	for _, s := range states {
		if len(s.Lots[k].Cells) == 0 {
			continue
		}
		if len(s.Lots[k].Numbers)/len(s.Lots[k].Cells) != each {
			return ErrOtherState
		}
		for i, c := range s.Lots[k].Cells {
			lots[c] = append(lots[c], s.Lots[k].Numbers[i*each:(i+1)*each]...)
		}
	}
	for i, c := range cells {
		if len(lots[c]) < each {
			return ErrOtherState
		}
		copy(numbers[i*each:], lots[c][:each])
		lots[c] = lots[c][each:]
	}
	return nil
}

// settle brings what records have filled in to where the next step finds it: what
// lies in ghosts goes to its owners, and then all that is fetched in a cycle comes.
func (r *Rank) settle() error {
	if x := r.state().returns; x != nil && len(x.Messages) > 0 {
		if err := x.Run(r.device); err != nil {
			return err
		}
	}
	for _, phases := range r.phases {
		for i := range phases {
			if x := phases[i].fetch; len(x.Messages) > 0 {
				if err := x.Run(r.device); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

package solver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"carina/internal/crash"
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

// needsFinder tells whether a state has slots of neighbours.
func (s *state) needsFinder() bool {
	return slices.ContainsFunc(s.slots, func(slot Slot) bool { return !slot.own() })
}

// stateIndex is the index of the present state in Program.State.
func (r *Rank) stateIndex() int { return int(r.steps % int64(len(r.states))) }

// state is where the state lies now.
func (r *Rank) state() *state { return r.states[r.stateIndex()] }

// stateFinder returns a finder if the present state needs one.
func (r *Rank) stateFinder() (*Finder, error) { return r.finderOf(r.state()) }

// finderOf returns one if slots of a state are neighbours'.
func (r *Rank) finderOf(s *state) (*Finder, error) {
	if !s.needsFinder() {
		return nil, nil
	}
	return newFinder(r.layout.Domain, int(r.layout.Rank), r.reach, r.options.Dense)
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
	if r.recordKernel != nil {
		return r.recordKernel.HashRecords(r.stateIndex())
	}
	finder, err := r.stateFinder()
	if err != nil {
		return 0, err
	}
	var total atomic.Uint64
	err = r.eachPart(func(pieces []Piece) error {
		m := r.newRecords(finder)
		record := m.state.record
		buffer := make([]byte, record*int(m.most))
		return m.each(pieces, func(list []stretch, _ int) error {
			if err := m.move(list, buffer, true); err != nil {
				return err
			}
			sum, rest := uint64(0), buffer
			for k := range list {
				for i := range int64(list[k].count) {
					sum += m.state.hash(list[k].global()+i, rest)
					rest = rest[record:]
				}
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
	// Sparse is numbers that physics keep at few cells.
	Sparse = saved.Sparse
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
	s, err := r.saveKept()
	if err != nil {
		return nil, fmt.Errorf("saving the state: %w", err)
	}
	if size := r.stateBytes(); spare != nil && cap(spare.Records) >= size {
		s.Records = spare.Records[:size]
	} else {
		s.Records = make([]byte, size)
	}
	if err := r.saveRecords(s.Records); err != nil {
		return nil, fmt.Errorf("saving the state: %w", err)
	}
	return s, nil
}

// RoomForState begins to make memory for SaveStateInto, beside the steps: the system hands
// it out on first use, page by page, which takes as long as many steps do. It ends with nil
// where nobody needs it any more, which until tells. A Preparer prepares its part meanwhile.
func (r *Rank) RoomForState(until <-chan struct{}) <-chan *State {
	if p, ok := r.recordKernel.(Preparer); ok {
		p.PrepareRecords()
	}
	room, bytes := make(chan *State, 1), r.stateBytes()
	go func() {
		defer crash.Guard()
		room <- roomForState(bytes, until)
	}()
	return room
}

func roomForState(bytes int, until <-chan struct{}) *State {
	const portion, page = 1 << 24, 1 << 12
	records := make([]byte, bytes)
	for begin := 0; begin < bytes; begin += portion {
		select {
		case <-until:
			return nil
		default:
		}
		for i := begin; i < min(begin+portion, bytes); i += page {
			records[i] = 0
		}
	}
	return &State{Records: records}
}

// stateBytes is what the records of a state take.
func (r *Rank) stateBytes() int { return r.state().record * r.layout.Fluid }

// saveKept returns the state but for the records.
func (r *Rank) saveKept() (*State, error) {
	s := &State{Identity: r.identity, Steps: r.steps, RecordBytes: r.state().record, Cells: r.layout.Ranges()}
	for _, k := range r.kernels {
		var global []byte
		if g, ok := k.(Global); ok {
			global = g.SaveGlobal()
		}
		s.Global = append(s.Global, global)
		var sparse Sparse
		if scattered, ok := k.(Scattered); ok {
			cells, numbers, err := scattered.Scattered()
			if err != nil {
				return nil, err
			}
			sparse = Sparse{Cells: append([]int64(nil), cells...), Numbers: append([]float64(nil), numbers...)}
		}
		s.Sparse = append(s.Sparse, sparse)
		var beside []Beside
		if c, ok := k.(Auxiliary); ok {
			var err error
			if beside, err = c.SaveBeside(); err != nil {
				return nil, err
			}
		}
		s.Beside = append(s.Beside, beside)
	}
	return s, nil
}

// saveRecords fills in the states of the own cells.
func (r *Rank) saveRecords(records []byte) error {
	if r.recordKernel != nil {
		return r.recordKernel.SaveRecords(r.stateIndex(), nil, records)
	}
	finder, err := r.stateFinder()
	if err != nil {
		return err
	}
	record := r.state().record
	return r.eachPart(func(pieces []Piece) error {
		m := r.newRecords(finder)
		at := records[int(pieces[0].Index)*record:]
		return m.each(pieces, func(list []stretch, cells int) error {
			err := m.move(list, at, true)
			at = at[cells*record:]
			return err
		})
	})
}

// partCells is about how many cells a worker looks at together.
const partCells = 1 << 14

// eachPart calls f for all own pieces, many at a time, by all workers of the device if it
// has any.
func (r *Rank) eachPart(f func(pieces []Piece) error) error {
	pieces := r.layout.Pieces
	if _, ok := r.device.(Inspector); ok {
		if len(pieces) == 0 {
			return nil
		}
		return f(pieces)
	}
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
	return r.updateGhosts()
}

// loadOwn does what needs no other rank.
func (r *Rank) loadOwn(states []*State) error {
	if err := saved.Check(states, len(r.kernels)); err != nil {
		return err
	}
	if err := r.loadKept(states); err != nil {
		return err
	}
	return r.loadRecords(nil, states)
}

// loadRecords takes over the records of the own cells, or of some if cells is not nil.
func (r *Rank) loadRecords(cells []CellRange, states []*State) error {
	source := saved.NewRecordSource(states)
	if r.recordKernel != nil {
		return r.recordKernel.LoadRecords(r.stateIndex(), cells, source)
	}
	finder, err := r.stateFinder()
	if err != nil {
		return err
	}
	m := r.newRecords(finder)
	record := m.state.record
	buffer := make([]byte, record*int(m.most))
	return m.each(r.layout.Pieces, func(list []stretch, _ int) error {
		at := 0
		for i := range list {
			end := at + int(list[i].count)*record
			if !source.Read(list[i].global(), buffer[at:end], record) {
				return ErrOtherState
			}
			at = end
		}
		return m.move(list, buffer, false)
	})
}

// loadKept takes over all of states but the records.
func (r *Rank) loadKept(states []*State) error {
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
	return nil
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
	sparse := map[int64][]float64{}
	for _, s := range states {
		if len(s.Sparse[k].Cells) == 0 {
			continue
		}
		if len(s.Sparse[k].Numbers)/len(s.Sparse[k].Cells) != each {
			return ErrOtherState
		}
		for i, c := range s.Sparse[k].Cells {
			sparse[c] = append(sparse[c], s.Sparse[k].Numbers[i*each:(i+1)*each]...)
		}
	}
	for i, c := range cells {
		if len(sparse[c]) < each {
			return ErrOtherState
		}
		copy(numbers[i*each:], sparse[c][:each])
		sparse[c] = sparse[c][each:]
	}
	return nil
}

// updateGhosts brings what records have filled in to where the next step finds it: what
// lies in ghosts goes to its owners, and then all that is fetched in a cycle, or all of
// ghosts, comes.
func (r *Rank) updateGhosts() error {
	return r.fetch(add(nil, r.state().returns))
}

// fetch runs all that is fetched in a cycle, after other exchanges.
func (r *Rank) fetch(list []*Exchange) error {
	if r.interval > 1 {
		list = add(add(list, r.refreshes[r.stateIndex()]), r.constants)
	} else {
		for _, phases := range r.phases {
			for i := range phases {
				list = add(list, phases[i].fetch)
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	return r.exchange(list)
}

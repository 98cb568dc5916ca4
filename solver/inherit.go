package solver

import (
	"maps"
	"slices"

	"carina/solver/saved"
	"carina/solver/transport"
)

// records lets the new rank take over the states of its cells, given what is kept beside
// them: out of the memory of record kernels that it reaches, as records from elsewhere.
func (m *mover) records(kept []*State) error {
	r, q, t := m.from, m.to, m.from.transport
	if err := r.wait(); err != nil {
		return err
	}
	heir, ok := q.recordKernel.(Inheritor)
	reaches := func(from *Rank) bool { return ok && from.recordKernel != nil && heir.Reaches(from.recordKernel) }
	sources, reached, err := m.meet(reaches)
	if err != nil {
		return err
	}
	direct := map[int32]*Rank{} // from which cells come
	taken := map[int32]bool{}   // by which they are
	if reaches(r) {
		direct[int32(t.Rank())], taken[int32(t.Rank())] = r, true
	}
	for i, peer := range m.peers {
		if sources[i] != nil {
			direct[int32(peer)] = sources[i]
		}
		taken[int32(peer)] = reached[i]
	}
	byMessage := lists{others(m.leaving, func(rank int32) bool { return taken[rank] }), others(m.coming, func(rank int32) bool { return direct[rank] != nil })}
	source, err := r.recordsOf(byMessage.leaving)
	// Now all record kernels are as those take them that inherit.
	if err := transport.Agree(t, err); err != nil {
		return err
	}
	all, err := m.swap(&byMessage, source, m.own.RecordBytes, 1)
	if err != nil {
		return err
	}
	var received []*State
	for rank, s := range m.states(byMessage.coming) {
		s.Records = all[rank]
		received = append(received, s)
	}
	if err := transport.Agree(t, q.takeOver(kept, cellsOf(byMessage.coming), received, func() error { return m.inherit(heir, direct) })); err != nil {
		return err
	}
	return q.updateGhosts()
}

// others are the parts but for those of some ranks.
func others(list []part, some func(rank int32) bool) []part {
	return slices.DeleteFunc(slices.Clone(list), func(p part) bool { return some(p.rank) })
}

// cellsOf are the cells of parts.
func cellsOf(list []part) []CellRange {
	cells := make([]CellRange, len(list))
	for i, p := range list {
		cells[i] = p.CellRange
	}
	return cells
}

// recordsOf returns the records of cells that leave.
func (r *Rank) recordsOf(leaving []part) (*RecordSource, error) {
	cells, bytes := cellsOf(leaving), r.state().record
	if r.recordKernel == nil {
		records := make([]byte, bytes*r.layout.Fluid)
		return saved.NewSource(r.layout.Ranges(), records, bytes, 1), r.saveRecords(records)
	}
	n := int64(0)
	for _, c := range cells {
		n += c.Count
	}
	records := make([]byte, int64(bytes)*n)
	return saved.NewSource(cells, records, bytes, 1), r.recordKernel.SaveRecords(r.stateIndex(), cells, records)
}

// takeOver takes over what is kept, the records of cells, all if there are none, and what is
// inherited.
func (r *Rank) takeOver(kept []*State, cells []CellRange, received []*State, inherit func() error) error {
	if err := r.loadKept(kept); err != nil {
		return err
	}
	if err := r.loadRecords(cells, received); err != nil {
		return err
	}
	return inherit()
}

// inherit takes over cells directly, by the rank that they come from.
func (m *mover) inherit(heir Inheritor, direct map[int32]*Rank) error {
	for _, rank := range slices.Sorted(maps.Keys(direct)) {
		cells := cellsOf(others(m.coming, func(from int32) bool { return from != rank }))
		if len(cells) == 0 {
			continue
		}
		if err := heir.Inherit(m.to.stateIndex(), direct[rank].recordKernel, cells); err != nil {
			return err
		}
	}
	return nil
}

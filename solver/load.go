package solver

import (
	"cmp"
	"slices"
)

// RecordSource finds the records of saved states by the cells' global numbers.
type RecordSource struct {
	ranges []sourceRange
	at     int
}

// sourceRange is the records of cells in a row.
type sourceRange struct {
	CellRange
	records []byte
	bytes   int // of each
}

// NewRecordSource makes one of the states that any number of ranks have saved. It
// refers to their records.
func NewRecordSource(saved []*State) *RecordSource {
	s := &RecordSource{}
	for _, state := range saved {
		records := state.Records
		for _, c := range state.Cells {
			n := int(c.Count) * state.RecordBytes
			s.ranges = append(s.ranges, sourceRange{c, records[:n], state.RecordBytes})
			records = records[n:]
		}
	}
	slices.SortFunc(s.ranges, func(a, b sourceRange) int { return cmp.Compare(a.First, b.First) })
	return s
}

// read copies the records of cells in a row, of so many bytes each, and tells
// whether all are there.
func (s *RecordSource) read(first int64, into []byte, bytes int) bool {
	for len(into) > 0 {
		r := s.find(first)
		if r == nil || r.bytes != bytes {
			return false
		}
		n := copy(into, r.records[int(first-r.First)*bytes:])
		first += int64(n / bytes)
		into = into[n:]
	}
	return true
}

// Record is the record of a cell, nil if there is none. Cells are found faster in
// ascending order.
func (s *RecordSource) Record(cell int64) []byte {
	r := s.find(cell)
	if r == nil {
		return nil
	}
	at := int(cell-r.First) * r.bytes
	return r.records[at : at+r.bytes]
}

// find returns the range that holds a cell; cells are looked for in ascending
// order mostly.
func (s *RecordSource) find(cell int64) *sourceRange {
	holds := func(i int) bool {
		return i < len(s.ranges) && s.ranges[i].First <= cell && cell < s.ranges[i].First+s.ranges[i].Count
	}
	if !holds(s.at) {
		i, found := slices.BinarySearchFunc(s.ranges, cell, func(r sourceRange, c int64) int { return cmp.Compare(r.First, c) })
		if !found {
			i--
		}
		if i < 0 || !holds(i) {
			return nil
		}
		s.at = i
	}
	return &s.ranges[s.at]
}

// complete tells whether states are all of the same step of as many physics, and hold
// what they say.
func (r *Rank) complete(saved []*State) bool {
	for _, s := range saved {
		if s == nil || s.Steps != saved[0].Steps || s.Steps < 0 || len(s.Global) != len(r.kernels) || len(s.Lots) != len(r.kernels) {
			return false
		}
		var cells int64
		for _, c := range s.Cells {
			if c.Count < 1 || c.First < 0 || c.Count > int64(len(s.Records)) {
				return false
			}
			cells += c.Count
		}
		if s.RecordBytes < 1 || cells > int64(len(s.Records))/int64(s.RecordBytes) {
			return false
		}
		for _, lots := range s.Lots {
			if n := len(lots.Cells); n == 0 && len(lots.Numbers) > 0 || n > 0 && len(lots.Numbers)%n != 0 {
				return false
			}
		}
	}
	return len(saved) > 0
}

// loadLots gives kernel number k what was kept at its cells.
func (r *Rank) loadLots(k int, saved []*State) error {
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
	for _, s := range saved {
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

package saved

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
func NewRecordSource(states []*State) *RecordSource {
	s := &RecordSource{}
	for _, state := range states {
		s.add(state.Cells, 1, state.Records, state.RecordBytes)
	}
	s.sort()
	return s
}

// NewBesideSource makes one of what a physics has saved beside its fields, by the number
// of the physics and of what it keeps. Cells are numbered as CellRange.Each does.
func NewBesideSource(states []*State, physics, number int) *RecordSource {
	s := &RecordSource{}
	for _, state := range states {
		b := &state.Beside[physics][number]
		s.add(state.Cells, b.Every, b.Values, b.Bytes)
	}
	s.sort()
	return s
}

// NewSource makes one of values of every n-th of some cells, of so many bytes each.
// Cells are numbered as CellRange.Each does.
func NewSource(cells []CellRange, values []byte, bytes int, n int64) *RecordSource {
	s := &RecordSource{}
	s.add(cells, n, values, bytes)
	s.sort()
	return s
}

// add adds the records of every n-th of some cells.
func (s *RecordSource) add(cells []CellRange, n int64, records []byte, bytes int) {
	for _, c := range cells {
		each := c.Each(n)
		size := int(each.Count) * bytes
		if size > 0 {
			s.ranges = append(s.ranges, sourceRange{each, records[:size], bytes})
		}
		records = records[size:]
	}
}

// sort lets cells be found.
func (s *RecordSource) sort() {
	slices.SortFunc(s.ranges, func(a, b sourceRange) int { return cmp.Compare(a.First, b.First) })
}

// Read copies the records of cells in a row, of so many bytes each, and tells
// whether all are there.
func (s *RecordSource) Read(first int64, into []byte, bytes int) bool {
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

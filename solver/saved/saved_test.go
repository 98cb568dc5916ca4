package saved

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

const record = 3 // bytes of a cell

// divided gives the cells below count, whose records are made of their numbers, to
// several states, in rows of any length.
func divided(random *rand.Rand, count, ranks int64) []*State {
	states := make([]*State, ranks)
	for i := range states {
		states[i] = &State{Steps: 4, RecordBytes: record, Global: [][]byte{nil}, Sparse: make([]Sparse, 1)}
	}
	for first := int64(0); first < count; {
		n := min(count-first, 1+random.Int64N(9))
		s := states[random.Int64N(ranks)]
		s.Cells = append(s.Cells, CellRange{First: first, Count: n})
		for cell := first; cell < first+n; cell++ {
			s.Records = append(s.Records, recordOf(cell)...)
		}
		first += n
	}
	return states
}

func recordOf(cell int64) []byte { return []byte{byte(cell), byte(cell >> 8), byte(3 * cell)} }

// Records are found wherever they were saved, one by one in any order and in rows.
func TestRecords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		count := 1 + random.Int64N(300)
		states := divided(random, count, 1+random.Int64N(5))
		if err := Check(states, 1); err != nil {
			t.Fatal(err)
		}
		source := NewRecordSource(states)
		for range 50 {
			cell := random.Int64N(count)
			if got := source.Record(cell); !bytes.Equal(got, recordOf(cell)) {
				t.Fatalf("the record of cell %d is %v, want %v", cell, got, recordOf(cell))
			}
			row := make([]byte, record*(1+random.Int64N(count-cell)))
			if !source.Read(cell, row, record) {
				t.Fatalf("%d bytes from cell %d on are not found", len(row), cell)
			}
			for i := int64(0); len(row) > 0; i, row = i+1, row[record:] {
				if !bytes.Equal(row[:record], recordOf(cell+i)) {
					t.Fatalf("in a row from cell %d on, the record of cell %d is %v", cell, cell+i, row[:record])
				}
			}
		}
		for _, absent := range []int64{-1, count, math.MaxInt64} {
			if source.Record(absent) != nil || source.Read(absent, make([]byte, record), record) {
				t.Errorf("cell %d of %d is found", absent, count)
			}
		}
		if source.Read(count-1, make([]byte, 2*record), record) || source.Read(0, make([]byte, record+1), record+1) {
			t.Error("a row beyond the last cell, or records of another size, are found")
		}
	}
}

// Check refuses states that do not hold what they say.
func TestCheck(t *testing.T) {
	for name, damage := range map[string]func(s []*State) []*State{
		"none":                func([]*State) []*State { return nil },
		"nothing":             func(s []*State) []*State { return append(s, nil) },
		"of two steps":        func(s []*State) []*State { s[1].Steps++; return s },
		"before the first":    func(s []*State) []*State { s[0].Steps, s[1].Steps = -1, -1; return s },
		"of two physics":      func(s []*State) []*State { s[1].Global = make([][]byte, 2); return s },
		"sparse of two":       func(s []*State) []*State { s[1].Sparse = make([]Sparse, 2); return s },
		"records cut off":     func(s []*State) []*State { s[1].Records = s[1].Records[1:]; return s },
		"records of no bytes": func(s []*State) []*State { s[0].RecordBytes = 0; return s },
		"cells below zero":    func(s []*State) []*State { s[0].Cells[0].First = -1; return s },
		"no cells in a row":   func(s []*State) []*State { s[0].Cells[0].Count = 0; return s },
		"endless cells":       func(s []*State) []*State { s[0].Cells[0].Count = math.MaxInt64; return s },
		"of two grids":        func(s []*State) []*State { s[1].Grid.Cells++; return s },
		"of two forms":        func(s []*State) []*State { s[1].Form++; return s },
		"of two runs":         func(s []*State) []*State { s[1].Run = []byte{1}; return s },
		"beside one alone":    func(s []*State) []*State { s[1].Beside = nil; return s },
		"beside every none":   func(s []*State) []*State { s[0].Beside[0][0].Every = 0; return s },
		"beside of no bytes":  func(s []*State) []*State { s[0].Beside[0][0].Bytes = 0; return s },
		"beside cut off":      func(s []*State) []*State { b := &s[0].Beside[0][0]; b.Values = b.Values[1:]; return s },
		"beside by two names": func(s []*State) []*State { s[1].Beside[0][0].Name = "other"; return s },
		"numbers cut off":     func(s []*State) []*State { s[0].Sparse[0] = Sparse{[]int64{1, 2}, []float64{1, 2, 3}}; return s },
	} {
		states := divided(rand.New(rand.NewPCG(3, 4)), 100, 2)
		states[0].Sparse[0] = Sparse{[]int64{1, 2}, []float64{1, 2, 3, 4}}
		for _, s := range states {
			s.Beside = [][]Beside{{beside(s)}}
		}
		if err := Check(states, 1); err != nil {
			t.Fatal(err)
		}
		if err := Check(damage(states), 1); !errors.Is(err, ErrOtherState) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// beside keeps two bytes of every seventh cell, made of their numbers.
func beside(s *State) Beside {
	b := Beside{Name: "sevenths", Every: 7, Bytes: 2}
	for _, c := range s.Cells {
		for cell := c.First; cell < c.First+c.Count; cell++ {
			if cell%7 == 0 {
				b.Values = append(b.Values, byte(cell), byte(cell>>8))
			}
		}
	}
	return b
}

// What is kept of every n-th cell is found by the number of the cell over n.
func TestBesides(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		count := 1 + random.Int64N(300)
		states := divided(random, count, 1+random.Int64N(5))
		for _, s := range states {
			s.Beside = [][]Beside{{beside(s)}}
		}
		if err := Check(states, 1); err != nil {
			t.Fatal(err)
		}
		source, last := NewBesideSource(states, 0, 0), (count-1)/7
		for n := range last + 1 {
			if got := source.Record(n); !bytes.Equal(got, []byte{byte(7 * n), byte(7 * n >> 8)}) {
				t.Fatalf("of cell %d is kept %v", 7*n, got)
			}
		}
		if source.Record(last+1) != nil {
			t.Errorf("something is kept of cell %d of %d", 7*(last+1), count)
		}
	}
}

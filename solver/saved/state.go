package saved

import (
	"bytes"
	"errors"
	"slices"
)

// State is what a rank has after some steps: all that the next ones depend on.
type State struct {
	Identity
	// Steps is how many were done.
	Steps int64
	// Global is what all ranks have alike, for each physics.
	Global [][]byte
	// Cells are the rank's own ones, by ascending global number, Records their
	// states in the same order: RecordBytes for each.
	Cells       []CellRange
	Records     []byte
	RecordBytes int
	// Sparse are the numbers that physics keep at few cells, Beside what they keep of cells
	// beside the fields, both for each physics.
	Sparse []Sparse
	Beside [][]Beside
	// Run is what who runs the physics knows of earlier steps.
	Run []byte
}

// Beside is values of some cells beside the fields, such as means over time: of those
// whose global number is a multiple of Every.
type Beside struct {
	Name  string
	Every int64
	// Bytes is the size of a cell's values, which Values has in the order of the cells.
	Bytes  int
	Values []byte
	// Head is what all ranks have alike.
	Head []byte
}

// CellRange is cells in a row, by global number.
type CellRange struct{ First, Count int64 }

// Each counts every n-th cell alone, by its number over n.
func (c CellRange) Each(n int64) CellRange {
	first, end := (c.First+n-1)/n, (c.First+c.Count+n-1)/n
	return CellRange{First: first, Count: end - first}
}

// Sparse are numbers at few cells, as many for each entry of Cells.
type Sparse struct {
	Cells   []int64
	Numbers []float64
}

// ErrOtherState tells that a saved state does not fit.
var ErrOtherState = errors.New("the state does not belong to this computation: other fields, other cells or another grid")

// Check tells whether states are all of the same step of so many physics, and hold what
// they say; otherwise the error is ErrOtherState.
func Check(states []*State, physics int) error {
	if len(states) == 0 {
		return ErrOtherState
	}
	for _, s := range states {
		if s == nil || s.Steps < 0 || s.Steps != states[0].Steps || len(s.Global) != physics || len(s.Sparse) != physics ||
			len(s.Beside) != 0 && len(s.Beside) != physics || !s.whole() || !s.alike(states[0]) || !bytes.Equal(s.Run, states[0].Run) {
			return ErrOtherState
		}
		if err := s.Differs(&states[0].Identity); err != nil {
			return err
		}
	}
	return nil
}

// whole tells whether there are as many records and numbers as the cells need.
func (s *State) whole() bool {
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
	for _, sparse := range s.Sparse {
		if len(sparse.Numbers)%max(1, len(sparse.Cells)) != 0 {
			return false
		}
	}
	for _, list := range s.Beside {
		for _, b := range list {
			if b.Every < 1 || b.Bytes < 1 {
				return false
			}
			cells = 0
			for _, c := range s.Cells {
				cells += c.Each(b.Every).Count
			}
			if cells != int64(len(b.Values))/int64(b.Bytes) || len(b.Values)%b.Bytes != 0 {
				return false
			}
		}
	}
	return true
}

// alike tells whether states keep the same beside their fields.
func (s *State) alike(o *State) bool {
	return slices.EqualFunc(s.Beside, o.Beside, func(a, b []Beside) bool {
		return slices.EqualFunc(a, b, func(a, b Beside) bool {
			return a.Name == b.Name && a.Every == b.Every && a.Bytes == b.Bytes && bytes.Equal(a.Head, b.Head)
		})
	})
}

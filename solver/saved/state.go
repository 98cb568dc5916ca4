package saved

import "errors"

// State is what a rank has after some steps: all that the next ones depend on.
type State struct {
	// Steps is how many were done.
	Steps int64
	// Global is what all ranks have alike, for each physics.
	Global [][]byte
	// Cells are the rank's own ones, by ascending global number, Records their
	// states in the same order: RecordBytes for each.
	Cells       []CellRange
	Records     []byte
	RecordBytes int
	// Lots are the numbers that physics keep at few cells.
	Lots []Lots
}

// CellRange is cells in a row, by global number.
type CellRange struct{ First, Count int64 }

// Lots are numbers at few cells, as many for each entry of Cells.
type Lots struct {
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
		if s == nil || s.Steps < 0 || s.Steps != states[0].Steps || len(s.Global) != physics || len(s.Lots) != physics || !s.whole() {
			return ErrOtherState
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
	for _, lots := range s.Lots {
		if len(lots.Numbers)%max(1, len(lots.Cells)) != 0 {
			return false
		}
	}
	return true
}

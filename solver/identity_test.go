package solver_test

import (
	"errors"
	"strings"
	"testing"

	"carina/geometry"
	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/processor"
	"carina/solver/transport"
)

// stateOf is what a clock saves on a grid.
func stateOf(t *testing.T, g *geometry.Grid) (state *solver.State) {
	enginetest.OnRanks(t, 1, func(tr transport.Transport) error {
		r, err := solver.NewRank(solver.WholeDomain(g), solver.Together{quietClock()}, processor.New(1, tr), tr, solver.Options{})
		if err != nil {
			return err
		}
		defer r.Close()
		state, err = r.SaveState()
		return err
	})
	return state
}

// quietClock asks for nothing.
func quietClock() clock { return clock{bound: func(*clockKernel) {}, silent: true} }

// A state belongs to its own grid alone, however many cells others have.
func TestStatesOfOtherGrids(t *testing.T) {
	size := [3]int32{12, 5, 1}
	g := generate.FullGrid(size)
	holed := func(x, y int32) *geometry.Grid {
		return generate.Grid(size, func(i, j, _ int32) bool { return i != x || j != y })
	}
	for _, c := range []struct {
		saved, computed *geometry.Grid
		want            string // empty where they are the same
	}{
		{g, generate.FullGrid(size), ""},
		{holed(4, 2), holed(4, 2), ""},
		{g, generate.FullGrid([3]int32{5, 12, 1}), "a grid of 12×5×1 cells and this one has 5×12×1"},
		{g, holed(4, 2), "60 fluid cells and this one has 59"},
		{holed(4, 2), holed(5, 2), "other fluid cells"},
		{holed(4, 2), holed(4, 3), "other fluid cells"},
	} {
		state := stateOf(t, c.saved)
		enginetest.OnRanks(t, 3, func(tr transport.Transport) error {
			d := enginetest.Scattered(c.computed, 2, 3, 7, [3]bool{})
			r, err := solver.NewRank(d, solver.Together{quietClock()}, processor.New(1, tr), tr, solver.Options{})
			if err != nil {
				return err
			}
			defer r.Close()
			err = r.LoadState([]*solver.State{state})
			switch {
			case c.want == "" && err != nil:
				t.Errorf("its own grid is refused: %v", err)
			case c.want != "" && (!errors.Is(err, solver.ErrOtherState) || !strings.Contains(err.Error(), c.want)):
				t.Errorf("want an error with %q and got %v", c.want, err)
			}
			return nil
		})
	}
}

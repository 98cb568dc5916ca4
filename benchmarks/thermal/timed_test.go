package thermalbench

import (
	"math"
	"testing"

	"carina/balance"
)

// Ranks on cores of their own have their part of the cells, those that are more take turns, rows
// of tiles are twice as many, and what messages take is waited for where no core is left.
func TestPredict(t *testing.T) {
	const cell, row = 1e-9, 1e-7
	r := Cuts{Device: "cpu:1", Box: Box{Width: 100, Height: 9000}, Cost: gpuCost(), cores: 2, measured: map[int]*busy{1: {cell: cell}, 2: {cell: cell, row: row}}}
	r.Timed = []Timed{{Ranks: 1, Columns: 1, Rows: 1}, {Ranks: 3, Columns: 1, Rows: 3}, {Ranks: 4, Columns: 2, Rows: 2}}
	cells, rows := r.Box.Width*r.Box.Height*cell, r.Box.Height*row
	r.predict(balance.Network{})
	for i, want := range []float64{cells, (cells + rows) / 2, (cells + 2*rows) / 2} {
		if got := r.Timed[i].Predicted; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%d ranks: %g s, want %g", r.Timed[i].Ranks, got, want)
		}
	}
	const slow = 1.0
	without := r.Timed[2].Predicted
	r.predict(balance.Network{Latency: slow})
	if got := r.Timed[2].Predicted - without; math.Abs(got-2*slow) > 1e-9 {
		t.Errorf("messages of %g s in two turns are waited for %g s", slow, got)
	}
}

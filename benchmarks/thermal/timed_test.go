package thermalbench

import (
	"math"
	"strings"
	"testing"

	"carina/balance"
)

// Ranks on cores of their own have their part of the cells, those that are more take turns, rows
// of tiles are twice as many, and what messages take is waited for where no core is left.
func TestPredict(t *testing.T) {
	const cell, row = 1e-9, 1e-7
	r := Cuts{Device: "cpu:1", Box: Box{Width: 100, Height: 9000}, Cost: gpuCost(), cores: 2}
	r.Cost.Inside = balance.Network{}
	cells, rows := r.Box.Width*r.Box.Height*cell, r.Box.Height*row
	tiles := Timed{Ranks: 4, Columns: 2, Rows: 2}
	for _, c := range []struct {
		timed Timed
		busy  busy
		want  float64
	}{
		{Timed{Ranks: 1, Columns: 1, Rows: 1}, busy{cell: cell}, cells},
		{Timed{Ranks: 3, Columns: 1, Rows: 3}, busy{cell, row}, (cells + rows) / 2},
		{tiles, busy{cell, row}, (cells + 2*rows) / 2},
	} {
		if got := r.predict(&c.timed, c.busy); math.Abs(got/c.want-1) > 1e-12 {
			t.Errorf("%d ranks: %g s, want %g", c.timed.Ranks, got, c.want)
		}
	}
	const slow = 1.0
	without := r.predict(&tiles, busy{cell, row})
	r.Cost.Inside.Latency = slow
	if got := r.predict(&tiles, busy{cell, row}) - without; math.Abs(got-2*slow) > 1e-9 {
		t.Errorf("messages of %g s in two turns are waited for %g s", slow, got)
	}
}

// A machine that is twice as slow in one round, and a single step that was disturbed, change
// nothing of how far predictions are off.
func TestOffIsOfRounds(t *testing.T) {
	var timed Timed
	for _, round := range [][2]float64{{11, 10}, {22, 20}, {11, 10}, {11, 30}, {22, 20}} {
		timed.add(round[0], round[1])
	}
	if math.Abs(timed.Off-0.1) > 1e-12 || timed.Predicted != 11 || timed.Measured != 20 {
		t.Errorf("predicted %g, measured %g, off by %g", timed.Predicted, timed.Measured, timed.Off)
	}
}

// Boxes that are too small are refused with what is needed.
func TestSmallBoxes(t *testing.T) {
	for _, size := range [][2]int{{63, 512}, {64, 15}} {
		_, err := TimeCuts(t.Context(), CutOptions{Size: size, Ranks: []int{1}, Device: "cpu:1", Folder: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), "at least 64 cells along x and 16 along y") {
			t.Errorf("a box of %v gives %v", size, err)
		}
	}
}

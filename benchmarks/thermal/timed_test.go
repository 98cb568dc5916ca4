package thermalbench

import (
	"math"
	"runtime"
	"testing"

	"carina/balance"
)

// Ranks on cores of their own have their part of the cells, those that are more take turns, and
// what messages take longer than cells is waited for.
func TestPredict(t *testing.T) {
	const cell = 1e-9
	cores := runtime.NumCPU()
	r := Cuts{Device: "cpu:1", Box: Box{100, 9000}, Cost: gpuCost()}
	for _, ranks := range []int{1, 2 * cores} {
		r.Timed = append(r.Timed, Timed{Ranks: ranks, Columns: 1, Rows: ranks})
	}
	all := r.Box.Width * r.Box.Height * cell
	r.predict(cell, cell, balance.Network{})
	for i, want := range []float64{all, all / float64(cores)} {
		if got := r.Timed[i].Predicted; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%d ranks: %g s, want %g", r.Timed[i].Ranks, got, want)
		}
	}
	const slow = 1.0
	r.predict(cell, cell, balance.Network{Latency: slow})
	if got := r.Timed[1].Predicted; got < slow {
		t.Errorf("a message of %g s is waited for %g s", slow, got)
	}
}

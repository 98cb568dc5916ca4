package thermalbench

import (
	"math"
	"testing"
)

// With one column the model is that of the source, whose border site moves 208 bytes, and
// tiles become faster than stripes where these are little but border.
func TestCutsAgreeWithTheSource(t *testing.T) {
	cost := gpuCost()
	cost.Inside.Latency, cost.Inside.Overhead = 0, 0
	box := calore
	const s = 208
	if side(cost, 0) != s || side(cost, 1) != s {
		t.Errorf("%g and %g bytes a site, want %d", side(cost, 0), side(cost, 1), s)
	}
	for _, ranks := range []float64{2, 16, 128} {
		share := box.Width * box.Height / ranks
		edge := 6 * box.Width / share
		want := cost.Fluid * share * (math.Max(1-edge, 2*s*box.Width*cost.Inside.SecondsPerByte/(cost.Fluid*share)) + edge)
		if got := box.Step(cost, 1, ranks); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%g ranks: %g s, want %g", ranks, got, want)
		}
	}
	if from := box.Crossover(cost, mostRanks); from <= 4 || box.Crossover(cost, from/2) != 0 {
		t.Errorf("tiles are faster from %d ranks on", from)
	}
}

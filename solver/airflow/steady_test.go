package airflow

import (
	"context"
	"testing"

	"carina/internal/race"
	"carina/solver"
)

// A flow is steady when it has changed by less than the tolerance twice in a row.
func TestSteadyWatch(t *testing.T) {
	const square = 1 << 40
	for _, c := range []struct {
		name    string
		changes []float64 // squared, over the square
		want    []bool
	}{
		{"twice in a row", []float64{1e-2, 1e-6, 1e-6}, []bool{false, false, true}},
		{"once, and again", []float64{1e-6, 1e-2, 1e-6, 1e-6}, []bool{false, false, false, true}},
		{"at the tolerance", []float64{1e-4, 1e-4, 1e-4}, []bool{false, false, false}},
	} {
		w := newSteadyWatch(0, 0, 100, 1e-2)
		if w.judge(0, 0) {
			t.Errorf("%s: steady at the first sample", c.name)
		}
		for i, change := range c.changes {
			if got := w.judge(int64(change*square+0.5), square); got != c.want[i] {
				t.Errorf("%s: steady at change %d is %t", c.name, i, got)
			}
		}
		steady, _ := w.outcome()
		if last := c.want[len(c.want)-1]; steady == nil || *steady != last {
			t.Errorf("%s: the outcome is not %t", c.name, last)
		}
	}
	// Samples are due in steps of whole checks, once the flow has started.
	w := newSteadyWatch(10, 70, 120, 1e-2)
	for _, c := range []struct {
		steps int64
		want  bool
	}{{229, false}, {230, true}, {231, false}, {379, false}, {380, true}} {
		if got := w.due(c.steps); got != c.want {
			t.Errorf("a sample after %d steps is due: %t", c.steps, got)
		}
	}
}

// Creeping flow is linear: how slow it is does not matter to when it is steady.
func TestSteadyHoweverSlow(t *testing.T) {
	race.SkipArithmetic(t)
	g := pipe(0, 9, 30, 0.01)
	var want int64
	for i, flow := range []float64{1e-9, 1e-12, 1e-15} {
		s := DefaultSettings()
		s.FlowRate, s.Mismatch = flow, 0.25 // it starts soon
		summary, err := RunInProcess(context.Background(), solver.WholeDomain(g), s, Plan{Steps: 5000, Tolerance: 1e-3})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			want = summary.Steps
		}
		if summary.Steady == nil || !*summary.Steady || summary.Steps != want || summary.MassBalance > 1e-3 {
			t.Errorf("%g m³/s: steady after %d steps (a faster one after %d), inflow and outflow differ by %g", flow, summary.Steps, want, summary.MassBalance)
		}
	}
}

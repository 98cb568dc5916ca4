package airflow

import "testing"

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
		if w.Judge(0, 0) {
			t.Errorf("%s: steady at the first sample", c.name)
		}
		for i, change := range c.changes {
			if got := w.Judge(int64(change*square+0.5), square); got != c.want[i] {
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
		if got := w.Due(c.steps); got != c.want {
			t.Errorf("a sample after %d steps is due: %t", c.steps, got)
		}
	}
}

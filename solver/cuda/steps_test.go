package cuda

import (
	"testing"

	"carina/solver"
)

// idleDevice does nothing that is given to it.
type idleDevice struct{ device }

func (idleDevice) launch(queue, kernel, launch) error { return nil }

// A step allocates nothing on the host.
func TestStepsDoNotAllocate(t *testing.T) {
	g := tube()
	settings := caveSettings(g)
	settings.Collision, settings.Precision = solver.TRT, solver.Double
	settings.Waveform = solver.Sine{Period: 1e-3, Amplitude: 1}
	s := computed(t, solver.WholeDomain(g), settings, Single, 3)
	s.parts[0].device = idleDevice{s.parts[0].device}
	s.steps = 11 // no coupling, whose sums are downloaded, for some steps
	const steps = 4
	if n := testing.AllocsPerRun(1, func() {
		for range steps {
			if err := s.Step(); err != nil {
				t.Fatal(err)
			}
		}
	}); n > 0 {
		t.Errorf("%g allocations in %d steps", n, steps)
	}
}

package cuda

import (
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
)

// idleDevice does nothing that is given to it.
type idleDevice struct{ device }

func (idleDevice) launch(queue, kernel, launch) error { return nil }

// A step allocates nothing on the host, on one device and on several, however
// they exchange.
func TestStepsDoNotAllocate(t *testing.T) {
	g := tube()
	settings := caveSettings(g)
	settings.Collision, settings.Precision = airflow.TRT, airflow.Double
	settings.Waveform = opening.Sine{Period: 1e-3, Amplitude: 1}
	for _, c := range []struct {
		devices  int
		exchange Exchange
	}{{1, ""}, {2, IPC}, {2, Host}} {
		flow, err := airflow.NewFlow(solver.WholeDomain(g), settings)
		if err != nil {
			t.Fatal(err)
		}
		s, err := newSolver(flow, testDevices(t, c.devices), Options{Storage: Single, Exchange: c.exchange})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, p := range s.parts {
			p.device = idleDevice{p.device}
		}
		for range 3 { // both parities are prepared
			if err := s.Step(); err != nil {
				t.Fatal(err)
			}
		}
		s.steps = 11 // no coupling, whose sums are downloaded, for some steps
		const steps = 4
		if n := testing.AllocsPerRun(1, func() {
			for range steps {
				if err := s.Step(); err != nil {
					t.Fatal(err)
				}
			}
		}); n > 0 {
			t.Errorf("%d devices %s: %g allocations in %d steps", c.devices, c.exchange, n, steps)
		}
	}
}

package gpu

import (
	"strings"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
)

// What is announced is what is allocated, and a GPU that is too small is
// refused in one sentence that says what it needs and has.
func TestMemoryIsAnnounced(t *testing.T) {
	devicetest.BesideOthers(t)
	g := tube()
	settings := caveSettings(g)
	settings.Collision, settings.Precision = airflow.TRT, airflow.Double
	s := computed(t, solver.WholeDomain(g), settings, Single, 0)
	use, ok := MemoryOf(s)
	if !ok {
		t.Fatal("a rank on a GPU takes none of its memory")
	}
	const small = 16 << 10 // flags and tables that do not grow
	p := s.Kernel().(*bound).part
	if p.Bytes < use.Needs || p.Bytes > use.Needs+small {
		t.Errorf("%d bytes were announced and %d allocated", use.Needs, p.Bytes)
	}
	if about := must(MemoryEstimate(g, settings, Single)); about < use.Needs*9/10 || about > use.Needs*11/10 {
		t.Errorf("%d bytes are estimated, %d needed", about, use.Needs)
	}
	if err := p.checkMemory(use.Needs - 1); err == nil || !strings.Contains(err.Error(), "may take") {
		t.Errorf("less than is needed is allowed: %v", err)
	}
	if err := p.checkMemory(use.Needs); err != nil {
		t.Error(err)
	}
	p.Device = fullDevice{p.Device}
	err := p.checkMemory(0)
	if err == nil || !strings.Contains(err.Error(), "needs 0.00 GB of the 0.00 GB that are free") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got error %v", err)
	}
}

// fullDevice has no memory left.
type fullDevice struct{ device.Device }

func (fullDevice) Memory() (int64, int64, error) { return 1000, 1 << 30, nil }

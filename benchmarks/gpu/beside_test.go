package gpu

import (
	"os"
	"strings"
	"testing"

	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

func TestMain(m *testing.M) { os.Exit(devicetest.Main(m)) }

// emulated computes on GPUs that are emulated.
func emulated(t *testing.T, o *Options) {
	devicetest.Open(t, 1) // or the test is skipped
	o.gpus = func(options gpu.Options) airflow.Backend {
		return gpu.BackendOn(func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }, options)
	}
}

// Looks at two GPUs, one of which is slowed, are told with what would be ideal.
func TestLooksAtASlowedGPU(t *testing.T) {
	if testing.Short() {
		t.Skip("800 steps on emulated GPUs take a while")
	}
	o := Options{FluidCells: 1000, Steps: 50}
	emulated(t, &o)
	r, err := MeasureDisturbed(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Looks) == 0 {
		t.Error("no look")
	}
	for i, l := range r.Looks {
		// While a move is prepared beside the steps, however long, no look is taken.
		if next := l.Step + int64(o.Steps); i+1 < len(r.Looks) && (r.Looks[i+1].Step < next || l.Moved == 0 && r.Looks[i+1].Step > next) {
			t.Errorf("a look at step %d that moves %d cells, the next at %d", l.Step, l.Moved, r.Looks[i+1].Step)
		}
		if l.Busy[0] <= 0 || l.Busy[1] <= 0 || l.Ideal > max(l.Busy[0], l.Busy[1])*(1+1e-9) || l.Ideal < min(l.Busy[0], l.Busy[1])/2 {
			t.Errorf("%+v", l)
		}
	}
}

// A step is compared with the ideal one two looks after the first that the disturbance
// was in.
func TestSettled(t *testing.T) {
	r := DisturbedReport{From: 300}
	for i, seconds := range []float64{1, 1, 1.1, 3, 2.5, 1.25, 1} {
		r.Looks = append(r.Looks, DisturbedLook{Step: int64(i+1) * 100, Seconds: seconds, Ideal: 1})
	}
	if worst, settled := r.Settled(); worst != 3 || settled != 1.25 {
		t.Errorf("%g and %g, want 3 and 1.25", worst, settled)
	}
}

// What a GPU's memory may not hold is on cores, and what is reached is told beside its bound.
func TestCoresTakeWhatAGPUDoesNotHold(t *testing.T) {
	o := Options{Cases: []string{denseCase}, Side: 12, FluidCells: 1000}
	emulated(t, &o)
	r, err := MeasureBeside(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Rows) != 2*len(heldParts) {
		t.Fatalf("%d rows", len(r.Rows))
	}
	for i := range r.Rows {
		c := &r.Rows[i]
		if onGPU := float64(c.FluidCells - c.CoreCells); onGPU > c.Held*float64(c.FluidCells) || c.GPU <= 0 || c.Cores <= 0 || c.Bound <= 0 || c.MLUPS <= 0 || (c.InHost > 0) != (c.Held < 1) {
			t.Errorf("%+v", c)
		}
	}
	if words := r.Words(); !strings.Contains(words, "dense") || strings.Count(words, "double") < len(heldParts) {
		t.Errorf("the tables say\n%s", words)
	}
}

//go:build cuda

package main

import (
	"strings"
	"testing"

	"carina/solver/airflow"
	"carina/solver/cuda/device"
)

// A binary with GPU code starts on a machine without a GPU: asked for one it
// says in a sentence what is missing, otherwise it computes on the processor.
func TestBinaryStartsWithoutGPU(t *testing.T) {
	_, err := device.Devices()
	if err == nil {
		t.Skip("this machine has a GPU")
	}
	surface := generated(t, "bifurcation")
	arguments := append(append([]string{"run", surface, "--out", t.TempDir()}, bifurcationGeometry...), bifurcationFlow...)
	p := start(t, "", append(arguments, "--device", "gpu")...)
	if status := p.status(t); status != 1 {
		t.Errorf("status %d, not 1", status)
	}
	if got := p.stderr.String(); strings.Count(strings.TrimSpace(got), "\n") != 0 || !strings.Contains(got, err.Error()) || !strings.Contains(got, "compute on the processor") {
		t.Errorf("not one sentence with %q:\n%s", err, got)
	}
	if s := succeed[*airflow.Summary](t, arguments...); s.Steps != 40 {
		t.Errorf("computed %d steps, not 40", s.Steps)
	}
	if r := succeed[doctorResult](t, "doctor"); !r.CUDA || r.GPUProblem != err.Error() || len(r.GPUs) != 0 {
		t.Errorf("doctor says %+v", r)
	}
}

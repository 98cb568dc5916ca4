package airflow

import (
	"context"
	"math"
	"testing"

	"carina/geometry/generate"
	"carina/solver"

	"gonum.org/v1/gonum/spatial/r3"
)

// Air that moves alike everywhere keeps its speed, along whatever axes it
// moves.
func TestPeakVelocityIsTheSpeed(t *testing.T) {
	g := generate.LinkedGrid([3]int32{6, 6, 6}, 1, [3]bool{true, true, true}, func(int32, int32, int32) bool { return true }, halfWay, nil)
	for _, u := range []r3.Vec{{X: 0.03}, {Y: -0.03}, {Z: 0.03}, {X: 0.03, Z: 0.03}, {Y: -0.02, Z: 0.03}, {X: 0.01, Y: 0.02, Z: -0.02}} {
		s := DefaultSettings()
		s.Precision, s.FlowRate = Double, 0
		s.KinematicViscosity, s.Density, s.TimeStep = 0.1, 1, 1
		s.Initial = func(r3.Vec) (float64, r3.Vec) { return 0, u }
		domain := solver.WholeDomain(g)
		domain.Periodic = [3]bool{true, true, true}
		summary, err := RunInProcess(context.Background(), domain, s, Plan{Steps: 5})
		if err != nil {
			t.Fatal(err)
		}
		if want := r3.Norm(u); math.Abs(summary.PeakVelocity-want) > 1e-9*want {
			t.Errorf("air at %v: peak velocity %g, want %g", u, summary.PeakVelocity, want)
		}
	}
}

package airflow

import (
	"context"
	"fmt"
	"math"
	"testing"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/enginetest"
	"carina/solver/transport"

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

// Every cell begins with the pressure, the velocity and the rate of strain of its
// place, on whatever rank it is.
func TestInitialFieldsAreInPlace(t *testing.T) {
	g := generate.BallsGrid([3]int32{17, 14, 11}, 5, 3)
	length := float64(g.Size[0]) * g.Spacing
	initial := func(p r3.Vec) (float64, r3.Vec) {
		p = r3.Scale(1/length, r3.Sub(p, g.Origin))
		x, y, z := p.X, p.Y, p.Z
		return 1e-3 * (x - 2*y*z), r3.Vec{X: 0.01 * y, Y: 0.02 * z * x, Z: -0.01 * x}
	}
	strained := func(p r3.Vec) [6]float64 {
		p = r3.Scale(1/length, r3.Sub(p, g.Origin))
		return [6]float64{p.X, 2 * p.Y, -p.X - 2*p.Y, p.Z, p.X * p.Y, -p.Z}
	}
	for _, ranks := range []int{1, 4} {
		s := DefaultSettings()
		s.Precision, s.FlowRate, s.Initial, s.InitialStrain = Double, 0, initial, strained
		s.TimeStep = g.Spacing
		enginetest.OnRanks(t, ranks, func(tr transport.Transport) error {
			r, err := NewRank(scattered(g, 4, ranks, 2, [3]bool{}), s, tr)
			if err != nil {
				return err
			}
			defer r.Close()
			f, err := r.Fields()
			if err != nil {
				return err
			}
			strain, err := r.StrainRate()
			if err != nil {
				return err
			}
			for _, p := range r.Pieces() {
				for x := p.X0; x < p.X1; x++ {
					i := p.Local + int(x-p.X0)
					for k, want := range strained(g.Center(x, p.Y, p.Z)) {
						if math.Abs(float64(strain[k][i])-want) > 1e-5 {
							return fmt.Errorf("cell (%d, %d, %d) begins with strain %d of %g, want %g", x, p.Y, p.Z, k, strain[k][i], want)
						}
					}
					pressure, u := initial(g.Center(x, p.Y, p.Z))
					got := r3.Vec{X: float64(f.Velocity[0][i]), Y: float64(f.Velocity[1][i]), Z: float64(f.Velocity[2][i])}
					if r3.Norm(r3.Sub(got, u)) > 1e-6*0.02 || math.Abs(float64(f.Pressure[i])-pressure) > 1e-5*1e-3 {
						return fmt.Errorf("cell (%d, %d, %d) begins with %g Pa and %v, want %g and %v", x, p.Y, p.Z, f.Pressure[i], got, pressure, u)
					}
				}
			}
			return nil
		})
	}
}

// How long steps take is told once: without what the first ones prepare, but at once where
// they are slow.
func TestPace(t *testing.T) {
	type at struct{ seconds, whole, each float64 }
	for name, reports := range map[string][]at{
		"a GPU that prepares": {{0.45, 0, 0}, {0.5, 0, 0}, {0.55, 0, 0}, {1.95, 0.45 + 0.005*9900, 0.005}, {3, 0, 0}},
		"slow cores":          {{50, 5000, 0.5}, {100, 0, 0}},
		"slower at first":     {{4, 0, 0}, {6, 4 + 0.02*9900, 0.02}, {8, 0, 0}},
	} {
		var p pace
		for i, r := range reports {
			done := int64(100 * (i + 1))
			if whole, each := p.told(done, 10000, r.seconds); math.Abs(whole-r.whole) > 1e-9 || math.Abs(each-r.each) > 1e-9 {
				t.Errorf("%s: after %d steps %g and %g s are told, want %g and %g", name, done, whole, each, r.whole, r.each)
			}
		}
	}
}

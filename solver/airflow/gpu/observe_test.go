package gpu

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"carina/geometry"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/cuda/devicetest"

	"gonum.org/v1/gonum/spatial/r3"
)

// tube is a short channel from an inlet to two outlets.
func tube() *geometry.Grid {
	return makeGrid([3]int32{16, 10, 10}, [3]bool{}, func(_, y, z int32) bool {
		return math.Hypot(float64(y)-4.5, float64(z)-4.5) < 4.2
	}, rand.New(rand.NewPCG(1, 1)))
}

// What the solver tells of the flow is what the processor's tells.
func TestObservationsAgree(t *testing.T) {
	devicetest.BesideOthers(t)
	const steps = 150
	g := tube()
	domain := solver.WholeDomain(g)
	settings := caveSettings(g)
	settings.Collision, settings.Precision = airflow.TRT, airflow.Double
	settings.BodyForce = [3]float64{3, 2, 1}
	points := []r3.Vec{{X: 5.5e-4, Y: 4.2e-4, Z: 5.1e-4}, {X: 1, Y: 1, Z: 1}, {X: 12.1e-4, Y: 6e-4, Z: 3e-4}}
	middle, across := r3.Vec{X: 8.5e-4, Y: 4.5e-4, Z: 4.5e-4}, r3.Vec{X: 2, Y: 0.3}
	const radius = 3.1e-4
	lower := func(p r3.Vec) bool { return p.X < 9e-4 }

	type told struct {
		strain        [6][]float32
		shear         []float32
		samples       []airflow.Sample
		flow          float64
		pressure      float64
		force         r3.Vec
		average, last *airflow.Fields
	}
	var want, got told
	begun := false
	_, err := airflow.RunInProcess(context.Background(), domain, settings, airflow.Plan{Steps: steps,
		Between: []airflow.Between{{Do: func(r *airflow.Rank) error {
			if begun {
				return nil
			}
			begun = true
			return r.StartAverage()
		}}},
		Visit: func(r *airflow.Rank) (err error) {
			want.strain, want.shear, want.average, want.last = must(r.StrainRate()), must(r.ShearStress()), must(r.Average()), must(r.Fields())
			if want.samples, err = r.Probe(points); err != nil {
				return err
			}
			if want.flow, want.pressure, err = r.PlaneFlow(middle, across, radius); err != nil {
				return err
			}
			want.force, err = r.WallForce(lower)
			return err
		}})
	if err != nil {
		t.Fatal(err)
	}

	s := computed(t, domain, settings, Single, 0)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	check(s.Advance(context.Background(), airflow.CheckInterval, nil))
	check(s.StartAverage())
	check(s.Advance(context.Background(), steps-airflow.CheckInterval, nil))
	got.strain, err = s.StrainRate()
	check(err)
	got.shear, err = s.ShearStress()
	check(err)
	got.samples, err = s.Probe(points)
	check(err)
	got.flow, got.pressure, err = s.PlaneFlow(middle, across, radius)
	check(err)
	got.force, err = s.WallForce(lower)
	check(err)
	got.average, err = s.Average()
	check(err)
	snapshot, err := s.Snapshot()
	check(err)
	for range 4 { // the flow goes on meanwhile
		check(s.Engine().Step())
	}
	got.last, err = snapshot()
	check(err)

	compareFields(t, got.last, want.last, fieldRounding)
	compareFields(t, got.average, want.average, fieldRounding)
	closeTo(t, "strain rate", fieldRounding, flat(got.strain[:]...), flat(want.strain[:]...))
	closeTo(t, "shear stress", fieldRounding, flat(got.shear), flat(want.shear))
	closeTo(t, "force", doubleRounding, []float64{got.force.X, got.force.Y, got.force.Z}, []float64{want.force.X, want.force.Y, want.force.Z})
	closeTo(t, "flow through a plane", fieldRounding, []float64{got.flow}, []float64{want.flow})
	closeTo(t, "pressure on a plane", fieldRounding, []float64{got.pressure}, []float64{want.pressure})
	for i, w := range want.samples {
		if got.samples[i].Inside != w.Inside {
			t.Errorf("point %d is inside: %v, want %v", i, got.samples[i].Inside, w.Inside)
		}
		v := got.samples[i].Velocity
		closeTo(t, "sample", fieldRounding, []float64{1, v.X, v.Y, v.Z}, []float64{1, w.Velocity.X, w.Velocity.Y, w.Velocity.Z})
		closeTo(t, "sample's pressure", fieldRounding, []float64{1, got.samples[i].Pressure}, []float64{1, w.Pressure})
	}
}

func flat(lists ...[]float32) (all []float64) {
	for _, list := range lists {
		for _, v := range list {
			all = append(all, float64(v))
		}
	}
	return all
}

// closeTo compares numbers; the tolerance is relative to the largest.
func closeTo(t *testing.T, what string, tolerance float64, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	var largest, worst float64
	for i, w := range want {
		largest = max(largest, math.Abs(w))
		worst = max(worst, math.Abs(got[i]-w))
	}
	if !(worst <= tolerance*largest) || largest == 0 {
		t.Errorf("%s differs by %g of %g", what, worst, largest)
	}
}

// A flow is found to be steady at the same step as on the processor.
func TestSteadyAgrees(t *testing.T) {
	devicetest.BesideOthers(t)
	g := tube()
	domain := solver.WholeDomain(g)
	settings := caveSettings(g)
	settings.Collision, settings.Precision = airflow.TRT, airflow.Double
	var steps [2]int64
	var change [2]float64
	for i := range steps {
		plan := airflow.Plan{Steps: 2000, Tolerance: 0.5, Report: func(p airflow.Progress) {
			steps[i] = p.Step
			if !math.IsNaN(p.Change) {
				change[i] = p.Change
			}
		}}
		var b airflow.Backend
		if i == 1 {
			b = on(devicetest.Open(t, 1), Options{})
		}
		if _, err := airflow.RunInProcessOn(context.Background(), b, domain, settings, plan); err != nil {
			t.Fatal(err)
		}
	}
	if steps[0] != steps[1] || steps[0] == 2000 || math.Abs(change[1]/change[0]-1) > fieldRounding {
		t.Errorf("steady after %d steps with a change of %g, the processor after %d with %g", steps[1], change[1], steps[0], change[0])
	}
}

// A flow that diverges is noticed, with its first cell, and the last good
// fields are handed over.
func TestDivergenceIsNoticed(t *testing.T) {
	devicetest.BesideOthers(t)
	g := tube()
	domain := solver.WholeDomain(g)
	settings := caveSettings(g)
	settings.Collision, settings.Precision = airflow.TRT, airflow.Double
	settings.FlowRate *= 3
	settings.TimeStep = 1e-4
	var fields [2]*airflow.Fields
	diverge := func(i int, b airflow.Backend) error {
		_, err := airflow.RunInProcessOn(context.Background(), b, domain, settings, airflow.Plan{Steps: 400, Diverged: func(_ *airflow.Rank, f *airflow.Fields) error {
			fields[i] = f
			return nil
		}})
		return err
	}
	want, got := diverge(0, nil), diverge(1, on(devicetest.Open(t, 1), Options{}))
	if want == nil || got == nil || got.Error() != want.Error() {
		t.Fatalf("error %v, the processor's is %v", got, want)
	}
	if (fields[0] == nil) != (fields[1] == nil) {
		t.Fatalf("last good fields: %v, the processor has %v", fields[1] != nil, fields[0] != nil)
	}
	if fields[0] != nil {
		compareFields(t, fields[1], fields[0], fieldRounding)
	}
}

// A cell that the device names by where it lies is told by its number in the order of
// the grid's runs.
func TestCellsAreNumberedAsInTheGrid(t *testing.T) {
	devicetest.BesideOthers(t)
	g := tube()
	settings := caveSettings(g)
	settings.Collision, settings.Precision = airflow.TRT, airflow.Double
	s := computed(t, solver.WholeDomain(g), settings, Single, 0).Kernel().(*bound)
	want := int64(0)
	for _, r := range g.Runs {
		for x := r.X0; x < r.X1; x++ {
			if got := s.cellNumber(x, r.Y, r.Z); got != want {
				t.Fatalf("cell (%d, %d, %d) has number %d, want %d", x, r.Y, r.Z, got, want)
			}
			want++
		}
	}
}

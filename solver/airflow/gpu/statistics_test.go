package gpu

import (
	"context"
	"math"
	"reflect"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

// Statistics of flows on GPUs are the same on one and on two, and those of a processor.
func TestStatistics(t *testing.T) {
	devicetest.BesideOthers(t)
	d := bricked(t, 6, 2, 5)
	settings := caveSettings(d.Grid)
	settings.Conditions = map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: 30}, 3: {Kind: opening.ImposedPressure, Pressure: 30}}
	fresh := BackendOn(func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }, Options{})
	run := func(b airflow.Backend, domain *solver.Domain) (list []*airflow.Fields) {
		plan := airflow.Plan{Steps: 300, Statistics: &airflow.Averaging{Phases: 1}, Visit: func(r *airflow.Rank) error {
			m := r.Statistics().All()
			for _, f := range []*airflow.Fields{&m.Mean, {Pressure: m.PressureSquare, Velocity: [3][]float32{m.Stress[0], m.Stress[1], m.Stress[3]}}} {
				all, err := r.GatherFields(f)
				if err != nil {
					return err
				}
				if all != nil {
					list = append(list, all)
				}
			}
			return nil
		}}
		summary, err := airflow.RunInProcessOn(context.Background(), b, domain, settings, plan)
		if err != nil {
			t.Fatal(err)
		}
		if s := summary.Statistics; s == nil || s.Samples != 3 {
			t.Fatalf("%+v", s)
		}
		return list
	}
	want := run(fresh, d)
	if got := run(fresh, solver.WholeDomain(d.Grid)); !reflect.DeepEqual(got, want) {
		t.Error("on one GPU they are others than on two")
	}
	processor := run(nil, d)
	for k, f := range processor {
		for a, values := range [][]float32{f.Pressure, f.Velocity[0], f.Velocity[1], f.Velocity[2]} {
			other := [][]float32{want[k].Pressure, want[k].Velocity[0], want[k].Velocity[1], want[k].Velocity[2]}[a]
			largest, difference := 0.0, 0.0
			for i, v := range values {
				largest, difference = max(largest, math.Abs(float64(v))), max(difference, math.Abs(float64(v-other[i])))
			}
			if largest == 0 || difference > 1e-3*largest {
				t.Errorf("number %d of %d differs by %g of %g from a processor's", a, k, difference, largest)
			}
		}
	}
}

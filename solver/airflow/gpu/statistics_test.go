package gpu

import (
	"context"
	"errors"
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

// Statistics of flows on GPUs are the same, to the last bit, on one and on two, in the host's
// memory, where cells have moved, and from a saved state; and, but for rounding, those of a
// processor.
func TestStatistics(t *testing.T) {
	devicetest.BesideOthers(t)
	d := bricked(t, 6, 2, 5)
	settings := caveSettings(d.Grid)
	settings.Conditions = map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: 30}, 3: {Kind: opening.ImposedPressure, Pressure: 30}}
	fresh := BackendOn(func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }, Options{})
	run := func(b airflow.Backend, domain *solver.Domain, between func(*airflow.Rank) error) (list []*airflow.Fields) {
		plan := airflow.Plan{Steps: 200, Statistics: &airflow.Averaging{Phases: 1}, Visit: func(r *airflow.Rank) error {
			m, err := r.Statistics().All()
			if err != nil {
				return err
			}
			for _, f := range []*airflow.Fields{{Pressure: m.Pressure, Velocity: m.Velocity},
				{Pressure: m.PressureSquare, Velocity: [3][]float32{m.Stress[0], m.Stress[1], m.Stress[2]}},
				{Pressure: m.Stress[3], Velocity: [3][]float32{m.Stress[4], m.Stress[5], m.Stress[5]}}} {
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
		if between != nil {
			plan.Between = []airflow.Between{{Do: between}}
		}
		summary, err := airflow.RunInProcessOn(context.Background(), b, domain, settings, plan)
		if err != nil {
			t.Fatal(err)
		}
		if s := summary.Statistics; s == nil || s.Samples != 2 {
			t.Fatalf("%+v", s)
		}
		return list
	}
	onDevice := func(r *airflow.Rank) error {
		if s := r.Kernel().(*bound).statistics.Sampler.(*sampler); r.Engine().Steps() > 100 && len(s.phases) != 1 {
			t.Error("they are not taken on the device")
		}
		return nil
	}
	want := run(fresh, d, onDevice)
	whole := solver.WholeDomain(d.Grid)
	for name, got := range map[string][]*airflow.Fields{
		"on one GPU, in the host's memory": run(fresh, whole, func(r *airflow.Rank) error {
			r.Statistics().Sampler = nil
			return nil
		}),
		"on two GPUs, with moved cells": run(fresh, d, func(r *airflow.Rank) error {
			if r.Engine().Steps() != 150 {
				return nil
			}
			return errors.Join(r.Move(bricked(t, 6, 2, 6)), onDevice(r))
		}),
		"on one GPU, from a saved state": run(fresh, whole, func(r *airflow.Rank) error {
			if r.Engine().Steps() != 150 {
				return nil
			}
			state, err := r.SaveState()
			if err != nil {
				return err
			}
			return errors.Join(r.LoadState([]*solver.State{state}), onDevice(r))
		}),
	} {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s they are others than on two GPUs", name)
		}
	}
	processor := run(nil, d, nil)
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

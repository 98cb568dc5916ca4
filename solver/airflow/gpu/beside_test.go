package gpu

import (
	"math"
	"reflect"
	"sync"
	"testing"

	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/opening"
	"carina/solver/cuda/device"
	"carina/solver/cuda/devicetest"
	"carina/solver/transport"
)

// remembered is what ranks know of earlier steps.
type remembered struct {
	hash           uint64
	mean           *airflow.Fields
	change, square int64
}

// observed adds to the mean and takes a sample, as a check does, and returns what the
// rank's mean and the change since the sample before are.
func observed(r *airflow.Rank) (m remembered, err error) {
	if err = r.Kernel().AddToAverage(); err != nil {
		return m, err
	}
	if m.change, m.square, err = r.Kernel().Compare(1); err != nil {
		return m, err
	}
	m.hash = must(r.Hash())
	own, err := r.Average()
	if err != nil || own == nil {
		return m, err
	}
	m.mean, err = r.GatherFields(own)
	return m, err
}

// The mean and the sample of the velocity go wherever the cells go: from two GPUs to one
// and to a processor, and from owner to owner, under an ambient pressure, too.
func TestWhatIsRememberedGoesOn(t *testing.T) {
	devicetest.BesideOthers(t)
	const before, after = 20, 14
	d := bricked(t, 6, 2, 5)
	settings := caveSettings(d.Grid)
	settings.Conditions = map[int]opening.Condition{2: {Kind: opening.ImposedPressure, Pressure: 30}, 3: {Kind: opening.ImposedPressure, Pressure: 30}}
	fresh := BackendOn(func(tr transport.Transport) (device.Device, error) { return devicetest.Fresh(t, tr.Rank()) }, Options{})
	moved := bricked(t, 6, 2, 7)
	states := make([]*solver.State, 2)
	sums := func(list []remembered) (sum remembered) {
		for _, m := range list {
			sum.hash = m.hash
			sum.change, sum.square = sum.change+m.change, sum.square+m.square
			if m.mean != nil {
				sum.mean = m.mean
			}
		}
		return sum
	}
	// ends is what ranks know in the end that begin with a state, or save theirs on the
	// way, and get other cells or not.
	ends := func(b airflow.Backend, domain *solver.Domain, load, move bool) remembered {
		var guard sync.Mutex
		var list []remembered
		onBackends(t, domain, settings, func(int) airflow.Backend { return b }, func(r *airflow.Rank) error {
			if load {
				if err := r.LoadState(states); err != nil {
					return err
				}
			} else {
				if err := r.StartAverage(); err != nil {
					return err
				}
				step(t, r, before)
				if _, err := observed(r); err != nil {
					return err
				}
				saved, err := r.SaveState()
				if err != nil {
					return err
				}
				states[r.Number()] = saved
			}
			step(t, r, after)
			if move {
				if err := r.Move(moved); err != nil {
					return err
				}
			}
			m, err := observed(r)
			guard.Lock()
			defer guard.Unlock()
			list = append(list, m)
			return err
		})
		return sums(list)
	}
	want := ends(fresh, d, false, false)
	if want.mean == nil || want.square == 0 || want.change == 0 {
		t.Fatalf("nothing is remembered: %+v", want)
	}
	for name, got := range map[string]remembered{
		"loaded by one GPU":               ends(fresh, solver.WholeDomain(d.Grid), true, false),
		"loaded by owners of other cells": ends(fresh, moved, true, false),
		"given to other owners":           ends(fresh, d, true, true),
	} {
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: hash %x and not %x, change %d and not %d, means equal: %t", name, got.hash, want.hash, got.change, want.change, reflect.DeepEqual(got.mean, want.mean))
		}
	}
	got := ends(nil, solver.WholeDomain(d.Grid), true, false)
	compareFields(t, got.mean, want.mean, fieldRounding)
	if math.Abs(float64(got.change-want.change)) > 1e-3*float64(want.change) {
		t.Errorf("on a processor the velocity has changed by %d, on GPUs by %d", got.change, want.change)
	}
}

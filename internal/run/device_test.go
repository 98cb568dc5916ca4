package run

import (
	"testing"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/transport"
)

// Every rank has the backend of its own device, and a job without devices computes on
// processors.
func TestDevicesAreThoseOfRanks(t *testing.T) {
	for _, devices := range [][]Device{nil, {CPU, CPU, CPU}, {GPU, CPU, GPU}, {GPU, GPU, GPU}} {
		j := Job{Domain: &solver.Domain{Ranks: 3}, Devices: devices}
		for rank, b := range j.backends() {
			if gpu := devices != nil && devices[rank] == GPU; gpu != (b != nil) {
				t.Errorf("rank %d of %v has the backend %T", rank, devices, b)
			}
		}
	}
}

// Ranks whose jobs name other devices for any of them are told so.
func TestDevicesOfAllRanksAgree(t *testing.T) {
	grid := generate.FullGrid([3]int32{4, 4, 4})
	for _, c := range []struct {
		first, second []Device
		alike         bool
	}{
		{[]Device{GPU, CPU}, []Device{GPU, CPU}, true}, {[]Device{GPU, CPU}, []Device{CPU, GPU}, false}, {[]Device{CPU, CPU}, []Device{GPU, CPU}, false},
	} {
		err := transport.InProcess(2, func(tr transport.Transport) error {
			j := Job{Domain: solver.WholeDomain(grid), Settings: airflow.DefaultSettings(), Devices: c.first, Transport: tr}
			if tr.Rank() == 1 {
				j.Devices = c.second
			}
			return j.Agree(Agreement{})
		})
		if (err == nil) != c.alike {
			t.Errorf("%v beside %v: %v", c.first, c.second, err)
		}
	}
}

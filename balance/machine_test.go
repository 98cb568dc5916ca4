package balance

import (
	"slices"
	"strings"
	"testing"
)

// Cells are shared by rates as far as memory holds them; cores have none where they cannot
// pay, and what does not fit anywhere is refused.
func TestShare(t *testing.T) {
	gpu := Worker{Name: "GPU 0", Rate: 20e9}
	small := Worker{Name: "GPU 0", Rate: 3e9}
	cores := Worker{Name: "16 cores", Rate: 400e6, Helps: true}
	with := func(w Worker, cells int64) Worker {
		w.Cells = cells
		return w
	}
	beyond := func(w Worker, cells int64, rate float64) Worker {
		w.Cells, w.Beyond = cells, rate
		return w
	}
	for _, c := range []struct {
		name    string
		workers []Worker
		cells   int64
		want    []int64
		why     string // or what the error says
	}{
		{"cores cannot pay", []Worker{gpu, cores}, 1e8, []int64{1e8, 0}, "16 cores would make a step 2.0 % shorter"},
		{"cores pay", []Worker{small, with(cores, 1e9)}, 34e6, []int64{30e6, 4e6}, ""},
		{"the GPU is too small", []Worker{with(gpu, 6e7), cores}, 1e8, []int64{6e7, 4e7}, ""},
		{"one of two GPUs is full", []Worker{gpu, with(gpu, 1e7)}, 1e8, []int64{9e7, 1e7}, ""},
		{"both GPUs are full", []Worker{with(gpu, 3e7), with(gpu, 1e7), cores}, 1e8, []int64{3e7, 1e7, 6e7}, ""},
		{"a full GPU leaves what others share by their rates", []Worker{with(gpu, 1e7), small, small, cores}, 138e6, []int64{1e7, 60e6, 60e6, 8e6}, ""},
		{"the host's memory is faster", []Worker{beyond(gpu, 6e7, 500e6), cores}, 1e8, []int64{1e8, 0}, "lie in the host's, which the GPUs reach (500 million a second there, 400 on 16 cores)"},
		{"cores are faster", []Worker{beyond(gpu, 6e7, 300e6), cores}, 1e8, []int64{6e7, 4e7}, "are for cores"},
		{"cores do not hold the rest", []Worker{beyond(gpu, 6e7, 300e6), with(cores, 1e7)}, 1e8, []int64{1e8, 0}, "lie in the host's"},
		{"two GPUs in the host's memory", []Worker{beyond(gpu, 3e7, 300e6), beyond(gpu, 3e7, 100e6), with(cores, 1e7)}, 1e8, []int64{6e7, 4e7, 0}, "40 000 000 cells"},
		{"the host's memory is not needed", []Worker{beyond(gpu, 1e9, 300e6), cores}, 1e8, []int64{1e8, 0}, "no cells for them"},
		{"cores alone", []Worker{cores}, 1e6, []int64{1e6}, ""},
		{"nothing holds all", []Worker{with(gpu, 3e7), with(cores, 6e7)}, 1e8, nil, "of 100\u2009000\u2009000 cells: choose a larger"},
	} {
		got, why, err := Share(c.workers, c.cells)
		if err != nil {
			why = err.Error()
		}
		if !slices.Equal(got, c.want) || (c.want == nil) != (err != nil) || !strings.Contains(why, c.why) || c.why == "" && why != "" {
			t.Errorf("%s: %v, %q; want %v, %q", c.name, got, why, c.want, c.why)
		}
	}
}

// A machine file may name kinds of devices: a GPU by its number, others together, and cores
// by how many have the rate. What makes no sense is refused.
func TestKindsOfDevices(t *testing.T) {
	const head = `{"format": "carina machine", "version": 1, "kinds": [`
	m, err := parseMachine([]byte(head + `{"kind": "gpu", "cells_per_second": 2e10}, {"kind": "gpu", "number": 1, "cells_per_second": 5e9},
		{"kind": "cpu", "cores": 8, "cells_per_second": 4e8}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := []float64{m.GPURate(0), m.GPURate(1), m.GPURate(7), m.CoresRate(4), m.CoresRate(16)}
	if want := []float64{2e10, 5e9, 2e10, 2e8, 8e8}; !slices.Equal(got, want) {
		t.Errorf("rates %v, want %v", got, want)
	}
	if none := (&Machine{}); none.GPURate(0) != 0 || none.CoresRate(4) != 0 {
		t.Error("a file without kinds has rates")
	}
	for kind, says := range map[string]string{
		`{"kind": "tpu", "cells_per_second": 1}`:               "say gpu or cpu",
		`{"kind": "gpu"}`:                                      "a number above 0",
		`{"kind": "cpu", "cells_per_second": -1}`:              "a number above 0",
		`{"kind": "cpu", "cores": -2, "cells_per_second": 1}`:  "-2 cores",
		`{"kind": "gpu", "cores": 2, "cells_per_second": 1}`:   "2 cores",
		`{"kind": "gpu", "number": -1, "cells_per_second": 1}`: "from 0 on",
		`{"kind": "cpu", "number": 0, "cells_per_second": 1}`:  "that of a GPU",
	} {
		if _, err := parseMachine([]byte(head + kind + "]}")); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

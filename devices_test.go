package carina

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"carina/balance"
	"carina/geometry/generate"
)

// Ranks on GPUs and on cores have shares by their speeds and their memory; cores that cannot
// pay have none, which is told, and what nothing holds is refused.
func TestDevicesShareCells(t *testing.T) {
	g := generate.FullGrid([3]int32{40, 40, 40})
	c := Case{PartitionCase: PartitionCase{Device: gpusAndCores}}
	all := int64(40*40*40) * 80
	bus := 0.0
	machine := func(gpus int, free, memory int64) machineOf {
		return machineOf{gpus: gpus, cores: 16, free: func(int) int64 { return free }, memory: memory,
			byGPU: func(int) float64 { return bus }, byCores: func(int) float64 { return 69e9 }}
	}
	for _, test := range []struct {
		name, device, memory string
		speeds               []float64
		machine              machineOf
		want                 []string
		cores                float64 // the part of the cells that they have
		says                 string
	}{
		{"cores cannot pay", "gpu+cpu", "", nil, machine(1, 1<<40, 1<<40), []string{"gpu:0"}, 0, "15 cores would make a step"},
		{"half fits", "gpu+cpu", "2600kB", nil, machine(1, 1<<40, 1<<40), []string{"gpu:0", "cpu:15"}, 0.52, ""},
		{"two GPUs hold half", "gpu+cpu", "1300kB", nil, machine(2, 1<<40, 1<<40), []string{"gpu:0", "gpu:1", "cpu:14"}, 0.52, ""},
		{"nothing holds all", "gpu+cpu", "2600kB", nil, machine(1, 1<<40, all/4), nil, 0, "choose a larger spacing"},
		{"no GPU", "gpu+cpu", "", nil, machine(0, 0, 1<<40), nil, 0, "no GPU"},
		{"named devices all have cells", "gpu:3,cpu:12", "", nil, machine(4, 1<<40, 1<<40), []string{"gpu:3", "cpu:12"}, 0.016, ""},
		{"by speeds", "gpu:0,cpu:12", "", []float64{3, 1}, machine(1, 1<<40, 1<<40), []string{"gpu:0", "cpu:12"}, 0.25, ""},
		{"GPUs alone", "gpu,gpu", "", nil, machine(2, 1<<40, 1<<40), nil, 0, ""},
	} {
		c.Device, c.GPUMemory, c.Speeds = Device(test.device), test.memory, test.speeds
		o := balance.Options{Ranks: c.DefaultRanks()}
		err := c.shareDevices(g, &o, test.machine)
		says := o.Unused
		if err != nil {
			says = err.Error()
		}
		if !strings.Contains(says, test.says) || test.says == "" && says != "" || !slices.Equal(o.Devices, test.want) || test.want != nil && o.Ranks != len(test.want) {
			t.Errorf("%s: devices %v, %q", test.name, o.Devices, says)
			continue
		}
		if n := len(o.Speeds); n > 0 && test.cores > 0 {
			sum := 0.0
			for _, s := range o.Speeds {
				sum += s
			}
			if is := o.Speeds[n-1] / sum; is < test.cores-0.05 || is > test.cores+0.05 {
				t.Errorf("%s: cores have %.3f of the cells, want %.3f", test.name, is, test.cores)
			}
		}
	}
}

// What GPUs do not hold lies in the host's memory where they are faster there than cores.
func TestCellsInHostMemory(t *testing.T) {
	g := generate.FullGrid([3]int32{40, 40, 40})
	c := Case{PartitionCase: PartitionCase{Device: gpusAndCores, GPUMemory: "1300kB"}}
	for bus, want := range map[float64][]string{84e9: {"gpu:0+host", "gpu:1+host"}, 10e9: {"gpu:0", "gpu:1", "cpu:14"}} {
		o := balance.Options{Ranks: c.DefaultRanks()}
		err := c.shareDevices(g, &o, machineOf{gpus: 2, cores: 16, free: func(int) int64 { return 1 << 40 }, memory: 1 << 40,
			byGPU: func(int) float64 { return bus }, byCores: func(int) float64 { return 69e9 }})
		if err != nil || !slices.Equal(o.Devices, want) || !strings.Contains(o.Unused, "on 14 cores") {
			t.Errorf("%.0f GB/s: devices %v, %q, %v", bus/1e9, o.Devices, o.Unused, err)
		}
	}
}

// Devices are read with numbers, and a partition tells those that it was made for.
func TestDevicesAreNamed(t *testing.T) {
	for device, says := range map[string]string{
		"cpu": "", "gpu:0,gpu:7,cpu:12": "", "gpu+cpu": "", "cpu:0": "cpu:12 for twelve", "gpu:-1": "gpu:0 for the first", "gpu:x": "gpu:0", "tpu": "tpu", "gpu+gpu": "gpu+gpu", "gpu+host": "", "gpu:1+host,cpu:2": "", "cpu+host": "behind a GPU", "host": "host", "gpu+host:0": "gpu+host",
	} {
		c := PartitionCase{Device: Device(device)}
		if err := c.check(); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", device, err)
		}
	}
	c := PartitionCase{Device: gpusAndCores}
	p := balance.Partition{Ranks: []balance.Rank{{Device: "gpu:1"}, {Device: "cpu:3"}}}
	if got, err := c.devicesOn(&p); err != nil || !slices.Equal(got, []Device{"gpu:1", "cpu:3"}) {
		t.Errorf("%v, %v", got, err)
	}
	p.Ranks[1].Device = ""
	if _, err := c.devicesOn(&p); err == nil || !strings.Contains(err.Error(), "partition with --device gpu+cpu") {
		t.Error(err)
	}
}

// A machine file that names kinds of devices says how fast ranks are, also of GPUs alone that
// differ; speeds that are given come before it, and it may say nothing of costs.
func TestKindsShareCells(t *testing.T) {
	g := generate.FullGrid([3]int32{40, 40, 40})
	path := filepath.Join(t.TempDir(), "machine.json")
	kinds := `{"format": "carina machine", "version": 1, "name": "desk", "kinds": [{"kind": "gpu", "cells_per_second": 9e9},
		{"kind": "gpu", "number": 1, "cells_per_second": 3e9}, {"kind": "cpu", "cores": 4, "cells_per_second": 1e9}]}`
	if err := os.WriteFile(path, []byte(kinds), 0o666); err != nil {
		t.Fatal(err)
	}
	machine := machineOf{gpus: 2, cores: 16, free: func(int) int64 { return 1 << 40 }, memory: 1 << 40}
	for _, test := range []struct {
		device string
		speeds []float64
		want   []float64 // parts of the whole; nil where nothing is said
	}{
		{"gpu:0,gpu:1", nil, []float64{0.75, 0.25}},
		{"gpu:0,cpu:12", nil, []float64{0.75, 0.25}},
		{"gpu:0,cpu:12", []float64{1, 1}, []float64{0.5, 0.5}},
		{"gpu,gpu", nil, []float64{0.75, 0.25}},
		{"gpu:0,gpu:1", []float64{1, 1}, nil},
		{"cpu:1,cpu:3", nil, []float64{0.25, 0.75}},
		{"cpu,cpu", nil, nil},
	} {
		c := Case{PartitionCase: PartitionCase{Device: Device(test.device), Speeds: test.speeds, Machine: path}}
		o := balance.Options{Ranks: c.DefaultRanks()}
		if err := c.shareDevices(g, &o, machine); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, speed := range o.Speeds {
			sum += speed
		}
		if len(o.Speeds) != len(test.want) {
			t.Errorf("%s, speeds %v: %v, want %v", test.device, test.speeds, o.Speeds, test.want)
			continue
		}
		for i, want := range test.want {
			if is := o.Speeds[i] / sum; math.Abs(is-want) > 1e-3 {
				t.Errorf("%s, speeds %v: rank %d has %.3f, want %.3f", test.device, test.speeds, i, is, want)
			}
		}
		if _, err := c.cost(g); err != nil {
			t.Errorf("%s: %v", test.device, err)
		}
	}
}

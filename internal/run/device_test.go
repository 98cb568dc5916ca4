package run

import (
	"runtime"
	"slices"
	"testing"

	"carina/geometry/generate"
	"carina/solver"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
	"carina/solver/transport"
)

// Every rank has the backend of its own device, and a job without devices computes on
// processors.
func TestDevicesAreThoseOfRanks(t *testing.T) {
	for _, devices := range [][]Device{nil, {CPU, CPU, CPU}, {GPU, CPU, GPU}, {GPU, GPU, GPU}} {
		j := Job{Domain: &solver.Domain{Ranks: 3}, Devices: devices}
		for rank, b := range j.backends() {
			_, processors := b.(interface{ Workers() int })
			if gpu := devices != nil && devices[rank] == GPU; gpu == (b == nil || processors) {
				t.Errorf("rank %d of %v has the backend %T", rank, devices, b)
			}
		}
	}
}

// GPUs have their numbers, or one after the other; cores theirs, or what GPUs leave.
func TestDevicesHaveNumbers(t *testing.T) {
	given := func(devices ...Device) (numbers []int) {
		j := Job{Domain: &solver.Domain{Ranks: len(devices)}, Devices: devices, GPUMemory: 7}
		gpus := map[*struct{ airflow.Backend }]gpu.Options{}
		j.GPUs = func(o gpu.Options) airflow.Backend {
			b := new(struct{ airflow.Backend })
			gpus[b] = o
			return b
		}
		for rank, b := range j.backends() {
			b, ok := b.(*struct{ airflow.Backend })
			switch o := gpus[b]; {
			case !ok:
				numbers = append(numbers, -1)
			case len(o.Devices) == 0:
				numbers = append(numbers, -2)
			default:
				numbers = append(numbers, o.Devices[rank])
			}
		}
		return numbers
	}
	for _, c := range []struct {
		devices []Device
		want    []int
	}{
		{[]Device{"gpu", "gpu"}, []int{-2, -2}}, // cuda.Choose takes one after the other
		{[]Device{"cpu", "gpu", "cpu:3", "gpu"}, []int{-1, 0, -1, 1}},
		{[]Device{"gpu:2", "cpu", "gpu:0"}, []int{2, -1, 0}},
	} {
		if got := given(c.devices...); !slices.Equal(got, c.want) {
			t.Errorf("%v have %v, want %v", c.devices, got, c.want)
		}
	}
	n := runtime.GOMAXPROCS(0)
	for _, c := range []struct {
		devices []Device
		want    int
	}{{[]Device{"cpu", "cpu"}, 0}, {[]Device{"gpu", "cpu"}, max(1, n-1)}, {[]Device{"gpu", "cpu:1", "cpu"}, max(1, n-2)}, {[]Device{"gpu", "cpu:99", "cpu"}, 1}} {
		if got := (&Job{Devices: c.devices}).coresLeft(); got != c.want {
			t.Errorf("%v leave %d cores of %d, want %d", c.devices, got, n, c.want)
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

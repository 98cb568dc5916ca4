package run

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"carina/internal/quantity"
	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
)

// Device is what a rank computes on: a kind, which may be followed by a colon and the number
// of the GPU or how many cores.
type Device string

// The kinds of devices: a rank is a process or goroutine on the processor, or a GPU.
const (
	CPU Device = "cpu"
	GPU Device = "gpu"
	// andHost behind a GPU lets cells that its memory does not hold lie in the host's.
	andHost = "+host"
)

// Kind is CPU or GPU, where Check finds nothing.
func (d Device) Kind() Device {
	kind, _, _ := d.parts()
	return kind
}

// parts are the kind, and what follows a colon, if there is one.
func (d Device) parts() (kind Device, text string, ok bool) {
	of, text, ok := strings.Cut(strings.TrimSuffix(string(d), andHost), ":")
	return Device(of), text, ok
}

// WithHost is the GPU with the host's memory for what its own does not hold.
func (d Device) WithHost() Device { return d + andHost }

// HasHost tells whether it is that.
func (d Device) HasHost() bool { return strings.HasSuffix(string(d), andHost) }

// Number is that of the GPU, or how many cores; ok tells whether it is given.
func (d Device) Number() (n int, ok bool) {
	_, text, ok := d.parts()
	n, _ = strconv.Atoi(text) // checked before
	return n, ok
}

// Check refuses what is no device.
func (d Device) Check() error {
	if err := quantity.CheckName("device", d.Kind(), []Device{CPU, GPU}); err != nil {
		return err
	}
	if d.HasHost() && d.Kind() == CPU {
		return fmt.Errorf("there is no device %q: %s stands behind a GPU whose cells may lie in the host's memory, as in gpu:0+host", string(d), andHost)
	}
	_, text, ok := d.parts()
	least := map[Device]int{CPU: 1, GPU: 0}[d.Kind()]
	if n, err := strconv.Atoi(text); ok && (err != nil || n < least || n > 1<<20) {
		return fmt.Errorf("there is no device %q: say gpu:0 for the first GPU, or cpu:12 for twelve cores", string(d))
	}
	return nil
}

// On tells whether one of some devices is of a kind.
func On(devices []Device, kind Device) bool {
	return slices.ContainsFunc(devices, func(d Device) bool { return d.Kind() == kind })
}

// devicesText names the devices of all ranks, once where they are alike.
func devicesText(devices []Device) string {
	if alike := slices.Compact(slices.Clone(devices)); len(alike) == 1 {
		return string(alike[0])
	}
	words := make([]string, len(devices))
	for i, d := range devices {
		words[i] = string(d)
	}
	return strings.Join(words, ",")
}

// backends are those of all ranks, nil for processors among their like. Of a process's ranks
// those on GPUs take one after the other, where no numbers are given, and those on cores share
// what is left by ranks on GPUs, which need one each.
func (j *Job) backends() []airflow.Backend {
	list := make([]airflow.Backend, j.Domain.Ranks)
	backend := gpu.Backend
	if j.GPUs != nil {
		backend = j.GPUs
	}
	cores, next := j.coresLeft(), 0
	for rank, d := range j.Devices {
		n, given := d.Number()
		switch {
		case d.Kind() == CPU && (given || cores > 0):
			list[rank] = airflow.Processors(cmp.Or(n, cores))
		case d.Kind() == GPU:
			options := gpu.Options{Storage: j.Storage, Exchange: j.Exchange, Memory: j.GPUMemory, HostMemory: d.HasHost()}
			if !given && j.Transport == nil && On(j.Devices, CPU) {
				n, given = next, true
			}
			if given {
				options.Devices = slices.Repeat([]int{n}, rank+1) // a process's ranks look up theirs
				if j.Transport != nil {
					options.Devices = options.Devices[:1]
				}
			}
			list[rank] = backend(options)
			next++
		}
	}
	return list
}

// coresLeft is how many cores each rank has that computes beside GPUs of this process and
// says no number; 0 where the ranks share them as usual.
func (j *Job) coresLeft() int {
	if j.Transport != nil || !On(j.Devices, GPU) {
		return 0
	}
	left, sharing := runtime.GOMAXPROCS(0), 0
	for _, d := range j.Devices {
		n, given := d.Number()
		switch {
		case d.Kind() == GPU:
			left--
		case given:
			left -= n
		default:
			sharing++
		}
	}
	return max(1, left/max(1, sharing))
}

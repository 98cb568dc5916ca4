package run

import (
	"slices"
	"strings"

	"carina/solver/airflow"
	"carina/solver/airflow/gpu"
)

// Device is what a rank computes on.
type Device string

// The devices: a rank is a process or goroutine on the processor, or a GPU.
const (
	CPU Device = "cpu"
	GPU Device = "gpu"
)

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

// backends are those of all ranks, nil for processors. Of a process's ranks those on GPUs
// take one after the other.
func (j *Job) backends() []airflow.Backend {
	options := gpu.Options{Storage: j.Storage, Exchange: j.Exchange}
	if j.Transport == nil && slices.Contains(j.Devices, CPU) {
		numbers, next := make([]int, len(j.Devices)), 0
		for rank, d := range j.Devices {
			if numbers[rank] = next; d == GPU {
				next++
			}
		}
		options.Devices = numbers
	}
	list := make([]airflow.Backend, j.Domain.Ranks)
	backend := gpu.Backend
	if j.GPUs != nil {
		backend = j.GPUs
	}
	gpus := backend(options)
	for rank, d := range j.Devices {
		if d == GPU {
			list[rank] = gpus
		}
	}
	return list
}

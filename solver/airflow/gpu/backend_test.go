package gpu

import (
	"strings"
	"testing"

	"carina/solver/transport"
)

// Ranks of a process take one of the GPUs given each; those that get none are told.
func TestRanksWithoutAGPUAreTold(t *testing.T) {
	const ranks = 3
	for devices, want := range map[int]string{
		1: "the partition is for 3 ranks, more than 1 GPU can take; partition again with --ranks 1",
		2: "the partition is for 3 ranks, more than 2 GPUs can take; partition again with --ranks 2",
	} {
		for rank, tr := range transport.NewLocal(ranks) {
			d, err := Options{Devices: []int{0, 1}[:devices]}.openFor(tr)
			if d != nil {
				defer d.Close()
			}
			told := err != nil && strings.Contains(err.Error(), want)
			if told != (rank >= devices) {
				t.Errorf("rank %d of %d: %v", rank, ranks, err)
			}
		}
	}
}

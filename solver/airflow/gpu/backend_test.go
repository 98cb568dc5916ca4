package gpu

import (
	"strings"
	"testing"

	"carina/solver/transport"
)

// Ranks of a process take one of the GPUs given each; those that get none are told.
func TestRanksWithoutAGPUAreTold(t *testing.T) {
	const ranks = 3
	for rank, tr := range transport.NewLocal(ranks) {
		d, err := Options{Devices: []int{0, 1}}.openFor(tr)
		if d != nil {
			defer d.Close()
		}
		told := err != nil && strings.Contains(err.Error(), "the partition is for 3 ranks and there are 2 GPUs; partition again with --ranks 2")
		if told != (rank == 2) {
			t.Errorf("rank %d of %d: %v", rank, ranks, err)
		}
	}
}

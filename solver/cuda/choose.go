package cuda

import (
	"fmt"
	"os"
	"strconv"

	"carina/internal/quantity"
	"carina/solver/cuda/device"
	"carina/solver/transport"
)

// Choose opens the GPU of a rank. Numbers are those of the GPUs of this process's ranks; if
// empty, ranks of one process take as many from the first on, and processes those of their
// host in turn.
func Choose(t transport.Transport, numbers []int) (device.Device, error) {
	number, available := 0, device.Count()
	_, local := t.(*transport.Local)
	switch {
	case local && len(numbers) > 0:
		if t.Rank() >= len(numbers) {
			return nil, tooFew(t.Size(), len(numbers))
		}
		number = numbers[t.Rank()]
	case local:
		if number = t.Rank(); available > 0 && number >= available {
			return nil, tooFew(t.Size(), available)
		}
	case len(numbers) > 1:
		return nil, fmt.Errorf("%d GPUs were given to one of several processes; start one process a GPU", len(numbers))
	case len(numbers) == 1:
		number = numbers[0]
	case available > 0:
		number = localRank(t) % available
	}
	return device.Open(number)
}

// tooFew is the error of more ranks than GPUs.
func tooFew(ranks, gpus int) error {
	return fmt.Errorf("the partition is for %s, more than %s can take; partition again with --ranks %d", quantity.Count(ranks, "rank"), quantity.Count(gpus, "GPU"), gpus)
}

// localRank is the number of this process among those of the host, as MPI
// libraries and batch systems tell it.
func localRank(t transport.Transport) int {
	for _, name := range []string{"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"} {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n >= 0 {
			return n
		}
	}
	return t.Rank()
}

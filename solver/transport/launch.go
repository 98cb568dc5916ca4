package transport

import (
	"fmt"
	"os"
	"strconv"

	"carina/internal/quantity"
)

// Launch is a start of several processes of one program at once, by mpirun or
// another launcher.
type Launch struct {
	// Launcher says what started them.
	Launcher string
	// Processes is how many there are, 0 where that is not told.
	Processes int
}

// launchers are the environment variables by which launchers tell each process
// how many there are. Several may be set, as one launcher starts another: the
// first counts that is.
var launchers = []struct{ name, processes, rank string }{
	{"mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
	{"mpirun of MVAPICH", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
	{"jsrun", "JSM_NAMESPACE_SIZE", "JSM_NAMESPACE_RANK"},
	{"flux", "FLUX_JOB_SIZE", "FLUX_TASK_RANK"},
	// Batch scripts have SLURM_NTASKS, too, which are one process; steps alone
	// have these.
	{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
	// MPICH, Intel MPI and Cray's.
	{"mpiexec of MPICH or another launcher that speaks PMI", "PMI_SIZE", "PMI_RANK"},
}

// Launched tells whether a launcher has started this process, maybe among
// others.
func Launched() (l Launch, launched bool) {
	for _, known := range launchers {
		if n, err := strconv.Atoi(os.Getenv(known.processes)); err == nil && n > 0 && os.Getenv(known.rank) != "" {
			return Launch{known.name, n}, true
		}
	}
	if os.Getenv("PMIX_RANK") != "" {
		return Launch{Launcher: "a launcher that speaks PMIx"}, true
	}
	return Launch{}, false
}

// Alone tells whether the process is the only one.
func (l Launch) Alone() bool { return l.Processes == 1 }

// String says who has started what.
func (l Launch) String() string {
	if l.Processes == 0 {
		return l.Launcher + " started processes"
	}
	return l.Launcher + " started " + quantity.Count(l.Processes, "process")
}

// fits is an error unless MPI connects as many processes as were started.
// Where the launcher belongs to another MPI, each finds itself alone and would
// compute the whole.
func (l Launch) fits(size int) error {
	if l.Processes == 0 && size > 1 || l.Processes == size {
		return nil
	}
	return fmt.Errorf("%v, but MPI connects %d: start them with the mpirun of the Open MPI that this binary was built with, or with srun --mpi=pmix", l, size)
}

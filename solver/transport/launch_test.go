package transport

import (
	"os"
	"strings"
	"testing"
)

// notLaunched takes out of the environment what launchers put there.
func notLaunched(t *testing.T) {
	t.Helper()
	for _, l := range launchers {
		for _, name := range []string{l.processes, l.rank} {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
	t.Setenv("PMIX_RANK", "")
}

func TestLaunched(t *testing.T) {
	for _, c := range []struct {
		name     string
		set      []string
		launcher string
		want     int
	}{
		{"by hand", nil, "", 0},
		{"Open MPI", []string{"OMPI_COMM_WORLD_SIZE=4", "OMPI_COMM_WORLD_RANK=0", "PMIX_RANK=0"}, "Open MPI", 4},
		{"MPICH's hydra", []string{"PMI_SIZE=3", "PMI_RANK=2"}, "MPICH", 3},
		{"srun", []string{"SLURM_STEP_NUM_TASKS=8", "SLURM_PROCID=5", "SLURM_NTASKS=8"}, "srun", 8},
		{"srun with PMI", []string{"SLURM_STEP_NUM_TASKS=8", "SLURM_PROCID=5", "PMI_SIZE=8", "PMI_RANK=5"}, "srun", 8},
		{"srun with PMIx", []string{"SLURM_STEP_NUM_TASKS=2", "SLURM_PROCID=0", "PMIX_RANK=0"}, "srun", 2},
		{"a batch script", []string{"SLURM_NTASKS=8", "SLURM_PROCID=0"}, "", 0},
		{"a step of one", []string{"SLURM_STEP_NUM_TASKS=1", "SLURM_PROCID=0"}, "srun", 1},
		{"PMIx", []string{"PMIX_RANK=0"}, "PMIx", 0},
		{"nonsense", []string{"PMI_SIZE=many", "PMI_RANK=2"}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			notLaunched(t)
			for _, set := range c.set {
				name, value, _ := strings.Cut(set, "=")
				t.Setenv(name, value)
			}
			l, launched := Launched()
			if launched != (c.launcher != "") || !strings.Contains(l.Launcher, c.launcher) || l.Processes != c.want {
				t.Errorf("%v %+v, want %d by %q", launched, l, c.want, c.launcher)
			}
		})
	}
}

// Processes of another MPI's launcher find themselves alone.
func TestLaunchFits(t *testing.T) {
	for _, c := range []struct {
		started, connected int
		fits               bool
	}{{4, 4, true}, {1, 1, true}, {4, 1, false}, {0, 4, true}, {0, 1, false}} {
		l := Launch{"mpiexec", c.started}
		if err := l.fits(c.connected); (err == nil) != c.fits {
			t.Errorf("%d started, %d connected: %v", c.started, c.connected, err)
		}
	}
}

//go:build !mpi

package enginetest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMPI builds this package's tests with MPI and runs TestUnderMPI on several
// processes.
func TestMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	t.Parallel()
	mpirun, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("mpirun is not installed")
	}
	if exec.Command("pkg-config", "--exists", "ompi").Run() != nil {
		t.Skip("Open MPI's headers are not installed")
	}
	binary := filepath.Join(t.TempDir(), "engine.test")
	if out, err := exec.Command("go", "test", "-c", "-tags", "mpi", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("building with MPI: %v\n%s", err, out)
	}
	const processes = 3
	run := exec.Command(mpirun, "--oversubscribe", "-np", fmt.Sprint(processes), binary, "-test.run", "TestUnderMPI", "-test.v")
	run.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
	out, err := run.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: TestUnderMPI") != processes {
		t.Errorf("%d processes: %v\n%s", processes, err, out)
	}
}

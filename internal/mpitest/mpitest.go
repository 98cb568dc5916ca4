// Package mpitest runs tests on several processes under MPI.
package mpitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Run builds the tests of the package at hand with MPI and runs TestUnderMPI on so many
// processes, each with environment variables beside those of this one. Where there is no
// MPI, the test is skipped.
func Run(t *testing.T, processes int, environment ...string) {
	t.Helper()
	mpirun, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("mpirun is not installed")
	}
	if exec.Command("pkg-config", "--exists", "ompi").Run() != nil {
		t.Skip("Open MPI's headers are not installed")
	}
	binary := filepath.Join(t.TempDir(), "mpi.test")
	if out, err := exec.Command("go", "test", "-c", "-tags", "mpi", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("building with MPI: %v\n%s", err, out)
	}
	run := exec.Command(mpirun, "--oversubscribe", "-np", fmt.Sprint(processes), binary, "-test.run", "^TestUnderMPI$", "-test.v")
	run.Env = append(os.Environ(), append(environment, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")...)
	out, err := run.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: TestUnderMPI") != processes {
		t.Errorf("%d processes: %v\n%s", processes, err, out)
	}
}

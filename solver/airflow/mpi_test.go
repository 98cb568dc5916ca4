//go:build mpi

package airflow

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"carina/solver"
	"carina/solver/transport"
)

// TestMPI runs TestUnderMPI on several processes.
func TestMPI(t *testing.T) {
	mpirun, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("mpirun is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{2, 4} {
		run := exec.Command(mpirun, "--oversubscribe", "-np", fmt.Sprint(n), self, "-test.run", "^TestUnderMPI$", "-test.v")
		run.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		out, err := run.CombinedOutput()
		if err != nil || strings.Count(string(out), "--- PASS: TestUnderMPI") != n {
			t.Errorf("%d processes: %v\n%s", n, err, out)
		}
	}
}

// The state is that of a single rank, bit for bit. Started by go test this is one
// process, by TestMPI several.
func TestUnderMPI(t *testing.T) {
	connection, finish, err := transport.ConnectMPI()
	if err != nil {
		t.Fatal(err)
	}
	defer finish()
	g := cave(3, [3]bool{})
	s := caveSettings(g)
	want, _ := hashOf(t, solver.WholeDomain(g), s, 40)
	var pressure *Fields
	d := scattered(g, 4, connection.Size(), 9, [3]bool{})
	summary, err := RunRankOn(context.Background(), nil, d, s, Plan{Steps: 40, Visit: func(r *Rank) (err error) {
		pressure, err = r.Gather()
		return err
	}}, connection)
	if err != nil {
		t.Fatal(err)
	}
	if summary.StateHash != want {
		t.Errorf("%d processes: hash %s, want %s", connection.Size(), summary.StateHash, want)
	}
	if (connection.Rank() == 0) != (pressure != nil) {
		t.Errorf("rank %d: gathered fields: %v", connection.Rank(), pressure != nil)
	}
	t.Logf("rank %d of %d: hash %s", connection.Rank(), connection.Size(), summary.StateHash)
}

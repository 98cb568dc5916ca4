//go:build mpi

package airflow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"carina/solver"
	"carina/solver/transport"
)

// movesVariable has TestUnderMPI move cells.
const movesVariable = "CARINA_TEST_MOVES"

// TestMPI runs TestUnderMPI on several processes.
func TestMPI(t *testing.T) {
	for _, n := range []int{2, 4} {
		runUnderMPI(t, n)
	}
}

// TestMPIRandomMoves runs it on those between which cells move.
func TestMPIRandomMoves(t *testing.T) {
	t.Log(runUnderMPI(t, ranksOfMoves, movesVariable+"=1"))
}

// runUnderMPI runs TestUnderMPI on so many processes, and returns what they print.
func runUnderMPI(t *testing.T, processes int, environment ...string) string {
	t.Helper()
	mpirun, err := exec.LookPath("mpirun")
	if err != nil {
		t.Skip("mpirun is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(mpirun, "--oversubscribe", "-np", fmt.Sprint(processes), self, "-test.run", "^TestUnderMPI$", "-test.v")
	run.Env = append(os.Environ(), append(environment, "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")...)
	out, err := run.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS: TestUnderMPI") != processes {
		t.Errorf("%d processes: %v\n%s", processes, err, out)
	}
	return string(out)
}

// The state is that of a single rank, bit for bit. Started by go test this is one
// process, by TestMPI several.
func TestUnderMPI(t *testing.T) {
	connection, finish, err := transport.ConnectMPI()
	if err != nil {
		t.Fatal(err)
	}
	defer finish()
	if os.Getenv(movesVariable) != "" {
		moveUnderMPI(t, connection)
		return
	}
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

// moveUnderMPI moves cells between processes at random: they end in the state and the
// means of one that moves nothing, and each uses as much memory as before.
func moveUnderMPI(t *testing.T, connection transport.Transport) {
	forRandomMoves(func(name string, m *randomMoves) {
		want := make([]int64, 4*m.grid.Cells()+1)
		if connection.Rank() == 0 {
			want = must(m.run(transport.NewLocal(1)[0], false, nil))
		}
		if err := connection.Reduce(transport.Sum, want); err != nil {
			t.Fatal(err)
		}
		var used heap
		got, err := m.run(connection, true, used.weigh)
		if err != nil {
			connection.Abort(fmt.Errorf("%s: %w", name, err))
		}
		if err := errors.Join(m.differ(got, want), used.grown()); err != nil {
			t.Errorf("rank %d, %s: %v", connection.Rank(), name, err)
		}
		t.Logf("rank %d, %s: %d moves, hash %016x, %d bytes in use before, %d after", connection.Rank(), name, m.moves, uint64(got[len(got)-1]), used.before, used.after)
	})
}

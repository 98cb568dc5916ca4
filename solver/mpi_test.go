//go:build mpi

package solver

import (
	"context"
	"testing"

	"carina/solver/transport"
)

// TestUnderMPI is run by TestMPI with mpirun. The state is that of a single
// rank, bit for bit.
func TestUnderMPI(t *testing.T) {
	connection, finish, err := transport.ConnectMPI()
	if err != nil {
		t.Fatal(err)
	}
	defer finish()
	g := cave(3, [3]bool{})
	s := caveSettings(g)
	want, _ := hashOf(t, WholeDomain(g), s, 40)
	var pressure *Fields
	d := scattered(g, 4, connection.Size(), 9, [3]bool{})
	summary, err := RunRank(context.Background(), d, s, Plan{Steps: 40, Visit: func(r *Rank) (err error) {
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

//go:build mpi

package enginetest_test

import (
	"testing"

	"carina/solver/transport"
)

// TestUnderMPI is run by TestMPI with mpirun.
func TestUnderMPI(t *testing.T) {
	connection, finish, err := transport.ConnectMPI()
	if err != nil {
		t.Fatal(err)
	}
	defer finish()
	acceptRank(t, connection)
}

//go:build !mpi

package transport

import (
	"flag"
	"testing"

	"carina/internal/mpitest"
)

var huge = flag.Bool("huge", false, "also exchange 5 GiB between two processes, which takes 11 GiB of memory")

// TestMPI runs TestUnderMPI on several processes.
func TestMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	t.Parallel()
	mpitest.Run(t, 3)
}

// Messages beyond the 2³² bytes that MPI can count are right.
func TestHugeMessages(t *testing.T) {
	if !*huge {
		t.Skip("two processes exchange 5 GiB with -huge")
	}
	mpitest.Run(t, 2, hugeVariable+"=1")
}

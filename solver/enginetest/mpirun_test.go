//go:build !mpi

package enginetest_test

import (
	"testing"

	"carina/internal/mpitest"
)

// TestMPI runs TestUnderMPI on several processes.
func TestMPI(t *testing.T) {
	if testing.Short() {
		t.Skip("-short")
	}
	t.Parallel()
	mpitest.Run(t, 3)
}

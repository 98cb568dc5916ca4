//go:build !mpi

package transport

// MPI reports whether this binary was built with MPI.
const MPI = false

// ConnectMPI connects the processes that mpirun started. This binary was
// built without MPI and returns ErrNoMPI.
func ConnectMPI() (t Transport, finish func(), err error) { return nil, nil, ErrNoMPI }

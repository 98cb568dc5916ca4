// Package transport moves messages between ranks: goroutines of one process,
// or MPI processes (build tag mpi).
package transport

// Package airflow computes the flow of air on the cells of a grid that a
// partition has distributed over ranks, with the lattice Boltzmann method: it is a
// physics of the engine (package solver).
//
// RunInProcess computes all ranks as goroutines, RunRank one of them, under
// MPI for instance. A Domain says what is computed and who owns it, Settings
// with what method and conditions, a Plan for how long and what to do on the
// way. Everything outside is in SI units.
//
// Only fluid cells are stored, in run order, one array per population;
// streaming is in place (the A-A pattern), so that every location belongs to
// one cell in each step and blocks of cells can be updated in any order. The
// arithmetic of a collision is described once (package collision) and
// generated as Go, AVX2 and AVX-512 code (package kernel) with the same
// operations in the same order, for populations of 16, 32 or 64 bits. The state is
// therefore the same, bit for bit, for any number of ranks and workers, any
// partition and, but for numbers below the least normal one, instruction set.
//
// What lives elsewhere: exchange between ranks, saving, loading and moving
// (package solver), memory and goroutines (package processor), GPUs (package cuda).
// Begin reading with settings.go and airflow.go.
package airflow

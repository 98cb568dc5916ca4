// Package airflow computes the flow of air on the cells of a grid that a
// partition has distributed over ranks, with the lattice Boltzmann method: it is a
// physics of the engine (package solver).
//
// RunInProcess computes all ranks as goroutines, RunRankOn one of them, under
// MPI for instance. A Domain says what is computed and who owns it, Settings
// with what method and conditions, a Plan for how long and what to do on the
// way. Everything outside is in SI units.
//
// Only fluid cells are stored, in run order, one array per population;
// streaming is in place (the A-A pattern), so that every slot belongs to one cell in
// each step and blocks of cells can be updated in any order. The state is the same,
// bit for bit, for any number of ranks and workers, any partition and, but for numbers
// below the least normal one, instruction set.
//
// This package has the settings and units, the program of a step, and what is read
// from a flow: fields, observations and the summary. What lives elsewhere:
//
//   - opening: conditions and waveforms, what openings impose
//   - wall: what comes back from walls
//   - update: a step of the cells of a rank, in windows
//   - kernel: the generated arithmetic of a window, in Go and assembly
//   - collision: the operators, described once for all of these and for GPUs
//   - gpu: all of this on GPUs
//   - package solver: exchange between ranks, saving, loading and moving
//   - package processor: memory and goroutines; package cuda: GPUs
//
// Begin reading with settings.go, airflow.go and bound.go.
package airflow

// Package run computes the flow on a partitioned grid, on the processor or on
// GPUs, with all ranks in this process or one of them. It is the one place that
// knows the ways to run of the solver.
package run

// Package cuda makes a GPU a device of the engine for any physics (build tag cuda).
//
// Ranks on GPUs that reach each other's memory, within a process or a host, exchange by
// writing to it; reach.go has the ways.
//
// Below it: device (memory, queues, kernels of a GPU), driver (the calls of the driver),
// devicetest (devices of tests), tiles and tiling (a layout of cells of its own).
package cuda

// Package cuda makes a GPU a device of the engine for any physics (build tag cuda): Device.
// Values lie in arrays by local cell, as on processors, and the engine saves, loads, hashes
// and moves them by cells (moves.go). What is computed is Work: a kernel over the cells of
// blocks, whose source begins with kernels/cells.h; Kernel is enough for most physics.
//
// What crosses is packed and unpacked by one kernel. Ranks on GPUs that reach each other's
// memory, within a process or a host, write into each other's arrays instead and wait for
// each other on the GPUs; others exchange messages, as with ranks on processors (reach.go,
// link.go, exchange.go). A reduction waits on the host.
//
// Below it: device (memory, queues, kernels of a GPU), driver (the calls of the driver),
// devicetest (devices of tests), physicstest (a physics tested on them), tiles and tiling (a
// layout of cells of its own). Begin reading with device.go, then kernel.go.
package cuda

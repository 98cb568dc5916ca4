// Package devicetest has the devices of tests. Without the build tag cuda they are
// emulated: the kernels are compiled by g++ and run on the processor, each queue
// beside the others and sometimes late, so that work that ought to be ordered and is
// not shows. With the tag they are the machine's GPUs.
//
// Open returns several that reach each other, Fresh one with memory of its own. Begin
// reading with emulator.go, and with emulation.h for how a warp is emulated.
package devicetest

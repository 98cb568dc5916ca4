// Package driver is the driver of NVIDIA GPUs and CUDA's run-time compiler: the
// devices of this machine with their memory, streams, events and kernels (build
// tag cuda). No other package calls them.
//
// # Threads
//
// The driver has a current context in each thread, and Go moves goroutines
// between threads. Every method makes its device's context current in the same
// call of C: any goroutine may call it.
//
// # Building and starting
//
// The package is compiled and linked without CUDA: cuda.h and nvrtc.h declare what is
// used of its interface, and forward.c defines each function of the driver and
// of the compiler as a call of the one in libcuda.so.1 or libnvrtc.so, which
// are looked for when the first device is asked for. So one binary starts
// everywhere.
package driver

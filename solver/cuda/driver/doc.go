// Package driver is the driver of NVIDIA GPUs and CUDA's run-time compiler: the
// devices of this machine with their memory, streams, events and kernels. The
// calls are those of gorgonia.org/cu (build tag cuda), which no other package
// imports; beside it lie a few lines of C for what it lacks: handles of memory
// for other processes, pinned memory, compiled programs (cubins), the texts of
// errors, and launches with structures as parameters that allocate nothing.
//
// # Threads
//
// The driver has a current context in each thread, and Go moves goroutines
// between threads. Every method here makes its device's context current and
// calls the driver on one locked thread: any goroutine may call it. (cu.Ctx,
// which sends each call to a goroutine of its own, is not used.)
//
// # Building and starting
//
// The package is compiled and linked without CUDA: cuda.h and nvrtc.h declare
// what is used of its interface, and forward.c defines each function of the
// driver and of the compiler as a call of the one in libcuda.so.1 or
// libnvrtc.so, which are looked for when the first device is asked for. So one
// binary starts everywhere. gorgonia.org/cu looks for the headers itself, and
// only the environment can tell a dependency where they are:
//
//	bash scripts/cuda.sh go build -tags cuda -o bin/carina-gpu ./cmd/carina
//
// does, and so does make gpu. The folder link satisfies -lcuda and -lnvrtc.
package driver

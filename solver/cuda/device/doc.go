// Package device is a GPU as the solver uses it: memory, two queues of work, kernels
// compiled from CUDA C at run time and kept in the user's cache, memory of other GPUs
// and processes, and time. Device is the interface, which package devicetest emulates
// on a processor; Open opens a GPU, Devices lists and measures them.
//
// It knows neither cells nor ranks. Package driver has the calls of the driver. Begin
// reading with device.go.
package device

// Package gpu computes the flow on GPUs: Backend is what airflow.NewRankOn and its like
// take. The flow on the tiles of a rank is a kernel of the same program as the
// processor's (bound); package cuda keeps the tiles and exchanges their borders.
//
// The kernels are CUDA C, compiled at run time for the device at hand and
// specialised for collision operator, precision, storage, parity, walls and
// force. Operators other than TRT and BGK are generated from package collision.
// The same source runs on a processor in the package's tests, by emulating a
// warp.
//
// Begin reading with bound.go, then part.go (what lies on the device), program.go
// (kernels) and walls.go (links to walls and openings).
package gpu

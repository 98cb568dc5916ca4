package kernel

import (
	"unsafe"

	"carina/solver/lattice"
)

// ReflectionGroup is how many links stand together for Vector.Reflect: it reads
// links like those of a Corrector, a CorrectedLink and its factor, one after the
// other.
//
// Reflect makes what comes back along a link from what the collision left in the
// cell along it, against it and at rest. With the ratio of the
// weights it is
//
//	r + factor·(½(along + against) − r),   r = ratio·rest,
//
// where all links of a cell find the population at rest as it was; the sum of
// what they add is taken from it afterwards.
const ReflectionGroup = 1

// Where in the scratch memory the ratios are, by direction and followed by one
// half, as 32-bit and as 64-bit numbers: behind the sums of what populations at
// rest lose and the control words.
const (
	ratiosAt       = (65 + 2*16 + 1) * 64
	doubleRatiosAt = ratiosAt + 2*64
	ratioCount     = 26
)

// PrepareScratch writes what assembly needs to know of the velocities into
// scratch memory.
func PrepareScratch(scratch *byte, set *lattice.Set) {
	single := unsafe.Slice((*float32)(unsafe.Add(unsafe.Pointer(scratch), ratiosAt)), ratioCount+1)
	double := unsafe.Slice((*float64)(unsafe.Add(unsafe.Pointer(scratch), doubleRatiosAt)), ratioCount+1)
	single[ratioCount], double[ratioCount] = 0.5, 0.5
	for p := 1; p < set.Q; p++ {
		single[p-1], double[p-1] = ReflectionRatio[float32](set, p), ReflectionRatio[float64](set, p)
	}
}

// ReflectionRatio is the weight of a moving population over that at rest.
func ReflectionRatio[T Real](set *lattice.Set, p int) T { return T(set.Weights[p] / set.Weights[0]) }

package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// decodeVector and encodeVector convert as many numbers as they can and return
// how many. Processors with AVX2 have the conversions, F16C.
func decodeVector(to []float32, from []Float16) int {
	n := len(from) &^ 7
	if n == 0 || !cpu.X86.HasAVX2 {
		return 0
	}
	decodeAVX2(&to[0], (*uint16)(unsafe.Pointer(&from[0])), n)
	return n
}

func encodeVector(to []Float16, from []float32) int {
	n := len(from) &^ 7
	if n == 0 || !cpu.X86.HasAVX2 {
		return 0
	}
	encodeAVX2((*uint16)(unsafe.Pointer(&to[0])), &from[0], n)
	return n
}

// ditherVector does what Dither.Encode does, if the processor can.
func ditherVector(to []Float16, from []float32, d *Dither) bool {
	if len(from) == 0 || !cpu.X86.HasAVX2 {
		return false
	}
	ditherAVX2((*uint16)(unsafe.Pointer(&to[0])), &from[0], len(from), &d[0])
	return true
}

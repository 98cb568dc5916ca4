package airflow

import (
	"unsafe"

	"carina/solver/airflow/kernel"
)

// stored is the type of a population in memory: that of the arithmetic, or
// kernel.Float16, which is for float32.
type stored interface {
	kernel.Real | kernel.Float16
}

// isHalf tells whether S is kernel.Float16. The compiler knows the size of every
// S that it makes code for, so that nothing is left to do when that code runs.
func isHalf[S stored]() bool {
	var s S
	return unsafe.Sizeof(s) == unsafe.Sizeof(kernel.Float16(0))
}

// load returns a population in memory.
func load[T kernel.Real, S stored](f *S) T {
	if isHalf[S]() {
		return T((*kernel.Float16)(unsafe.Pointer(f)).Value())
	}
	return *(*T)(unsafe.Pointer(f))
}

// store puts a population into memory and returns what is there then.
func store[T kernel.Real, S stored](f *S, v T) T {
	if isHalf[S]() {
		half := kernel.NewFloat16(float32(v))
		*(*kernel.Float16)(unsafe.Pointer(f)) = half
		return T(half.Value())
	}
	*(*T)(unsafe.Pointer(f)) = v
	return v
}

// rounded returns a population with the precision of those in memory.
func rounded[T kernel.Real, S stored](v T) T {
	if isHalf[S]() {
		return T(kernel.NewFloat16(float32(v)).Value())
	}
	return v
}

// storage returns how kernels call the storage S.
func storage[S stored]() kernel.Storage {
	var s S
	switch unsafe.Sizeof(s) {
	case 2:
		return kernel.Half
	case 4:
		return kernel.Single
	}
	return kernel.Double
}

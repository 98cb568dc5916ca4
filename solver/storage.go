package solver

import (
	"unsafe"

	"carina/solver/kernel"
)

// stored is the type of a population in memory: that of the arithmetic, or
// kernel.Float16, which is for float32.
type stored interface {
	kernel.Real | kernel.Float16
}

// load returns a population in memory.
func load[T kernel.Real, S stored](f *S) T {
	if half, ok := any(f).(*kernel.Float16); ok {
		return T(half.Value())
	}
	return *(*T)(unsafe.Pointer(f))
}

// store puts a population into memory and returns what is there then.
func store[T kernel.Real, S stored](f *S, v T) T {
	if half, ok := any(f).(*kernel.Float16); ok {
		*half = kernel.NewFloat16(float32(v))
		return T(half.Value())
	}
	*(*T)(unsafe.Pointer(f)) = v
	return v
}

// rounded returns a population with the precision of those in memory.
func rounded[T kernel.Real, S stored](v T) T {
	var s S
	if _, half := any(s).(kernel.Float16); half {
		return T(kernel.NewFloat16(float32(v)).Value())
	}
	return v
}

// storage returns how kernels call the storage S.
func storage[S stored]() kernel.Storage {
	var s S
	switch any(s).(type) {
	case kernel.Float16:
		return kernel.Half
	case float64:
		return kernel.Double
	}
	return kernel.Single
}

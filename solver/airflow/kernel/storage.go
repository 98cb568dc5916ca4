package kernel

import "unsafe"

// Stored is the type of a population in memory: that of the arithmetic, or
// Float16, which is for float32.
type Stored interface {
	Real | Float16
}

// IsHalf tells whether S is Float16. The compiler knows the size of every
// S that it makes code for, so that nothing is left to do when that code runs.
func IsHalf[S Stored]() bool {
	var s S
	return unsafe.Sizeof(s) == unsafe.Sizeof(Float16(0))
}

// Load returns a population in memory.
func Load[T Real, S Stored](f *S) T {
	if IsHalf[S]() {
		return T((*Float16)(unsafe.Pointer(f)).Value())
	}
	return *(*T)(unsafe.Pointer(f))
}

// Store puts a population into memory and returns what is there then.
func Store[T Real, S Stored](f *S, v T) T {
	if IsHalf[S]() {
		half := NewFloat16(float32(v))
		*(*Float16)(unsafe.Pointer(f)) = half
		return T(half.Value())
	}
	*(*T)(unsafe.Pointer(f)) = v
	return v
}

// Rounded returns a population with the precision of those in memory.
func Rounded[T Real, S Stored](v T) T {
	if IsHalf[S]() {
		return T(NewFloat16(float32(v)).Value())
	}
	return v
}

// StorageOf returns how kernels call the storage S.
func StorageOf[S Stored]() Storage {
	var s S
	switch unsafe.Sizeof(s) {
	case 2:
		return Half
	case 4:
		return Single
	}
	return Double
}

// Slots are those of all cells, an array for each of Q populations: that of
// population p of a cell is Values[Offset[p]+cell].
type Slots[S Stored] struct {
	Values []S
	Offset [27]int
	Q      int
}

// At is slot p of a cell.
func (s *Slots[S]) At(p int, cell int32) *S { return &s.Values[s.Offset[p]+int(cell)] }

// SizeOf is the memory behind a slice, in bytes.
func SizeOf[T any](s []T) int64 {
	var element T
	return int64(cap(s)) * int64(unsafe.Sizeof(element))
}

package kernel

import (
	"os"
	"slices"

	"carina/solver/collision"
)

// WindowCells is the number of cells of a window, see Vector.
const WindowCells = 16

// ScratchBytes is the memory that a vector kernel needs for itself. It must
// be aligned to 64 bytes.
const ScratchBytes = 65 * 64

// Vector holds the assembly kernels of a variant, in single precision.
type Vector struct {
	// Machine is the instruction set, such as AVX512.
	Machine string
	// Even updates the cells of windows in place, as the Go kernel does; Odd
	// where their neighbours, all of them fluid, hold what arrives.
	Even, Odd WindowKernel
}

// WindowKernel updates the cells of n windows. Slots points to pointers to
// the slots of each population. A window is a list of words: the first cell
// and the number of cells, up to WindowCells, and then (not read by even
// kernels if there is but one window) the offset from a cell to its neighbour
// in each direction. Scratch is memory of ScratchBytes.
type WindowKernel func(slots **float32, words *uint32, n int, table *float32, scratch *byte)

type vectorKey struct{ machine, variant string }

// machineVariable is the environment variable that restricts the instruction
// sets, for tests and comparisons.
const machineVariable = "CARINA_SIMD"

// Machines lists the instruction sets that the processor has kernels for,
// the fastest first. The environment variable CARINA_SIMD restricts it to one;
// none leaves the plain Go kernels.
func Machines() []string {
	list := supported()
	if only, ok := os.LookupEnv(machineVariable); ok {
		list = slices.DeleteFunc(list, func(m string) bool { return m != only })
	}
	return list
}

// NewVector returns the assembly kernels of a variant for an instruction set,
// or nil if there are none.
func NewVector(machine string, v collision.Variant) *Vector {
	k, ok := vectors[vectorKey{machine, v.Identifier()}]
	if !ok {
		return nil
	}
	return &k
}

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

// Vector holds the assembly kernels of a variant, in single precision. In
// both, slots points to pointers to the slots of each population.
type Vector struct {
	// Machine is the instruction set, such as AVX512.
	Machine string
	// Local updates n cells from first on in place, as the Go kernel does; n
	// must be a multiple of WindowCells.
	Local func(slots **float32, first, n int, table *float32, scratch *byte)
	// Shifted updates the cells of n windows of up to WindowCells cells, where
	// their neighbours hold what arrives. A window is a list of words: the
	// first cell, the number of cells, per direction the offset from a cell
	// to its neighbour, and per direction half a word with a bit for each cell
	// whose neighbour is fluid.
	Shifted func(slots **float32, words *uint32, n int, table *float32, scratch *byte)
}

type vectorKey struct{ machine, variant string }

type vectorKernels struct {
	local   func(slots **float32, first, n int, table *float32, scratch *byte)
	shifted func(slots **float32, words *uint32, n int, table *float32, scratch *byte)
}

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
	return &Vector{machine, k.local, k.shifted}
}

package main

import "strings"

// machine is an instruction set with registers of several numbers.
type machine struct {
	name  string
	bytes int // of a register
	// letter begins the registers' names.
	letter string
	// registers are for the values of a body of arithmetic.
	registers int
}

var (
	avx512 = machine{"AVX512", 64, "Z", 32}
	// The last two registers take constants and masks.
	avx2 = machine{"AVX2", 32, "Y", 14}
)

// storage is how populations are stored and computed with.
type storage struct {
	name string
	// bytes is the size of a stored population, real that of a number in a
	// register.
	bytes, real int
}

// The names of storages, see package kernel.
const single, double, half = "single", "double", "half"

// title names a storage in a function's name.
func (s storage) title() string { return strings.ToUpper(s.name[:1]) + s.name[1:] }

// target is an instruction set with a storage, whose kernels are in a file of
// their own. Those with the same bodies of arithmetic share them.
type target struct {
	machine
	storage storage
	// bodies names the file of bodies, scaled tells that they are for scaled
	// populations, registers how many their values may take.
	bodies    string
	scaled    bool
	registers int
}

// targets are those that there are kernels for: without masks for 16-bit
// numbers, these are of no use. With them the last register takes the numbers.
var targets = []target{
	{avx512, storage{single, 4, 4}, "avx512", false, avx512.registers},
	{avx512, storage{double, 8, 8}, "avx512", false, avx512.registers},
	{avx512, storage{half, 2, 4}, "avx512_half", true, avx512.registers - 1},
	{avx2, storage{single, 4, 4}, "avx2", false, avx2.registers},
	{avx2, storage{double, 8, 8}, "avx2", false, avx2.registers},
}

// scratchSlots is the room for spilled values, in vectors.
const scratchSlots = 64

// windowCells is the number of cells of a window.
const windowCells = 16

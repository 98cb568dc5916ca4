package kernel

import "carina/solver/airflow/collision"

// WindowCells is the number of cells of a window, see Vector.
const WindowCells = 16

// ScratchBytes is the memory that an assembly kernel needs for itself. It must
// be aligned to 64 bytes, zero in the beginning and prepared by PrepareScratch; a
// Corrector leaves the zeros that it needs.
const ScratchBytes = ratiosAt + (2+4)*64

// WindowsAhead is how many more windows must follow those that are updated in an
// odd step, of any content.
const WindowsAhead = 64

// Storage names how populations are stored.
type Storage string

// The storages.
const (
	// Single is for 32-bit numbers, Double for 64-bit ones.
	Single Storage = "single"
	Double Storage = "double"
	// Half stores 16-bit numbers and computes with 32-bit ones.
	Half Storage = "half"
)

// Vector holds the assembly kernels of a variant for one storage. They do what
// the Go kernels do, bit for bit, but take numbers below the least normal one
// (1e-38 in single precision) as zero: where a flow spreads into air at rest
// there are many such numbers, which slow some processors down.
type Vector struct {
	// Machine is the instruction set, such as AVX512.
	Machine string
	// Even updates the cells of windows in place, as the Go kernel does. Odd
	// does it where their neighbours, all of them fluid, hold what arrives, and
	// Walled where some lanes meet a wall.
	Even, Odd, Walled WindowKernel
	// Correct applies the corrections of interpolated walls, without taking
	// small numbers as zero: the others leave few, and it is called too often.
	Correct Corrector
	// Reflect makes what comes back from walls of what the collision left, see
	// ReflectionGroup.
	Reflect Corrector
	// Sum adds up gathered populations.
	Sum Summer
}

// WindowKernel updates the cells of n windows of width words each. Slots
// points to pointers to the slots of each population. The words of a window
// are the first cell and the number of cells, up to WindowCells; then (read by
// Odd and Walled) the offset from a cell to its neighbour in each direction;
// then (read by Walled) half a word for each direction, with a bit for each
// cell whose neighbour is fluid. Odd and Walled read words of WindowsAhead more
// windows, whose cells and neighbours the cache is asked for. The table is that of
// the variant, for 16-bit storage scaled. Scratch is memory of ScratchBytes.
type WindowKernel func(slots **byte, words *uint32, width, n int, table, scratch *byte)

// Corrector corrects what comes back along links of walled windows, after an
// even or (odd = 1) an odd step. Slots has CorrectedSlots entries, words are the
// windows as for Walled. Links begins with their number, which is not zero, in
// LinkCountBits, and above these a bit for every WindowCells cells from first on
// that have links; then come groups of LinkGroup links: as many CorrectedLinks
// and, behind these, float32 factors. The first group is filled from the front by
// copies of its first link with factor zero. Factor times (opposite − bounced) is
// added to bounced, the population that comes back, and taken from the
// population at rest; with 16-bit storage the sum of all that a cell's links take
// is. The opposite population is taken where the kernels find or leave it. The cells are
// fewer than BlockCells + WindowCells. Scratch is memory of ScratchBytes.
type Corrector func(slots **byte, words *uint32, first int, links *uint32, odd int, scratch *byte)

// Summer does what AddUp does with the populations of a window, in the storage's precision of
// arithmetic, given where the moments and half the force begin.
type Summer func(moments *float64, gathered *byte, half *float64)

// BlockCells is the least number of cells that are corrected together, unless
// there are no more. A link has eight bits for a cell.
const BlockCells = 256 - WindowCells

const (
	// LinkCountBits is how many bits the number of links of a Corrector takes,
	// LinkGroup how many links are corrected together.
	LinkCountBits = 15
	LinkGroup     = 4
	// CorrectedSlots is the number of entries of the slots for a Corrector: after
	// up to 27 populations, in entry OppositeSlots + i the opposite one of
	// population i > 0. Those without a population may be nil.
	CorrectedSlots = OppositeSlots + 27
	OppositeSlots  = 26
)

// CorrectedLink is a link for a Corrector: the cell, from the first one on, in 8
// bits, the direction of bounced, from 0, in 8 bits, and in 16 bits which of the
// words, from those of the block's first window on, is the offset to the
// neighbour where an odd step finds the opposite population.
type CorrectedLink uint32

// NewCorrectedLink is the link of a cell given its window, whose words are
// width each.
func NewCorrectedLink(cell, direction, window, width int) CorrectedLink {
	return CorrectedLink(cell | direction<<8 | (window*width+2+direction)<<16)
}

// Cell and Direction are those of a link.
func (l CorrectedLink) Cell() int      { return int(l & 0xff) }
func (l CorrectedLink) Direction() int { return int(l >> 8 & 0xff) }

// Window is that of a link, given the words of each.
func (l CorrectedLink) Window(width int) int { return int(l>>16) / width }

type vectorKey struct {
	machine string
	storage Storage
	variant string
}

// NewVector returns the assembly kernels of a variant for an instruction set
// and a storage, or nil if there are none.
func NewVector(machine string, s Storage, v collision.Variant) *Vector {
	v.Scaled = false
	k, ok := vectors[vectorKey{machine, s, v.Identifier()}]
	if !ok {
		return nil
	}
	return &k
}

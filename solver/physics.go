package solver

import (
	"math"

	"carina/geometry"
	"carina/solver/transport"
)

// Kind is the type of a value in memory.
type Kind uint8

// The kinds.
const (
	Float32 Kind = iota
	Float64
	Float16
	Uint8
)

// kinds are the types by their names and sizes.
var kinds = [...]struct {
	name  string
	bytes int
}{Float32: {"float32", 4}, Float64: {"float64", 8}, Float16: {"float16", 2}, Uint8: {"uint8", 1}}

// Bytes is the size of a value.
func (k Kind) Bytes() int { return kinds[k].bytes }

// String names the type.
func (k Kind) String() string { return kinds[k].name }

// Field is values that every cell has. Two copies are twice the values.
type Field struct {
	Name   string
	Values int
	Kind   Kind
	// Scale is by what values are multiplied in memory; 0 is 1.
	Scale float64
	// Constant tells that no step changes the values: ghosts have them once and for all.
	Constant bool
}

// Slot is where a value lies: value number Value of a field of the cell at an
// offset or, where there is no cell, value Wall of the cell itself (−1: nowhere).
type Slot struct {
	Field, Value int
	Offset       geometry.Offset
	Wall         int
}

// own tells whether the slot is one of the cell itself.
func (s *Slot) own() bool { return s.Offset == geometry.Offset{} }

// Own lists the values of a field of the cell itself, from 0 on.
func Own(field, values int) []Slot { return Neighbours(field, values, []geometry.Offset{{}}) }

// Neighbours lists the values of a field, from 0 on, of neighbours at some offsets.
func Neighbours(field, values int, offsets []geometry.Offset) (list []Slot) {
	for _, o := range offsets {
		for v := range values {
			list = append(list, Slot{Field: field, Value: v, Offset: o, Wall: -1})
		}
	}
	return list
}

// Phase is work on all blocks and what crosses to other ranks after it. Blocks
// at the border come first; the exchange goes on while the others are worked on.
// What crosses is returned, then fetched, then asked for.
type Phase struct {
	Name string
	// Every lets the phase be in those steps alone whose number, counted from one, is a
	// multiple of it; 0 is 1. Physics that run together have the same.
	Every int64
	// Reads are slots of neighbours that the work reads.
	Reads []Slot
	// Return are slots of neighbours that the work writes: they go back to their
	// owners. Fetch are slots of neighbours that later phases read.
	Return, Fetch []Slot
	// Asks tells whether kernels ask for single values of states before the next
	// step, as Binding.Ask says, where slots would be too many.
	Asks bool
	// Reduce combines numbers over all ranks after the phase; nil if there are
	// none.
	Reduce *Reduction
}

// Reduction combines integers over all ranks when all blocks are done, in every
// step whose number, counted from one, is a multiple of Every. Later phases of
// the same step see the result.
type Reduction struct {
	Operation transport.Operation
	Values    int
	Every     int64
}

// Program is what a physics does, the same on all ranks and devices: step n, from
// 0, runs the phases Steps[n mod len(Steps)], and before it the state of a cell,
// which is what its next update reads, lies in State[n mod len(State)], in an
// order that does not depend on n.
type Program struct {
	Steps [][]Phase
	State [][]Slot
	// OnGhosts tells that kernels work on blocks of ghosts as on those of own cells, which
	// Options.ExchangeEvery needs: they find neighbours by Binding.Windows, keep all that
	// differs from cell to cell in fields, and leave cells from Layout.Cells on out of sums
	// over cells, though not out of the largest of all. Reads must list all slots of
	// neighbours that a phase reads.
	OnGhosts bool
}

// Physics is what runs on the engine.
type Physics interface {
	// Fields lists the values of cells. Slots have their numbers.
	Fields() []Field
	Program() Program
	// Bind makes the kernel of one rank.
	Bind(b *Binding) (Kernel, error)
}

// Kernel is a physics on one rank.
type Kernel interface {
	// Work is what a phase of a step of the cycle does; nil if it has nothing to
	// do on this rank's device.
	Work(step, phase int) Work
	// Begin prepares the step after so many: what all ranks have alike.
	Begin(steps int64) error
}

// Checker is a kernel whose values are checked between steps.
type Checker interface {
	// Check looks at a block and returns the largest magnitude there and the lowest
	// global number of a cell whose values make no sense, NoCell if all do.
	Check(b *Block, worker int) (magnitude float64, bad int64)
}

// RecordKernel is a kernel that has its values in an order of its own and does itself
// what needs all of them. The index of a state is that in Program.State.
type RecordKernel interface {
	// CheckAll is Checker.Check for all own cells.
	CheckAll() (magnitude float64, bad int64, err error)
	// SaveRecords fills in the states of own cells by ascending global number: of all, or
	// of some if cells is not nil.
	SaveRecords(state int, cells []CellRange, records []byte) error
	// LoadRecords takes them over, after what is scattered. An error of other cells
	// or of another size is ErrOtherState.
	LoadRecords(state int, cells []CellRange, from *RecordSource) error
	// HashRecords is this rank's part of the hash.
	HashRecords(state int) (uint64, error)
}

// Preparer is a RecordKernel that can prepare SaveRecords beside the steps.
type Preparer interface {
	RecordKernel
	// PrepareRecords begins to; SaveRecords waits for what has begun.
	PrepareRecords()
}

// Inheritor is a RecordKernel that takes over cells from others of its kind in this process, out
// of their memory.
type Inheritor interface {
	RecordKernel
	// PrepareInherit begins to prepare Inherit, beside the steps; wait waits for the end.
	PrepareInherit() (wait func())
	// Reaches tells whether it can.
	Reaches(from RecordKernel) bool
	// Inherit takes over the states of cells from another one, which has saved records of
	// none or some since its last step and for which nobody waits.
	Inherit(state int, from RecordKernel, cells []CellRange) error
}

// NoCell is larger than the number of any cell.
const NoCell = int64(math.MaxInt64)

// Work is what a device does with blocks: BlockWork on processors.
type Work any

// BlockWork updates one block. A worker, from 0, has one block at a time.
type BlockWork func(b *Block, worker int)

// Reducer is a kernel with reductions.
type Reducer interface {
	// Collect adds this rank's part to values, which are zero.
	Collect(phase int, values []int64) error
	// Apply takes over what all ranks have together.
	Apply(phase int, values []int64)
}

// Global is a kernel with a state that all ranks have alike.
type Global interface {
	SaveGlobal() []byte
	LoadGlobal(data []byte) error
}

// Resumer is a kernel that is told after how many steps a state was loaded.
type Resumer interface{ Resume(steps int64) }

// Scattered is a kernel that keeps numbers beside the fields, at few cells.
type Scattered interface {
	// Scattered lists the own cells that have numbers, by global number, a
	// cell as often as it has such numbers, and the numbers themselves, the same
	// number for each: those are the kernel's own memory.
	Scattered() (cells []int64, numbers []float64, err error)
}

// Auxiliary is a kernel that keeps values of cells beside the fields, such as means over
// time, which go with the cells wherever these go.
type Auxiliary interface {
	// SaveBeside returns a copy of them, those of the cells in the order of the pieces.
	// All ranks keep the same.
	SaveBeside() ([]Beside, error)
	// LoadBeside takes them over; what is not among them is forgotten.
	LoadBeside([]Beside) error
}

// Ask is a value of the state of a cell, by global number, before the next step.
type Ask struct {
	Cell  int64
	Value int32
}

// Binding is what a kernel is made for.
type Binding struct {
	*Finder
	Device Device
	// Before are the kernels of the physics that come before this one in the same
	// phases.
	Before []Kernel
	// Foreseen is what the physics has made beforehand as a Foreseer, nil where nothing.
	Foreseen any
	first    int // field
	fields   []Field
	arrays   []int32
	asked    asking
}

// asked is what a kernel asks for, asking that by step and phase.
type asked struct {
	asks    []Ask
	answers []byte
	again   bool // there were others before, which are lost
}

type asking map[[2]int]asked

// Array is the number of the first value of a field among those of all fields, as
// devices have them.
func (b *Binding) Array(field int) int32 { return b.arrays[b.first+field] }

// Values is how many a cell has in a field.
func (b *Binding) Values(field int) int { return b.fields[b.first+field].Values }

// Ask lets answers hold, after a phase of a step of the cycle, the values asked
// for, in the order of the asks, all of one kind: of cells of other ranks. A kernel
// calls it once for each step and phase.
func (b *Binding) Ask(step, phase int, asks []Ask, answers []byte) {
	at := [2]int{step, phase}
	_, again := b.asked[at]
	b.asked[at] = asked{asks, answers, again}
}

// Together is several physics in the same phases: block after block, each in
// turn, so that a later one finds in the cache what an earlier one has left. Their
// programs have cycles of the same length.
type Together []Physics

// Fields lists those of all.
func (t Together) Fields() (list []Field) {
	for _, p := range t {
		list = append(list, p.Fields()...)
	}
	return list
}

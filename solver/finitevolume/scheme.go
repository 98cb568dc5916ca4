package finitevolume

import (
	"errors"

	"carina/geometry"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/processor"
	"carina/solver/stencil"
	"carina/solver/transport"
)

// Side is one of a cell's.
type Side uint8

// The sides, down and up along x and y.
const (
	West Side = iota
	East
	South
	North
	Sides
)

// The fields of a scheme.
const (
	// State is what changes: scalars and, last, a vector along x and y. Where the first of them
	// is zero there is nothing, and Cells makes zero of all others.
	State = iota
	// Ground is what stays.
	Ground
	// Rates are those at which the state changes, where a stage leaves them to the next one.
	Rates
	// Next is the state after a step.
	Next
	// Edges is what lies beyond each of a cell's sides where there is no cell: a wall where it
	// is 0, Outflow, or else so much of the first value comes in, by a factor of the side's.
	Edges
	// Others are those of stages without fluxes, from here on.
	Others
)

// Outflow among Edges lets the same lie beyond a side as in the cell.
const Outflow = -1.

// Missing is in the place of the number of a field that a physics has not.
const Missing = -1

// Scheme is what a step computes.
type Scheme struct {
	// Fields are the numbers of the physics' fields in each step of the cycle, in which the
	// state lies in one of two places in turn.
	Fields [cycle][]int
	// Stages are those of the phases of a step.
	Stages []Stage
	// Functions are those that were generated of updates, by their names.
	Functions map[string]stencil.Functions
	// All lets processors and GPUs compute cells, too, in which nothing happens.
	All bool
}

// cycle is after how many steps the state lies where it lay.
const cycle = 2

// Stage is what a phase does: of fluxes or, if Last is all that it has, of cells by themselves where
// the next state is not zero. Parts hand on values in lines, those of an axis along it and across
// last.
type Stage struct {
	// Name and Every are those of the phase.
	Name  string
	Every int64
	// Again tells that it does what the stage before it has done once more, where that does not
	// hold.
	Again bool
	// Cells makes of the state and the ground, and After of the rates behind these, too, as
	// many values of a cell as it likes: scalars and, last, a vector.
	Cells *stencil.Update
	After bool
	// Sides makes of three cells on an axis the values at the low and the high side of the
	// middle one, and what the ground gives it. Kernels that keep how steep it is between two
	// cells do the same by Rise, of both, and Between, of it, of the cell and of it behind.
	Sides, Rise, Between *stencil.Update
	// Face makes of the values at the high side of a cell and at the low side of the next one
	// what passes between them, of the vector first that across, then what the part along
	// loses below and gains above. Maximum 0, if it has one, is the fastest wave.
	Face *stencil.Update
	// Inflow makes of what comes in at an edge and of the first value there what the vector
	// along the axis gets. Maximum 0 is the fastest wave.
	Inflow *stencil.Update
	// Last makes of the faces of a cell the rates or, if it reads the state, too, or that and
	// the rates, the next state.
	Last *stencil.Update
}

// Parameter is one of a scheme's.
type Parameter struct {
	Name  string
	Value float64
}

// Rank is a scheme on the cells of a rank.
type Rank interface {
	// Work is that of a phase of a step of the cycle.
	Work(step, phase int) solver.Work
	// Begin prepares the step after so many.
	Begin(steps int64) error
	// Forget is told that the state is not that which the last step left.
	Forget()
	// Prepare lets a phase take over parameters, and by what that which comes in at sides is
	// multiplied. A phase that is there Again does nothing in a step in which it was not prepared.
	Prepare(phase int, list []Parameter, inflow [Sides]float64)
	// Collect hands over the bits of the fastest wave of the first phase: those of numbers
	// that are not negative are ordered as the numbers are.
	Collect(phase int, numbers []int64) error
}

// New prepares a scheme on a rank's device, whose fields have values of type T.
func New[T float32 | float64](b *solver.Binding, s *Scheme) (Rank, error) {
	switch d := b.Device.(type) {
	case *cuda.Device:
		return newGPU[T](b, d, s)
	case *processor.Device:
		return newProcessor[T](b, d, s)
	}
	return nil, errors.New("finite volumes are computed on processors and on GPUs with arrays; choose these")
}

// fluxes tells whether a stage has any.
func (s *Stage) fluxes() bool { return s.Cells != nil }

// values are how many the state has.
func (s *Stage) values() int { return len(s.Last.Writes) }

// ground is how many values the ground has.
func (s *Stage) ground() int {
	if s.After {
		return len(s.Cells.Reads) - 2*s.values()
	}
	return len(s.Cells.Reads) - s.values()
}

// owns is how much of each cell the last part reads: nothing, the state, or its rates, too.
func (s *Stage) owns() int { return (len(s.Last.Reads) - 2*(2*s.values()+1)) / s.values() }

// to is the field that a stage with fluxes writes.
func (s *Stage) to() int {
	if s.owns() > 0 {
		return Next
	}
	return Rates
}

// Offsets are those of the cells that fluxes need: along x and y two cells down and one, one
// up and two. beyond are their numbers beyond each side.
var (
	Offsets = []geometry.Offset{{X: -2}, {X: -1}, {X: 1}, {X: 2}, {Y: -2}, {Y: -1}, {Y: 1}, {Y: 2}}
	beyond  = [Sides]int{West: 1, East: 2, South: 5, North: 6}
)

// Steps are the phases of the steps of a cycle, for the program of a physics.
func (s *Scheme) Steps() (steps [][]solver.Phase) {
	for n := range cycle {
		var list []solver.Phase
		for i := range s.Stages {
			stage := &s.Stages[i]
			p := solver.Phase{Name: stage.Name, Every: stage.Every}
			if stage.fluxes() && !stage.Again {
				p.Reads = s.slots(n, State)
			}
			if stage.After {
				p.Reads = append(p.Reads, s.slots(n, Rates)...)
			}
			if stage.fluxes() && (i+1 == len(s.Stages) || !s.Stages[i+1].Again) {
				p.Fetch = s.slots(n, stage.to())
			}
			if i == 0 {
				p.Reduce = &solver.Reduction{Operation: transport.Max, Values: 1, Every: 1}
			}
			list = append(list, p)
		}
		steps = append(steps, list)
	}
	return steps
}

// slots are those of a field of neighbours in a step of the cycle, with a state's those of what
// does not change.
func (s *Scheme) slots(n, field int) []solver.Slot {
	first, number := &s.Stages[0], s.Fields[n]
	list := solver.Neighbours(number[field], first.values(), Offsets)
	if field == Rates {
		return list
	}
	list = append(list, solver.Neighbours(number[Ground], first.ground(), Offsets)...)
	for side, o := range beyond {
		if number[Edges] != Missing {
			list = append(list, solver.Slot{Field: number[Edges], Value: side, Offset: Offsets[o], Wall: -1})
		}
	}
	return list
}

package stencil

import (
	"carina/geometry"
	"carina/solver"
	"carina/solver/expression"
)

// Update is what a kernel makes of the values of a cell and of cells around it.
type Update struct {
	*expression.Program
	// Name is that of the generated functions.
	Name string
	// Near tells that what is read and written from now on lies in the cache.
	Near bool
	// Rows tells that cells are computed in rows: no output lies where an input lay, so that
	// cells may be computed twice. A slot's Field is the number of the pointer of an input or
	// output, and its Value in which line behind it lies, of LineValues each. What is not near
	// of the next row lies as many bytes further as the pointer behind all others leads to, an
	// int64.
	Rows bool
	// Access tells what the inputs and outputs of the program are.
	Access
}

// LineValues are how many values a line of Update.Rows has.
const LineValues = 144

// Place is where input or output number i lies, outputs after the inputs: the number of its
// pointer and that of the line behind it.
func (u *Update) Place(i int) (pointer, line int) {
	if !u.Rows {
		return i, 0
	}
	if reads := len(u.Reads); i >= reads {
		return u.Writes[i-reads].Field, u.Writes[i-reads].Value
	}
	return u.Reads[i].Field, u.Reads[i].Value
}

// Pointers are how many inputs and outputs have.
func (u *Update) Pointers() (n int) {
	for i := range len(u.Reads) + len(u.Writes) {
		pointer, _ := u.Place(i)
		n = max(n, pointer+1)
	}
	return n
}

// Access tells where the inputs and outputs of a program lie, in order.
type Access struct {
	Reads  []Read
	Writes []Write
}

// Read is an input: a value or, if Present, 1 where there is a cell at the slot's offset
// and 0 where there is none. A value of no cell, with no value at a wall, is 0.
type Read struct {
	solver.Slot
	Present, Near bool
}

// Write is an output: it goes to a slot or into a reduction.
type Write struct {
	solver.Slot
	Into Into
	Near bool
	// Scale is by what terms of a sum are multiplied before they are rounded.
	Scale float64
}

// Into is what an output goes into.
type Into uint8

// The places: a slot, the largest of all cells, or the sum of all cells of whole numbers.
const (
	IntoSlot Into = iota
	IntoMaximum
	IntoSum
)

// New is an update that does nothing.
func New(name string) *Update { return &Update{Program: expression.New(), Name: name} }

// Read is the value in a slot before the update.
func (u *Update) Read(s solver.Slot) expression.Value { return u.read(Read{Slot: s}) }

// Present is 1 where there is a cell at an offset and 0 where there is none.
func (u *Update) Present(o geometry.Offset) expression.Value {
	return u.read(Read{Slot: solver.Slot{Offset: o}, Present: true})
}

func (u *Update) read(r Read) expression.Value {
	r.Near = u.Near
	for i, known := range u.Reads {
		if known == r {
			return u.Input(i)
		}
	}
	u.Reads = append(u.Reads, r)
	return u.Input(len(u.Reads) - 1)
}

// Write lets a slot have a value after the update. No two cells write to the same.
func (u *Update) Write(s solver.Slot, v expression.Value) { u.write(Write{Slot: s}, v) }

// Maximum reduces a value to the largest of all cells, 0 where all are smaller, and
// returns the number of the reduction among the maxima.
func (u *Update) Maximum(v expression.Value) int {
	w := Write{Into: IntoMaximum}
	if u.Rows {
		w.Field = u.Pointers()
	}
	return u.write(w, v)
}

// Sum adds the nearest whole numbers to scale·v of all cells, in any order the same, and
// returns the number of the reduction among the sums.
func (u *Update) Sum(v expression.Value, scale float64) int {
	return u.write(Write{Into: IntoSum, Scale: scale}, v)
}

func (u *Update) write(w Write, v expression.Value) (number int) {
	number = u.count(w.Into)
	w.Near = u.Near
	u.Writes = append(u.Writes, w)
	u.Outputs = append(u.Outputs, v)
	return number
}

// count is how many outputs go into a kind of place.
func (a *Access) count(into Into) (n int) {
	for _, w := range a.Writes {
		if w.Into == into {
			n++
		}
	}
	return n
}

// Neighbours lists the slots of other cells that are read, for a phase of the engine.
func (a *Access) Neighbours() (list []solver.Slot) {
	for _, r := range a.Reads {
		if r.Offset != (geometry.Offset{}) && !r.Present {
			list = append(list, r.Slot)
		}
	}
	return list
}

// Returned lists the slots of other cells that are written.
func (a *Access) Returned() (list []solver.Slot) {
	for _, w := range a.Writes {
		if w.Offset != (geometry.Offset{}) {
			list = append(list, w.Slot)
		}
	}
	return list
}

// Of is the access with fields[f] in place of field f.
func (a *Access) Of(fields ...int) (other Access) {
	for _, r := range a.Reads {
		r.Field = fields[r.Field]
		other.Reads = append(other.Reads, r)
	}
	for _, w := range a.Writes {
		w.Field = fields[w.Field]
		other.Writes = append(other.Writes, w)
	}
	return other
}

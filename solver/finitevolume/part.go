package finitevolume

import (
	"carina/solver"
	"carina/solver/expression"
	"carina/solver/stencil"
)

// Part writes an update of a stage. Inputs and outputs lie in the order in which they are asked
// for, in lines of the cache as far as they are no fields.
type Part struct{ *stencil.Update }

// NewPart is one that does nothing.
func NewPart(name string) Part {
	p := Part{stencil.New(name)}
	p.Near, p.Rows = true, true
	return p
}

// lines are those of an input or output with a pointer of its own, by their numbers.
func (p Part) lines(lines ...int) (list []solver.Slot) {
	pointer := p.Pointers()
	for _, line := range lines {
		list = append(list, solver.Slot{Field: pointer, Value: line})
	}
	return list
}

// In are inputs that lie in lines behind a pointer.
func (p Part) In(lines ...int) (list []expression.Value) {
	for _, slot := range p.lines(lines...) {
		list = append(list, p.Read(slot))
	}
	return list
}

// Out hands on values.
func (p Part) Out(values ...expression.Value) {
	for i, slot := range p.lines(upTo(len(values))...) {
		p.Write(slot, values[i])
	}
}

// Cell is a cell of so many values: an input of Sides, Rise and Between.
func (p Part) Cell(values int) []expression.Value { return p.In(upTo(values)...) }

// Side is a side of a cell of so many values: an input of Face.
func (p Part) Side(values int) []expression.Value {
	return append(p.In(upTo(values-2)...), p.In(0)[0], p.In(0)[0])
}

// Field are values of a field: inputs of Cells, which are far, and of Last, where Cells has left them
// in the cache.
func (p Part) Field(values int, far bool) (list []expression.Value) {
	p.Near = !far
	for range values {
		list = append(list, p.In(0)...)
	}
	p.Near = true
	return list
}

// Rates are those at which a state of so many values changes by the faces around a cell of so many,
// where inverse is 1 over the spacing: what Last begins with.
func (p Part) Rates(values, cellValues int, inverse expression.Value) (rates []expression.Value) {
	// Along each axis, of the vector first across it.
	var axes [2][]expression.Value
	for axis := range axes {
		pointer := p.Pointers()
		low, high := p.In(append(upTo(values-1), values)...), p.In(upTo(values)...)
		given := p.Read(solver.Slot{Field: pointer, Value: values + 1 + cellValues})
		for v := range low {
			axes[axis] = append(axes[axis], p.Subtract(low[v], high[v]))
		}
		axes[axis][values-1] = p.Subtract(axes[axis][values-1], given)
	}
	for v, y := range axes[1] {
		x := axes[0][v]
		if v >= values-2 {
			x = axes[0][2*values-3-v]
		}
		rates = append(rates, p.Multiply(inverse, p.Add(x, y)))
	}
	return rates
}

// Leave hands on what goes to a field.
func (p Part) Leave(values ...expression.Value) *stencil.Update {
	p.Near = false
	for _, v := range values {
		p.Out(v)
	}
	return p.Update
}

// upTo are the numbers from 0 on below n.
func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

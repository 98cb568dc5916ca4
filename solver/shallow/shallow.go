package shallow

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"carina/solver"
	"carina/solver/finitevolume"
	"carina/solver/shallow/kernel"
	"carina/solver/shallow/scheme"

	"gonum.org/v1/gonum/spatial/r3"
)

// Water is what is computed, in SI units.
type Water struct {
	// Gravity is in m/s².
	Gravity float64
	// Bottom gives the height of the ground in m; nil is flat ground. It is called side
	// by side, as Initial is.
	Bottom func(position r3.Vec) float64
	// Initial gives the depth in m and the discharge, depth times velocity, in m²/s
	// at the start.
	Initial func(position r3.Vec) (depth float64, discharge [2]float64)
	// Edge gives what lies beyond a side of a cell where the grid has no cell: 0 a wall,
	// Outflow water like that in the cell, and else what comes in there, in m²/s, the
	// discharge per metre of the side. nil is walls. It is called for all sides of all
	// cells, side by side.
	Edge func(position r3.Vec, side Side) float64
	// Inflow is by what all that comes in at a side is multiplied at a time in s; nil is
	// by 1. It is called side by side.
	Inflow func(side Side, time float64) float64
	// End is the time in s at which the last step ends; 0 is none.
	End float64
	// Wet lets the greatest depth be kept and when it was first above so many m, as Records
	// tell, and is looked at in every RecordEvery-th step; 0 keeps none.
	Wet float64
	// Courant is the part of the time in which the fastest wave crosses a cell that
	// a step takes, at most and, if 0, 0.25: with more, depths do not stay positive.
	Courant float64
	// Thin is the depth in m below which velocities are reduced; 0 means 1e-5.
	Thin float64
	// Manning is the ground's coefficient n in s/m^⅓ and Chezy its C in m^½/s: friction
	// slows the water by g·|u|·u/(h·C²) with, of Manning, C = h^⅙/n. 0 is no such friction.
	Manning, Chezy float64
	// Euler takes steps of first order in time, which need less time each, in place of
	// those of Heun's method, a Runge–Kutta method of second order.
	Euler bool
	// Dry lets processors compute what is dry and far from water, too, which changes no bit.
	Dry bool
	// Single computes in single precision.
	Single bool
}

var _ solver.Physics = (*Water)(nil)

// Side is one of a cell's.
type Side = finitevolume.Side

// The sides, down and up along x and y.
const (
	West  = finitevolume.West
	East  = finitevolume.East
	South = finitevolume.South
	North = finitevolume.North
	sides = finitevolume.Sides
)

// Outflow is an edge through which water leaves as it comes.
const Outflow = finitevolume.Outflow

// secondPhase is that of a step which advances the water or, with Euler's method, the same again
// where the first one was too long.
const secondPhase = 1

// RecordEvery is in which steps records are kept: no wave crosses more than a cell in so
// many.
const RecordEvery = 4

// Fields are depth and discharge, the height of the ground, with Heun's method the rates of
// change, and the water once more: the steps write from one into the other in turn.
func (w *Water) Fields() []solver.Field {
	list, _ := w.fields()
	return list
}

// fields are those, and their numbers in the scheme.
func (w *Water) fields() (list []solver.Field, numbers []int) {
	kind := solver.Float64
	if w.Single {
		kind = solver.Float32
	}
	for _, f := range [...]struct {
		solver.Field
		there bool
	}{
		finitevolume.State:  {solver.Field{Name: "water", Values: scheme.Values}, true},
		finitevolume.Ground: {solver.Field{Name: "bottom", Values: 1, Constant: true}, true},
		finitevolume.Rates:  {solver.Field{Name: "rates", Values: scheme.Values}, !w.Euler},
		finitevolume.Next:   {solver.Field{Name: "next", Values: scheme.Values}, true},
		finitevolume.Edges:  {solver.Field{Name: "edges", Values: int(sides), Constant: true}, w.Edge != nil},
		scheme.Records:      {solver.Field{Name: "records", Values: 2}, w.Wet > 0},
	} {
		number := finitevolume.Missing
		if f.there {
			f.Kind, number = kind, len(list)
			list = append(list, f.Field)
		}
		numbers = append(numbers, number)
	}
	return list, numbers
}

// scheme is what a step computes: rates, with them the time step that all ranks can take, and
// the water by them. Euler's method takes a step that is expected to be no longer, and once more
// if it was.
func (w *Water) scheme() *finitevolume.Scheme {
	_, numbers := w.fields()
	turned := slices.Clone(numbers)
	turned[finitevolume.State], turned[finitevolume.Next] = numbers[finitevolume.Next], numbers[finitevolume.State]
	rough := w.Manning > 0 || w.Chezy > 0
	first := finitevolume.Stage{Name: "rates", Cells: scheme.Cells(false), Sides: scheme.Sides(), Rise: scheme.Rise(), Between: scheme.Between(),
		Face: scheme.Face(false), Inflow: scheme.Inflow(), Last: scheme.Rates()}
	second := first
	second.Name, second.Cells, second.After, second.Face, second.Last = "advance", scheme.Cells(true), true, scheme.Face(true), scheme.Heun(rough)
	if w.Euler {
		first.Name, first.Last = "advance", scheme.Euler(rough)
		second = first
		second.Name, second.Again = "again", true
	}
	s := &finitevolume.Scheme{Fields: [...][]int{numbers, turned}, Stages: []finitevolume.Stage{first, second}, Functions: kernel.Functions, All: w.Dry}
	if w.Wet > 0 {
		s.Stages = append(s.Stages, finitevolume.Stage{Name: "record", Every: RecordEvery, Last: scheme.Record()})
	}
	return s
}

// A state is the water, the ground, edges where there are some, and records where they are
// kept. These are the numbers of values of a cell in it, in Water.Kind.
const (
	StateDepth = iota
	StateDischargeX
	StateDischargeY
	StateBottom
)

// Value is the number, among the arrays of a device, of a value of the water after so many
// steps: the depth by StateDepth, and so on.
func (w *Water) Value(steps int64, value int) int32 {
	list, numbers := w.fields()
	if steps%2 != 0 {
		for _, f := range list[:numbers[finitevolume.Next]] {
			value += f.Values
		}
	}
	return int32(value)
}

// StateRecords is the number of the greatest depth in a state; when it was first flooded
// follows, −1 where it was not.
func (w *Water) StateRecords() int {
	if w.Edge != nil {
		return StateBottom + 1 + int(sides)
	}
	return StateBottom + 1
}

// Program is that of the scheme.
func (w *Water) Program() solver.Program {
	s, list := w.scheme(), w.Fields()
	p := solver.Program{OnGhosts: true, Steps: s.Steps()}
	for _, numbers := range s.Fields {
		var state []solver.Slot
		for _, of := range []int{finitevolume.State, finitevolume.Ground, finitevolume.Edges, scheme.Records} {
			if n := numbers[of]; n != finitevolume.Missing {
				state = append(state, solver.Own(n, list[n].Values)...)
			}
		}
		p.State = append(p.State, state)
	}
	return p
}

// Bind fills the cells.
func (w *Water) Bind(b *solver.Binding) (solver.Kernel, error) {
	for _, refused := range []struct {
		is   bool
		says string
	}{
		{b.Domain.Grid.Size[2] != 1, "shallow water needs a grid of one layer; give one with one cell along z"},
		{!(w.Courant >= 0 && w.Courant <= 0.25), "the Courant number of shallow water lies above 0 and is at most 0.25; give such a one"},
		{!(w.End >= 0 && w.Wet >= 0), "shallow water ends after a time, and ground is flooded from a depth on, that are not negative; give numbers from 0 on"},
		{!(w.Manning >= 0 && w.Chezy >= 0), "friction of shallow water is not negative; give coefficients from 0 on"},
	} {
		if refused.is {
			return nil, errors.New(refused.says)
		}
	}
	if err := w.fill(b); err != nil {
		return nil, err
	}
	if w.Single {
		return bind[float32](w, b)
	}
	return bind[float64](w, b)
}

// start are the values of a field at the start, with what is wrong with them.
type start struct {
	field int
	of    func(p r3.Vec, values []float64) (wrong string)
}

// starts are those of all fields that are not zero. Heights, depths and inflows that make no sense
// are wrong.
func (w *Water) starts() (list []start) {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	if w.Bottom != nil {
		list = append(list, start{finitevolume.Ground, func(p r3.Vec, values []float64) (wrong string) {
			if values[0] = w.Bottom(p); !finite(values[0]) {
				wrong = fmt.Sprintf("the ground has the height %g m", values[0])
			}
			return wrong
		}})
	}
	if w.Edge != nil {
		list = append(list, start{finitevolume.Edges, func(p r3.Vec, values []float64) (wrong string) {
			for side := range values {
				v := w.Edge(p, Side(side))
				if values[side] = v; wrong == "" && !(v >= 0 && finite(v) || v == Outflow) {
					wrong = fmt.Sprintf("%g m²/s come in", v)
				}
			}
			return wrong
		}})
	}
	list = append(list, start{finitevolume.State, func(p r3.Vec, values []float64) (wrong string) {
		h, flow := w.Initial(p)
		if values[StateDepth], values[StateDischargeX], values[StateDischargeY] = h, flow[0], flow[1]; !(h >= 0 && finite(h)) {
			wrong = fmt.Sprintf("the water is %g m deep", h)
		}
		return wrong
	}})
	if w.Wet > 0 {
		list = append(list, start{scheme.Records, func(p r3.Vec, values []float64) string {
			values[0], _ = w.Initial(p)
			if values[1] = -1; values[0] >= w.Wet {
				values[1] = 0
			}
			return ""
		}})
	}
	return list
}

// fill sets own cells to the start, and refuses what is wrong in the first cell.
func (w *Water) fill(b *solver.Binding) error {
	var first struct {
		sync.Mutex
		at    [2]int32 // y and x
		wrong string
	}
	_, numbers := w.fields()
	for _, s := range w.starts() {
		err := b.Fill(numbers[s.field], func(x, y, z int32, values []float64) {
			wrong := s.of(b.Domain.Grid.Center(x, y, z), values)
			if wrong == "" {
				return
			}
			first.Lock()
			defer first.Unlock()
			if at := [2]int32{y, x}; first.wrong == "" || slices.Compare(at[:], first.at[:]) < 0 {
				first.at, first.wrong = at, wrong
			}
		})
		if err != nil {
			return err
		}
	}
	if first.wrong != "" {
		return fmt.Errorf("%s in column %d of row %d; give finite heights, and depths and inflows from 0 on", first.wrong, first.at[1], first.at[0])
	}
	return nil
}

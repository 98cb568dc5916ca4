package shallow

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"carina/geometry"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/processor"
	"carina/solver/shallow/kernel"
	"carina/solver/shallow/scheme"
	"carina/solver/stencil"
	"carina/solver/transport"

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
type Side uint8

// The sides, down and up along x and y.
const (
	West Side = iota
	East
	South
	North
	sides
)

// Outflow is an edge through which water leaves as it comes.
const Outflow = -1.

// Values of the water.
const (
	depth = iota
	dischargeX
	dischargeY
	values
)

// Phases of a step.
const (
	// firstPhase computes rates with Heun's method. With Euler's it is a step as long as is
	// expected to be right, and secondPhase the same again where it was too long.
	firstPhase = iota
	secondPhase
	recordPhase
	phases
)

// RecordEvery is in which steps records are kept: no wave crosses more than a cell in so
// many.
const RecordEvery = 4

// Fields are depth and discharge, the height of the ground, with Heun's method the rates of
// change, and the water once more: the steps write from one into the other in turn.
func (w *Water) Fields() []solver.Field {
	kind := solver.Float64
	if w.Single {
		kind = solver.Float32
	}
	list := []solver.Field{scheme.Water: {Name: "water", Values: values, Kind: kind}, scheme.Bottom: {Name: "bottom", Values: 1, Kind: kind, Constant: true},
		scheme.RatesOfChange: {Name: "rates", Values: values, Kind: kind}, scheme.Next: {Name: "next", Values: values, Kind: kind}}
	if w.Euler {
		list = slices.Delete(list, scheme.RatesOfChange, scheme.Next)
	}
	if w.Edge != nil {
		list = append(list, solver.Field{Name: "edges", Values: int(sides), Kind: kind, Constant: true})
	}
	if w.Wet > 0 {
		list = append(list, solver.Field{Name: "records", Values: 2, Kind: kind})
	}
	return list
}

// valuesOf is how many values a field has, none if there is no such.
func (w *Water) valuesOf(field int) int {
	if list := w.Fields(); field < len(list) {
		return list[field].Values
	}
	return 0
}

// edges is the field of that name.
func (w *Water) edges() int {
	if w.Euler {
		return scheme.Next
	}
	return scheme.Edges
}

// records is the field of that name.
func (w *Water) records() int {
	if w.Edge == nil {
		return w.edges()
	}
	return w.edges() + 1
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
	first := 0
	for _, f := range w.Fields()[:w.field(steps)] {
		first += f.Values
	}
	return int32(first + value)
}

// StateRecords is the number of the greatest depth in a state; when it was first flooded
// follows, −1 where it was not.
func (w *Water) StateRecords() int {
	if w.Edge != nil {
		return StateBottom + 1 + int(sides)
	}
	return StateBottom + 1
}

// faces is how many numbers the end of a stage takes from the faces of a cell, and from its
// ground.
const faces = 2 * (2*values + 1)

// part is an update and the functions that were generated of it.
type part struct {
	update    *stencil.Update
	functions stencil.Functions
}

// stage is what a phase does: where there are cells, the parts of fluxes, and last what ends
// it, else what becomes of cells by themselves.
type stage struct{ cells, sides, face, inflow, last part }

// fluxes tells whether a stage has any.
func (s *stage) fluxes() bool { return s.cells.update != nil }

// owns is how much of each cell a stage with fluxes reads at its end: nothing, water, or its
// rates of change, too.
func (s *stage) owns() int { return len(s.last.update.Reads)/values - faces/values }

// stages are those of the phases.
func (w *Water) stages() []stage {
	sides, inflow := part{scheme.Sides(), kernel.SidesFunctions}, part{scheme.Inflow(), kernel.InflowFunctions}
	heun, euler := part{scheme.Heun(false), kernel.HeunFunctions}, part{scheme.Euler(false), kernel.EulerFunctions}
	if w.Manning > 0 || w.Chezy > 0 {
		heun, euler = part{scheme.Heun(true), kernel.HeunRoughFunctions}, part{scheme.Euler(true), kernel.EulerRoughFunctions}
	}
	list := []stage{
		{part{scheme.Cells(false), kernel.CellsFunctions}, sides, part{scheme.Face(false), kernel.FaceFunctions}, inflow, part{scheme.Rates(), kernel.RatesFunctions}},
		{part{scheme.Cells(true), kernel.CellsAfterFunctions}, sides, part{scheme.Face(true), kernel.FaceDrainsFunctions}, inflow, heun},
	}
	if w.Euler {
		list[firstPhase].last = euler
		list[secondPhase] = list[firstPhase]
	}
	if w.Wet > 0 {
		list = append(list, stage{last: part{scheme.Record(), kernel.RecordFunctions}})
	}
	return list
}

// fieldsAt are those that updates of phases name, in a step of the cycle.
func (w *Water) fieldsAt(phase int, step int64) []int {
	list := []int{scheme.Water: w.field(step), scheme.Bottom: scheme.Bottom, scheme.RatesOfChange: scheme.RatesOfChange, scheme.Next: w.field(step + 1),
		scheme.Edges: w.edges(), scheme.Records: w.records()}
	if phase == recordPhase {
		list[scheme.Water] = list[scheme.Next]
	}
	return list
}

// cycle is after how many steps the water lies where it lay.
const cycle = 2

// field is where the water lies after so many steps.
func (w *Water) field(steps int64) int {
	switch {
	case steps%cycle == 0:
		return scheme.Water
	case w.Euler:
		return scheme.Next - 1
	}
	return scheme.Next
}

// offsets are those of the cells that fluxes need: along x and y two cells down and one, one
// up and two. beyond are their numbers beyond each side.
var (
	offsets = []geometry.Offset{{X: -2}, {X: -1}, {X: 1}, {X: 2}, {Y: -2}, {Y: -1}, {Y: 1}, {Y: 2}}
	beyond  = [sides]int{West: 1, East: 2, South: 5, North: 6}
)

// reads are the slots of neighbours that fluxes need, from a field of water.
func (w *Water) reads(field int) []solver.Slot {
	list := append(solver.Neighbours(field, values, offsets), solver.Neighbours(scheme.Bottom, 1, offsets)...)
	if w.Edge != nil {
		for side, o := range beyond {
			list = append(list, solver.Slot{Field: w.edges(), Value: side, Offset: offsets[o], Wall: -1})
		}
	}
	return list
}

// Program computes rates, with them the time step that all ranks can take, and advances.
// Euler's method takes a step that is expected to be no longer, and once more if it was.
func (w *Water) Program() (p solver.Program) {
	p.OnGhosts = true
	for n := range int64(cycle) {
		now, next := w.reads(w.field(n)), w.reads(w.field(n+1))
		var rates, both []solver.Slot
		if !w.Euler {
			rates = solver.Neighbours(scheme.RatesOfChange, values, offsets)
			both = slices.Concat(now, rates)
		}
		steps := []solver.Phase{
			{Name: "rates", Reads: now, Fetch: rates, Reduce: &solver.Reduction{Operation: transport.Max, Values: 1, Every: 1}},
			{Name: "advance", Reads: both, Fetch: next},
		}
		if w.Euler {
			steps[firstPhase].Name, steps[secondPhase].Name = "advance", "again"
		}
		if w.Wet > 0 {
			steps = append(steps, solver.Phase{Name: "record", Every: RecordEvery})
		}
		p.Steps = append(p.Steps, steps)
		state := append(solver.Own(w.field(n), values), solver.Own(scheme.Bottom, 1)...)
		if w.Edge != nil {
			state = append(state, solver.Own(w.edges(), int(sides))...)
		}
		if w.Wet > 0 {
			state = append(state, solver.Own(w.records(), 2)...)
		}
		p.State = append(p.State, state)
	}
	return p
}

// Bind fills the cells.
func (w *Water) Bind(b *solver.Binding) (solver.Kernel, error) {
	if b.Domain.Grid.Size[2] != 1 {
		return nil, errors.New("shallow water needs a grid of one layer; give one with one cell along z")
	}
	if !(w.Courant >= 0 && w.Courant <= 0.25) {
		return nil, errors.New("the Courant number of shallow water lies above 0 and is at most 0.25; give such a one")
	}
	if !(w.End >= 0 && w.Wet >= 0) {
		return nil, errors.New("shallow water ends after a time, and ground is flooded from a depth on, that are not negative; give numbers from 0 on")
	}
	if !(w.Manning >= 0 && w.Chezy >= 0) {
		return nil, errors.New("friction of shallow water is not negative; give coefficients from 0 on")
	}
	c := clock{water: w, spacing: b.Domain.Grid.Spacing}
	if err := w.fill(b); err != nil {
		return nil, err
	}
	switch d := b.Device.(type) {
	case *cuda.Device:
		if w.Single {
			return bindGPU[float32](c, b, d)
		}
		return bindGPU[float64](c, b, d)
	case *processor.Device:
		if w.Single {
			return bindProcessor[float32](c, b, d)
		}
		return bindProcessor[float64](c, b, d)
	}
	return nil, errors.New("shallow water is computed on processors and on GPUs with arrays; choose these")
}

// fill sets own cells to the start. Heights, depths and inflows that make no sense are
// refused.
func (w *Water) fill(b *solver.Binding) error {
	center := b.Domain.Grid.Center
	var first struct {
		sync.Mutex
		at   [2]int32 // y and x
		says string
	}
	refuse := func(x, y int32, says string) {
		first.Lock()
		defer first.Unlock()
		if at := [2]int32{y, x}; first.says == "" || slices.Compare(at[:], first.at[:]) < 0 {
			first.at, first.says = at, says
		}
	}
	if w.Bottom != nil {
		err := b.Fill(scheme.Bottom, func(x, y, z int32, values []float64) {
			if values[0] = w.Bottom(center(x, y, z)); math.IsNaN(values[0]) || math.IsInf(values[0], 0) {
				refuse(x, y, fmt.Sprintf("the ground has the height %g m", values[0]))
			}
		})
		if err != nil {
			return err
		}
	}
	if w.Edge != nil {
		err := b.Fill(w.edges(), func(x, y, z int32, values []float64) {
			for side := range sides {
				v := w.Edge(center(x, y, z), side)
				if !(v >= 0 || v == Outflow) || math.IsInf(v, 1) {
					refuse(x, y, fmt.Sprintf("%g m²/s come in", v))
				}
				values[side] = v
			}
		})
		if err != nil {
			return err
		}
	}
	err := b.Fill(scheme.Water, func(x, y, z int32, values []float64) {
		h, flow := w.Initial(center(x, y, z))
		if !(h >= 0) || math.IsInf(h, 1) {
			refuse(x, y, fmt.Sprintf("the water is %g m deep", h))
		}
		values[depth], values[dischargeX], values[dischargeY] = h, flow[0], flow[1]
	})
	if err == nil && w.Wet > 0 {
		err = b.Fill(w.records(), func(x, y, z int32, values []float64) {
			values[0], _ = w.Initial(center(x, y, z))
			if values[1] = -1; values[0] >= w.Wet {
				values[1] = 0
			}
		})
	}
	if err == nil && first.says != "" {
		err = fmt.Errorf("%s in column %d of row %d; give finite heights, and depths and inflows from 0 on", first.says, first.at[1], first.at[0])
	}
	return err
}

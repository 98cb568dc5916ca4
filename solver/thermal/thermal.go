package thermal

//go:generate go run ./generate

import (
	"errors"
	"math"

	"carina/geometry"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/expression"
	"carina/solver/processor"
	"carina/solver/thermal/arithmetic"

	"gonum.org/v1/gonum/spatial/r3"
)

// Gas is what is computed, in units of cells and steps.
type Gas struct {
	// Tau is the relaxation time in steps; viscosity and diffusivity of heat are
	// (Tau − ½)·temperature.
	Tau float64
	// Initial gives density, velocity and temperature at the start. It is called side by
	// side.
	Initial func(position r3.Vec) (density float64, velocity [2]float64, temperature float64)
}

var _ solver.Physics = (*Gas)(nil)

const populations = arithmetic.Populations

// Fields are the populations, twice: those of the n-th copy are before steps n, n+2, ….
func (g *Gas) Fields() []solver.Field {
	return []solver.Field{{Name: "gas", Values: populations, Kind: solver.Float64}, {Name: "gas beside", Values: populations, Kind: solver.Float64}}
}

// Program pulls from one copy and writes into the other, in turn.
func (g *Gas) Program() (p solver.Program) {
	pull := func(field int) (list []solver.Slot) {
		for i, o := range sources() {
			list = append(list, solver.Slot{Field: field, Value: i, Offset: o, Wall: arithmetic.Opposite(i)})
		}
		return list
	}
	for field := range 2 {
		p.Steps = append(p.Steps, []solver.Phase{{Name: "pull and collide", Reads: pull(field), Fetch: pull(1 - field)}})
		var own []solver.Slot
		for i := range populations {
			own = append(own, solver.Slot{Field: field, Value: i})
		}
		p.State = append(p.State, own)
	}
	return p
}

// sources are the offsets from which populations come.
func sources() (list []geometry.Offset) {
	for _, v := range arithmetic.Velocities {
		list = append(list, geometry.Offset{X: -v.C.X, Y: -v.C.Y})
	}
	return list
}

// Bind fills the cells.
func (g *Gas) Bind(b *solver.Binding) (solver.Kernel, error) {
	if b.Domain.Grid.Size[2] != 1 {
		return nil, errors.New("a thermal gas needs a grid of one layer; give one with one cell along z")
	}
	if d, ok := b.Device.(*cuda.Device); ok {
		return g.bindGPU(b, d)
	}
	d, ok := b.Device.(*processor.Device)
	if !ok {
		return nil, errors.New("a thermal gas is computed on processors and on GPUs with arrays; choose these")
	}
	k := &Kernel{layout: b.Layout, windows: b.Windows(sources()), workers: make([]worker, d.Workers()), table: g.table()}
	for n := range k.f {
		memory, stride := processor.Values[float64](d, b.Array(n))
		for i := range k.f[n] {
			k.f[n][i] = memory[i*stride:][:stride]
		}
	}
	return k, g.fill(b)
}

// table is what the collision needs.
func (g *Gas) table() []float64 {
	return expression.EvaluateTable[float64](arithmetic.Collide(), map[string]float64{arithmetic.Omega: 1 / g.Tau})
}

// fill sets what arrives to the equilibrium.
func (g *Gas) fill(b *solver.Binding) error {
	constants := expression.EvaluateTable[float64](arithmetic.Equilibrium(), nil)
	return b.Fill(0, func(x, y, z int32, values []float64) {
		density, u, temperature := g.Initial(b.Domain.Grid.Center(x, y, z))
		f := (*[populations]float64)(values)
		f[0], f[1], f[2], f[3] = density, u[0], u[1], temperature
		equilibrium(f, constants)
	})
}

// Kernel is the gas of one rank on processors.
type Kernel struct {
	layout  *solver.Layout
	windows *solver.Windows
	table   []float64
	f       [2][populations][]float64
	workers []worker
}

// worker is what arrives in the cells of a block, with room between populations so that
// those of a cell fall into different sets of the cache.
type worker [populations][solver.BlockCells + solver.GroupCells + 8]float64

// Work pulls and collides.
func (k *Kernel) Work(step, _ int) solver.Work {
	from, into := &k.f[step], &k.f[1-step]
	return solver.BlockWork(func(b *solver.Block, number int) {
		arriving := &k.workers[number]
		for i := range arriving {
			k.windows.Each(i, b.First, b.End, func(cell, n, neighbour int32) {
				source := from[i]
				if neighbour < 0 {
					source, neighbour = from[arithmetic.Opposite(i)], cell
				}
				copy(arriving[i][cell-b.First:][:n], source[neighbour:])
			})
		}
		for c := b.First; c < b.End; c++ {
			var f [populations]float64
			for i := range f {
				f[i] = arriving[i][c-b.First]
			}
			collide(&f, k.table)
			for i := range f {
				into[i][c] = f[i]
			}
		}
	})
}

// Begin has nothing to do.
func (k *Kernel) Begin(int64) error { return nil }

// Moments are density, velocity and temperature of what arrives.
func Moments(f []float64) (density float64, velocity [2]float64, temperature float64) {
	var energy float64
	for i, v := range arithmetic.Velocities {
		x, y := float64(v.C.X), float64(v.C.Y)
		density += f[i]
		velocity[0] += float64(x * f[i])
		velocity[1] += float64(y * f[i])
		energy += float64((x*x + y*y) * f[i])
	}
	velocity[0], velocity[1] = velocity[0]/density, velocity[1]/density
	return density, velocity, (energy/density - float64(velocity[0]*velocity[0]) - float64(velocity[1]*velocity[1])) / 2
}

// Check finds values that make no sense.
func (k *Kernel) Check(b *solver.Block, _ int) (magnitude float64, bad int64) {
	bad = solver.NoCell
	k.layout.EachGlobal(b, func(cell int32, global int64) {
		for n := range k.f {
			if v := k.f[n][0][cell]; math.IsNaN(v) || math.IsInf(v, 0) {
				bad = min(bad, global)
			}
		}
	})
	return 0, bad
}

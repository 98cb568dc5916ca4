package thermal

//go:generate go run ./generate

import (
	"errors"
	"math"
	"unsafe"

	"carina/geometry"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/expression"
	"carina/solver/processor"
	"carina/solver/stencil"
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
	for field := range 2 {
		now, next := arithmetic.Pull(field), arithmetic.Pull(1-field)
		p.Steps = append(p.Steps, []solver.Phase{{Name: "pull and collide", Reads: now.Neighbours(), Fetch: next.Neighbours()}})
		p.State = append(p.State, solver.Own(field, populations))
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
	k := &Kernel{layout: b.Layout}
	for n := range k.f {
		memory, stride := processor.Values[float64](d, b.Array(n))
		for i := range k.f[n] {
			k.f[n][i] = memory[i*stride:][:stride]
		}
	}
	var err error
	if k.Stencil, err = stencil.NewStencil[float64](b, arithmetic.Collide(), collideFunctions, arithmetic.Pull(0), arithmetic.Pull(1)); err != nil {
		return nil, err
	}
	k.Set(arithmetic.Omega, 1/g.Tau)
	k.Prepare()
	return k, g.fill(b)
}

// table is what the collision needs.
func (g *Gas) table() []float64 {
	return expression.EvaluateTable[float64](arithmetic.Collide().Program, map[string]float64{arithmetic.Omega: 1 / g.Tau})
}

// fill sets what arrives to the equilibrium.
func (g *Gas) fill(b *solver.Binding) error {
	constants := expression.EvaluateTable[float64](arithmetic.Equilibrium().Program, nil)
	return b.Fill(0, func(x, y, z int32, values []float64) {
		density, u, temperature := g.Initial(b.Domain.Grid.Center(x, y, z))
		moments := [...]float64{density, u[0], u[1], temperature}
		var at [len(moments) + populations]unsafe.Pointer
		for i := range moments {
			at[i] = unsafe.Pointer(&moments[i])
		}
		for i := range values {
			at[len(moments)+i] = unsafe.Pointer(&values[i])
		}
		equilibriumGo[float64](&at[0], 1, unsafe.Pointer(&constants[0]))
	})
}

// Kernel is the gas of one rank on processors.
type Kernel struct {
	*stencil.Stencil[float64]
	layout *solver.Layout
	f      [2][populations][]float64
}

// Work pulls and collides.
func (k *Kernel) Work(step, _ int) solver.Work { return k.Stencil.Work(step) }

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

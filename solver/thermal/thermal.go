package thermal

//go:generate go run ./generate

import (
	"errors"
	"fmt"
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
	// Collision is the operator, BGK by itself.
	Collision arithmetic.Collision
	// Gravity is the acceleration of all gas.
	Gravity [2]float64
	// Walls are at the bottom and at the top; nil where the gas has none.
	Walls *Walls
	// Initial gives density, velocity and temperature at the start. It is called side by
	// side.
	Initial func(position r3.Vec) (density float64, velocity [2]float64, temperature float64)
}

// Walls have temperatures. The gas between them fills a box.
type Walls struct{ Bottom, Top float64 }

var _ solver.Physics = (*Gas)(nil)

const populations = arithmetic.Populations

// Fields are the populations, twice: those of the n-th copy are before steps n, n+2, ….
func (g *Gas) Fields() []solver.Field {
	return []solver.Field{{Name: "gas", Values: populations, Kind: solver.Float64}, {Name: "gas beside", Values: populations, Kind: solver.Float64}}
}

// Program pulls from one copy and writes into the other, in turn.
func (g *Gas) Program() (p solver.Program) {
	p.OnGhosts = true
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
	for axis, size := range b.Domain.Grid.Size[:2] {
		if b.Domain.Periodic[axis] && size < reach {
			return nil, fmt.Errorf("a gas is periodic along an axis with %d cells, of which populations cross %d; give at least as many", size, reach)
		}
	}
	if err := g.checkWalls(b.Domain); err != nil {
		return nil, err
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
	if k.Stencil, err = stencil.NewStencil[float64](b, g.update(), g.functions(), g.access(0), g.access(1)); err != nil {
		return nil, err
	}
	for name, value := range g.parameters() {
		k.Set(name, value)
	}
	k.Prepare()
	return k, g.fill(b)
}

// checkWalls finds what is no box between walls.
func (g *Gas) checkWalls(d *solver.Domain) error {
	size := d.Grid.Size
	switch {
	case g.Walls == nil:
	case d.Periodic[1]:
		return errors.New("a gas with walls at bottom and top cannot be periodic along y; leave out the walls or the period")
	case size[1] < 2*reach:
		return fmt.Errorf("a gas with walls has %d rows of cells; give it at least %d", size[1], 2*reach)
	case d.Grid.Cells() != int64(size[0])*int64(size[1]):
		return errors.New("walls at bottom and top need a box that is full of cells; give one without holes")
	}
	return nil
}

const reach = 3 // of populations, in rows

// update is what a step does.
func (g *Gas) update() *stencil.Update { return g.Collision.Update(g.Walls != nil) }

// access is where it finds what.
func (g *Gas) access(from int) stencil.Access {
	if g.Walls != nil {
		return arithmetic.Through(from)
	}
	return arithmetic.Pull(from)
}

// functions are the generated ones.
func (g *Gas) functions() stencil.Functions { return functions[g.update().Name] }

var functions = map[string]stencil.Functions{
	"collide": collideFunctions, "collideWalls": collideWallsFunctions,
	"regularize": regularizeFunctions, "regularizeWalls": regularizeWallsFunctions,
}

// parameters are those of the collision.
func (g *Gas) parameters() map[string]float64 {
	p := map[string]float64{arithmetic.Omega: 1 / g.Tau, arithmetic.GravityX: g.Gravity[0], arithmetic.GravityY: g.Gravity[1]}
	if g.Walls != nil {
		p[arithmetic.Bottom], p[arithmetic.Top] = g.Walls.Bottom-g.heat(), g.Walls.Top-g.heat()
	}
	return p
}

// fill sets what arrives to the equilibrium, half a step of gravity before the start.
func (g *Gas) fill(b *solver.Binding) error {
	constants := expression.EvaluateTable[float64](arithmetic.Equilibrium().Program, nil)
	equilibrium := stencil.Best[float64](equilibriumFunctions)
	return b.FillRows(0, func(x, y, z int32, values [][]float64) {
		const moments = 4
		var rows [moments][]float64
		var at [moments + populations]unsafe.Pointer
		for i := range rows {
			rows[i] = make([]float64, len(values[0]))
			at[i] = unsafe.Pointer(&rows[i][0])
		}
		for i := range values {
			at[moments+i] = unsafe.Pointer(&values[i][0])
		}
		for i := range values[0] {
			density, u, temperature := g.Initial(b.Domain.Grid.Center(x+int32(i), y, z))
			rows[0][i], rows[1][i], rows[2][i], rows[3][i] = density, u[0]-g.Gravity[0]/2, u[1]-g.Gravity[1]/2, temperature-g.heat()
		}
		equilibrium(&at[0], len(values[0]), unsafe.Pointer(&constants[0]))
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

// heat is what the temperature gains where velocity is taken in the middle of a step.
func (g *Gas) heat() float64 {
	return (float64(g.Gravity[0]*g.Gravity[0]) + float64(g.Gravity[1]*g.Gravity[1])) / 8
}

// Moments are density, velocity and temperature of a cell at which f arrives.
func (g *Gas) Moments(f []float64) (density float64, velocity [2]float64, temperature float64) {
	var energy float64
	for i, v := range arithmetic.Velocities {
		x, y := float64(v.C.X), float64(v.C.Y)
		density += f[i]
		velocity[0] += float64(x * f[i])
		velocity[1] += float64(y * f[i])
		energy += float64((x*x + y*y) * f[i])
	}
	temperature = energy / density
	for axis := range velocity {
		velocity[axis] /= density
		temperature -= float64(velocity[axis] * velocity[axis])
		velocity[axis] += g.Gravity[axis] / 2
	}
	return density, velocity, temperature/2 + g.heat()
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

package thermal

//go:generate go run ./generate

import (
	"errors"
	"fmt"

	"carina/solver"
	"carina/solver/stencil"
	"carina/solver/thermal/arithmetic"
	"carina/solver/twocopies"

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
	// Single computes in single precision.
	Single bool
	// Initial gives density, velocity and temperature at the start. It is called side by
	// side.
	Initial func(position r3.Vec) State
}

// Walls have temperatures, and may slide along themselves. The gas between them fills a box.
type Walls struct {
	Bottom, Top           float64
	BottomSlide, TopSlide float64
}

var _ solver.Physics = (*Gas)(nil)

const populations = arithmetic.Populations

// Fields are the populations, with walls debts behind them, twice: those of the n-th copy
// are before steps n, n+2, ….
func (g *Gas) Fields() []solver.Field {
	kind := solver.Float64
	if g.Single {
		kind = solver.Float32
	}
	values := len(g.accesses()[0].Writes)
	return []solver.Field{{Name: "gas", Values: values, Kind: kind}, {Name: "gas beside", Values: values, Kind: kind}}
}

// Program pulls from one copy and writes into the other, in turn.
func (g *Gas) Program() solver.Program { return twocopies.Program(g.accesses()) }

// Bind fills the cells.
func (g *Gas) Bind(b *solver.Binding) (solver.Kernel, error) {
	if b.Domain.Grid.Size[2] != 1 {
		return nil, errors.New("a thermal gas needs a grid of one layer; give one with one cell along z")
	}
	if err := g.checkWalls(b.Domain); err != nil {
		return nil, err
	}
	k, err := g.copies().Bind(b)
	if err != nil {
		return nil, err
	}
	return k, g.fill(b)
}

// checkWalls finds what is no box between walls.
func (g *Gas) checkWalls(d *solver.Domain) error {
	size := d.Grid.Size
	switch {
	case g.Walls == nil:
	case d.Periodic[1]:
		return errors.New("a gas with walls at bottom and top cannot be periodic along y; leave out the walls or the period")
	case size[1] < 2*arithmetic.Reach:
		return fmt.Errorf("a gas with walls has %d rows of cells; give it at least %d", size[1], 2*arithmetic.Reach)
	case d.Grid.Cells() != int64(size[0])*int64(size[1]):
		return errors.New("walls at bottom and top need a box that is full of cells; give one without holes")
	}
	return nil
}

// copies is what is computed. Away from walls there is much less to do.
func (g *Gas) copies() *twocopies.Physics {
	walls := g.Walls != nil
	with := func(u *stencil.Update) twocopies.Update {
		return twocopies.Update{Update: u, Functions: functions[u.Name]}
	}
	p := &twocopies.Physics{
		Name: "a thermal gas", Accesses: g.accesses(), Step: with(g.Collision.Update(walls)), Terms: with(arithmetic.Totals(walls)),
		Parameters: g.parameters(), Single: g.Single,
		// The fastest on an H200 of 2 to 5, in single precision of 4 to 10.
		BlocksAtOnce: 3,
	}
	if g.Single {
		p.BlocksAtOnce = 6
	}
	if walls {
		inside := with(g.Collision.Update(false))
		p.Inside = &inside
	}
	return p
}

// accesses are where steps find what, in turn.
func (g *Gas) accesses() [2]stencil.Access {
	if g.Walls != nil {
		return [2]stencil.Access{arithmetic.Through(0), arithmetic.Through(1)}
	}
	return [2]stencil.Access{arithmetic.Pull(0), arithmetic.Pull(1)}
}

// parameters are those of the collision.
func (g *Gas) parameters() map[string]float64 {
	p := map[string]float64{arithmetic.Omega: 1 / g.Tau, arithmetic.GravityX: g.Gravity[0], arithmetic.GravityY: g.Gravity[1]}
	if g.Walls != nil {
		p[arithmetic.Bottom], p[arithmetic.Top] = g.Walls.Bottom-g.heat(), g.Walls.Top-g.heat()
		p[arithmetic.BottomSlide], p[arithmetic.TopSlide] = g.Walls.BottomSlide, g.Walls.TopSlide
	}
	return p
}

// fill sets what arrives to the equilibrium, half a step of gravity before the start.
func (g *Gas) fill(b *solver.Binding) error {
	equilibrium, err := stencil.NewPart[float64](arithmetic.Equilibrium(), functions["equilibrium"])
	if err != nil {
		return err
	}
	equilibrium.Prepare()
	return b.FillRows(0, func(x, y, z int32, values [][]float64) {
		lists := make([][]float64, 4, 4+populations)
		for i := range lists {
			lists[i] = make([]float64, len(values[0]))
		}
		for i := range values[0] {
			s := g.Initial(b.Domain.Grid.Center(x+int32(i), y, z))
			lists[0][i], lists[1][i], lists[2][i], lists[3][i] = s.Density, s.Velocity[0]-g.Gravity[0]/2, s.Velocity[1]-g.Gravity[1]/2, s.Temperature-g.heat()
		}
		equilibrium.RunOn(append(lists, values[:populations]...))
	})
}

// heat is what the temperature gains where velocity is taken in the middle of a step.
func (g *Gas) heat() float64 {
	return (float64(g.Gravity[0]*g.Gravity[0]) + float64(g.Gravity[1]*g.Gravity[1])) / 8
}

// State is what a cell has: velocity and temperature in the middle of a step.
type State struct {
	Density     float64
	Velocity    [2]float64
	Temperature float64
}

// Each calls f for the fluid cells of a rank, by ascending global number, with their states
// before the next step, on any device. The gas has the rank for itself.
func (g *Gas) Each(r *solver.Rank, f func(global int64, s State)) error {
	size := r.Layout().Domain.Grid.Size
	return r.Each(g.Slots(r.Steps()), func(global int64, values []float64) { f(global, g.StateOf(size, global, values)) })
}

// Slots are what StateOf needs of a cell after so many steps.
func (g *Gas) Slots(steps int64) (slots []solver.Slot) {
	for _, read := range g.accesses()[steps%2].Reads {
		if !read.Present {
			slots = append(slots, read.Slot)
		}
	}
	return slots
}

// StateOf is the state of a cell of a grid of a size, by its global number, that has values in
// the Slots.
func (g *Gas) StateOf(size [3]int32, global int64, values []float64) State {
	s := g.Moments(values[:populations])
	if g.Walls != nil {
		// What is owed comes to the cells at the walls.
		y := int32(global / int64(size[0]))
		debts := values[populations:]
		if y == 0 {
			s.Density += debts[0] + debts[1] + debts[2]
		} else if y == size[1]-1 {
			s.Density += debts[0] + debts[3] + debts[4]
		}
	}
	return s
}

// Moments are those of a cell at which populations f arrive.
func (g *Gas) Moments(f []float64) (s State) {
	var energy float64
	for i, v := range arithmetic.Velocities {
		x, y := float64(v.C.X), float64(v.C.Y)
		s.Density += f[i]
		s.Velocity[0] += float64(x * f[i])
		s.Velocity[1] += float64(y * f[i])
		energy += float64((x*x + y*y) * f[i])
	}
	s.Temperature = energy / s.Density
	for axis := range s.Velocity {
		s.Velocity[axis] /= s.Density
		s.Temperature -= float64(s.Velocity[axis] * s.Velocity[axis])
		s.Velocity[axis] += g.Gravity[axis] / 2
	}
	s.Temperature = s.Temperature/2 + g.heat()
	return s
}

// Energy is that of a cell.
func (s State) Energy() float64 {
	u := s.Velocity
	return s.Density * ((u[0]*u[0]+u[1]*u[1])/2 + s.Temperature)
}

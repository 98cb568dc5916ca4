package scalar

import (
	"errors"

	"carina/geometry"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/lattice"
	"carina/solver/processor"
	"carina/solver/streaming"

	"gonum.org/v1/gonum/spatial/r3"
)

// Scalar is what is computed.
type Scalar struct {
	// Diffusivity is in cells² per step.
	Diffusivity float64
	// Initial gives the concentration at the start. It is called side by side.
	Initial func(position r3.Vec) float64
}

var _ solver.Physics = (*Scalar)(nil)

// Carrier is a kernel that has left the velocity of the block at hand, in cells
// per step, by the place of a cell in its block.
type Carrier interface {
	Velocity(worker int) *[3][]float32
}

// Populations 0 at rest and i > 0 along the faces' directions, with weights for
// which the square of the lattice's speed of sound is 1/4.
const (
	populations = 7
	restWeight  = 1. / 4
	faceWeight  = 1. / 8
	soundSpeed2 = 1. / 4
)

var directions = geometry.Directions[:populations-1]

// sources are the offsets from which the populations but the one at rest come.
func sources() (list []geometry.Offset) {
	for i := 1; i < populations; i++ {
		list = append(list, directions[lattice.Opposite(i)-1])
	}
	return list
}

// Fields are the populations.
func (s *Scalar) Fields() []solver.Field {
	return []solver.Field{{Name: "scalar", Values: populations, Kind: solver.Float32}}
}

// Program streams in place.
func (s *Scalar) Program() solver.Program {
	p := streaming.Program(0, directions)
	p.OnGhosts = true
	return p
}

// Kernel is the scalar of one rank.
type Kernel struct {
	layout  *solver.Layout
	carrier Carrier
	omega   float32
	f       [populations][]float32
	windows *solver.Windows // of sources
}

// Bind fills the cells.
func (s *Scalar) Bind(b *solver.Binding) (solver.Kernel, error) {
	if d, ok := b.Device.(*cuda.Device); ok {
		return s.bindGPU(b, d)
	}
	if _, ok := b.Device.(*processor.Device); !ok {
		return nil, errors.New("a scalar is computed on processors and on GPUs with arrays; choose these")
	}
	k := &Kernel{layout: b.Layout, windows: b.Windows(sources()), omega: s.omega()}
	for _, before := range b.Before {
		if carrier, ok := before.(Carrier); ok {
			k.carrier = carrier
		}
	}
	if k.carrier == nil {
		return nil, errors.New("nothing carries the scalar; put air that leaves its velocity before it")
	}
	copy(k.f[:], processor.Field[float32](b, 0))
	return k, s.fill(b)
}

// omega is 1/τ.
func (s *Scalar) omega() float32 { return float32(1 / (0.5 + s.Diffusivity/soundSpeed2)) }

// fill spreads the concentration at rest.
func (s *Scalar) fill(b *solver.Binding) error {
	return b.Fill(0, func(x, y, z int32, values []float64) {
		c := float32(s.Initial(b.Domain.Grid.Center(x, y, z)))
		for i := range values {
			values[i] = float64(weight(i) * c)
		}
	})
}

func weight(i int) float32 {
	if i == 0 {
		return restWeight
	}
	return faceWeight
}

// Work updates the cells of a block.
func (k *Kernel) Work(step, _ int) solver.Work {
	odd := step == 1
	return solver.BlockWork(func(b *solver.Block, worker int) {
		u := k.carrier.Velocity(worker)
		for c := b.First; c < b.End; c++ {
			j := c - b.First
			k.update(c, odd, [3]float32{u[0][j], u[1][j], u[2][j]})
		}
	})
}

// Begin has nothing to do.
func (k *Kernel) Begin(int64) error { return nil }

// update relaxes what arrives at a cell towards w c (1 + 4 c·u) and lets it leave.
func (k *Kernel) update(c int32, odd bool, u [3]float32) {
	var at [populations]*float32
	var sum float32
	for i := range at {
		at[i] = k.at(i, c, odd)
		sum += *at[i]
	}
	var leaving [populations]float32
	for i := range at {
		along := float32(0)
		if i > 0 {
			// The faces' directions are ± the axes, in turn.
			if along = u[(i-1)/2]; i%2 == 0 {
				along = -along
			}
		}
		equilibrium := float32(weight(i) * sum * (1 + 4*along))
		leaving[i] = *at[i] + float32(k.omega*(equilibrium-*at[i]))
	}
	for i := range at {
		*at[lattice.Opposite(i)] = leaving[i]
	}
}

// at is where what arrives at an own cell along i lies.
func (k *Kernel) at(i int, c int32, odd bool) *float32 {
	if odd && i > 0 {
		if n := k.windows.Neighbour(i-1, c); n >= 0 {
			return &k.f[lattice.Opposite(i)][n]
		}
	}
	return &k.f[i][c]
}

// Concentration is that in an own cell, before an even step.
func (k *Kernel) Concentration(cell int32) float64 {
	var sum float64
	for i := range k.f {
		sum += float64(k.f[i][cell])
	}
	return sum
}

// Check finds values that make no sense.
func (k *Kernel) Check(b *solver.Block, _ int) (magnitude float64, bad int64) {
	return 0, processor.Finite(k.layout, b, k.f[:]...)
}

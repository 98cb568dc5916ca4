package twocopies

import (
	"fmt"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/processor"
	"carina/solver/stencil"
)

// Update is one with the functions that were generated of it.
type Update struct {
	*stencil.Update
	Functions stencil.Functions
}

// Physics is what is computed.
type Physics struct {
	// Name is what errors call it.
	Name string
	// Accesses are those of steps, in turn: the first reads values of field 0 and writes those
	// of field 1, all in the cell itself, and the second does the opposite.
	Accesses [2]stencil.Access
	// Step is what a step does. Inside, unless nil, does the same with less where all is there
	// that Step asks for; what it reads and writes is what Step reads and writes first.
	Step   Update
	Inside *Update
	// Terms are what a cell gives to sums over lines before a step, of what Step reads.
	Terms Update
	// Parameters are those of all updates.
	Parameters map[string]float64
	// Single computes in single precision.
	Single bool
	// BlocksAtOnce is how many blocks of threads a multiprocessor of a GPU holds.
	BlocksAtOnce int
}

// Program is that of steps with such accesses.
func Program(accesses [2]stencil.Access) (p solver.Program) {
	p.OnGhosts = true
	for field := range accesses {
		now, next := &accesses[field], &accesses[1-field]
		p.Steps = append(p.Steps, []solver.Phase{{Name: "step", Reads: now.Neighbours(), Fetch: next.Neighbours()}})
		p.State = append(p.State, solver.Own(field, len(now.Writes)))
	}
	return p
}

// Bind makes the kernel of a rank.
func (p *Physics) Bind(b *solver.Binding) (solver.Kernel, error) {
	if d, ok := b.Device.(*cuda.Device); ok {
		return bindGPU(p, b, d)
	}
	d, ok := b.Device.(*processor.Device)
	switch {
	case !ok:
		return nil, fmt.Errorf("%s is computed on processors and on GPUs with arrays; choose these", p.Name)
	case p.Single:
		return bindProcessor[float32](p, b, d)
	}
	return bindProcessor[float64](p, b, d)
}

// set sets the parameters of an update.
func (p *Physics) set(to func(name string, value float64)) {
	for name, value := range p.Parameters {
		to(name, value)
	}
}

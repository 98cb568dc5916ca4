package thermal

import (
	"unsafe"

	"carina/solver"
	"carina/solver/processor"
	"carina/solver/stencil"
)

// onProcessor is the gas of one rank, in values of type T.
type onProcessor[T float32 | float64] struct {
	*stencil.Stencil[T]
	gas     *Gas
	layout  *solver.Layout
	workers int
	first   [2][]T // population of each copy
}

func bindProcessor[T float32 | float64](g *Gas, b *solver.Binding, d *processor.Device) (solver.Kernel, error) {
	k := &onProcessor[T]{gas: g, layout: b.Layout, workers: d.Workers()}
	for n := range k.first {
		k.first[n] = processor.Field[T](b, n)[0]
	}
	near, far := g.functions()
	var err error
	if k.Stencil, err = stencil.NewStencil[T](b, g.update(), near, g.access(0), g.access(1)); err != nil {
		return nil, err
	}
	if g.Walls != nil {
		k.Inside(far, g.Collision.Update(false))
	}
	const copies = 2
	k.OwnOutputs(copies * int64(g.values()) * int64(b.Cells) * int64(unsafe.Sizeof(T(0))))
	for name, value := range g.parameters() {
		k.Set(name, value)
	}
	k.Prepare()
	return k, g.fill(b)
}

// Work pulls and collides.
func (k *onProcessor[T]) Work(step, _ int) solver.Work { return k.Stencil.Work(step) }

// Begin has nothing to do.
func (k *onProcessor[T]) Begin(int64) error { return nil }

// Check finds values that make no sense.
func (k *onProcessor[T]) Check(b *solver.Block, _ int) (magnitude float64, bad int64) {
	return 0, processor.Finite(k.layout, b, k.first[:]...)
}

package twocopies

import (
	"unsafe"

	"carina/solver"
	"carina/solver/processor"
	"carina/solver/stencil"
)

// onProcessor is the kernel of one rank, in values of type T.
type onProcessor[T float32 | float64] struct {
	*stencil.Stencil[T]
	physics *Physics
	layout  *solver.Layout
	workers int
	first   [2][]T // value of each copy
}

func bindProcessor[T float32 | float64](p *Physics, b *solver.Binding, d *processor.Device) (solver.Kernel, error) {
	k := &onProcessor[T]{physics: p, layout: b.Layout, workers: d.Workers()}
	for n := range k.first {
		k.first[n] = processor.Field[T](b, n)[0]
	}
	var err error
	if k.Stencil, err = stencil.NewStencil[T](b, p.Step.Update, p.Step.Functions, p.Accesses[:]...); err != nil {
		return nil, err
	}
	if p.Inside != nil {
		k.Inside(p.Inside.Functions, p.Inside.Update)
	}
	k.OwnOutputs(int64(len(k.first)) * int64(len(p.Step.Writes)) * int64(b.Cells) * int64(unsafe.Sizeof(T(0))))
	p.set(k.Set)
	k.Prepare()
	return k, nil
}

// Work is that of a step.
func (k *onProcessor[T]) Work(step, _ int) solver.Work { return k.Stencil.Work(step) }

// Begin has nothing to do.
func (k *onProcessor[T]) Begin(int64) error { return nil }

// Check finds values that make no sense.
func (k *onProcessor[T]) Check(b *solver.Block, _ int) (magnitude float64, bad int64) {
	return 0, processor.Finite(k.layout, b, k.first[:]...)
}

package shallow

import (
	_ "embed"
	"math"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/expression"
)

//go:embed water.cu
var kernels string

// onGPU is the water of one rank on a GPU: what all ranks have alike is Kernel's.
type onGPU struct {
	Kernel
	device *cuda.Device
	work   [2]*cuda.Work // by phase
	speeds device.Address
	step   []uint64 // the argument that is the time step
}

// bindGPU makes the kernel of a rank on a GPU.
func (w *Water) bindGPU(b *solver.Binding, d *cuda.Device) (solver.Kernel, error) {
	k := &onGPU{Kernel: Kernel{water: w, layout: b.Layout, spacing: b.Domain.Grid.Spacing}, device: d, step: []uint64{0}}
	windows, err := d.Windows(b.Windows(sides))
	if err != nil {
		return nil, err
	}
	if k.speeds, err = d.Room(8, nil); err != nil {
		return nil, err
	}
	arrays := device.Words(uint64(d.At(b.Array(conserved))), uint64(d.At(b.Array(rates))), uint64(d.Stride()))
	numbers := device.Words(uint64(k.speeds), math.Float64bits(w.Gravity), math.Float64bits(k.spacing))
	for phase, name := range []string{"flux", "advance"} {
		kernel, err := d.Compile(name, expression.CHelpers+kernels)
		if err != nil {
			return nil, err
		}
		if k.work[phase] = cuda.NewWork(kernel, append(arrays[:3:3], k.step)...); phase == fluxPhase {
			k.work[phase] = cuda.NewWork(kernel, append(append([][]uint64{windows}, arrays...), numbers...)...)
		}
	}
	return k, w.fill(b)
}

// Work is a phase's kernel.
func (k *onGPU) Work(_, phase int) solver.Work { return k.work[phase] }

// Collect waits for the highest speed.
func (k *onGPU) Collect(_ int, numbers []int64) error { return k.device.Take(k.speeds, numbers) }

// Apply chooses the time step.
func (k *onGPU) Apply(phase int, numbers []int64) {
	k.Kernel.Apply(phase, numbers)
	k.step[0] = math.Float64bits(k.dt)
}

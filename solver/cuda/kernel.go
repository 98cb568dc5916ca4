package cuda

import (
	"carina/solver"
	"carina/solver/cuda/device"
)

// Kernel is a solver.Kernel of a rank on a GPU that needs no more than its work. One with
// reductions has Reduced, too.
type Kernel struct {
	Device *Device
	// Works are by step of the cycle and phase.
	Works [][]*Work
	// Reduced is where work leaves what is reduced, which is zero before; Result is called
	// with what all ranks have together.
	Reduced device.Address
	Result  func(phase int, numbers []int64)
}

var _ solver.Reducer = (*Kernel)(nil)

// Work is that of a phase.
func (k *Kernel) Work(step, phase int) solver.Work { return k.Works[step][phase] }

// Begin has nothing to do.
func (k *Kernel) Begin(int64) error { return nil }

// Collect waits for what work has left.
func (k *Kernel) Collect(_ int, numbers []int64) error { return k.Device.Take(k.Reduced, numbers) }

// Apply hands it on.
func (k *Kernel) Apply(phase int, numbers []int64) { k.Result(phase, numbers) }

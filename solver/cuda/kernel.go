package cuda

import (
	"fmt"

	"carina/geometry"
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

// mostReduced is how many numbers a kernel of NewKernel reduces at most.
const mostReduced = 32

// NewKernel makes a kernel whose steps are alike and whose phases are kernels of a source,
// by their names, each with the arguments (Cells cells, Windows windows, Arrays arrays,
// unsigned long long *reduced) of kernels/cells.h: windows show the neighbours at some
// offsets, arrays are those of the physics' fields, reduced is what the reduction of the
// phase hands on. It is an error where the device is no GPU with arrays; there is always a
// kernel.
func NewKernel(b *solver.Binding, source string, offsets []geometry.Offset, phases ...string) (*Kernel, error) {
	k := &Kernel{Works: make([][]*Work, 1)}
	d, ok := b.Device.(*Device)
	if !ok {
		return k, fmt.Errorf("the kernels are for GPUs with arrays, not for %T; choose one", b.Device)
	}
	k.Device = d
	windows, err := d.Windows(b.Windows(offsets))
	if err != nil {
		return k, err
	}
	if k.Reduced, err = d.Room(8*mostReduced, nil); err != nil {
		return k, err
	}
	var addresses []device.Address
	for number := b.Array(0); int(number) < len(d.arrays); number++ {
		addresses = append(addresses, d.At(number))
	}
	arrays, err := d.Room(0, device.BytesOf(addresses))
	if err != nil {
		return k, err
	}
	for _, name := range phases {
		kernel, err := d.Compile(name, source)
		if err != nil {
			return k, err
		}
		k.Works[0] = append(k.Works[0], NewWork(kernel, windows, []uint64{uint64(arrays)}, []uint64{uint64(k.Reduced)}))
	}
	return k, nil
}

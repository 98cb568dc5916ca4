package scalar

import (
	_ "embed"
	"errors"
	"math"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/expression"
)

//go:embed scalar.cu
var kernelText string

// ArrayCarrier is a Carrier on a GPU: a kernel that has left the velocity of all cells, in
// cells per step, in three arrays by local cell.
type ArrayCarrier interface{ VelocityArrays() [3]device.Address }

// bindGPU makes the kernel of a rank on a GPU.
func (s *Scalar) bindGPU(b *solver.Binding, d *cuda.Device) (solver.Kernel, error) {
	var carrier ArrayCarrier
	for _, before := range b.Before {
		if c, ok := before.(ArrayCarrier); ok {
			carrier = c
		}
	}
	if carrier == nil {
		return nil, errors.New("nothing carries the scalar on a GPU; put what leaves its velocity in arrays, such as a Wind, before it")
	}
	windows, err := d.Windows(b.Windows(sources()))
	if err != nil {
		return nil, err
	}
	kernel, err := d.Compile("scalar", expression.CHelpers+kernelText)
	if err != nil {
		return nil, err
	}
	k, u := &cuda.Kernel{}, carrier.VelocityArrays()
	for odd := range 2 {
		k.Works = append(k.Works, []*cuda.Work{cuda.NewWork(kernel, append([][]uint64{windows}, device.Words(uint64(d.At(b.Array(0))), uint64(d.Stride()),
			uint64(u[0]), uint64(u[1]), uint64(u[2]), uint64(math.Float32bits(s.omega())), uint64(odd))...)...)})
	}
	return k, s.fill(b)
}

package scalar

import (
	"errors"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/processor"

	"gonum.org/v1/gonum/spatial/r3"
)

// Wind carries a scalar with a given velocity that stays, such as that of a flow that was
// computed before.
type Wind struct {
	// Velocity is in cells per step. It is called side by side.
	Velocity func(position r3.Vec) [3]float64
}

var _ solver.Physics = (*Wind)(nil)

// Fields are the velocity.
func (w *Wind) Fields() []solver.Field {
	return []solver.Field{{Name: "velocity", Values: 3, Kind: solver.Float32, Constant: true}}
}

// Program lets the velocity be, in a cycle as long as the scalar's.
func (w *Wind) Program() solver.Program {
	own := solver.Own(0, 3)
	still := []solver.Phase{{Name: "carry"}}
	return solver.Program{Steps: [][]solver.Phase{still, still}, State: [][]solver.Slot{own, own}, OnGhosts: true}
}

// Bind fills the cells.
func (w *Wind) Bind(b *solver.Binding) (solver.Kernel, error) {
	k := &wind{}
	switch d := b.Device.(type) {
	case *processor.Device:
		k.blocks = make([][3][]float32, d.Workers())
		copy(k.all[:], processor.Field[float32](b, 0))
	case *cuda.Device:
		for axis := range k.arrays {
			k.arrays[axis] = d.At(b.Array(0) + int32(axis))
		}
	default:
		return nil, errors.New("the device keeps no values in arrays; choose processors or GPUs with arrays")
	}
	return k, b.Fill(0, func(x, y, z int32, values []float64) {
		u := w.Velocity(b.Domain.Grid.Center(x, y, z))
		copy(values, u[:])
	})
}

// wind is that of one rank.
type wind struct {
	all    [3][]float32
	blocks [][3][]float32 // by worker
	arrays [3]device.Address
}

var (
	_ Carrier      = (*wind)(nil)
	_ ArrayCarrier = (*wind)(nil)
)

// Work lets a block's velocity be found.
func (k *wind) Work(int, int) solver.Work {
	if k.blocks == nil {
		return nil
	}
	return solver.BlockWork(func(b *solver.Block, worker int) {
		for axis := range k.all {
			k.blocks[worker][axis] = k.all[axis][b.First:b.End]
		}
	})
}

// Begin has nothing to do.
func (k *wind) Begin(int64) error { return nil }

// Velocity is that of the block at hand.
func (k *wind) Velocity(worker int) *[3][]float32 { return &k.blocks[worker] }

// VelocityArrays are those of all cells.
func (k *wind) VelocityArrays() [3]device.Address { return k.arrays }

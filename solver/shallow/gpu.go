package shallow

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"carina/geometry"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/expression"
	"carina/solver/stencil"
)

// onGPU is the water of one rank on a GPU.
type onGPU[T float32 | float64] struct {
	clock
	device *cuda.Device
	speeds device.Address
	stages [phases]gpuStage[T]
}

// gpuStage is what a phase does: in the n-th step of a cycle works[n], which all take the
// numbers of the table.
type gpuStage[T float32 | float64] struct {
	*expression.Tabulator[T]
	works   []*cuda.Work
	numbers [][]uint64
}

// bindGPU makes the kernel of a rank on a GPU.
func bindGPU[T float32 | float64](c clock, b *solver.Binding, d *cuda.Device) (solver.Kernel, error) {
	k := &onGPU[T]{clock: c, device: d}
	var err error
	if k.speeds, err = d.Room(8, nil); err != nil {
		return nil, err
	}
	fields := int32(len(c.water.Fields()))
	for i, s := range c.water.stages() {
		if s.update == nil {
			continue
		}
		stage := &k.stages[i]
		stage.Tabulator = expression.NewTabulator[T](s.update.Program)
		for range stage.Table() {
			stage.numbers = append(stage.numbers, []uint64{0})
		}
		for _, access := range s.accesses {
			source, offsets := cudaSource(&stencil.Update{Program: s.update.Program, Access: access}, fields, unsafe.Sizeof(T(0)))
			kernel, err := d.Compile("stage", source)
			if err != nil {
				return nil, err
			}
			windows, err := d.Windows(b.Windows(offsets))
			if err != nil {
				return nil, err
			}
			arguments := append([][]uint64{windows}, device.Words(uint64(k.speeds), uint64(d.Stride()))...)
			for field := range fields {
				arguments = append(arguments, []uint64{uint64(d.At(b.Array(int(field))))})
			}
			stage.works = append(stage.works, cuda.NewWork(kernel, append(arguments, stage.numbers...)...))
		}
	}
	k.prepare()
	return k, nil
}

// prepare lets stages take over the parameters.
func (k *onGPU[T]) prepare() {
	for i := range k.stages {
		s := &k.stages[i]
		if s.Tabulator == nil {
			continue
		}
		k.set(s.Set)
		for n, v := range s.Table() {
			s.numbers[n][0] = math.Float64bits(float64(v))
		}
	}
}

// LoadGlobal takes over the time.
func (k *onGPU[T]) LoadGlobal(data []byte) error {
	err := k.clock.LoadGlobal(data)
	k.prepare()
	return err
}

// Work is that of a phase.
func (k *onGPU[T]) Work(step, phase int) solver.Work { return k.stages[phase].works[step] }

// Collect waits for the highest speed.
func (k *onGPU[T]) Collect(_ int, numbers []int64) error { return k.device.Take(k.speeds, numbers) }

// Apply chooses the time step.
func (k *onGPU[T]) Apply(_ int, numbers []int64) {
	k.choose(math.Float64frombits(uint64(numbers[0])))
	k.prepare()
}

// cudaSource writes an update as the kernel stage, and lists the offsets of its windows:
// its arguments are the place of the highest speed, the stride, the fields in order and the
// numbers of the table. Fields have values of so many bytes.
func cudaSource(u *stencil.Update, fields int32, bytes uintptr) (source string, offsets []geometry.Offset) {
	var b strings.Builder
	fmt.Fprintf(&b, "%stypedef %s real;\nKERNEL(stage)(Cells cells, Windows windows, unsigned long long *speeds, unsigned long long stride", expression.CHelpers, map[uintptr]string{4: "float", 8: "double"}[bytes])
	for i := range fields {
		fmt.Fprintf(&b, ", real *f%d", i)
	}
	for i := range u.Table() {
		fmt.Fprintf(&b, ", double t%d", i)
	}
	b.WriteString(")\n{\nconst int c = cells.own();\nreal fastest = 0;\nif (c >= 0) {\n")
	for i := range u.Reads {
		if o := u.Reads[i].Offset; o != (geometry.Offset{}) && !slices.Contains(offsets, o) {
			fmt.Fprintf(&b, "const int n%d = windows.neighbour(c, %[1]d);\n", len(offsets))
			offsets = append(offsets, o)
		}
	}
	place := func(s *solver.Slot, value int, cell string) string {
		return fmt.Sprintf("f%d[%d * stride + %s]", s.Field, value, cell)
	}
	statements, outputs := u.ExactC(func(i int) string {
		r := &u.Reads[i]
		if r.Offset == (geometry.Offset{}) {
			return place(&r.Slot, r.Value, "c")
		}
		n := fmt.Sprintf("n%d", slices.Index(offsets, r.Offset))
		there, none := place(&r.Slot, r.Value, n), "real(0)"
		if r.Present {
			there = "real(1)"
		} else if r.Wall >= 0 {
			none = place(&r.Slot, r.Wall, "c")
		}
		return fmt.Sprintf("%s >= 0 ? %s : %s", n, there, none)
	}, func(i int) string { return fmt.Sprintf("real(t%d)", i) })
	b.WriteString(statements)
	for i, out := range outputs {
		if w := &u.Writes[i]; w.Into == stencil.IntoMaximum {
			fmt.Fprintf(&b, "fastest = %s;\n", out)
		} else {
			fmt.Fprintf(&b, "%s = %s;\n", place(&w.Slot, w.Value, "c"), out)
		}
	}
	b.WriteString("}\natomic_max_of_warp(speeds, bits_of(double(fastest)));\n}\n")
	return b.String(), offsets
}

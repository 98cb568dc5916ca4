package thermal

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/expression"
	"carina/solver/thermal/arithmetic"
)

//go:embed gas.cu
var kernelText string

// bindGPU makes the kernel of a rank on a GPU.
func (g *Gas) bindGPU(b *solver.Binding, d *cuda.Device) (solver.Kernel, error) {
	windows, err := d.Windows(b.Windows(sources()))
	if err != nil {
		return nil, err
	}
	kernel, err := d.Compile("gas", g.source())
	if err != nil {
		return nil, err
	}
	k := &cuda.Kernel{}
	for n := range 2 {
		k.Works = append(k.Works, []*cuda.Work{cuda.NewWork(kernel, append([][]uint64{windows}, device.Words(uint64(d.At(b.Array(n))), uint64(d.At(b.Array(1-n))), uint64(d.Stride()))...)...)})
	}
	return k, g.fill(b)
}

// source is the kernel with the collision, and its numbers, written into it.
func (g *Gas) source() string {
	program := g.update().Program
	table := expression.EvaluateTable[float64](program, g.parameters())
	statements, outputs := program.ExactC(
		g.input,
		func(i int) string { return "real(" + strconv.FormatFloat(table[i], 'g', -1, 64) + ")" })
	for i, out := range outputs {
		statements += fmt.Sprintf("PUT(%d, %s);\n", i, out)
	}
	return expression.CHelpers + strings.Replace(kernelText, "COLLIDE", statements, 1)
}

// input reads what arrives, or whether there is a cell from where it would come.
func (g *Gas) input(i int) string {
	if i < populations {
		return fmt.Sprintf("PULL(%d, %d)", i, arithmetic.Opposite(i))
	}
	return fmt.Sprintf("PRESENT(%d)", slices.Index(sources(), g.access(0).Reads[i].Offset))
}

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
	real, table := "double", expression.EvaluateTable[float64](program, g.parameters())
	if g.Single {
		real = "float"
		for i, v := range expression.EvaluateTable[float32](program, g.parameters()) {
			table[i] = float64(v)
		}
	}
	statements, outputs := program.ExactC(
		g.input,
		func(i int) string { return "real(" + strconv.FormatFloat(table[i], 'g', -1, 64) + ")" })
	for i, out := range outputs {
		statements += fmt.Sprintf("PUT(%d, %s);\n", i, out)
	}
	return expression.CHelpers + strings.NewReplacer("REAL", real, "COLLIDE", statements).Replace(kernelText)
}

// input reads what arrives, whether there is a cell, or debts.
func (g *Gas) input(i int) string {
	if i < populations {
		return fmt.Sprintf("PULL(%d, %d)", i, arithmetic.Opposite(i))
	}
	read := g.access(0).Reads[i]
	name, offset := "DEBT", slices.Index(sources(), read.Offset)
	if read.Present {
		name = "PRESENT"
	}
	return fmt.Sprintf("%s(%d)", name, offset)
}

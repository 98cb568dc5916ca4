package twocopies

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"carina/geometry"
	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/expression"
)

//go:embed arrive.cu
var arriveText string

//go:embed step.cu
var stepText string

// onGPU is the kernel of one rank on a GPU.
type onGPU struct {
	cuda.Kernel
	physics *Physics
	device  *cuda.Device
	binding *solver.Binding
	windows []uint64
	sums    [2]*gpuSums // of columns and of rows, once they were asked for
}

func bindGPU(p *Physics, b *solver.Binding, d *cuda.Device) (solver.Kernel, error) {
	windows, err := d.Windows(b.Windows(p.offsets()))
	if err != nil {
		return nil, err
	}
	near, err := d.CompileBounded(p.BlocksAtOnce, "step", p.source(&p.Step, stepText, p.stored()))
	if err != nil {
		return nil, err
	}
	far := near
	var cuts [2]*cuda.Cut
	if p.Inside != nil {
		if far, err = d.CompileBounded(p.BlocksAtOnce, "step", p.source(p.Inside, stepText, p.stored())); err != nil {
			return nil, err
		}
		asked := b.Windows(p.asked())
		cuts = [2]*cuda.Cut{where(asked, false), where(asked, true)}
	}
	k := &onGPU{physics: p, device: d, binding: b, windows: windows}
	for n := range 2 {
		work := func(kernel device.Kernel, cut *cuda.Cut) *cuda.Work {
			w := cuda.NewWork(kernel, append([][]uint64{windows}, device.Words(uint64(d.At(b.Array(n))), uint64(d.At(b.Array(1-n))), uint64(d.Stride()))...)...)
			w.Cut = cut
			return w
		}
		w := work(near, cuts[0])
		if p.Inside != nil {
			w.Beside = work(far, cuts[1])
		}
		k.Works = append(k.Works, []*cuda.Work{w})
	}
	return k, nil
}

// offsets are those of all that is read.
func (p *Physics) offsets() (list []geometry.Offset) {
	for _, r := range p.Accesses[0].Reads {
		if !slices.Contains(list, r.Offset) {
			list = append(list, r.Offset)
		}
	}
	return list
}

// asked are the offsets at which a step asks whether there are cells.
func (p *Physics) asked() (list []geometry.Offset) {
	for _, r := range p.Accesses[0].Reads {
		if r.Present {
			list = append(list, r.Offset)
		}
	}
	return list
}

// where chooses the cells around which all is there at the offsets of windows, or all others.
func where(w *solver.Windows, inside bool) *cuda.Cut {
	return cuda.NewCells(func(blocks []solver.Block) (list []cuda.CellRange) {
		for _, b := range blocks {
			misses := make([]bool, b.End-b.First)
			for k := range w.Offsets {
				w.Each(k, b.First, b.End, func(cell, n, neighbour int32) {
					for i := range n {
						misses[cell-b.First+i] = misses[cell-b.First+i] || neighbour < 0
					}
				})
			}
			for i, from := 0, 0; i < len(misses); i++ {
				if i+1 < len(misses) && misses[i+1] == misses[from] {
					continue
				}
				if misses[from] != inside {
					list = append(list, cuda.CellRange{First: b.First + int32(from), End: b.First + int32(i) + 1})
				}
				from = i + 1
			}
		}
		return list
	})
}

// stored is the type of values.
func (p *Physics) stored() string {
	if p.Single {
		return "float"
	}
	return "double"
}

// source is a kernel with what it computes of a cell, in values of a type, and its numbers
// written into it.
func (p *Physics) source(u *Update, text, real string) string {
	table := expression.EvaluateTable[float64](u.Program, p.Parameters)
	if real == "float" {
		for i, v := range expression.EvaluateTable[float32](u.Program, p.Parameters) {
			table[i] = float64(v)
		}
	}
	var follow, pulls, inputs []string
	for _, r := range u.Reads {
		offset := slices.Index(p.offsets(), r.Offset)
		switch {
		case r.Present:
			inputs = append(inputs, fmt.Sprintf("PRESENT(%d)", offset))
		case r.Wall < 0:
			inputs = append(inputs, fmt.Sprintf("VALUE(%d, %d)", r.Value, offset))
		default:
			n := len(pulls)
			follow = append(follow, fmt.Sprintf("f[%d] = from[%d * stride + (c + shifts[%d])];\n", n, r.Value, offset))
			pulls = append(pulls, fmt.Sprintf("f[%d] = pull(from, windows, stride, c, %d, %d, %d);\n", n, r.Value, offset, r.Wall))
			inputs = append(inputs, fmt.Sprintf("f[%d]", n))
		}
	}
	statements, outputs := u.ExactC(
		func(i int) string { return inputs[i] },
		func(i int) string { return "real(" + strconv.FormatFloat(table[i], 'g', -1, 64) + ")" })
	for i, out := range outputs {
		statements += fmt.Sprintf("PUT(%d, %s);\n", i, out)
	}
	return expression.CHelpers + strings.NewReplacer("REAL", real, "STORED", p.stored(), "ARRIVING", fmt.Sprint(len(pulls)), "OFFSETS", fmt.Sprint(len(p.offsets())),
		"FOLLOW", strings.Join(follow, ""), "PULL", strings.Join(pulls, ""), "COMPUTE", statements).Replace(arriveText+text)
}

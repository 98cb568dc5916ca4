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
	"carina/solver/stencil"
)

//go:embed arrive.cu
var arriveText string

//go:embed gas.cu
var gasText string

// onGPU is the gas of one rank on a GPU.
type onGPU struct {
	cuda.Kernel
	gas     *Gas
	device  *cuda.Device
	binding *solver.Binding
	windows []uint64
	sums    [2]*gpuSums // of columns and of rows, once they were asked for
}

// bindGPU makes the kernel of a rank on a GPU.
func (g *Gas) bindGPU(b *solver.Binding, d *cuda.Device) (solver.Kernel, error) {
	windows, err := d.Windows(b.Windows(sources()))
	if err != nil {
		return nil, err
	}
	near, err := d.CompileBounded(g.blocksAtOnce(), "gas", g.source(g.update(), gasText, g.stored()))
	if err != nil {
		return nil, err
	}
	far := near
	if g.Walls != nil {
		if far, err = d.CompileBounded(g.blocksAtOnce(), "gas", g.source(g.Collision.Update(false), gasText, g.stored())); err != nil {
			return nil, err
		}
	}
	k := &onGPU{gas: g, device: d, binding: b, windows: windows}
	cuts := [2]*cuda.Cut{g.besideWalls(b.Layout, true), g.besideWalls(b.Layout, false)}
	for n := range 2 {
		work := func(kernel device.Kernel) *cuda.Work {
			return cuda.NewWork(kernel, append([][]uint64{windows}, device.Words(uint64(d.At(b.Array(n))), uint64(d.At(b.Array(1-n))), uint64(d.Stride()))...)...)
		}
		w := work(near)
		if g.Walls != nil {
			// Away from walls there is much less to do.
			w.Beside = work(far)
			w.Cut, w.Beside.Cut = cuts[0], cuts[1]
		}
		k.Works = append(k.Works, []*cuda.Work{w})
	}
	return k, g.fill(b)
}

// blocksAtOnce is how many blocks of threads a multiprocessor holds, the fastest on an H200 of
// 2 to 5 in double and of 4 to 10 in single precision.
func (g *Gas) blocksAtOnce() int {
	if g.Single {
		return 6
	}
	return 3
}

// besideWalls chooses the cells that populations reach from walls, with those of other ranks,
// or all others.
func (g *Gas) besideWalls(l *solver.Layout, near bool) *cuda.Cut {
	return cuda.NewCells(func(blocks []solver.Block) (list []cuda.CellRange) {
		add := func(from, to int32, isNear bool) {
			if from < to && isNear == near {
				list = append(list, cuda.CellRange{First: from, End: to})
			}
		}
		for _, b := range blocks {
			done := b.First
			l.EachPiece(b.First, b.End, func(p *solver.Piece, from, to int32) {
				add(done, from, true)
				add(from, to, p.Y < reach || p.Y >= l.Domain.Grid.Size[1]-reach)
				done = to
			})
			add(done, b.End, true)
		}
		return list
	})
}

// stored is the type of values.
func (g *Gas) stored() string {
	if g.Single {
		return "float"
	}
	return "double"
}

// source is a kernel with what it computes of a cell, in values of a type, and its numbers
// written into it.
func (g *Gas) source(u *stencil.Update, text, real string) string {
	table := expression.EvaluateTable[float64](u.Program, g.parameters())
	if real == "float" {
		for i, v := range expression.EvaluateTable[float32](u.Program, g.parameters()) {
			table[i] = float64(v)
		}
	}
	statements, outputs := u.ExactC(
		func(i int) string { return input(i, u.Reads) },
		func(i int) string { return "real(" + strconv.FormatFloat(table[i], 'g', -1, 64) + ")" })
	for i, out := range outputs {
		statements += fmt.Sprintf("PUT(%d, %s);\n", i, out)
	}
	return expression.CHelpers + strings.NewReplacer("REAL", real, "STORED", g.stored(), "COMPUTE", statements).Replace(arriveText+text)
}

// input reads what arrives, whether there is a cell, or debts.
func input(i int, reads []stencil.Read) string {
	if i < populations {
		return fmt.Sprintf("f[%d]", i)
	}
	read := reads[i]
	name, offset := "DEBT", slices.Index(sources(), read.Offset)
	if read.Present {
		name = "PRESENT"
	}
	return fmt.Sprintf("%s(%d)", name, offset)
}

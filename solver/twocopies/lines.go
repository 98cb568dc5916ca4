package twocopies

import (
	_ "embed"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/stencil"
)

// largest is the largest term that is summed, as it is.
const largest = 64

// summer is a kernel that sums over lines.
type summer interface {
	// sum is the work before a step that sums terms, in whole parts of 1/scale, over lines
	// that an axis numbers, and take what it has summed: terms of line after line.
	sum(step, axis int, scale float64) (work solver.Work, take func() ([]int64, error), err error)
}

// Lines sums the terms of cells over the rows of all ranks, which axis 1 numbers, or over the
// columns, on any device and with the same bits on any: those of line after line. All ranks
// call it. The physics has the rank for itself.
func Lines(r *solver.Rank, axis int) ([]float64, error) {
	scale := math.Ldexp(1, 62-bits.Len(largest)-bits.Len(uint(r.Layout().Domain.Grid.Size[1-axis])))
	sums, err := ownSums(r, axis, scale)
	if err := r.Total(sums, err); err != nil {
		return nil, fmt.Errorf("summing over lines of cells: %w", err)
	}
	list := make([]float64, len(sums))
	for i, n := range sums {
		list[i] = float64(n) / scale
	}
	return list, nil
}

func ownSums(r *solver.Rank, axis int, scale float64) ([]int64, error) {
	k, ok := r.Kernel(0).(summer)
	if !ok {
		return nil, fmt.Errorf("a kernel of type %T sums nothing", r.Kernel(0))
	}
	work, take, err := k.sum(int(r.Steps()%2), axis, scale)
	if err == nil {
		err = r.Do(work)
	}
	if err != nil {
		return nil, err
	}
	return take()
}

// lineOf is the line of a cell of a piece, and by how much that of the next cell is higher.
func lineOf(p *solver.Piece, cell int32, axis int) (line, step int32) {
	if axis == 1 {
		return p.Y, 0
	}
	return p.X0 + cell - p.Local, 1
}

// together are cells that are summed at once on a processor.
const together = 128

// summing is a worker's: sums, what is read in double precision, and terms.
type summing struct {
	sums  []int64
	wide  [][together]float64
	terms [][together]float64
	at    []unsafe.Pointer
}

func (k *onProcessor[T]) sum(step, axis int, scale float64) (solver.Work, func() ([]int64, error), error) {
	update := k.physics.Terms
	part, err := stencil.NewPart[float64](update.Update, update.Functions)
	if err != nil {
		return nil, nil, err
	}
	k.physics.set(part.Set)
	part.Prepare()
	var reads []int // among those of a step
	for _, read := range update.Reads {
		reads = append(reads, slices.Index(k.physics.Accesses[0].Reads, read))
	}
	numbers := int(k.layout.Domain.Grid.Size[axis]) * len(update.Writes)
	workers := make([]summing, k.workers)
	for i := range workers {
		w := &workers[i]
		w.sums, w.wide, w.terms = make([]int64, numbers), make([][together]float64, len(reads)), make([][together]float64, len(update.Writes))
		w.at = make([]unsafe.Pointer, len(reads), len(reads)+len(w.terms))
		for t := range w.terms {
			w.at = append(w.at, unsafe.Pointer(&w.terms[t]))
		}
	}
	work := solver.BlockWork(func(b *solver.Block, worker int) {
		w := &workers[worker]
		k.EachInputs(step, worker, b, func(first int32, n int, inputs []unsafe.Pointer) {
			k.layout.EachPiece(first, first+int32(n), func(p *solver.Piece, from, to int32) {
				for ; from < to; from += together {
					n := int(min(to-from, together))
					for i, read := range reads {
						w.at[i] = widened[T](unsafe.Add(inputs[read], uintptr(from-first)*unsafe.Sizeof(T(0))), &w.wide[i], n)
					}
					part.Run(&w.at[0], n)
					line, next := lineOf(p, from, axis)
					w.add(int(line), int(next), n, scale)
				}
			})
		})
	})
	return work, func() ([]int64, error) {
		all := make([]int64, numbers)
		for i := range workers {
			for n, v := range workers[i].sums {
				all[n] += v
			}
		}
		return all, nil
	}, nil
}

// widened is where values are in double precision.
func widened[T float32 | float64](at unsafe.Pointer, room *[together]float64, n int) unsafe.Pointer {
	if unsafe.Sizeof(T(0)) == 8 {
		return at
	}
	for i, v := range unsafe.Slice((*float32)(at), n) {
		room[i] = float64(v)
	}
	return unsafe.Pointer(room)
}

// add adds the terms of n cells to the sums of lines.
func (w *summing) add(line, step, n int, scale float64) {
	for t := range w.terms {
		for i, v := range w.terms[t][:n] {
			w.sums[(line+i*step)*len(w.terms)+t] += whole(v, scale)
		}
	}
}

// whole is how many parts of 1/scale, a power of two, are nearest.
func whole(v, scale float64) int64 {
	v = min(max(v, -largest), largest)
	return int64(v*scale + math.Copysign(0.5, v))
}

//go:embed lines.cu
var linesText string

// gpuSums is what sums over lines on a GPU.
type gpuSums struct {
	works [2]*cuda.Work
	at    device.Address
}

// stretch is cells of one rank that follow each other: of one line, or each of the next.
type stretch struct{ First, End, Line, Step int32 }

func (k *onGPU) sum(step, axis int, scale float64) (solver.Work, func() ([]int64, error), error) {
	numbers := make([]int64, int(k.binding.Domain.Grid.Size[axis])*len(k.physics.Terms.Writes))
	if k.sums[axis] == nil {
		s, err := k.newSums(axis, scale, len(numbers))
		if err != nil {
			return nil, nil, err
		}
		k.sums[axis] = s
	}
	s := k.sums[axis]
	return s.works[step], func() ([]int64, error) { return numbers, k.device.Take(s.at, numbers) }, nil
}

func (k *onGPU) newSums(axis int, scale float64, numbers int) (*gpuSums, error) {
	d, s := k.device, &gpuSums{}
	text := fmt.Sprintf("#define TERMS %d\n#define MOST %d\n", len(k.physics.Terms.Writes), largest) + linesText
	kernel, err := d.Compile("lines", k.physics.source(&k.physics.Terms, text, "double"))
	if err != nil {
		return nil, err
	}
	if s.at, err = d.Room(int64(8*numbers), nil); err != nil {
		return nil, err
	}
	cut := cuda.NewCut(func(blocks []solver.Block) ([]byte, int) {
		var list []stretch
		for _, b := range blocks {
			k.binding.EachPiece(b.First, b.End, func(p *solver.Piece, from, to int32) {
				for from < to {
					end := min(to, from/cuda.Threads*cuda.Threads+cuda.Threads)
					line, next := lineOf(p, from, axis)
					list = append(list, stretch{from, end, line, next})
					from = end
				}
			})
		}
		return device.BytesOf(list), len(list)
	})
	for n := range s.works {
		w := cuda.NewWork(kernel, k.windows, []uint64{uint64(d.At(k.binding.Array(n)))}, []uint64{uint64(d.Stride())}, []uint64{uint64(s.at)}, []uint64{math.Float64bits(scale)})
		w.Cut = cut
		s.works[n] = w
	}
	return s, nil
}

package finitevolume

import (
	_ "embed"
	"fmt"
	"strings"
	"unsafe"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/expression"
	"carina/solver/stencil"
)

// blocksAtOnce is how many blocks of threads a multiprocessor holds: those of a column with
// two cells a lane need up to 128 registers a thread.
const blocksAtOnce = 4

// onGPU is a scheme on a GPU.
type onGPU[T float32 | float64] struct {
	device *cuda.Device
	speeds device.Address
	stages []onWarps[T]
	still  still
}

// onWarps is a stage: in the n-th step of a cycle works[n], which all take the same numbers,
// those of the tables of parts, one after the other, and of inflows.
type onWarps[T float32 | float64] struct {
	parts   []*expression.Tabulator[T]
	numbers []T
	works   [cycle]*cuda.Work
	still   []uint64 // words of it, where there are fluxes
	to      int      // field
	again   bool
}

// still tells kernels where nothing happens: of each of the three things that stages write, the
// state in either place and rates, in which windows of cells it is zero.
type still struct {
	windows [3]device.Address
	// written are the numbers of the stages that wrote them, 0 as far as that is not known.
	written [3]int32
	// stage is the number of this one, epoch that of the times at which the state was other than
	// that which the step before left, cells how many are own.
	stage, epoch, cells int32
	from, to            int32
}

// rated is the number of the rates among what stages write.
const rated = 2

// newGPU makes the kernels of a rank on a GPU.
func newGPU[T float32 | float64](b *solver.Binding, d *cuda.Device, s *Scheme) (Rank, error) {
	k := &onGPU[T]{device: d, still: still{epoch: 1, cells: int32(b.Cells)}}
	if s.All {
		k.still.cells = 0
	}
	var err error
	for i := range k.still.windows {
		if k.still.windows[i], err = d.Room(4*(d.Stride()/solver.WindowCells+1), nil); err != nil {
			return nil, err
		}
	}
	const speed = 8 // bytes: the first stage has one, all others another one, which nobody asks for
	if k.speeds, err = d.Room(2*speed, nil); err != nil {
		return nil, err
	}
	windows := b.Windows(Offsets)
	shown, err := d.Windows(windows)
	if err != nil {
		return nil, err
	}
	cut := cuda.NewCut(func(blocks []solver.Block) ([]byte, int) { return cutColumns(windows, blocks, int32(b.Cells)) })
	most := int(Sides) // values of a field
	for _, number := range s.Fields[0] {
		if number != Missing {
			most = max(most, b.Values(number))
		}
	}
	for i := range s.Stages {
		stage := &s.Stages[i]
		to, numbers := onWarps[T]{to: stage.to(), again: stage.Again}, int(Sides)
		for _, u := range stage.updates() {
			to.parts = append(to.parts, expression.NewTabulator[T](u.Program))
			numbers += len(u.Table())
		}
		bytes := int(unsafe.Sizeof(T(0)))
		words := make([]uint64, (numbers*bytes+7)/8)
		to.numbers = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words))), numbers)
		kernel, err := d.CompileBounded(blocksAtOnce, "stage", s.source(stage, most, bytes))
		if err != nil {
			return nil, err
		}
		if stage.fluxes() {
			to.still = device.WordsOf([]still{k.still})
		}
		for n := range cycle {
			fields := make([]uint64, most*len(s.Fields[n]))
			for of, number := range s.Fields[n] {
				for value := 0; number != Missing && value < b.Values(number); value++ {
					fields[most*of+value] = uint64(d.At(b.Array(number) + int32(value)))
				}
			}
			to.works[n] = cuda.NewWork(kernel, shown, fields, []uint64{uint64(k.speeds) + speed*uint64(min(i, 1))}, words)
			if stage.fluxes() {
				to.works[n].Arguments, to.works[n].Cut = append(to.works[n].Arguments, to.still), cut
			}
		}
		k.stages = append(k.stages, to)
	}
	return k, nil
}

// Prepare lets a phase take over parameters.
func (k *onGPU[T]) Prepare(phase int, list []Parameter, inflow [Sides]float64) {
	s, n := &k.stages[phase], 0
	for _, p := range s.parts {
		for _, of := range list {
			p.Set(of.Name, of.Value)
		}
		n += copy(s.numbers[n:], p.Table())
	}
	for side := range inflow {
		s.numbers[n+side] = T(inflow[side])
	}
	s.works[0].Idle, s.works[1].Idle = false, false
}

// Work is that of a phase.
func (k *onGPU[T]) Work(step, phase int) solver.Work { return k.stages[phase].works[step] }

// Collect waits for the fastest wave.
func (k *onGPU[T]) Collect(_ int, numbers []int64) error { return k.device.Take(k.speeds, numbers) }

// Forget lets nothing be known of states.
func (k *onGPU[T]) Forget() {
	k.still.epoch++
	k.still.written = [3]int32{}
}

// Begin tells stages what is known, those that leave a state by an odd number, and lets what is done
// again do nothing unless it is prepared.
func (k *onGPU[T]) Begin(steps int64) error {
	q, n := &k.still, int32(steps%cycle)
	if last := q.written[rated]; last > 0 {
		q.written[n] = last + 1
	}
	q.written[rated] = 2 * int32(steps+1)
	for i := range k.stages {
		s := &k.stages[i]
		if q.stage, q.from, q.to = q.written[rated], n, rated; s.to != Rates {
			q.stage, q.to = q.stage+1, 1-n
		}
		copy(device.BytesOf(s.still), device.BytesOf(unsafe.Slice(q, 1)))
		s.works[n].Idle = s.again
	}
	return nil
}

//go:embed columns.cu
var columns string

// updates are those of a stage whose tables its numbers are.
func (s *Stage) updates() []*stencil.Update {
	if !s.fluxes() {
		return []*stencil.Update{s.Last}
	}
	return []*stencil.Update{s.Last, s.Cells, s.Between, s.Face, s.Inflow, s.Rise}
}

// source is the kernel of a stage, of fields of so many values at most.
func (s *Scheme) source(stage *Stage, most, bytes int) string {
	var parts, b strings.Builder
	numbers := 0
	for i, u := range stage.updates() {
		first := numbers
		statements, outputs := u.NativeC(func(i int) string { return fmt.Sprintf("in[%d]", i) }, func(i int) string { return fmt.Sprintf("n.table[%d]", first+i) })
		fmt.Fprintf(&parts, "DEVICE void part%d(const Numbers &n, const real *in, real *out)\n{\n%s", i, statements)
		for i, out := range outputs {
			fmt.Fprintf(&parts, "out[%d] = %s;\n", i, out)
		}
		parts.WriteString("}\n")
		numbers += len(u.Table())
	}
	fmt.Fprintf(&b, "%stypedef %s real;\nstruct Numbers {\nreal table[%d], inflow[%d];\n};\n", expression.CHelpers, map[int]string{4: "float", 8: "double"}[bytes], numbers, Sides)
	fmt.Fprintf(&b, "enum { STATE, GROUND, RATES, NEXT, EDGES };\nstruct Fields {\nreal *at[%d][%d];\n};\n%s", len(s.Fields[0]), most, parts.String())
	if stage.fluxes() {
		fmt.Fprintf(&b, "enum { VALUES = %d, GROUND_VALUES = %d, CELL = %d, AFTER = %d, OPEN = %d, OWNS = %d };\n%s", stage.values(), stage.ground(),
			len(stage.Cells.Writes), len(stage.Cells.Reads)-stage.values()-stage.ground(), boolean(s.Fields[0][Edges] != Missing), stage.owns(), columns)
		return b.String()
	}
	fmt.Fprintf(&b, "KERNEL(stage)(Cells cells, Windows, Fields f, unsigned long long *, Numbers numbers)\n{\nconst int c = cells.own();\nif (c < 0) return;\nreal in[%d], out[%d];\n", len(stage.Last.Reads), len(stage.Last.Writes))
	for i, r := range stage.Last.Reads {
		fmt.Fprintf(&b, "in[%d] = f.at[%d][%d][c];\n", i, r.Field, r.Value)
	}
	b.WriteString("part0(numbers, in, out);\n")
	for i, w := range stage.Last.Writes {
		fmt.Fprintf(&b, "f.at[%d][%d][c] = out[%d];\n", w.Field, w.Value, i)
	}
	return b.String() + "}\n"
}

func boolean(v bool) int {
	if v {
		return 1
	}
	return 0
}

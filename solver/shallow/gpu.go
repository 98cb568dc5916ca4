package shallow

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"unsafe"

	"carina/solver"
	"carina/solver/cuda"
	"carina/solver/cuda/device"
	"carina/solver/expression"
	"carina/solver/shallow/scheme"
	"carina/solver/stencil"
)

// blocksAtOnce is how many blocks of threads a multiprocessor holds: with 8 floods are 1.1
// to 1.15 times as fast on an H200 as with no limit of registers.
const blocksAtOnce = 8

// onGPU is the water of one rank on a GPU.
type onGPU[T float32 | float64] struct {
	clock
	device *cuda.Device
	speeds device.Address
	stages []gpuStage[T]
	// epoch numbers the times at which the water was other than that of the step before.
	epoch []uint64
}

// gpuStage is what a phase does: in the n-th step of a cycle works[n], which all take the
// same numbers: those of the tables of parts, one after the other, and of inflows.
type gpuStage[T float32 | float64] struct {
	parts   []*expression.Tabulator[T]
	works   []*cuda.Work
	numbers []T
	words   []uint64 // the same memory
}

// bindGPU makes the kernel of a rank on a GPU.
func bindGPU[T float32 | float64](c clock, b *solver.Binding, d *cuda.Device) (solver.Kernel, error) {
	k := &onGPU[T]{clock: c, device: d, epoch: []uint64{0}}
	var err error
	if k.speeds, err = d.Room(8, nil); err != nil {
		return nil, err
	}
	windows := b.Windows(offsets)
	shown, err := d.Windows(windows)
	if err != nil {
		return nil, err
	}
	quiet := b.Cells // own cells are left out where all is dry
	if c.water.Dry {
		quiet = 0
	}
	cuts := map[int]*cuda.Cut{}
	for phase, s := range c.water.stages() {
		source, parts := s.cuda(c.water.Edge != nil, unsafe.Sizeof(T(0)))
		kernel, err := d.CompileBounded(blocksAtOnce, "stage", source)
		if err != nil {
			return nil, err
		}
		stage := gpuStage[T]{}
		for _, u := range parts {
			stage.parts = append(stage.parts, expression.NewTabulator[T](u.Program))
		}
		stage.words = make([]uint64, (numbersOf(parts)*int(unsafe.Sizeof(T(0)))+7)/8)
		stage.numbers = unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(stage.words))), numbersOf(parts))
		for n := range c.water.cycle() {
			fields := make([]uint64, scheme.Records+2)
			of := c.water.fieldsAt(phase, n)
			for name, field := range of {
				if field < len(c.water.Fields()) {
					fields[name] = uint64(d.At(b.Array(field)))
				}
			}
			fields[scheme.Records+1] = uint64(d.Stride())
			w := cuda.NewWork(kernel, shown, fields, []uint64{uint64(k.speeds)}, []uint64{uint64(quiet)}, k.epoch, stage.words)
			if s.fluxes() {
				to := scheme.RatesOfChange
				if phase == advancePhase {
					to = of[scheme.Next]
				}
				if cuts[to] == nil {
					cuts[to] = cuda.NewCut(func(blocks []solver.Block) ([]byte, int) { return cutColumns(windows, blocks) })
				}
				w.Cut = cuts[to]
			}
			stage.works = append(stage.works, w)
		}
		k.stages = append(k.stages, stage)
	}
	k.prepare()
	return k, nil
}

// prepare lets stages take over the parameters.
func (k *onGPU[T]) prepare() {
	for i := range k.stages {
		s := &k.stages[i]
		n := 0
		for _, p := range s.parts {
			k.set(p.Set)
			n += copy(s.numbers[n:], p.Table())
		}
		for side := range sides {
			s.numbers[n+int(side)] = T(k.inflow(side, k.time))
		}
	}
}

// Resume goes on after so many steps.
func (k *onGPU[T]) Resume(steps int64) {
	k.clock.Resume(steps)
	k.epoch[0]++
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

// column is cells of one beside the other, and those above, which a warp computes: the
// first one, how many there are beside each other and rows of them. Clean is the kernel's.
type column struct{ First, Count, Rows, Clean int32 }

const (
	// columnWidth is how many cells there are beside each other at most, for which two on
	// either side are read, columnRows how many rows.
	columnWidth, columnRows = 28, 16
	warps                   = cuda.Threads / 32
)

// cutColumns cuts the cells of blocks into columns.
func cutColumns(w *solver.Windows, blocks []solver.Block) ([]byte, int) {
	var list []column
	above := map[int32]int{} // the column that goes on at a cell
	add := func(from, to int32) {
		for from < to {
			at, goesOn := above[from]
			if goesOn = goesOn && list[at].Count <= to-from; !goesOn {
				at = len(list)
				list = append(list, column{First: from, Count: min(to-from, columnWidth), Clean: -1})
				for c := from + 1; c < from+list[at].Count; c++ {
					if _, ok := above[c]; ok {
						list[at].Count = c - from
					}
				}
			}
			delete(above, from)
			c := &list[at]
			if c.Rows++; c.Rows < columnRows {
				w.Each(beyond[North], from, from+c.Count, func(_, n, other int32) {
					if n == c.Count && other >= 0 {
						above[other] = at
					}
				})
			}
			from += c.Count
		}
	}
	var last solver.Block
	for _, b := range append(blocks, solver.Block{}) {
		if b.First == last.End && b.End > b.First {
			last.End = b.End
			continue
		}
		eachLine(w, last.First, last.End, add)
		last = b
	}
	for len(list)%warps > 0 {
		list = append(list, column{})
	}
	return device.BytesOf(list), len(list) / warps
}

// eachLine calls add for cells from ≤ cell < to that lie side by side.
func eachLine(w *solver.Windows, from, to int32, add func(from, to int32)) {
	first := from
	w.Each(beyond[East], from, to, func(cell, n, other int32) {
		// All but the last of those whose neighbours follow each other have the next one.
		if other != cell+1 {
			for c := cell; c < cell+n; c++ {
				add(first, c+1)
				first = c + 1
			}
		}
	})
	if first < to {
		add(first, to)
	}
}

//go:embed columns.cu
var columns string

// cuda is the source of the kernel stage, and the updates whose tables its numbers are.
func (s *stage) cuda(open bool, bytes uintptr) (source string, parts []*stencil.Update) {
	var b strings.Builder
	parts = []*stencil.Update{s.last.update}
	if s.fluxes() {
		parts = append(parts, s.cells.update, s.sides.update, s.face.update, s.inflow.update)
	}
	fmt.Fprintf(&b, "%stypedef %s real;\n", expression.CHelpers, map[uintptr]string{4: "float", 8: "double"}[bytes])
	fmt.Fprintf(&b, "struct Numbers {\nreal table[%d], inflow[%d];\n};\n", numbersOf(parts)-int(sides), sides)
	fmt.Fprintf(&b, "enum { WATER, BOTTOM, RATES, NEXT, EDGES, RECORDS };\nstruct Fields {\nreal *at[6];\nunsigned long long stride;\n};\n")
	first := 0
	for i, u := range parts {
		statements, outputs := u.ExactC(func(i int) string { return fmt.Sprintf("in[%d]", i) }, func(i int) string { return fmt.Sprintf("n.table[%d]", first+i) })
		fmt.Fprintf(&b, "DEVICE void part%d(const Numbers &n, const real *in, real *out)\n{\n%s", i, statements)
		for i, out := range outputs {
			fmt.Fprintf(&b, "out[%d] = %s;\n", i, out)
		}
		b.WriteString("}\n")
		first += len(u.Table())
	}
	if s.fluxes() {
		fmt.Fprintf(&b, "enum { AFTER = %d, OPEN = %d };\n%s", len(s.cells.update.Reads)-scheme.CellValues, boolean(open), columns)
		return b.String(), parts
	}
	b.WriteString("KERNEL(stage)(Cells cells, Windows, Fields f, unsigned long long *, unsigned long long, unsigned long long, Numbers numbers)\n{\nconst int c = cells.own();\nif (c < 0) return;\n")
	place := func(s *solver.Slot) string { return fmt.Sprintf("f.at[%d][%d * f.stride + c]", s.Field, s.Value) }
	fmt.Fprintf(&b, "real in[%d], out[%d];\n", len(s.last.update.Reads), len(s.last.update.Writes))
	for i := range s.last.update.Reads {
		fmt.Fprintf(&b, "in[%d] = %s;\n", i, place(&s.last.update.Reads[i].Slot))
	}
	b.WriteString("part0(numbers, in, out);\n")
	for i := range s.last.update.Writes {
		fmt.Fprintf(&b, "%s = out[%d];\n", place(&s.last.update.Writes[i].Slot), i)
	}
	b.WriteString("}\n")
	return b.String(), parts
}

// numbersOf is how many a stage of such parts takes.
func numbersOf(parts []*stencil.Update) int {
	n := int(sides)
	for _, u := range parts {
		n += len(u.Table())
	}
	return n
}

func boolean(v bool) int {
	if v {
		return 1
	}
	return 0
}

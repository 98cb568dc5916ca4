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

// blocksAtOnce is how many blocks of threads a multiprocessor holds: those of a column with
// two cells a lane need up to 128 registers a thread.
const blocksAtOnce = 4

// most is how many values a field has at most.
const most = int(sides)

// onGPU is the water of one rank on a GPU.
type onGPU[T float32 | float64] struct {
	clock
	device *cuda.Device
	speeds device.Address
	stages []gpuStage[T]
	still  still
}

// gpuStage is what a phase does: in the n-th step of a cycle works[n], which all take the
// same numbers: those of the tables of parts, one after the other, and of inflows.
type gpuStage[T float32 | float64] struct {
	parts   []*expression.Tabulator[T]
	works   []*cuda.Work
	numbers []T
	words   []uint64   // the same memory
	still   [][]uint64 // words of it
}

// bindGPU makes the kernel of a rank on a GPU.
func bindGPU[T float32 | float64](c clock, b *solver.Binding, d *cuda.Device) (solver.Kernel, error) {
	k := &onGPU[T]{clock: c, device: d}
	var err error
	if k.speeds, err = d.Room(8, nil); err != nil {
		return nil, err
	}
	windows := b.Windows(offsets)
	shown, err := d.Windows(windows)
	if err != nil {
		return nil, err
	}
	if err := k.still.prepare(d, c.water, b.Cells, int(d.Stride())); err != nil {
		return nil, err
	}
	cut := cuda.NewCut(func(blocks []solver.Block) ([]byte, int) { return cutColumns(windows, blocks, int32(b.Cells)) })
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
		for n := range int64(cycle) {
			fields := make([]uint64, most*(scheme.Records+1))
			of := c.water.fieldsAt(phase, n)
			for name, field := range of {
				for value := range c.water.valuesOf(field) {
					fields[most*name+value] = uint64(d.At(b.Array(field) + int32(value)))
				}
			}
			stage.still = append(stage.still, k.still.words(phase, int(n)))
			w := cuda.NewWork(kernel, shown, fields, []uint64{uint64(k.speeds)}, stage.still[n], stage.words)
			if s.fluxes() {
				w.Cut = cut
			}
			stage.works = append(stage.works, w)
		}
		k.stages = append(k.stages, stage)
	}
	k.prepare()
	return k, nil
}

// prepare lets stages take over the parameters, but for a step that is taken once more.
func (k *onGPU[T]) prepare() {
	for phase := range k.stages {
		if !k.water.Euler || phase != secondPhase {
			k.stages[phase].prepare(&k.clock)
		}
	}
}

func (s *gpuStage[T]) prepare(c *clock) {
	n := 0
	for _, p := range s.parts {
		c.set(p.Set)
		n += copy(s.numbers[n:], p.Table())
	}
	for side := range sides {
		s.numbers[n+int(side)] = T(c.inflow(side, c.time))
	}
}

// Begin counts the step that comes.
func (k *onGPU[T]) Begin(steps int64) error {
	err := k.clock.Begin(steps)
	n := int(steps % cycle)
	k.still.begin(k.clock.steps, n)
	for phase := range k.stages {
		s := &k.stages[phase]
		k.still.set(s.still[n], phase, n)
	}
	return err
}

// Resume goes on after so many steps.
func (k *onGPU[T]) Resume(steps int64) {
	k.clock.Resume(steps)
	k.still.resume()
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
	if speed := math.Float64frombits(uint64(numbers[0])); k.water.Euler {
		second := &k.stages[secondPhase]
		k.check(speed, func() { second.prepare(&k.clock) })
		for _, w := range second.works {
			w.Idle = !k.again
		}
	} else {
		k.choose(speed)
	}
	k.prepare()
}

//go:embed columns.cu
var columns string

// cuda is the source of the kernel stage, and the updates whose tables its numbers are.
func (s *stage) cuda(open bool, bytes uintptr) (source string, parts []*stencil.Update) {
	var b strings.Builder
	parts = []*stencil.Update{s.last.update}
	if s.fluxes() {
		parts = append(parts, s.cells.update, scheme.Between(), s.face.update, s.inflow.update, scheme.Rise())
	}
	fmt.Fprintf(&b, "%s%stypedef %s real;\n", stillSource, expression.CHelpers, map[uintptr]string{4: "float", 8: "double"}[bytes])
	fmt.Fprintf(&b, "struct Numbers {\nreal table[%d], inflow[%d];\n};\n", numbersOf(parts)-int(sides), sides)
	fmt.Fprintf(&b, "enum { WATER, BOTTOM, RATES, NEXT, EDGES, RECORDS };\nstruct Fields {\nreal *at[%d][%d];\n};\n", scheme.Records+1, most)
	first := 0
	for i, u := range parts {
		statements, outputs := u.NativeC(func(i int) string { return fmt.Sprintf("in[%d]", i) }, func(i int) string { return fmt.Sprintf("n.table[%d]", first+i) })
		fmt.Fprintf(&b, "DEVICE void part%d(const Numbers &n, const real *in, real *out)\n{\n%s", i, statements)
		for i, out := range outputs {
			fmt.Fprintf(&b, "out[%d] = %s;\n", i, out)
		}
		b.WriteString("}\n")
		first += len(u.Table())
	}
	if s.fluxes() {
		fmt.Fprintf(&b, "enum { AFTER = %d, OPEN = %d, OWNS = %d };\n%s", len(s.cells.update.Reads)-scheme.CellValues, boolean(open), s.owns(), columns)
		return b.String(), parts
	}
	b.WriteString("KERNEL(stage)(Cells cells, Windows, Fields f, unsigned long long *, Still, Numbers numbers)\n{\nconst int c = cells.own();\nif (c < 0) return;\n")
	place := func(s *solver.Slot) string { return fmt.Sprintf("f.at[%d][%d][c]", s.Field, s.Value) }
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

package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"carina/solver/airflow/collision"
	"carina/solver/expression"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// machine is an instruction set with registers of several numbers.
type machine struct {
	name      string
	bytes     int // of a register
	registers []reg.VecPhysical
	// window writes the code for one window.
	window func(g *generator)
}

var machines = []machine{
	{name: "AVX512", bytes: 64, registers: []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31},
		window: windowAVX512},
	{name: "AVX2", bytes: 32, registers: []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15},
		window: windowAVX2},
}

// storage is how populations are stored and computed with.
type storage struct {
	name string
	// bytes is the size of a stored population, real that of a number in a
	// register.
	bytes, real int
}

// The names of storages, see package kernel.
const single, double, half = "single", "double", "half"

var storages = []storage{{single, 4, 4}, {double, 8, 8}, {half, 2, 4}}

// exists tells whether there are kernels: without masks for 16-bit numbers,
// they are of no use.
func (s storage) exists(m machine) bool { return s.name != half || m.bytes == 64 }

// generator writes one kernel.
type generator struct {
	*build.Context
	machine
	storage storage
	variant collision.Variant
	// slots points to pointers to the slots of each population, table to the
	// constants, scratch to spilled values.
	slots, table, scratch reg.Register
	cell                  reg.Register // number of the first cell at hand
	pointer               reg.Register // of the population at hand
	// spare is a register that holds no value of the program.
	spare reg.VecPhysical
	// narrow holds 16-bit numbers, if these are stored.
	narrow reg.Register
	// words points to the window at hand.
	words reg.Register
	// odd and walled tell which kernel is written.
	odd, walled bool
	// neighbour is the number of the first neighbour, other the pointer to
	// what comes from a wall.
	neighbour, other reg.GPVirtual
	// ahead is how many bytes ahead the words of a window are that is asked for.
	ahead       reg.Register
	load, store func(population int, r reg.VecPhysical)
}

// writeAssembly writes the assembly of all variants to one file per machine,
// and a Go file that lists the kernels.
func writeAssembly(base, list string) {
	var entries bytes.Buffer
	for _, m := range machines {
		ctx := build.NewContext()
		constants(ctx)
		for _, s := range storages {
			if !s.exists(m) {
				continue
			}
			for _, v := range collision.Variants() {
				m.kernel(ctx, s, v, "even", "updates the cells of n windows in place.")
				m.kernel(ctx, s, v, "odd", "updates the cells of n inner windows where their neighbours hold what arrives.")
				m.kernel(ctx, s, v, "walled", "updates the cells of n walled windows where their neighbours or they themselves hold what arrives.")
				fmt.Fprintf(&entries, "{%q, %q, %q}: {%q, %s, %s, %s, correct%[8]s%[9]s, reflect%[8]s%[9]s},\n", m.name, s.name, v.Identifier(), m.name,
					m.function(s, v, "even"), m.function(s, v, "odd"), m.function(s, v, "walled"), m.name, s.title())
			}
			writeCorrect(ctx, m, s)
			writeReflect(ctx, m, s)
		}
		if m.bytes == 32 {
			writeConversions(ctx)
		}
		file, err := ctx.Result()
		if err != nil {
			log.Fatalf("assembling for %s: %v", m.name, err)
		}
		config := printer.Config{Argv: []string{"carina/solver/airflow/kernel/generate"}, Pkg: "kernel"}
		name := base + "_" + strings.ToLower(m.name)
		write := func(name string, p printer.Printer) {
			source, err := p.Print(file)
			if err != nil {
				log.Fatalf("writing %s: %v", name, err)
			}
			if filepath.Ext(name) == ".go" {
				writeSource(name, source)
			} else if err := os.WriteFile(name, source, 0o644); err != nil {
				log.Fatal(err)
			}
		}
		if err := pass.Compile.Execute(file); err != nil {
			log.Fatalf("assembling for %s: %v", m.name, err)
		}
		write(name+"_amd64.s", printer.NewGoAsm(config))
		write(name+"_amd64.go", printer.NewStubs(config))
	}
	writeSource(list, fmt.Appendf(nil, "%spackage kernel\n\nvar vectors = map[vectorKey]Vector{\n%s}\n", header, entries.Bytes()))
}

// title names a storage in a function's name.
func (s storage) title() string { return strings.ToUpper(s.name[:1]) + s.name[1:] }

func (m machine) function(s storage, v collision.Variant, kind string) string {
	return kind + m.name + s.title() + v.Identifier()
}

// begin starts a function and loads what all have in common.
func (m machine) begin(ctx *build.Context, s storage, v collision.Variant, kind, doc string) *generator {
	name := m.function(s, v, kind)
	ctx.Function(name)
	ctx.Doc(name + " " + doc)
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(slots **byte, words *uint32, width, n int, table *byte, scratch *byte)")
	v.Scaled = s.name == half
	g := &generator{Context: ctx, machine: m, storage: s, variant: v}
	g.slots = ctx.Load(ctx.Param("slots"), ctx.GP64())
	g.table = ctx.Load(ctx.Param("table"), ctx.GP64())
	g.scratch = ctx.Load(ctx.Param("scratch"), ctx.GP64())
	g.pointer = ctx.GP64()
	flushTiny(ctx, g.scratch)
	return g
}

// flushTiny has results and operands below the least normal number taken as
// zero until restore: at the front of what spreads into air at rest, such
// numbers are many, and each takes some processors as long as a window. The
// runtime expects the control word that it has set.
func flushTiny(ctx *build.Context, scratch reg.Register) {
	const flushToZero, denormalsAreZero = 1 << 15, 1 << 6
	saved, changed := controlWords(scratch)
	word := ctx.GP32()
	ctx.STMXCSR(saved)
	ctx.MOVL(saved, word)
	ctx.ORL(operand.U32(flushToZero|denormalsAreZero), word)
	ctx.MOVL(word, changed)
	ctx.LDMXCSR(changed)
}

// restore ends what flushTiny began.
func restore(ctx *build.Context, scratch reg.Register) {
	saved, _ := controlWords(scratch)
	ctx.LDMXCSR(saved)
}

// controlWords are where in the scratch memory those of flushTiny are: behind
// the sums of correctors.
func controlWords(scratch reg.Register) (saved, changed operand.Mem) {
	const at = takenAt + 2*16*64
	return operand.Mem{Base: scratch, Disp: at}, operand.Mem{Base: scratch, Disp: at + 4}
}

// lanes is how many numbers a register holds.
func (g *generator) lanes() int { return g.machine.bytes / g.storage.real }

// at is the memory of the vector of a population that begins at a cell;
// through is a register for its pointer.
func (g *generator) at(population int, cell, through reg.Register) operand.Mem {
	g.MOVQ(operand.Mem{Base: g.slots, Disp: 8 * population}, through)
	return operand.Mem{Base: through, Index: cell, Scale: uint8(g.storage.bytes)}
}

// collide writes the arithmetic of a variant between g.load and g.store.
func (g *generator) collide() {
	registers := g.registers
	if g.machine.bytes == 32 {
		// The last two hold table entries and masks.
		n := len(registers) - 2
		g.spare = registers[n]
		registers = registers[:n]
	}
	if g.storage.name == half {
		n := len(registers) - 1
		g.narrow = registers[n].AsY()
		registers = registers[:n]
	}
	actions, slots := schedule(g.variant.Program(), len(registers))
	if slots > scratchSlots {
		log.Fatalf("%s on %s needs %d scratch slots", g.variant.Identifier(), g.name, slots)
	}
	slot := func(i int) operand.Mem { return operand.Mem{Base: g.scratch, Disp: i * g.machine.bytes} }
	for _, a := range actions {
		switch {
		case a.load:
			g.VMOVUPS(slot(a.b), registers[a.to])
		case a.spill:
			g.VMOVUPS(registers[a.a], slot(a.b))
		case a.store:
			g.store(a.output, registers[a.a])
		case a.node.Operation == expression.Input:
			g.load(a.node.A, registers[a.to])
		default:
			g.arithmetic(a, registers, slot)
		}
	}
}

// scratchSlots is the room for spilled values, in vectors.
const scratchSlots = 64

// instructions are those for numbers of one size.
type instructions struct {
	plain, broadcasting map[expression.Operation]func(...operand.Op)
	broadcast, root     func(...operand.Op)
}

func (g *generator) instructions() instructions {
	if g.storage.real == 8 {
		return instructions{
			map[expression.Operation]func(...operand.Op){
				expression.Add: g.VADDPD, expression.Subtract: g.VSUBPD, expression.Multiply: g.VMULPD, expression.Divide: g.VDIVPD, expression.Maximum: g.VMAXPD},
			map[expression.Operation]func(...operand.Op){
				expression.Add: g.VADDPD_BCST, expression.Subtract: g.VSUBPD_BCST, expression.Multiply: g.VMULPD_BCST, expression.Divide: g.VDIVPD_BCST, expression.Maximum: g.VMAXPD_BCST},
			func(o ...operand.Op) { g.VBROADCASTSD(o[0], o[1]) }, g.VSQRTPD,
		}
	}
	return instructions{
		map[expression.Operation]func(...operand.Op){
			expression.Add: g.VADDPS, expression.Subtract: g.VSUBPS, expression.Multiply: g.VMULPS, expression.Divide: g.VDIVPS, expression.Maximum: g.VMAXPS},
		map[expression.Operation]func(...operand.Op){
			expression.Add: g.VADDPS_BCST, expression.Subtract: g.VSUBPS_BCST, expression.Multiply: g.VMULPS_BCST, expression.Divide: g.VDIVPS_BCST, expression.Maximum: g.VMAXPS_BCST},
		func(o ...operand.Op) { g.VBROADCASTSS(o[0], o[1]) }, g.VSQRTPS,
	}
}

// arithmetic writes one operation.
func (g *generator) arithmetic(a action, registers []reg.VecPhysical, slot func(int) operand.Mem) {
	use := g.instructions()
	to := registers[a.to]
	if a.node.Operation == expression.SquareRoot {
		use.root(registers[a.a], to)
		return
	}
	entry := func(i int) operand.Mem { return operand.Mem{Base: g.table, Disp: i * g.storage.real} }
	var first operand.Op
	if a.aTable {
		// Only what does not commute has its table entry first.
		use.broadcast(entry(a.a), to)
		first = to
	} else {
		first = registers[a.a]
	}
	plain := use.plain[a.node.Operation]
	switch {
	case a.bSlot:
		plain(slot(a.b), first, to)
	case a.bTable && g.spare != nil:
		use.broadcast(entry(a.b), g.spare)
		plain(g.spare, first, to)
	case a.bTable:
		use.broadcasting[a.node.Operation](entry(a.b), first, to)
	default:
		plain(registers[a.b], first, to)
	}
}

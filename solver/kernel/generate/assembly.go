package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"carina/solver/collision"
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
	lanes     int
	registers []reg.VecPhysical
	// window writes the code for one window.
	window func(g *generator)
}

var machines = []machine{
	{name: "AVX512", lanes: 16, registers: []reg.VecPhysical{
		reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31},
		window: windowAVX512},
	{name: "AVX2", lanes: 8, registers: []reg.VecPhysical{
		reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15},
		window: windowAVX2},
}

const valueBytes = 4

// generator writes one kernel.
type generator struct {
	*build.Context
	machine
	variant collision.Variant
	// slots points to pointers to the slots of each population, table to the
	// constants, scratch to spilled values.
	slots, table, scratch reg.Register
	cell                  reg.Register // number of the first cell at hand
	pointer               reg.Register // of the population at hand
	// spare is a register that holds no value of the program.
	spare reg.VecPhysical
	// words points to the window at hand.
	words reg.Register
	// odd and walled tell which kernel is written.
	odd, walled bool
	// neighbour is the number of the first neighbour, other the pointer to
	// what comes from a wall.
	neighbour, other reg.GPVirtual
	load, store      func(population int, r reg.VecPhysical)
}

// writeAssembly writes the assembly of all variants to one file per machine,
// and a Go file that lists the kernels.
func writeAssembly(base, list string) {
	var entries bytes.Buffer
	for _, m := range machines {
		ctx := build.NewContext()
		constants(ctx)
		for _, v := range collision.Variants() {
			m.kernel(ctx, v, "even", "updates the cells of n windows in place.")
			m.kernel(ctx, v, "odd", "updates the cells of n inner windows where their neighbours hold what arrives.")
			m.kernel(ctx, v, "walled", "updates the cells of n walled windows where their neighbours or they themselves hold what arrives.")
			fmt.Fprintf(&entries, "{%q, %q}: {%q, %s, %s, %s},\n", m.name, v.Identifier(), m.name,
				m.function(v, "even"), m.function(v, "odd"), m.function(v, "walled"))
		}
		writeCorrect(ctx, m)
		file, err := ctx.Result()
		if err != nil {
			log.Fatalf("assembling for %s: %v", m.name, err)
		}
		config := printer.Config{Argv: []string{"carina/solver/kernel/generate"}, Pkg: "kernel"}
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

func (m machine) function(v collision.Variant, kind string) string {
	return kind + m.name + v.Identifier()
}

// begin starts a function and loads what all have in common.
func (m machine) begin(ctx *build.Context, v collision.Variant, kind, doc string) *generator {
	ctx.Function(m.function(v, kind))
	ctx.Doc(m.function(v, kind) + " " + doc)
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(slots **float32, words *uint32, width, n int, table *float32, scratch *byte)")
	g := &generator{Context: ctx, machine: m, variant: v}
	g.slots = ctx.Load(ctx.Param("slots"), ctx.GP64())
	g.table = ctx.Load(ctx.Param("table"), ctx.GP64())
	g.scratch = ctx.Load(ctx.Param("scratch"), ctx.GP64())
	g.pointer = ctx.GP64()
	return g
}

// at is the memory of the vector of a population that begins at a cell;
// through is a register for its pointer.
func (g *generator) at(population int, cell, through reg.Register) operand.Mem {
	g.MOVQ(operand.Mem{Base: g.slots, Disp: 8 * population}, through)
	return operand.Mem{Base: through, Index: cell, Scale: valueBytes}
}

// collide writes the arithmetic of a variant between g.load and g.store.
func (g *generator) collide() {
	registers := g.registers
	if g.lanes == 8 {
		// The last two hold table entries and masks.
		n := len(registers) - 2
		g.spare = registers[n]
		registers = registers[:n]
	}
	actions, slots := schedule(g.variant.Program(), len(registers))
	if slots > scratchSlots {
		log.Fatalf("%s on %s needs %d scratch slots", g.variant.Identifier(), g.name, slots)
	}
	slot := func(i int) operand.Mem { return operand.Mem{Base: g.scratch, Disp: i * g.lanes * valueBytes} }
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

// arithmetic writes one operation.
func (g *generator) arithmetic(a action, registers []reg.VecPhysical, slot func(int) operand.Mem) {
	to := registers[a.to]
	if a.node.Operation == expression.SquareRoot {
		g.VSQRTPS(registers[a.a], to)
		return
	}
	entry := func(i int) operand.Mem { return operand.Mem{Base: g.table, Disp: i * valueBytes} }
	var first operand.Op
	if a.aTable {
		// Only what does not commute has its table entry first.
		g.VBROADCASTSS(entry(a.a), to)
		first = to
	} else {
		first = registers[a.a]
	}
	plain := map[expression.Operation]func(...operand.Op){
		expression.Add: g.VADDPS, expression.Subtract: g.VSUBPS, expression.Multiply: g.VMULPS, expression.Divide: g.VDIVPS,
	}[a.node.Operation]
	broadcast := map[expression.Operation]func(...operand.Op){
		expression.Add: g.VADDPS_BCST, expression.Subtract: g.VSUBPS_BCST, expression.Multiply: g.VMULPS_BCST, expression.Divide: g.VDIVPS_BCST,
	}[a.node.Operation]
	switch {
	case a.bSlot:
		plain(slot(a.b), first, to)
	case a.bTable && g.spare != nil:
		g.VBROADCASTSS(entry(a.b), g.spare)
		plain(g.spare, first, to)
	case a.bTable:
		broadcast(entry(a.b), first, to)
	default:
		plain(registers[a.b], first, to)
	}
}

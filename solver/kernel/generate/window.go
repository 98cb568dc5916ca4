package main

import (
	"carina/solver/collision"
	"carina/solver/lattice"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel writes a kernel that works on window after window.
func (m machine) kernel(ctx *build.Context, v collision.Variant, kind, doc string) {
	g := m.begin(ctx, v, kind, doc)
	g.odd = kind == "odd"
	g.words = ctx.Load(ctx.Param("words"), ctx.GP64())
	n := ctx.Load(ctx.Param("n"), ctx.GP64())
	cell := ctx.GP64()
	g.cell = cell
	ctx.Label("loop")
	ctx.TESTQ(n, n)
	ctx.JE(operand.LabelRef("done"))
	ctx.MOVLQZX(operand.Mem{Base: g.words}, cell)
	m.window(g)
	ctx.ADDQ(operand.Imm(uint64(4*(2+v.Set.Q-1))), g.words)
	ctx.DECQ(n)
	ctx.JMP(operand.LabelRef("loop"))
	ctx.Label("done")
	ctx.VZEROUPPER()
	ctx.RET()
}

// count is the number of cells of the window at hand.
func (g *generator) count() operand.Mem { return operand.Mem{Base: g.words, Disp: 4} }

// place is where population i arrives: in an odd step slot ī of the neighbour
// against c_i. What leaves along ī goes to the same place.
func (g *generator) place(i int, neighbour reg.GPVirtual) operand.Mem {
	if !g.odd || i == 0 {
		return g.at(i, g.cell, g.pointer)
	}
	back := lattice.Opposite(i)
	g.MOVLQSX(operand.Mem{Base: g.words, Disp: 8 + 4*(back-1)}, neighbour)
	g.ADDQ(g.cell, neighbour)
	return g.at(back, neighbour, g.pointer)
}

// windowAVX512 masks the lanes beyond the number of cells.
func windowAVX512(g *generator) {
	valid := g.K()
	count, ones, neighbour := g.GP64(), g.GP64(), g.GP64()
	g.MOVLQZX(g.count(), count)
	g.MOVQ(operand.I32(-1), ones)
	g.BZHIQ(count, ones, ones)
	g.KMOVW(ones.As32(), valid)
	g.load = func(p int, r reg.VecPhysical) { g.VMOVUPS_Z(g.place(p, neighbour), valid, r) }
	g.store = func(p int, r reg.VecPhysical) { g.VMOVUPS(r, valid, g.place(lattice.Opposite(p), neighbour)) }
	g.collide()
}

// windowAVX2 works on two halves of eight lanes.
func windowAVX2(g *generator) {
	const half = 8
	left, neighbour := g.GP64(), g.GP64()
	valid := g.registers[len(g.registers)-1]
	g.MOVLQZX(g.count(), left)
	g.Label("half")
	g.VMOVD(left.As32(), valid.AsX())
	g.VPBROADCASTD(valid.AsX(), valid)
	g.VPCMPGTD(laneNumbers, valid, valid)
	g.load = func(p int, r reg.VecPhysical) { g.VMASKMOVPS(g.place(p, neighbour), valid, r) }
	g.store = func(p int, r reg.VecPhysical) { g.VMASKMOVPS(r, valid, g.place(lattice.Opposite(p), neighbour)) }
	g.collide()
	g.ADDQ(operand.Imm(half), g.cell)
	g.SUBQ(operand.Imm(half), left)
	g.JG(operand.LabelRef("half"))
}

// laneNumbers is data that holds i for lane i.
var laneNumbers operand.Mem

// constants declares the data that the kernels share.
func constants(ctx *build.Context) {
	laneNumbers = ctx.StaticGlobal("laneNumbers")
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		ctx.AppendDatum(operand.U32(i))
	}
}

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
	g.odd, g.walled = kind != "even", kind == "walled"
	g.words = ctx.Load(ctx.Param("words"), ctx.GP64())
	width := ctx.Load(ctx.Param("width"), ctx.GP64())
	n := ctx.Load(ctx.Param("n"), ctx.GP64())
	cell := ctx.GP64()
	g.cell, g.neighbour, g.other = cell, ctx.GP64(), ctx.GP64()
	ctx.SHLQ(operand.Imm(2), width)
	ctx.Label("loop")
	ctx.TESTQ(n, n)
	ctx.JE(operand.LabelRef("done"))
	ctx.MOVLQZX(operand.Mem{Base: g.words}, cell)
	m.window(g)
	ctx.ADDQ(width, g.words)
	ctx.DECQ(n)
	ctx.JMP(operand.LabelRef("loop"))
	ctx.Label("done")
	ctx.VZEROUPPER()
	ctx.RET()
}

// The parts of the window at hand: see kernel.WindowKernel.
func (g *generator) count() operand.Mem { return operand.Mem{Base: g.words, Disp: 4} }
func (g *generator) offset(d int) operand.Mem {
	return operand.Mem{Base: g.words, Disp: 8 + 4*d}
}
func (g *generator) lanes16(d int) operand.Mem {
	return operand.Mem{Base: g.words, Disp: 8 + 4*(g.variant.Set.Q-1) + 2*d}
}

// place is where population i arrives: in an odd step slot ī of the neighbour
// against c_i. What leaves along ī goes to the same place.
func (g *generator) place(i int) operand.Mem {
	if !g.odd || i == 0 {
		return g.at(i, g.cell, g.pointer)
	}
	back := lattice.Opposite(i)
	g.MOVLQSX(g.offset(back-1), g.neighbour)
	g.ADDQ(g.cell, g.neighbour)
	return g.at(back, g.neighbour, g.pointer)
}

// own is where population i arrives from a wall: in slot i of the cell.
func (g *generator) own(i int) operand.Mem { return g.at(i, g.cell, g.other) }

// prefetchLines is how many lines ahead of every access, in the order of cells,
// the first-level cache is asked for: the arithmetic of that many windows hides
// what the hardware's prefetching does not.
const prefetchLines = 8

func (g *generator) prefetch(at operand.Mem) {
	at.Disp += prefetchLines * 64
	g.PREFETCHT0(at)
}

// windowAVX512 masks the lanes beyond the number of cells and, in walled
// windows, those that meet a wall.
func windowAVX512(g *generator) {
	valid, away, own := g.K(), g.K(), g.K()
	count, ones := g.GP64(), g.GP64()
	g.MOVLQZX(g.count(), count)
	g.MOVQ(operand.I32(-1), ones)
	g.BZHIQ(count, ones, ones)
	g.KMOVW(ones.As32(), valid)
	masks := func(i int) {
		g.KMOVW(g.lanes16(lattice.Opposite(i)-1), away)
		g.KANDNW(valid, away, own)
	}
	g.load = func(i int, r reg.VecPhysical) {
		if !g.walled || i == 0 {
			at := g.place(i)
			g.VMOVUPS_Z(at, valid, r)
			g.prefetch(at)
			return
		}
		masks(i)
		at := g.place(i)
		g.VMOVUPS_Z(at, away, r)
		g.prefetch(at)
		g.VMOVUPS(g.own(i), own, r)
	}
	g.store = func(leaving int, r reg.VecPhysical) {
		i := lattice.Opposite(leaving)
		if !g.walled || i == 0 {
			g.VMOVUPS(r, valid, g.place(i))
			return
		}
		masks(i)
		g.VMOVUPS(r, away, g.place(i))
		g.VMOVUPS(r, own, g.own(i))
	}
	g.collide()
}

// windowAVX2 does the same in two halves of eight lanes, with masks made of
// bits.
func windowAVX2(g *generator) {
	const half = 8
	left, bits := g.GP64(), g.GP64()
	mask := g.registers[len(g.registers)-1]
	valid := operand.Mem{Base: g.scratch, Disp: scratchSlots * half * valueBytes}
	bit := operand.Mem{Base: bits}
	g.MOVLQZX(g.count(), left)
	g.LEAQ(laneBits, bits)
	g.Label("half")
	g.VMOVD(left.As32(), mask.AsX())
	g.VPBROADCASTD(mask.AsX(), mask)
	g.VPCMPGTD(laneNumbers, mask, mask)
	g.VMOVDQU(mask, valid)
	away := func(i int) {
		g.VPBROADCASTW(g.lanes16(lattice.Opposite(i)-1), mask)
		g.VPAND(bit, mask, mask)
		g.VPCMPEQD(bit, mask, mask)
	}
	own := func() { g.VPANDN(valid, mask, mask) }
	g.load = func(i int, r reg.VecPhysical) {
		if !g.walled || i == 0 {
			g.VMOVDQU(valid, mask)
			g.VMASKMOVPS(g.place(i), mask, r)
			return
		}
		away(i)
		g.VMASKMOVPS(g.place(i), mask, r)
		own()
		g.VMASKMOVPS(g.own(i), mask, g.spare)
		g.VORPS(g.spare, r, r)
	}
	g.store = func(leaving int, r reg.VecPhysical) {
		i := lattice.Opposite(leaving)
		if !g.walled || i == 0 {
			g.VMOVDQU(valid, mask)
			g.VMASKMOVPS(r, mask, g.place(i))
			return
		}
		away(i)
		g.VMASKMOVPS(r, mask, g.place(i))
		own()
		g.VMASKMOVPS(r, mask, g.own(i))
	}
	g.collide()
	g.ADDQ(operand.Imm(half), g.cell)
	g.ADDQ(operand.Imm(half*4), bits)
	g.SUBQ(operand.Imm(half), left)
	g.JG(operand.LabelRef("half"))
}

// laneBits holds 1<<i and laneNumbers i for lane i.
var laneBits, laneNumbers operand.Mem

// constants declares the data that the kernels share.
func constants(ctx *build.Context) {
	laneBits = ctx.StaticGlobal("laneBits")
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		ctx.AppendDatum(operand.U32(1 << i))
	}
	laneNumbers = ctx.StaticGlobal("laneNumbers")
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		ctx.AppendDatum(operand.U32(i))
	}
}

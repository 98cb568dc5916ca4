package main

import (
	"carina/solver/collision"
	"carina/solver/lattice"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// window is where the kernel finds the words of the window at hand: the first
// cell, the number of cells, one offset per direction and one 16-bit mask per
// direction.
type window struct {
	words reg.Register
	q     int
}

func (w window) cell() operand.Mem        { return operand.Mem{Base: w.words} }
func (w window) count() operand.Mem       { return operand.Mem{Base: w.words, Disp: 4} }
func (w window) offset(d int) operand.Mem { return operand.Mem{Base: w.words, Disp: 8 + 4*d} }
func (w window) mask(d int) operand.Mem {
	return operand.Mem{Base: w.words, Disp: 8 + 4*(w.q-1) + 2*d}
}
func (w window) bytes() uint64 { return uint64(4 * (2 + (w.q - 1) + (w.q-1)/2)) }

// kernelShifted writes the odd kernel: window after window.
func (m machine) kernelShifted(ctx *build.Context, v collision.Variant) {
	g := m.begin(ctx, v, "shifted", "updates the cells of n regular windows where their neighbours hold what arrives.", "words *uint32")
	w := window{ctx.Load(ctx.Param("words"), ctx.GP64()), v.Set.Q}
	n := ctx.Load(ctx.Param("n"), ctx.GP64())
	g.cell = ctx.GP64()
	ctx.Label("loop")
	ctx.TESTQ(n, n)
	ctx.JE(operand.LabelRef("done"))
	ctx.MOVLQZX(w.cell(), g.cell.(reg.GPVirtual))
	g.window = w
	m.shifted(g)
	ctx.ADDQ(operand.Imm(w.bytes()), w.words)
	ctx.DECQ(n)
	ctx.JMP(operand.LabelRef("loop"))
	ctx.Label("done")
	ctx.VZEROUPPER()
	ctx.RET()
}

// shiftedAVX512 loads and stores the lanes whose neighbour is fluid there, and
// the others in the cell itself.
func shiftedAVX512(g *generator) {
	valid, away, own := g.K(), g.K(), g.K()
	count, ones := g.GP64(), g.GP64()
	neighbour := g.GP64()
	g.MOVLQZX(g.window.count(), count)
	g.MOVQ(operand.I32(-1), ones)
	g.BZHIQ(count, ones, ones)
	g.KMOVW(ones.As32(), valid)
	// both returns the locations of the population that arrives along i.
	both := func(i int) (there, here operand.Mem) {
		back := lattice.Opposite(i)
		g.KMOVW(g.window.mask(back-1), away)
		g.KANDNW(valid, away, own)
		g.MOVLQSX(g.window.offset(back-1), neighbour)
		g.ADDQ(g.cell, neighbour)
		return g.at(back, neighbour, g.pointer), g.at(i, g.cell, g.other)
	}
	g.load = func(p int, r reg.VecPhysical) {
		if p == 0 {
			g.VMOVUPS_Z(g.at(0, g.cell, g.pointer), valid, r)
			return
		}
		there, here := both(p)
		g.VMOVUPS_Z(there, away, r)
		g.VMOVUPS(here, own, r)
	}
	g.store = func(p int, r reg.VecPhysical) {
		if p == 0 {
			g.VMOVUPS(r, valid, g.at(0, g.cell, g.pointer))
			return
		}
		there, here := both(lattice.Opposite(p))
		g.VMOVUPS(r, away, there)
		g.VMOVUPS(r, own, here)
	}
	g.collide()
}

// shiftedAVX2 does the same in two halves of eight lanes, with masks made of
// bits.
func shiftedAVX2(g *generator) {
	const half = 8
	left, bits, neighbour := g.GP64(), g.GP64(), g.GP64()
	valid := operand.Mem{Base: g.scratch, Disp: scratchSlots * half * valueBytes}
	g.MOVLQZX(g.window.count(), left)
	g.LEAQ(laneBits, bits)
	g.Label("half")
	bit := operand.Mem{Base: bits}
	lanes := g.registers[len(g.registers)-1]
	// Lanes beyond the count are not valid: the bits count them.
	g.MOVQ(left, neighbour)
	g.VMOVD(neighbour.As32(), lanes.AsX())
	g.VPBROADCASTD(lanes.AsX(), lanes)
	g.VPCMPGTD(laneNumbers, lanes, lanes)
	g.VMOVDQU(lanes, valid)
	both := func(i int) (there, here operand.Mem) {
		back := lattice.Opposite(i)
		g.VPBROADCASTW(g.window.mask(back-1), g.mask)
		g.VPAND(bit, g.mask, g.mask)
		g.VPCMPEQD(bit, g.mask, g.mask)
		g.MOVLQSX(g.window.offset(back-1), neighbour)
		g.ADDQ(g.cell, neighbour)
		return g.at(back, neighbour, g.pointer), g.at(i, g.cell, g.other)
	}
	own := func() { g.VPANDN(valid, g.mask, g.mask) }
	g.load = func(p int, r reg.VecPhysical) {
		if p == 0 {
			g.VMOVDQU(valid, g.mask)
			g.VMASKMOVPS(g.at(0, g.cell, g.pointer), g.mask, r)
			return
		}
		there, here := both(p)
		g.VMASKMOVPS(there, g.mask, r)
		own()
		g.VMASKMOVPS(here, g.mask, g.spare)
		g.VORPS(g.spare, r, r)
	}
	g.store = func(p int, r reg.VecPhysical) {
		if p == 0 {
			g.VMOVDQU(valid, g.mask)
			g.VMASKMOVPS(r, g.mask, g.at(0, g.cell, g.pointer))
			return
		}
		there, here := both(lattice.Opposite(p))
		g.VMASKMOVPS(r, g.mask, there)
		own()
		g.VMASKMOVPS(r, g.mask, here)
	}
	g.collide()
	g.ADDQ(operand.Imm(half), g.cell)
	g.ADDQ(operand.Imm(half*4), bits)
	g.SUBQ(operand.Imm(half), left)
	g.JG(operand.LabelRef("half"))
}

// constants declares data that the AVX2 kernels share.
func constants(ctx *build.Context) {
	bits := ctx.StaticGlobal("laneBits")
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 16 {
		ctx.AppendDatum(operand.U32(1 << i))
	}
	numbers := ctx.StaticGlobal("laneNumbers")
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 8 {
		ctx.AppendDatum(operand.U32(i))
	}
	laneBits, laneNumbers = bits, numbers
}

// laneBits holds 1<<i, laneNumbers i for lane i.
var laneBits, laneNumbers operand.Mem

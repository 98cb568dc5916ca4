package main

import (
	"carina/solver/airflow/collision"
	"carina/solver/lattice"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel writes a kernel that works on window after window.
func (m machine) kernel(ctx *build.Context, s storage, v collision.Variant, kind, doc string) {
	g := m.begin(ctx, s, v, kind, doc)
	g.odd, g.walled = kind != "even", kind == "walled"
	g.words = ctx.Load(ctx.Param("words"), ctx.GP64())
	width := ctx.Load(ctx.Param("width"), ctx.GP64())
	n := ctx.Load(ctx.Param("n"), ctx.GP64())
	cell := ctx.GP64()
	g.cell, g.neighbour, g.other = cell, ctx.GP64(), ctx.GP64()
	ctx.SHLQ(operand.Imm(2), width)
	if g.odd {
		g.ahead = ctx.GP64()
		ctx.IMUL3Q(operand.Imm(windowsAhead), width, g.ahead)
	}
	ctx.Label("loop")
	ctx.TESTQ(n, n)
	ctx.JE(operand.LabelRef("done"))
	ctx.MOVLQZX(operand.Mem{Base: g.words}, cell)
	if g.walled {
		// The corrections of the next chunk read its windows out of order.
		g.PREFETCHT0(operand.Mem{Base: g.words, Disp: prefetchedWords})
		g.PREFETCHT0(operand.Mem{Base: g.words, Disp: prefetchedWords + 64})
	}
	m.window(g)
	ctx.ADDQ(width, g.words)
	ctx.DECQ(n)
	ctx.JMP(operand.LabelRef("loop"))
	ctx.Label("done")
	restore(ctx, g.scratch)
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

// nearBytes is how far ahead of every access the first-level cache is asked for,
// and evenBytes, or windowsAhead windows in odd steps, how far the second-level
// cache. There are twice as many streams as populations, more than the hardware's
// prefetching follows; and the first-level cache waits for few lines at a time,
// too few for the latency of memory, which the second-level cache hides while the
// first-level one computes. Since rows differ, an odd step asks the words of the
// window ahead where its neighbours are.
const nearBytes, evenBytes = 256, 8192

// nearHalfBytes is nearBytes for 16-bit populations: those of a chunk, so that the
// corrections with which the next one begins find them; of wider ones the
// first-level cache does not hold two chunks.
const nearHalfBytes = 512

// prefetchedWords is how many bytes ahead walled windows are asked for: those of
// a chunk.
const prefetchedWords = 2048

// prefetch asks for what follows an access, in slot population − 1 of the
// neighbour in its direction, or of the cell itself in direction 0.
func (g *generator) prefetch(at operand.Mem, direction int) {
	near := at
	if g.storage.name == half {
		near.Disp += nearHalfBytes
	} else {
		near.Disp += nearBytes
	}
	g.PREFETCHT0(near)
	if !g.odd {
		far := at
		far.Disp += evenBytes
		g.PREFETCHT1(far)
		return
	}
	first := operand.Mem{Base: g.words, Index: g.ahead, Scale: 1}
	g.MOVL(first, g.neighbour.As32())
	if direction > 0 {
		offset := first
		offset.Disp = 8 + 4*(direction-1)
		g.ADDL(offset, g.neighbour.As32())
	}
	at.Index = g.neighbour
	g.PREFETCHT1(at)
	if g.storage.bytes == 8 {
		at.Disp += 64
		g.PREFETCHT1(at)
	}
}

// windowAVX512 masks the lanes beyond the number of cells and, in walled
// windows, those that meet a wall. In double precision it takes a window in
// two parts.
func windowAVX512(g *generator) {
	valid, away, own := g.K(), g.K(), g.K()
	left, ones, part := g.GP64(), g.GP64(), g.GP64()
	g.MOVLQZX(g.count(), left)
	g.XORQ(part, part)
	g.Label("part")
	g.MOVQ(operand.I32(-1), ones)
	g.BZHIQ(left, ones, ones)
	g.KMOVW(ones.As32(), valid)
	masks := func(i int) {
		lanes := g.lanes16(lattice.Opposite(i) - 1)
		if g.lanes() == windowCells {
			g.KMOVW(lanes, away)
		} else {
			lanes.Index, lanes.Scale = part, 1
			g.MOVBLZX(lanes, ones.As32())
			g.KMOVW(ones.As32(), away)
		}
		g.KANDNW(valid, away, own)
	}
	g.load = func(i int, r reg.VecPhysical) {
		if !g.walled || i == 0 {
			at := g.place(i)
			g.loadMasked(at, valid, r, true)
			g.prefetch(at, lattice.Opposite(i))
			return
		}
		if g.storage.name == half {
			// The two parts are put together before they are converted. What lies
			// beyond the window comes along and is not stored.
			g.KMOVW(g.lanes16(lattice.Opposite(i)-1), away)
			wall := g.own(i)
			g.VMOVDQU16(wall, g.narrow)
			g.prefetch(wall, 0)
			at := g.place(i)
			g.VMOVDQU16(at, away, g.narrow)
			g.prefetch(at, lattice.Opposite(i))
			g.VCVTPH2PS(g.narrow, r)
			return
		}
		masks(i)
		at := g.place(i)
		g.loadMasked(at, away, r, true)
		g.prefetch(at, lattice.Opposite(i))
		wall := g.own(i)
		g.loadMasked(wall, own, r, false)
		g.prefetch(wall, 0)
	}
	g.store = func(leaving int, r reg.VecPhysical) {
		i := lattice.Opposite(leaving)
		if !g.walled || i == 0 {
			g.storeMasked(r, valid, g.place(i))
			return
		}
		masks(i)
		if g.storage.name == half {
			g.VCVTPS2PH(toNearestEven, r, g.narrow)
			g.VMOVDQU16(g.narrow, away, g.place(i))
			g.VMOVDQU16(g.narrow, own, g.own(i))
			return
		}
		g.storeMasked(r, away, g.place(i))
		g.storeMasked(r, own, g.own(i))
	}
	g.collide()
	if g.lanes() == windowCells {
		return
	}
	g.ADDQ(operand.Imm(uint64(g.lanes())), g.cell)
	g.INCQ(part)
	g.SUBQ(operand.Imm(uint64(g.lanes())), left)
	g.JG(operand.LabelRef("part"))
}

const windowCells = 16

// loadMasked loads lanes of a vector; the others become zero or stay.
func (g *generator) loadMasked(at operand.Mem, mask, r reg.Register, zero bool) {
	switch {
	case g.storage.name == half && zero:
		g.VCVTPH2PS_Z(at, mask, r)
	case g.storage.name == half:
		g.VCVTPH2PS(at, mask, r)
	case g.storage.name == double && zero:
		g.VMOVUPD_Z(at, mask, r)
	case g.storage.name == double:
		g.VMOVUPD(at, mask, r)
	case zero:
		g.VMOVUPS_Z(at, mask, r)
	default:
		g.VMOVUPS(at, mask, r)
	}
}

// storeMasked stores lanes of a vector.
func (g *generator) storeMasked(r, mask reg.Register, at operand.Mem) {
	switch g.storage.name {
	case half:
		g.VCVTPS2PH(toNearestEven, r, mask, at)
	case double:
		g.VMOVUPD(r, mask, at)
	default:
		g.VMOVUPS(r, mask, at)
	}
}

// toNearestEven is the rounding of conversions to 16 bits.
const toNearestEven = operand.U8(0)

// windowAVX2 does the same in parts of a register, with masks made of bits.
func windowAVX2(g *generator) {
	left, bits := g.GP64(), g.GP64()
	mask := g.registers[len(g.registers)-1]
	valid := operand.Mem{Base: g.scratch, Disp: scratchSlots * g.machine.bytes}
	bit := operand.Mem{Base: bits}
	load, store, broadcast, equal, greater := g.VMASKMOVPS, g.VMASKMOVPS, g.VPBROADCASTD, g.VPCMPEQD, g.VPCMPGTD
	laneBits, laneNumbers := laneBits, laneNumbers
	if g.storage.real == 8 {
		load, store, broadcast, equal, greater = g.VMASKMOVPD, g.VMASKMOVPD, g.VPBROADCASTQ, g.VPCMPEQQ, g.VPCMPGTQ
		laneBits, laneNumbers = laneBits64, laneNumbers64
	}
	g.MOVLQZX(g.count(), left)
	g.LEAQ(laneBits, bits)
	g.Label("part")
	g.VMOVQ(left, mask.AsX())
	broadcast(mask.AsX(), mask)
	greater(laneNumbers, mask, mask)
	g.VMOVDQU(mask, valid)
	away := func(i int) {
		g.VPBROADCASTW(g.lanes16(lattice.Opposite(i)-1), mask)
		g.VPAND(bit, mask, mask)
		equal(bit, mask, mask)
	}
	own := func() { g.VPANDN(valid, mask, mask) }
	g.load = func(i int, r reg.VecPhysical) {
		if !g.walled || i == 0 {
			g.VMOVDQU(valid, mask)
			at := g.place(i)
			load(at, mask, r)
			g.prefetch(at, lattice.Opposite(i))
			return
		}
		away(i)
		at := g.place(i)
		load(at, mask, r)
		g.prefetch(at, lattice.Opposite(i))
		own()
		load(g.own(i), mask, g.spare)
		g.VORPS(g.spare, r, r)
	}
	g.store = func(leaving int, r reg.VecPhysical) {
		i := lattice.Opposite(leaving)
		if !g.walled || i == 0 {
			g.VMOVDQU(valid, mask)
			store(r, mask, g.place(i))
			return
		}
		away(i)
		store(r, mask, g.place(i))
		own()
		store(r, mask, g.own(i))
	}
	g.collide()
	g.ADDQ(operand.Imm(uint64(g.lanes())), g.cell)
	g.ADDQ(operand.Imm(uint64(g.machine.bytes)), bits)
	g.SUBQ(operand.Imm(uint64(g.lanes())), left)
	g.JG(operand.LabelRef("part"))
}

// laneBits holds 1<<i and laneNumbers i for lane i, in 32 or 64 bits.
var laneBits, laneNumbers, laneBits64, laneNumbers64 operand.Mem

// constants declares the data that the kernels share.
func constants(ctx *build.Context) {
	table := func(name string, n int, value func(i int) operand.Constant) operand.Mem {
		at := ctx.StaticGlobal(name)
		ctx.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range n {
			ctx.AppendDatum(value(i))
		}
		return at
	}
	laneBits = table("laneBits", windowCells, func(i int) operand.Constant { return operand.U32(1 << i) })
	laneNumbers = table("laneNumbers", 8, func(i int) operand.Constant { return operand.U32(i) })
	laneBits64 = table("laneBits64", windowCells, func(i int) operand.Constant { return operand.U64(1 << i) })
	laneNumbers64 = table("laneNumbers64", 4, func(i int) operand.Constant { return operand.U64(i) })
}

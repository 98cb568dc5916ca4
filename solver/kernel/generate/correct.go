package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// corrector writes the correction of interpolated walls for one storage: what
// kernel.Corrector describes. Hardly two lanes of a window have links in the
// same direction on the same side of one half, so it takes one link at a time,
// without a branch that depends on it.
type corrector struct {
	*build.Context
	storage             storage
	slots, words, width reg.Register
	first, links        reg.GPVirtual
	// taken is memory for what is taken from the population at rest of each
	// cell of a chunk, with 16-bit storage.
	taken reg.GPVirtual
}

func writeCorrect(ctx *build.Context, m machine, s storage) {
	name := "correct" + m.name + s.title()
	ctx.Function(name)
	ctx.Doc(name + " corrects what comes back along links of walled windows.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(slots **byte, words *uint32, width int, first uint32, links *uint32, odd int, scratch *byte)")
	c := &corrector{Context: ctx, storage: s, first: ctx.GP64(), links: ctx.GP64()}
	c.slots = ctx.Load(ctx.Param("slots"), ctx.GP64())
	c.words = ctx.Load(ctx.Param("words"), ctx.GP64())
	c.width = ctx.Load(ctx.Param("width"), ctx.GP64())
	ctx.Load(ctx.Param("first"), c.first.As32())
	ctx.Load(ctx.Param("links"), c.links)
	left, rest := ctx.GP64(), ctx.GP64()
	ctx.MOVLQZX(operand.Mem{Base: c.links}, left)
	ctx.ADDQ(operand.Imm(4), c.links)
	ctx.SHLQ(operand.Imm(2), c.width)
	ctx.MOVQ(operand.Mem{Base: c.slots}, rest)
	if s.name == half {
		c.taken = ctx.GP64()
		ctx.Load(ctx.Param("scratch"), c.taken)
		zero := ctx.YMM()
		ctx.VPXOR(zero, zero, zero)
		for i := range 2 * takenVectors {
			ctx.VMOVUPS(zero, operand.Mem{Base: c.taken, Disp: 32 * i})
		}
	}
	odd := ctx.Load(ctx.Param("odd"), ctx.GP64())
	ctx.TESTQ(odd, odd)
	ctx.JNE(operand.LabelRef("odd"))
	for _, label := range []string{"even", "odd"} {
		ctx.Label(label)
		c.link(label == "odd", rest)
		ctx.ADDQ(operand.Imm(8), c.links)
		ctx.DECQ(left)
		ctx.JNE(operand.LabelRef(label))
		if s.name != half {
			ctx.RET()
		} else if label == "even" {
			ctx.JMP(operand.LabelRef("take"))
		}
	}
	if s.name == half {
		c.take(rest)
		ctx.VZEROUPPER()
		ctx.RET()
	}
}

// takenVectors is how many vectors the cells of a chunk fill.
const takenVectors = kernelCells/windowCells + 1

// kernelCells is kernel.ChunkCells.
const kernelCells = 256

// take writes what takes the sums from the populations at rest.
func (c *corrector) take(rest reg.GPVirtual) {
	c.Label("take")
	left, some := c.GP64(), c.K()
	sum, still := c.ZMM(), c.ZMM()
	c.LEAQ(operand.Mem{Base: rest, Index: c.first, Scale: 2}, rest)
	c.MOVQ(operand.U32(takenVectors), left)
	c.Label("vector")
	c.VMOVUPS(operand.Mem{Base: c.taken}, sum)
	c.VPTESTMD(sum, sum, some)
	c.VCVTPH2PS_Z(operand.Mem{Base: rest}, some, still)
	c.VSUBPS(sum, still, still)
	c.VCVTPS2PH(toNearestEven, still, some, operand.Mem{Base: rest})
	c.ADDQ(operand.Imm(64), c.taken)
	c.ADDQ(operand.Imm(32), rest)
	c.DECQ(left)
	c.JNE(operand.LabelRef("vector"))
}

// link writes the correction of one link.
func (c *corrector) link(odd bool, rest reg.Register) {
	cell, d, at := c.GP64(), c.GP64(), c.GP64()
	c.MOVWQZX(operand.Mem{Base: c.links}, cell)
	taken := operand.Mem{Base: c.taken, Index: c.GP64(), Scale: 4}
	if c.storage.name == half {
		c.MOVQ(cell, taken.Index)
	}
	c.MOVBQZX(operand.Mem{Base: c.links, Disp: 2}, d)
	c.ADDQ(c.first, cell)
	c.MOVQ(operand.Mem{Base: c.slots, Index: d, Scale: 8, Disp: 8}, at)
	away, companion := c.GP64(), c.value(at, cell)
	if odd {
		window := c.GP64()
		c.MOVBQZX(operand.Mem{Base: c.links, Disp: 3}, window)
		c.IMULQ(c.width, window)
		c.ADDQ(c.words, window)
		c.MOVLQSX(operand.Mem{Base: window, Index: d, Scale: 4, Disp: 8}, away)
		c.ADDQ(cell, away)
		companion.Index = away
	} else {
		c.XORQ(operand.Imm(1), d)
		c.MOVQ(operand.Mem{Base: c.slots, Index: d, Scale: 8, Disp: 8}, away)
		companion.Base = away
	}
	share := operand.Mem{Base: c.links, Disp: 4}
	switch bounced := c.value(at, cell); c.storage.name {
	case single:
		c.single(share, companion, bounced, c.value(rest, cell))
	case double:
		c.double(share, companion, bounced, c.value(rest, cell))
	case half:
		c.half(share, companion, bounced, taken)
	}
}

func (c *corrector) value(slots, cell reg.Register) operand.Mem {
	return operand.Mem{Base: slots, Index: cell, Scale: uint8(c.storage.bytes)}
}

// single, double and half write the arithmetic for their storage.
func (c *corrector) single(share, companion, bounced, still operand.Mem) {
	change, b, s := c.XMM(), c.XMM(), c.XMM()
	c.VMOVSS(companion, change)
	c.VMOVSS(bounced, b)
	c.VSUBSS(b, change, change)
	c.VMULSS(share, change, change)
	c.VADDSS(change, b, b)
	c.VMOVSS(b, bounced)
	c.VMOVSS(still, s)
	c.VSUBSS(change, s, s)
	c.VMOVSS(s, still)
}

func (c *corrector) double(share, companion, bounced, still operand.Mem) {
	change, b, s, factor := c.XMM(), c.XMM(), c.XMM(), c.XMM()
	c.VMOVSD(companion, change)
	c.VMOVSD(bounced, b)
	c.VXORPS(factor, factor, factor)
	c.VCVTSS2SD(share, factor, factor)
	c.VSUBSD(b, change, change)
	c.VMULSD(factor, change, change)
	c.VADDSD(change, b, b)
	c.VMOVSD(b, bounced)
	c.VMOVSD(still, s)
	c.VSUBSD(change, s, s)
	c.VMOVSD(s, still)
}

// half puts both populations into one register, to convert them once, and adds
// up what is to be taken: the next link of the same cell need not wait for a
// conversion there and back.
func (c *corrector) half(share, companion, bounced, taken operand.Mem) {
	packed, part := c.GP64(), c.GP64()
	c.MOVWQZX(companion, packed)
	c.MOVWQZX(bounced, part)
	c.SHLQ(operand.Imm(16), part)
	c.ORQ(part, packed)
	change, b := c.XMM(), c.XMM()
	c.VMOVD(packed.As32(), change)
	c.VCVTPH2PS(change, change)
	c.VMOVSHDUP(change, b)
	c.VSUBSS(b, change, change)
	c.VMULSS(share, change, change)
	c.VADDSS(change, b, b)
	c.VADDSS(taken, change, change)
	c.VMOVSS(change, taken)
	c.VCVTPS2PH(toNearestEven, b, b)
	c.VMOVD(b, packed.As32())
	c.MOVW(packed.As16(), bounced)
}

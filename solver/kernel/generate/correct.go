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
}

func writeCorrect(ctx *build.Context, m machine, s storage) {
	name := "correct" + m.name + s.title()
	ctx.Function(name)
	ctx.Doc(name + " corrects what comes back along links of walled windows.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(slots **byte, words *uint32, width int, first uint32, links *uint32, odd int)")
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
	odd := ctx.Load(ctx.Param("odd"), ctx.GP64())
	ctx.TESTQ(odd, odd)
	ctx.JNE(operand.LabelRef("odd"))
	for _, label := range []string{"even", "odd"} {
		ctx.Label(label)
		c.link(label == "odd", rest)
		ctx.ADDQ(operand.Imm(8), c.links)
		ctx.DECQ(left)
		ctx.JNE(operand.LabelRef(label))
		ctx.RET()
	}
}

// link writes the correction of one link.
func (c *corrector) link(odd bool, rest reg.Register) {
	cell, d, at, companion := c.GP64(), c.GP64(), c.GP64(), c.GP64()
	c.MOVWQZX(operand.Mem{Base: c.links}, cell)
	c.MOVBQZX(operand.Mem{Base: c.links, Disp: 2}, d)
	c.ADDQ(c.first, cell)
	c.MOVQ(operand.Mem{Base: c.slots, Index: d, Scale: 8, Disp: 8}, at)
	bounced, change, still := c.XMM(), c.XMM(), c.XMM()
	if odd {
		window := c.GP64()
		c.MOVBQZX(operand.Mem{Base: c.links, Disp: 3}, window)
		c.IMULQ(c.width, window)
		c.ADDQ(c.words, window)
		c.MOVLQSX(operand.Mem{Base: window, Index: d, Scale: 4, Disp: 8}, companion)
		c.ADDQ(cell, companion)
		c.load(c.value(at, companion), change)
	} else {
		c.XORQ(operand.Imm(1), d)
		c.MOVQ(operand.Mem{Base: c.slots, Index: d, Scale: 8, Disp: 8}, companion)
		c.load(c.value(companion, cell), change)
	}
	c.load(c.value(at, cell), bounced)
	share := operand.Mem{Base: c.links, Disp: 4}
	if c.storage.real == 8 {
		factor := c.XMM()
		c.VXORPS(factor, factor, factor)
		c.VCVTSS2SD(share, factor, factor)
		c.VSUBSD(bounced, change, change)
		c.VMULSD(factor, change, change)
		c.VADDSD(change, bounced, bounced)
	} else {
		c.VSUBSS(bounced, change, change)
		c.VMULSS(share, change, change)
		c.VADDSS(change, bounced, bounced)
	}
	c.store(bounced, c.value(at, cell))
	c.load(c.value(rest, cell), still)
	if c.storage.real == 8 {
		c.VSUBSD(change, still, still)
	} else {
		c.VSUBSS(change, still, still)
	}
	c.store(still, c.value(rest, cell))
}

func (c *corrector) value(slots, cell reg.Register) operand.Mem {
	return operand.Mem{Base: slots, Index: cell, Scale: uint8(c.storage.bytes)}
}

// load and store move one number.
func (c *corrector) load(at operand.Mem, x reg.VecVirtual) {
	switch c.storage.name {
	case half:
		c.VPBROADCASTW(at, x)
		c.VCVTPH2PS(x, x)
	case double:
		c.VMOVSD(at, x)
	default:
		c.VMOVSS(at, x)
	}
}

func (c *corrector) store(x reg.VecVirtual, at operand.Mem) {
	switch c.storage.name {
	case half:
		half := c.XMM()
		c.VCVTPS2PH(toNearestEven, x, half)
		c.VPEXTRW(operand.Imm(0), half, at)
	case double:
		c.VMOVSD(x, at)
	default:
		c.VMOVSS(x, at)
	}
}

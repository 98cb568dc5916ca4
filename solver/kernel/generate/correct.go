package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// corrector writes the correction of interpolated walls for one storage: what
// kernel.Corrector describes. Hardly two lanes of a window have links in the
// same direction on the same side of one half, so it takes one link at a time,
// with 16-bit storage two, without a branch that depends on it.
type corrector struct {
	*build.Context
	storage             storage
	slots, words, width reg.Register
	first, links        reg.GPVirtual
	// taken is memory for what is taken from the population at rest of each
	// cell of a chunk, with 16-bit storage.
	taken reg.GPVirtual
}

// linkCountBits is kernel.LinkCountBits.
const linkCountBits = 15

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
	ctx.ANDQ(operand.I32(1<<linkCountBits-1), left)
	ctx.ADDQ(operand.Imm(4), c.links)
	ctx.SHLQ(operand.Imm(2), c.width)
	ctx.MOVQ(operand.Mem{Base: c.slots}, rest)
	if s.name == half {
		c.beginHalf()
	}
	odd := ctx.Load(ctx.Param("odd"), ctx.GP64())
	ctx.TESTQ(odd, odd)
	ctx.JNE(operand.LabelRef("odd"))
	if s.name == half {
		c.halves(left, rest)
		return
	}
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
	cell, bounced, companion := c.find(0, odd)
	share := operand.Mem{Base: c.links, Disp: 4}
	if still := c.value(rest, cell); c.storage.name == single {
		c.single(share, companion, bounced, still)
	} else {
		c.double(share, companion, bounced, still)
	}
}

// find returns the cell of a link and where its populations are.
func (c *corrector) find(number int, odd bool) (cell reg.GPVirtual, bounced, companion operand.Mem) {
	cell = c.GP64()
	d, at, away := c.GP64(), c.GP64(), c.GP64()
	link := operand.Mem{Base: c.links, Disp: 8 * number}
	c.MOVWQZX(link, cell)
	c.MOVBQZX(offset(link, 2), d)
	c.ADDQ(c.first, cell)
	c.MOVQ(operand.Mem{Base: c.slots, Index: d, Scale: 8, Disp: 8}, at)
	if !odd {
		c.XORQ(operand.Imm(1), d)
		c.MOVQ(operand.Mem{Base: c.slots, Index: d, Scale: 8, Disp: 8}, away)
		return cell, c.value(at, cell), c.value(away, cell)
	}
	window := c.GP64()
	c.MOVBQZX(offset(link, 3), window)
	c.IMULQ(c.width, window)
	c.ADDQ(c.words, window)
	c.MOVLQSX(operand.Mem{Base: window, Index: d, Scale: 4, Disp: 8}, away)
	c.ADDQ(cell, away)
	return cell, c.value(at, cell), c.value(at, away)
}

func offset(at operand.Mem, bytes int) operand.Mem {
	at.Disp += bytes
	return at
}

func (c *corrector) value(slots, cell reg.Register) operand.Mem {
	return operand.Mem{Base: slots, Index: cell, Scale: uint8(c.storage.bytes)}
}

// single and double write the arithmetic for their storage.
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

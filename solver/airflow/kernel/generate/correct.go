package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// corrector writes the correction of interpolated walls for one storage: what
// kernel.Corrector describes. Hardly two lanes of a window have links in the
// same direction on the same side of one half, so it goes from link to link,
// without a branch that depends on them. How fast it is, is how many operations
// a link takes.
type corrector struct {
	*build.Context
	storage storage
	// slots are the pointers to the populations, still that to those at rest,
	// words the windows of the chunk, first its first cell, links the group of
	// links at hand.
	slots, still, words, first, links reg.Register
	// sums are what 16-bit populations at rest lose, by cell.
	sums operand.Mem
}

// Numbers of package kernel.
const (
	linkCountBits = 15
	linkGroup     = 4
	oppositeSlots = 26
	windowsAhead  = 64
)

// linksAhead is how many bytes ahead of the links at hand the second-level cache
// is asked for: those of the next chunks, whose correction would otherwise begin
// with waiting for memory, since the hardware does not follow streams that rest
// for as long as a chunk is updated.
const linksAhead = 2048

// takenAt is where in the scratch memory the sums of what 16-bit populations at
// rest lose are, behind what kernels spill.
const takenAt = (scratchSlots + 1) * 64

func writeCorrect(ctx *build.Context, m machine, s storage) {
	name := "correct" + m.name + s.title()
	ctx.Function(name)
	ctx.Doc(name + " corrects what comes back along links of walled windows.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(slots **byte, words *uint32, first int, links *uint32, odd int, scratch *byte)")
	c := &corrector{Context: ctx, storage: s}
	c.begin()
	left := ctx.GP64()
	ctx.MOVLQZX(operand.Mem{Base: c.links}, left)
	ctx.ANDQ(operand.I32(1<<linkCountBits-1), left)
	ctx.ADDQ(operand.Imm(4), c.links)
	odd := ctx.Load(ctx.Param("odd"), ctx.GP64())
	ctx.TESTQ(odd, odd)
	ctx.JNE(operand.LabelRef("odd"))
	for _, parity := range []string{"even", "odd"} {
		ctx.Label(parity)
		if parity == "odd" {
			ctx.Load(ctx.Param("words"), c.words)
		}
		ctx.Label(parity + "_group")
		ctx.PREFETCHT1(operand.Mem{Base: c.links, Disp: linksAhead})
		if s.name == half {
			c.halves(parity == "odd")
		} else {
			for number := range linkGroup {
				c.link(number, parity == "odd")
			}
		}
		ctx.ADDQ(operand.Imm(8*linkGroup), c.links)
		ctx.SUBQ(operand.Imm(linkGroup), left)
		ctx.JG(operand.LabelRef(parity + "_group"))
		if s.name == half && parity == "even" {
			ctx.JMP(operand.LabelRef("take"))
		} else if s.name != half {
			ctx.VZEROUPPER()
			ctx.RET()
		}
	}
	if s.name == half {
		c.take()
		ctx.VZEROUPPER()
		ctx.RET()
	}
}

// begin loads what all links need.
func (c *corrector) begin() {
	c.slots = c.Load(c.Param("slots"), c.GP64())
	c.words = c.GP64()
	c.links = c.Load(c.Param("links"), c.GP64())
	c.first = c.GP64()
	c.Load(c.Param("first"), c.first)
	if c.storage.name != half {
		c.still = c.GP64()
		c.MOVQ(operand.Mem{Base: c.slots}, c.still)
		return
	}
	sums, before := c.GP64(), c.GP64()
	c.Load(c.Param("scratch"), sums)
	c.MOVQ(c.first, before)
	c.SHLQ(operand.Imm(2), before)
	c.SUBQ(before, sums)
	c.sums = operand.Mem{Base: sums, Disp: takenAt}
}

// find returns the cell of a link of a group and where its populations are.
// Through is a register for the latter's computation.
func (c *corrector) find(number int, odd bool, through reg.GPVirtual) (cell reg.GPVirtual, bounced, opposite operand.Mem) {
	cell = c.GP64()
	at := c.GP64()
	link := operand.Mem{Base: c.links, Disp: 4 * number}
	c.MOVBQZX(link, cell)
	c.ADDQ(c.first, cell)
	c.MOVBQZX(offset(link, 1), through)
	c.MOVQ(operand.Mem{Base: c.slots, Index: through, Scale: 8, Disp: 8}, at)
	if !odd {
		c.MOVQ(operand.Mem{Base: c.slots, Index: through, Scale: 8, Disp: 8 * (1 + oppositeSlots)}, through)
		return cell, c.value(at, cell), c.value(through, cell)
	}
	c.MOVWQZX(offset(link, 2), through)
	c.MOVLQSX(operand.Mem{Base: c.words, Index: through, Scale: 4}, through)
	c.ADDQ(cell, through)
	return cell, c.value(at, cell), c.value(at, through)
}

func offset(at operand.Mem, bytes int) operand.Mem {
	at.Disp += bytes
	return at
}

func (c *corrector) value(slots, cell reg.Register) operand.Mem {
	return operand.Mem{Base: slots, Index: cell, Scale: uint8(c.storage.bytes)}
}

// share is where that of a link of a group is.
func (c *corrector) share(number int) operand.Mem {
	return operand.Mem{Base: c.links, Disp: 4 * (linkGroup + number)}
}

// link writes the correction of one link of a group.
func (c *corrector) link(number int, odd bool) {
	cell, bounced, opposite := c.find(number, odd, c.GP64())
	if still := c.value(c.still, cell); c.storage.name == single {
		c.single(c.share(number), opposite, bounced, still)
	} else {
		c.double(c.share(number), opposite, bounced, still)
	}
}

// single and double write the arithmetic for their storage.
func (c *corrector) single(share, opposite, bounced, still operand.Mem) {
	change, b, s := c.XMM(), c.XMM(), c.XMM()
	c.VMOVSS(opposite, change)
	c.VMOVSS(bounced, b)
	c.VSUBSS(b, change, change)
	c.VMULSS(share, change, change)
	c.VADDSS(change, b, b)
	c.VMOVSS(b, bounced)
	c.VMOVSS(still, s)
	c.VSUBSS(change, s, s)
	c.VMOVSS(s, still)
}

func (c *corrector) double(share, opposite, bounced, still operand.Mem) {
	change, b, s, factor := c.XMM(), c.XMM(), c.XMM(), c.XMM()
	c.VMOVSD(opposite, change)
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

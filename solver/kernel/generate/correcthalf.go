package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// spilledBytes is where in the scratch memory spilled values end.
const spilledBytes = (scratchSlots + 1) * 64

// beginHalf finds the sums of what is taken from the populations at rest, which
// lie behind the values that kernels spill and are zero. They are addressed from
// the first cell of all.
func (c *corrector) beginHalf() {
	c.taken = c.GP64()
	c.Load(c.Param("scratch"), c.taken)
	c.ADDQ(operand.I32(spilledBytes), c.taken)
	first := c.GP64()
	c.MOVQ(c.first, first)
	c.SHLQ(operand.Imm(2), first)
	c.SUBQ(first, c.taken)
}

// halves writes the loops over all links, two at a time, and what follows them.
func (c *corrector) halves(left, rest reg.GPVirtual) {
	for _, parity := range []string{"even", "odd"} {
		odd := parity == "odd"
		c.Label(parity)
		c.SUBQ(operand.Imm(2), left)
		c.JLT(operand.LabelRef(parity + "_last"))
		c.Label(parity + "_two")
		c.twoHalves(odd)
		c.ADDQ(operand.Imm(16), c.links)
		c.SUBQ(operand.Imm(2), left)
		c.JGE(operand.LabelRef(parity + "_two"))
		c.Label(parity + "_last")
		c.CMPQ(left, operand.I8(-2))
		c.JE(operand.LabelRef("take"))
		c.oneHalf(odd)
		if !odd {
			c.JMP(operand.LabelRef("take"))
		}
	}
	c.take(rest)
	c.VZEROUPPER()
	c.RET()
}

// pack loads the companion and the bounced population of a link to the low
// and the next 16 bits of a register.
func (c *corrector) pack(companion, bounced operand.Mem) reg.GPVirtual {
	packed, part := c.GP64(), c.GP64()
	c.MOVWQZX(companion, packed)
	c.MOVWQZX(bounced, part)
	c.SHLQ(operand.Imm(16), part)
	c.ORQ(part, packed)
	return packed
}

// twoHalves writes the correction of two links: their four populations share
// the conversions. What they take is added to the sums, so that the next link
// of the same cell need not wait for a conversion there and back.
func (c *corrector) twoHalves(odd bool) {
	cell0, bounced0, companion0 := c.find(0, odd)
	packed := c.pack(companion0, bounced0)
	cell1, bounced1, companion1 := c.find(1, odd)
	second := c.pack(companion1, bounced1)
	c.SHLQ(operand.Imm(32), second)
	c.ORQ(second, packed)
	change, b, share, upper := c.XMM(), c.XMM(), c.XMM(), c.XMM()
	c.VMOVQ(packed, change)
	c.VCVTPH2PS(change, change)
	c.VMOVSHDUP(change, b)
	c.VMOVSHDUP(operand.Mem{Base: c.links}, share)
	c.VSUBPS(b, change, change)
	c.VMULPS(share, change, change)
	c.VADDPS(change, b, b)
	c.VCVTPS2PH(toNearestEven, b, b)
	c.VMOVHLPS(change, change, upper)
	c.take1(cell0, change)
	c.take1(cell1, upper)
	c.VMOVQ(b, packed)
	c.MOVW(packed.As16(), bounced0)
	c.SHRQ(operand.Imm(32), packed)
	c.MOVW(packed.As16(), bounced1)
}

// oneHalf writes the correction of one link.
func (c *corrector) oneHalf(odd bool) {
	cell, bounced, companion := c.find(0, odd)
	packed := c.pack(companion, bounced)
	change, b := c.XMM(), c.XMM()
	c.VMOVD(packed.As32(), change)
	c.VCVTPH2PS(change, change)
	c.VMOVSHDUP(change, b)
	c.VSUBSS(b, change, change)
	c.VMULSS(operand.Mem{Base: c.links, Disp: 4}, change, change)
	c.VADDSS(change, b, b)
	c.VCVTPS2PH(toNearestEven, b, b)
	c.take1(cell, change)
	c.VMOVD(b, packed.As32())
	c.MOVW(packed.As16(), bounced)
}

// take1 adds a change to the sum of a cell.
func (c *corrector) take1(cell, change reg.Register) {
	sum := operand.Mem{Base: c.taken, Index: cell, Scale: 4}
	c.VADDSS(sum, change, change)
	c.VMOVSS(change, sum)
}

// take writes what takes the sums from the populations at rest, vector by
// vector, and clears them: by halves, since numbers from the upper half of a
// stored vector cannot be loaded before it has left the store buffer.
func (c *corrector) take(rest reg.GPVirtual) {
	c.Label("take")
	// A bit for every vector that links take from.
	vectors := c.GP64()
	c.Load(c.Param("links"), vectors)
	c.MOVLQZX(operand.Mem{Base: vectors}, vectors)
	c.SHRQ(operand.Imm(linkCountBits), vectors)
	at, some := c.GP64(), c.K()
	sum, still, zero := c.ZMM(), c.ZMM(), c.YMM()
	c.VPXOR(zero, zero, zero)
	c.LEAQ(operand.Mem{Base: rest, Index: c.first, Scale: 2}, rest)
	c.LEAQ(operand.Mem{Base: c.taken, Index: c.first, Scale: 4}, c.taken)
	c.Label("vector")
	c.TZCNTQ(vectors, at)
	c.SHLQ(operand.Imm(5), at)
	sums, populations := operand.Mem{Base: c.taken, Index: at, Scale: 2}, operand.Mem{Base: rest, Index: at, Scale: 1}
	c.VMOVUPS(sums, sum)
	c.VPTESTMD(sum, sum, some)
	c.VCVTPH2PS_Z(populations, some, still)
	c.VSUBPS(sum, still, still)
	c.VCVTPS2PH(toNearestEven, still, some, populations)
	c.VMOVUPS(zero, sums)
	c.VMOVUPS(zero, offset(sums, 32))
	c.BLSRQ(vectors, vectors)
	c.JNE(operand.LabelRef("vector"))
}

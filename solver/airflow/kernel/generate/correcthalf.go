package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// halves writes the correction of a group of links: four of them share the
// conversions. What they take is added to sums, so that the next link of the
// same cell need not wait for a conversion there and back.
func (c *corrector) halves(odd bool) {
	var cells [linkGroup]reg.GPVirtual
	var bounced [linkGroup]operand.Mem
	change, b, through := c.XMM(), c.XMM(), c.GP64()
	c.VPXOR(change, change, change)
	c.VPXOR(b, b, b)
	for i := range linkGroup {
		var opposite operand.Mem
		cells[i], bounced[i], opposite = c.find(i, odd, through)
		c.VPINSRW(operand.Imm(uint64(i)), opposite, change, change)
	}
	for i := range linkGroup {
		c.VPINSRW(operand.Imm(uint64(i)), bounced[i], b, b)
	}
	c.VCVTPH2PS(change, change)
	c.VCVTPH2PS(b, b)
	c.VSUBPS(b, change, change)
	c.VMULPS(c.share(0), change, change)
	c.VADDPS(change, b, b)
	c.VCVTPS2PH(toNearestEven, b, b)
	for i := range linkGroup {
		c.VPEXTRW(operand.Imm(uint64(i)), b, bounced[i])
	}
	second, third, fourth := c.XMM(), c.XMM(), c.XMM()
	c.VMOVSHDUP(change, second)
	c.VPERMILPD(operand.U8(1), change, third)
	c.VMOVSHDUP(third, fourth)
	for i, part := range []reg.VecVirtual{change, second, third, fourth} {
		sum := c.sums
		sum.Index, sum.Scale = cells[i], 4
		c.VADDSS(sum, part, part)
		c.VMOVSS(part, sum)
	}
}

// take writes what takes the sums from the populations at rest, vector by
// vector, and clears them: by halves, since numbers from the upper half of a
// stored vector cannot be loaded before it has left the store buffer.
func (c *corrector) take() {
	c.Label("take")
	// A bit for every vector that links take from.
	vectors := c.GP64()
	c.Load(c.Param("links"), vectors)
	c.MOVLQZX(operand.Mem{Base: vectors}, vectors)
	c.SHRQ(operand.Imm(linkCountBits), vectors)
	at, some := c.GP64(), c.K()
	// Where the sums and the populations at rest of the chunk begin.
	taken, begin := c.Load(c.Param("scratch"), c.GP64()), c.GP64()
	c.MOVQ(operand.Mem{Base: c.slots}, begin)
	c.LEAQ(c.value(begin, c.first), begin)
	sum, still, zero := c.ZMM(), c.ZMM(), c.YMM()
	c.VPXOR(zero, zero, zero)
	c.Label("vector")
	c.TZCNTQ(vectors, at)
	c.SHLQ(operand.Imm(5), at)
	sums := operand.Mem{Base: taken, Index: at, Scale: 2, Disp: takenAt}
	populations := operand.Mem{Base: begin, Index: at, Scale: 1}
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

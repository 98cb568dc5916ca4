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
	packed, through := c.GP64(), c.GP64()
	for i := linkGroup - 1; i >= 0; i-- {
		var companion operand.Mem
		cells[i], bounced[i], companion = c.find(i, odd, through)
		c.pack(companion, packed, i)
	}
	change, b := c.XMM(), c.XMM()
	c.VMOVQ(packed, change)
	for i := linkGroup - 1; i >= 0; i-- {
		c.pack(bounced[i], packed, i)
	}
	c.VMOVQ(packed, b)
	c.VCVTPH2PS(change, change)
	c.VCVTPH2PS(b, b)
	c.VSUBPS(b, change, change)
	c.VMULPS(c.share(0), change, change)
	c.VADDPS(change, b, b)
	c.VCVTPS2PH(toNearestEven, b, b)
	c.VMOVQ(b, packed)
	for i := range linkGroup {
		c.MOVW(packed.As16(), bounced[i])
		if i+1 < linkGroup {
			c.SHRQ(operand.Imm(16), packed)
		}
	}
	second, third, fourth := c.XMM(), c.XMM(), c.XMM()
	c.VMOVSHDUP(change, second)
	c.VPERMILPD(operand.U8(1), change, third)
	c.VMOVSHDUP(third, fourth)
	for i, part := range []reg.VecVirtual{change, second, third, fourth} {
		sum := operand.Mem{Base: c.scratch, Index: cells[i], Scale: 4, Disp: takenAt}
		c.VADDSS(sum, part, part)
		c.VMOVSS(part, sum)
	}
}

// pack puts a population above what is already in a register, in the end
// population i into bits 16i and up.
func (c *corrector) pack(from operand.Mem, packed reg.GPVirtual, i int) {
	if i == linkGroup-1 {
		c.MOVWQZX(from, packed)
		return
	}
	c.SHLQ(operand.Imm(16), packed)
	c.MOVW(from, packed.As16())
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
	sum, still, zero := c.ZMM(), c.ZMM(), c.YMM()
	c.VPXOR(zero, zero, zero)
	c.Label("vector")
	c.TZCNTQ(vectors, at)
	c.SHLQ(operand.Imm(5), at)
	sums := operand.Mem{Base: c.scratch, Index: at, Scale: 2, Disp: takenAt}
	populations := operand.Mem{Base: c.still, Index: at, Scale: 1}
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

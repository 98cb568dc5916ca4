package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Where in the scratch memory a reflector finds the ratios of the weights, by
// direction, and behind them one half.
const (
	ratiosAt       = takenAt + (2*16+1)*64
	doubleRatiosAt = ratiosAt + 2*64
	ratioCount     = 26
)

// reflector writes kernel.Vector's Reflect for one storage. What the links of
// a cell take from its population at rest is added up in sums, so that all of
// them find that population as the collision left it.
type reflector struct {
	*corrector
	machine machine
	// scratch is the memory that begins with what kernels spill, half one half.
	scratch reg.Register
	half    reg.VecVirtual
}

func writeReflect(ctx *build.Context, m machine, s storage) {
	name := "reflect" + m.name + s.title()
	ctx.Function(name)
	ctx.Doc(name + " makes what comes back along links of walled windows.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(slots **byte, words *uint32, first int, links *uint32, odd int, scratch *byte)")
	r := &reflector{corrector: &corrector{Context: ctx, storage: s}, machine: m}
	r.begin()
	left := ctx.GP64()
	ctx.MOVLQZX(operand.Mem{Base: r.links}, left)
	ctx.ANDQ(operand.I32(1<<linkCountBits-1), left)
	ctx.ADDQ(operand.Imm(4), r.links)
	odd := ctx.Load(ctx.Param("odd"), ctx.GP64())
	ctx.TESTQ(odd, odd)
	ctx.JNE(operand.LabelRef("odd"))
	for _, parity := range []string{"even", "odd"} {
		ctx.Label(parity)
		if parity == "odd" {
			ctx.Load(ctx.Param("words"), r.words)
		}
		ctx.Label(parity + "_link")
		ctx.PREFETCHT1(operand.Mem{Base: r.links, Disp: linksAhead})
		r.link(parity == "odd")
		ctx.ADDQ(operand.Imm(8), r.links)
		ctx.DECQ(left)
		ctx.JG(operand.LabelRef(parity + "_link"))
		if parity == "even" {
			ctx.JMP(operand.LabelRef("take"))
		}
	}
	r.take()
	ctx.VZEROUPPER()
	ctx.RET()
}

// begin loads what all links need.
func (r *reflector) begin() {
	r.slots = r.Load(r.Param("slots"), r.GP64())
	r.words = r.GP64()
	r.links = r.Load(r.Param("links"), r.GP64())
	r.first = r.Load(r.Param("first"), r.GP64())
	r.scratch = r.Load(r.Param("scratch"), r.GP64())
	r.still = r.GP64()
	r.MOVQ(operand.Mem{Base: r.slots}, r.still)
	sums, before := r.GP64(), r.GP64()
	r.MOVQ(r.first, before)
	r.IMUL3Q(operand.Imm(uint64(r.storage.real)), before, before)
	r.MOVQ(r.scratch, sums)
	r.SUBQ(before, sums)
	r.sums = operand.Mem{Base: sums, Disp: takenAt}
	r.half = r.XMM()
	half := r.ratios()
	half.Disp += ratioCount * r.storage.real
	if r.storage.real == 8 {
		r.VMOVSD(half, r.half)
	} else {
		r.VMOVSS(half, r.half)
	}
}

// ratios is where those of the weights are.
func (r *reflector) ratios() operand.Mem {
	if r.storage.real == 8 {
		return operand.Mem{Base: r.scratch, Disp: doubleRatiosAt}
	}
	return operand.Mem{Base: r.scratch, Disp: ratiosAt}
}

// link writes what comes back along one link.
func (r *reflector) link(odd bool) {
	cell, bounced, opposite := r.find(0, odd, r.GP64())
	direction := r.GP64()
	r.MOVBQZX(operand.Mem{Base: r.links, Disp: 1}, direction)
	ratio := r.ratios()
	ratio.Index, ratio.Scale = direction, uint8(r.storage.real)
	sum := r.sums
	sum.Index, sum.Scale = cell, uint8(r.storage.real)
	share := operand.Mem{Base: r.links, Disp: 4}
	rest, came, back := r.XMM(), r.XMM(), r.XMM()
	if r.storage.real == 8 {
		factor := r.XMM()
		r.VXORPS(factor, factor, factor)
		r.VCVTSS2SD(share, factor, factor)
		r.VMOVSD(r.value(r.still, cell), rest)
		r.VMOVSD(bounced, came)
		r.VADDSD(opposite, came, back)
		r.VMULSD(ratio, rest, rest)
		r.VMULSD(r.half, back, back)
		r.VSUBSD(rest, back, back)
		r.VMULSD(factor, back, back)
		r.VADDSD(rest, back, back)
		r.VMOVSD(back, bounced)
		r.VSUBSD(came, back, back)
		r.VADDSD(sum, back, back)
		r.VMOVSD(back, sum)
		return
	}
	if r.storage.name == half {
		// All three are converted at once.
		r.VPXOR(came, came, came)
		r.VPINSRW(operand.Imm(0), bounced, came, came)
		r.VPINSRW(operand.Imm(2), opposite, came, came)
		r.VPINSRW(operand.Imm(1), r.value(r.still, cell), came, came)
		r.VCVTPH2PS(came, came)
		r.VPERMILPS(operand.U8(0x55), came, rest)
		r.VPERMILPD(operand.U8(1), came, back)
		r.VADDSS(back, came, back)
	} else {
		r.VMOVSS(r.value(r.still, cell), rest)
		r.VMOVSS(bounced, came)
		r.VADDSS(opposite, came, back)
	}
	r.VMULSS(ratio, rest, rest)
	r.VMULSS(r.half, back, back)
	r.VSUBSS(rest, back, back)
	r.VMULSS(share, back, back)
	r.VADDSS(rest, back, back)
	if r.storage.name == half {
		narrow := r.XMM()
		r.VCVTPS2PH(toNearestEven, back, narrow)
		r.VPEXTRW(operand.Imm(0), narrow, bounced)
	} else {
		r.VMOVSS(back, bounced)
	}
	r.VSUBSS(came, back, back)
	r.VADDSS(sum, back, back)
	r.VMOVSS(back, sum)
}

// take writes what takes the sums from the populations at rest and clears them,
// for all windowCells cells of which one has links.
func (r *reflector) take() {
	if r.storage.name == half {
		r.corrector.take()
		return
	}
	r.Label("take")
	vectors, at := r.GP64(), r.GP64()
	r.Load(r.Param("links"), vectors)
	r.MOVLQZX(operand.Mem{Base: vectors}, vectors)
	r.SHRQ(operand.Imm(linkCountBits), vectors)
	begin := r.GP64()
	r.LEAQ(r.value(r.still, r.first), begin)
	window := windowCells * r.storage.real
	r.Label("vector")
	r.TZCNTQ(vectors, at)
	r.IMUL3Q(operand.Imm(uint64(window)), at, at)
	for part := 0; part < window; part += r.machine.bytes {
		sums := operand.Mem{Base: r.scratch, Index: at, Scale: 1, Disp: takenAt + part}
		populations := operand.Mem{Base: begin, Index: at, Scale: 1, Disp: part}
		if r.machine.bytes == 64 {
			r.takeMasked(sums, populations)
		} else {
			r.takeBlended(sums, populations)
		}
	}
	r.BLSRQ(vectors, vectors)
	r.JNE(operand.LabelRef("vector"))
}

// takeMasked and takeBlended write to cells with a sum alone: those behind the
// chunk may be others' work.
func (r *reflector) takeMasked(sums, populations operand.Mem) {
	sum, rest, zero, some := r.ZMM(), r.ZMM(), r.ZMM(), r.K()
	r.VPXORD(zero, zero, zero)
	r.VMOVUPS(sums, sum)
	r.VMOVUPS(populations, rest)
	if r.storage.real == 8 {
		r.VPTESTMQ(sum, sum, some)
		r.VSUBPD(sum, rest, rest)
		r.VMOVUPD(rest, some, populations)
	} else {
		r.VPTESTMD(sum, sum, some)
		r.VSUBPS(sum, rest, rest)
		r.VMOVUPS(rest, some, populations)
	}
	r.VMOVUPS(zero, sums)
}

func (r *reflector) takeBlended(sums, populations operand.Mem) {
	sum, rest, zero, some := r.YMM(), r.YMM(), r.YMM(), r.YMM()
	const notEqual = operand.U8(4)
	r.VXORPS(zero, zero, zero)
	r.VMOVUPS(sums, sum)
	r.VMOVUPS(populations, rest)
	if r.storage.real == 8 {
		r.VCMPPD(notEqual, zero, sum, some)
		r.VSUBPD(sum, rest, rest)
		r.VMASKMOVPD(rest, some, populations)
	} else {
		r.VCMPPS(notEqual, zero, sum, some)
		r.VSUBPS(sum, rest, rest)
		r.VMASKMOVPS(rest, some, populations)
	}
	r.VMOVUPS(zero, sums)
}

package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"carina/solver/airflow/collision"
	"carina/solver/lattice"
)

// writeConversions writes the conversions of 16-bit numbers for AVX2: what
// kernel.DecodeFloat16 and kernel.EncodeFloat16 describe, eight at a time.
func writeConversions(ctx *build.Context) {
	factor := func(name string, v float32) operand.Mem {
		at := ctx.StaticGlobal(name)
		ctx.DataAttributes(attr.RODATA | attr.NOPTR)
		ctx.AppendDatum(operand.U32(math.Float32bits(v)))
		return at
	}
	down, up := factor("unscale", 1./collision.Scale), factor("scale", collision.Scale)
	convert := func(name, signature, doc string, factor operand.Mem, eight func(from, to operand.Mem, scale, values reg.VecVirtual), fromBytes, toBytes uint8) {
		ctx.Function(name)
		ctx.Doc(name + " " + doc)
		ctx.Pragma("noescape")
		ctx.SignatureExpr(signature)
		to := ctx.Load(ctx.Param("to"), ctx.GP64())
		from := ctx.Load(ctx.Param("from"), ctx.GP64())
		n := ctx.Load(ctx.Param("n"), ctx.GP64())
		scale, values, i := ctx.YMM(), ctx.YMM(), ctx.GP64()
		ctx.VBROADCASTSS(factor, scale)
		ctx.XORQ(i, i)
		ctx.Label("eight")
		eight(operand.Mem{Base: from, Index: i, Scale: fromBytes}, operand.Mem{Base: to, Index: i, Scale: toBytes}, scale, values)
		ctx.ADDQ(operand.Imm(8), i)
		ctx.CMPQ(i, n)
		ctx.JLT(operand.LabelRef("eight"))
		ctx.VZEROUPPER()
		ctx.RET()
	}
	convert("decodeAVX2", "func(to *float32, from *uint16, n int)", "converts n numbers, a multiple of eight and not zero.", down,
		func(from, to operand.Mem, scale, values reg.VecVirtual) {
			ctx.VCVTPH2PS(from, values)
			ctx.VMULPS(scale, values, values)
			ctx.VMOVUPS(values, to)
		}, 2, 4)
	convert("encodeAVX2", "func(to *uint16, from *float32, n int)", "rounds n numbers, a multiple of eight and not zero.", up,
		func(from, to operand.Mem, scale, values reg.VecVirtual) {
			ctx.VMULPS(from, scale, values)
			ctx.VCVTPS2PH(toNearestEven, values, to)
		}, 4, 2)
	writeDither(ctx, up)
}

// writeDither writes what kernel.Dither's Encode does, two populations of a window at a time
// after the one at rest: what leaves along a direction is where the opposite one arrives.
func writeDither(ctx *build.Context, up operand.Mem) {
	ctx.Function("ditherAVX2")
	ctx.Doc("ditherAVX2 dithers and cuts n numbers of the populations of a window.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(to *uint16, from *float32, n int, dither *uint32)")
	to, from := ctx.Load(ctx.Param("to"), ctx.GP64()), ctx.Load(ctx.Param("from"), ctx.GP64())
	n := ctx.Load(ctx.Param("n"), ctx.GP64())
	dither := operand.Mem{Base: ctx.Load(ctx.Param("dither"), ctx.GP64())}
	scale, mask, values := ctx.YMM(), ctx.YMM(), ctx.YMM()
	ctx.VBROADCASTSS(up, scale)
	ctx.VPCMPEQD(mask, mask, mask)
	ctx.VPSRLD(operand.U8(collision.DitherShift), mask, mask)
	var usual, opposite [2]reg.VecVirtual
	for half := range usual {
		usual[half], opposite[half] = ctx.YMM(), ctx.YMM()
		ctx.VMOVDQU(offset(dither, 32*half), usual[half])
		ctx.VPXOR(usual[half], mask, opposite[half])
	}
	population := func(i int) {
		with := usual
		if collision.DithersOpposite(lattice.Opposite(i)) {
			with = opposite
		}
		for half := range with {
			ctx.VMULPS(operand.Mem{Base: from, Disp: 32 * half}, scale, values)
			ctx.VPADDD(with[half], values, values)
			ctx.VCVTPS2PH(towardsZero, values, operand.Mem{Base: to, Disp: 16 * half})
		}
		ctx.ADDQ(operand.Imm(4*windowCells), from)
		ctx.ADDQ(operand.Imm(2*windowCells), to)
		ctx.SUBQ(operand.Imm(windowCells), n)
	}
	population(0)
	ctx.Label("pair")
	population(1)
	population(2)
	ctx.JG(operand.LabelRef("pair"))
	ctx.VZEROUPPER()
	ctx.RET()
}

package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"carina/solver/airflow/collision"
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
}

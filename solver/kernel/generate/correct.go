package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// writeCorrect writes the correction of interpolated walls for one storage:
// what kernel.Corrector describes. Hardly two lanes of a window have links in
// the same direction on the same side of one half, so it takes one link at a
// time, without a branch that depends on it.
func writeCorrect(ctx *build.Context, m machine) {
	name := "correct" + m.name
	ctx.Function(name)
	ctx.Doc(name + " corrects what comes back along links of walled windows.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(slots **float32, words *uint32, width int, first uint32, links *uint32, odd int)")
	slots := ctx.Load(ctx.Param("slots"), ctx.GP64())
	words := ctx.Load(ctx.Param("words"), ctx.GP64())
	width := ctx.Load(ctx.Param("width"), ctx.GP64())
	first, left, links := ctx.GP64(), ctx.GP64(), ctx.GP64()
	ctx.Load(ctx.Param("first"), first.As32())
	ctx.Load(ctx.Param("links"), links)
	ctx.MOVLQZX(operand.Mem{Base: links}, left)
	ctx.ADDQ(operand.Imm(4), links)
	ctx.SHLQ(operand.Imm(2), width)
	rest := ctx.GP64()
	ctx.MOVQ(operand.Mem{Base: slots}, rest)
	odd := ctx.Load(ctx.Param("odd"), ctx.GP64())
	ctx.TESTQ(odd, odd)
	ctx.JNE(operand.LabelRef("odd"))
	for _, label := range []string{"even", "odd"} {
		ctx.Label(label)
		cell, d, at, companion := ctx.GP64(), ctx.GP64(), ctx.GP64(), ctx.GP64()
		ctx.MOVWQZX(operand.Mem{Base: links}, cell)
		ctx.MOVBQZX(operand.Mem{Base: links, Disp: 2}, d)
		ctx.ADDQ(first, cell)
		value := func(slots, cell reg.Register) operand.Mem {
			return operand.Mem{Base: slots, Index: cell, Scale: valueBytes}
		}
		ctx.MOVQ(operand.Mem{Base: slots, Index: d, Scale: 8, Disp: 8}, at)
		bounced, change, still := ctx.XMM(), ctx.XMM(), ctx.XMM()
		if label == "even" {
			ctx.XORQ(operand.Imm(1), d)
			ctx.MOVQ(operand.Mem{Base: slots, Index: d, Scale: 8, Disp: 8}, companion)
			ctx.VMOVSS(value(companion, cell), change)
		} else {
			window := ctx.GP64()
			ctx.MOVBQZX(operand.Mem{Base: links, Disp: 3}, window)
			ctx.IMULQ(width, window)
			ctx.ADDQ(words, window)
			ctx.MOVLQSX(operand.Mem{Base: window, Index: d, Scale: 4, Disp: 8}, companion)
			ctx.ADDQ(cell, companion)
			ctx.VMOVSS(value(at, companion), change)
		}
		ctx.VMOVSS(value(at, cell), bounced)
		ctx.VSUBSS(bounced, change, change)
		ctx.VMULSS(operand.Mem{Base: links, Disp: 4}, change, change)
		ctx.VADDSS(change, bounced, bounced)
		ctx.VMOVSS(bounced, value(at, cell))
		ctx.VMOVSS(value(rest, cell), still)
		ctx.VSUBSS(change, still, still)
		ctx.VMOVSS(still, value(rest, cell))
		ctx.ADDQ(operand.Imm(8), links)
		ctx.DECQ(left)
		ctx.JNE(operand.LabelRef(label))
		ctx.RET()
	}
}

package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"carina/solver/lattice"
)

// sets are those of the variants.
var sets = []*lattice.Set{lattice.D3Q19, lattice.D3Q27}

// summing names the function of a set for a storage.
func (m machine) summing(s storage, set *lattice.Set) string {
	s.name = single
	if s.real == 8 {
		s.name = double
	}
	return "moments" + m.name + s.title() + set.Name
}

// writeMoments writes what kernel.AddUp describes, as many lanes at a time as a register
// has double-precision numbers.
func writeMoments(ctx *build.Context, m machine, s storage, set *lattice.Set) {
	ctx.Function(m.summing(s, set))
	ctx.Doc(m.summing(s, set) + " adds up the populations of a window, see Summer.")
	ctx.Pragma("noescape")
	ctx.SignatureExpr("func(moments *float64, gathered *byte, half *float64)")
	to := ctx.Load(ctx.Param("moments"), ctx.GP64())
	from := ctx.Load(ctx.Param("gathered"), ctx.GP64())
	half := ctx.Load(ctx.Param("half"), ctx.GP64())
	register, clear := ctx.YMM, ctx.VXORPD
	if m.bytes == avx512.bytes {
		register, clear = ctx.ZMM, ctx.VPXORQ
	}
	density, velocity, value := register(), [3]reg.VecVirtual{register(), register(), register()}, register()
	lane := ctx.GP64()
	load := func(i int) {
		at := operand.Mem{Base: from, Disp: i * windowCells * s.real, Index: lane, Scale: uint8(s.real)}
		if s.real == 8 {
			ctx.VMOVUPD(at, value)
		} else {
			ctx.VCVTPS2PD(at, value)
		}
	}
	ctx.XORQ(lane, lane)
	ctx.Label("lanes")
	load(0)
	clear(density, density, density)
	ctx.VMULPD(value, density, density)
	for a, u := range velocity {
		ctx.VBROADCASTSD(operand.Mem{Base: half, Disp: 8 * a}, u)
		ctx.VADDPD(density, u, u)
	}
	ctx.VMOVAPD(value, density)
	for i := 1; i < set.Q; i++ {
		load(i)
		ctx.VADDPD(value, density, density)
		for a, u := range velocity {
			switch set.Velocities[i][a] {
			case 1:
				ctx.VADDPD(value, u, u)
			case -1:
				ctx.VSUBPD(value, u, u)
			}
		}
	}
	for k, sum := range append([]reg.VecVirtual{density}, velocity[:]...) {
		ctx.VMOVUPD(sum, operand.Mem{Base: to, Disp: 8 * windowCells * k, Index: lane, Scale: 8})
	}
	ctx.ADDQ(operand.Imm(uint64(m.bytes/8)), lane)
	ctx.CMPQ(lane, operand.Imm(windowCells))
	ctx.JLT(operand.LabelRef("lanes"))
	ctx.VZEROUPPER()
	ctx.RET()
}

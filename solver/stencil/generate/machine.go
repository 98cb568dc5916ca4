package generate

// machine is an instruction set with registers of several numbers.
type machine struct {
	name, letter string
	bytes        int // of a register
	// registers are for values: the others take masks, constants and maxima.
	registers int
	// macros are what lines of a body mean, in terms of those of single and double
	// precision.
	macros, single, double string
}

var machines = []machine{
	{name: "AVX512", letter: "Z", bytes: 64, registers: 31, macros: avx512Macros, single: avx512Single, double: avx512Double},
	{name: "AVX2", letter: "Y", bytes: 32, registers: 14, macros: avx2Macros, single: avx2Single, double: avx2Double},
}

// Registers of all functions:
//
//	AX  pointers to inputs and outputs
//	BX  that at hand
//	CX  the table
//	DX  memory for spilled values
//	R8  cells
//	R9  first cell at hand
//	R10 how many are left
//	R11 how many are in a register
//
// where pointers are held all the time, in SI, DI, R13, R14 and R15:
//
//	R12 how far away is what is asked for
//
// and where there are stages:
//
//	R12 first cell of a part
//	R13 that behind it
//	SI  memory for kept values of the cells at hand
const macros = `
#define CONSTANT(n) (32*n)(CX)
#define SPILLED(n) (VECTOR*n)(DX)
#define SPILL(from, n) VMOVUPS from, SPILLED(n)
#define FILL(n, to) VMOVUPS SPILLED(n), to
#define PLACE(i) MOVQ (8*i)(AX), BX
#define THERE(p, d) ((d)*REAL)(p)(R9*REAL)

#define ENTER \
	MOVQ at+0(FP), AX \
	MOVQ n+8(FP), R8 \
	MOVQ table+16(FP), CX \
	LEAQ 63(SP), DX \
	ANDQ $~63, DX \
	XORQ R9, R9 \
	MOVQ $CELLS, R11
`

const wholeMacros = `
// Whole registers of cells come first, then those that are left.
#define FUNCTION(body) \
	ENTER \
	HOLD \
	ASK_FIRST \
	JMP  next \
loop: \
	body(LOAD_ALL, STORE_ALL, STORE_ALL_MAXIMUM) \
	ADDQ $CELLS, R9 \
	ASK_NEXT \
next: \
	MOVQ R8, R10 \
	SUBQ R9, R10 \
	CMPQ R10, R11 \
	JGE  loop \
	TESTQ R10, R10 \
	JLE  done \
	REST \
	LANES \
	body(LOAD, STORE, STORE_MAXIMUM) \
done: \
	VZEROUPPER \
	RET
`

const loadMacros = `
#define LOAD_ALL(p, d, r) VMOVUPS THERE(p, d), r

#define STORE_ALL(r, p, d) VMOVUPS r, THERE(p, d)
`

// partBytes are those of a value that go through one stage before the next one.
const partBytes = 256

// Stages share values of a part, which lie behind the slots of a stage. Outputs that go past the
// cache are put aside behind them.
const stageMacros = `
#define PART %d
#define KEPT(n) (VECTOR*%d + PART*(n))(SI)
#define KEEP(from, n) VMOVUPS from, KEPT(n)
#define RECALL(n, to) VMOVUPS KEPT(n), to
#define ASIDE(n) KEPT(n+%d)

#define NEXT_PART(rest) \
	MOVQ    R8, R10 \
	SUBQ    R12, R10 \
	CMPQ    R10, R11 \
	JLT     rest \
	ANDQ    $~(CELLS-1), R10 \
	MOVQ    $(PART/REAL), R13 \
	CMPQ    R10, R13 \
	CMOVQLT R10, R13 \
	ADDQ    R12, R13

#define BEGIN \
	MOVQ R12, R9 \
	MOVQ DX, SI

#define ALL(stage) \
	ADDQ $CELLS, R9 \
	ADDQ $VECTOR, SI \
	CMPQ R9, R13 \
	JLT  stage

#define STORE_ASKED(r, p, d, n) \
	STORE_ALL(r, p, d) \
	PREFETCH(p)

#define ASK(i) \
	PLACE(i) \
	PREFETCH(BX)

#define STORE_LEFT(r, p, d, n) STORE(r, p, d)
#define STORE_ASIDE(r, p, d, n) VMOVUPS r, ASIDE(n)

// What was put aside goes past the cache, a whole line of it at once: parts of lines of many
// outputs would not wait for each other.
#define STREAM(i, n, line) \
	BEGIN \
	PLACE(i) \
line: \
	VMOVUPS  ASIDE(n), Y0 \
	VMOVUPS  32+ASIDE(n), Y1 \
	VMOVNTPD Y0, THERE(BX, 0) \
	VMOVNTPD Y1, 32(BX)(R9*REAL) \
	ADDQ     $64, SI \
	ADDQ     $(64/REAL), R9 \
	CMPQ     R9, R13 \
	JLT      line

#define NOTHING(streams)
#define JUST(streams) streams
`

// Parts of whole registers of cells go through the stages, then the cells that are left.
const stageFunction = `
#define FUNCTION(STORE_WHOLE, THEN) \
	ENTER \
	XORQ R12, R12 \
part: \
	NEXT_PART(rest) \
%s	MOVQ R13, R12 \
	JMP  part \
rest: \
	TESTQ R10, R10 \
	JLE  done \
	LANES \
	BEGIN \
%sdone: \
	VZEROUPPER \
	RET

`

// The cache is asked for what comes AHEAD bytes behind what is read and written: there are
// more streams than the hardware follows.
const behind = `
#define ASK_FIRST
#define ASK_NEXT
#define AHEAD 512
#define PREFETCH(p) PREFETCHT0 AHEAD(p)(R9*REAL)
`

// Or for the next row, whose distance is where a pointer leads to.
const rowAhead = `
#define ASK_FIRST MOVQ %d(AX), R12; MOVQ (R12), R12
#define ASK_NEXT ADDQ $(CELLS*REAL), R12
#define PREFETCH(p) PREFETCHT0 (p)(R12*1)
`

// Or for nothing.
const nothing = `
#define ASK_FIRST
#define ASK_NEXT
`

// Cells that do not fill a register are computed in some lanes of one.
const inLanes = `
#define REST
`

// Or with those before them, once more.
const onceMore = `
#define REST \
	CMPQ R8, R11 \
	JLT  few \
	MOVQ R8, R9 \
	SUBQ R11, R9 \
	JMP  loop \
few:
`

// With AVX-512 K1 has a bit for each cell, K2 what a choice is by.
const avx512Macros = `
#define VECTOR 64
#define COPY(n, to) BROADCAST CONSTANT(n), to
#define ADD_CONSTANT(n, a, to) ADD.BCST CONSTANT(n), a, to
#define SUBTRACT_CONSTANT(n, a, to) SUBTRACT.BCST CONSTANT(n), a, to
#define MULTIPLY_CONSTANT(n, a, to) MULTIPLY.BCST CONSTANT(n), a, to
#define DIVIDE_CONSTANT(n, a, to) DIVIDE.BCST CONSTANT(n), a, to
#define MAXIMUM_CONSTANT(n, a, to) MAXIMUM.BCST CONSTANT(n), a, to
#define MINIMUM_CONSTANT(n, a, to) MINIMUM.BCST CONSTANT(n), a, to
#define SELECT(a, b, c, d, to) \
	COMPARE $1, b, a, K2 \
	BLEND   c, d, K2, to

#define LANES \
	CMPQ    R10, R11 \
	CMOVQGT R11, R10 \
	MOVQ    $-1, BX \
	BZHIQ   R10, BX, BX \
	KMOVW   BX, K1

#define LOAD(p, d, r) MOVE.Z THERE(p, d), K1, r

#define STORE(r, p, d) MOVE r, K1, THERE(p, d)

#define STORE_MAXIMUM(r, p, d) \
	MAXIMUM (p), r, Z31 \
	MOVE    Z31, K1, (p)

#define STORE_ALL_MAXIMUM(r, p, d) \
	MAXIMUM (p), r, Z31 \
	VMOVUPS Z31, (p)
`

const avx512Double = `
#define CELLS 8
#define BROADCAST VBROADCASTSD
#define COMPARE VCMPPD
#define BLEND VBLENDMPD
#define MOVE VMOVUPD
`

const avx512Single = `
#define CELLS 16
#define BROADCAST VBROADCASTSS
#define COMPARE VCMPPS
#define BLEND VBLENDMPS
#define MOVE VMOVUPS
`

// With AVX2 Y15 masks lanes and Y14 takes maxima and what a choice is by.
const avx2Macros = `
#define VECTOR 32
#define COPY(n, to) VMOVUPS CONSTANT(n), to
#define ADD_CONSTANT(n, a, to) ADD CONSTANT(n), a, to
#define SUBTRACT_CONSTANT(n, a, to) SUBTRACT CONSTANT(n), a, to
#define MULTIPLY_CONSTANT(n, a, to) MULTIPLY CONSTANT(n), a, to
#define DIVIDE_CONSTANT(n, a, to) DIVIDE CONSTANT(n), a, to
#define MAXIMUM_CONSTANT(n, a, to) MAXIMUM CONSTANT(n), a, to
#define MINIMUM_CONSTANT(n, a, to) MINIMUM CONSTANT(n), a, to
#define SELECT(a, b, c, d, to) \
	COMPARE $1, b, a, Y14 \
	BLEND   Y14, c, d, to

#define LANES \
	VMOVQ   R10, X15 \
	COUNT   X15, Y15 \
	GREATER NUMBERS, Y15, Y15

#define LOAD(p, d, r) MOVE THERE(p, d), Y15, r

#define STORE(r, p, d) MOVE r, Y15, THERE(p, d)

#define STORE_MAXIMUM(r, p, d) \
	MAXIMUM (p), r, Y14 \
	MOVE    Y14, Y15, (p)

#define STORE_ALL_MAXIMUM(r, p, d) \
	MAXIMUM (p), r, Y14 \
	VMOVUPS Y14, (p)

DATA doubles<>+0(SB)/8, $0
DATA doubles<>+8(SB)/8, $1
DATA doubles<>+16(SB)/8, $2
DATA doubles<>+24(SB)/8, $3
GLOBL doubles<>(SB), RODATA|NOPTR, $32

DATA singles<>+0(SB)/4, $0
DATA singles<>+4(SB)/4, $1
DATA singles<>+8(SB)/4, $2
DATA singles<>+12(SB)/4, $3
DATA singles<>+16(SB)/4, $4
DATA singles<>+20(SB)/4, $5
DATA singles<>+24(SB)/4, $6
DATA singles<>+28(SB)/4, $7
GLOBL singles<>(SB), RODATA|NOPTR, $32
`

const avx2Double = `
#define CELLS 4
#define COMPARE VCMPPD
#define BLEND VBLENDVPD
#define MOVE VMASKMOVPD
#define COUNT VPBROADCASTQ
#define GREATER VPCMPGTQ
#define NUMBERS doubles<>+0(SB)
`

const avx2Single = `
#define CELLS 8
#define COMPARE VCMPPS
#define BLEND VBLENDVPS
#define MOVE VMASKMOVPS
#define COUNT VPBROADCASTD
#define GREATER VPCMPGTD
#define NUMBERS singles<>+0(SB)
`

// The operations of both instruction sets in a precision.
const doubleMacros = `
#define REAL 8
#define ADD VADDPD
#define SUBTRACT VSUBPD
#define MULTIPLY VMULPD
#define DIVIDE VDIVPD
#define MAXIMUM VMAXPD
#define MINIMUM VMINPD
#define ROOT VSQRTPD
#define POWER VPSLLQ $52,
`

const singleMacros = `
#define REAL 4
#define ADD VADDPS
#define SUBTRACT VSUBPS
#define MULTIPLY VMULPS
#define DIVIDE VDIVPS
#define MAXIMUM VMAXPS
#define MINIMUM VMINPS
#define ROOT VSQRTPS
#define POWER VPSLLD $23,
`

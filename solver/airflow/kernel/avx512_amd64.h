// What AVX-512 adds to window_amd64.h: K1 has a bit for each cell of the window,
// K2 for those whose neighbour at hand is fluid, K3 for those that meet a wall
// there. A register takes a window, in double precision half of one: then R13
// (R11 in even kernels) counts the halves.

#include "window_amd64.h"

#define VECTOR 64
#define INSIDE K1
#define ALL_LANES

// Operations with a constant of the table.
#define ADD_CONSTANT(n, a, to) ADD.BCST CONSTANT(n), a, to
#define SUBTRACT_CONSTANT(n, a, to) SUBTRACT.BCST CONSTANT(n), a, to
#define MULTIPLY_CONSTANT(n, a, to) MULTIPLY.BCST CONSTANT(n), a, to
#define DIVIDE_CONSTANT(n, a, to) DIVIDE.BCST CONSTANT(n), a, to
#define MAXIMUM_CONSTANT(n, a, to) MAXIMUM.BCST CONSTANT(n), a, to

// LOAD makes the other lanes zero, LOAD_MORE leaves them.
#ifdef SINGLE
#define LOAD(at, mask, r) VMOVUPS.Z at, mask, r
#define LOAD_MORE(at, mask, r) VMOVUPS at, mask, r
#define STORE(r, mask, at) VMOVUPS r, mask, at
#endif
#ifdef DOUBLE
#define LOAD(at, mask, r) VMOVUPD.Z at, mask, r
#define LOAD_MORE(at, mask, r) VMOVUPD at, mask, r
#define STORE(r, mask, at) VMOVUPD r, mask, at
#endif
#ifdef HALF
#define LOAD(at, mask, r) VCVTPH2PS.Z at, mask, r
#define STORE(r, mask, at) VCVTPS2PH $3, r, mask, at

// The dither is in memory, first as the sum of its seeds, and so is
// what opposite populations get.
#define DITHERED DITHER_AT(DX)
#define OPPOSITE (DITHER_AT+64)(DX)
#define FIRST_SEED(r) VMOVDQU32 r, DITHERED
#define SEED(r) \
	VPADDD    DITHERED, r, Z31 \
	VMOVDQU32 Z31, DITHERED
#define LAST_SEED(r) \
	VPADDD       DITHERED, r, Z31 \
	VPMULLD.BCST dither<>(SB), Z31, Z31 \
	VPSRLD       $DITHER_SHIFT, Z31, Z31 \
	VMOVDQU32    Z31, DITHERED \
	VPXORD.BCST  dither<>+4(SB), Z31, Z31 \
	VMOVDQU32    Z31, OPPOSITE
#define DITHER(r) VPADDD DITHERED, r, Z31
#define DITHER_OPPOSITE(r) VPADDD OPPOSITE, r, Z31

DATA dither<>+0(SB)/4, $DITHER_FACTOR
DATA dither<>+4(SB)/4, $DITHER_MASK
GLOBL dither<>(SB), RODATA|NOPTR, $8
#endif

#ifdef DOUBLE
#define FIRST_PART(left, half) \
	MOVLQZX COUNT, left \
	XORQ    half, half \
part: \
	MOVQ    $-1, BX \
	BZHIQ   left, BX, BX \
	KMOVW   BX, K1

#define NEXT_PART(left, half) \
	ADDQ $8, R9 \
	INCQ half \
	SUBQ $8, left \
	JG   part

#define WALLS(q, back) \
	MOVBLZX LANES(q, back)(R13*1), BX \
	KMOVW   BX, K2 \
	KANDNW  K1, K2, K3
#else
#define FIRST_PART(left, half) \
	MOVLQZX COUNT, BX \
	XORQ    R10, R10 \
	MOVQ    $-1, R10 \
	BZHIQ   BX, R10, R10 \
	KMOVW   R10, K1

#define NEXT_PART(left, half)

#define WALLS(q, back) \
	KMOVW  LANES(q, back), K2 \
	KANDNW K1, K2, K3
#endif

#ifdef HALF
// The lanes from a wall and from the neighbour are put together before they are
// converted. What lies beyond the window comes along and is not stored.
#define LOAD_WALLED(q, i, back, r) \
	KMOVW     LANES(q, back), K2 \
	MOVQ      SLOTS(i), BX \
	VMOVDQU16 OWN, Y31 \
	PREFETCH_OWN \
	PLACE(back) \
	VMOVDQU16 NEIGHBOUR, K2, Y31 \
	PREFETCH_NEIGHBOUR(back) \
	VCVTPH2PS Y31, r

#define STORE_WALLED(q, i, back, r) \
	WALLS(q, back) \
	VCVTPS2PH $3, r, Y31 \
	PLACE(back) \
	VMOVDQU16 Y31, K2, NEIGHBOUR \
	MOVQ      SLOTS(i), BX \
	VMOVDQU16 Y31, K3, OWN
#else
#define LOAD_WALLED(q, i, back, r) \
	WALLS(q, back) \
	PLACE(back) \
	LOAD(NEIGHBOUR, K2, r) \
	PREFETCH_NEIGHBOUR(back) \
	MOVQ SLOTS(i), BX \
	LOAD_MORE(OWN, K3, r) \
	PREFETCH_OWN

#define STORE_WALLED(q, i, back, r) \
	WALLS(q, back) \
	PLACE(back) \
	STORE(r, K2, NEIGHBOUR) \
	MOVQ SLOTS(i), BX \
	STORE(r, K3, OWN)
#endif

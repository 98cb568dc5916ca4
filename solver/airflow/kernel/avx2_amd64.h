// What AVX2 adds to window_amd64.h: masks are made of bits, in Y15, and Y14
// takes constants and what comes from a wall. A window is taken in parts of a
// register; R13 (R11 in even kernels) points to the bits of the part's lanes.

#include "window_amd64.h"

#define VECTOR 32
#define INSIDE Y15

// The lanes of the part that the window has are kept behind the spilled values.
#define VALID VALID_AT(DX)
#define ALL_LANES VMOVDQU VALID, Y15

// Operations with a constant of the table.
#define ADD_CONSTANT(n, a, to) \
	COPY(n, Y14) \
	ADD Y14, a, to

#define SUBTRACT_CONSTANT(n, a, to) \
	COPY(n, Y14) \
	SUBTRACT Y14, a, to

#define MULTIPLY_CONSTANT(n, a, to) \
	COPY(n, Y14) \
	MULTIPLY Y14, a, to

#define DIVIDE_CONSTANT(n, a, to) \
	COPY(n, Y14) \
	DIVIDE Y14, a, to

#define MAXIMUM_CONSTANT(n, a, to) \
	COPY(n, Y14) \
	MAXIMUM Y14, a, to

#ifdef DOUBLE
#define CELLS 4
#define BROADCAST_COUNT VPBROADCASTQ
#define GREATER VPCMPGTQ
#define EQUAL VPCMPEQQ
#define LOAD(at, mask, r) VMASKMOVPD at, mask, r
#define STORE(r, mask, at) VMASKMOVPD r, mask, at
#else
#define CELLS 8
#define BROADCAST_COUNT VPBROADCASTD
#define GREATER VPCMPGTD
#define EQUAL VPCMPEQD
#define LOAD(at, mask, r) VMASKMOVPS at, mask, r
#define STORE(r, mask, at) VMASKMOVPS r, mask, at
#endif

#define FIRST_PART(left, bits) \
	MOVLQZX COUNT, left \
	LEAQ    laneBits<>+0(SB), bits \
part: \
	VMOVQ   left, X15 \
	BROADCAST_COUNT X15, Y15 \
	GREATER laneNumbers<>+0(SB), Y15, Y15 \
	VMOVDQU Y15, VALID

#define NEXT_PART(left, bits) \
	ADDQ $CELLS, R9 \
	ADDQ $32, bits \
	SUBQ $CELLS, left \
	JG   part

// The lanes whose neighbour is fluid, and the others.
#define FLUID(q, back) \
	VPBROADCASTW LANES(q, back), Y15 \
	VPAND        (R13), Y15, Y15 \
	EQUAL        (R13), Y15, Y15

#define OTHERS VPANDN VALID, Y15, Y15

#define LOAD_WALLED(q, i, back, r) \
	FLUID(q, back) \
	PLACE(back) \
	LOAD(NEIGHBOUR, Y15, r) \
	PREFETCH_NEIGHBOUR(back) \
	OTHERS \
	MOVQ  SLOTS(i), BX \
	LOAD(OWN, Y15, Y14) \
	VORPS Y14, r, r

#define STORE_WALLED(q, i, back, r) \
	FLUID(q, back) \
	PLACE(back) \
	STORE(r, Y15, NEIGHBOUR) \
	OTHERS \
	MOVQ SLOTS(i), BX \
	STORE(r, Y15, OWN)

// laneBits holds 1<<i and laneNumbers i for lane i.
#ifdef DOUBLE
DATA laneBits<>+0(SB)/8, $0x1
DATA laneBits<>+8(SB)/8, $0x2
DATA laneBits<>+16(SB)/8, $0x4
DATA laneBits<>+24(SB)/8, $0x8
DATA laneBits<>+32(SB)/8, $0x10
DATA laneBits<>+40(SB)/8, $0x20
DATA laneBits<>+48(SB)/8, $0x40
DATA laneBits<>+56(SB)/8, $0x80
DATA laneBits<>+64(SB)/8, $0x100
DATA laneBits<>+72(SB)/8, $0x200
DATA laneBits<>+80(SB)/8, $0x400
DATA laneBits<>+88(SB)/8, $0x800
DATA laneBits<>+96(SB)/8, $0x1000
DATA laneBits<>+104(SB)/8, $0x2000
DATA laneBits<>+112(SB)/8, $0x4000
DATA laneBits<>+120(SB)/8, $0x8000
GLOBL laneBits<>(SB), RODATA|NOPTR, $128

DATA laneNumbers<>+0(SB)/8, $0x0
DATA laneNumbers<>+8(SB)/8, $0x1
DATA laneNumbers<>+16(SB)/8, $0x2
DATA laneNumbers<>+24(SB)/8, $0x3
GLOBL laneNumbers<>(SB), RODATA|NOPTR, $32
#else
DATA laneBits<>+0(SB)/4, $0x1
DATA laneBits<>+4(SB)/4, $0x2
DATA laneBits<>+8(SB)/4, $0x4
DATA laneBits<>+12(SB)/4, $0x8
DATA laneBits<>+16(SB)/4, $0x10
DATA laneBits<>+20(SB)/4, $0x20
DATA laneBits<>+24(SB)/4, $0x40
DATA laneBits<>+28(SB)/4, $0x80
DATA laneBits<>+32(SB)/4, $0x100
DATA laneBits<>+36(SB)/4, $0x200
DATA laneBits<>+40(SB)/4, $0x400
DATA laneBits<>+44(SB)/4, $0x800
DATA laneBits<>+48(SB)/4, $0x1000
DATA laneBits<>+52(SB)/4, $0x2000
DATA laneBits<>+56(SB)/4, $0x4000
DATA laneBits<>+60(SB)/4, $0x8000
GLOBL laneBits<>(SB), RODATA|NOPTR, $64

DATA laneNumbers<>+0(SB)/4, $0x0
DATA laneNumbers<>+4(SB)/4, $0x1
DATA laneNumbers<>+8(SB)/4, $0x2
DATA laneNumbers<>+12(SB)/4, $0x3
DATA laneNumbers<>+16(SB)/4, $0x4
DATA laneNumbers<>+20(SB)/4, $0x5
DATA laneNumbers<>+24(SB)/4, $0x6
DATA laneNumbers<>+28(SB)/4, $0x7
GLOBL laneNumbers<>(SB), RODATA|NOPTR, $32
#endif

// The kernels' way from window to window and to the populations of its cells,
// for any instruction set; see WindowKernel for what a window is. The including
// file defines SINGLE, DOUBLE or HALF for the storage. What a line of a body of
// arithmetic means is defined here and in the instruction set's file.
//
// Registers:
//
//	AX   pointers to the slots of each population
//	BX   pointer to the slots of the population at hand
//	CX   the variant's table of constants
//	DX   memory for spilled values
//	SI   words of the window at hand
//	DI   bytes of a window's words
//	R8   windows left
//	R9   first cell at hand
//	R10  its neighbour
//	R11  bytes to the words of the window that the cache is asked for
//
// Even kernels have no use for the last two.

#ifdef DOUBLE
#define BYTES 8
#define REAL 8
#define ADD VADDPD
#define SUBTRACT VSUBPD
#define MULTIPLY VMULPD
#define DIVIDE VDIVPD
#define MAXIMUM VMAXPD
#define ROOT VSQRTPD
#define BROADCAST VBROADCASTSD
#define FAR \
	PREFETCHT1 (BX)(R10*BYTES) \
	PREFETCHT1 64(BX)(R10*BYTES)
#else
#define REAL 4
#define ADD VADDPS
#define SUBTRACT VSUBPS
#define MULTIPLY VMULPS
#define DIVIDE VDIVPS
#define MAXIMUM VMAXPS
#define ROOT VSQRTPS
#define BROADCAST VBROADCASTSS
#define FAR PREFETCHT1 (BX)(R10*BYTES)
#endif

// Of 16-bit populations the first-level cache is asked for those of a chunk, so
// that the corrections with which the next one begins find them; of wider ones
// it does not hold two chunks.
#ifdef HALF
#define BYTES 2
#define NEAR 512
#else
#define NEAR 256
#endif

#ifdef SINGLE
#define BYTES 4
#endif

// Operands: a constant of the table, a spilled value.
#define CONSTANT(n) (REAL*n)(CX)
#define SPILLED(n) (VECTOR*n)(DX)

// A constant into a register, a value into memory and back.
#define COPY(n, to) BROADCAST CONSTANT(n), to
#define SPILL(from, n) VMOVUPS from, SPILLED(n)
#define FILL(n, to) VMOVUPS SPILLED(n), to

// The parts of a window and where the populations are.
#define COUNT 4(SI)
#define OFFSET(back) (8+4*(back-1))(SI)
#define LANES(q, back) (8+4*(q-1)+2*(back-1))(SI)
#define SLOTS(i) (8*i)(AX)
#define OWN (BX)(R9*BYTES)
#define NEIGHBOUR (BX)(R10*BYTES)

// In an odd step population i arrives from slot back, the opposite of i, of the
// neighbour in that direction. What leaves along back goes to the same place.
#define PLACE(back) \
	MOVLQSX OFFSET(back), R10 \
	ADDQ    R9, R10 \
	MOVQ    SLOTS(back), BX

// There are twice as many streams as populations, more than the hardware's
// prefetching follows; and the first-level cache waits for few lines at a time,
// too few for the latency of memory, which the second-level cache hides while
// the first-level one computes. Since rows differ, an odd step asks the words of
// the window ahead where its neighbours are.
#define PREFETCH_EVEN \
	PREFETCHT0 NEAR(BX)(R9*BYTES) \
	PREFETCHT1 8192(BX)(R9*BYTES)

#define PREFETCH_OWN \
	PREFETCHT0 NEAR(BX)(R9*BYTES) \
	MOVL       (SI)(R11*1), R10 \
	FAR

#define PREFETCH_NEIGHBOUR(back) \
	PREFETCHT0 NEAR(BX)(R10*BYTES) \
	MOVL       (SI)(R11*1), R10 \
	ADDL       OFFSET(back)(R11*1), R10 \
	FAR

// Population i of an even step is in slot i of the cell.
#define LOAD_EVEN(q, i, back, r) \
	ALL_LANES \
	MOVQ SLOTS(i), BX \
	LOAD(OWN, INSIDE, r) \
	PREFETCH_EVEN

#define STORE_EVEN(q, i, back, r) \
	ALL_LANES \
	MOVQ SLOTS(i), BX \
	STORE(r, INSIDE, OWN)

#define LOAD_REST_EVEN(r) LOAD_EVEN(0, 0, 0, r)
#define STORE_REST_EVEN(r) STORE_EVEN(0, 0, 0, r)

// That of an odd step without walls at the neighbour, but what is at rest.
#define LOAD_ODD(q, i, back, r) \
	ALL_LANES \
	PLACE(back) \
	LOAD(NEIGHBOUR, INSIDE, r) \
	PREFETCH_NEIGHBOUR(back)

#define STORE_ODD(q, i, back, r) \
	ALL_LANES \
	PLACE(back) \
	STORE(r, INSIDE, NEIGHBOUR)

#define LOAD_REST_ODD(r) \
	ALL_LANES \
	MOVQ SLOTS(0), BX \
	LOAD(OWN, INSIDE, r) \
	PREFETCH_OWN

#define STORE_REST_ODD(r) STORE_EVEN(0, 0, 0, r)

// ENTER loads the arguments and has results and operands below the least normal
// number taken as zero until LEAVE: at the front of what spreads into air at
// rest, such numbers are many, and each takes some processors as long as a
// window. The runtime expects the control word that it has set. Both words are
// in the scratch memory, behind the sums of correctors.
#define CONTROL_SAVED CONTROL_AT(DX)
#define CONTROL_CHANGED (CONTROL_AT+4)(DX)

#define ENTER \
	MOVQ    slots+0(FP), AX \
	MOVQ    table+32(FP), CX \
	MOVQ    scratch+40(FP), DX \
	STMXCSR CONTROL_SAVED \
	MOVL    CONTROL_SAVED, BX \
	ORL     $0x8040, BX \
	MOVL    BX, CONTROL_CHANGED \
	LDMXCSR CONTROL_CHANGED \
	MOVQ    words+8(FP), SI \
	MOVQ    width+16(FP), DI \
	MOVQ    n+24(FP), R8 \
	SHLQ    $2, DI

#define LEAVE \
	LDMXCSR CONTROL_SAVED \
	VZEROUPPER \
	RET

#define NEXT_WINDOW \
loop: \
	TESTQ   R8, R8 \
	JE      done \
	MOVLQZX (SI), R9

#define END_OF_WINDOW \
	ADDQ DI, SI \
	DECQ R8 \
	JMP  loop \
done: \
	LEAVE

// A kernel of each kind with a body of arithmetic.
#define EVEN(body) \
	ENTER \
	NEXT_WINDOW \
	FIRST_PART(R10, R11) \
	body(LOAD_EVEN, STORE_EVEN, LOAD_REST_EVEN, STORE_REST_EVEN) \
	NEXT_PART(R10, R11) \
	END_OF_WINDOW

#define ODD(body) \
	ENTER \
	IMUL3Q $WINDOWS_AHEAD, DI, R11 \
	NEXT_WINDOW \
	FIRST_PART(R12, R13) \
	body(LOAD_ODD, STORE_ODD, LOAD_REST_ODD, STORE_REST_ODD) \
	NEXT_PART(R12, R13) \
	END_OF_WINDOW

// The corrections of the next chunk read the words of its walled windows out of
// order, so the cache is asked for those of a chunk.
#define WALLED(body) \
	ENTER \
	IMUL3Q $WINDOWS_AHEAD, DI, R11 \
	NEXT_WINDOW \
	PREFETCHT0 2048(SI) \
	PREFETCHT0 2112(SI) \
	FIRST_PART(R12, R13) \
	body(LOAD_WALLED, STORE_WALLED, LOAD_REST_ODD, STORE_REST_ODD) \
	NEXT_PART(R12, R13) \
	END_OF_WINDOW

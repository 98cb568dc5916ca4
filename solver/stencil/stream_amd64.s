#include "textflag.h"

// func stream(to *unsafe.Pointer, lists int, from unsafe.Pointer, stride, bytes uintptr)
TEXT ·stream(SB), NOSPLIT, $0-40
	MOVQ to+0(FP), AX
	MOVQ lists+8(FP), R8
	MOVQ from+16(FP), SI
	MOVQ stride+24(FP), DX
	MOVQ bytes+32(FP), R9
list:
	MOVQ (AX), DI
	XORQ CX, CX
line:
	VMOVDQU  (SI)(CX*1), Y0
	VMOVDQU  32(SI)(CX*1), Y1
	VMOVNTDQ Y0, (DI)(CX*1)
	VMOVNTDQ Y1, 32(DI)(CX*1)
	ADDQ $64, CX
	CMPQ CX, R9
	JLT  line
	ADDQ $8, AX
	ADDQ DX, SI
	DECQ R8
	JNZ  list
	VZEROUPPER
	RET

// func fence()
TEXT ·fence(SB), NOSPLIT, $0-0
	SFENCE
	RET

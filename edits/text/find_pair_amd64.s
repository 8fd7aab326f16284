//go:build !purego

#include "textflag.h"

// func pairIn(p *byte, n, gap int, a, b byte) int
//
// Sixty-four places are looked at in a turn: a byte of X2 to X5 is set where both
// bytes are there. SSE2 is part of every amd64, so nothing has to be asked.
TEXT ·pairIn(SB), NOSPLIT, $0-40
	MOVQ p+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ gap+16(FP), DX
	MOVBLZX a+24(FP), AX
	MOVBLZX b+25(FP), BX
	MOVD AX, X0
	PUNPCKLBW X0, X0
	PUNPCKLBW X0, X0
	PSHUFL $0, X0, X0
	MOVD BX, X1
	PUNPCKLBW X1, X1
	PUNPCKLBW X1, X1
	PSHUFL $0, X1, X1
	MOVQ SI, DI
	ADDQ SI, DX
	ADDQ SI, CX

loop:
	MOVOU (SI), X2
	MOVOU 16(SI), X3
	MOVOU 32(SI), X4
	MOVOU 48(SI), X5
	MOVOU (DX), X6
	MOVOU 16(DX), X7
	MOVOU 32(DX), X8
	MOVOU 48(DX), X9
	PCMPEQB X0, X2
	PCMPEQB X0, X3
	PCMPEQB X0, X4
	PCMPEQB X0, X5
	PCMPEQB X1, X6
	PCMPEQB X1, X7
	PCMPEQB X1, X8
	PCMPEQB X1, X9
	PAND X6, X2
	PAND X7, X3
	PAND X8, X4
	PAND X9, X5
	MOVO X2, X6
	POR X3, X6
	POR X4, X6
	POR X5, X6
	PMOVMSKB X6, AX
	TESTL AX, AX
	JNE found
	ADDQ $64, SI
	ADDQ $64, DX
	CMPQ SI, CX
	JCS loop
	MOVQ $-1, ret+32(FP)
	RET

found:
	PMOVMSKB X2, AX
	PMOVMSKB X3, BX
	PMOVMSKB X4, R8
	PMOVMSKB X5, R9
	SHLQ $16, BX
	SHLQ $32, R8
	SHLQ $48, R9
	ORQ BX, AX
	ORQ R8, AX
	ORQ R9, AX
	BSFQ AX, AX
	SUBQ DI, SI
	ADDQ SI, AX
	MOVQ AX, ret+32(FP)
	RET

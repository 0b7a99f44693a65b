//go:build darwin || linux

#include "textflag.h"
#include "go_asm.h"

// Byte offsets in a frame.
#define FN (const_frameFn*8)
#define FLAGS (const_frameFlags*8)
#define STACKAT (const_frameStackAt*8)
#define X8 (const_frameX8*8)
#define RESULT (const_frameRet*8)
#define INTS (const_frameInts*8)
#define FLOATRET (const_frameFloatRet*8)
#define FLOATS (const_frameFloats*8)

GLOBL ·trampoline(SB), NOPTR|RODATA, $8
DATA ·trampoline(SB)/8, $trampoline<>(SB)

// trampoline runs the frame at R0. It is called with the C calling convention
// on the system stack; R19 holds the frame, R20 its flags, and R29 the stack
// pointer to go back to.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0-0
	STP.W (R29, R30), -32(RSP)
	STP   (R19, R20), 16(RSP)
	MOVD  RSP, R29
	MOVD  R0, R19
	MOVD FLAGS(R19), R20
	CBNZ R20, extras

ints:
	LDP  (INTS+0)(R19), (R0, R1)
	LDP  (INTS+16)(R19), (R2, R3)
	LDP  (INTS+32)(R19), (R4, R5)
	LDP  (INTS+48)(R19), (R6, R7)
	MOVD X8(R19), R8
	MOVD FN(R19), R9
	BL   (R9)
	MOVD R29, RSP
	STP  (R0, R1), RESULT(R19)
	TBNZ $1, R20, floatret

done:
	MOVD ZR, R0
	LDP  16(RSP), (R19, R20)
	LDP.P 32(RSP), (R29, R30)
	RET

extras:
	LSR  $32, R20, R10
	CBZ  R10, floats
	LSL  $3, R10, R11
	MOVD RSP, R12
	SUB  R11, R12, R12
	MOVD R12, RSP          // an even number of words
	MOVD STACKAT(R19), R11
	ADD  R19, R11, R11

copy:
	LDP.P 16(R11), (R13, R14)
	STP.P (R13, R14), 16(R12)
	SUBS  $2, R10, R10
	BNE   copy

floats:
	TBZ   $0, R20, ints
	FLDPQ (FLOATS+0)(R19), (F0, F1)
	FLDPQ (FLOATS+32)(R19), (F2, F3)
	FLDPQ (FLOATS+64)(R19), (F4, F5)
	FLDPQ (FLOATS+96)(R19), (F6, F7)
	B     ints

floatret:
	FSTPQ (F0, F1), (FLOATRET+0)(R19)
	FSTPQ (F2, F3), (FLOATRET+32)(R19)
	B     done

//go:build darwin || linux

#include "textflag.h"
#include "go_asm.h"

// Byte offsets in a frame.
#define FN (const_frameFn*8)
#define FLAGS (const_frameFlags*8)
#define STACKAT (const_frameStackAt*8)
#define RESULT (const_frameRet*8)
#define INTS (const_frameInts*8)
#define FLOATRET (const_frameFloatRet*8)
#define FLOATS (const_frameFloats*8)

GLOBL ·trampoline(SB), NOPTR|RODATA, $8
DATA ·trampoline(SB)/8, $trampoline<>(SB)

// trampoline runs the frame at DI. It is called with the C calling convention
// on the system stack; BX holds the frame, R12 its flags, and BP the stack
// pointer to go back to.
TEXT trampoline<>(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BP
	MOVQ  SP, BP
	PUSHQ BX
	PUSHQ R12              // now SP is a multiple of 16
	MOVQ  DI, BX
	MOVQ  FLAGS(BX), R12
	XORL  AX, AX           // variable arguments: no vector registers
	TESTQ R12, R12
	JNZ   extras

ints:
	MOVQ (INTS+0)(BX), DI
	MOVQ (INTS+8)(BX), SI
	MOVQ (INTS+16)(BX), DX
	MOVQ (INTS+24)(BX), CX
	MOVQ (INTS+32)(BX), R8
	MOVQ (INTS+40)(BX), R9
	MOVQ FN(BX), R11
	CALL R11
	LEAQ -16(BP), SP
	MOVQ AX, (RESULT+0)(BX)
	MOVQ DX, (RESULT+8)(BX)
	TESTL $const_flagFloatRet, R12
	JNZ   floatret

done:
	XORL  AX, AX
	POPQ  R12
	POPQ  BX
	POPQ  BP
	RET

extras:
	MOVQ R12, CX
	SHRQ $32, CX
	JZ   floats
	LEAQ (CX*8), AX
	SUBQ AX, SP            // an even number of words
	MOVQ STACKAT(BX), SI
	ADDQ BX, SI

copy:
	MOVQ -8(SI)(CX*8), AX
	MOVQ AX, -8(SP)(CX*8)
	DECQ CX
	JNZ  copy

floats:
	MOVL R12, AX
	ANDL $const_flagFloatArgs, AX
	JZ   ints
	MOVUPS (FLOATS+0)(BX), X0
	MOVUPS (FLOATS+16)(BX), X1
	MOVUPS (FLOATS+32)(BX), X2
	MOVUPS (FLOATS+48)(BX), X3
	MOVUPS (FLOATS+64)(BX), X4
	MOVUPS (FLOATS+80)(BX), X5
	MOVUPS (FLOATS+96)(BX), X6
	MOVUPS (FLOATS+112)(BX), X7
	MOVL $8, AX            // variable arguments: all vector registers
	JMP  ints

floatret:
	MOVUPS X0, (FLOATRET+0)(BX)
	MOVUPS X1, (FLOATRET+16)(BX)
	JMP    done

//go:build darwin || linux

#include "textflag.h"
#include "go_asm.h"

// The frame of 8 KB holds the stack of the C function, which knows nothing of
// growing a goroutine's stack. R21 is callee-saved in C, but not in Go.
//
// func Run(fn uintptr, arg unsafe.Pointer)
TEXT ·Run(SB), 0, $8192-16
	MOVD fn+0(FP), R9
	MOVD arg+8(FP), R0
	MOVD RSP, R21
	ADD  $7168, R21, R10
	AND  $~15, R10, R10
	MOVD R10, RSP
	BL   (R9)
	MOVD R21, RSP
	RET

GLOBL ·callee(SB), NOPTR|RODATA, $8
DATA ·callee(SB)/8, $callee<>(SB)

TEXT callee<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVD R27, R17          // the assembler uses R27 for addresses; C callers own it
	MOVD $·calls(SB), R9
	MOVD (R9), R10
	ADD  $1, R10, R11
	MOVD R11, (R9)
	MOVD $·captures(SB), R11
	MOVD $Capture__size, R12
	MADD R10, R11, R12, R11
	MOVD $Capture_Ints(R11), R13
	STP  (R0, R1), 0(R13)
	STP  (R2, R3), 16(R13)
	STP  (R4, R5), 32(R13)
	STP  (R6, R7), 48(R13)
	MOVD R8, Capture_X8(R11)
	MOVD $Capture_Floats(R11), R13
	FSTPQ (F0, F1), 0(R13)
	FSTPQ (F2, F3), 32(R13)
	FSTPQ (F4, F5), 64(R13)
	FSTPQ (F6, F7), 96(R13)
	MOVD $const_StackWords, R12
	MOVD $Capture_Stack(R11), R13
	MOVD RSP, R14

stack:
	MOVD.P 8(R14), R15
	MOVD.P R15, 8(R13)
	SUBS $1, R12, R12
	BNE  stack

	MOVD $·answers(SB), R11
	MOVD $Answer__size, R12
	MADD R10, R11, R12, R11
	MOVD Answer_Indirect(R11), R12
	CBZ  R12, direct
	MOVD $Answer_Memory(R11), R13

memory:
	MOVD.P 8(R13), R15
	MOVD.P R15, 8(R8)
	SUBS $1, R12, R12
	BNE  memory

direct:
	MOVD $Answer_Ints(R11), R13
	LDP  0(R13), (R0, R1)
	MOVD $Answer_Floats(R11), R13
	FLDPQ 0(R13), (F0, F1)
	FLDPQ 32(R13), (F2, F3)

	// What C may overwrite is overwritten, so that nobody relies on it.
	MOVD ZR, R2
	MOVD ZR, R3
	MOVD ZR, R4
	MOVD ZR, R5
	MOVD ZR, R6
	MOVD ZR, R7
	MOVD ZR, R8
	MOVD ZR, R9
	MOVD ZR, R10
	MOVD ZR, R11
	MOVD ZR, R12
	MOVD ZR, R13
	MOVD ZR, R14
	MOVD ZR, R15
	MOVD R17, R27
	MOVD ZR, R16
	MOVD ZR, R17
	RET

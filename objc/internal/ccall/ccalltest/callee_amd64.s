//go:build darwin || linux

#include "textflag.h"
#include "go_asm.h"

// The frame of 8 KB holds the stack of the C function, which knows nothing of
// growing a goroutine's stack.
//
// func Run(fn uintptr, arg unsafe.Pointer)
TEXT ·Run(SB), 0, $8192-16
	MOVQ fn+0(FP), AX
	MOVQ arg+8(FP), DI
	MOVQ SP, R13           // callee-saved in C
	LEAQ 7168(SP), CX
	ANDQ $~15, CX
	MOVQ CX, SP
	CALL AX
	MOVQ R13, SP
	RET

GLOBL ·callee(SB), NOPTR|RODATA, $8
DATA ·callee(SB)/8, $callee<>(SB)

TEXT callee<>(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ ·calls(SB), R10
	LEAQ ·captures(SB), R11
	IMULQ $Capture__size, R10
	ADDQ R10, R11
	MOVQ DI, Capture_Ints+0(R11)
	MOVQ SI, Capture_Ints+8(R11)
	MOVQ DX, Capture_Ints+16(R11)
	MOVQ CX, Capture_Ints+24(R11)
	MOVQ R8, Capture_Ints+32(R11)
	MOVQ R9, Capture_Ints+40(R11)
	MOVBQZX AX, AX
	MOVQ AX, Capture_Ints+48(R11)
	LEAQ 8(SP), R8         // past the return address: the stack arguments
	MOVQ R8, AX
	ANDQ $15, AX
	MOVQ AX, Capture_Ints+56(R11)
	MOVUPS X0, Capture_Floats+0(R11)
	MOVUPS X1, Capture_Floats+16(R11)
	MOVUPS X2, Capture_Floats+32(R11)
	MOVUPS X3, Capture_Floats+48(R11)
	MOVUPS X4, Capture_Floats+64(R11)
	MOVUPS X5, Capture_Floats+80(R11)
	MOVUPS X6, Capture_Floats+96(R11)
	MOVUPS X7, Capture_Floats+112(R11)
	MOVQ $const_StackWords, CX
	LEAQ Capture_Stack(R11), R9

stack:
	MOVQ -8(R8)(CX*8), AX
	MOVQ AX, -8(R9)(CX*8)
	DECQ CX
	JNZ  stack

	MOVQ ·calls(SB), R10
	LEAQ ·answers(SB), R11
	IMULQ $Answer__size, R10
	ADDQ R10, R11
	INCQ ·calls(SB)
	MOVQ Answer_Ints+0(R11), AX
	MOVQ Answer_Ints+8(R11), DX
	MOVUPS Answer_Floats+0(R11), X0
	MOVUPS Answer_Floats+16(R11), X1
	MOVQ Answer_Indirect(R11), CX
	TESTQ CX, CX
	JEQ  out
	LEAQ Answer_Memory(R11), R9

memory:
	MOVQ -8(R9)(CX*8), R8
	MOVQ R8, -8(DI)(CX*8)
	DECQ CX
	JNZ  memory
	MOVQ DI, AX

out:
	// What C may overwrite is overwritten, so that nobody relies on it.
	XORL CX, CX
	XORL SI, SI
	XORL DI, DI
	XORL R8, R8
	XORL R9, R9
	XORL R10, R10
	XORL R11, R11
	RET

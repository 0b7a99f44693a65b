#include "textflag.h"

// func goroutine() uintptr
TEXT ·goroutine(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET

// func stackUsed() uintptr
TEXT ·stackUsed(SB), NOSPLIT, $0-8
	MOVD 8(g), R0 // g.stack.hi; the first two words of g are its stack's bounds
	MOVD RSP, R1
	SUB  R1, R0
	MOVD R0, ret+0(FP)
	RET

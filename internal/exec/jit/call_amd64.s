#include "textflag.h"

// func call(code uintptr, context unsafe.Pointer) int64
TEXT ·call(SB), NOSPLIT, $0-24
	MOVQ code+0(FP), AX
	MOVQ context+8(FP), DI
	CALL AX
	MOVQ AX, ret+16(FP)
	RET

#include "textflag.h"

// func callers(pcs *[16]uintptr, root uintptr) uint64
TEXT ·callers(SB), NOSPLIT|NOFRAME, $0-24
	MOVQ pcs+0(FP), DI
	MOVQ root+8(FP), SI
	MOVQ BP, CX
	XORQ DX, DX
	XORQ BX, BX
	MOVQ $0x9E3779B97F4A7C15, R8

next:
	TESTQ CX, CX
	JEQ   done
	MOVQ  8(CX), AX
	CMPQ  AX, SI
	JEQ   done
	CMPQ  BX, $16
	JGE   hash
	MOVQ  AX, (DI)(BX*8)

hash:
	XORQ  AX, DX
	IMULQ R8, DX
	ROLQ  $31, DX
	MOVQ  0(CX), CX
	INCQ  BX
	CMPQ  BX, $256
	JLT   next

done:
	CMPQ BX, $16
	JGE  end
	MOVQ $0, (DI)(BX*8)

end:
	MOVQ DX, ret+16(FP)
	RET

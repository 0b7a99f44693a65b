#include "textflag.h"

// func callers(pcs *[16]uintptr) uint64
TEXT ·callers(SB), NOSPLIT|NOFRAME, $0-16
	MOVD pcs+0(FP), R0
	MOVD R29, R1
	MOVD ZR, R2
	MOVD ZR, R3
	MOVD $0x9E3779B97F4A7C15, R4

next:
	CBZ  R1, done
	MOVD 8(R1), R5
	CMP  $16, R3
	BGE  hash
	MOVD R5, (R0)(R3<<3)

hash:
	EOR  R5, R2, R2
	MUL  R4, R2, R2
	ROR  $33, R2, R2
	MOVD (R1), R1
	ADD  $1, R3, R3
	CMP  $256, R3
	BLT  next

done:
	CMP  $16, R3
	BGE  end
	MOVD ZR, (R0)(R3<<3)

end:
	MOVD R2, ret+8(FP)
	RET

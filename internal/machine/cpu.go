package machine

import "sync"

// CPU are the groups of instructions that this module has assembly for. All are false on
// processors other than amd64.
type CPU struct {
	// AVX2 includes the registers' state being saved by the system.
	AVX2 bool
	// FMA is fused multiply-add and the conversions of half floats, beside AVX2.
	FMA bool
	// BMI is BMI1 and BMI2, which work on bits of general registers.
	BMI bool
	// AVX512 is F, BW, DQ and VL, beside FMA.
	AVX512 bool
	// VNNI is the dot products of 16-bit integers, beside AVX512.
	VNNI bool
}

// DetectCPU returns what this machine has. It asks the processor once.
var DetectCPU = sync.OnceValue(detectCPU)

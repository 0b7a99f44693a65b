// Package cpu reports which vector instructions the processor and the operating system support.
package cpu

import "sync"

// Features are the groups of instructions that this module has assembly for. All are false on
// processors other than amd64.
type Features struct {
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

// Detect returns what this machine has. It asks the processor once.
var Detect = sync.OnceValue(detect)

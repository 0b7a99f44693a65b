package simd

import "github.com/puremetal/puremetal/simd/float16"

// Half is a 16-bit IEEE 754 number, Metal's half: 1 sign bit, 5 exponent bits and 10 fraction bits.
// The Go value holds these bits.
type Half = float16.Half

// BFloat16 is the upper half of a float32, Metal's bfloat: 1 sign bit, 8 exponent bits and 7
// fraction bits. The Go value holds these bits.
type BFloat16 = float16.BFloat16

// HalfOf rounds f to the nearest Half, ties to even. Values that round beyond 65504 become
// infinity; a NaN stays a NaN.
func HalfOf(f float32) Half { return float16.HalfOf(f) }

// BFloat16Of rounds f to the nearest BFloat16, ties to even. A NaN stays a NaN.
func BFloat16Of(f float32) BFloat16 { return float16.BFloat16Of(f) }

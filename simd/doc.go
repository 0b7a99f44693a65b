// Package simd has Go types with the memory layout of the Metal Shading Language's scalars and
// vectors, for buffers and arguments of kernels that Go and Metal share.
//
//	Go                    Metal            bytes  alignment in Metal
//	Half, BFloat16        half, bfloat         2      2
//	Float2                float2               8      8
//	Float3                float3              16     16
//	Float4                float4              16     16
//	PackedFloat3          packed_float3       12      4
//
// and so on for every scalar: a vector of three has the size of one of four, a packed one has no
// padding. Go aligns a structure to its largest scalar, Metal a vector to its own size: where a
// structure holds both, put padding in (package compute says how much).
package simd

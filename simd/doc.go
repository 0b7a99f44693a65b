// Package simd provides Go types with the memory layout of the Metal Shading Language's scalars and
// vectors, for buffers and kernel arguments that Go and Metal share.
//
//	Go                    Metal            bytes  alignment in Metal
//	Half, BFloat16        half, bfloat         2      2
//	Float2                float2               8      8
//	Float3                float3              16     16
//	Float4                float4              16     16
//	PackedFloat3          packed_float3       12      4
//
// The other scalars follow the same pattern: a vector of three has the size of a vector of four,
// and a packed vector has no padding. Go aligns a structure to its largest scalar, while Metal
// aligns a vector to its own size. A structure that mixes scalars and vectors may therefore need
// explicit padding in Go; package compute reports how much.
package simd

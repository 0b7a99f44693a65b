package simd_test

import (
	"fmt"
	"unsafe"

	"github.com/puremetal/puremetal/simd"
)

// A half has 11 significant bits, and a bfloat 8.
func Example() {
	const third = float32(1) / 3
	fmt.Println(simd.HalfOf(1.5), simd.HalfOf(third).Float32())
	fmt.Println(simd.BFloat16Of(1.5), simd.BFloat16Of(third).Float32())
	// Output:
	// 1.5 0.33325195
	// 1.5 0.33398438
}

// A float3 is as large as a float4, and a packed_float3 has no padding.
func ExampleFloat3() {
	v := simd.Float3{X: 1, Y: 2, Z: 3}
	p := simd.PackedFloat3{X: 1, Y: 2, Z: 3}
	fmt.Println(unsafe.Sizeof(v), unsafe.Sizeof(p))
	// Output: 16 12
}

// Vectors have arithmetic, functions and swizzles, as in Metal.
func ExampleFloat4() {
	v := simd.Float4{X: 1, Y: 2, Z: 3, W: 4}
	fmt.Println(v.Add(v.WZYX()), v.XY().Dot(v.ZW()), v.XYZ().Scale(2).Length())
	// Output: {5 5 5 5} 11 7.483315
}

package kernel

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/simd"
)

// Texel is what a kernel sees of a texel: four components, whatever the pixel format. Those that
// the format lacks are 0, and the last is 1. [simd.Float4] and [simd.Half4] are for formats with
// floating-point and normalized numbers, [simd.Int4] for Sint and [simd.UInt4] for Uint.
type Texel interface {
	simd.Float4 | simd.Half4 | simd.Int4 | simd.UInt4
}

// Texture2D is a texture that a kernel reads and samples. It is a parameter of kernels and of
// functions that they call. A launch on a device passes a texture of package compute.
type Texture2D[V Texel] struct{ Image *Image }

// WriteTexture2D is a texture that a kernel writes.
type WriteTexture2D[V Texel] struct{ Image *Image }

// ReadWriteTexture2D is a texture that a kernel reads and writes. A thread reads what it has
// written before, and after [Thread.Barrier] what others of its threadgroup have. Devices can do
// this with some pixel formats only, such as R32Float, R32Uint and, most of them, RGBA8Unorm.
type ReadWriteTexture2D[V Texel] struct{ Image *Image }

// Width returns the number of texels in a row.
func (t Texture2D[V]) Width() uint32 { return t.Image.size(0) }

// Height returns the number of rows.
func (t Texture2D[V]) Height() uint32 { return t.Image.size(1) }

// Read returns a texel. Outside of the texture, all components are 0; Metal lets the last be 1 if
// the format has no alpha.
func (t Texture2D[V]) Read(x, y uint32) V { return read[V](t.Image, x, y) }

// Sample returns the texel at a position, or the weighted average of four. The position is that in
// the texture's width and height, from 0 to 1, unless the sampler counts texels. Texel (x, y) is
// the square from x to x+1 and y to y+1. The filter's weights are exact, as on the software device;
// those of GPUs may have fewer bits. Integers are not averaged: their Filter must be [Nearest].
func (t Texture2D[V]) Sample(s Sampler, at simd.Float2) V {
	typ := typeOf[V](t.Image)
	if typ.Elem == ir.I32 && s.Filter == Linear {
		panic(fmt.Errorf("kernel: Sample: the filter is Linear, but texels are integers; use Nearest"))
	}
	k := texel.Look{Op: ir.OpTexSample, Type: typ, Position: [3]float32{at.X, at.Y}}
	return texelOf[V](t.Image.image().Sample(s.state(), &k))
}

// Width returns the number of texels in a row.
func (t WriteTexture2D[V]) Width() uint32 { return t.Image.size(0) }

// Height returns the number of rows.
func (t WriteTexture2D[V]) Height() uint32 { return t.Image.size(1) }

// Write replaces a texel. Outside of the texture, it does nothing.
func (t WriteTexture2D[V]) Write(v V, x, y uint32) { write(t.Image, v, x, y) }

// Width returns the number of texels in a row.
func (t ReadWriteTexture2D[V]) Width() uint32 { return t.Image.size(0) }

// Height returns the number of rows.
func (t ReadWriteTexture2D[V]) Height() uint32 { return t.Image.size(1) }

// Read is that of [Texture2D].
func (t ReadWriteTexture2D[V]) Read(x, y uint32) V { return read[V](t.Image, x, y) }

// Write is that of [WriteTexture2D].
func (t ReadWriteTexture2D[V]) Write(v V, x, y uint32) { write(t.Image, v, x, y) }

func (m *Image) size(axis int) uint32 {
	if m == nil {
		return 0
	}
	return uint32(m.texels.Size(0)[axis])
}

func read[V Texel](m *Image, x, y uint32) V {
	return texelOf[V](m.image().Read(typeOf[V](m), [3]uint32{x, y}, 0, 0))
}

func write[V Texel](m *Image, v V, x, y uint32) {
	bits := texelBits(v)
	m.image().Write(typeOf[V](m), [3]uint32{x, y}, 0, 0, &bits)
}

// typeOf returns the type of a texture of an image, whose format must fit.
func typeOf[V Texel](m *Image) ir.Type {
	var v V
	typ := ir.Type{Elem: ir.F32, Dim: ir.Tex2D}
	want := texel.Fractions
	switch any(v).(type) {
	case simd.Half4:
		typ.Elem = ir.F16
	case simd.Int4:
		typ.Elem, want = ir.I32, texel.Signed
	case simd.UInt4:
		typ.Elem, want = ir.I32, texel.Unsigned
	}
	if m != nil && m.texels.Format.Numbers() != want {
		panic(fmt.Errorf("kernel: a texture of %T has an image of format %s, whose components are %v", v, m.format,
			m.texels.Format.Numbers()))
	}
	return typ
}

// texelOf returns a texel with the given bits.
func texelOf[V Texel](b [4]uint64) (v V) {
	switch v := any(&v).(type) {
	case *simd.Float4:
		f := func(i int) float32 { return math.Float32frombits(uint32(b[i])) }
		*v = simd.Float4{X: f(0), Y: f(1), Z: f(2), W: f(3)}
	case *simd.Half4:
		*v = simd.Half4{X: simd.Half(b[0]), Y: simd.Half(b[1]), Z: simd.Half(b[2]), W: simd.Half(b[3])}
	case *simd.Int4:
		*v = simd.Int4{X: int32(b[0]), Y: int32(b[1]), Z: int32(b[2]), W: int32(b[3])}
	case *simd.UInt4:
		*v = simd.UInt4{X: uint32(b[0]), Y: uint32(b[1]), Z: uint32(b[2]), W: uint32(b[3])}
	}
	return v
}

// texelBits returns the bits of a texel's components.
func texelBits[V Texel](v V) [4]uint64 {
	switch v := any(v).(type) {
	case simd.Float4:
		f := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
		return [4]uint64{f(v.X), f(v.Y), f(v.Z), f(v.W)}
	case simd.Half4:
		return [4]uint64{uint64(v.X), uint64(v.Y), uint64(v.Z), uint64(v.W)}
	case simd.Int4:
		i := func(x int32) uint64 { return uint64(uint32(x)) }
		return [4]uint64{i(v.X), i(v.Y), i(v.Z), i(v.W)}
	case simd.UInt4:
		return [4]uint64{uint64(v.X), uint64(v.Y), uint64(v.Z), uint64(v.W)}
	}
	return [4]uint64{}
}

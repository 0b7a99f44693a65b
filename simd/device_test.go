package simd_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd"
)

// floats has what the kernels of TestDevice compute, in Go.
func floats(a, b simd.Float4) (out [8]simd.Float4) {
	a3, b3 := simd.Float3{X: a.X, Y: a.Y, Z: a.Z}, simd.Float3{X: b.X, Y: b.Y, Z: b.Z}
	c, n := a3.Cross(b3), a3.Normalize()
	return [8]simd.Float4{a.Add(b).Mul(a), a.Sub(b).Div(b), a.Min(b), a.Max(b).Abs().Neg(),
		{X: a.Dot(b), Y: a.Length(), Z: a3.Dot(b3), W: a.XY().Dot(b.ZW())}, {X: c.X, Y: c.Y, Z: c.Z, W: a3.Length()},
		a.Normalize().Scale(b.X).WZYX(), {X: n.X, Y: n.Y, Z: n.Z, W: a.YX().Normalize().X}}
}

func smalls[T simd.SmallFloat](a, b simd.Small4[T]) (out [8]simd.Small4[T]) {
	a3, b3 := a.XYZ(), b.XYZ()
	c, n := a3.Cross(b3), a3.Normalize()
	return [8]simd.Small4[T]{a.Add(b).Mul(a), a.Sub(b).Div(b), a.Min(b), a.Max(b).Abs().Neg(),
		{X: a.Dot(b), Y: a.Length(), Z: a3.Dot(b3), W: a.XY().Dot(b.ZW())}, {X: c.X, Y: c.Y, Z: c.Z, W: a3.Length()},
		a.Normalize().Scale(b.X).WZYX(), {X: n.X, Y: n.Y, Z: n.Z, W: a.YX().Normalize().X}}
}

const vectorSource = `#include <metal_stdlib>
using namespace metal;
kernel void run(device const T4 *a [[buffer(0)]], device const T4 *b [[buffer(1)]], device T4 *out [[buffer(2)]],
                uint i [[thread_position_in_grid]]) {
  T4 x = a[i], y = b[i];
  device T4 *o = out + 8 * i;
  T3 x3 = x.xyz, y3 = y.xyz;
  o[0] = (x + y) * x;
  o[1] = (x - y) / y;
  o[2] = min(x, y);
  o[3] = -abs(max(x, y));
  o[4] = T4(dot(x, y), length(x), dot(x3, y3), dot(x.xy, y.zw));
  o[5] = T4(cross(x3, y3), length(x3));
  o[6] = (normalize(x) * y.x).wzyx;
  o[7] = T4(normalize(x3), normalize(x.yx).x);
}`

// TestDevice: vectors of floats have the bits of the device's.
func TestDevice(t *testing.T) {
	acc := computetest.Open(t)
	rng := rand.New(rand.NewPCG(1, 2))
	number := func() float32 { return rng.Float32()*8 - 4 }
	t.Run("float", func(t *testing.T) {
		testDevice(t, acc, floats,
			func() simd.Float4 { return simd.Float4{X: number(), Y: number(), Z: number(), W: number()} })
	})
	half := func() simd.Half { return simd.HalfOf(number()) }
	t.Run("half", func(t *testing.T) {
		testDevice(t, acc, smalls, func() simd.Half4 { return simd.Half4{X: half(), Y: half(), Z: half(), W: half()} })
	})
}

func testDevice[V any](t *testing.T, acc *compute.Accelerator, compute4 func(a, b V) [8]V, next func() V) {
	safe := mtl.MathModeSafe
	testSource(t, acc, compute4, next, vectorSource, compute.CompileOptions{Math: &safe})
	testSource(t, acc, compute4, next, "#pragma METAL fp math_mode(safe)\n"+vectorSource, compute.CompileOptions{})
}

func testSource[V any](t *testing.T, acc *compute.Accelerator, compute4 func(a, b V) [8]V, next func() V,
	source string, o compute.CompileOptions) {
	ctx, n := context.Background(), 500
	_, scalar, _ := strings.Cut(t.Name(), "/")
	o.Macros = map[string]string{"T4": scalar + "4", "T3": scalar + "3"}
	program, err := acc.Compile(ctx, source, o)
	require.NoError(t, err)
	defer program.Close()
	k, err := program.Kernel("run")
	require.NoError(t, err)
	a, b, want := make([]V, n), make([]V, n), make([][8]V, 0, n)
	for i := range a {
		a[i], b[i] = next(), next()
		want = append(want, compute4(a[i], b[i]))
	}
	x, err := compute.BufferOf(ctx, acc, a)
	require.NoError(t, err)
	defer x.Close()
	y, err := compute.BufferOf(ctx, acc, b)
	require.NoError(t, err)
	defer y.Close()
	out, err := compute.BufferOf(ctx, acc, make([]V, 8*n))
	require.NoError(t, err)
	defer out.Close()
	stream, err := acc.NextStream()
	require.NoError(t, err)
	require.NoError(t, stream.Launch(ctx, k, compute.Threads1D(n), x, y, out))
	got := make([]V, 8*n)
	require.NoError(t, out.Download(ctx, got))
	for i := range want {
		for j := range want[i] {
			if j >= 6 && !acc.Info().Software {
				continue // Metal leaves the last bit of normalize to the GPU
			}
			require.Equal(t, want[i][j], got[8*i+j], "row %d of %v and %v", j, a[i], b[i])
		}
	}
}

// TestBFloat: Metal has no functions of bfloat vectors, so these are the rounded results in float.
func TestBFloat(t *testing.T) {
	of := simd.BFloat16Of
	a, b := simd.BFloat2{X: of(1.5), Y: of(-3)}, simd.BFloat2{X: of(1.0078125), Y: of(256)}
	assert.Equal(t, simd.BFloat2{X: of(2.5078125), Y: of(253)}, a.Add(b))
	assert.Equal(t, simd.BFloat2{X: of(1.51171875), Y: of(-768)}, a.Mul(b))
	assert.Equal(t, of(-766.48828125), a.Dot(b))
	assert.Equal(t, simd.BFloat2{X: of(1.0078125), Y: of(-3)}, a.Min(b))
	assert.Equal(t, simd.BFloat2{X: of(-1.5), Y: of(3)}, a.Neg())
}

// TestIntegers: arithmetic wraps around in the width of the components.
func TestIntegers(t *testing.T) {
	a, b := simd.UChar4{X: 200, Y: 3, Z: 7, W: 255}, simd.UChar4{X: 100, Y: 5, Z: 2, W: 1}
	assert.Equal(t, simd.UChar4{X: 44, Y: 8, Z: 9, W: 0}, a.Add(b))
	assert.Equal(t, simd.UChar4{X: 100, Y: 254, Z: 5, W: 254}, a.Sub(b))
	assert.Equal(t, simd.UChar4{X: 32, Y: 15, Z: 14, W: 255}, a.Mul(b))
	assert.Equal(t, simd.UChar4{X: 2, Y: 0, Z: 3, W: 255}, a.Div(b))
	assert.Equal(t, simd.UChar4{X: 144, Y: 6, Z: 14, W: 254}, a.Scale(2))
	assert.EqualValues(t, (32+15+14+255)%256, a.Dot(b))
	c := simd.Int3{X: -5, Y: -1 << 31, Z: 3}
	assert.Equal(t, simd.Int3{X: 5, Y: -1 << 31, Z: 3}, c.Abs())
	assert.Equal(t, simd.Int3{X: 5, Y: -1 << 31, Z: -3}, c.Neg())
	assert.Equal(t, simd.Int3{X: -5, Y: -1 << 31, Z: 1}, c.Min(simd.Int3{X: 1, Y: 1, Z: 1}))
	assert.Equal(t, simd.Int3{X: 1, Y: 1, Z: 3}, c.Max(simd.Int3{X: 1, Y: 1, Z: 1}))
	assert.Equal(t, simd.Int4{X: 3, Y: 3, Z: 3, W: 3}, c.ZZZZ())
	assert.Equal(t, simd.Bool2{X: true}, simd.Bool4{W: true}.WX())
}

package shapes

import (
	"context"
	"encoding/binary"
	"log/slog"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd"
)

// rig is an accelerator with the kernels, which must leave nothing open.
type rig struct {
	t      *testing.T
	acc    *compute.Accelerator
	k      *Shapes
	stream *compute.Stream
}

func open(t *testing.T, c ShapesConstants) *rig {
	acc, err := compute.Open(compute.WithLogger(slog.New(slog.DiscardHandler)))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, acc.Close(context.Background())) })
	k, err := NewShapes(t.Context(), acc, c)
	require.NoError(t, err)
	t.Cleanup(k.Close)
	stream, err := acc.NextStream()
	require.NoError(t, err)
	return &rig{t, acc, k, stream}
}

// buffer makes a buffer that is closed at the end of the test.
func buffer[T any](r *rig, data ...T) *compute.Buffer[T] {
	b, err := compute.BufferOf(r.t.Context(), r.acc, data)
	require.NoError(r.t, err)
	r.t.Cleanup(b.Close)
	return b
}

// read returns a buffer's contents after the work.
func read[T any](r *rig, b *compute.Buffer[T]) []T {
	got := make([]T, b.Len())
	require.NoError(r.t, b.Download(r.t.Context(), got))
	return got
}

// TestMembers: every member of a structure is where the kernel reads it, in a buffer and by value.
func TestMembers(t *testing.T) {
	r := open(t, ShapesConstants{})
	e := Everything{Tag: 1, Id: 2, Lead: 3, Gap: 8, Mode: 11, Color: simd.PackedUChar3{Z: 12}, Pair: simd.Short2{Y: 13},
		Big: 14, Longs: simd.PackedLong2{Y: 15}, Brain: simd.BFloat16Of(18), Type: 19}
	e.In[1] = Inner{H: simd.Half3{Z: simd.HalfOf(4)}, P: simd.PackedHalf3{Z: simd.HalfOf(5)},
		Flags: [3]bool{false, false, true}}
	e.M32[2].Y, e.M33[2].Z, e.M24[1].W = 7, 9, simd.HalfOf(10)
	e.Triples[1].Z, e.Grid[1][2] = 16, 17
	out := buffer(r, make([]float32, 64)...)
	require.NoError(t, r.k.Members(t.Context(), r.stream, compute.Threads1D(2), buffer(r, e), out, e))
	want := []float32{1, 2, 3, 4, 5, 1, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	got := read(r, out)
	assert.Equal(t, want, got[:len(want)])
	assert.Equal(t, want, got[32:32+len(want)])
}

// TestIndices: arguments go to the indices of the source, whatever their order and names.
func TestIndices(t *testing.T) {
	r := open(t, ShapesConstants{Shift: [3]float32{0, 1000, 0}})
	out := buffer[float32](r, 0, 0)
	require.NoError(t, r.k.Close2(t.Context(), r.stream, compute.Threads1D(2), out, 100, [2]float32{10, 20},
		buffer(r, simd.PackedFloat3{Z: 1}, simd.PackedFloat3{Z: 2})))
	assert.Equal(t, []float32{1111, 1122}, read(r, out))
}

// texture makes a texture of one row that is closed at the end of the test.
func texture[T any](r *rig, texels ...T) *compute.Texture[T] {
	o := compute.TextureOptions{Format: uintFormat[T]()}
	x, err := compute.NewTexture[T](r.acc, compute.Texture2D(len(texels), 1), o)
	require.NoError(r.t, err)
	r.t.Cleanup(x.Close)
	require.NoError(r.t, x.Upload(r.t.Context(), texels))
	return x
}

// uintFormat is the format of integers that kernels see as such.
func uintFormat[T any]() mtl.PixelFormat {
	if _, ok := any(*new(T)).(uint8); ok {
		return mtl.PixelFormatR8Uint
	}
	return 0
}

// TestOptional: arguments whose condition is false are nil, and constants may stay undefined.
func TestOptional(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-ins' reflection lists arguments whose condition is false")
	}
	r := open(t, ShapesConstants{})
	out := buffer[float32](r, 0, 0)
	require.NoError(t, r.k.Optional(t.Context(), r.stream, compute.Threads1D(2), out, nil, nil, nil))
	assert.Equal(t, []float32{1, 1}, read(r, out))
}

func TestOptionalGiven(t *testing.T) {
	hundred, ten := uint32(100), float32(10)
	r := open(t, ShapesConstants{HasExtra: true, Scale: &hundred})
	out := buffer[float32](r, 0, 0)
	grid, image := compute.Threads1D(2), texture[float32](r, 1, 2)
	require.NoError(t, r.k.Optional(t.Context(), r.stream, grid, out, buffer[float32](r, 1, 2), &ten, image))
	assert.Equal(t, []float32{1100, 2200}, read(r, out))
	err := r.k.Optional(t.Context(), r.stream, grid, out, nil, &ten, image)
	assert.ErrorContains(t, err, "launch of optional: buffer 1 (extra): missing")
}

func TestImages(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-ins take threadgroup memory without an index for a buffer")
	}
	r := open(t, ShapesConstants{})
	linear, err := r.acc.Sampler(compute.SamplerOptions{Filter: mtl.SamplerMinMagFilterLinear})
	require.NoError(t, err)
	to := texture[float32](r, 0, 0)
	require.NoError(t, r.k.Images(t.Context(), r.stream, compute.Threads2D(2, 1).In(compute.Extent{X: 2}),
		texture[float32](r, 1000, 2000), linear, []compute.AnyTexture{texture[uint8](r, 10, 20), texture[uint8](r, 100, 200)},
		to, 8))
	got := make([]float32, 2)
	require.NoError(t, to.Download(t.Context(), got))
	assert.Equal(t, []float32{1610, 1721}, got)
}

// TestSampled: an array of samplers.
func TestSampled(t *testing.T) {
	if standin.Running() {
		t.Skip("the compiler of the stand-ins counts an array of samplers as one")
	}
	r := open(t, ShapesConstants{})
	var how []*compute.Sampler
	for _, mode := range []mtl.SamplerAddressMode{mtl.SamplerAddressModeRepeat, mtl.SamplerAddressModeClampToEdge} {
		s, err := r.acc.Sampler(compute.SamplerOptions{S: mode})
		require.NoError(t, err)
		how = append(how, s)
	}
	out := buffer[float32](r, 0, 0)
	require.NoError(t, r.k.Sampled(t.Context(), r.stream, compute.Threads1D(2), texture[float32](r, 1000, 2000), how, out))
	assert.Equal(t, []float32{1000, 2000}, read(r, out))
}

// TestUntyped: a structure that Go cannot have is a buffer of bytes.
func TestUntyped(t *testing.T) {
	r := open(t, ShapesConstants{})
	bytes := binary.LittleEndian.AppendUint32(nil, math.Float32bits(1))
	bytes = binary.LittleEndian.AppendUint32(bytes, 10)
	out := buffer[float32](r, 0)
	require.NoError(t, r.k.Untyped(t.Context(), r.stream, compute.Threads1D(1), buffer(r, bytes...),
		buffer[float32](r, 100), out))
	assert.Equal(t, []float32{111}, read(r, out))
}

// TestFollow: the buffers behind pointers are arguments of the launch.
func TestFollow(t *testing.T) {
	r := open(t, ShapesConstants{})
	last := buffer(r, Node{Value: 7})
	address, err := last.Address()
	require.NoError(t, err)
	nodes := buffer(r, Node{}, Node{Next: address})
	address, err = nodes.Address()
	require.NoError(t, err)
	out := buffer[float32](r, 0)
	require.NoError(t, r.k.Follow(t.Context(), r.stream, compute.Threads1D(1), Scene{Nodes: address, First: 1}, out,
		compute.Reads(nodes, last)))
	assert.Equal(t, []float32{7}, read(r, out))
}

// TestPrepared: Bind checks once what runs many times; a template's instances have a method each.
func TestPrepared(t *testing.T) {
	r := open(t, ShapesConstants{})
	x := buffer[int32](r, 1, 2)
	launch, err := r.k.BindTwiceInt(compute.Threads1D(2), x)
	require.NoError(t, err)
	for range 3 {
		require.NoError(t, r.stream.Run(t.Context(), launch))
	}
	assert.Equal(t, []int32{8, 16}, read(r, x))
	half := simd.HalfOf
	y := buffer(r, simd.Half4{X: half(1), W: half(2)})
	require.NoError(t, r.k.TwiceHalf4(t.Context(), r.stream, compute.Threads1D(1), y))
	assert.Equal(t, []simd.Half4{{X: half(2), W: half(4)}}, read(r, y))
}

// TestClosed: a closed launcher and a nil stream are errors, not panics.
func TestClosed(t *testing.T) {
	r := open(t, ShapesConstants{})
	x := buffer[int32](r, 1)
	assert.ErrorIs(t, r.k.TwiceInt(t.Context(), nil, compute.Threads1D(1), x), compute.ErrNil)
	r.k.Close()
	assert.ErrorIs(t, r.k.TwiceInt(t.Context(), r.stream, compute.Threads1D(1), x), compute.ErrClosed)
}

// TestCompileOptions: the functions given to the constructor change the options.
func TestCompileOptions(t *testing.T) {
	r := open(t, ShapesConstants{})
	k, err := NewShapes(t.Context(), r.acc, ShapesConstants{}, func(o *compute.CompileOptions) {
		o.PreciseFunctions = true
	})
	require.NoError(t, err)
	defer k.Close()
	assert.Equal(t, mtl.MathFloatingPointFunctionsPrecise, k.program.Settings().MathFunctions)
	assert.Equal(t, mtl.MathFloatingPointFunctionsFast, r.k.program.Settings().MathFunctions)
}

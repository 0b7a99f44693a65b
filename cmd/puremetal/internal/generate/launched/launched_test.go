package launched

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

func buffer[T any](t *testing.T, acc *compute.Accelerator, data ...T) *compute.Buffer[T] {
	b, err := compute.BufferOf(t.Context(), acc, data)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

func contents[T any](t *testing.T, b *compute.Buffer[T]) []T {
	got := make([]T, b.Len())
	require.NoError(t, b.Download(t.Context(), got))
	return got
}

// TestLaunchers: kernels are compiled once for an accelerator, which closes them: it would complain
// of what is left.
func TestLaunchers(t *testing.T) {
	ctx := t.Context()
	for range 2 { // a second accelerator has kernels of its own
		acc := computetest.Open(t)
		s, err := acc.NextStream()
		require.NoError(t, err)
		x, y := buffer[float32](t, acc, 1, 2, 3), buffer[float32](t, acc, 10, 20, 30, 40)
		require.NoError(t, Saxpy(ctx, s, compute.Threads1D(4), 2, x, y))
		assert.Equal(t, []float32{12, 24, 36, 40}, contents(t, y))

		n, sums := buffer(t, acc, make([]int32, 100)...), buffer[int32](t, acc, 1, 2)
		require.NoError(t, n.Upload(ctx, append(make([]int32, 60), 5, 6, 7, 8, 9, 10)))
		require.NoError(t, LaunchSums(ctx, s, compute.Threads1D(100), n, sums, 64))
		assert.Equal(t, []int32{27, 21}, contents(t, sums))
		err = LaunchSums(ctx, s, compute.Threads1D(100).In(compute.Extent{X: 32}), n, sums, 64)
		assert.ErrorContains(t, err, "threadgroup of 32x1x1 threads, the kernel requires 64x1x1")

		all := buffer(t, acc, body{Speed: simd.Float4{X: 3}}, body{})
		require.NoError(t, Move(ctx, s, compute.Threads1D(2), 0.5, all, [2]uint8{}, simd.Float4{X: 1}))
		assert.Equal(t, []body{{simd.Float4{X: 2.5}, simd.Float4{X: 3}}, {Pos: simd.Float4{X: 1}}}, contents(t, all))
		shape := compute.Texture2D(2, 1)
		in, err := compute.NewTexture[[4]uint8](acc, shape, compute.TextureOptions{})
		require.NoError(t, err)
		defer in.Close()
		require.NoError(t, in.Upload(ctx, [][4]uint8{{255, 0, 51, 255}, {0, 255, 51, 255}}))
		out, err := compute.NewTexture[simd.Float4](acc, shape, compute.TextureOptions{})
		require.NoError(t, err)
		defer out.Close()
		require.NoError(t, out.Upload(ctx, []simd.Float4{{X: 1}, {Y: 2}}))
		require.NoError(t, Tint(ctx, s, compute.Threads2D(2, 1), 0, in, in, simd.Float4{X: 2, Y: 4, Z: 5}, out))
		texels := make([]simd.Float4, 2)
		require.NoError(t, out.Download(ctx, texels))
		assert.Equal(t, []simd.Float4{{X: 3, Z: 1}, {X: 1, Y: 4, Z: 1}}, texels)
		assert.ErrorContains(t, Tint(ctx, s, compute.Threads2D(2, 1), 0, in, nil, simd.Float4{}, out),
			"argument 2: no value")
		at := buffer(t, acc, kernel.Index{Z: 5}, kernel.Index{Z: 6})
		require.NoError(t, Place(ctx, s, compute.Threads1D(2), kernel.Index{X: 1, Y: 2}, at))
		assert.Equal(t, []kernel.Index{{X: 1, Y: 2, Z: 5}, {X: 2, Y: 2, Z: 6}}, contents(t, at))
		require.NoError(t, Nothing(ctx, s, compute.Threads1D(1)))

		k, err := SaxpyKernel(acc)
		require.NoError(t, err)
		again, err := SaxpyKernel(acc)
		require.NoError(t, err)
		assert.Same(t, k, again)
		assert.EqualValues(t, 1, acc.CacheStats().ProgramMisses)
		require.NoError(t, s.Launch(ctx, k, compute.Threads1D(1), float32(1), x, y))
		require.NoError(t, s.Sync(ctx))
	}
	_, err := SaxpyKernel(nil)
	require.ErrorIs(t, err, compute.ErrNil)
	assert.ErrorIs(t, Nothing(ctx, nil, compute.Threads1D(1)), compute.ErrNil)
}

func TestEqualOnCPU(t *testing.T) {
	computetest.EqualOnCPU(t, saxpy, compute.Threads1D(3), float32(2), []float32{1, 2, 3}, []float32{4, 5, 6})
	computetest.EqualOnCPU(t, move, compute.Threads1D(2), seconds(2), bodies{{Speed: simd.Float4{X: 1}}, {}},
		[2]uint8{1, 2}, simd.Float4{})
	in, err := kernel.NewImage([]uint8{1, 2, 3, 4, 250, 251, 252, 253, 99, 98, 97, 96}, 3, 1, "RGBA8Unorm")
	require.NoError(t, err)
	out, err := kernel.NewImage(make([]simd.Float4, 6), 3, 2, "RGBA32Float")
	require.NoError(t, err)
	computetest.EqualOnCPU(t, tint, compute.Threads2D(4, 3), float32(0), in, in, simd.Float4{X: 1, Y: 2, Z: 3, W: 4},
		kernel.ReadWriteTexture2D[simd.Float4]{Image: out})
	assert.Equal(t, make([]byte, 6*16), out.Bytes(), "an argument was changed")
	computetest.EqualOnCPU(t, place, compute.Threads1D(2), kernel.Index{X: 1, Y: 2}, make([]kernel.Index, 2))
}

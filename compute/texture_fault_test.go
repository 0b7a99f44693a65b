package compute

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// onTextures uses textures for the tests under faults.
func onTextures(ctx context.Context, a *Accelerator) error {
	p, err := a.Compile(ctx, textureKernels, CompileOptions{})
	if err != nil {
		return err
	}
	defer p.Close()
	bump, err := p.Kernel("bump")
	if err != nil {
		return err
	}
	x, err := NewTexture[uint32](a, Texture2D(4, 4).Mipmapped(), TextureOptions{Label: "x"})
	if err != nil {
		return err
	}
	defer x.Close()
	if err := x.Upload(ctx, counting[uint32](0, 16)); err != nil {
		return err
	}
	first, err := x.Level(0)
	if err != nil {
		return err
	}
	if _, err := a.Sampler(SamplerOptions{}); err != nil {
		return err
	}
	s, err := a.NewStream(StreamOptions{Label: "textures"})
	if err != nil {
		return err
	}
	defer s.drop() // its work has ended
	got := make([]uint32, 16)
	if err := s.Launch(ctx, bump, Threads2D(4, 4), first); err != nil {
		return err
	}
	if err := DownloadTextureAsync(ctx, s, got, x, Region{}, nil); err != nil {
		_ = s.Sync(ctx) // the first error counts
		return err
	}
	if err := s.Sync(ctx); err != nil {
		return err
	}
	if want := counting[uint32](1, 16); fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("got %v, want %v: %w", got, want, errWrong)
	}
	return nil
}

// TestTextureFailedWrites: the failure of the work that wrote a texture is what its downloads
// return, until all of it has been written anew; other levels are as they were.
func TestTextureFailedWrites(t *testing.T) {
	a := accelerator(t)
	failOn(t, a, softmetal.Faults{}) // skips where there are none
	bump, s, ctx := kernels(t, a, textureKernels)("bump"), newStream(t, a), context.Background()
	x := newTexture(t, a, Texture2D(2, 2).Mipmapped(), TextureOptions{}, counting[uint32](0, 4)...)
	var level [2]*Texture[uint32]
	for i := range level {
		var err error
		level[i], err = x.Level(i)
		require.NoError(t, err)
	}
	require.NoError(t, level[1].Upload(ctx, []uint32{9}))
	failOn(t, a, softmetal.Faults{CommandEvery: 1, CommandCode: int(mtl.CommandBufferErrorTimeout)})
	require.NoError(t, s.Launch(ctx, bump, Threads2D(2, 2), level[0]))
	require.ErrorIs(t, s.Sync(ctx), ErrTimeout)
	failOn(t, a, softmetal.Faults{})
	got := make([]uint32, 4)
	err := x.Download(ctx, got)
	require.ErrorIs(t, err, ErrTimeout)
	assert.ErrorContains(t, err, "the work that wrote it failed")
	assert.Equal(t, []uint32{9}, texelsOf(t, level[1]))
	require.NoError(t, DownloadTextureAsync(ctx, s, got, x, Region{}, nil))
	require.ErrorIs(t, s.Sync(ctx), ErrTimeout)
	require.NoError(t, x.UploadRegion(ctx, Region{X: 1, Width: 1, Height: 2}, []uint32{5, 6}))
	require.ErrorIs(t, x.Download(ctx, got), ErrTimeout, "the first column was not written")
	require.NoError(t, x.UploadRegion(ctx, Region{Width: 2}, []uint32{7, 8}))
	require.NoError(t, x.DownloadRegion(ctx, Region{Width: 2}, got[:2]))
	require.ErrorIs(t, x.Download(ctx, got), ErrTimeout, "the second row was not written as a whole")
	require.NoError(t, x.Upload(ctx, counting[uint32](3, 4)))
	assert.Equal(t, counting[uint32](3, 4), texelsOf(t, x))
}

// TestTextureDropped: a texture that nobody has any more is closed by the garbage collector, and
// not while there is a view.
func TestTextureDropped(t *testing.T) {
	logged := make(chan string, 8)
	a := accelerator(t, WithLogger(slog.New(slog.NewTextHandler(writerTo(logged), nil))))
	view := func() *Texture[uint8] {
		x, err := NewTexture[uint8](a, Texture2D(2, 1).Array(2), TextureOptions{Label: "dropped"})
		require.NoError(t, err)
		v, err := x.Layer(1)
		require.NoError(t, err)
		return v
	}()
	runtime.GC()
	require.NoError(t, view.Upload(t.Context(), []uint8{1, 2}))
	runtime.KeepAlive(view)
	view = nil
	settle.AtMost(t, "bytes of textures", 0, collect(a))
	for text := range logged {
		if strings.Contains(text, "a texture was dropped without Close") {
			assert.Contains(t, text, "dropped")
			break
		}
	}
}

// TestTextureConcurrent: goroutines make views, upload, launch and close as they like.
func TestTextureConcurrent(t *testing.T) {
	a := accelerator(t)
	bump, ctx := kernels(t, a, textureKernels)("bump"), t.Context()
	x := newTexture(t, a, Texture2D(4, 4).Array(4), TextureOptions{}, make([]uint32, 64)...)
	var all sync.WaitGroup
	for n := range 4 {
		s := newStream(t, a)
		all.Go(func() {
			for i := range 20 {
				v, err := x.Layer(n)
				if !assert.NoError(t, err) {
					return
				}
				assert.NoError(t, s.Launch(ctx, bump, Threads2D(4, 4), v))
				own, err := NewTexture[uint32](a, Texture2D(4, 4), TextureOptions{})
				if !assert.NoError(t, err) {
					return
				}
				assert.NoError(t, CopyTexture(ctx, s, own, v))
				own.Close()
				_, err = a.Sampler(SamplerOptions{Anisotropy: 1 + i%4})
				assert.NoError(t, err)
			}
			assert.NoError(t, s.Sync(ctx))
		})
	}
	all.Wait()
	for _, n := range texelsOf(t, x) {
		require.EqualValues(t, 20, n)
	}
}

// TestMetalTextureViews: launches with a texture of Metal's and with a view of it are ordered.
func TestMetalTextureViews(t *testing.T) {
	a := accelerator(t, WithBatching(Batching{Delay: time.Hour}))
	bump, s := kernels(t, a, textureKernels)("bump"), newStream(t, a)
	d, err := Texture2D(1, 1).metalDescriptor(mtl.PixelFormatR32Uint)
	require.NoError(t, err)
	defer d.Release()
	x, err := a.device.NewTexture(d)
	require.NoError(t, err)
	defer x.Release()
	v, err := x.NewView(mtl.PixelFormatR32Uint)
	require.NoError(t, err)
	defer v.Release()
	for range 3 {
		require.NoError(t, s.Launch(t.Context(), bump, Threads1D(1), x))
		require.NoError(t, s.Launch(t.Context(), bump, Threads1D(1), v))
	}
	require.NoError(t, s.Sync(t.Context()))
	assert.EqualValues(t, 5, s.Stats().Barriers)
}

// metalDescriptor describes a private texture that kernels read and write, +1.
func (s TextureShape) metalDescriptor(format mtl.PixelFormat) (mtl.TextureDescriptor, error) {
	s, err := s.checked()
	if err != nil {
		return mtl.TextureDescriptor{}, err
	}
	return s.descriptor(format, mtl.TextureUsageShaderRead|mtl.TextureUsageShaderWrite,
		mtl.MakeResourceOptions(mtl.StorageModePrivate, 0, mtl.HazardTrackingModeUntracked))
}

// TestDepthTexture: a texture of depths is compared by its sampler.
func TestDepthTexture(t *testing.T) {
	a := accelerator(t)
	k := kernels(t, a, `#include <metal_stdlib>
using namespace metal;
kernel void shadow(depth2d<float> depth, sampler s, device float *out, uint i [[thread_position_in_grid]]) {
	out[i] = depth.sample_compare(s, float2((float(i) + 0.5f) / 4, 0.5f), 0.5f);
}`)("shadow")
	o := TextureOptions{Format: mtl.PixelFormatDepth32Float}
	depth := newTexture[float32](t, a, Texture2D(4, 1), o, 0, 0.25, 0.75, 1)
	less, err := a.Sampler(SamplerOptions{Compare: mtl.CompareFunctionLess})
	require.NoError(t, err)
	out, s := bufferOf[float32](t, a, 9, 9, 9, 9), newStream(t, a)
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(4), depth, less, out))
	require.NoError(t, s.Sync(t.Context()))
	got, err := out.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{0, 0, 1, 1}, got)
}

package compute

import (
	"testing"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const readsTexture = `#include <metal_stdlib>
using namespace metal;
kernel void look(texture2d<float> image [[texture(0)]], sampler s [[sampler(0)]], device float *out [[buffer(0)]]) {
	out[0] = image.sample(s, float2(0.5f)).x;
}`

// lookAt makes a texture of one gray texel, and a sampler.
func lookAt(t testing.TB, a *Accelerator, gray byte) (mtl.Texture, mtl.SamplerState) {
	t.Helper()
	d, err := mtl.NewTextureDescriptor()
	require.NoError(t, err)
	defer d.Release()
	d.SetPixelFormat(mtl.PixelFormatR8Unorm)
	d.SetWidth(1)
	d.SetHeight(1)
	d.SetUsage(mtl.TextureUsageShaderRead)
	texture, err := a.device.NewTexture(d)
	require.NoError(t, err)
	require.NoError(t, texture.ReplaceRegion(mtl.Region{Size: mtl.Size{Width: 1, Height: 1, Depth: 1}}, 0, []byte{gray},
		1))
	s, err := mtl.NewSamplerDescriptor()
	require.NoError(t, err)
	defer s.Release()
	sampler, err := a.device.NewSamplerState(s)
	require.NoError(t, err)
	return texture, sampler
}

// TestTexturesStay: what a launch was given is kept until it has run, like buffers, also when the
// program has let it go before the launch went to the device.
func TestTexturesStay(t *testing.T) {
	a := accelerator(t, WithBatching(Batching{Delay: time.Hour}))
	k, s := kernels(t, a, readsTexture)("look"), newStream(t, a)
	out := bufferOf[float32](t, a, 0)
	texture, sampler := lookAt(t, a, 255)
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), out, texture, sampler))
	texture.Release()
	sampler.Release()
	require.NoError(t, s.Sync(t.Context()))
	got, err := out.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{1}, got)
}

// TestNilTextures: a kernel that reads a texture is not launched without.
func TestNilTextures(t *testing.T) {
	a := accelerator(t)
	k := kernels(t, a, readsTexture)("look")
	out := bufferOf[float32](t, a, 0)
	texture, sampler := lookAt(t, a, 0)
	defer texture.Release()
	defer sampler.Release()
	for text, args := range map[string][]any{
		"texture 0 (image): no texture": {out, mtl.Texture{}, sampler},
		"sampler 0 (s): no sampler":     {out, texture, mtl.SamplerState{}},
	} {
		_, err := k.Bind(Threads1D(1), args...)
		require.ErrorIs(t, err, ErrInvalidLaunch)
		assert.ErrorContains(t, err, text)
	}
}

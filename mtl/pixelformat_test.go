package mtl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPixelFormats(t *testing.T) {
	for _, x := range []struct {
		f             PixelFormat
		bytes         uint
		width, height uint
	}{
		{PixelFormatA8Unorm, 1, 1, 1}, {PixelFormatR8Sint, 1, 1, 1}, {PixelFormatR16Float, 2, 1, 1},
		{PixelFormatBGR5A1Unorm, 2, 1, 1},
		{PixelFormatR32Float, 4, 1, 1}, {PixelFormatRGBA8Unorm, 4, 1, 1}, {PixelFormatBGR10A2Unorm, 4, 1, 1},
		{PixelFormatRGB9E5Float, 4, 1, 1},
		{PixelFormatRG32Float, 8, 1, 1}, {PixelFormatRGBA16Float, 8, 1, 1}, {PixelFormatRGBA32Float, 16, 1, 1},
		{PixelFormatBC1_RGBA, 8, 4, 4}, {PixelFormatBC3_RGBA, 16, 4, 4}, {PixelFormatBC4_RUnorm, 8, 4, 4},
		{PixelFormatBC7_RGBAUnorm, 16, 4, 4},
		{PixelFormatPVRTC_RGBA_2BPP, 8, 8, 4}, {PixelFormatEAC_R11Unorm, 8, 4, 4}, {PixelFormatEAC_RGBA8, 16, 4, 4},
		{PixelFormatETC2_RGB8A1, 8, 4, 4},
		{PixelFormatASTC_4x4_sRGB, 16, 4, 4}, {PixelFormatASTC_12x10_LDR, 16, 12, 10}, {PixelFormatASTC_8x5_HDR, 16, 8, 5},
		{PixelFormatASTC_12x12_HDR, 16, 12, 12},
		{PixelFormatGBGR422, 4, 2, 1}, {PixelFormatDepth32Float_Stencil8, 8, 1, 1}, {PixelFormatBGRA10_XR_sRGB, 8, 1, 1},
		{PixelFormatBGR10_XR, 4, 1, 1},
	} {
		assert.Equal(t, x.bytes, x.f.BytesPerBlock(), x.f)
		assert.Equal(t, Size{x.width, x.height, 1}, x.f.BlockSize(), x.f)
	}
	for _, f := range []PixelFormat{PixelFormatInvalid, PixelFormatUnspecialized, 191, 209, 237, 1 << 40,
		^PixelFormat(0)} {
		assert.Zero(t, f.BytesPerBlock(), f)
		assert.Zero(t, f.BlockSize(), f)
	}
}

// TestPixelFormatsComplete: every value with a name has a block, and the ASTC names say its size.
func TestPixelFormatsComplete(t *testing.T) {
	n := 0
	for f := PixelFormat(1); f < 600; f++ {
		name := f.String()
		if strings.Contains(name, "(") || f == PixelFormatUnspecialized {
			assert.Equal(t, pixelNone, f.block().kind, name)
			continue
		}
		n++
		assert.NotEqual(t, pixelNone, f.block().kind, name)
		if strings.HasSuffix(name, "_sRGB") {
			assert.Equal(t, f.block(), f.linear().block(), name)
			plain := strings.TrimSuffix(name, "_sRGB")
			assert.Contains(t, []string{plain, plain + "_LDR"}, f.linear().String())
		} else {
			assert.Equal(t, f, f.linear(), name)
		}
	}
	assert.Equal(t, 138, n)
}

func TestLinearTextureAlignment(t *testing.T) {
	const c = check("-[T t]")
	for _, f := range []PixelFormat{PixelFormatInvalid, PixelFormatBC1_RGBA, PixelFormatDepth32Float, PixelFormatGBGR422,
		9999} {
		require.ErrorIs(t, c.plainFormat(f), ErrArgument, f)
	}
	assert.NoError(t, c.plainFormat(PixelFormatR32Float))
	d := testDevice(t)
	_, err := d.MinimumLinearTextureAlignment(PixelFormatBC1_RGBA)
	require.ErrorIs(t, err, ErrArgument)
	_, err = d.MinimumTextureBufferAlignment(PixelFormatInvalid)
	require.ErrorIs(t, err, ErrArgument)
}

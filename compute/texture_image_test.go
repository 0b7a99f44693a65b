package compute

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestImagesByColor: a texture of one of Go's colors holds that color, whatever image it is made
// from or copied to.
func TestImagesByColor(t *testing.T) {
	a := accelerator(t)
	r := image.Rect(0, 0, 1, 1)
	straight, multiplied := image.NewNRGBA(r), image.NewRGBA(r)
	straight.Set(0, 0, color.NRGBA{200, 100, 50, 128})
	multiplied.Set(0, 0, straight.At(0, 0))
	for _, picture := range []image.Image{straight, multiplied} {
		x, err := TextureOf[color.NRGBA](t.Context(), a, picture, TextureOptions{})
		require.NoError(t, err)
		got := make([]color.NRGBA, 1)
		require.NoError(t, x.Download(t.Context(), got))
		assert.InDelta(t, 200, int(got[0].R), 1)
		assert.EqualValues(t, 128, got[0].A)
		back := image.NewRGBA(r)
		require.NoError(t, x.DownloadImage(t.Context(), back))
		assert.InDelta(t, int(multiplied.Pix[0]), int(back.Pix[0]), 1)
		x.Close()

		y, err := TextureOf[color.RGBA](t.Context(), a, picture, TextureOptions{})
		require.NoError(t, err)
		pre := make([]color.RGBA, 1)
		require.NoError(t, y.Download(t.Context(), pre))
		assert.Equal(t, color.RGBA{multiplied.Pix[0], multiplied.Pix[1], multiplied.Pix[2], 128}, pre[0])
		paletted := image.NewPaletted(r, color.Palette{color.Black, color.Transparent, straight.At(0, 0)})
		require.NoError(t, y.DownloadImage(t.Context(), paletted))
		assert.EqualValues(t, 2, paletted.Pix[0])
		y.Close()
	}
}

package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/examples/image/kernels"
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

func photograph(t *testing.T) *image.NRGBA {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "testdata", "photograph.png"))
	require.NoError(t, err)
	defer f.Close()
	picture, err := png.Decode(f)
	require.NoError(t, err)
	out := image.NewNRGBA(picture.Bounds())
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			out.Set(x, y, picture.At(x, y))
		}
	}
	return out
}

// work runs one stage of the pipeline on an image.
func work(t *testing.T, picture image.Image,
	part func(p *pipeline, out, in pixels) error) *image.NRGBA {
	t.Helper()
	acc := computetest.Open(t)
	p, err := newPipeline(t.Context(), acc)
	require.NoError(t, err)
	defer p.close()
	in, err := p.upload(t.Context(), picture)
	require.NoError(t, err)
	defer in.Close()
	out, err := p.upload(t.Context(), image.NewNRGBA(in.Bounds()))
	require.NoError(t, err)
	defer out.Close()
	require.NoError(t, part(p, out, in))
	made, err := p.download(t.Context(), out)
	require.NoError(t, err)
	return made
}

func equalized(t *testing.T, picture image.Image) *image.NRGBA {
	return work(t, picture, func(p *pipeline, out, in pixels) error {
		return p.equalize(t.Context(), out, in)
	})
}

// at returns a pixel; coordinates beyond the edge are clamped.
func at(p *image.NRGBA, x, y int) color.NRGBA {
	return p.NRGBAAt(min(max(x, 0), p.Rect.Dx()-1), min(max(y, 0), p.Rect.Dy()-1))
}

func brightness(c color.NRGBA) int { return (77*int(c.R) + 150*int(c.G) + 29*int(c.B) + 128) / 256 }

// TestBlur compares with a float64 sum over the whole square around each pixel, which checks both
// passes together.
func TestBlur(t *testing.T) {
	photo, sigma := photograph(t), 1.4
	got := work(t, photo, func(p *pipeline, out, in pixels) error {
		return p.blur(t.Context(), out, in, sigma)
	})
	reach := int(math.Ceil(3 * sigma))
	for y := 0; y < photo.Rect.Dy(); y += 5 {
		for x := range photo.Rect.Dx() {
			var sum [4]float64
			for dy := -reach; dy <= reach; dy++ {
				for dx := -reach; dx <= reach; dx++ {
					c, w := at(photo, x+dx, y+dy), math.Exp(-float64(dx*dx+dy*dy)/(2*sigma*sigma))
					sum = [4]float64{sum[0] + w*float64(c.R), sum[1] + w*float64(c.G), sum[2] + w*float64(c.B), sum[3] + w}
				}
			}
			c := got.NRGBAAt(x, y)
			require.InDelta(t, sum[0]/sum[3], c.R, 0.51, "%d, %d", x, y)
			require.InDelta(t, sum[1]/sum[3], c.G, 0.51)
			require.InDelta(t, sum[2]/sum[3], c.B, 0.51)
			require.EqualValues(t, 255, c.A)
		}
	}
}

func TestEdges(t *testing.T) {
	photo := photograph(t)
	got := work(t, photo, func(p *pipeline, out, in pixels) error {
		return p.edges(t.Context(), out, in)
	})
	for y := range photo.Rect.Dy() {
		for x := range photo.Rect.Dx() {
			var gx, gy int
			for d, weight := range []int{1, 2, 1} {
				gx += weight * (brightness(at(photo, x+1, y+d-1)) - brightness(at(photo, x-1, y+d-1)))
				gy += weight * (brightness(at(photo, x+d-1, y+1)) - brightness(at(photo, x+d-1, y-1)))
			}
			edge := uint8(min(255, math.Hypot(float64(gx), float64(gy))))
			require.InDelta(t, edge, got.NRGBAAt(x, y).R, 1, "%d, %d", x, y) // one where the root is whole but for a rounding
		}
	}
}

// TestEdgesInGo: the kernel in Go finds the same edges.
func TestEdgesInGo(t *testing.T) {
	photo := photograph(t)
	want := work(t, photo, func(p *pipeline, out, in pixels) error {
		return p.edges(t.Context(), out, in)
	})
	size, got := photo.Rect.Size(), image.NewNRGBA(photo.Rect)
	in, err := kernel.NewImage(photo.Pix, size.X, size.Y, "RGBA8Uint")
	require.NoError(t, err)
	out, err := kernel.NewImage(got.Pix, size.X, size.Y, "RGBA8Uint")
	require.NoError(t, err)
	grid := kernel.Index{X: uint32(size.X), Y: uint32(size.Y)}
	require.NoError(t, kernel.Run(grid, kernel.Index{X: 16, Y: 16}, func(t *kernel.Thread) {
		kernels.Sobel(t, kernel.Texture2D[simd.UInt4]{Image: in}, kernel.WriteTexture2D[simd.UInt4]{Image: out})
	}))
	assert.Equal(t, want.Pix, got.Pix)
}

// TestEqualize compares every integer exactly and checks that the levels are about equally
// frequent.
func TestEqualize(t *testing.T) {
	photo := photograph(t)
	got := equalized(t, photo)
	var counts [256]int
	n := photo.Rect.Dx() * photo.Rect.Dy()
	for i := range n {
		counts[brightness(photo.NRGBAAt(i%photo.Rect.Dx(), i/photo.Rect.Dx()))]++
	}
	darkest, sum, table := 0, 0, [256]int{}
	for v, c := range counts {
		if sum == 0 {
			darkest = c
		}
		sum += c
		table[v] = max(0, (sum-darkest)*255/(n-darkest))
	}
	var dark, bright int
	for y := range photo.Rect.Dy() {
		for x := range photo.Rect.Dx() {
			c := photo.NRGBAAt(x, y)
			was := max(1, brightness(c))
			is := table[brightness(c)]
			level := func(c uint8) uint8 { return uint8(min(255, (int(c)*is+was/2)/was)) }
			require.Equal(t, color.NRGBA{level(c.R), level(c.G), level(c.B), 255}, got.NRGBAAt(x, y), "%d, %d", x, y)
			if is < 64 {
				dark++
			}
			if is >= 192 {
				bright++
			}
		}
	}
	assert.InDelta(t, n/4, dark, float64(n)/25)
	assert.InDelta(t, n/4, bright, float64(n)/25)
}

// TestEven checks that an image of one color does not change, nor does one of a single pixel.
func TestEven(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {31, 7}} {
		even := image.NewNRGBA(image.Rectangle{Max: size})
		for i := range even.Pix {
			even.Pix[i] = []uint8{20, 90, 60, 255}[i%4]
		}
		assert.Equal(t, even, equalized(t, even))
		assert.Equal(t, even, work(t, even, func(p *pipeline, out, in pixels) error {
			return p.blur(t.Context(), out, in, 3)
		}))
	}
}

func TestRun(t *testing.T) {
	var b bytes.Buffer
	dir, photo := t.TempDir(), filepath.Join("..", "..", "testdata", "photograph.png")
	require.NoError(t, run(t.Context(), &b, photo, dir, 2.5))
	for _, name := range []string{"blurred.png", "edges.png", "equalized.png"} {
		assert.Contains(t, b.String(), name)
		f, err := os.Open(filepath.Join(dir, name))
		require.NoError(t, err)
		c, err := png.DecodeConfig(f)
		require.NoError(t, err)
		assert.Equal(t, [2]int{384, 256}, [2]int{c.Width, c.Height})
		require.NoError(t, f.Close())
	}
	assert.ErrorContains(t, run(t.Context(), &b, photo, dir, 0), "sigma 0; want more than 0")
	assert.ErrorContains(t, run(t.Context(), &b, "image.metal", dir, 1), "unknown format")
	assert.Error(t, run(t.Context(), &b, photo, filepath.Join(dir, "none"), 1))
}

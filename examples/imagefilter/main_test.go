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

	"github.com/puremetal/puremetal/examples/image/scene"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// opened returns filters of a picture.
func opened(t *testing.T, picture image.Image) *filters {
	t.Helper()
	needImages(t)
	device, err := mtl.DefaultDevice()
	require.NoError(t, err)
	t.Cleanup(device.Release)
	f, err := newFilters(device, picture)
	require.NoError(t, err)
	t.Cleanup(f.close)
	return f
}

func needImages(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in frameworks have no MPSImage")
	}
}

// small is a part of the scene, 60 x 40 pixels of many colors.
func small() *image.NRGBA { return scene.Rows(60, 40, 0, 40) }

// at returns a pixel; coordinates beyond the edge are clamped.
func at(p *image.NRGBA, x, y int) color.NRGBA {
	return p.NRGBAAt(min(max(x, 0), p.Rect.Dx()-1), min(max(y, 0), p.Rect.Dy()-1))
}

func brightness(c color.NRGBA) float64 {
	return 0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)
}

// TestBlur compares with a float64 sum over the whole square around each pixel. Apple does not say
// where its filter cuts the bell off, so a level may be one off.
func TestBlur(t *testing.T) {
	picture, sigma := small(), 1.4
	made, err := opened(t, picture).blur(t.Context(), sigma)
	require.NoError(t, err)
	got := made.(*image.NRGBA)
	reach := int(math.Ceil(4 * sigma))
	for y := range picture.Rect.Dy() {
		for x := range picture.Rect.Dx() {
			var sum [4]float64
			for dy := -reach; dy <= reach; dy++ {
				for dx := -reach; dx <= reach; dx++ {
					c, w := at(picture, x+dx, y+dy), math.Exp(-float64(dx*dx+dy*dy)/(2*sigma*sigma))
					for i, v := range []float64{float64(c.R), float64(c.G), float64(c.B), 1} {
						sum[i] += w * v
					}
				}
			}
			c := got.NRGBAAt(x, y)
			require.InDelta(t, sum[0]/sum[3], c.R, 1, "%d, %d", x, y)
			require.InDelta(t, sum[1]/sum[3], c.G, 1, "%d, %d", x, y)
			require.InDelta(t, sum[2]/sum[3], c.B, 1, "%d, %d", x, y)
			require.EqualValues(t, 255, c.A)
		}
	}
}

// TestEdges compares with the length of the Sobel gradient in plain Go.
func TestEdges(t *testing.T) {
	picture := small()
	made, err := opened(t, picture).edges(t.Context())
	require.NoError(t, err)
	got, strong := made.(*image.Gray), 0
	for y := range picture.Rect.Dy() {
		for x := range picture.Rect.Dx() {
			var gx, gy float64
			for d, weight := range []float64{1, 2, 1} {
				gx += weight * (brightness(at(picture, x+1, y+d-1)) - brightness(at(picture, x-1, y+d-1)))
				gy += weight * (brightness(at(picture, x+d-1, y+1)) - brightness(at(picture, x+d-1, y-1)))
			}
			edge := min(255, math.Hypot(gx, gy))
			require.InDelta(t, edge, got.GrayAt(x, y).Y, 1, "%d, %d", x, y)
			if edge > 128 {
				strong++
			}
		}
	}
	assert.Greater(t, strong, 50, "the picture has edges")
}

// TestThreshold compares every pixel whose brightness is not just the limit.
func TestThreshold(t *testing.T) {
	picture := small()
	made, err := opened(t, picture).threshold(t.Context(), 0.4)
	require.NoError(t, err)
	counts := map[uint8]int{}
	for y := range picture.Rect.Dy() {
		for x := range picture.Rect.Dx() {
			is, light := made.(*image.Gray).GrayAt(x, y).Y, brightness(at(picture, x, y))
			counts[is]++
			if math.Abs(light-0.4*255) > 0.001 {
				want := uint8(0)
				if light > 0.4*255 {
					want = 255
				}
				require.Equal(t, want, is, "%d, %d", x, y)
			}
		}
	}
	assert.Len(t, counts, 2, "both colors occur")
}

// TestEqualize checks that the levels of each color are about equally frequent, in the same order
// as in the picture.
func TestEqualize(t *testing.T) {
	picture := small()
	made, err := opened(t, picture).equalize(t.Context())
	require.NoError(t, err)
	got := made.(*image.NRGBA)
	for c := range 3 {
		var was, is [4]int
		var levels [256]int
		for i := c; i < len(picture.Pix); i += 4 {
			was[picture.Pix[i]/64]++
			is[got.Pix[i]/64]++
			levels[picture.Pix[i]] = int(got.Pix[i])
		}
		n, last := len(picture.Pix)/4, 0
		assert.Greater(t, math.Abs(float64(was[0]-n/4)), float64(n)/20, "channel %d of the picture itself: %v", c, was)
		for quarter, count := range is {
			assert.InDelta(t, n/4, count, float64(n)/20, "channel %d, quarter %d", c, quarter)
		}
		for v, level := range levels {
			if level != 0 {
				assert.GreaterOrEqual(t, level, last, "channel %d, level %d", c, v)
				last = level
			}
		}
	}
}

// TestScale: half the size keeps a slope's values at the middles of pairs; an image of one color
// stays so at any size.
func TestScale(t *testing.T) {
	slope, even := image.NewNRGBA(image.Rect(0, 0, 40, 10)), image.NewNRGBA(image.Rect(0, 0, 9, 7))
	for i := range slope.Pix {
		slope.Pix[i] = uint8(i / 4 % 40 * 6)
		if i%4 == 3 {
			slope.Pix[i] = 255
		}
	}
	for i := range even.Pix {
		even.Pix[i] = []uint8{20, 90, 60, 255}[i%4]
	}
	made, err := opened(t, slope).scale(t.Context(), 0.5)
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 20, 5), made.Bounds())
	for x := 3; x < 17; x++ { // near the edges the slope ends
		assert.InDelta(t, 12*x+3, made.(*image.NRGBA).NRGBAAt(x, 2).G, 1, "%d", x)
	}
	f := opened(t, even)
	for _, factor := range []float64{0.34, 2.5} {
		made, err := f.scale(t.Context(), factor)
		require.NoError(t, err)
		for i, v := range made.(*image.NRGBA).Pix {
			require.InDelta(t, []uint8{20, 90, 60, 255}[i%4], v, 1, "factor %g", factor)
		}
	}
	_, err = f.scale(t.Context(), 0.1)
	assert.ErrorContains(t, err, "image of 0 x 0 pixels")
}

// TestRun runs the program on a PNG file, twice. Nothing is left of it; the software device keeps
// the pipelines of the first round.
func TestRun(t *testing.T) {
	needImages(t)
	dir, objects := t.TempDir(), 0
	s := settings{name: filepath.Join(dir, "in.png"), dir: dir, sigma: 2, scale: 0.5, threshold: 0.5}
	require.NoError(t, write(s.name, small()))
	for round := range 2 {
		var b bytes.Buffer
		require.NoError(t, run(t.Context(), &b, s))
		for _, name := range []string{"blurred.png", "edges.png", "scaled.png", "equalized.png", "threshold.png"} {
			assert.Contains(t, b.String(), name)
			f, err := os.Open(filepath.Join(dir, name))
			require.NoError(t, err)
			c, err := png.DecodeConfig(f)
			require.NoError(t, err)
			want := [2]int{60, 40}
			if name == "scaled.png" {
				want = [2]int{30, 20}
			}
			assert.Equal(t, want, [2]int{c.Width, c.Height})
			require.NoError(t, f.Close())
		}
		if round == 0 {
			objects = objc.LiveObjects()
		}
	}
	if !settle.Equal(t, "live objects", objects, objc.LiveObjects) {
		t.Log(objc.Leaks())
	}
}

// TestScene runs the program on the scene that it renders itself.
func TestScene(t *testing.T) {
	needImages(t)
	var b bytes.Buffer
	dir := t.TempDir()
	require.NoError(t, run(t.Context(), &b, settings{dir: dir, width: 30, sigma: 2, scale: 2, threshold: 0.5}))
	assert.Contains(t, b.String(), "60 x 40 pixels")
	f, err := os.Open(filepath.Join(dir, "scene.png"))
	require.NoError(t, err)
	defer f.Close()
	stored, err := png.Decode(f)
	require.NoError(t, err)
	assert.Equal(t, image.Rect(0, 0, 30, 20), stored.Bounds())
}

func TestMisuse(t *testing.T) {
	var b bytes.Buffer
	good := settings{dir: t.TempDir(), width: 9, sigma: 1, scale: 1, threshold: 0.5}
	text := filepath.Join(t.TempDir(), "text.png")
	require.NoError(t, os.WriteFile(text, []byte("not a picture\n"), 0o600))
	for want, spoil := range map[string]func(s *settings){
		"sigma 0":        func(s *settings) { s.sigma = 0 },
		"scale NaN":      func(s *settings) { s.scale = math.NaN() },
		"width 1;":       func(s *settings) { s.width = 1 },
		"threshold 2":    func(s *settings) { s.threshold = 2 },
		"missing.png":    func(s *settings) { s.name = "missing.png" },
		"not a PNG file": func(s *settings) { s.name = text },
		"scene.png":      func(s *settings) { s.dir = filepath.Join(s.dir, "none") },
	} {
		s := good
		spoil(&s)
		assert.ErrorContains(t, run(t.Context(), &b, s), want)
	}
}

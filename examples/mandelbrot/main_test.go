package main

import (
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/examples/mandelbrot/kernels"
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// color computes a pixel in float64 from the definitions of the set and the palette.
func color(v view, x, y, width, height int) [3]float64 {
	step := float64(v.width) / float64(width)
	c := complex(float64(v.center.X)+(float64(x)+0.5-float64(width)/2)*step,
		float64(v.center.Y)+(float64(y)+0.5-float64(height)/2)*step)
	var z complex128
	n := 0
	for ; n < int(v.limit) && real(z)*real(z)+imag(z)*imag(z) < 64; n++ {
		z = z*z + c
	}
	if n == int(v.limit) {
		return [3]float64{}
	}
	rounds := float64(n) - math.Log2(0.5*math.Log2(real(z)*real(z)+imag(z)*imag(z)))
	channel := func(phase float64) float64 { return 255 * (0.5 - 0.5*math.Cos(2*math.Pi*(0.036*rounds+phase))) }
	return [3]float64{channel(0.02), channel(0.07), channel(0.16)}
}

// TestMandelbrot compares two views with float64. Near the set's boundary, float32 rounding changes
// the iteration count; the tolerance allows for such pixels only.
func TestMandelbrot(t *testing.T) {
	acc := computetest.Open(t)
	const width, height = 150, 101 // no multiples of a threadgroup
	for _, c := range []struct {
		view
		inside  bool // whether the view shows points of the set
		percent int  // of pixels that may differ
	}{{view{simd.Float2{X: -0.6}, 3, 200}, true, 1}, {seahorses(), false, 10}} {
		v := c.view
		picture, _, err := mandelbrot(t.Context(), acc, false, v, width, height)
		require.NoError(t, err)
		inside, off := 0, 0
		for y := range height {
			for x := range width {
				p, want := picture.NRGBAAt(x, y), color(v, x, y, width, height)
				require.EqualValues(t, 255, p.A)
				if want == [3]float64{} {
					inside++
				}
				for i, got := range []uint8{p.R, p.G, p.B} {
					if math.Abs(float64(got)-want[i]) > 4 {
						off++
						break
					}
				}
			}
		}
		assert.Equal(t, c.inside, inside > 100, "%d pixels of the set", inside)
		assert.Less(t, off, width*height*c.percent/100, "pixels of another color")
	}
}

// TestPicture checks the README's image against this program. PUREMETAL_UPDATE=1 writes it again.
func TestPicture(t *testing.T) {
	acc := computetest.Open(t)
	picture, _, err := mandelbrot(t.Context(), acc, false, seahorses(), 480, 320)
	require.NoError(t, err)
	name := filepath.Join("..", "..", "docs", "mandelbrot.png")
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, write(name, picture))
	}
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	stored, err := png.Decode(f)
	require.NoError(t, err)
	require.Equal(t, picture.Bounds(), stored.Bounds())
	off := 0
	for y := range 320 {
		for x := range 480 {
			r, g, b, _ := picture.At(x, y).RGBA()
			sr, sg, sb, _ := stored.At(x, y).RGBA()
			if max(apart(r, sr), apart(g, sg), apart(b, sb)) > 4<<8 {
				off++
			}
		}
	}
	assert.Less(t, off, 480*320*10/100, "pixels of another color: another device may round otherwise, but not so much")
}

func apart(a, b uint32) uint32 { return max(a, b) - min(a, b) }

func TestRun(t *testing.T) {
	for _, inGo := range []bool{false, true} {
		name := filepath.Join(t.TempDir(), "m.png")
		require.NoError(t, run(t.Context(), name, inGo))
		f, err := os.Open(name)
		require.NoError(t, err)
		defer f.Close()
		c, err := png.DecodeConfig(f)
		require.NoError(t, err)
		assert.Equal(t, [2]int{768, 512}, [2]int{c.Width, c.Height})
	}
	assert.Error(t, run(t.Context(), filepath.Join(t.TempDir(), "no", "such", "folder.png"), false))
}

// TestGo compares the picture of mandelbrot.metal with that of the same kernel in Go, on the CPU
// and on the device. Functions such as log2 may round differently, by which a pixel may differ.
func TestGo(t *testing.T) {
	acc := computetest.Open(t)
	const width, height = 90, 61
	v := view{simd.Float2{X: -0.6}, 3, 200}
	want, _, err := mandelbrot(t.Context(), acc, false, v, width, height)
	require.NoError(t, err)
	cpu := make([]simd.UChar4, width*height)
	require.NoError(t, kernel.Run(kernel.Index{X: width, Y: height}, kernel.Index{X: 16, Y: 16},
		func(t *kernel.Thread) { kernels.Mandelbrot(t, cpu, v.center, v.width, v.limit) }))
	picture, _, err := mandelbrot(t.Context(), acc, true, v, width, height)
	require.NoError(t, err)
	device := make([]simd.UChar4, width*height)
	for i := range device {
		p := picture.Pix[4*i:]
		device[i] = simd.UChar4{X: p[0], Y: p[1], Z: p[2], W: p[3]}
	}
	for name, got := range map[string][]simd.UChar4{"CPU": cpu, "device": device} {
		off := 0
		for i, p := range got {
			require.EqualValues(t, 255, p.W)
			for j, c := range []uint8{p.X, p.Y, p.Z} {
				if math.Abs(float64(c)-float64(want.Pix[4*i+j])) > 4 {
					off++
					break
				}
			}
		}
		assert.LessOrEqual(t, off, width*height/100, "pixels that the %s has otherwise", name)
	}
}

package main

import (
	"context"
	"image"
	"image/color"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute/computetest"
)

// TestEdges compares the edges with a plain loop over the pixels.
func TestEdges(t *testing.T) {
	acc := computetest.Open(t)
	picture := image.NewNRGBA(image.Rect(0, 0, 23, 17))
	for y := range 17 {
		for x := range 23 {
			in := (x-11)*(x-11)+(y-8)*(y-8) < 36
			picture.SetNRGBA(x, y, color.NRGBA{R: uint8(10 * x), G: uint8(15 * y), B: 40, A: 255})
			if in {
				picture.SetNRGBA(x, y, color.NRGBA{R: 255, G: 200, B: uint8(8 * x), A: 255})
			}
		}
	}
	const gain = 0.25
	got, err := edges(context.Background(), acc, picture, gain)
	require.NoError(t, err)
	brightness := func(x, y int) float64 {
		c := picture.NRGBAAt(min(max(x, 0), 22), min(max(y, 0), 16))
		return (0.299*float64(c.R) + 0.587*float64(c.G) + 0.114*float64(c.B)) / 255
	}
	weight := [3]float64{1, 2, 1}
	for y := range 17 {
		for x := range 23 {
			var dx, dy float64
			for i, w := range weight {
				dx += w * (brightness(x+1, y+i-1) - brightness(x-1, y+i-1))
				dy += w * (brightness(x+i-1, y+1) - brightness(x+i-1, y-1))
			}
			want := 255 * min(gain*math.Hypot(dx, dy), 1)
			assert.InDelta(t, want, float64(got.NRGBAAt(x, y).R), 0.51, "pixel %d, %d", x, y)
		}
	}
}

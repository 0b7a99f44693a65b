package main

import (
	"image/gif"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/puremetal/puremetal/compute/computetest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDecay starts with half a sine wave in each direction, an eigenvector of the scheme: it keeps
// its shape and decays in each step by the eigenvalue.
func TestDecay(t *testing.T) {
	const width, height, rate = 65, 41, 0.2
	p := plate{width, height, make([]float32, width*height)}
	wave := func(x, y int) float64 {
		return math.Sin(math.Pi*float64(x)/(width-1)) * math.Sin(math.Pi*float64(y)/(height-1))
	}
	for i := range p.temperature {
		p.temperature[i] = float32(wave(i%width, i/width))
	}
	loss := 1 + rate*(2*math.Cos(math.Pi/(width-1))+2*math.Cos(math.Pi/(height-1))-4)
	f, n := frames{count: 5, steps: 37}, 0
	require.NoError(t, diffuse(t.Context(), computetest.Open(t), p, rate, f, func(got []float32) {
		want := make([]float64, len(got))
		for i := range want {
			want[i] = wave(i%width, i/width) * math.Pow(loss, float64(n*f.steps))
		}
		require.True(t, computetest.AllClose(t, got, want, computetest.Tolerance{Abs: 2e-5}, height, width), "frame %d", n)
		n++
	}))
	assert.Equal(t, f.count, n)
}

func TestUnstable(t *testing.T) {
	for _, rate := range []float32{0, -1, 0.26, float32(math.NaN())} {
		err := diffuse(t.Context(), nil, start(4, 4), rate, frames{1, 1}, nil)
		assert.ErrorContains(t, err, "unstable")
	}
}

// TestFilm reads the animation back and checks that the plate cools and the heat spreads.
func TestFilm(t *testing.T) {
	name := filepath.Join(t.TempDir(), "heat.gif")
	require.NoError(t, run(t.Context(), name))
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	g, err := gif.DecodeAll(f)
	require.NoError(t, err)
	require.Len(t, g.Image, 48)
	hot, warm := make([]int, len(g.Image)), make([]int, len(g.Image))
	for n, frame := range g.Image {
		require.Equal(t, 240*160, len(frame.Pix))
		for _, p := range frame.Pix {
			if p > 200 {
				hot[n]++
			}
			if p > 8 {
				warm[n]++
			}
		}
		if n > 0 {
			assert.LessOrEqual(t, hot[n], hot[n-1], "frame %d", n)
		}
	}
	assert.Positive(t, hot[0])
	assert.Zero(t, hot[47])
	assert.Greater(t, warm[47], 2*warm[0])
}

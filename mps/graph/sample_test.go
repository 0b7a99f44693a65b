package graph

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSampleGrid compares samples with the definition in float64, and gradients with differences.
func TestSampleGrid(t *testing.T) {
	const batch, channels, height, width, h, w = 2, 2, 4, 5, 3, 2
	outside := func(mode PaddingMode, i, n int) int {
		switch mode {
		case PaddingModeClampToEdge:
			return min(max(i, 0), n-1)
		case PaddingModeReflect:
			for i < 0 || i >= n {
				if i = max(i, -i); i >= n {
					i = 2*(n-1) - i
				}
			}
		case PaddingModeSymmetric:
			for i < 0 || i >= n {
				if i < 0 {
					i = -1 - i
				} else {
					i = 2*n - 1 - i
				}
			}
		}
		return i
	}
	for n, c := range []struct {
		layout              TensorNamedDataLayout
		normalized, corners bool
		padding             PaddingMode
		mode                ResizeMode
	}{
		{TensorNamedDataLayoutNHWC, true, true, PaddingModeZero, ResizeBilinear},
		{TensorNamedDataLayoutNCHW, true, false, PaddingModeConstant, ResizeBilinear},
		{TensorNamedDataLayoutNHWC, false, true, PaddingModeReflect, ResizeBilinear},
		{TensorNamedDataLayoutNCHW, false, false, PaddingModeSymmetric, ResizeNearest},
		{TensorNamedDataLayoutNHWC, false, true, PaddingModeClampToEdge, ResizeNearest},
	} {
		l := &layer{rig: newRig(t)}
		shape, result := []int{batch, height, width, channels}, []int{batch, h, w, channels}
		if c.layout == TensorNamedDataLayoutNCHW {
			shape, result = []int{batch, channels, height, width}, []int{batch, channels, h, w}
		}
		x, at := l.add("x", shape...), l.add("at", batch, h, w, 2)
		// Positions between elements, also outside, as coordinates.
		position := make([][2]float64, batch*h*w)
		for i := range position {
			for d, size := range []int{width, height} {
				p := float64((7*i+3*d+n)%(size+4)) - 2 + []float64{0.3, 0.4, 0.65}[(i+d)%3]
				position[i][d] = p
				if !c.corners {
					p += 0.5
				}
				if c.normalized && c.corners {
					p = 2*p/float64(size-1) - 1
				} else if c.normalized {
					p = 2*p/float64(size) - 1
				}
				l.values[1][2*i+d] = float32(p)
			}
		}
		element := func(b, y, x, ch int) float64 {
			y, x = outside(c.padding, y, height), outside(c.padding, x, width)
			if y < 0 || y >= height || x < 0 || x >= width {
				return map[PaddingMode]float64{PaddingModeConstant: 7}[c.padding]
			}
			k := ((b*height+y)*width+x)*channels + ch
			if c.layout == TensorNamedDataLayoutNCHW {
				k = ((b*channels+ch)*height+y)*width + x
			}
			return float64(l.values[0][k])
		}
		y, err := l.graph.SampleGridWithSourceTensorSamplingMode(x, at, c.layout, c.normalized, false, c.corners, c.padding,
			c.mode, 7, "")
		require.NoError(t, err)
		require.Equal(t, result, y.Shape())
		got := l.run(l.feeds(), y)
		for i, p := range position {
			for ch := range channels {
				px, py := int(math.Floor(p[0])), int(math.Floor(p[1]))
				fx, fy := p[0]-math.Floor(p[0]), p[1]-math.Floor(p[1])
				b := i / (h * w)
				want := (1-fy)*((1-fx)*element(b, py, px, ch)+fx*element(b, py, px+1, ch)) +
					fy*((1-fx)*element(b, py+1, px, ch)+fx*element(b, py+1, px+1, ch))
				if c.mode == ResizeNearest {
					want = element(b, int(math.Floor(p[1]+0.5)), int(math.Floor(p[0]+0.5)), ch)
				}
				k := i*channels + ch
				if c.layout == TensorNamedDataLayoutNCHW {
					k = (b*channels+ch)*h*w + i%(h*w)
				}
				assert.InDelta(t, want, got[k], 1e-4, fmt.Sprint(n, i, ch))
			}
		}
		if c.padding == PaddingModeReflect || c.padding == PaddingModeZero {
			// The gradient of the positions is that of float32 steps, which must not reach an element.
			dy := l.add("dy", result...)
			loss := l.loss(y, dy)
			d := l.graph.GradientForPrimaryTensor(loss, []Tensor{x, at}, "")
			l.slopes(loss, map[string]Tensor{"x": d[x]})
			if !c.normalized {
				l.slopes(loss, map[string]Tensor{"at": d[at]})
			}
		}
	}
	r := newRig(t)
	x, at := r.placeholder(1, 2, 2, 1), r.placeholder(1, 2, 2, 2)
	for mode, want := range []float32{2, 1, 2, 1} { // at 0.5, of the elements 1 and 2
		y, err := r.graph.SampleGridWithSourceTensor(x, at, TensorNamedDataLayoutNHWC, false, false, true,
			PaddingModeClampToEdge, ResizeNearestRoundingMode(mode), 0, "")
		require.NoError(t, err)
		feeds := map[Tensor]TensorData{x: r.data([]float32{1, 2, 3, 4}, 1, 2, 2, 1),
			at: r.data([]float32{0.5, 0, 0, 0, 1, 0, 1, 1}, 1, 2, 2, 2)}
		assert.Equal(t, []float32{want, 1, 2, 4}, r.run(feeds, y), mode)
	}
	_, err := r.try(func() Tensor {
		y, err := r.graph.SampleGridWithSourceTensor(x, at, TensorNamedDataLayoutNHWC, false, true, true,
			PaddingModeZero, 0, 0, "")
		require.NoError(t, err)
		return y
	})
	assert.ErrorContains(t, err, "the software device has no relative coordinates")
}

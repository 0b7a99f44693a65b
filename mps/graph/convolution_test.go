package graph

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// convolved convolves in float64: x is batch, height, width, channels, w is height, width, inputs,
// outputs; the output has as many places as the input.
func convolved(x, w []float32, n, size, in, out int) []float64 {
	var res []float64
	for b := range n {
		for y := range size {
			for z := range size {
				for o := range out {
					sum := 0.0
					for ky := range 3 {
						for kx := range 3 {
							iy, ix := y+ky-1, z+kx-1
							if iy < 0 || ix < 0 || iy >= size || ix >= size {
								continue
							}
							for c := range in {
								sum += float64(x[((b*size+iy)*size+ix)*in+c]) * float64(w[((ky*3+kx)*in+c)*out+o])
							}
						}
					}
					res = append(res, sum)
				}
			}
		}
	}
	return res
}

func TestConvolution(t *testing.T) {
	r := newRig(t)
	g := r.graph
	rng := rand.New(rand.NewPCG(2, 3))
	values := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = rng.Float32() - 0.5
		}
		return v
	}
	d, err := Convolution2DOpDescriptorWithStrideInX(1, 1, 1, 1, 1, PaddingStyleTF_SAME, TensorNamedDataLayoutNHWC,
		TensorNamedDataLayoutHWIO)
	require.NoError(t, err)
	assert.Equal(t, uint(1), d.StrideInX())
	x, w := r.placeholder(2, 5, 5, 3), r.placeholder(3, 3, 3, 4)
	y := g.Convolution2DWithSourceTensor(x, w, d, "")
	assert.Equal(t, []int{2, 5, 5, 4}, y.Shape())
	xv, wv := values(150), values(108)
	feeds := map[Tensor]TensorData{x: r.data(xv, 2, 5, 5, 3), w: r.data(wv, 3, 3, 3, 4)}
	got := r.run(feeds, y)
	for i, want := range convolved(xv, wv, 2, 5, 3, 4) {
		assert.InDelta(t, want, got[i], 1e-5)
	}

	p, err := Pooling2DOpDescriptorWithKernelWidth(2, 2, 2, 2, PaddingStyleTF_VALID, TensorNamedDataLayoutNHWC)
	require.NoError(t, err)
	for _, z := range []Tensor{y, g.SquareWithTensor(g.MaxPooling2DWithSourceTensor(y, p, ""), ""),
		g.SquareWithTensor(g.AvgPooling2DWithSourceTensor(y, p, ""), "")} {
		grads := g.GradientForPrimaryTensor(z, []Tensor{x, w}, "")
		for _, in := range []struct {
			t      Tensor
			values []float32
			shape  []int
		}{{x, xv, []int{2, 5, 5, 3}}, {w, wv, []int{3, 3, 3, 4}}} {
			got := r.run(feeds, grads[in.t])
			for _, i := range []int{0, 7, 50, 100} {
				total := func(h float32) (s float64) {
					v := append([]float32{}, in.values...)
					v[i] += h
					f := map[Tensor]TensorData{x: feeds[x], w: feeds[w]}
					f[in.t] = r.data(v, in.shape...)
					for _, e := range r.run(f, z) {
						s += float64(e)
					}
					return s
				}
				const h = 1.0 / 256
				want := (total(h) - total(-h)) / (2 * h)
				assert.InDelta(t, want, got[i], 2e-2*(1+math.Abs(want)), "element %d", i)
			}
		}
	}
}

// TestFailures: mistakes are faults that name the operation, the shapes and the rule.
func TestFailures(t *testing.T) {
	r := newRig(t)
	d, err := Convolution2DOpDescriptorWithStrideInX(1, 1, 1, 1, 1, PaddingStyleTF_SAME, TensorNamedDataLayoutNHWC,
		TensorNamedDataLayoutHWIO)
	require.NoError(t, err)
	for what, f := range map[string]func() error{
		"matrixMultiplication: matmul: [2 3] by [2 3]": func() error {
			x := r.placeholder(2, 3)
			_, err := r.try(func() Tensor { return r.graph.MatrixMultiplicationWithPrimaryTensor(x, x, "") })
			return err
		},
		"convolution": func() error {
			x, w := r.placeholder(1, 5, 5, 3), r.placeholder(3, 3, 2, 4)
			_, err := r.try(func() Tensor { return r.graph.Convolution2DWithSourceTensor(x, w, d, "") })
			return err
		},
		"the placeholder \"missing\" is not among the feeds": func() error {
			x := r.graph.PlaceholderWithShape([]int{2}, "missing")
			_, err := r.graph.RunWithMTLCommandQueueTargetTensors(r.queue, nil,
				[]Tensor{r.graph.SquareWithTensor(x, "")}, nil)
			return err
		},
	} {
		require.ErrorContains(t, f(), what)
	}
}

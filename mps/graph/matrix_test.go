package graph

import (
	"math/bits"
	"testing"

	"github.com/puremetal/puremetal/mps"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInverse: the product with the inverse is the identity, also where a pivot is 0, and the
// gradient is that of the differences.
func TestInverse(t *testing.T) {
	l := &layer{rig: newRig(t)}
	const n = 4
	x := l.add("x", 2, n, n)
	for b := range 2 {
		for i := range n {
			l.values[0][(b*n+i)*n+i] += 2
		}
	}
	l.values[0][0] = 0
	dy := l.add("dy", 2, n, n)
	y := l.graph.InverseOfTensor(x, "")
	assert.Equal(t, []int{2, n, n}, y.Shape())
	got := l.run(l.feeds(), y)
	for b := range 2 {
		for i := range n {
			for j := range n {
				sum := 0.0
				for k := range n {
					sum += float64(l.values[0][(b*n+i)*n+k]) * float64(got[(b*n+k)*n+j])
				}
				want := 0.0
				if i == j {
					want = 1
				}
				assert.InDelta(t, want, sum, 1e-5)
			}
		}
	}
	loss := l.loss(y, dy)
	l.slopes(loss, map[string]Tensor{"x": l.graph.GradientForPrimaryTensor(loss, []Tensor{x}, "")[x]})
	_, err := l.try(func() Tensor { return l.graph.InverseOfTensor(l.placeholder(2, 3), "") })
	assert.ErrorContains(t, err, "float32[2 3] is not square matrices of floating-point numbers")
}

func TestHammingDistance(t *testing.T) {
	r := newRig(t)
	const m, n, k = 3, 2, 4
	a, b := make([]int32, 2*m*k), make([]int32, n*k)
	for i, v := range numbers(1, len(a)) {
		a[i] = int32(v * 123456789)
	}
	for i, v := range numbers(2, len(b)) {
		b[i] = int32(v * 987654321)
	}
	var want []float64
	for batch := range 2 {
		for i := range m {
			for j := range n {
				sum := 0
				for c := range k {
					sum += bits.OnesCount32(uint32(a[(batch*m+i)*k+c] ^ b[j*k+c]))
				}
				want = append(want, float64(sum))
			}
		}
	}
	x, y := r.integers(a, 2, m, k), r.integers(b, n, k)
	d := r.graph.HammingDistanceWithPrimaryTensor(x, y, mps.DataTypeUInt32, "")
	assert.Equal(t, mps.DataTypeUInt32, d.DataType())
	r.check("distance", r.graph.CastTensor(d, mps.DataTypeFloat32, ""), []int{2, m, n}, want, 0)
	_, err := r.try(func() Tensor {
		return r.graph.HammingDistanceWithPrimaryTensor(x, y, mps.DataTypeFloat32, "")
	})
	assert.ErrorContains(t, err, "results of type float32; want uint16 or uint32")
}

// TestNonZeroIndices: the number of rows depends on the values, and other operations can use it.
func TestNonZeroIndices(t *testing.T) {
	r := newRig(t)
	x := r.placeholder(2, 3)
	y := got(r.graph.NonZeroIndicesOfTensor(x, ""))(t)
	assert.Equal(t, []int{-1, 2}, y.Shape())
	turned := got(r.graph.NonZeroIndicesOfTensor(r.graph.TransposeTensor(x, 0, 1, ""), ""))(t)
	twice := r.graph.AdditionWithPrimaryTensor(y, y, "")
	for _, c := range []struct {
		in                  []float32
		want, twice, turned []float64
	}{
		{[]float32{0, 1, 0, -2, 0, 3}, []float64{0, 1, 1, 0, 1, 2}, []float64{0, 2, 2, 0, 2, 4},
			[]float64{0, 1, 1, 0, 2, 1}},
		{make([]float32, 6), nil, nil, nil},
	} {
		out := got(r.graph.RunWithMTLCommandQueueTargetTensors(r.queue, map[Tensor]TensorData{x: r.data(c.in, 2, 3)},
			[]Tensor{y, twice, turned}, nil))(t)
		require.Len(t, out, 3)
		assert.Equal(t, []int{len(c.want) / 2, 2}, out[y].Shape())
		assert.Equal(t, c.want, r.decode(out[y]))
		assert.Equal(t, c.twice, r.decode(out[twice]))
		assert.Equal(t, c.turned, r.decode(out[turned]))
	}
}

// TestDepthwise3D compares a depthwise convolution with its definition, for each place of the
// channels, and its gradients with differences.
func TestDepthwise3D(t *testing.T) {
	const batch, channels, depth, height, width = 2, 3, 4, 5, 4
	size, kernel := [3]int{depth, height, width}, [3]int{2, 3, 2}
	stride, before := [3]int{1, 2, 1}, [3]int{1, 0, 1}
	for axis := -4; axis < 0; axis++ {
		l := &layer{rig: newRig(t)}
		shape := func(lead []int, space [3]int) []int {
			out := append([]int{}, lead...)
			for d, s := 0, 0; d < 4; d++ {
				if d == 4+axis {
					out = append(out, channels)
				} else {
					out = append(out, space[s])
					s++
				}
			}
			return out
		}
		place := func(c int, space, i [3]int) int {
			at, s := 0, 0
			for d := range 4 {
				if d == 4+axis {
					at = at*channels + c
				} else {
					at = at*space[s] + i[s]
					s++
				}
			}
			return at
		}
		var result [3]int
		for d := range 3 {
			result[d] = (size[d]+before[d]+1-kernel[d])/stride[d] + 1
		}
		d := got(DepthwiseConvolution3DOpDescriptorWithStrides(stride[:], []int{1, 1, 1},
			[]int{before[0], 1, before[1], 1, before[2], 1}, PaddingStyleExplicit))(t)
		assert.Equal(t, -4, d.ChannelDimensionIndex())
		d.SetChannelDimensionIndex(axis)
		x, w := l.add("x", shape([]int{batch}, size)...), l.add("w", shape(nil, kernel)...)
		dy := l.add("dy", shape([]int{batch}, result)...)
		y := l.graph.DepthwiseConvolution3DWithSourceTensor(x, w, d, "")
		require.Equal(t, l.shapes[2], y.Shape())
		values := l.run(l.feeds(), y)
		each := func(n [3]int, f func(i [3]int)) {
			for a := range n[0] {
				for b := range n[1] {
					for c := range n[2] {
						f([3]int{a, b, c})
					}
				}
			}
		}
		for n := range batch {
			for c := range channels {
				each(result, func(o [3]int) {
					want := 0.0
					each(kernel, func(k [3]int) {
						var i [3]int
						for d := range 3 {
							if i[d] = o[d]*stride[d] - before[d] + k[d]; i[d] < 0 || i[d] >= size[d] {
								return
							}
						}
						at := n*channels*depth*height*width + place(c, size, i)
						want += float64(l.values[0][at]) * float64(l.values[1][place(c, kernel, k)])
					})
					at := n*channels*result[0]*result[1]*result[2] + place(c, result, o)
					assert.InDelta(t, want, values[at], 1e-4)
				})
			}
		}
		l.slopes(l.loss(y, dy), map[string]Tensor{
			"x": l.graph.DepthwiseConvolution3DDataGradientWithIncomingGradientTensor(dy, w, l.shapes[0], d, ""),
			"w": l.graph.DepthwiseConvolution3DWeightsGradientWithIncomingGradientTensor(dy, x, l.shapes[1], d, ""),
		})
	}
}

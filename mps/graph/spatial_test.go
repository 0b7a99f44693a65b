package graph

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// resized is a resizing of one row with positions at(i), in float64.
func resized(row []float32, n int, linear bool, at func(i float64) float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		x := at(float64(i))
		if linear {
			x = math.Min(math.Max(x, 0), float64(len(row)-1))
			low := math.Floor(x)
			high := math.Min(low+1, float64(len(row)-1))
			out[i] = float64(row[int(low)])*(1-(x-low)) + float64(row[int(high)])*(x-low)
			continue
		}
		x = math.Min(math.Max(math.Floor(x+0.5), 0), float64(len(row)-1))
		out[i] = float64(row[int(x)])
	}
	return out
}

func TestResize(t *testing.T) {
	r := newRig(t)
	g := r.graph
	row := numbers(3, 5)
	x := r.floats(row, 1, 1, 5, 1) // NHWC with a height of 1: the width is dimension 2
	for _, n := range []int{3, 8, 10} {
		size := r.integers([]int32{1, int32(n)}, 2)
		for _, c := range []struct {
			center, align bool
			at            func(i float64) float64
		}{
			{true, false, func(i float64) float64 { return (i+0.5)*5/float64(n) - 0.5 }},
			{false, true, func(i float64) float64 { return i * 4 / float64(n-1) }},
			{false, false, func(i float64) float64 { return i * 5 / float64(n) }},
		} {
			shape := []int{1, 1, n, 1}
			r.check("bilinear", g.ResizeTensor(x, []int{1, n}, ResizeBilinear, c.center, c.align,
				TensorNamedDataLayoutNHWC, ""), shape, resized(row, n, true, c.at), 1e-5)
			r.check("bilinear, size tensor", g.ResizeBilinearWithTensorCenterResult(x, size, c.center, c.align,
				TensorNamedDataLayoutNHWC, ""), shape, resized(row, n, true, c.at), 1e-5)
			r.check("nearest", g.ResizeTensorSizeTensor(x, size, ResizeNearest, c.center, c.align,
				TensorNamedDataLayoutNHWC, ""), shape, resized(row, n, false, c.at), 0)
			all := got(g.ResizeNearestWithTensorNearestRoundingModeCenterResult(x,
				r.integers([]int32{1, 1, int32(n), 1}, 4), ResizeNearestRoundingModeRoundPreferCeil, c.center, c.align,
				""))(t)
			r.check("nearest, any dimension", all, shape, resized(row, n, false, c.at), 0)
		}
	}
	// Element i of the input is at i*scale + offset of the result.
	moved := func(i float64) float64 { return (i - 0.25) / 1.5 }
	r.check("scale and offset", g.ResizeBilinearWithTensor(x, r.integers([]int32{1, 6}, 2),
		r.floats([]float32{1, 1.5, 0, 0.25}, 4), TensorNamedDataLayoutNHWC, ""), []int{1, 1, 6, 1},
		resized(row, 6, true, moved), 1e-5)
	r.check("scales", got(g.ResizeTensorSizeTensorScaleTensor(x, r.integers([]int32{1, 1, 6, 1}, 4),
		r.floats([]float32{1, 1, 1.5, 1}, 4), r.floats([]float32{0, 0, 0.25, 0}, 4), ResizeNearest, ""))(t),
		[]int{1, 1, 6, 1}, resized(row, 6, false, moved), 0)

	bad, err := r.try(func() Tensor {
		return g.ResizeTensor(x, []int{3}, ResizeBilinear, true, false, TensorNamedDataLayoutNHWC, "")
	})
	assert.True(t, bad.IsNil())
	assert.ErrorContains(t, err, "size [3]")
}

func TestResizeGradient(t *testing.T) {
	r := newRig(t)
	g := r.graph
	const layout = TensorNamedDataLayoutNCHW
	shape, size := []int{2, 3, 4, 5}, []int{7, 3}
	for _, mode := range []ResizeMode{ResizeNearest, ResizeBilinear} {
		for _, center := range []bool{false, true} {
			forward := func(x Tensor) Tensor { return g.ResizeTensor(x, size, mode, center, false, layout, "") }
			r.adjoint("resize", shape, forward, func(dy, x Tensor) Tensor {
				return g.ResizeWithGradientTensor(dy, x, mode, center, false, layout, "")
			})
			r.adjoint("automatic", shape, forward, func(dy, x Tensor) Tensor {
				y := g.MultiplicationWithPrimaryTensor(forward(x), dy, "")
				return g.GradientForPrimaryTensor(y, []Tensor{x}, "")[x]
			})
		}
	}
	so := r.floats([]float32{1.75, 0.75, 0.25, -0.5}, 4)
	sizes := r.integers([]int32{7, 3}, 2)
	r.adjoint("bilinear with offsets", shape,
		func(x Tensor) Tensor { return g.ResizeBilinearWithTensor(x, sizes, so, layout, "") },
		func(dy, x Tensor) Tensor { return g.ResizeBilinearWithGradientTensor(dy, x, so, layout, "") })
	r.adjoint("nearest with offsets", shape, func(x Tensor) Tensor {
		return g.ResizeNearestWithTensor(x, sizes, so, ResizeNearestRoundingModeFloor, layout, "")
	}, func(dy, x Tensor) Tensor {
		return g.ResizeNearestWithGradientTensor(dy, x, so, ResizeNearestRoundingModeFloor, layout, "")
	})
}

func TestBlocks(t *testing.T) {
	r := newRig(t)
	g := r.graph
	const n, c, h, w, k = 2, 3, 4, 6, 2
	xv := numbers(5, n*c*h*w)
	x := r.floats(xv, n, c, h, w)
	at := func(b, d, i, j int) float64 { return float64(xv[((b*c+d)*h+i)*w+j]) }
	for _, shuffle := range []bool{false, true} {
		var depth, batch []float64
		for b := range n {
			for d := range c * k * k {
				channel, place := d%c, d/c
				if shuffle {
					channel, place = d/(k*k), d%(k*k)
				}
				for i := range h / k {
					for j := range w / k {
						depth = append(depth, at(b, channel, i*k+place/k, j*k+place%k))
					}
				}
			}
		}
		for q := range n * k {
			b, place := q%n, q/n
			if shuffle {
				b, place = q/k, q%k
			}
			for d := range c {
				for i := range h {
					for j := range w / k {
						batch = append(batch, at(b, d, i, j*k+place))
					}
				}
			}
		}
		deep := g.SpaceToDepth2DTensor(x, 3, 2, 1, k, shuffle, "")
		r.check("space to depth", deep, []int{n, c * k * k, h / k, w / k}, depth, 0)
		r.check("depth to space", g.DepthToSpace2DTensorWidthAxisTensor(deep, r.integers([]int32{3}),
			r.integers([]int32{2}), r.integers([]int32{1}), k, shuffle, ""), []int{n, c, h, w}, wide(xv), 0)
		many := g.SpaceToBatchTensor(x, []int{3}, 0, []int{k}, shuffle, "")
		r.check("space to batch", many, []int{n * k, c, h, w / k}, batch, 0)
		r.check("batch to space", g.BatchToSpaceTensor(many, []int{-1}, 0, []int{k}, shuffle, ""),
			[]int{n, c, h, w}, wide(xv), 0)
	}
	_, err := r.try(func() Tensor { return g.SpaceToDepth2DTensor(x, 3, 2, 1, 5, false, "") })
	assert.ErrorContains(t, err, "multiple of the block's size, 5")
}

func wide(v []float32) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = float64(v[i])
	}
	return out
}

func TestColumns(t *testing.T) {
	r := newRig(t)
	g := r.graph
	const n, c, h, w = 2, 3, 5, 6
	xv := numbers(6, n*c*h*w)
	x := r.floats(xv, n, c, h, w)
	d := got(ImToColOpDescriptorWithKernelWidthKernelHeightStrideInXStrideInYDilationRateInXDilationRateInYPaddingLeft(
		3, 2, 2, 1, 1, 2, 1, 1, 0, 1, TensorNamedDataLayoutNCHW))(t)
	const oh, ow = (5 + 1 - 3) + 1, (6+2-3)/2 + 1
	var want []float64
	for b := range n {
		for q := range c * 6 {
			channel, ky, kx := q/6, q/3%2, q%3
			for i := range oh {
				for j := range ow {
					y, z := i+2*ky, 2*j+kx-1
					v := 0.0
					if y < h && z >= 0 && z < w {
						v = float64(xv[((b*c+channel)*h+y)*w+z])
					}
					want = append(want, v)
				}
			}
		}
	}
	r.check("columns", g.ImToColWithSourceTensor(x, d, ""), []int{n, c * 6, oh * ow}, want, 0)
	r.adjoint("image", []int{n, c, h, w}, func(x Tensor) Tensor { return g.ImToColWithSourceTensor(x, d, "") },
		func(dy, _ Tensor) Tensor { return g.ColToImWithSourceTensor(dy, []int{n, c, h, w}, d, "") })
}

func TestStencil(t *testing.T) {
	r := newRig(t)
	g := r.graph
	xv, wv := numbers(7, 2*5*6), numbers(8, 2*3)
	x, weights := r.floats(xv, 1, 2, 5, 6), r.floats(wv, 1, 1, 2, 3)
	for mode, reduce := range map[ReductionMode]func(a, b float64) float64{
		ReductionModeSum: func(a, b float64) float64 { return a + b }, ReductionModeMax: math.Max,
		ReductionModeMin: math.Min, ReductionModeProduct: func(a, b float64) float64 { return a * b },
	} {
		d := got(StencilOpDescriptorWithReductionMode(mode, []int{0, 0, 0, 0}, []int{1, 1, 1, 2}, []int{1, 1, 2, 1},
			[]int{0, 0, 0, 0, 1, 1, 0, 1}, PaddingModeClampToEdge, PaddingStyleExplicit, 0))(t)
		var want []float64
		for c := range 2 {
			for i := range 5 {
				for j := range 3 {
					sum, first := 0.0, true
					for k := range 6 {
						y, z := min(max(i-1+2*(k/3), 0), 4), min(2*j+k%3, 5)
						v := float64(xv[(c*5+y)*6+z]) * float64(wv[k])
						if first {
							sum, first = v, false
						} else {
							sum = reduce(sum, v)
						}
					}
					want = append(want, sum)
				}
			}
		}
		r.check("stencil", g.StencilWithSourceTensor(x, weights, d, ""), []int{1, 2, 5, 3}, want, 1e-4)
	}
	d := got(StencilOpDescriptorWithReductionMode(ReductionModeArgumentMax, []int{0, 0, 0, 0}, []int{1, 1, 1, 1},
		[]int{1, 1, 1, 1}, make([]int, 8), PaddingModeZero, PaddingStyleExplicit, 0))(t)
	_, err := r.try(func() Tensor { return g.StencilWithSourceTensor(x, weights, d, "") })
	require.ErrorContains(t, err, "reduction mode 5 is not implemented")
}

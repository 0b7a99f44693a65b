package cnn_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/cnn"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// poolingCase is a pooling with its kernels.
type poolingCase struct {
	kind              string // max, average or L2
	size, step, apart [2]int // window, stride and dilation
	padding           [2]int
	edge              mps.ImageEdgeMode
	forward           cnn.Kernel
	backward          cnn.PoolingGradient
}

func randomPooling(t *testing.T, d mtl.Device, rng *rand.Rand, kind string) poolingCase {
	t.Helper()
	between := func(low, high int) int { return low + rng.IntN(high-low+1) }
	p := poolingCase{kind: kind, size: [2]int{between(1, 4), between(1, 4)}, step: [2]int{between(1, 3), between(1, 3)},
		apart: [2]int{1, 1}, edge: mps.ImageEdgeMode(rng.IntN(2))}
	u := func(v [2]int) (a, b uint) { return uint(v[0]), uint(v[1]) }
	w, h := u(p.size)
	sx, sy := u(p.step)
	var err, err2 error
	switch kind {
	case "max":
		var f cnn.PoolingMax
		var g cnn.PoolingMaxGradient
		f, err = cnn.NewPoolingMaxWithDeviceKernelWidthKernelHeightStrideInPixelsX(d, w, h, sx, sy)
		g, err2 = cnn.NewPoolingMaxGradientWithDeviceKernelWidthKernelHeightStrideInPixelsX(d, w, h, sx, sy)
		p.forward, p.backward = f.Kernel, g
	case "dilated":
		p.kind, p.apart = "max", [2]int{between(1, 3), between(1, 3)}
		dx, dy := u(p.apart)
		var f cnn.DilatedPoolingMax
		var g cnn.DilatedPoolingMaxGradient
		f, err = cnn.NewDilatedPoolingMaxWithDeviceKernelWidthKernelHeightDilationRateX(d, w, h, dx, dy, sx, sy)
		g, err2 = cnn.NewDilatedPoolingMaxGradientWithDeviceKernelWidthKernelHeightDilationRateX(d, w, h, dx, dy, sx, sy)
		p.forward, p.backward = f.Kernel, g
		assert.Equal(t, [2]uint{dx, dy}, [2]uint{f.DilationRateX(), f.DilationRateY()})
	case "average":
		var f cnn.PoolingAverage
		var g cnn.PoolingAverageGradient
		f, err = cnn.NewPoolingAverageWithDeviceKernelWidthKernelHeightStrideInPixelsX(d, w, h, sx, sy)
		g, err2 = cnn.NewPoolingAverageGradientWithDeviceKernelWidthKernelHeightStrideInPixelsX(d, w, h, sx, sy)
		p.padding = [2]int{between(0, 2), between(0, 2)}
		f.SetZeroPadSizeX(uint(p.padding[0]))
		f.SetZeroPadSizeY(uint(p.padding[1]))
		g.SetZeroPadSizeX(uint(p.padding[0]))
		g.SetZeroPadSizeY(uint(p.padding[1]))
		p.forward, p.backward = f.Kernel, g.PoolingGradient
	case "L2":
		var f cnn.PoolingL2Norm
		var g cnn.PoolingL2NormGradient
		f, err = cnn.NewPoolingL2NormWithDeviceKernelWidthKernelHeightStrideInPixelsX(d, w, h, sx, sy)
		g, err2 = cnn.NewPoolingL2NormGradientWithDeviceKernelWidthKernelHeightStrideInPixelsX(d, w, h, sx, sy)
		p.forward, p.backward = f.Kernel, g
	}
	require.NoError(t, err)
	require.NoError(t, err2)
	t.Cleanup(p.forward.Release)
	t.Cleanup(p.backward.Release)
	assert.Equal(t, [2]uint{w, h}, [2]uint{p.forward.KernelWidth(), p.forward.KernelHeight()})
	assert.Equal(t, [2]uint{sx, sy}, [2]uint{p.forward.StrideInPixelsX(), p.forward.StrideInPixelsY()})
	return p
}

// first returns where the window of a result begins.
func (p *poolingCase) first(axis, result, offset int) int {
	return offset + result*p.step[axis] - ((p.size[axis]-1)*p.apart[axis]+1)/2
}

// pool is the reference: each result of the case's clip rectangle from the pixels of its window.
func (p *poolingCase) pool(l layerCase, src []mpstest.Picture) []mpstest.Picture {
	return l.expected(src[0].C, func(i, x, y, c int) float64 {
		s := src[i]
		sum, squares, count, best := 0.0, 0.0, 0, math.Inf(-1)
		for ky := range p.size[1] {
			for kx := range p.size[0] {
				u, v := p.first(0, x, l.offset[0])+kx*p.apart[0], p.first(1, y, l.offset[1])+ky*p.apart[1]
				inside := u >= 0 && v >= 0 && u < s.W && v < s.H
				padded := u >= -p.padding[0] && v >= -p.padding[1] && u < s.W+p.padding[0] && v < s.H+p.padding[1]
				if p.edge == mps.ImageEdgeModeZero || padded {
					count++
				}
				if inside || p.edge == mps.ImageEdgeModeZero {
					value := s.Beyond(mps.ImageEdgeModeZero, u, v, c)
					sum += value
					squares += value * value
					best = max(best, value)
				}
			}
		}
		switch p.kind {
		case "average":
			return sum / float64(max(count, 1))
		case "L2":
			return math.Sqrt(squares)
		}
		if math.IsInf(best, -1) {
			return 0
		}
		return best
	})
}

func TestCNNPooling(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(22, 1))
	for _, kind := range []string{"max", "dilated", "average", "L2"} {
		for range 8 {
			p := randomPooling(t, d, rng, kind)
			l := randomLayer(rng)
			l.edge = p.edge
			src := l.pictures(rng, nil)
			what := fmt.Sprintf("%s %+v %+v", kind, p, l)
			assertBatch(t, p.pool(l, src), l.run(t, d, p.forward, src), l.tolerance(), what)

			// The gradient of those windows, for the whole source.
			g := l.gradients(rng, l.clip[2], l.clip[3], l.c)
			numeric := numericGradient(g, src, func(x []mpstest.Picture) []mpstest.Picture { return p.pool(l, x) })
			at := [2]int{max(0, p.first(0, 0, l.offset[0])), max(0, p.first(1, 0, l.offset[1]))}
			w := l.whole()
			w.offset = l.offset
			want := w.expected(l.c, func(i, x, y, c int) float64 {
				return numeric[i].Beyond(mps.ImageEdgeModeZero, x+at[0], y+at[1], c)
			})
			assertBatch(t, want, w.runGradient(t, d, p.backward.GradientKernel, g, src), 4*l.tolerance(), what)
		}
	}
}

// TestCNNPoolingPart: a part of the gradient, by sourceSize and primaryOffset, and by the state of
// the forward pass.
func TestCNNPoolingPart(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(22, 2))
	for range 6 {
		p := randomPooling(t, d, rng, "average")
		l := randomLayer(rng)
		l.images, l.edge, l.channel = 2, p.edge, 0
		src := l.pictures(rng, nil)
		from := l.imagesOf(t, d, src)
		// The forward pass writes to a clip rectangle, and remembers where it was.
		w := l.whole()
		p.forward.SetOffset(mps.Offset{X: l.offset[0], Y: l.offset[1]})
		p.forward.SetEdgeMode(l.edge)
		p.forward.SetClipRect(l.region())
		to := l.destinations(t, d, 2, l.c)
		states := p.forward.ResultStateBatchForSourceImage(from, nil, to)
		require.Len(t, states, 2)
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			p.forward.EncodeBatchToCommandBufferDestinationStates(cb, from, states, to)
		})
		assertBatch(t, p.pool(l, src), l.written(t, to), l.tolerance(), "forward")

		all := l.gradients(rng, int(to[0].Width()), int(to[0].Height()), l.c)
		var part []mpstest.Picture
		for _, g := range all {
			q := mpstest.NewPicture(l.clip[2], l.clip[3], l.c)
			for k := range q.V {
				q.V[k] = *g.At(l.clip[0]+k/q.C%q.W, l.clip[1]+k/q.C/q.W, k%q.C)
			}
			part = append(part, q)
		}
		numeric := numericGradient(part, src, func(x []mpstest.Picture) []mpstest.Picture { return p.pool(l, x) })
		at := [2]int{max(0, p.first(0, 0, l.offset[0])), max(0, p.first(1, 0, l.offset[1]))}
		want := w.expected(l.c, func(i, x, y, c int) float64 {
			return numeric[i].Beyond(mps.ImageEdgeModeZero, x+at[0], y+at[1], c)
		})
		got := w.runGradient(t, d, p.backward.GradientKernel, all, src, states...)
		assertBatch(t, want, got, 4*l.tolerance(), "by the state")

		w.offset = l.offset
		p.backward.SetPrimaryOffset(mps.Offset{X: l.clip[0], Y: l.clip[1]})
		p.backward.SetSourceSize(mtl.Size{Width: uint(l.clip[2]), Height: uint(l.clip[3]), Depth: 1})
		got = w.runGradient(t, d, p.backward.GradientKernel, all, src)
		assertBatch(t, want, got, 4*l.tolerance(), "by properties")
	}
}

func TestCNNPoolingMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	k, err := cnn.NewPoolingMaxWithDeviceKernelWidthKernelHeightStrideInPixelsX(d, 2, 2, 1, 1)
	require.NoError(t, err)
	defer k.Release()
	g, err := cnn.NewPoolingAverageGradientWithDeviceKernelWidthKernelHeightStrideInPixelsX(d, 2, 2, 1, 1)
	require.NoError(t, err)
	defer g.Release()
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	n := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	backward := func() {
		g.SetSecondaryEdgeMode(mps.ImageEdgeModeClamp)
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			g.BinaryKernel.EncodeToCommandBufferDestinationImage(cb, m, m, n)
		})
	}
	for _, test := range []struct {
		want string
		call func()
	}{
		{"MPSCNNPoolingMax: edge mode 2; poolings take zero (0) and clamp (1)", func() {
			k.SetEdgeMode(mps.ImageEdgeModeMirror)
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, m, n) })
		}},
		{"kernelOffset (1, 0)", func() {
			g.SetKernelOffsetX(1)
			backward()
			g.SetKernelOffsetX(0)
		}},
		{"zeroPadSizeX 1073741824; the limit is 16777216", func() {
			g.SetZeroPadSizeX(1 << 30)
			backward()
			g.SetZeroPadSizeX(0)
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, mpstest.FaultsOf(t, test.call), test.want) })
	}
}

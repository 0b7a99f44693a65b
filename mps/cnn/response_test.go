package cnn_test

import (
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

// response has the parameters of a normalization by what surrounds each element.
type response struct{ alpha, beta, delta, p0, pm, ps float64 }

// randomResponse has parameters that float32 represents.
func randomResponse(rng *rand.Rand) response {
	return response{quarters(rng, 1, 4), quarters(rng, 1, 6), quarters(rng, 2, 8), quarters(rng, 0, 4),
		quarters(rng, -2, 2), quarters(rng, 2, 6)}
}

// parameters are the setters that all these kernels have.
type parameters interface {
	SetAlpha(float32)
	SetBeta(float32)
	SetDelta(float32)
}

func (r response) set(k parameters) {
	k.SetAlpha(float32(r.alpha))
	k.SetBeta(float32(r.beta))
	k.SetDelta(float32(r.delta))
}

// around calls f with the values in the window of n by n by depth pixels and channels around a
// place: half of them, rounded down, before it.
func around(p mpstest.Picture, edge mps.ImageEdgeMode, x, y, c, n, depth int, f func(v float64)) {
	for dc := -(depth / 2); dc <= (depth-1)/2; dc++ {
		for dy := -(n / 2); dy <= (n-1)/2; dy++ {
			for dx := -(n / 2); dx <= (n-1)/2; dx++ {
				if c+dc >= 0 && c+dc < p.C {
					f(p.Beyond(edge, x+dx, y+dy, c+dc))
				}
			}
		}
	}
}

// squares is the normalization by the mean of squares.
func (r response) squares(p mpstest.Picture, edge mps.ImageEdgeMode, x, y, c, n, depth int) float64 {
	sum := 0.0
	around(p, edge, x, y, c, n, depth, func(v float64) { sum += v * v })
	return p.Beyond(edge, x, y, c) / math.Pow(r.delta+r.alpha/float64(n*n*depth)*sum, r.beta)
}

// contrast is the normalization by mean and variance.
func (r response) contrast(p mpstest.Picture, edge mps.ImageEdgeMode, x, y, c, n int) float64 {
	mean, variance := 0.0, 0.0
	around(p, edge, x, y, c, n, 1, func(v float64) { mean += v / float64(n*n) })
	around(p, edge, x, y, c, n, 1, func(v float64) { variance += (v - mean) * (v - mean) / float64(n*n) })
	return r.pm + r.ps*(p.Beyond(edge, x, y, c)-r.p0*mean)/math.Pow(r.delta+r.alpha*variance, r.beta)
}

// responseKernels returns a normalization, its gradient and its reference.
func responseKernels(t *testing.T, d mtl.Device, kind string, n int, r response) (cnn.Kernel, cnn.GradientKernel,
	func(p mpstest.Picture, edge mps.ImageEdgeMode, x, y, c int) float64) {
	t.Helper()
	size := uint(n)
	switch kind {
	case "channels":
		k, err := cnn.NewCrossChannelNormalizationWithDevice(d, size)
		require.NoError(t, err)
		g, err := cnn.NewCrossChannelNormalizationGradientWithDeviceKernelSize(d, size)
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 5, 1}, []float32{k.Alpha(), k.Beta(), k.Delta()})
		assert.Equal(t, size, k.KernelSize())
		r.set(k)
		r.set(g)
		return k.Kernel, g.GradientKernel, func(p mpstest.Picture, edge mps.ImageEdgeMode, x, y, c int) float64 {
			return r.squares(p, edge, x, y, c, 1, n)
		}
	case "pixels":
		k, err := cnn.NewSpatialNormalizationWithDevice(d, size, size)
		require.NoError(t, err)
		g, err := cnn.NewSpatialNormalizationGradientWithDeviceKernelWidth(d, size, size)
		require.NoError(t, err)
		assert.Equal(t, []float32{1, 5, 1}, []float32{k.Alpha(), k.Beta(), k.Delta()})
		r.set(k)
		r.set(g)
		return k.Kernel, g.GradientKernel, func(p mpstest.Picture, edge mps.ImageEdgeMode, x, y, c int) float64 {
			return r.squares(p, edge, x, y, c, n, 1)
		}
	}
	k, err := cnn.NewLocalContrastNormalizationWithDevice(d, size, size)
	require.NoError(t, err)
	g, err := cnn.NewLocalContrastNormalizationGradientWithDeviceKernelWidth(d, size, size)
	require.NoError(t, err)
	assert.Equal(t, []float32{0, 0.5, 1.0 / 1024, 1, 0, 1},
		[]float32{k.Alpha(), k.Beta(), k.Delta(), k.P0(), k.Pm(), k.Ps()})
	r.set(k)
	r.set(g)
	k.SetP0(float32(r.p0))
	k.SetPm(float32(r.pm))
	k.SetPs(float32(r.ps))
	g.SetP0(float32(r.p0))
	g.SetPm(float32(r.pm))
	g.SetPs(float32(r.ps))
	return k.Kernel, g.GradientKernel, func(p mpstest.Picture, edge mps.ImageEdgeMode, x, y, c int) float64 {
		return r.contrast(p, edge, x, y, c, n)
	}
}

func TestCNNResponse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(23, 1))
	for _, kind := range []string{"channels", "pixels", "contrast"} {
		for n := 1; n <= 5; n++ {
			l := randomLayer(rng)
			k, g, f := responseKernels(t, d, kind, n, randomResponse(rng))
			t.Cleanup(k.Release)
			t.Cleanup(g.Release)
			src := l.pictures(rng, nil)
			if l.edge = mps.ImageEdgeMode(rng.IntN(4)); kind == "channels" {
				l.edge &= 1
			}
			want := l.expected(l.c, func(i, x, y, c int) float64 {
				return f(src[i], l.edge, x+l.offset[0], y+l.offset[1], c)
			})
			assertBatch(t, want, l.run(t, d, k, src), 2*l.tolerance(), kind)

			w := l.whole()
			w.edge = mps.ImageEdgeModeZero
			gradients := w.pictures(rng, nil)
			all := numericGradient(gradients, src, func(x []mpstest.Picture) []mpstest.Picture {
				return w.expected(l.c, func(i, u, v, c int) float64 { return f(x[i], w.edge, u, v, c) })
			})
			assertBatch(t, all, w.runGradient(t, d, g, gradients, src), 10*l.tolerance(), kind+" gradient")
			// A part of it, with both sources at an offset.
			l.edge = mps.ImageEdgeModeZero
			l.offset = [2]int{1, 1}
			l.clip[2], l.clip[3] = min(l.clip[2], l.w-1), min(l.clip[3], l.h-1)
			g.SetPrimaryOffset(mps.Offset{X: 1, Y: 1})
			want = l.expected(l.c, func(i, x, y, c int) float64 { return *all[i].At(x+1, y+1, c) })
			assertBatch(t, want, l.runGradient(t, d, g, gradients, src), 10*l.tolerance(), kind+" part of the gradient")
		}
	}
}

func TestCNNResponseMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	g, err := cnn.NewSpatialNormalizationGradientWithDeviceKernelWidth(d, 3, 3)
	require.NoError(t, err)
	defer g.Release()
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	n := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 3, 1)
	for _, test := range []struct {
		want string
		call func()
	}{
		{"MPSCNNSpatialNormalization: a window of 3 by 5; both must be equal", func() {
			_, _ = cnn.NewSpatialNormalizationWithDevice(d, 3, 5)
		}},
		{"edge mode 1; gradients of normalizations take zero (0)", func() {
			g.SetSecondaryEdgeMode(mps.ImageEdgeModeClamp)
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
				g.BinaryKernel.EncodeToCommandBufferDestinationImage(cb, m, m, n)
			})
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, mpstest.FaultsOf(t, test.call), test.want) })
	}
}

package filter_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/filter"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestImageThreshold(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(10, 15))
	const limit, high = 0.5, 0.75
	color := []float32{0.25, 0.5, 0.125}
	binary, err := filter.NewThresholdBinaryWithDevice(d, limit, high, color)
	require.NoError(t, err)
	assert.EqualValues(t, limit, binary.ThresholdValue())
	assert.EqualValues(t, high, binary.MaximumValue())
	inverse, err := filter.NewThresholdBinaryInverseWithDevice(d, limit, high, color)
	require.NoError(t, err)
	truncate, err := filter.NewThresholdTruncateWithDevice(d, limit, color)
	require.NoError(t, err)
	zero, err := filter.NewThresholdToZeroWithDevice(d, limit, color)
	require.NoError(t, err)
	zeroInverse, err := filter.NewThresholdToZeroInverseWithDevice(d, limit, color)
	require.NoError(t, err)
	choose := func(above, below float64) func(v float64) float64 {
		return func(v float64) float64 {
			r := below
			if v > limit {
				r = above
			}
			if math.IsInf(r, 0) { // the value itself
				return v
			}
			return r
		}
	}
	self := math.Inf(1)
	for name, test := range map[string]struct {
		kernel filter.UnaryImageKernel
		value  func(v float64) float64
	}{
		"binary":          {binary.UnaryImageKernel, choose(high, 0)},
		"inverse":         {inverse.UnaryImageKernel, choose(0, high)},
		"truncate":        {truncate.UnaryImageKernel, choose(limit, self)},
		"to zero":         {zero.UnaryImageKernel, choose(self, 0)},
		"to zero inverse": {zeroInverse.UnaryImageKernel, choose(0, self)},
	} {
		t.Run(name, func(t *testing.T) {
			defer test.kernel.Release()
			for _, channels := range []int{1, 4} {
				src := mpstest.RandomPicture(rng, 11, 7, channels)
				to := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 11, 7, 1, 1)
				want := mpstest.NewPicture(11, 7, 1)
				for i := range want.V {
					v := src.V[i*channels:]
					gray := v[0]
					if channels > 1 {
						gray = 0.25*v[0] + 0.5*v[1] + 0.125*v[2]
					}
					want.V[i] = test.value(gray)
				}
				mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
					test.kernel.EncodeToCommandBuffer(cb, src.Image(t, d, mps.ImageFeatureChannelFormatFloat32), to)
				})
				mpstest.AssertPicture(t, want, mpstest.PictureOf(to, 0), 1e-6, name)
			}
		})
	}
}

func TestImageArithmetic(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(11, 15))
	add, err := filter.NewAddWithDevice(d)
	require.NoError(t, err)
	assert.EqualValues(t, 1, add.PrimaryScale())
	subtract, err := filter.NewSubtractWithDevice(d)
	require.NoError(t, err)
	multiply, err := filter.NewMultiplyWithDevice(d)
	require.NoError(t, err)
	divide, err := filter.NewDivideWithDevice(d)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		kernel filter.Arithmetic
		value  func(x, y float64) float64
	}{
		"add":      {add, func(x, y float64) float64 { return x + y }},
		"subtract": {subtract, func(x, y float64) float64 { return x - y }},
		"multiply": {multiply, func(x, y float64) float64 { return x * y }},
		"divide":   {divide, func(x, y float64) float64 { return x / y }},
	} {
		t.Run(name, func(t *testing.T) {
			k := test.kernel
			defer k.Release()
			k.SetPrimaryScale(2)
			k.SetSecondaryScale(0.5)
			k.SetBias(0.25)
			k.SetMinimumValue(-0.5)
			k.SetMaximumValue(1.75)
			k.SetPrimaryOffset(mps.Offset{X: -2, Y: 1})
			k.SetPrimaryEdgeMode(mps.ImageEdgeModeClamp)
			k.SetSecondaryEdgeMode(mps.ImageEdgeModeClamp)
			k.SetClipRect(mtl.Region{Origin: mtl.Origin{X: 1}, Size: mtl.Size{Width: 7, Height: 90, Depth: 9}})
			for _, stride := range []int{0, 1, 2} {
				k.SetSecondaryStrideInPixels(mtl.Size{Width: uint(stride), Height: 1, Depth: 1})
				for _, channels := range []int{1, 3, 5} {
					x, y := mpstest.RandomPicture(rng, 9, 5, channels), mpstest.RandomPicture(rng, 9, 5, channels)
					for i := range y.V {
						y.V[i] = float64(float32(y.V[i] + 0.5))
					}
					to := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 9, 5, channels, 1)
					mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
						k.EncodeToCommandBuffer(cb, x.Image(t, d, mps.ImageFeatureChannelFormatFloat32),
							y.Image(t, d, mps.ImageFeatureChannelFormatFloat32), to)
					})
					want := mpstest.NewPicture(9, 5, channels)
					for i := range want.V {
						c, px, py := i%channels, i/channels%9, i/channels/9
						if px >= 1 && px < 8 {
							a := x.Beyond(mps.ImageEdgeModeClamp, px-1-2, py+1, c)
							b := y.Beyond(mps.ImageEdgeModeClamp, (px-1)*stride, py, c)
							want.V[i] = min(max(test.value(2*a, 0.5*b)+0.25, -0.5), 1.75)
						}
					}
					mpstest.AssertPicture(t, want, mpstest.PictureOf(to, 0), 1e-6, fmt.Sprint(name, stride, channels))
				}
			}
		})
	}
}

func TestImageTranspose(t *testing.T) {
	d := mpstest.ImageFramework(t)
	src := mpstest.RandomPicture(rand.New(rand.NewPCG(12, 15)), 7, 4, 6)
	k, err := filter.NewTransposeWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	to := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatUnorm8, 4, 7, 6, 1)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		k.EncodeToCommandBuffer(cb, src.Image(t, d, mps.ImageFeatureChannelFormatUnorm8), to)
	})
	want := mpstest.NewPicture(4, 7, 6)
	for i := range want.V {
		want.V[i] = *src.At(i/24, i/6%4, i%6)
	}
	mpstest.AssertPicture(t, want, mpstest.PictureOf(to, 0), 0, "transposed")
}

// TestImageConversion: between pixel formats.
func TestImageConversion(t *testing.T) {
	d := mpstest.ImageFramework(t)
	src := mpstest.RandomPicture(rand.New(rand.NewPCG(13, 15)), 6, 5, 4)
	k, err := filter.NewConversionWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	for _, f := range []mps.ImageFeatureChannelFormat{mps.ImageFeatureChannelFormatUnorm16,
		mps.ImageFeatureChannelFormatFloat16,
		mps.ImageFeatureChannelFormatFloat32} {
		to := mpstest.NewTestImage(t, d, f, 6, 5, 4, 1)
		back := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatUnorm8, 6, 5, 4, 1)
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			k.EncodeToCommandBuffer(cb, src.Image(t, d, mps.ImageFeatureChannelFormatUnorm8), to)
			k.EncodeToCommandBuffer(cb, to, back)
		})
		mpstest.AssertPicture(t, src, mpstest.PictureOf(to, 0), 5e-4, f.String())
		mpstest.AssertPicture(t, src, mpstest.PictureOf(back, 0), 0, f.String())
	}
}

// TestImageScale: both ways to scale, up and down, to fit and by a transform.
func TestImageScale(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(14, 15))
	linear, err := filter.NewBilinearScaleWithDevice(d)
	require.NoError(t, err)
	defer linear.Release()
	lanczos, err := filter.NewLanczosScaleWithDevice(d)
	require.NoError(t, err)
	defer lanczos.Release()
	sinc := func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(math.Pi*x) / (math.Pi * x)
	}
	// weight is the weight of a texel at a distance, in texels of the source.
	weight := func(smooth bool, distance, scale float64) float64 {
		if !smooth {
			return max(0, 1-math.Abs(distance))
		}
		if distance *= min(scale, 1); math.Abs(distance) >= 3 {
			return 0
		}
		return sinc(distance) * sinc(distance/3)
	}
	resampled := func(src, dst mpstest.Picture, smooth bool, s mps.ScaleTransform) {
		for y := range dst.H {
			for x := range dst.W {
				for c := range dst.C {
					ax := (float64(x)+0.5-s.TranslateX)/s.ScaleX - 0.5
					ay := (float64(y)+0.5-s.TranslateY)/s.ScaleY - 0.5
					sum, all := 0.0, 0.0
					for sy := -20; sy < src.H+20; sy++ {
						for sx := -20; sx < src.W+20; sx++ {
							w := weight(smooth, float64(sx)-ax, s.ScaleX) * weight(smooth, float64(sy)-ay, s.ScaleY)
							sum += w * src.Beyond(mps.ImageEdgeModeClamp, sx, sy, c)
							all += w
						}
					}
					*dst.At(x, y, c) = sum / all
				}
			}
		}
	}
	for _, channels := range []int{1, 5} {
		for _, size := range [][2]int{{17, 11}, {5, 4}, {9, 7}} {
			for _, s := range []*mps.ScaleTransform{nil, {ScaleX: 1.5, ScaleY: 0.75, TranslateX: 0.3, TranslateY: -1.2}} {
				for smooth, k := range map[bool]filter.Scale{false: linear, true: lanczos} {
					src, want := mpstest.RandomPicture(rng, 9, 7, channels), mpstest.NewPicture(size[0], size[1], channels)
					k.SetScaleTransform(s)
					to := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, want.W, want.H, channels, 1)
					mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
						k.EncodeToCommandBuffer(cb, src.Image(t, d, mps.ImageFeatureChannelFormatFloat32), to)
					})
					used := mps.ScaleTransform{ScaleX: float64(size[0]) / 9, ScaleY: float64(size[1]) / 7}
					if s != nil {
						used = *s
					}
					resampled(src, want, smooth, used)
					mpstest.AssertPicture(t, want, mpstest.PictureOf(to, 0), 2e-5, fmt.Sprint(smooth, size, used))
				}
			}
		}
	}
	assert.Contains(t, mpstest.FaultsOf(t, func() {
		linear.SetScaleTransform(&mps.ScaleTransform{})
		m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatUnorm8, 4, 4, 1, 1)
		n := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatUnorm8, 4, 4, 1, 1)
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { linear.EncodeToCommandBuffer(cb, m, n) })
	}), "MPSImageBilinearScale: the transform scales by 0 and 0")
}

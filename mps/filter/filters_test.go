package filter_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/filter"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// frame is where a filter reads and writes.
type frame struct {
	offset [2]int
	clip   [4]int // origin and size
	edge   mps.ImageEdgeMode
}

// windowed fills the clip rectangle of a picture with a function of the values in a window around
// each place, row by row.
func (f frame) windowed(src, dst mpstest.Picture, w, h int, value func(window []float64) float64) {
	for y := range f.clip[3] {
		for x := range f.clip[2] {
			for c := range dst.C {
				var window []float64
				for dy := range h {
					for dx := range w {
						window = append(window, src.Beyond(f.edge, x+f.offset[0]+dx-w/2, y+f.offset[1]+dy-h/2, c))
					}
				}
				*dst.At(x+f.clip[0], y+f.clip[1], c) = value(window)
			}
		}
	}
}

// weighted is a sum with weights.
func weighted(weights []float64) func([]float64) float64 {
	return func(v []float64) (sum float64) {
		for i := range v {
			sum += v[i] * weights[i]
		}
		return sum
	}
}

// outer returns the products of all elements of two lists.
func outer(rows, columns []float64) (w []float64) {
	for _, r := range rows {
		for _, c := range columns {
			w = append(w, r*c)
		}
	}
	return w
}

// filtered runs a filter on images of a format, and compares with a reference that fills the clip
// rectangle of the picture that was in the destination.
func filtered(t *testing.T, d mtl.Device, k filter.UnaryImageKernel, src mpstest.Picture,
	f mps.ImageFeatureChannelFormat, at frame,
	tolerance float64, reference func(dst mpstest.Picture)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	before := mpstest.RandomPicture(rng, src.W, src.H, src.C)
	from, to := src.Image(t, d, f), before.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	k.SetOffset(mps.Offset{X: at.offset[0], Y: at.offset[1]})
	k.SetEdgeMode(at.edge)
	k.SetClipRect(mtl.Region{Origin: mtl.Origin{X: uint(at.clip[0]), Y: uint(at.clip[1])},
		Size: mtl.Size{Width: uint(at.clip[2]), Height: uint(at.clip[3]), Depth: 100}})
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, from, to) })
	reference(before)
	mpstest.AssertPicture(t, before, mpstest.PictureOf(to, 0), tolerance, fmt.Sprintf("%d channels, %+v", src.C, at))
}

// frames are the clip rectangles, offsets and edge modes of a picture that filters are tested with.
func frames(w, h int, edges ...mps.ImageEdgeMode) (list []frame) {
	for _, e := range edges {
		list = append(list, frame{clip: [4]int{0, 0, w, h}, edge: e},
			frame{offset: [2]int{-3, 4}, clip: [4]int{2, 1, w - 4, h - 2}, edge: e})
	}
	return list
}

// windowFilters are filters of a window, with their references.
func windowFilters(t *testing.T, d mtl.Device) []windowFilter {
	t.Helper()
	box := func(n int) []float64 { return slices.Repeat([]float64{1 / float64(n)}, n) }
	tent := func(n int) (w []float64) {
		for i := range n {
			w = append(w, (float64(n/2+1)-math.Abs(float64(i-n/2)))/float64((n/2+1)*(n/2+1)))
		}
		return w
	}
	gauss := func(sigma float64, n int) (w []float64) {
		sum := 0.0
		for i := range n {
			w = append(w, math.Exp(-math.Pow(float64(i-n/2), 2)/(2*sigma*sigma)))
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
		return w
	}
	weights := []float32{0.5, -1, 0.25, 2, 0.75, -0.5, 1, 0, 0.125, -2, 1.5, 0.3, 0.1, -0.2, 0.6}
	wide := make([]float64, len(weights))
	for i, w := range weights {
		wide[i] = float64(w)
	}
	blur, err := filter.NewGaussianBlurWithDevice(d, 1.5)
	require.NoError(t, err)
	assert.EqualValues(t, 1.5, blur.Sigma())
	boxes, err := filter.NewBoxWithDevice(d, 5, 3)
	require.NoError(t, err)
	assert.EqualValues(t, 5, boxes.KernelWidth())
	tents, err := filter.NewTentWithDevice(d, 3, 7)
	require.NoError(t, err)
	convolution, err := filter.NewConvolutionWithDeviceKernelWidth(d, 5, 3, weights)
	require.NoError(t, err)
	convolution.SetBias(0.25)
	laplacian, err := filter.NewLaplacianWithDevice(d)
	require.NoError(t, err)
	laplacian.SetBias(0.5)
	sobel, err := filter.NewSobelWithDevice(d)
	require.NoError(t, err)
	sum := weighted(wide)
	laplace := weighted([]float64{0, 1, 0, 1, -4, 1, 0, 1, 0})
	list := []windowFilter{
		{"gaussian", blur.UnaryImageKernel, 11, 11, weighted(outer(gauss(1.5, 11), gauss(1.5, 11)))},
		{"box", boxes.UnaryImageKernel, 5, 3, weighted(outer(box(3), box(5)))},
		{"tent", tents.UnaryImageKernel, 3, 7, weighted(outer(tent(7), tent(3)))},
		{"convolution", convolution.UnaryImageKernel, 5, 3, func(v []float64) float64 { return sum(v) + 0.25 }},
		{"laplacian", laplacian.UnaryImageKernel, 3, 3, func(v []float64) float64 { return laplace(v) + 0.5 }},
		{"sobel", sobel.UnaryImageKernel, 3, 3, func(v []float64) float64 {
			return math.Hypot(v[2]+2*v[5]+v[8]-v[0]-2*v[3]-v[6], v[6]+2*v[7]+v[8]-v[0]-2*v[1]-v[2])
		}},
	}
	for _, f := range list {
		t.Cleanup(f.kernel.Release)
	}
	return list
}

// windowFilter is a filter of a window with its reference.
type windowFilter struct {
	name   string
	kernel filter.UnaryImageKernel
	w, h   int
	value  func([]float64) float64
}

func TestImageWindows(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(3, 15))
	edges := []mps.ImageEdgeMode{mps.ImageEdgeModeZero, mps.ImageEdgeModeClamp, mps.ImageEdgeModeMirror,
		mps.ImageEdgeModeMirrorWithEdge}
	for _, f := range windowFilters(t, d) {
		t.Run(f.name, func(t *testing.T) {
			for _, channels := range []int{1, 2, 4, 7} {
				src := mpstest.RandomPicture(rng, 13, 9, channels)
				for _, at := range frames(13, 9, edges...) {
					filtered(t, d, f.kernel, src, mps.ImageFeatureChannelFormatUnorm8, at, 1e-5, func(dst mpstest.Picture) {
						at.windowed(src, dst, f.w, f.h, f.value)
					})
				}
			}
		})
	}
}

// TestImageRanks: filters that pick values of a window, which is continued by its edge.
func TestImageRanks(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(4, 15))
	least, err := filter.MedianMinKernelDiameter()
	require.NoError(t, err)
	most, err := filter.MedianMaxKernelDiameter()
	require.NoError(t, err)
	var list []windowFilter
	for n := least; n <= most; n += 2 {
		k, err := filter.NewMedianWithDevice(d, n)
		require.NoError(t, err)
		assert.Equal(t, n, k.KernelDiameter())
		list = append(list, windowFilter{fmt.Sprintf("median %d", n), k.UnaryImageKernel, int(n), int(n),
			func(v []float64) float64 { slices.Sort(v); return v[len(v)/2] }})
	}
	probe := []float32{0.5, 0, 0.25, 0.125, 0, 0.375, 0.75, 0.5, 0, 0, 0.25, 0.5, 1, 1, 1}
	extreme := func(sign float64, probe []float32) func([]float64) float64 {
		return func(v []float64) float64 {
			best := math.Inf(-1)
			for i := range v {
				best = max(best, sign*v[i]-float64(probe[i]))
			}
			return sign * best
		}
	}
	high, err := filter.NewAreaMaxWithDevice(d, 3, 5)
	require.NoError(t, err)
	low, err := filter.NewAreaMinWithDevice(d, 5, 3)
	require.NoError(t, err)
	dilate, err := filter.NewDilateWithDevice(d, 3, 5, probe)
	require.NoError(t, err)
	erode, err := filter.NewErodeWithDevice(d, 5, 3, probe)
	require.NoError(t, err)
	assert.EqualValues(t, 5, erode.KernelWidth())
	flat := make([]float32, 15)
	list = append(list, windowFilter{"area maximum", high.UnaryImageKernel, 3, 5, extreme(1, flat)},
		windowFilter{"area minimum", low.UnaryImageKernel, 5, 3, extreme(-1, flat)},
		windowFilter{"dilate", dilate.UnaryImageKernel, 3, 5, extreme(1, probe)},
		windowFilter{"erode", erode.UnaryImageKernel, 5, 3, extreme(-1, probe)})
	for _, f := range list {
		t.Cleanup(f.kernel.Release)
		t.Run(f.name, func(t *testing.T) {
			for _, channels := range []int{1, 3, 6} {
				src := mpstest.RandomPicture(rng, 9, 11, channels)
				for _, at := range frames(9, 11, mps.ImageEdgeModeClamp) {
					filtered(t, d, f.kernel, src, mps.ImageFeatureChannelFormatFloat32, at, 1e-6, func(dst mpstest.Picture) {
						at.windowed(src, dst, f.w, f.h, f.value)
					})
				}
			}
		})
	}
}

// TestImageGray: the Sobel filter of a color image, in one channel.
func TestImageGray(t *testing.T) {
	d := mpstest.ImageFramework(t)
	src := mpstest.RandomPicture(rand.New(rand.NewPCG(5, 15)), 7, 6, 3)
	k, err := filter.NewSobelWithDeviceLinearGrayColorTransform(d, []float32{0.5, 0.25, 0.125})
	require.NoError(t, err)
	defer k.Release()
	k.SetEdgeMode(mps.ImageEdgeModeClamp)
	gray, want := mpstest.NewPicture(7, 6, 1), mpstest.NewPicture(7, 6, 1)
	for i := range gray.V {
		gray.V[i] = 0.5*src.V[3*i] + 0.25*src.V[3*i+1] + 0.125*src.V[3*i+2]
	}
	at := frame{clip: [4]int{0, 0, 7, 6}, edge: mps.ImageEdgeModeClamp}
	at.windowed(gray, want, 3, 3, func(v []float64) float64 {
		return math.Hypot(v[2]+2*v[5]+v[8]-v[0]-2*v[3]-v[6], v[6]+2*v[7]+v[8]-v[0]-2*v[1]-v[2])
	})
	to := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 7, 6, 1, 1)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		k.EncodeToCommandBuffer(cb, src.Image(t, d, mps.ImageFeatureChannelFormatFloat32), to)
	})
	mpstest.AssertPicture(t, want, mpstest.PictureOf(to, 0), 1e-5, "sobel")
}

// TestImageZeroAlpha: beyond the edge of an image without alpha, alpha is one.
func TestImageZeroAlpha(t *testing.T) {
	d := mpstest.ImageFramework(t)
	k, err := filter.NewBoxWithDevice(d, 3, 3)
	require.NoError(t, err)
	defer k.Release()
	for channels, want := range map[int]float64{1: 1, 4: 4.0 / 9} {
		src := mpstest.NewPicture(1, 1, channels)
		for i := range src.V {
			src.V[i] = 4
		}
		if channels < 4 {
			want = 1
		}
		to := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 1, 1, 4, 1)
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			k.EncodeToCommandBuffer(cb, src.Image(t, d, mps.ImageFeatureChannelFormatFloat32), to)
		})
		got := mpstest.PictureOf(to, 0)
		require.InDelta(t, 4.0/9, got.V[0], 1e-6)
		require.InDelta(t, want, got.V[3], 1e-6)
	}
}

// TestTemporaryImage: a chain of two filters, whose image between them is read once.
func TestTemporaryImage(t *testing.T) {
	d := mpstest.ImageFramework(t)
	src := mpstest.RandomPicture(rand.New(rand.NewPCG(6, 15)), 9, 5, 6)
	k, err := filter.NewBoxWithDevice(d, 3, 1)
	require.NoError(t, err)
	defer k.Release()
	k.SetEdgeMode(mps.ImageEdgeModeClamp)
	from := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	to := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 9, 5, 6, 1)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		desc, err := mps.ImageDescriptorWithChannelFormat(mps.ImageFeatureChannelFormatFloat32, 9, 5, 6)
		require.NoError(t, err)
		between, err := mps.TemporaryImageWithCommandBuffer(cb, desc)
		require.NoError(t, err)
		assert.EqualValues(t, 1, between.ReadCount())
		k.EncodeToCommandBuffer(cb, from, between.Image)
		k.EncodeToCommandBuffer(cb, between.Image, to)
		assert.EqualValues(t, 0, between.ReadCount())
		assert.Contains(t, mpstest.FaultsOf(t, func() { k.EncodeToCommandBuffer(cb, between.Image, to) }), "readCount")
	})
	at := frame{clip: [4]int{0, 0, 9, 5}, edge: mps.ImageEdgeModeClamp}
	once, twice := mpstest.NewPicture(9, 5, 6), mpstest.NewPicture(9, 5, 6)
	mean := func(v []float64) float64 { return (v[0] + v[1] + v[2]) / 3 }
	at.windowed(src, once, 3, 1, mean)
	at.windowed(once, twice, 3, 1, mean)
	mpstest.AssertPicture(t, twice, mpstest.PictureOf(to, 0), 1e-6, "two boxes")
}

func TestImageFilterMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	k, err := filter.NewBoxWithDevice(d, 3, 3)
	require.NoError(t, err)
	defer k.Release()
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatUnorm8, 4, 4, 1, 1)
	n := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatUnorm8, 4, 4, 1, 1)
	run := func() { mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m, n) }) }
	for _, test := range []struct {
		want string
		call func()
	}{
		{"MPSImageMedian: a window of diameter 11", func() { _, _ = filter.NewMedianWithDevice(d, 11) }},
		{"MPSImageGaussianBlur: sigma -1", func() { _, _ = filter.NewGaussianBlurWithDevice(d, -1) }},
		{"MPSImageBox: edgeMode 4", func() { k.SetEdgeMode(mps.ImageEdgeModeConstant); run(); k.SetEdgeMode(0) }},
		{"MPSImageBox: offset starts at slice 1 of a source with 1", func() {
			k.SetOffset(mps.Offset{Z: 1})
			run()
			k.SetOffset(mps.Offset{})
		}},
		{"MPSImageBox: the source and the destination are the same texture", func() {
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m, m) })
		}},
		{"MPSImageHistogram: 100 entries", func() {
			_, _ = filter.NewHistogramWithDeviceHistogramInfo(d, &filter.HistogramInfo{NumberOfHistogramEntries: 100,
				MaxPixelValue: [4]float32{1, 1, 1, 1}})
		}},
		{"MPSImageHistogramEqualization: there is no transform", func() {
			k, err := filter.NewHistogramEqualizationWithDevice(d)
			require.NoError(t, err)
			defer k.Release()
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m, n) })
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, mpstest.FaultsOf(t, test.call), test.want) })
	}
	region := k.SourceRegionForDestinationSize(mtl.Size{Width: 10, Height: 8, Depth: 1})
	assert.Equal(t, mps.Region{Origin: mps.Origin{X: -1, Y: -1}, Size: mps.Size{Width: 12, Height: 10, Depth: 1}}, region)
}

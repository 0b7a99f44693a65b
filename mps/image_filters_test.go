package mps

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// frame is where a filter reads and writes.
type frame struct {
	offset [2]int
	clip   [4]int // origin and size
	edge   ImageEdgeMode
}

// beyond returns a picture's value at any place: by the edge mode where there is no texel. Zero has
// an alpha of one for formats that have none.
func (p picture) beyond(edge ImageEdgeMode, x, y, c int) float64 {
	mirror := func(i, n int, repeat bool) int {
		for i < 0 || i >= n {
			switch {
			case repeat && i < 0:
				i = -1 - i
			case repeat:
				i = 2*n - 1 - i
			case n == 1:
				i = 0
			case i < 0:
				i = -i
			default:
				i = 2*(n-1) - i
			}
		}
		return i
	}
	switch edge {
	case ImageEdgeModeZero:
		if x < 0 || y < 0 || x >= p.w || y >= p.h {
			return 0
		}
	case ImageEdgeModeClamp:
		x, y = min(max(x, 0), p.w-1), min(max(y, 0), p.h-1)
	default:
		with := edge == ImageEdgeModeMirrorWithEdge
		x, y = mirror(x, p.w, with), mirror(y, p.h, with)
	}
	return *p.at(x, y, c)
}

// windowed fills the clip rectangle of a picture with a function of the values in a window around
// each place, row by row.
func (f frame) windowed(src, dst picture, w, h int, value func(window []float64) float64) {
	for y := range f.clip[3] {
		for x := range f.clip[2] {
			for c := range dst.c {
				var window []float64
				for dy := range h {
					for dx := range w {
						window = append(window, src.beyond(f.edge, x+f.offset[0]+dx-w/2, y+f.offset[1]+dy-h/2, c))
					}
				}
				*dst.at(x+f.clip[0], y+f.clip[1], c) = value(window)
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
func filtered(t *testing.T, d mtl.Device, k UnaryImageKernel, src picture, f ImageFeatureChannelFormat, at frame,
	tolerance float64, reference func(dst picture)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	before := randomPicture(rng, src.w, src.h, src.c)
	from, to := src.image(t, d, f), before.image(t, d, ImageFeatureChannelFormatFloat32)
	k.SetOffset(Offset{X: at.offset[0], Y: at.offset[1]})
	k.SetEdgeMode(at.edge)
	k.SetClipRect(mtl.Region{Origin: mtl.Origin{X: uint(at.clip[0]), Y: uint(at.clip[1])},
		Size: mtl.Size{Width: uint(at.clip[2]), Height: uint(at.clip[3]), Depth: 100}})
	encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, from, to) })
	reference(before)
	assertPicture(t, before, pictureOf(to, 0), tolerance, fmt.Sprintf("%d channels, %+v", src.c, at))
}

// frames are the clip rectangles, offsets and edge modes of a picture that filters are tested with.
func frames(w, h int, edges ...ImageEdgeMode) (list []frame) {
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
	blur, err := NewImageGaussianBlurWithDevice(d, 1.5)
	require.NoError(t, err)
	assert.EqualValues(t, 1.5, blur.Sigma())
	boxes, err := NewImageBoxWithDevice(d, 5, 3)
	require.NoError(t, err)
	assert.EqualValues(t, 5, boxes.KernelWidth())
	tents, err := NewImageTentWithDevice(d, 3, 7)
	require.NoError(t, err)
	convolution, err := NewImageConvolutionWithDeviceKernelWidth(d, 5, 3, weights)
	require.NoError(t, err)
	convolution.SetBias(0.25)
	laplacian, err := NewImageLaplacianWithDevice(d)
	require.NoError(t, err)
	laplacian.SetBias(0.5)
	sobel, err := NewImageSobelWithDevice(d)
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
	kernel UnaryImageKernel
	w, h   int
	value  func([]float64) float64
}

func TestImageWindows(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(3, 15))
	edges := []ImageEdgeMode{ImageEdgeModeZero, ImageEdgeModeClamp, ImageEdgeModeMirror, ImageEdgeModeMirrorWithEdge}
	for _, f := range windowFilters(t, d) {
		t.Run(f.name, func(t *testing.T) {
			for _, channels := range []int{1, 2, 4, 7} {
				src := randomPicture(rng, 13, 9, channels)
				for _, at := range frames(13, 9, edges...) {
					filtered(t, d, f.kernel, src, ImageFeatureChannelFormatUnorm8, at, 1e-5, func(dst picture) {
						at.windowed(src, dst, f.w, f.h, f.value)
					})
				}
			}
		})
	}
}

// TestImageRanks: filters that pick values of a window, which is continued by its edge.
func TestImageRanks(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(4, 15))
	least, err := ImageMedianMinKernelDiameter()
	require.NoError(t, err)
	most, err := ImageMedianMaxKernelDiameter()
	require.NoError(t, err)
	var list []windowFilter
	for n := least; n <= most; n += 2 {
		k, err := NewImageMedianWithDevice(d, n)
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
	high, err := NewImageAreaMaxWithDevice(d, 3, 5)
	require.NoError(t, err)
	low, err := NewImageAreaMinWithDevice(d, 5, 3)
	require.NoError(t, err)
	dilate, err := NewImageDilateWithDevice(d, 3, 5, probe)
	require.NoError(t, err)
	erode, err := NewImageErodeWithDevice(d, 5, 3, probe)
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
				src := randomPicture(rng, 9, 11, channels)
				for _, at := range frames(9, 11, ImageEdgeModeClamp) {
					filtered(t, d, f.kernel, src, ImageFeatureChannelFormatFloat32, at, 1e-6, func(dst picture) {
						at.windowed(src, dst, f.w, f.h, f.value)
					})
				}
			}
		})
	}
}

// TestImageGray: the Sobel filter of a color image, in one channel.
func TestImageGray(t *testing.T) {
	d := imageFramework(t)
	src := randomPicture(rand.New(rand.NewPCG(5, 15)), 7, 6, 3)
	k, err := NewImageSobelWithDeviceLinearGrayColorTransform(d, []float32{0.5, 0.25, 0.125})
	require.NoError(t, err)
	defer k.Release()
	k.SetEdgeMode(ImageEdgeModeClamp)
	gray, want := newPicture(7, 6, 1), newPicture(7, 6, 1)
	for i := range gray.v {
		gray.v[i] = 0.5*src.v[3*i] + 0.25*src.v[3*i+1] + 0.125*src.v[3*i+2]
	}
	at := frame{clip: [4]int{0, 0, 7, 6}, edge: ImageEdgeModeClamp}
	at.windowed(gray, want, 3, 3, func(v []float64) float64 {
		return math.Hypot(v[2]+2*v[5]+v[8]-v[0]-2*v[3]-v[6], v[6]+2*v[7]+v[8]-v[0]-2*v[1]-v[2])
	})
	to := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 7, 6, 1, 1)
	encoded(t, d, func(cb mtl.CommandBuffer) {
		k.EncodeToCommandBuffer(cb, src.image(t, d, ImageFeatureChannelFormatFloat32), to)
	})
	assertPicture(t, want, pictureOf(to, 0), 1e-5, "sobel")
}

// TestImageZeroAlpha: beyond the edge of an image without alpha, alpha is one.
func TestImageZeroAlpha(t *testing.T) {
	d := imageFramework(t)
	k, err := NewImageBoxWithDevice(d, 3, 3)
	require.NoError(t, err)
	defer k.Release()
	for channels, want := range map[int]float64{1: 1, 4: 4.0 / 9} {
		src := newPicture(1, 1, channels)
		for i := range src.v {
			src.v[i] = 4
		}
		if channels < 4 {
			want = 1
		}
		to := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 1, 1, 4, 1)
		encoded(t, d, func(cb mtl.CommandBuffer) {
			k.EncodeToCommandBuffer(cb, src.image(t, d, ImageFeatureChannelFormatFloat32), to)
		})
		got := pictureOf(to, 0)
		require.InDelta(t, 4.0/9, got.v[0], 1e-6)
		require.InDelta(t, want, got.v[3], 1e-6)
	}
}

// TestTemporaryImage: a chain of two filters, whose image between them is read once.
func TestTemporaryImage(t *testing.T) {
	d := imageFramework(t)
	src := randomPicture(rand.New(rand.NewPCG(6, 15)), 9, 5, 6)
	k, err := NewImageBoxWithDevice(d, 3, 1)
	require.NoError(t, err)
	defer k.Release()
	k.SetEdgeMode(ImageEdgeModeClamp)
	from := src.image(t, d, ImageFeatureChannelFormatFloat32)
	to := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 9, 5, 6, 1)
	encoded(t, d, func(cb mtl.CommandBuffer) {
		desc, err := ImageDescriptorWithChannelFormat(ImageFeatureChannelFormatFloat32, 9, 5, 6)
		require.NoError(t, err)
		between, err := TemporaryImageWithCommandBuffer(cb, desc)
		require.NoError(t, err)
		assert.EqualValues(t, 1, between.ReadCount())
		k.EncodeToCommandBuffer(cb, from, between.Image)
		k.EncodeToCommandBuffer(cb, between.Image, to)
		assert.EqualValues(t, 0, between.ReadCount())
		assert.Contains(t, faultsOf(t, func() { k.EncodeToCommandBuffer(cb, between.Image, to) }), "readCount")
	})
	at := frame{clip: [4]int{0, 0, 9, 5}, edge: ImageEdgeModeClamp}
	once, twice := newPicture(9, 5, 6), newPicture(9, 5, 6)
	mean := func(v []float64) float64 { return (v[0] + v[1] + v[2]) / 3 }
	at.windowed(src, once, 3, 1, mean)
	at.windowed(once, twice, 3, 1, mean)
	assertPicture(t, twice, pictureOf(to, 0), 1e-6, "two boxes")
}

func TestImageFilterMisuse(t *testing.T) {
	d := imageFramework(t)
	k, err := NewImageBoxWithDevice(d, 3, 3)
	require.NoError(t, err)
	defer k.Release()
	m := newTestImage(t, d, ImageFeatureChannelFormatUnorm8, 4, 4, 1, 1)
	n := newTestImage(t, d, ImageFeatureChannelFormatUnorm8, 4, 4, 1, 1)
	run := func() { encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m, n) }) }
	for _, test := range []struct {
		want string
		call func()
	}{
		{"MPSImageMedian: a window of diameter 11", func() { _, _ = NewImageMedianWithDevice(d, 11) }},
		{"MPSImageGaussianBlur: sigma -1", func() { _, _ = NewImageGaussianBlurWithDevice(d, -1) }},
		{"MPSImageBox: edgeMode 4", func() { k.SetEdgeMode(ImageEdgeModeConstant); run(); k.SetEdgeMode(0) }},
		{"MPSImageBox: offset starts at slice 1 of a source with 1", func() {
			k.SetOffset(Offset{Z: 1})
			run()
			k.SetOffset(Offset{})
		}},
		{"MPSImageBox: the source and the destination are the same texture", func() {
			encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m, m) })
		}},
		{"MPSImageHistogram: 100 entries", func() {
			_, _ = NewImageHistogramWithDeviceHistogramInfo(d, &ImageHistogramInfo{NumberOfHistogramEntries: 100,
				MaxPixelValue: [4]float32{1, 1, 1, 1}})
		}},
		{"MPSImageHistogramEqualization: there is no transform", func() {
			k, err := NewImageHistogramEqualizationWithDevice(d)
			require.NoError(t, err)
			defer k.Release()
			encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m, n) })
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, faultsOf(t, test.call), test.want) })
	}
	region := k.SourceRegionForDestinationSize(mtl.Size{Width: 10, Height: 8, Depth: 1})
	assert.Equal(t, Region{Origin: Origin{X: -1, Y: -1}, Size: Size{Width: 12, Height: 10, Depth: 1}}, region)
}

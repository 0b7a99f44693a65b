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
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// kernelShape is the geometry of a convolution; pairs are along x and y.
type kernelShape struct {
	size, stride, dilation [2]int
	in, out, groups        int
	depthwise              bool
}

func plainShape(w, h, in, out int) kernelShape {
	return kernelShape{size: [2]int{w, h}, stride: [2]int{1, 1}, dilation: [2]int{1, 1}, in: in, out: out, groups: 1}
}

// perGroup returns the inputs of each output.
func (s kernelShape) perGroup() int {
	if s.depthwise {
		return 1
	}
	return s.in / s.groups
}

func (s kernelShape) count() int { return s.out * s.size[0] * s.size[1] * s.perGroup() }

func (s kernelShape) span(axis, n int) int {
	return (n-1)*s.stride[axis] + (s.size[axis]-1)*s.dilation[axis] + 1
}

// center returns where the middle tap is from the first one.
func (s kernelShape) center(axis int) int { return s.dilation[axis] * (s.size[axis] / 2) }

// descriptor makes a descriptor of the shape.
func (s kernelShape) descriptor(t *testing.T) cnn.ConvolutionDescriptor {
	t.Helper()
	w, h, in, out := uint(s.size[0]), uint(s.size[1]), uint(s.in), uint(s.out)
	d, err := cnn.ConvolutionDescriptorWithKernelWidth(w, h, in, out)
	if s.depthwise {
		var p cnn.DepthWiseConvolutionDescriptor
		p, err = cnn.DepthWiseConvolutionDescriptorWithKernelWidth(w, h, in, out)
		d = p.ConvolutionDescriptor
	}
	require.NoError(t, err)
	d.SetStrideInPixelsX(uint(s.stride[0]))
	d.SetStrideInPixelsY(uint(s.stride[1]))
	d.SetDilationRateX(uint(s.dilation[0]))
	d.SetDilationRateY(uint(s.dilation[1]))
	if !s.depthwise {
		d.SetGroups(uint(s.groups))
	}
	return d
}

// convolved returns the w by h values of a convolution whose first window begins at a place of src.
func (s kernelShape) convolved(src mpstest.Picture, weights, biases []float64, first [2]int, w, h int,
	edge mps.ImageEdgeMode) mpstest.Picture {
	dst := mpstest.NewPicture(w, h, s.out)
	per := s.perGroup()
	for y := range h {
		for x := range w {
			for o := range s.out {
				sum := biases[o]
				group := o / (s.out / s.groups)
				if s.depthwise {
					group = o / (s.out / s.in)
				}
				for ky := range s.size[1] {
					for kx := range s.size[0] {
						for i := range per {
							sum += weights[((o*s.size[1]+ky)*s.size[0]+kx)*per+i] * src.Beyond(edge,
								first[0]+x*s.stride[0]+kx*s.dilation[0], first[1]+y*s.stride[1]+ky*s.dilation[1],
								group*per+i)
						}
					}
				}
				*dst.At(x, y, o) = sum
			}
		}
	}
	return dst
}

// spread returns a picture with zeros between the pixels.
func (s kernelShape) spread(src mpstest.Picture) mpstest.Picture {
	dst := mpstest.NewPicture((src.W-1)*s.stride[0]+1, (src.H-1)*s.stride[1]+1, src.C)
	for y := range src.H {
		for x := range src.W {
			for c := range src.C {
				*dst.At(x*s.stride[0], y*s.stride[1], c) = *src.At(x, y, c)
			}
		}
	}
	return dst
}

// transposed is convolved for a transpose convolution, whose first window begins at a place between
// pixels of the spread source.
func (s kernelShape) transposed(src mpstest.Picture, weights, biases []float64, first [2]int, w,
	h int) mpstest.Picture {
	flat := s
	flat.stride = [2]int{1, 1}
	return flat.convolved(s.spread(src), weights, biases, first, w, h, mps.ImageEdgeModeZero)
}

// weightData is a data source of float32 weights.
type weightData struct {
	shape           kernelShape
	describe        cnn.ConvolutionDescriptor
	weights, biases []float32
	loads, purges   int
	reads           int // of the weights
	fails           bool
}

func (w *weightData) DataType() mps.DataType                { return mps.DataTypeFloat32 }
func (w *weightData) Descriptor() cnn.ConvolutionDescriptor { return w.describe }
func (w *weightData) Weights() uintptr                      { w.reads++; return objc.Slice(w.weights) }
func (w *weightData) BiasTerms() uintptr                    { return objc.Slice(w.biases) }
func (w *weightData) Load() bool                            { w.loads++; return !w.fails }
func (w *weightData) Purge()                                { w.purges++ }
func (w *weightData) Label() string                         { return "layer" }

// randomWeights makes a data source with weights that float16 represents.
func randomWeights(t *testing.T, rng *rand.Rand, s kernelShape) *weightData {
	t.Helper()
	w := &weightData{shape: s, describe: s.descriptor(t)}
	for range s.count() {
		w.weights = append(w.weights, float32(rng.IntN(129)-64)/64)
	}
	for range s.out {
		w.biases = append(w.biases, float32(rng.IntN(65)-32)/64)
	}
	return w
}

// source makes the object, which the test releases.
func (w *weightData) source(t *testing.T) cnn.ConvolutionDataSource {
	t.Helper()
	s, err := cnn.NewConvolutionDataSource(w)
	require.NoError(t, err)
	t.Cleanup(s.Release)
	return s
}

func float64s(list []float32) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}

func (w *weightData) convolved(src mpstest.Picture, first [2]int, width, height int,
	edge mps.ImageEdgeMode) mpstest.Picture {
	return w.shape.convolved(src, float64s(w.weights), float64s(w.biases), first, width, height, edge)
}

// convolution makes the kernel, which the test releases.
func (w *weightData) convolution(t *testing.T, d mtl.Device) cnn.Convolution {
	t.Helper()
	k, err := cnn.NewConvolutionWithDevice(d, w.source(t))
	require.NoError(t, err)
	t.Cleanup(k.Release)
	lasting(t, k.Kernel)
	return k
}

// lasting makes a kernel return images that the test can read.
func lasting(t *testing.T, k interface {
	SetDestinationImageAllocator(mps.ImageAllocator)
}) {
	t.Helper()
	a, err := mps.ImageDefaultAllocator()
	require.NoError(t, err)
	k.SetDestinationImageAllocator(a)
}

func between(rng *rand.Rand, low, high int) int { return low + rng.IntN(high-low+1) }

// randomShape returns a shape of each kind in turn.
func randomShape(rng *rand.Rand, kind int) kernelShape {
	s := kernelShape{size: [2]int{between(rng, 1, 4), between(rng, 1, 4)},
		stride:   [2]int{between(rng, 1, 3), between(rng, 1, 3)},
		dilation: [2]int{between(rng, 1, 2), between(rng, 1, 3)}, groups: 1}
	switch kind % 3 {
	case 0:
		s.in, s.out = between(rng, 1, 9), between(rng, 1, 9)
	case 1:
		s.groups = between(rng, 2, 3)
		s.in, s.out = s.groups*between(rng, 1, 4), s.groups*between(rng, 1, 4)
	case 2:
		s.depthwise = true
		s.in = between(rng, 1, 6)
		s.out = s.in * between(rng, 1, 2)
	}
	return s
}

// TestConvolution: convolutions with offsets, clip rectangles, channel offsets and edge modes.
func TestConvolution(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(11, 15))
	for i := range 18 {
		s := randomShape(rng, i)
		format, tolerance := mps.ImageFeatureChannelFormatFloat32, 2e-6
		if i%2 == 1 {
			format, tolerance = mps.ImageFeatureChannelFormatFloat16, 1e-3
		}
		data := randomWeights(t, rng, s)
		t.Run(fmt.Sprintf("%+v", s), func(t *testing.T) {
			k := data.convolution(t, d)
			skip := 4 * rng.IntN(2) // channels of the source before those that are read
			src := mpstest.RandomPicture(rng, between(rng, 1, 8), between(rng, 1, 8), skip+s.in+rng.IntN(3))
			base := 4 * rng.IntN(2)
			dst := mpstest.RandomPicture(rng, between(rng, 3, 7), between(rng, 3, 7), base+s.out)
			edge := mps.ImageEdgeMode(rng.IntN(2))
			offset := mps.Offset{X: between(rng, -3, 4), Y: between(rng, -3, 4)}
			clip := mtl.Region{Origin: mtl.Origin{X: uint(rng.IntN(3)), Y: uint(rng.IntN(3))},
				Size: mtl.Size{Width: uint(rng.IntN(5)), Height: uint(between(rng, 1, 9)), Depth: 1}}
			k.SetOffset(offset)
			k.SetClipRect(clip)
			k.SetEdgeMode(edge)
			k.SetSourceFeatureChannelOffset(uint(skip))
			k.SetDestinationFeatureChannelOffset(uint(base))
			in, out := src.Image(t, d, format), dst.Image(t, d, format)
			onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
			read := mpstest.NewPicture(src.W, src.H, s.in)
			for i, v := range mpstest.PictureOf(in, 0).V {
				if c := i%src.C - skip; c >= 0 && c < s.in {
					read.V[i/src.C*s.in+c] = v
				}
			}
			x0, y0 := int(clip.Origin.X), int(clip.Origin.Y)
			w, h := min(int(clip.Size.Width), dst.W-x0), min(int(clip.Size.Height), dst.H-y0)
			want := data.convolved(read, [2]int{offset.X - s.center(0), offset.Y - s.center(1)}, w, h, edge)
			for y := range h {
				for x := range w {
					for c := range s.out {
						*dst.At(x0+x, y0+y, base+c) = *want.At(x, y, c)
					}
				}
			}
			mpstest.AssertPicture(t, dst, mpstest.PictureOf(out, 0), tolerance+float64(i%2)*5e-4, "result")
		})
		assert.Equal(t, [3]int{1, 1, 1}, [3]int{data.loads, data.purges, data.reads})
	}
}

// TestConvolutionBatch: a batch of images and an image of several images have the same results.
func TestConvolutionBatch(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(12, 15))
	s := plainShape(3, 2, 5, 6)
	s.stride = [2]int{2, 1}
	data := randomWeights(t, rng, s)
	k := data.convolution(t, d)
	assert.EqualValues(t, [4]uint{3, 2, 2, 1}, [4]uint{k.KernelWidth(), k.KernelHeight(), k.StrideInPixelsX(),
		k.StrideInPixelsY()})
	assert.EqualValues(t, [2]uint{5, 6}, [2]uint{k.InputFeatureChannels(), k.OutputFeatureChannels()})
	assert.Equal(t, "layer", k.Label())
	assert.NotZero(t, k.EncodingStorageSizeForSourceImage(mpstest.NewTestImage(t, d, 3, 4, 4, 5, 1), nil, mps.Image{}))
	sizes := [][2]int{{6, 5}, {6, 5}, {4, 7}} // the last one is another launch
	var in []mps.Image
	var pictures []mpstest.Picture
	for _, size := range sizes {
		p := mpstest.RandomPicture(rng, size[0], size[1], 5)
		pictures = append(pictures, p)
		in = append(in, p.Image(t, d, mps.ImageFeatureChannelFormatFloat32))
	}
	same, err := cnn.NNDefaultPaddingWithMethod(cnn.NNPaddingMethodSizeSame | cnn.NNPaddingMethodAddRemainderToBottomRight)
	require.NoError(t, err)
	k.SetPadding(cnn.NNPaddingFrom(same.ID()))
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		results := k.EncodeBatchToCommandBuffer(cb, in[:2])
		for _, m := range results {
			m.Retain()
			t.Cleanup(m.Release)
		}
		in = append(in, results...)
	})
	for i, p := range pictures[:2] {
		want := data.convolved(p, [2]int{0, 0}, 3, 5, mps.ImageEdgeModeZero)
		mpstest.AssertPicture(t, want, mpstest.PictureOf(in[3+i], 0), 2e-6, "batch")
	}
	// An image of three, of which the last two are read and written, in turn.
	many := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 6, 5, 5, 3)
	out := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 3, 5, 6, 3)
	for i := range 2 {
		pictures[i].Write(many, uint(1+i))
	}
	k.SetOffset(mps.Offset{X: 1, Y: 1, Z: 1})
	k.SetClipRect(mtl.Region{Size: mtl.Size{Width: 3, Height: 5, Depth: 2}})
	onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, many, out) })
	for i := range 2 {
		want := data.convolved(pictures[i], [2]int{0, 0}, 3, 5, mps.ImageEdgeModeZero)
		mpstest.AssertPicture(t, want, mpstest.PictureOf(out, uint(i)), 2e-6, "image of images")
	}
	k.SetClipRect(mtl.Region{Size: mtl.Size{Width: 99, Height: 99, Depth: 1}})
	k.SetOffset(mps.Offset{X: 1, Y: 1})
	outs := []mps.Image{mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 3, 5, 6, 1),
		mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 2, 7, 6, 1)}
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		k.EncodeBatchToCommandBufferDestinationImages(cb, []mps.Image{in[0], in[2]}, outs)
	})
	mpstest.AssertPicture(t, data.convolved(pictures[2], [2]int{0, 0}, 2, 7, mps.ImageEdgeModeZero),
		mpstest.PictureOf(outs[1], 0), 2e-6,
		"another size")
}

// TestConvolutionPadding: sizes and positions of results that the kernel makes.
func TestConvolutionPadding(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(13, 15))
	for i := range 12 {
		s := randomShape(rng, 0)
		data := randomWeights(t, rng, s)
		k := data.convolution(t, d)
		src := mpstest.RandomPicture(rng, between(rng, 9, 11), between(rng, 9, 11), s.in)
		size := []cnn.NNPaddingMethod{cnn.NNPaddingMethodSizeValidOnly, cnn.NNPaddingMethodSizeSame,
			cnn.NNPaddingMethodSizeFull}[i%3]
		method := size | []cnn.NNPaddingMethod{cnn.NNPaddingMethodAddRemainderToTopLeft,
			cnn.NNPaddingMethodAddRemainderToBottomRight, cnn.NNPaddingMethodAlignTopLeft,
			cnn.NNPaddingMethodAlignBottomRight}[i%4]
		p, err := cnn.NNDefaultPaddingWithMethod(method)
		require.NoError(t, err)
		k.SetPadding(cnn.NNPaddingFrom(p.ID()))
		var n, before [2]int
		for axis, pixels := range [2]int{src.W, src.H} {
			reach := s.span(axis, 1)
			n[axis] = int(math.Ceil(float64(pixels+(i%3-1)*(reach-1)) / float64(s.stride[axis])))
			missing := s.span(axis, n[axis]) - pixels
			before[axis] = []int{(missing + 1) / 2, missing / 2, missing, 0}[i%4]
		}
		in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
		onQueue(t, d, func(cb mtl.CommandBuffer) {
			m := k.EncodeToCommandBuffer(cb, in)
			m.Retain()
			in = m
		})
		t.Cleanup(in.Release)
		want := data.convolved(src, [2]int{-before[0], -before[1]}, n[0], n[1], mps.ImageEdgeModeZero)
		mpstest.AssertPicture(t, want, mpstest.PictureOf(in, 0), 2e-6, fmt.Sprintf("%+v, method %#x", s, method))
		assert.Equal(t, mps.Offset{X: s.center(0) - before[0], Y: s.center(1) - before[1]}, k.Offset())
	}
}

// customPadding is a policy of the program's: twice the suggested width, from pixel 0 on.
type customPadding struct{ t *testing.T }

func (customPadding) PaddingMethod() cnn.NNPaddingMethod {
	return cnn.NNPaddingMethodCustom | cnn.NNPaddingMethodSizeSame
}

func (p customPadding) DestinationImageDescriptorForSourceImages(images []mps.Image, _ []mps.State, k mps.Kernel,
	d mps.ImageDescriptor) mps.ImageDescriptor {
	assert.Len(p.t, images, 1)
	d.SetWidth(2 * images[0].Width())
	cnn.KernelFrom(k.ID()).SetOffset(mps.Offset{})
	return d
}

// TestCustomPadding: a policy in Go decides, and the default allocator makes a temporary image that
// may be read once.
func TestCustomPadding(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(14, 15))
	data := randomWeights(t, rng, plainShape(1, 1, 2, 3))
	k, err := cnn.NewConvolutionWithDevice(d, data.source(t))
	require.NoError(t, err)
	defer k.Release()
	second := randomWeights(t, rng, plainShape(1, 1, 3, 2)).convolution(t, d)
	p, err := cnn.NewNNPadding(customPadding{t})
	require.NoError(t, err)
	defer p.Release()
	k.SetPadding(p)
	src := mpstest.RandomPicture(rng, 3, 2, 2)
	in, out := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32), mpstest.NewTestImage(t, d,
		mps.ImageFeatureChannelFormatFloat32, 6,
		2, 2, 1)
	var again string
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		m := k.EncodeToCommandBuffer(cb, in)
		assert.EqualValues(t, [3]uint{6, 2, 3}, [3]uint{m.Width(), m.Height(), m.FeatureChannels()})
		second.EncodeToCommandBufferDestinationImage(cb, m, out)
		assert.Zero(t, mps.TemporaryImageFrom(m.ID()).ReadCount())
		again = mpstest.FaultsOf(t, func() { second.EncodeToCommandBufferDestinationImage(cb, m, out) })
	})
	assert.Contains(t, again, "has been read as often")
}

// byteData has weights of a byte, by a table or by ranges.
type byteData struct {
	*weightData
	raw []uint8
}

func (b *byteData) DataType() mps.DataType { return mps.DataTypeUInt8 }
func (b *byteData) Weights() uintptr       { return objc.Slice(b.raw) }

type tableData struct {
	byteData
	table []float32
}

func (d *tableData) LookupTableForUInt8Kernel() uintptr { return objc.Slice(d.table) }

type rangeData struct {
	byteData
	ranges []float32
}

func (d *rangeData) RangesForUInt8Kernel() uintptr { return objc.Slice(d.ranges) }
func (d *rangeData) WeightsQuantizationType() cnn.WeightsQuantizationType {
	return cnn.WeightsQuantizationTypeLinear
}

type halfData struct {
	*weightData
	raw []uint16
}

func (d *halfData) DataType() mps.DataType { return mps.DataTypeFloat16 }
func (d *halfData) Weights() uintptr       { return objc.Slice(d.raw) }
func (d *halfData) WeightsLayout() cnn.ConvolutionWeightsLayout {
	return cnn.ConvolutionWeightsLayoutOHWI
}

// TestConvolutionWeightTypes: weights of float16 and of bytes.
func TestConvolutionWeightTypes(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(15, 15))
	base := randomWeights(t, rng, plainShape(2, 2, 3, 4))
	base.biases = nil
	half, table, ranges := &halfData{weightData: base}, &tableData{}, &rangeData{}
	for _, v := range base.weights {
		half.raw = append(half.raw, uint16(simd.HalfOf(v)))
	}
	for range 256 {
		table.table = append(table.table, rng.Float32()-0.5)
	}
	for range base.shape.out {
		ranges.ranges = append(ranges.ranges, -rng.Float32(), rng.Float32())
	}
	raw := make([]uint8, len(base.weights))
	values := [2][]float32{}
	for i := range raw {
		raw[i] = uint8(rng.IntN(256))
		r := ranges.ranges[i/(len(raw)/4)*2:]
		values[0] = append(values[0], table.table[raw[i]])
		values[1] = append(values[1], float32(raw[i])/255*(r[1]-r[0])+r[0])
	}
	table.byteData, ranges.byteData = byteData{base, raw}, byteData{base, raw}
	src := mpstest.RandomPicture(rng, 4, 3, 3)
	in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	out := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 3, 4, 1)
	for name, c := range map[string]struct {
		impl    cnn.ConvolutionDataSourceMethods
		weights []float32
	}{"float16": {half, base.weights}, "table": {table, values[0]}, "ranges": {ranges, values[1]}} {
		source, err := cnn.NewConvolutionDataSource(c.impl)
		require.NoError(t, err)
		defer source.Release()
		k, err := cnn.NewConvolutionWithDevice(d, source)
		require.NoError(t, err)
		defer k.Release()
		onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
		want := base.shape.convolved(src, float64s(c.weights), make([]float64, 4), [2]int{-1, -1}, 4, 3, 0)
		mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 2e-6, name)
	}
	bare, err := cnn.NewConvolutionDataSource(&byteData{base, raw})
	require.NoError(t, err)
	defer bare.Release()
	assert.Contains(t, mpstest.FaultsOf(t, func() { _, _ = cnn.NewConvolutionWithDevice(d, bare) }), "implements neither")
}

// bufferOf makes a buffer of floats, which the test releases.
func bufferOf(t *testing.T, d mtl.Device, values []float32) mtl.Buffer {
	t.Helper()
	b, err := d.NewBuffer(uint(4*len(values)), mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	t.Cleanup(b.Release)
	copy(mpstest.FloatsOf(t, b), values)
	return b
}

// TestConvolutionReload: weights change by the data source and by a state, and can be exported.
func TestConvolutionReload(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(16, 15))
	data := randomWeights(t, rng, plainShape(3, 3, 2, 3))
	k := data.convolution(t, d)
	src := mpstest.RandomPicture(rng, 5, 4, 2)
	in := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	out := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 5, 4, 3, 1)
	check := func(what string) {
		t.Helper()
		want := data.convolved(src, [2]int{-1, -1}, 5, 4, mps.ImageEdgeModeZero)
		onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, in, out) })
		mpstest.AssertPicture(t, want, mpstest.PictureOf(out, 0), 2e-6, what)
	}
	check("first")
	data.weights[4], data.biases[1] = 3, -2
	k.ReloadWeightsAndBiasesFromDataSource()
	check("from the data source")
	assert.Equal(t, [3]int{2, 2, 2}, [3]int{data.loads, data.purges, data.reads})
	for i := range data.weights {
		data.weights[i] /= 2
	}
	data.biases[0] = 1
	state, err := cnn.NewConvolutionWeightsAndBiasesStateWithWeights(bufferOf(t, d, data.weights),
		bufferOf(t, d, data.biases))
	require.NoError(t, err)
	defer state.Release()
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		k.ReloadWeightsAndBiasesWithCommandBuffer(cb, state)
		exported := k.ExportWeightsAndBiasesWithCommandBuffer(cb, false)
		exported.Retain()
		t.Cleanup(exported.Release)
		state = exported
	})
	check("from a state")
	assert.Equal(t, data.weights, mpstest.FloatsOf(t, state.Weights())[:len(data.weights)])
	assert.Equal(t, data.biases, mpstest.FloatsOf(t, state.Biases())[:3])
	other := randomWeights(t, rng, plainShape(1, 1, 2, 3)).convolution(t, d)
	assert.Contains(t, mpstest.FaultsOf(t, func() {
		onQueue(t, d, func(cb mtl.CommandBuffer) { other.ReloadWeightsAndBiasesWithCommandBuffer(cb, state) })
	}), "a state of 54 weights for a convolution with 6")
}

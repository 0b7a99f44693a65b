package cnn_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/cnn"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/require"
)

// layerCase is where a layer reads and writes: a batch of images in a format, and the part of the
// destinations that is written.
type layerCase struct {
	format  mps.ImageFeatureChannelFormat
	images  int
	w, h, c int // of the sources
	offset  [2]int
	clip    [4]int // origin and size
	channel int    // of the destination, the first that is written
	edge    mps.ImageEdgeMode
}

// randomLayer returns a case whose sources have several slices of feature channels or an odd number
// of them, and whose clip rectangle may reach beyond the source.
func randomLayer(rng *rand.Rand) layerCase {
	between := func(low, high int) int { return low + rng.IntN(high-low+1) }
	l := layerCase{format: mps.ImageFeatureChannelFormatFloat16, images: between(1, 3), w: between(3, 7), h: between(3, 6),
		c: []int{1, 2, 3, 4, 5, 9}[rng.IntN(6)], offset: [2]int{between(-2, 2), between(-2, 2)},
		channel: 4 * rng.IntN(2)}
	if rng.IntN(2) == 0 {
		l.format = mps.ImageFeatureChannelFormatFloat32
	}
	l.clip = [4]int{rng.IntN(3), rng.IntN(3), between(1, 6), between(1, 6)}
	return l
}

// whole returns the case that reads and writes whole images of the sources' size.
func (l layerCase) whole() layerCase {
	l.offset, l.clip, l.channel = [2]int{}, [4]int{0, 0, l.w, l.h}, 0
	return l
}

// tolerance is what results in the format differ by.
func (l layerCase) tolerance() float64 {
	if l.format == mps.ImageFeatureChannelFormatFloat16 {
		return 1e-3
	}
	return 1e-5
}

// pictures returns a batch of random pictures, whose values both formats have.
func (l layerCase) pictures(rng *rand.Rand, value func() float64) (list []mpstest.Picture) {
	for range l.images {
		list = append(list, layerPicture(rng, l.w, l.h, l.c, value))
	}
	return list
}

// gradients returns a batch of pictures of another size than the sources.
func (l layerCase) gradients(rng *rand.Rand, w, h, c int) []mpstest.Picture {
	l.w, l.h, l.c = w, h, c
	return l.pictures(rng, nil)
}

// layerPicture returns a picture with values of a function, or normally distributed ones.
func layerPicture(rng *rand.Rand, w, h, c int, value func() float64) mpstest.Picture {
	p := mpstest.NewPicture(w, h, c)
	if value == nil {
		value = rng.NormFloat64
	}
	for i := range p.V {
		p.V[i] = float64(simd.HalfOf(float32(value())).Float32())
	}
	return p
}

// imagesOf makes an image of each picture.
func (l layerCase) imagesOf(t *testing.T, d mtl.Device, list []mpstest.Picture) (images []mps.Image) {
	t.Helper()
	for _, p := range list {
		images = append(images, p.Image(t, d, l.format))
	}
	return images
}

// background is what destinations hold before a layer writes.
const background = 7

// destinations makes images for the clip rectangle and a margin around it.
func (l layerCase) destinations(t *testing.T, d mtl.Device, images, channels int) []mps.Image {
	t.Helper()
	p := mpstest.NewPicture(l.clip[0]+l.clip[2]+1, l.clip[1]+l.clip[3]+1, l.channel+channels)
	if l.clip[0] == 0 && l.clip[1] == 0 && l.clip[2] == l.w && l.clip[3] == l.h {
		p = mpstest.NewPicture(l.w, l.h, l.channel+channels)
	}
	for i := range p.V {
		p.V[i] = background
	}
	return l.imagesOf(t, d, slices.Repeat([]mpstest.Picture{p}, images))
}

// region is the clip rectangle.
func (l layerCase) region() mtl.Region {
	return mtl.Region{Origin: mtl.Origin{X: uint(l.clip[0]), Y: uint(l.clip[1])},
		Size: mtl.Size{Width: uint(l.clip[2]), Height: uint(l.clip[3]), Depth: 100}}
}

// written returns what is in the clip rectangle of destinations, and checks that nothing else has
// changed.
func (l layerCase) written(t *testing.T, images []mps.Image) (list []mpstest.Picture) {
	t.Helper()
	for _, m := range images {
		all := mpstest.PictureOf(m, 0)
		p := mpstest.NewPicture(l.clip[2], l.clip[3], all.C-l.channel)
		for i, v := range all.V {
			c, x, y := i%all.C-l.channel, i/all.C%all.W-l.clip[0], i/all.C/all.W-l.clip[1]
			if c < 0 || x < 0 || y < 0 || x >= p.W || y >= p.H {
				require.EqualValues(t, background, v, "channel %d at (%d, %d) beyond the clip rectangle", c, x, y)
				continue
			}
			*p.At(x, y, c) = v
		}
		list = append(list, p)
	}
	return list
}

// run encodes a kernel and returns what it writes.
func (l layerCase) run(t *testing.T, d mtl.Device, k cnn.Kernel, src []mpstest.Picture) []mpstest.Picture {
	t.Helper()
	k.SetOffset(mps.Offset{X: l.offset[0], Y: l.offset[1]})
	k.SetClipRect(l.region())
	k.SetDestinationFeatureChannelOffset(uint(l.channel))
	k.SetEdgeMode(l.edge)
	from, to := l.imagesOf(t, d, src), l.destinations(t, d, len(src), src[0].C)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		if len(src) == 1 {
			k.EncodeToCommandBufferDestinationImage(cb, from[0], to[0])
		} else {
			k.EncodeBatchToCommandBufferDestinationImages(cb, from, to)
		}
	})
	return l.written(t, to)
}

// runGradient encodes a gradient kernel, whose second source begins at the case's offset.
func (l layerCase) runGradient(t *testing.T, d mtl.Device, k cnn.GradientKernel, g, src []mpstest.Picture,
	states ...mps.State) []mpstest.Picture {
	t.Helper()
	k.SetSecondaryOffset(mps.Offset{X: l.offset[0], Y: l.offset[1]})
	k.SetClipRect(l.region())
	k.SetDestinationFeatureChannelOffset(uint(l.channel))
	k.SetSecondaryEdgeMode(l.edge)
	gradients, from, to := l.imagesOf(t, d, g), l.imagesOf(t, d, src), l.destinations(t, d, len(src), src[0].C)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		switch {
		case len(states) == 0 && len(src) == 1:
			k.BinaryKernel.EncodeToCommandBufferDestinationImage(cb, gradients[0], from[0], to[0])
		case len(states) == 0:
			k.BinaryKernel.EncodeBatchToCommandBufferDestinationImages(cb, gradients, from, to)
		case len(src) == 1:
			k.EncodeToCommandBufferSourceGradientSourceImage(cb, gradients[0], from[0], states[0], to[0])
		default:
			k.EncodeBatchToCommandBufferSourceGradientsSourceImages(cb, gradients, from, states, to)
		}
	})
	return l.written(t, to)
}

// expected returns pictures of the clip rectangle with the values of a function.
func (l layerCase) expected(channels int, value func(image, x, y, c int) float64) (list []mpstest.Picture) {
	for i := range l.images {
		p := mpstest.NewPicture(l.clip[2], l.clip[3], channels)
		for k := range p.V {
			p.V[k] = value(i, k/p.C%p.W, k/p.C/p.W, k%p.C)
		}
		list = append(list, p)
	}
	return list
}

// assertBatch compares batches within a tolerance.
func assertBatch(t *testing.T, want, got []mpstest.Picture, tolerance float64, what string) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		mpstest.AssertPicture(t, want[i], got[i], tolerance, what)
	}
}

// numericGradient returns the gradient of the sum of g times the results of a function with respect
// to its arguments, by differences.
func numericGradient(g, x []mpstest.Picture, f func(x []mpstest.Picture) []mpstest.Picture) (list []mpstest.Picture) {
	const step = 1e-5
	total := func() (sum float64) {
		for i, p := range f(x) {
			for k, v := range p.V {
				sum += v * g[i].V[k]
			}
		}
		return sum
	}
	for _, p := range x {
		out := mpstest.NewPicture(p.W, p.H, p.C)
		for k, v := range p.V {
			p.V[k] = v + step
			above := total()
			p.V[k] = v - step
			out.V[k] = (above - total()) / (2 * step)
			p.V[k] = v
		}
		list = append(list, out)
	}
	return list
}

// TestCNNLayersRelease: kernels, their states and temporary images leave no objects behind.
func TestCNNLayersRelease(t *testing.T) {
	d := mpstest.ImageFramework(t)
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 5, 1)
	n := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 4, 4, 5, 1)
	queue, err := d.NewCommandQueue()
	require.NoError(t, err)
	defer queue.Release()
	run := func() {
		k, err := cnn.NewPoolingMaxWithDeviceKernelWidthKernelHeightStrideInPixelsX(d, 2, 2, 1, 1)
		require.NoError(t, err)
		defer k.Release()
		drop, err := cnn.NewDropoutWithDevice(d, 0.5, 1, mtl.Size{Width: 1, Height: 1, Depth: 1})
		require.NoError(t, err)
		defer drop.Release()
		cb, err := queue.CommandBuffer()
		require.NoError(t, err)
		k.EncodeToCommandBuffer(cb, m)
		_, state := drop.EncodeToCommandBufferDestinationStateDestinationStateIsTemporary(cb, m, false)
		require.False(t, state.IsNil())
		defer state.Release()
		drop.EncodeToCommandBufferDestinationState(cb, m, state, n)
		require.NoError(t, cb.Commit())
		require.NoError(t, cb.WaitUntilCompleted())
	}
	objc.Pool(run) // compiles kernels, which stay
	before := objc.LiveObjects()
	objc.Pool(run)
	settle.Equal(t, "live objects", before, objc.LiveObjects)
}

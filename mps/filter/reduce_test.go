package filter_test

import (
	"encoding/binary"
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

// reduced is what reductions of values are tested against.
func reduced(v []float64) (low, high, mean, sum, variance float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		low, high, sum = min(low, x), max(high, x), sum+x
	}
	mean = sum / float64(len(v))
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v))
	}
	return low, high, mean, sum, variance
}

// clippedSource is the part of the source that the reductions of the tests read.
var clippedSource = mtl.Region{Origin: mtl.Origin{X: 3, Y: 2}, Size: mtl.Size{Width: 7, Height: 5, Depth: 1}}

func TestImageStatistics(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(20, 15))
	extremes, err := filter.NewStatisticsMinAndMaxWithDevice(d)
	require.NoError(t, err)
	defer extremes.Release()
	extremes.SetClipRectSource(clippedSource)
	assert.Equal(t, clippedSource, extremes.ClipRectSource())
	mean, err := filter.NewStatisticsMeanWithDevice(d)
	require.NoError(t, err)
	defer mean.Release()
	mean.SetClipRectSource(clippedSource)
	moments, err := filter.NewStatisticsMeanAndVarianceWithDevice(d)
	require.NoError(t, err)
	defer moments.Release()
	moments.SetClipRectSource(clippedSource)
	for _, channels := range []int{1, 2, 4, 6} {
		src := mpstest.RandomPicture(rng, 15, 11, channels)
		from := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
		run := func(k filter.UnaryImageKernel) mpstest.Picture {
			to := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 2, 1, channels, 1)
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, from, to) })
			return mpstest.PictureOf(to, 0)
		}
		want := [3]mpstest.Picture{mpstest.NewPicture(2, 1, channels), mpstest.NewPicture(2, 1, channels),
			mpstest.NewPicture(2, 1, channels)}
		for c := range channels {
			var v []float64
			for i := range 35 {
				v = append(v, *src.At(3+i%7, 2+i/7, c))
			}
			low, high, average, _, variance := reduced(v)
			*want[0].At(0, 0, c), *want[0].At(1, 0, c) = low, high
			*want[1].At(0, 0, c) = average
			*want[2].At(0, 0, c), *want[2].At(1, 0, c) = average, variance
		}
		mpstest.AssertPicture(t, want[0], run(extremes.UnaryImageKernel), 1e-6, "extremes")
		mpstest.AssertPicture(t, want[1], run(mean.UnaryImageKernel), 1e-6, "mean")
		mpstest.AssertPicture(t, want[2], run(moments.UnaryImageKernel), 1e-6, "variance")
	}
}

func TestImageReduceLines(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(21, 15))
	rows, columns := [4]filter.ReduceUnary{}, [4]filter.ReduceUnary{}
	add := func(list *[4]filter.ReduceUnary, i int, k filter.ReduceUnary, err error) {
		require.NoError(t, err)
		t.Cleanup(k.Release)
		k.SetClipRectSource(clippedSource)
		list[i] = k
	}
	r0, err := filter.NewReduceRowMinWithDevice(d)
	add(&rows, 0, r0, err)
	r1, err := filter.NewReduceRowMaxWithDevice(d)
	add(&rows, 1, r1, err)
	r2, err := filter.NewReduceRowMeanWithDevice(d)
	add(&rows, 2, r2, err)
	r3, err := filter.NewReduceRowSumWithDevice(d)
	add(&rows, 3, r3, err)
	c0, err := filter.NewReduceColumnMinWithDevice(d)
	add(&columns, 0, c0, err)
	c1, err := filter.NewReduceColumnMaxWithDevice(d)
	add(&columns, 1, c1, err)
	c2, err := filter.NewReduceColumnMeanWithDevice(d)
	add(&columns, 2, c2, err)
	c3, err := filter.NewReduceColumnSumWithDevice(d)
	add(&columns, 3, c3, err)
	src := mpstest.RandomPicture(rng, 15, 11, 5)
	from := src.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	for i := range 4 {
		for across, k := range map[bool]filter.ReduceUnary{false: rows[i], true: columns[i]} {
			w, h, n := 1, 5, 7
			if across {
				w, h, n = 7, 1, 5
			}
			want := mpstest.NewPicture(w, h, 5)
			for x := range w {
				for y := range h {
					for c := range 5 {
						var v []float64
						for j := range n {
							if across {
								v = append(v, *src.At(3+x, 2+j, c))
							} else {
								v = append(v, *src.At(3+j, 2+y, c))
							}
						}
						low, high, mean, sum, _ := reduced(v)
						*want.At(x, y, c) = [4]float64{low, high, mean, sum}[i]
					}
				}
			}
			to := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, w, h, 5, 1)
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, from, to) })
			mpstest.AssertPicture(t, want, mpstest.PictureOf(to, 0), 1e-6, fmt.Sprint(i, across))
		}
	}
}

func TestImageIntegral(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(22, 15))
	plain, err := filter.NewIntegralWithDevice(d)
	require.NoError(t, err)
	defer plain.Release()
	squares, err := filter.NewIntegralOfSquaresWithDevice(d)
	require.NoError(t, err)
	defer squares.Release()
	for _, channels := range []int{1, 4, 6} {
		src := mpstest.RandomPicture(rng, 13, 9, channels)
		for _, at := range frames(13, 9, mps.ImageEdgeModeClamp) {
			for power, k := range map[float64]filter.UnaryImageKernel{1: plain, 2: squares} {
				filtered(t, d, k, src, mps.ImageFeatureChannelFormatFloat32, at, 1e-5, func(dst mpstest.Picture) {
					for y := range at.clip[3] {
						for x := range at.clip[2] {
							for c := range channels {
								sum := 0.0
								for sy := range y {
									for sx := range x {
										sum += math.Pow(src.Beyond(at.edge, sx+at.offset[0], sy+at.offset[1], c), power)
									}
								}
								*dst.At(at.clip[0]+x, at.clip[1]+y, c) = sum
							}
						}
					}
				})
			}
		}
	}
}

// counted is the histogram of a part of a picture, in n bins for each of a number of channels.
func counted(p mpstest.Picture, r mtl.Region, channels, n int, low, high float64) (bins []uint32) {
	bins = make([]uint32, channels*n)
	for y := range int(r.Size.Height) {
		for x := range int(r.Size.Width) {
			for c := range channels {
				v := min(max(*p.At(x+int(r.Origin.X), y+int(r.Origin.Y), c), low), high)
				bins[c*n+int(math.RoundToEven((v-low)/(high-low)*float64(n-1)))]++
			}
		}
	}
	return bins
}

func countsIn(t *testing.T, b mtl.Buffer, offset, n int) (v []uint32) {
	t.Helper()
	data, err := b.Bytes()
	require.NoError(t, err)
	for i := range n {
		v = append(v, binary.LittleEndian.Uint32(data[offset+4*i:]))
	}
	return v
}

func TestImageHistogram(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(23, 15))
	info := filter.HistogramInfo{NumberOfHistogramEntries: 256, HistogramForAlpha: true,
		MaxPixelValue: [4]float32{1, 1, 1, 1}}
	k, err := filter.NewHistogramWithDeviceHistogramInfo(d, &info)
	require.NoError(t, err)
	defer k.Release()
	assert.Equal(t, info, k.HistogramInfo())
	plain, err := filter.NewHistogramWithDevice(d)
	require.NoError(t, err)
	defer plain.Release()
	assert.EqualValues(t, 3*256*4, plain.HistogramSizeForSourceFormat(mtl.PixelFormatRGBA8Unorm))
	k.SetClipRectSource(clippedSource)
	for _, channels := range []int{1, 2, 4} {
		src := mpstest.RandomPicture(rng, 15, 11, channels)
		m := src.Image(t, d, mps.ImageFeatureChannelFormatUnorm8)
		size := k.HistogramSizeForSourceFormat(m.PixelFormat())
		require.EqualValues(t, channels*256*4, size)
		b, err := d.NewBuffer(size+16, mtl.ResourceStorageModeShared)
		require.NoError(t, err)
		defer b.Release()
		want := counted(src, clippedSource, channels, 256, 0, 1)
		for range 2 { // the second time counts start at zero again
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m.Texture(), b, 16) })
			require.Equal(t, want, countsIn(t, b, 16, len(want)))
		}
		k.SetZeroHistogram(false)
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m.Texture(), b, 16) })
		k.SetZeroHistogram(true)
		for i := range want {
			want[i] *= 2
		}
		require.Equal(t, want, countsIn(t, b, 16, len(want)))
		assert.Contains(t, mpstest.FaultsOf(t, func() {
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBuffer(cb, m.Texture(), b, 20) })
		}), "MPSImageHistogram: a histogram of")
	}
}

// TestImageEqualization: the histogram becomes flat, or that of another image.
func TestImageEqualization(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(24, 15))
	const n = 256
	src, model := mpstest.RandomPicture(rng, 19, 13, 4), mpstest.RandomPicture(rng, 19, 13, 4)
	for i := range src.V {
		src.V[i] = math.Round(src.V[i]*src.V[i]*255) / 255
	}
	all := mtl.Region{Size: mtl.Size{Width: 19, Height: 13, Depth: 1}}
	shares := func(p mpstest.Picture) (s [3][n]float64) {
		for i, v := range counted(p, all, 3, n, 0, 1) {
			s[i/n][i%n] = float64(v)
		}
		for c := range s {
			for i := 1; i < n; i++ {
				s[c][i] += s[c][i-1]
			}
			for i := range s[c] {
				s[c][i] /= 19 * 13
			}
		}
		return s
	}
	histogram, err := filter.NewHistogramWithDevice(d)
	require.NoError(t, err)
	defer histogram.Release()
	equalize, err := filter.NewHistogramEqualizationWithDevice(d)
	require.NoError(t, err)
	defer equalize.Release()
	specify, err := filter.NewHistogramSpecificationWithDevice(d)
	require.NoError(t, err)
	defer specify.Release()
	from, other := src.Image(t, d, mps.ImageFeatureChannelFormatUnorm8), model.Image(t, d,
		mps.ImageFeatureChannelFormatUnorm8)
	flat := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 19, 13, 4, 1)
	like := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 19, 13, 4, 1)
	b, err := d.NewBuffer(2*3*n*4, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer b.Release()
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		histogram.EncodeToCommandBuffer(cb, from.Texture(), b, 0)
		histogram.EncodeToCommandBuffer(cb, other.Texture(), b, 3*n*4)
		equalize.EncodeTransformToCommandBuffer(cb, from.Texture(), b, 0)
		equalize.EncodeToCommandBuffer(cb, from, flat)
		specify.EncodeTransformToCommandBuffer(cb, from.Texture(), b, 0, b, 3*n*4)
		specify.EncodeToCommandBuffer(cb, from, like)
	})
	have, wanted := shares(src), shares(model)
	want, alike := mpstest.NewPicture(19, 13, 4), mpstest.NewPicture(19, 13, 4)
	for i, v := range src.V {
		c := i % 4
		if c == 3 {
			want.V[i], alike.V[i] = v, v
			continue
		}
		share := have[c][int(math.Round(v*255))]
		want.V[i] = share
		entry := 0
		for entry < n-1 && wanted[c][entry] < share {
			entry++
		}
		alike.V[i] = float64(entry) / (n - 1)
	}
	mpstest.AssertPicture(t, want, mpstest.PictureOf(flat, 0), 1e-6, "equalized")
	mpstest.AssertPicture(t, alike, mpstest.PictureOf(like, 0), 1e-6, "specified")
}

package mps_test

import (
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestImageBytes(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(1, 15))
	formats := []mps.ImageFeatureChannelFormat{mps.ImageFeatureChannelFormatUnorm8, mps.ImageFeatureChannelFormatUnorm16,
		mps.ImageFeatureChannelFormatFloat16, mps.ImageFeatureChannelFormatFloat32}
	for _, f := range formats {
		for _, channels := range []int{1, 2, 3, 4, 9} {
			const w, h, n = 5, 3, 2
			m := mpstest.NewTestImage(t, d, f, w, h, channels, n)
			assert.EqualValues(t, channels, m.FeatureChannels())
			assert.EqualValues(t, n, m.NumberOfImages())
			assert.EqualValues(t, n*((channels+3)/4), m.Texture().ArrayLength())
			assert.Equal(t, f, m.FeatureChannelFormat())
			pictures := []mpstest.Picture{mpstest.RandomPicture(rng, w, h, channels), mpstest.RandomPicture(rng, w, h, channels)}
			for i, p := range pictures {
				p.Write(m, uint(i))
			}
			for i, p := range pictures {
				got := mpstest.PictureOf(m, uint(i))
				mpstest.AssertPicture(t, p, got, 5e-4, "interleaved")
				// Planes have the same values.
				size := int(m.Precision()) / 8
				b := make([]byte, len(p.V)*size)
				m.ReadBytes(b, mps.DataLayoutFeatureChannelsxHeightxWidth, uint(i))
				for k, v := range mpstest.DecodedChannels(b, f) {
					require.Equal(t, *got.At(k%w, k/w%h, k/w/h), v)
				}
				m.WriteBytes(b, mps.DataLayoutFeatureChannelsxHeightxWidth, uint(i))
				require.Equal(t, got, mpstest.PictureOf(m, uint(i)))
			}
			for i, single := range m.BatchRepresentation() {
				require.Equal(t, mpstest.PictureOf(m, uint(i)), mpstest.PictureOf(single, 0))
			}
		}
	}
}

// TestImageRegion: parts of an image, with some of its channels and memory between rows.
func TestImageRegion(t *testing.T) {
	d := mpstest.ImageFramework(t)
	rng := rand.New(rand.NewPCG(2, 15))
	p := mpstest.RandomPicture(rng, 7, 5, 11)
	m := p.Image(t, d, mps.ImageFeatureChannelFormatFloat32)
	region := mtl.Region{Origin: mtl.Origin{X: 2, Y: 1}, Size: mtl.Size{Width: 3, Height: 4, Depth: 1}}
	channels := mps.ImageReadWriteParams{FeatureChannelOffset: 4, NumberOfFeatureChannelsToReadWrite: 6}
	const row = 3*6*4 + 8
	b := make([]byte, 4*row)
	m.ReadBytesBytesPerRow(b, mps.DataLayoutHeightxWidthxFeatureChannels, row, region, channels, 0)
	for y := range 4 {
		v := mpstest.DecodedChannels(b[y*row:][:row], mps.ImageFeatureChannelFormatFloat32)
		for i := range 18 {
			require.InDelta(t, *p.At(2+i/6, 1+y, 4+i%6), v[i], 1e-6)
		}
		require.Equal(t, []float64{0, 0}, v[18:], "memory between rows is not written")
	}
	sub := m.SubImageWithFeatureChannelRange(mtl.Range{Location: 8, Length: 3})
	q := mpstest.PictureOf(sub, 0)
	for i, v := range q.V {
		require.InDelta(t, *p.At(i/3%7, i/21, 8+i%3), v, 1e-6)
	}
	// Writing planes changes nothing else.
	const image = 4*3*4 + 4
	planes := make([]byte, 6*image)
	m.WriteBytesBytesPerRowBytesPerImage(planes, mps.DataLayoutFeatureChannelsxHeightxWidth, 12, image, region, channels,
		0)
	for i, v := range mpstest.PictureOf(m, 0).V {
		x, y, c := i/11%7, i/77, i%11
		want := p.V[i]
		if x >= 2 && x < 5 && y >= 1 && c >= 4 && c < 10 {
			want = 0
		}
		require.InDelta(t, want, v, 1e-6)
	}
}

// TestImageOfTexture: an image over a texture that the program made, blue first.
func TestImageOfTexture(t *testing.T) {
	d := mpstest.ImageFramework(t)
	desc, err := mtl.NewTextureDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetPixelFormat(mtl.PixelFormatBGRA8Unorm)
	desc.SetWidth(2)
	texture, err := d.NewTexture(desc)
	require.NoError(t, err)
	defer texture.Release()
	region := mtl.Region{Size: mtl.Size{Width: 2, Height: 1, Depth: 1}}
	require.NoError(t, texture.ReplaceRegion(region, 0, []byte{1, 2, 3, 4, 5, 6, 7, 8}, 8))
	m, err := mps.NewImageWithTexture(texture, 3)
	require.NoError(t, err)
	defer m.Release()
	b := make([]byte, 6)
	m.ReadBytes(b, mps.DataLayoutHeightxWidthxFeatureChannels, 0)
	assert.Equal(t, []byte{3, 2, 1, 7, 6, 5}, b)
	assert.EqualValues(t, 4, m.PixelSize())
	assert.Equal(t, mtl.PixelFormatBGRA8Unorm, m.PixelFormat())
}

func TestImageMisuse(t *testing.T) {
	d := mpstest.ImageFramework(t)
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatUnorm8, 4, 4, 5, 1)
	for _, test := range []struct {
		want string
		call func()
	}{
		{"image 1 of 1", func() { m.ReadBytes(make([]byte, 80), 0, 1) }},
		{"data layout 2", func() { m.ReadBytes(make([]byte, 80), 2, 0) }},
		{"feature channels from 0 on, 6 of them, of 5", func() {
			m.ReadBytesBytesPerRow(make([]byte, 400), 0, 100, mtl.Region{Size: mtl.Size{Width: 1, Height: 1, Depth: 1}},
				mps.ImageReadWriteParams{NumberOfFeatureChannelsToReadWrite: 6}, 0)
		}},
		{"a region of 3 by 1 by 1 at (2, 0, 0) of an image of 4 by 4", func() {
			m.WriteBytesBytesPerRow(make([]byte, 400), 0, 100, mtl.Region{Origin: mtl.Origin{X: 2},
				Size: mtl.Size{Width: 3, Height: 1, Depth: 1}},
				mps.ImageReadWriteParams{NumberOfFeatureChannelsToReadWrite: 1}, 0)
		}},
		{"0 feature channels", func() {
			desc, err := mps.ImageDescriptorWithChannelFormat(mps.ImageFeatureChannelFormatUnorm8, 1, 1, 1)
			require.NoError(t, err)
			desc.SetFeatureChannels(0)
			_, _ = mps.NewImageWithDevice(d, desc)
		}},
		{"feature channel format 5", func() {
			desc, err := mps.ImageDescriptorWithChannelFormat(5, 1, 1, 1)
			require.NoError(t, err)
			_, _ = mps.NewImageWithDevice(d, desc)
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, mpstest.FaultsOf(t, test.call), test.want) })
	}
}

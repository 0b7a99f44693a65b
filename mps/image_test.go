package mps

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// imageFramework is framework for tests of images. They are for the software device: the stand-in
// of MPS has no images, and Apple's filters may round, cut off and report mistakes differently.
func imageFramework(t *testing.T) mtl.Device {
	t.Helper()
	if driver, err := objc.CurrentDriver(); err != nil || driver != objc.DriverSoftware {
		t.Skipf("for the software device; in use is %v (%v)", driver, err)
	}
	return framework(t)
}

// picture is an image with float64 values, channels interleaved.
type picture struct {
	w, h, c int
	v       []float64
}

func newPicture(w, h, c int) picture { return picture{w, h, c, make([]float64, w*h*c)} }

func (p picture) at(x, y, c int) *float64 { return &p.v[(y*p.w+x)*p.c+c] }

// randomPicture has values that unorm8 represents exactly.
func randomPicture(rng *rand.Rand, w, h, c int) picture {
	p := newPicture(w, h, c)
	for i := range p.v {
		p.v[i] = float64(rng.IntN(256)) / 255
	}
	return p
}

// encodedChannel appends a value in the format of a feature channel.
func encodedChannel(b []byte, f ImageFeatureChannelFormat, v float64) []byte {
	le := binary.LittleEndian
	switch f {
	case ImageFeatureChannelFormatUnorm8:
		return append(b, byte(math.RoundToEven(v*255)))
	case ImageFeatureChannelFormatUnorm16:
		return le.AppendUint16(b, uint16(math.RoundToEven(v*65535)))
	case ImageFeatureChannelFormatFloat16:
		return le.AppendUint16(b, uint16(simd.HalfOf(float32(v))))
	}
	return le.AppendUint32(b, math.Float32bits(float32(v)))
}

// decodedChannels returns the values in bytes of a format.
func decodedChannels(b []byte, f ImageFeatureChannelFormat) []float64 {
	var v []float64
	le := binary.LittleEndian
	for len(b) > 0 {
		switch f {
		case ImageFeatureChannelFormatUnorm8:
			v, b = append(v, float64(b[0])/255), b[1:]
		case ImageFeatureChannelFormatUnorm16:
			v, b = append(v, float64(le.Uint16(b))/65535), b[2:]
		case ImageFeatureChannelFormatFloat16:
			v, b = append(v, float64(simd.Half(le.Uint16(b)).Float32())), b[2:]
		default:
			v, b = append(v, float64(math.Float32frombits(le.Uint32(b)))), b[4:]
		}
	}
	return v
}

// newTestImage makes an image, which the test releases.
func newTestImage(t *testing.T, d mtl.Device, f ImageFeatureChannelFormat, w, h, c, n int) Image {
	t.Helper()
	desc, err := ImageDescriptorWithChannelFormatWidthHeightFeatureChannelsNumberOfImages(f, uint(w), uint(h), uint(c),
		uint(n), mtl.TextureUsageShaderRead|mtl.TextureUsageShaderWrite)
	require.NoError(t, err)
	m, err := NewImageWithDevice(d, desc)
	require.NoError(t, err)
	t.Cleanup(m.Release)
	return m
}

// write stores a picture as an image of a batch.
func (p picture) write(m Image, index uint) {
	var b []byte
	for _, v := range p.v {
		b = encodedChannel(b, m.FeatureChannelFormat(), v)
	}
	m.WriteBytes(b, DataLayoutHeightxWidthxFeatureChannels, index)
}

// image makes an image of a picture.
func (p picture) image(t *testing.T, d mtl.Device, f ImageFeatureChannelFormat) Image {
	t.Helper()
	m := newTestImage(t, d, f, p.w, p.h, p.c, 1)
	p.write(m, 0)
	return m
}

// pictureOf reads an image of a batch.
func pictureOf(m Image, index uint) picture {
	p := newPicture(int(m.Width()), int(m.Height()), int(m.FeatureChannels()))
	b := make([]byte, len(p.v)*int(m.Precision())/8)
	m.ReadBytes(b, DataLayoutHeightxWidthxFeatureChannels, index)
	p.v = decodedChannels(b, m.FeatureChannelFormat())
	return p
}

// assertPicture compares pictures within a tolerance.
func assertPicture(t *testing.T, want, got picture, tolerance float64, what string) {
	t.Helper()
	require.Equal(t, [3]int{want.w, want.h, want.c}, [3]int{got.w, got.h, got.c}, what)
	for i, w := range want.v {
		if !(math.Abs(w-got.v[i]) <= tolerance*(1+math.Abs(w))) {
			t.Fatalf("%s: channel %d at (%d, %d) is %v; want %v", what, i%want.c, i/want.c%want.w, i/want.c/want.w,
				got.v[i], w)
		}
	}
}

// faultsOf returns the faults of a call.
func faultsOf(t *testing.T, call func()) string {
	t.Helper()
	var list []string
	remove := objc.OnFault(func(f *objc.Fault) { list = append(list, f.Error()) })
	call()
	remove()
	return strings.Join(list, "\n")
}

func TestImageBytes(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(1, 15))
	formats := []ImageFeatureChannelFormat{ImageFeatureChannelFormatUnorm8, ImageFeatureChannelFormatUnorm16,
		ImageFeatureChannelFormatFloat16, ImageFeatureChannelFormatFloat32}
	for _, f := range formats {
		for _, channels := range []int{1, 2, 3, 4, 9} {
			const w, h, n = 5, 3, 2
			m := newTestImage(t, d, f, w, h, channels, n)
			assert.EqualValues(t, channels, m.FeatureChannels())
			assert.EqualValues(t, n, m.NumberOfImages())
			assert.EqualValues(t, n*((channels+3)/4), m.Texture().ArrayLength())
			assert.Equal(t, f, m.FeatureChannelFormat())
			pictures := []picture{randomPicture(rng, w, h, channels), randomPicture(rng, w, h, channels)}
			for i, p := range pictures {
				p.write(m, uint(i))
			}
			for i, p := range pictures {
				got := pictureOf(m, uint(i))
				assertPicture(t, p, got, 5e-4, "interleaved")
				// Planes have the same values.
				size := int(m.Precision()) / 8
				b := make([]byte, len(p.v)*size)
				m.ReadBytes(b, DataLayoutFeatureChannelsxHeightxWidth, uint(i))
				for k, v := range decodedChannels(b, f) {
					require.Equal(t, *got.at(k%w, k/w%h, k/w/h), v)
				}
				m.WriteBytes(b, DataLayoutFeatureChannelsxHeightxWidth, uint(i))
				require.Equal(t, got, pictureOf(m, uint(i)))
			}
			for i, single := range m.BatchRepresentation() {
				require.Equal(t, pictureOf(m, uint(i)), pictureOf(single, 0))
			}
		}
	}
}

// TestImageRegion: parts of an image, with some of its channels and memory between rows.
func TestImageRegion(t *testing.T) {
	d := imageFramework(t)
	rng := rand.New(rand.NewPCG(2, 15))
	p := randomPicture(rng, 7, 5, 11)
	m := p.image(t, d, ImageFeatureChannelFormatFloat32)
	region := mtl.Region{Origin: mtl.Origin{X: 2, Y: 1}, Size: mtl.Size{Width: 3, Height: 4, Depth: 1}}
	channels := ImageReadWriteParams{FeatureChannelOffset: 4, NumberOfFeatureChannelsToReadWrite: 6}
	const row = 3*6*4 + 8
	b := make([]byte, 4*row)
	m.ReadBytesBytesPerRow(b, DataLayoutHeightxWidthxFeatureChannels, row, region, channels, 0)
	for y := range 4 {
		v := decodedChannels(b[y*row:][:row], ImageFeatureChannelFormatFloat32)
		for i := range 18 {
			require.InDelta(t, *p.at(2+i/6, 1+y, 4+i%6), v[i], 1e-6)
		}
		require.Equal(t, []float64{0, 0}, v[18:], "memory between rows is not written")
	}
	sub := m.SubImageWithFeatureChannelRange(mtl.Range{Location: 8, Length: 3})
	q := pictureOf(sub, 0)
	for i, v := range q.v {
		require.InDelta(t, *p.at(i/3%7, i/21, 8+i%3), v, 1e-6)
	}
	// Writing planes changes nothing else.
	const image = 4*3*4 + 4
	planes := make([]byte, 6*image)
	m.WriteBytesBytesPerRowBytesPerImage(planes, DataLayoutFeatureChannelsxHeightxWidth, 12, image, region, channels, 0)
	for i, v := range pictureOf(m, 0).v {
		x, y, c := i/11%7, i/77, i%11
		want := p.v[i]
		if x >= 2 && x < 5 && y >= 1 && c >= 4 && c < 10 {
			want = 0
		}
		require.InDelta(t, want, v, 1e-6)
	}
}

// TestImageOfTexture: an image over a texture that the program made, blue first.
func TestImageOfTexture(t *testing.T) {
	d := imageFramework(t)
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
	m, err := NewImageWithTexture(texture, 3)
	require.NoError(t, err)
	defer m.Release()
	b := make([]byte, 6)
	m.ReadBytes(b, DataLayoutHeightxWidthxFeatureChannels, 0)
	assert.Equal(t, []byte{3, 2, 1, 7, 6, 5}, b)
	assert.EqualValues(t, 4, m.PixelSize())
	assert.Equal(t, mtl.PixelFormatBGRA8Unorm, m.PixelFormat())
}

func TestImageMisuse(t *testing.T) {
	d := imageFramework(t)
	m := newTestImage(t, d, ImageFeatureChannelFormatUnorm8, 4, 4, 5, 1)
	for _, test := range []struct {
		want string
		call func()
	}{
		{"image 1 of 1", func() { m.ReadBytes(make([]byte, 80), 0, 1) }},
		{"data layout 2", func() { m.ReadBytes(make([]byte, 80), 2, 0) }},
		{"feature channels from 0 on, 6 of them, of 5", func() {
			m.ReadBytesBytesPerRow(make([]byte, 400), 0, 100, mtl.Region{Size: mtl.Size{Width: 1, Height: 1, Depth: 1}},
				ImageReadWriteParams{NumberOfFeatureChannelsToReadWrite: 6}, 0)
		}},
		{"a region of 3 by 1 by 1 at (2, 0, 0) of an image of 4 by 4", func() {
			m.WriteBytesBytesPerRow(make([]byte, 400), 0, 100, mtl.Region{Origin: mtl.Origin{X: 2},
				Size: mtl.Size{Width: 3, Height: 1, Depth: 1}},
				ImageReadWriteParams{NumberOfFeatureChannelsToReadWrite: 1}, 0)
		}},
		{"0 feature channels", func() {
			desc, err := ImageDescriptorWithChannelFormat(ImageFeatureChannelFormatUnorm8, 1, 1, 1)
			require.NoError(t, err)
			desc.SetFeatureChannels(0)
			_, _ = NewImageWithDevice(d, desc)
		}},
		{"feature channel format 5", func() {
			desc, err := ImageDescriptorWithChannelFormat(5, 1, 1, 1)
			require.NoError(t, err)
			_, _ = NewImageWithDevice(d, desc)
		}},
	} {
		t.Run(test.want, func(t *testing.T) { assert.Contains(t, faultsOf(t, test.call), test.want) })
	}
}

package mpstest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/require"
)

// ImageFramework is framework for tests of images. They are for the software device: the stand-in
// of MPS has no images, and Apple's filters may round, cut off and report mistakes differently.
func ImageFramework(t *testing.T) mtl.Device {
	t.Helper()
	if driver, err := objc.CurrentDriver(); err != nil || driver != objc.DriverSoftware {
		t.Skipf("for the software device; in use is %v (%v)", driver, err)
	}
	return Framework(t)
}

// Picture is an image with float64 values, channels interleaved.
type Picture struct {
	W, H, C int
	V       []float64
}

// NewPicture returns a picture of zeros.
func NewPicture(w, h, c int) Picture { return Picture{w, h, c, make([]float64, w*h*c)} }

// At is the place of a channel of a texel.
func (p Picture) At(x, y, c int) *float64 { return &p.V[(y*p.W+x)*p.C+c] }

// RandomPicture has values that unorm8 represents exactly.
func RandomPicture(rng *rand.Rand, w, h, c int) Picture {
	p := NewPicture(w, h, c)
	for i := range p.V {
		p.V[i] = float64(rng.IntN(256)) / 255
	}
	return p
}

// EncodedChannel appends a value in the format of a feature channel.
func EncodedChannel(b []byte, f mps.ImageFeatureChannelFormat, v float64) []byte {
	le := binary.LittleEndian
	switch f {
	case mps.ImageFeatureChannelFormatUnorm8:
		return append(b, byte(math.RoundToEven(v*255)))
	case mps.ImageFeatureChannelFormatUnorm16:
		return le.AppendUint16(b, uint16(math.RoundToEven(v*65535)))
	case mps.ImageFeatureChannelFormatFloat16:
		return le.AppendUint16(b, uint16(simd.HalfOf(float32(v))))
	}
	return le.AppendUint32(b, math.Float32bits(float32(v)))
}

// DecodedChannels returns the values in bytes of a format.
func DecodedChannels(b []byte, f mps.ImageFeatureChannelFormat) []float64 {
	var v []float64
	le := binary.LittleEndian
	for len(b) > 0 {
		switch f {
		case mps.ImageFeatureChannelFormatUnorm8:
			v, b = append(v, float64(b[0])/255), b[1:]
		case mps.ImageFeatureChannelFormatUnorm16:
			v, b = append(v, float64(le.Uint16(b))/65535), b[2:]
		case mps.ImageFeatureChannelFormatFloat16:
			v, b = append(v, float64(simd.Half(le.Uint16(b)).Float32())), b[2:]
		default:
			v, b = append(v, float64(math.Float32frombits(le.Uint32(b)))), b[4:]
		}
	}
	return v
}

// NewTestImage makes an image, which the test releases.
func NewTestImage(t *testing.T, d mtl.Device, f mps.ImageFeatureChannelFormat, w, h, c, n int) mps.Image {
	t.Helper()
	desc, err := mps.ImageDescriptorWithChannelFormatWidthHeightFeatureChannelsNumberOfImages(f, uint(w), uint(h), uint(c),
		uint(n), mtl.TextureUsageShaderRead|mtl.TextureUsageShaderWrite)
	require.NoError(t, err)
	m, err := mps.NewImageWithDevice(d, desc)
	require.NoError(t, err)
	t.Cleanup(m.Release)
	return m
}

// Write stores a picture as an image of a batch.
func (p Picture) Write(m mps.Image, index uint) {
	var b []byte
	for _, v := range p.V {
		b = EncodedChannel(b, m.FeatureChannelFormat(), v)
	}
	m.WriteBytes(b, mps.DataLayoutHeightxWidthxFeatureChannels, index)
}

// Image makes an image of a picture.
func (p Picture) Image(t *testing.T, d mtl.Device, f mps.ImageFeatureChannelFormat) mps.Image {
	t.Helper()
	m := NewTestImage(t, d, f, p.W, p.H, p.C, 1)
	p.Write(m, 0)
	return m
}

// PictureOf reads an image of a batch.
func PictureOf(m mps.Image, index uint) Picture {
	p := NewPicture(int(m.Width()), int(m.Height()), int(m.FeatureChannels()))
	b := make([]byte, len(p.V)*int(m.Precision())/8)
	m.ReadBytes(b, mps.DataLayoutHeightxWidthxFeatureChannels, index)
	p.V = DecodedChannels(b, m.FeatureChannelFormat())
	return p
}

// AssertPicture compares pictures within a tolerance.
func AssertPicture(t *testing.T, want, got Picture, tolerance float64, what string) {
	t.Helper()
	require.Equal(t, [3]int{want.W, want.H, want.C}, [3]int{got.W, got.H, got.C}, what)
	for i, w := range want.V {
		if !(math.Abs(w-got.V[i]) <= tolerance*(1+math.Abs(w))) {
			t.Fatalf("%s: channel %d at (%d, %d) is %v; want %v", what, i%want.C, i/want.C%want.W, i/want.C/want.W,
				got.V[i], w)
		}
	}
}

// FaultsOf returns the faults of a call.
func FaultsOf(t *testing.T, call func()) string {
	t.Helper()
	var list []string
	remove := objc.OnFault(func(f *objc.Fault) { list = append(list, f.Error()) })
	call()
	remove()
	return strings.Join(list, "\n")
}

// Beyond returns a picture's value at any place: by the edge mode where there is no texel. Zero has
// an alpha of one for formats that have none.
func (p Picture) Beyond(edge mps.ImageEdgeMode, x, y, c int) float64 {
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
	case mps.ImageEdgeModeZero:
		if x < 0 || y < 0 || x >= p.W || y >= p.H {
			return 0
		}
	case mps.ImageEdgeModeClamp:
		x, y = min(max(x, 0), p.W-1), min(max(y, 0), p.H-1)
	default:
		with := edge == mps.ImageEdgeModeMirrorWithEdge
		x, y = mirror(x, p.W, with), mirror(y, p.H, with)
	}
	return *p.At(x, y, c)
}

package simd

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
)

// TestHalfAll converts every Half to float32 and back.
func TestHalfAll(t *testing.T) {
	for i := range 1 << 16 {
		h := Half(i)
		f := h.Float32()
		if f != f {
			assert.True(t, h&0x7c00 == 0x7c00 && h&0x3ff != 0, "%#04x", i)
			back := HalfOf(f).Float32()
			assert.True(t, back != back, "%#04x", i)
			continue
		}
		if got := HalfOf(f); got != h {
			t.Fatalf("%#04x is %g, which is %#04x", i, f, uint16(got))
		}
	}
}

// TestHalfRounding rounds values between each pair of neighbors: below, at and above the midpoint.
func TestHalfRounding(t *testing.T) {
	for i := range uint16(0x7bff) {
		low, high := Half(i).Float32(), Half(i+1).Float32()
		middle := low + (high-low)/2
		even := Half(i + i&1)
		for f, want := range map[float32]Half{math.Nextafter32(middle, 0): Half(i), middle: even,
			math.Nextafter32(middle, high): Half(i + 1)} {
			if HalfOf(f) != want || HalfOf(-f) != want|0x8000 {
				t.Fatalf("%g gives %#04x, want %#04x", f, uint16(HalfOf(f)), uint16(want))
			}
		}
	}
	for f, want := range map[float32]Half{65519.996: 0x7bff, 65520: 0x7c00, float32(math.Inf(-1)): 0xfc00, 0x1p-25: 0,
		math.Nextafter32(0x1p-25, 1): 1} {
		assert.Equal(t, want, HalfOf(f), "%g", f)
	}
}

// TestBFloat16 converts every BFloat16 to float32 and back, and the midpoints between neighbors.
func TestBFloat16(t *testing.T) {
	for i := range 1 << 16 {
		b := BFloat16(i)
		f := b.Float32()
		got := BFloat16Of(f)
		if f != f {
			back := got.Float32()
			assert.True(t, back != back, "%#04x", i)
			continue
		}
		if got != b {
			t.Fatalf("%#04x is %g, which is %#04x", i, f, uint16(got))
		}
	}
	for i := range uint16(0x7f7f) {
		middle := uint32(i)<<16 | 0x8000
		for bits, want := range map[uint32]BFloat16{middle - 1: BFloat16(i), middle: BFloat16(i + i&1),
			middle + 1: BFloat16(i + 1)} {
			if got := BFloat16Of(math.Float32frombits(bits)); got != want {
				t.Fatalf("%#08x gives %#04x, want %#04x", bits, uint16(got), uint16(want))
			}
		}
	}
	quiet := BFloat16Of(math.Float32frombits(0x7f800001)).Float32()
	assert.True(t, quiet != quiet)
}

// TestSizes checks the sizes in the package comment.
func TestSizes(t *testing.T) {
	assert.EqualValues(t, 8, unsafe.Sizeof(Float2{}))
	assert.EqualValues(t, 16, unsafe.Sizeof(Float3{}))
	assert.EqualValues(t, 16, unsafe.Sizeof(Float4{}))
	assert.EqualValues(t, 12, unsafe.Sizeof(PackedFloat3{}))
	assert.EqualValues(t, 8, unsafe.Sizeof(Half3{}))
	assert.EqualValues(t, 6, unsafe.Sizeof(PackedHalf3{}))
	assert.EqualValues(t, 4, unsafe.Sizeof(UChar3{}))
	assert.EqualValues(t, 3, unsafe.Sizeof(PackedUChar3{}))
	assert.EqualValues(t, 32, unsafe.Sizeof(ULong3{}))
}

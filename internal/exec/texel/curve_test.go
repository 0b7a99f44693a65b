package texel

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

var allCurved = flag.Bool("texel.curve", false, "test all floats from 0 to 1 on the sRGB curve")

// formulaByte is the byte that a number becomes in an sRGB format, by the formula.
func formulaByte(v float32) byte {
	x := float64(v)
	if !(x > 0) {
		return 0
	}
	return byte(math.RoundToEven(toCurve(min(x, 1)) * 255))
}

// TestCurvedByte: the table gives the bytes of the formula, at both ends of each bucket, beside
// each number from which on the byte is another, and anywhere; and there is at most one of these
// numbers in a bucket.
func TestCurvedByte(t *testing.T) {
	check := func(bits uint32) {
		v := math.Float32frombits(bits)
		require.Equal(t, formulaByte(v), curvedByte(v), "%g (%#x)", v, bits)
	}
	seen := map[byte]bool{}
	for i, x := range curvedBytes() {
		first := uint32(CurveBucket+i) << bucketBits
		for _, bits := range []uint32{first - 1, first, first + 1, first + 1<<bucketBits - 1, first + 1<<bucketBits} {
			check(bits)
		}
		seen[curvedByte(math.Float32frombits(first))] = true
		if low := x & (1<<bucketBits - 1); low != 0 {
			at := first + 1<<bucketBits - low
			check(at - 1)
			check(at)
			require.EqualValues(t, x>>bucketBits+1, formulaByte(math.Float32frombits(at)))
			last := formulaByte(math.Float32frombits(first + 1<<bucketBits - 1))
			require.EqualValues(t, x>>bucketBits+1, last)
		}
	}
	assert.Len(t, seen, 256)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		check(rng.Uint32())                    // any float
		check(rng.Uint32N(0x3f800001))         // from 0 to 1
		check(0x3b000000 + rng.Uint32N(1<<26)) // mostly where bytes differ
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 1, 2, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.0031308} {
		check(math.Float32bits(float32(v)))
	}
	if *allCurved {
		for bits := range uint32(0x3f800001) {
			check(bits)
		}
	}
}

// TestCurvedLevels: every byte of an sRGB format reads as the formula says, in each kind of number,
// and written again it is the same byte.
func TestCurvedLevels(t *testing.T) {
	for _, name := range []string{"R8Unorm_sRGB", "RG8Unorm_sRGB", "RGBA8Unorm_sRGB", "BGRA8Unorm_sRGB"} {
		f, ok := ParseFormat(name)
		require.True(t, ok)
		for i := range 256 {
			texel := make([]byte, f.bytes)
			for j := range texel {
				texel[j] = byte(i)
			}
			want := [4]float64{3: 1}
			for c, p := range f.fields {
				if want[c] = float64(num.Truth(c == 3)); p.bits > 0 {
					if want[c] = float64(i) / 255; c < 3 {
						want[c] = fromCurve(want[c])
					}
				}
			}
			for _, k := range []ir.Kind{ir.F32, ir.F16} {
				v := f.read(texel, k)
				for c := range v {
					require.Equal(t, num.Round(k, want[c]), v[c], "%s: byte %d, component %d", name, i, c)
				}
			}
			v := f.read(texel, ir.F32)
			again := make([]byte, f.bytes)
			f.write(again, ir.F32, &v)
			require.Equal(t, texel, again, name)
		}
	}
}

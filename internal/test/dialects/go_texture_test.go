package dialects

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/test/dialects/gokernels"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
	"github.com/puremetal/puremetal/simd"
)

// texture returns a texture with any bits.
func texture(t testing.TB, random *rand.Rand, format string, width, height int) *testlaunch.Texture {
	f, ok := texel.ParseFormat(format)
	require.True(t, ok, format)
	data := make([]byte, width*height*f.Size())
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	if strings.Contains(format, "32Float") { // finite, so that all bits of a result are known
		for i := 0; i < len(data); i += 4 {
			binary.LittleEndian.PutUint32(data[i:], math.Float32bits(float32(random.IntN(2000)-1000)/16))
		}
	}
	if strings.Contains(format, "16Float") {
		for i := 0; i < len(data); i += 2 {
			binary.LittleEndian.PutUint16(data[i:], uint16(simd.HalfOf(float32(random.IntN(2000)-1000)/16)))
		}
	}
	return &testlaunch.Texture{Format: format, Width: width, Height: height, Levels: [][]byte{data}}
}

var (
	fractionFormats = []string{"R8Unorm", "RG8Unorm", "RGBA8Unorm", "BGRA8Unorm", "RGBA8Unorm_sRGB", "RGBA8Snorm",
		"R16Unorm", "RGBA16Snorm", "R16Float", "RGBA16Float", "R32Float", "RG32Float", "RGBA32Float", "RGB10A2Unorm",
		"RG11B10Float", "RGB9E5Float"}
	signedFormats   = []string{"R8Sint", "RGBA8Sint", "RG16Sint", "R32Sint", "RGBA32Sint"}
	unsignedFormats = []string{"R8Uint", "RGBA8Uint", "RG16Uint", "R32Uint", "RGBA32Uint", "RGB10A2Uint"}
)

func TestGoTextureReads(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	const w, h, n = 5, 3, (5 + 3) * (3 + 3)
	for _, format := range fractionFormats {
		if format == "RG11B10Float" { // some bits are no number
			continue
		}
		x := texture(t, random, format, w, h)
		runGo(t, gokernels.Reads, line(n, 16), x, make([]simd.Float4, n))
		runGo(t, gokernels.ReadsHalf, line(n, 16), x, make([]simd.Half4, n))
	}
	for _, format := range signedFormats {
		runGo(t, gokernels.ReadsInt, line(n, 16), texture(t, random, format, w, h), make([]simd.Int4, n))
	}
	for _, format := range unsignedFormats {
		runGo(t, gokernels.ReadsUint, line(n, 16), texture(t, random, format, w, h), make([]simd.UInt4, n))
	}
}

func TestGoTextureWrites(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	const w, h, n = 9, 7, (9 + 1) * (7 + 1)
	floats, halves := make([]simd.Float4, n), make([]simd.Half4, n)
	ints, uints := make([]simd.Int4, n), make([]simd.UInt4, n)
	special := []float32{0, 1, -1, 0.5, 2, -3, 1e-6, 1e30, float32(math.Inf(1)), float32(math.Inf(-1)),
		float32(math.NaN()), float32(math.Copysign(0, -1)), 0.0031308, 127.5 / 255, 126.5 / 255, 65504, 65519.9}
	for i := range floats {
		var v [4]float32
		for k := range v {
			if v[k] = random.Float32()*1.2 - 0.1; random.IntN(3) == 0 {
				v[k] = special[random.IntN(len(special))]
			}
		}
		floats[i] = simd.Float4{X: v[0], Y: v[1], Z: v[2], W: v[3]}
		halves[i] = simd.Half4{X: simd.HalfOf(v[0]), Y: simd.HalfOf(v[1]), Z: simd.HalfOf(v[2]), W: simd.HalfOf(v[3])}
		number := func() uint32 { return random.Uint32() >> random.IntN(32) }
		uints[i] = simd.UInt4{X: number(), Y: number(), Z: number(), W: number()}
		ints[i] = simd.Int4{X: int32(number()), Y: -int32(number()), Z: int32(number()), W: -int32(number())}
	}
	for _, format := range fractionFormats {
		runGo(t, gokernels.Writes, line(16, 8), texture(t, random, format, w, h), floats)
		runGo(t, gokernels.WritesHalf, line(16, 8), texture(t, random, format, w, h), halves)
	}
	for _, format := range signedFormats {
		runGo(t, gokernels.WritesInt, line(16, 8), texture(t, random, format, w, h), ints)
	}
	for _, format := range unsignedFormats {
		runGo(t, gokernels.WritesUint, line(16, 8), texture(t, random, format, w, h), uints)
	}
}

func TestGoTextureSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	const n = 40
	at := make([]simd.Float2, n)
	for i := range at {
		at[i] = simd.Float2{X: random.Float32()*5 - 2, Y: random.Float32()*5 - 2}
	}
	at[0], at[1] = simd.Float2{}, simd.Float2{X: 1, Y: 1}
	at[2], at[3] = simd.Float2{X: float32(math.NaN()), Y: float32(math.Inf(1))}, simd.Float2{X: -1e30, Y: 0.5}
	for _, format := range []string{"RGBA8Unorm", "BGRA8Unorm_sRGB", "R16Unorm", "RGBA16Float", "RG32Float",
		"RGB9E5Float"} {
		for _, size := range [][2]int{{5, 3}, {1, 4}} {
			x := texture(t, random, format, size[0], size[1])
			runGo(t, gokernels.Samples, line(n, 8), x, at, make([]simd.Float4, 15*n))
			runGo(t, gokernels.SamplesHalf, line(n, 8), x, at, make([]simd.Half4, n))
		}
	}
	runGo(t, gokernels.SamplesInt, line(n, 8), texture(t, random, "RG16Sint", 4, 3), at, make([]simd.Int4, n))
}

// Threads of a group read what others have written before a barrier, and their own.
func TestGoTextureExchanges(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	zeros := texture(t, random, "R32Float", 32, 3)
	clear(zeros.Levels[0])
	runGo(t, gokernels.Exchanges, line(64, 32), texture(t, random, "R32Uint", 32, 3), zeros, make([]uint32, 64))
}

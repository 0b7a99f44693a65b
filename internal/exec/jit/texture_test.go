package jit

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

// textureKernels read texels at places of their own and in rows, and write them, where TYPE is the
// type of components, and VALUE makes four of them of floats.
const textureKernels = `
kernel void apart(device TYPE4 *out [[buffer(0)]], device const uint4 *at [[buffer(1)]],
                  device const float4 *value [[buffer(2)]], texture2d<TYPE, access::read> in [[texture(0)]],
                  texture2d<TYPE, access::write> to [[texture(1)]], uint2 g [[thread_position_in_grid]]) {
  uint i = g.y * 64 + g.x;
  out[i] = in.read(at[i].xy);
  if (at[i].x % 4 != 1) to.write(VALUE(value[i]), at[i].zw);
}
kernel void rows(device TYPE4 *out [[buffer(0)]], device const uint4 *at [[buffer(1)]],
                 device const float4 *value [[buffer(2)]], texture2d<TYPE, access::read> in [[texture(0)]],
                 texture2d<TYPE, access::write> to [[texture(1)]], uint2 g [[thread_position_in_grid]]) {
  if (g.x >= in.get_width() || g.y >= to.get_height()) return;
  uint i = g.y * 64 + g.x;
  TYPE4 x = in.read(g), y = in.read(g + 1);
  out[i] = TYPE4(x.x, y.y, x.z, y.w);
  to.write(VALUE(value[i]), g);
}
kernel void shapes(device TYPE4 *out [[buffer(0)]], device const uint4 *at [[buffer(1)]],
                   device const float4 *value [[buffer(2)]], texture3d<TYPE, access::read_write> solid [[texture(2)]],
                   texture1d<TYPE, access::read> line [[texture(3)]],
                   texture2d_array<TYPE, access::read_write> layers [[texture(4)]],
                   uint2 g [[thread_position_in_grid]]) {
  uint i = g.y * 64 + g.x;
  TYPE4 x = solid.read(at[i].xyz % uint3(9, 5, 3)) + line.read(at[i].x), y = layers.read(at[i].xy, 1);
  out[i] = x + y + layers.read(at[i].zw, at[i].x & 1);
  if (at[i].z & 1) {
    solid.write(VALUE(value[i]), uint3(g, 3));
    layers.write(VALUE(value[i].xxxx), g, 2);
  }
}
kernel void levels(device TYPE4 *out [[buffer(0)]], device const uint4 *at [[buffer(1)]],
                   texture2d<TYPE> in [[texture(5)]], uint2 g [[thread_position_in_grid]]) {
  uint i = g.y * 64 + g.x;
  TYPE4 x = in.read(at[i].xy, 1);
  for (uint l = 0; l < 3; l++) x += in.read(at[i].xy >> l, l);
  out[i] = x + in.read(at[i].zw, at[i].x & 3) * in.get_width(at[i].y & 3);
}`

// textureLaunch is a launch of a kernel of textureKernels. Its buffers and textures are the same
// each time.
type textureLaunch struct {
	*exec.Launch
	written [][]byte
}

// bytesOf returns n bytes of memory for a texture.
type bytesOf func(n int) []byte

func plainBytes(n int) []byte { return make([]byte, n) }

func newTextureLaunch(t *testing.T, format string, special []uint32, swizzle *texel.Swizzle,
	bytes bytesOf) textureLaunch {
	t.Helper()
	f, ok := texel.ParseFormat(format)
	require.True(t, ok, format)
	rng := rand.New(rand.NewPCG(1, 2))
	const threads = 64 * 24
	out, at, value := make([]byte, 16*threads), make([]byte, 16*threads), make([]byte, 16*threads)
	for i := 0; i < len(at); i += 4 {
		x := rng.Uint32N(75)
		if rng.Uint32N(16) == 0 {
			x = rng.Uint32()
		}
		binary.LittleEndian.PutUint32(at[i:], x)
		if x = special[rng.UintN(uint(len(special)))]; rng.Uint32N(2) == 0 {
			x = 0x3f800000 - rng.Uint32()>>5
		}
		binary.LittleEndian.PutUint32(value[i:], x)
	}
	l := textureLaunch{Launch: &exec.Launch{Grid: [3]int{61, 23, 1}, Group: [3]int{16, 8, 1}, Space: &exec.Space{}},
		written: [][]byte{out}}
	for i, b := range [][]byte{out, at, value} {
		l.Space.Set(uint32(i+1), exec.Object{Data: b, ReadOnly: i > 0})
		l.Buffers = append(l.Buffers, exec.Address(uint32(i+1), 0))
	}
	for i, s := range [][5]int{{60, 23, 1, 1, 1}, {60, 23, 1, 1, 1}, {9, 5, 4, 1, 1}, {50, 1, 1, 1, 1}, {33, 20, 1, 3, 1},
		{40, 30, 1, 1, 3}} {
		var levels [][]byte
		for level := range s[4] {
			b := bytes(max(1, s[0]>>level) * max(1, s[1]>>level) * s[2] * s[3] * f.Size())
			for j := range b {
				b[j] = byte(rng.Uint32())
			}
			levels = append(levels, b)
			l.written = append(l.written, b)
		}
		x := texel.New(f, s[0], s[1], s[2], s[3], 1, levels...)
		x.Swizzle = swizzle
		l.Space.SetTexture(uint32(i+1), x)
		l.Textures = append(l.Textures, uint64(i+1))
	}
	return l
}

// specialFloats are floats that conversions to texels treat in ways of their own: NaNs, infinities,
// zeros, those between two bytes, and those that are denormal or too large as halves.
func specialFloats() []uint32 {
	list := []uint32{0, 1 << 31, 0x7fc00000, 0xffc00001, 0x7f800001, 0x7f800000, 0xff800000, 1, 0x3f800000, 0x3f800001,
		0xbf800000, 0x3f7fffff, 0x477fe000, 0x477ff000, 0x33000000, 0x33000001, 0x38800000, 0x387fe000, 0x3b008081,
		0x4b000000, 0xdf000000}
	for i := range uint32(255) { // halfway between bytes, nearly
		x := (float32(i) + 0.5) / 255
		list = append(list, math.Float32bits(x)-1, math.Float32bits(x), math.Float32bits(x)+1)
	}
	return list
}

// TestMachineCodeTextures: texels of all formats are read and written as in the interpreter, and
// without it those of common ones.
func TestMachineCodeTextures(t *testing.T) {
	needMachineCode(t)
	formats := [][3]string{
		{"float", "float4", "R32Float RG32Float RGBA32Float R8Unorm RG8Unorm RGBA8Unorm BGRA8Unorm A8Unorm R16Float " +
			"RG16Float RGBA16Float RGBA8Unorm_sRGB RGBA16Unorm RG8Snorm RGB10A2Unorm RG11B10Float RGB9E5Float"},
		{"half", "half4", "R32Float RGBA32Float R8Unorm RGBA8Unorm BGRA8Unorm R16Float RG16Float RGBA16Float " +
			"BGRA8Unorm_sRGB R16Snorm"},
		{"uint", "as_type<uint4>", "R32Uint RG32Uint RGBA32Uint R8Uint RGBA16Uint"},
		{"int", "as_type<int4>", "R32Sint RGBA32Sint RG8Sint"},
	}
	for _, row := range formats {
		typ, list := row[0], row[2]
		ks := kernelsOf(t, strings.NewReplacer("TYPE", typ, "VALUE", row[1]).Replace(textureKernels))
		for _, format := range strings.Fields(list) {
			for _, name := range slices.Sorted(maps.Keys(ks)) {
				testTextures(t, ks[name], typ, fmt.Sprintf("%s of %s, %s", typ, format, name), func() textureLaunch {
					return newTextureLaunch(t, format, specialFloats(), nil, plainBytes)
				})
			}
		}
		testTextures(t, ks["apart"], typ, typ+", swizzled", func() textureLaunch {
			return newTextureLaunch(t, strings.Fields(list)[0], specialFloats(), &texel.Swizzle{2, 1, 0, 3}, plainBytes)
		})
	}
}

// testTextures compares a kernel in the interpreter and as machine code, in which no instruction
// may be interpreted between others. Sums of NaNs may be any.
func testTextures(t *testing.T, k *exec.Kernel, typ, what string, launch func() textureLaunch) {
	t.Helper()
	e := exec.NewEngine(1)
	defer e.Close()
	want := launch()
	require.NoError(t, e.Run(t.Context(), k, want.Launch))
	sameNaNs(typ, want.written[0])
	for _, o := range machineCodes(Options{}, Options{Blocks: 1, Spill: true, Cold: true}) {
		k := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
		have := launch()
		require.NoError(t, e.Run(t.Context(), k, have.Launch))
		sameNaNs(typ, have.written[0])
		for i, b := range want.written {
			if string(b) != string(have.written[i]) {
				at := 0
				for b[at] == have.written[i][at] {
					at++
				}
				t.Fatalf("%s: byte %d of memory %d is %#x, want %#x, %+v", what, at, i, have.written[i][at], b[at], o)
			}
		}
		p, err := compiled(k, have.Group)
		require.NoError(t, err)
		requireCompiled(t, p.lir, o, what)
		require.Equal(t, strings.HasSuffix(what, "rows"), len(p.ranges[0].Queries) > 0, what)
	}
}

// TestMachineCodeSamples: samples through samplers, by calls of the interpreter, have its results.
func TestMachineCodeSamples(t *testing.T) {
	needMachineCode(t)
	k := kernelsOf(t, `
constexpr sampler smooth(filter::linear, address::repeat, mip_filter::linear);
kernel void samples(device float4 *out [[buffer(0)]], device const uint4 *at [[buffer(1)]],
                    device const float4 *value [[buffer(2)]], texture2d<float> in [[texture(5)]],
                    texture2d<half> other [[texture(0)]], sampler s [[sampler(0)]],
                    uint2 g [[thread_position_in_grid]]) {
  uint i = g.y * 64 + g.x;
  float4 x = in.sample(smooth, value[i].xy);
  if (at[i].x & 1) x += in.sample(s, value[i].zw, level(value[i].x), int2(1, -1));
  for (uint k = 0; k < (at[i].y & 3); k++) x += in.gather(smooth, value[i].xy + k);
  out[i] = x + float4(other.sample(s, value[i].xy));
}`)["samples"]
	for _, format := range []string{"RGBA8Unorm", "R32Float", "RGBA16Float"} {
		testTextures(t, k, "float", format, func() textureLaunch {
			l := newTextureLaunch(t, format, []uint32{0x3f000000, 0xbf000000, 0x40400000}, nil, plainBytes)
			l.Space.SetSampler(1, texel.NewSampler(&ir.SamplerState{MagLinear: true, Mip: "nearest",
				Address: [3]string{"clamp_to_border", "mirrored_repeat"}}))
			l.Samplers = []uint64{1}
			return l
		})
	}
}

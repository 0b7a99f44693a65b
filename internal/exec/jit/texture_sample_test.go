package jit

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

var manySamplers = flag.Int("jit.samplers", 1,
	"how many random samplers TestMachineCodeSampled makes for each format, beside two fixed ones")

// sampleKernels sample planes of TYPE at positions around them, at centers of texels, and at any
// floats.
const sampleKernels = `
float2 position(uint4 at, float4 value) {
  switch (at.w & 3) {
  case 0: return (float2(at.xy) - 4) / float2(60, 23);
  case 1: return (float2(at.xy) - 3.5f) / float2(60, 23);
  case 2: return value.xy;
  }
  return value.zw * 70 - 2;
}
kernel void plain(device TYPE4 *out [[buffer(0)]], device const uint4 *at [[buffer(1)]],
                  device const float4 *value [[buffer(2)]], texture2d<TYPE> in [[texture(0)]],
                  sampler s [[sampler(0)]], uint2 g [[thread_position_in_grid]]) {
  uint i = g.y * 64 + g.x;
  out[i] = in.sample(s, position(at[i], value[i]));
}
kernel void parts(device TYPE4 *out [[buffer(0)]], device const uint4 *at [[buffer(1)]],
                  device const float4 *value [[buffer(2)]], texture2d<TYPE> in [[texture(0)]],
                  sampler s [[sampler(0)]], uint2 g [[thread_position_in_grid]]) {
  constexpr sampler edge(filter::linear, address::clamp_to_edge), pixels(coord::pixel, filter::linear);
  uint i = g.y * 64 + g.x;
  float2 p = position(at[i], value[i]);
  if (at[i].x & 1) out[i].x = in.sample(edge, p, int2(3, -2)).y;
  out[i].y = in.sample(pixels, at[i].w & 4 ? float2(at[i].xy) + 0.5f : p * 20).x;
  if (at[i].y % 3 == 0) out[i].z = in.sample(s, p, int2(0, 1)).w;
  out[i].w = in.sample(edge, 0.25f).x;
}
kernel void levels(device TYPE4 *out [[buffer(0)]], device const uint4 *at [[buffer(1)]],
                   device const float4 *value [[buffer(2)]], texture2d_array<TYPE> layers [[texture(4)]],
                   texture2d<TYPE> mips [[texture(5)]], sampler s [[sampler(0)]],
                   uint2 g [[thread_position_in_grid]]) {
  uint i = g.y * 64 + g.x;
  float2 p = position(at[i], value[i]);
  out[i].xy = mips.sample(s, p, level(1)).xz + layers.sample(s, p, 2).xw;
  out[i].zw = mips.sample(s, p, level(0.25f)).yw - layers.sample(s, p, 9).zy;
}`

// TestMachineCodeSampled: samples have the values of the interpreter's, whatever the format, its
// texels and the sampler, and machine code samples common ones without calling the engine.
func TestMachineCodeSampled(t *testing.T) {
	needMachineCode(t)
	rng := rand.New(rand.NewPCG(3, 4))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	address := func() string {
		return pick("clamp_to_edge", "repeat", "mirrored_repeat", "clamp_to_zero", "clamp_to_border")
	}
	formats := "R32Float RG32Float RGBA32Float R8Unorm RG8Unorm RGBA8Unorm BGRA8Unorm A8Unorm R16Float RG16Float " +
		"RGBA16Float RGBA8Unorm_sRGB RGBA16Unorm"
	edge := [3]string{"clamp_to_edge", "clamp_to_edge"}
	for _, typ := range []string{"float", "half"} {
		ks := kernelsOf(t, strings.ReplaceAll(sampleKernels, "TYPE", typ))
		for _, format := range strings.Fields(formats) {
			states := []ir.SamplerState{{MagLinear: true, MinLinear: true, Address: edge}, {}}
			for range *manySamplers {
				states = append(states, ir.SamplerState{MagLinear: rng.IntN(3) > 0, MinLinear: rng.IntN(3) > 0,
					Mip: pick("none", "nearest", "linear"), Unnormalized: rng.IntN(4) == 0,
					Address: [3]string{address(), address()}, Border: pick("", "opaque_white"),
					LODBias: float32(rng.IntN(2)), Reduction: pick("", "", "", "maximum")})
			}
			for i := range states {
				for _, name := range []string{"plain", "parts", "levels"} {
					seed := rng.Uint64()
					testTextures(t, ks[name], typ, fmt.Sprintf("%s of %s, %+v, %s", typ, format, states[i], name),
						func() textureLaunch { return newSampleLaunch(t, format, &states[i], seed, plainBytes) })
				}
			}
		}
	}
}

// newSampleLaunch returns a launch with positions and texels of which some are special.
func newSampleLaunch(t *testing.T, format string, s *ir.SamplerState, seed uint64, bytes bytesOf) textureLaunch {
	l := newTextureLaunch(t, format, specialFloats(), nil, bytes)
	special := []uint32{0, 1 << 31, 0x80008000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7c007c00, 0xfc003c00, 0x00010001,
		0x3f800000, 1}
	rng := rand.New(rand.NewPCG(seed, 5))
	for _, b := range l.written[1:] {
		for i := 0; i+4 <= len(b); i += 4 {
			if rng.IntN(3) == 0 {
				binary.LittleEndian.PutUint32(b[i:], special[rng.IntN(len(special))])
			}
		}
	}
	l.Space.SetSampler(1, texel.NewSampler(s))
	l.Samplers = []uint64{1}
	return l
}

// TestMachineCodeSampleCalls: the engine is called for no vector of lanes whose texels are inside.
func TestMachineCodeSampleCalls(t *testing.T) {
	needMachineCode(t)
	k := kernelsOf(t, `
kernel void inside(device float4 *out [[buffer(0)]], texture2d<float> in [[texture(0)]], sampler s [[sampler(0)]],
                   uint2 g [[thread_position_in_grid]]) {
  out[g.y * 64 + g.x] = in.sample(s, (float2(g) + 2) / 70);
}`)["inside"]
	e := exec.NewEngine(1)
	defer e.Close()
	var clamped exec.Spent
	for i, address := range []string{"clamp_to_edge", "repeat", "mirrored_repeat", "clamp_to_border"} {
		for _, o := range machineCodes(Options{}) {
			s := &ir.SamplerState{MagLinear: true, Address: [3]string{address, address}}
			l := newSampleLaunch(t, "RGBA8Unorm", s, 1, plainBytes)
			l.Grid = [3]int{48, 16, 1}
			before := exec.TotalSpent()
			compiled := exec.NewKernel(k.Func(), exec.Options{Backend: backend{Machine: o}})
			require.NoError(t, e.Run(t.Context(), compiled, l.Launch))
			after := exec.TotalSpent()
			spent := exec.Spent{All: after.All - before.All, Machine: after.Machine - before.Machine}
			if i == 0 {
				clamped = spent
			}
			require.Equal(t, clamped, spent, address)
			require.Greater(t, 10*spent.Machine, 8*spent.All)
		}
	}
}

package conformance

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

const formatKernels = `
kernel void putF(texture2d<float, access::write> t [[texture(0)]], constant float4& v [[buffer(0)]]) { t.write(v, uint2(0)); }
kernel void putU(texture2d<uint, access::write> t [[texture(0)]], constant uint4& v [[buffer(0)]]) { t.write(v, uint2(0)); }
kernel void putI(texture2d<int, access::write> t [[texture(0)]], constant int4& v [[buffer(0)]]) { t.write(v, uint2(0)); }
kernel void getF(texture2d<float, access::read> t [[texture(0)]], device float4& v [[buffer(0)]]) { v = t.read(uint2(0)); }
kernel void getU(texture2d<uint, access::read> t [[texture(0)]], device uint4& v [[buffer(0)]]) { v = t.read(uint2(0)); }
kernel void getI(texture2d<int, access::read> t [[texture(0)]], device int4& v [[buffer(0)]]) { v = t.read(uint2(0)); }
`

// formatCases are about what kernels see of each pixel format, and what they leave there.
func formatCases() []aCase {
	type quad = [4]float64
	half := func(v ...uint16) []byte {
		var b []byte
		for _, x := range v {
			b = binary.LittleEndian.AppendUint16(b, x)
		}
		return b
	}
	floats := func(v ...float32) []byte {
		var b []byte
		for _, x := range v {
			b = append(b, float(x)...)
		}
		return b
	}
	var cases []aCase
	for _, k := range []struct {
		format mtl.PixelFormat
		as     string // F, U or I
		put    quad   // what a kernel writes
		bytes  []byte // the resulting contents
		get    quad   // and what a kernel reads
	}{
		{mtl.PixelFormatR8Unorm, "F", quad{0.2, 1, 1, 1}, []byte{51}, quad{0.2, 0, 0, 1}},
		{mtl.PixelFormatR8Unorm, "F", quad{7, 0, 0, 0}, []byte{255}, quad{1, 0, 0, 1}},
		{mtl.PixelFormatR8Snorm, "F", quad{-3, 0, 0, 0}, []byte{0x81}, quad{-1, 0, 0, 1}},
		{mtl.PixelFormatR8Uint, "U", quad{300, 0, 0, 0}, []byte{255}, quad{255, 0, 0, 1}},
		{mtl.PixelFormatR8Sint, "I", quad{-300, 0, 0, 0}, []byte{0x80}, quad{-128, 0, 0, 1}},
		{mtl.PixelFormatRG8Unorm, "F", quad{0, 0.4, 1, 1}, []byte{0, 102}, quad{0, 0.4, 0, 1}},
		{mtl.PixelFormatRGBA8Unorm, "F", quad{0, 0.2, 0.4, 0.6}, []byte{0, 51, 102, 153}, quad{0, 0.2, 0.4, 0.6}},
		{mtl.PixelFormatBGRA8Unorm, "F", quad{0, 0.2, 0.4, 0.6}, []byte{102, 51, 0, 153}, quad{0, 0.2, 0.4, 0.6}},
		{mtl.PixelFormatRGBA8Uint, "U", quad{1, 2, 3, 4}, []byte{1, 2, 3, 4}, quad{1, 2, 3, 4}},
		{mtl.PixelFormatRGBA8Sint, "I", quad{-1, 2, -3, 4}, []byte{0xff, 2, 0xfd, 4}, quad{-1, 2, -3, 4}},
		{mtl.PixelFormatR16Unorm, "F", quad{1, 0, 0, 0}, []byte{0xff, 0xff}, quad{1, 0, 0, 1}},
		{mtl.PixelFormatR16Float, "F", quad{1.5, 0, 0, 0}, half(0x3e00), quad{1.5, 0, 0, 1}},
		{mtl.PixelFormatRG16Uint, "U", quad{70000, 9, 0, 0}, []byte{0xff, 0xff, 9, 0}, quad{65535, 9, 0, 1}},
		{mtl.PixelFormatRGBA16Float, "F", quad{1, -2, 0.5, 0}, half(0x3c00, 0xc000, 0x3800, 0), quad{1, -2, 0.5, 0}},
		{mtl.PixelFormatR32Uint, "U", quad{4000000000, 0, 0, 0}, word(4000000000), quad{4000000000, 0, 0, 1}},
		{mtl.PixelFormatR32Sint, "I", quad{-5, 0, 0, 0}, []byte{0xfb, 0xff, 0xff, 0xff}, quad{-5, 0, 0, 1}},
		{mtl.PixelFormatR32Float, "F", quad{3.25, 0, 0, 0}, floats(3.25), quad{3.25, 0, 0, 1}},
		{mtl.PixelFormatRG32Float, "F", quad{1, -1, 7, 7}, floats(1, -1), quad{1, -1, 0, 1}},
		{mtl.PixelFormatRGBA32Float, "F", quad{1e30, -1, 0, 0.125}, floats(1e30, -1, 0, 0.125),
			quad{float64(float32(1e30)), -1, 0, 0.125}},
		{mtl.PixelFormatRGBA32Uint, "U", quad{1, 2, 3, 4}, packed(1, 2, 3, 4), quad{1, 2, 3, 4}},
		{mtl.PixelFormatRGB10A2Unorm, "F", quad{1, 0, 1, 1}, []byte{0xff, 0x03, 0xf0, 0xff}, quad{1, 0, 1, 1}},
		{mtl.PixelFormatRG11B10Float, "F", quad{1, 1, 1, 0}, []byte{0xc0, 0x03, 0x1e, 0x78}, quad{1, 1, 1, 1}},
		{mtl.PixelFormatRGB9E5Float, "F", quad{1, 0, 0, 0}, []byte{0x00, 0x01, 0x00, 0x80}, quad{1, 0, 0, 1}},
		{mtl.PixelFormatRGBA8Unorm_sRGB, "F", quad{1, 0, 1, 0.2}, []byte{255, 0, 255, 51}, quad{1, 0, 1, 0.2}},
	} {
		name := fmt.Sprintf("%v of %v", k.format, k.put)
		cases = append(cases, aCase{name,
			"A kernel's components stand in a texel in the format's order, clamped to what it holds, and are read again so.",
			func(r *rig) {
				t := r.texture(k.format, 1, 1)
				in, out := r.buffer(16), r.buffer(16)
				words, floats := must(mtl.Slice[uint32](in)), must(mtl.Slice[float32](in))
				for i, v := range k.put {
					switch k.as {
					case "F":
						floats[i] = float32(v)
					case "U":
						words[i] = uint32(v)
					default:
						words[i] = uint32(int32(v))
					}
				}
				put, get := r.pipeline(formatKernels, "put"+k.as), r.pipeline(formatKernels, "get"+k.as)
				b := r.commands()
				r.encode(b, func(e mtl.ComputeCommandEncoder) {
					set(e, put, in)
					do(e.SetTexture(t, 0), e.DispatchThreads(line(1), line(1)))
				})
				r.encode(b, func(e mtl.ComputeCommandEncoder) {
					set(e, get, out)
					do(e.SetTexture(t, 0), e.DispatchThreads(line(1), line(1)))
				})
				r.finish(b)
				bytes := make([]byte, len(k.bytes))
				do(t.GetBytes(bytes, uint(len(bytes)), area(0, 0, 1, 1), 0))
				assert.Equal(r, k.bytes, bytes)
				for i, v := range must(mtl.Slice[uint32](out)) {
					switch k.as {
					case "F":
						assert.InDelta(r, k.get[i], float64(math.Float32frombits(v)), math.Abs(k.get[i])*1e-6, "component %d", i)
					case "U":
						assert.Equal(r, k.get[i], float64(v), "component %d", i)
					default:
						assert.Equal(r, k.get[i], float64(int32(v)), "component %d", i)
					}
				}
			}})
	}
	return cases
}

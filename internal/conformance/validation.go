package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

const validationKernels = `
struct Big { float4x4 m; };
kernel void big(constant Big& b [[buffer(0)]], device float* out [[buffer(1)]]) { out[0] = b.m[1][1]; }
kernel void wide(device float4* x [[buffer(0)]]) { x[0] += 1; }
kernel void image(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], device float* out [[buffer(0)]]) { out[0] = t.sample(s, float2(0.5f)).x; }
kernel void draw(texture2d<float, access::write> t [[texture(3)]]) { t.write(float4(1), uint2(0)); }
kernel void both(texture2d<float, access::read_write> t [[texture(0)]]) { t.write(t.read(uint2(0)) + 1, uint2(0)); }
kernel void pages(texture2d_array<uint, access::read> t [[texture(0)]], device uint* out [[buffer(0)]]) { out[0] = t.read(uint2(0), 1).x; }
kernel void shared(device uint* out [[buffer(0)]], threadgroup uint* mem [[threadgroup(2)]], uint i [[thread_position_in_threadgroup]]) {
    mem[i] = i; threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = mem[i ^ 1]; }
`

// validationCases are mistakes that only Metal's validation layer sees, when a dispatch meets the
// kernel's declarations. It stops the program; here they are the command buffer's error.
func validationCases() []aCase {
	type encoder = mtl.ComputeCommandEncoder
	one := func(e encoder) error { return e.DispatchThreads(line(1), line(1)) }
	sampler := func(r *rig) mtl.SamplerState {
		return own(r, must(r.device.NewSamplerState(own(r, must(mtl.NewSamplerDescriptor())))))
	}
	with := func(r *rig, f mtl.PixelFormat, usage mtl.TextureUsage) mtl.Texture {
		return r.shaped(f, func(d mtl.TextureDescriptor) { d.SetUsage(usage) })
	}
	const read, write = mtl.TextureUsageShaderRead, mtl.TextureUsageShaderWrite
	var cases []aCase
	for _, k := range []struct {
		name, kernel string
		encode       func(*rig, encoder)
		says         []string
	}{
		{"buffer missing", "big", func(r *rig, e encoder) { do(e.SetBuffer(r.buffer(64), 0, 0), one(e)) },
			[]string{`"big"`, "buffer index 1", `"out"`}},
		{"buffer cleared", "wide", func(r *rig, e encoder) {
			do(e.SetBuffer(r.buffer(64), 0, 0), e.SetBuffer(mtl.Buffer{}, 0, 0), one(e))
		}, []string{`"wide"`, "buffer index 0"}},
		{"texture missing", "draw", func(r *rig, e encoder) { do(one(e)) }, []string{`"draw"`, "texture index 3", `"t"`}},
		{"sampler missing", "image", func(r *rig, e encoder) {
			do(e.SetTexture(with(r, mtl.PixelFormatR32Float, read), 0), e.SetBuffer(r.buffer(4), 0, 0), one(e))
		}, []string{`"image"`, "sampler index 0", `"s"`}},
		{"threadgroup memory missing", "shared", func(r *rig, e encoder) {
			do(e.SetBuffer(r.buffer(64), 0, 0), e.DispatchThreads(line(4), line(4)))
		}, []string{`"shared"`, "threadgroup index 2", `"mem"`}},
		{"structure cut off", "big", func(r *rig, e encoder) {
			do(e.SetBuffer(r.buffer(60), 0, 0), e.SetBuffer(r.buffer(4), 0, 1), one(e))
		}, []string{`"big"`, `"b"`, "60 bytes", "64"}},
		{"structure at an offset", "big", func(r *rig, e encoder) {
			do(e.SetBuffer(r.buffer(96), 48, 0), e.SetBuffer(r.buffer(4), 0, 1), one(e))
		}, []string{`"big"`, `"b"`, "48 bytes from offset 48", "64"}},
		{"structure after a move", "big", func(r *rig, e encoder) {
			do(e.SetBuffer(r.buffer(96), 0, 0), e.SetBufferOffset(64, 0), e.SetBuffer(r.buffer(4), 0, 1), one(e))
		}, []string{`"b"`, "32 bytes from offset 64", "64"}},
		{"bytes too few", "big", func(r *rig, e encoder) {
			do(e.SetBytes(make([]byte, 16), 0), e.SetBuffer(r.buffer(4), 0, 1), one(e))
		}, []string{`"big"`, `"b"`, "16 bytes", "64"}},
		{"offset of vectors", "wide", func(r *rig, e encoder) { do(e.SetBuffer(r.buffer(64), 8, 0), one(e)) },
			[]string{`"wide"`, `"x"`, "offset", "8 bytes", "multiple of 16"}},
		{"moved offset of vectors", "wide", func(r *rig, e encoder) {
			do(e.SetBuffer(r.buffer(64), 0, 0), e.SetBufferOffset(4, 0), one(e))
		}, []string{`"x"`, "4 bytes", "multiple of 16"}},
		{"type of a texture", "pages", func(r *rig, e encoder) {
			do(e.SetTexture(with(r, mtl.PixelFormatR32Uint, read), 0), e.SetBuffer(r.buffer(4), 0, 0), one(e))
		}, []string{`"pages"`, `"t"`, "type 2D", "want 2DArray"}},
		{"not to be written", "draw", func(r *rig, e encoder) {
			do(e.SetTexture(with(r, mtl.PixelFormatR32Float, read), 3), one(e))
		}, []string{`"draw"`, "index 3", `"t"`, "usage 0x1", "0x2"}},
		{"not to be read", "image", func(r *rig, e encoder) {
			do(e.SetTexture(with(r, mtl.PixelFormatR32Float, write), 0), e.SetSamplerState(sampler(r), 0),
				e.SetBuffer(r.buffer(4), 0, 0), one(e))
		}, []string{`"image"`, "usage 0x2", "0x1"}},
		{"not to be read and written", "both", func(r *rig, e encoder) {
			do(e.SetTexture(with(r, mtl.PixelFormatR32Float, write), 0), one(e))
		}, []string{`"both"`, "usage 0x2", "0x1"}},
		{"integers as fractions", "image", func(r *rig, e encoder) {
			do(e.SetTexture(with(r, mtl.PixelFormatR32Uint, read), 0), e.SetSamplerState(sampler(r), 0),
				e.SetBuffer(r.buffer(4), 0, 0), one(e))
		}, []string{`"image"`, "R32Uint", "float or half"}},
		{"groups of it too", "wide", func(r *rig, e encoder) {
			do(e.SetBuffer(r.buffer(64), 8, 0), e.DispatchThreadgroups(line(1), line(1)))
		}, []string{"dispatchThreadgroups:threadsPerThreadgroup:", "multiple of 16"}},
		{"indirectly too", "wide", func(r *rig, e encoder) {
			do(e.SetBuffer(r.buffer(64), 8, 0), e.DispatchThreadgroupsWithIndirectBuffer(r.uints(1, 1, 1), 0, line(1)))
		}, []string{"dispatchThreadgroupsWithIndirectBuffer:", "multiple of 16"}},
	} {
		cases = append(cases, aCase{k.name,
			"What a kernel is given must be what it declares; the error names kernel, argument, value and limit.", func(r *rig) {
				p := r.pipeline(validationKernels, k.kernel)
				b := r.commands()
				r.encode(b, func(e encoder) {
					do(e.SetComputePipelineState(p))
					k.encode(r, e)
				})
				do(b.Commit())
				err := b.Wait(r.Context())
				r.holds(assert.Error(r, err))
				for _, w := range k.says {
					assert.ErrorContains(r, err, w)
				}
				assert.Equal(r, mtl.CommandBufferStatusError, b.Status())
			}})
	}
	return append(cases,
		aCase{"nothing runs", "Of a command buffer with a mistake nothing runs, and the next one does.", func(r *rig) {
			p, q, x := r.kernel("number"), r.pipeline(validationKernels, "wide"), r.buffer(16)
			b := r.commands()
			r.encode(b, func(e encoder) {
				set(e, p, x)
				do(e.DispatchThreads(line(4), line(4)), e.SetComputePipelineState(q), e.SetBufferOffset(4, 0), one(e))
			})
			do(b.Commit())
			assert.Error(r, b.Wait(r.Context()))
			assert.Equal(r, make([]uint32, 4), r.words(x))
			r.compute(func(e encoder) {
				set(e, p, x)
				do(e.DispatchThreads(line(4), line(4)))
			})
			assert.Equal(r, count(4), r.words(x))
		}},
		aCase{"multiples of the width", "A pipeline made for threadgroups of whole SIMD groups runs no others.",
			func(r *rig) {
				d := own(r, must(mtl.NewComputePipelineDescriptor()))
				d.SetComputeFunction(r.function("number"))
				d.SetThreadGroupSizeIsMultipleOfThreadExecutionWidth(true)
				p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
				do(err)
				own(r, p)
				x := r.buffer(4 * 64)
				r.compute(func(e encoder) {
					set(e, p, x)
					do(e.DispatchThreadgroups(line(2), line(32)))
				})
				assert.Equal(r, count(64), r.words(x))
				b := r.commands()
				r.encode(b, func(e encoder) {
					set(e, p, x)
					do(e.DispatchThreadgroups(line(1), line(33)))
				})
				do(b.Commit())
				err = b.Wait(r.Context())
				assert.ErrorContains(r, err, "33 threads")
				assert.ErrorContains(r, err, "multiples of 32")
			}},
		aCase{"mended in time", "What is bound is looked at when it is dispatched, not when it is set.", func(r *rig) {
			p, x := r.pipeline(validationKernels, "wide"), r.buffer(64)
			r.compute(func(e encoder) {
				set(e, p)
				do(e.SetBuffer(x, 8, 0), e.SetBufferOffset(16, 0), one(e))
			})
			assert.Equal(r, float32(1), must(mtl.Slice[float32](x))[4])
		}},
	)
}

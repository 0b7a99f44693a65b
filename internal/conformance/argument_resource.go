package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

const argumentResourceKernels = `
struct Look { texture2d<float> t [[id(0)]]; sampler s [[id(1)]]; device float* out [[id(2)]]; constant float2* at [[id(3)]]; };
kernel void look(constant Look& a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a.out[i] = a.t.sample(a.s, a.at[i]).x; }

struct Many { array<texture2d<uint, access::read>, 4> in [[id(0)]]; texture2d<uint, access::write> out [[id(4)]]; uint n [[id(5)]]; };
kernel void add(constant Many& a [[buffer(0)]], uint2 at [[thread_position_in_grid]]) {
    uint4 sum = 0;
    for (uint i = 0; i < a.n; i++) sum += a.in[i].read(at);
    a.out.write(sum, at);
}

struct Leaf { device uint* x [[id(0)]]; uint k [[id(1)]]; };
struct Tree { constant Leaf* leaf [[id(0)]]; device uint* out [[id(1)]]; };
kernel void tree(constant Tree& a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a.out[i] = a.leaf->x[i] + a.leaf->k; }

struct Four { device uint* x[4] [[id(0)]]; };
kernel void four(constant Four& a [[buffer(0)]], device uint* out [[buffer(1)]], uint i [[thread_position_in_grid]]) { out[i] = a.x[i][0]; }

struct Each { device uint* x [[id(0)]]; uint k [[id(1)]]; };
kernel void each(constant Each* a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i].x[0] += a[i].k; }

struct Node { device Node* next; uint value; };
kernel void walk(device const Node* n [[buffer(0)]], device uint* out [[buffer(1)]]) {
    uint i = 0;
    for (; n; n = n->next) out[i++] = n->value;
}
kernel void link(device Node* n [[buffer(0)]], constant uint& count [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    n[i].next = i + 1 < count ? n + i + 1 : nullptr;
    n[i].value = 10 * i;
}

struct Plain { texture2d<float> t; sampler s; device float* out; constant float2* at; };
kernel void plainLook(constant Plain& a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a.out[i] = a.t.sample(a.s, a.at[i]).x; }

struct Constants { float4 v [[id(0)]]; float4x4 m [[id(1)]]; ushort h [[id(2)]]; device float* out [[id(3)]]; };
kernel void constants(constant Constants& a [[buffer(0)]]) { a.out[0] = a.v.z; a.out[1] = a.m[2][1]; a.out[2] = a.h; }
`

// argumentResourceCases are about resources other than plain buffers that kernels reach through
// argument buffers.
func argumentResourceCases() []aCase {
	// made returns a pipeline of a kernel and an encoder of its argument buffer.
	made := func(r *rig, name string) (mtl.ComputePipelineState, mtl.ArgumentEncoder) {
		f := own(r, must(r.source(argumentResourceKernels).NewFunction(name)))
		return own(r, must(r.device.NewComputePipelineState(f))), own(r, must(f.NewArgumentEncoder(0)))
	}
	// encoded returns an argument buffer that an encoder writes to.
	encoded := func(r *rig, e mtl.ArgumentEncoder) mtl.Buffer {
		b := r.buffer(e.EncodedLength())
		do(e.SetArgumentBuffer(b, 0))
		return b
	}
	// step is a texture of the texels 0 and 1, and a sampler that argument buffers take.
	step := func(r *rig) (mtl.Texture, mtl.SamplerState) {
		t := r.texture(mtl.PixelFormatR32Float, 2, 1)
		do(t.ReplaceRegion(area(0, 0, 2, 1), 0, append(float(0), float(1)...), 8))
		d := own(r, must(mtl.NewSamplerDescriptor()))
		d.SetMagFilter(mtl.SamplerMinMagFilterLinear)
		d.SetSupportArgumentBuffers(true)
		return t, own(r, must(r.device.NewSamplerState(d)))
	}
	read := func(b mtl.Buffer) []float32 { return append([]float32(nil), must(mtl.Slice[float32](b))...) }
	const readWrite = mtl.ResourceUsageRead | mtl.ResourceUsageWrite
	return []aCase{
		{"texture and sampler", "A kernel samples a texture with a sampler, both of an argument buffer.", func(r *rig) {
			p, e := made(r, "look")
			args := encoded(r, e)
			t, s := step(r)
			out, at := r.buffer(12), r.floats(0.25, 0.5, 0.5, 0.5, 0.75, 0.5)
			do(e.SetTexture(t, 0), e.SetSamplerState(s, 1), e.SetBuffer(out, 0, 2), e.SetBuffer(at, 0, 3))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseResources([]mtl.Resource{t.Resource, at.Resource}, mtl.ResourceUsageRead),
					c.UseResource(out.Resource, mtl.ResourceUsageWrite), c.DispatchThreads(line(3), line(3)))
			})
			assert.Equal(r, []float32{0, 0.5, 1}, read(out))
		}},
		{"array of textures", "A kernel reads the textures of an array in an argument buffer, and writes another.",
			func(r *rig) {
				p, e := made(r, "add")
				args := encoded(r, e)
				var in []mtl.Texture
				var used []mtl.Resource
				for i := range uint32(4) {
					t := r.texture(mtl.PixelFormatR32Uint, 2, 2)
					r.fill(t, 0, 0, size(2, 2, 1), 10*i)
					in, used = append(in, t), append(used, t.Resource)
				}
				out := r.texture(mtl.PixelFormatR32Uint, 2, 2)
				do(e.SetTextures(in, 0), e.SetTexture(out, 4), e.SetConstant(5, word(4)))
				r.compute(func(c mtl.ComputeCommandEncoder) {
					set(c, p, args)
					do(c.UseResources(used, mtl.ResourceUsageRead), c.UseResource(out.Resource, mtl.ResourceUsageWrite),
						c.DispatchThreads(size(2, 2, 1), size(2, 2, 1)))
				})
				assert.Equal(r, packed(60, 64, 68, 72), r.content(out, 0, 0, size(2, 2, 1)))
			}},
		{"one of the array replaced", "What an encoder writes last is what the next commands see.", func(r *rig) {
			p, e := made(r, "add")
			args := encoded(r, e)
			a, b, out := r.texture(mtl.PixelFormatR32Uint, 1, 1), r.texture(mtl.PixelFormatR32Uint, 1, 1),
				r.texture(mtl.PixelFormatR32Uint, 1, 1)
			r.fill(a, 0, 0, size(1, 1, 1), 5)
			r.fill(b, 0, 0, size(1, 1, 1), 9)
			do(e.SetTexture(a, 0), e.SetTexture(out, 4), e.SetConstant(5, word(1)))
			for _, want := range []uint32{5, 9} {
				r.compute(func(c mtl.ComputeCommandEncoder) {
					set(c, p, args)
					do(c.UseResources([]mtl.Resource{a.Resource, b.Resource}, mtl.ResourceUsageRead),
						c.UseResource(out.Resource, mtl.ResourceUsageWrite), c.DispatchThreads(line(1), line(1)))
				})
				assert.Equal(r, word(want), r.content(out, 0, 0, size(1, 1, 1)))
				do(e.SetTexture(b, 0))
			}
		}},
		{"nested", "An argument buffer leads to another, which a nested encoder writes.", func(r *rig) {
			p, e := made(r, "tree")
			args := encoded(r, e)
			n := own(r, must(e.NewNestedEncoder(0)))
			leaf := encoded(r, n)
			x, out := r.uints(1, 2, 3), r.buffer(12)
			do(n.SetBuffer(x, 0, 0), n.SetConstant(1, word(100)), e.SetBuffer(leaf, 0, 0), e.SetBuffer(out, 0, 1))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseResources([]mtl.Resource{leaf.Resource, x.Resource}, mtl.ResourceUsageRead),
					c.UseResource(out.Resource, mtl.ResourceUsageWrite), c.DispatchThreads(line(3), line(3)))
			})
			assert.Equal(r, []uint32{101, 102, 103}, r.words(out))
		}},
		{"no nested", "What is no pointer to an argument buffer has no nested encoder.", func(r *rig) {
			_, e := made(r, "add")
			_, err := e.NewNestedEncoder(5)
			r.refused(err, mtl.ErrArgument)
		}},
		{"array of buffers", "The elements of an array of pointers are set together, each with its offset.", func(r *rig) {
			p, e := made(r, "four")
			args := encoded(r, e)
			a, b, out := r.uints(1, 2, 3, 4), r.uints(5, 6, 7, 8), r.buffer(16)
			do(e.SetBuffers([]mtl.Buffer{a, b, a, b}, []uint{0, 4, 8, 12}, 0))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args, out)
				do(c.UseResources([]mtl.Resource{a.Resource, b.Resource}, mtl.ResourceUsageRead),
					c.DispatchThreads(line(4), line(4)))
			})
			assert.Equal(r, []uint32{1, 6, 3, 8}, r.words(out))
		}},
		{"array of argument buffers", "Elements of an array of argument buffers lie the encoded length apart.", func(r *rig) {
			p, e := made(r, "each")
			const n = 5
			args, x := r.buffer(n*e.EncodedLength()), r.uints(make([]uint32, n)...)
			for i := range uint(n) {
				do(e.SetArgumentBufferElement(args, 0, i), e.SetBuffer(x, 4*i, 0), e.SetConstant(1, word(uint32(7*i))))
			}
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseResource(x.Resource, readWrite), c.DispatchThreads(line(n), line(n)))
			})
			assert.Equal(r, []uint32{0, 7, 14, 21, 28}, r.words(x))
		}},
		{"element beyond", "An element past the end of the buffer is refused.", func(r *rig) {
			_, e := made(r, "each")
			r.refused(e.SetArgumentBufferElement(r.buffer(2*e.EncodedLength()), 0, 2), mtl.ErrLength)
		}},
		{"misaligned arguments", "Arguments begin at a multiple of the encoder's alignment.", func(r *rig) {
			_, e := made(r, "each")
			r.beyond(e.SetArgumentBuffer(r.buffer(4*e.EncodedLength()), 1), mtl.ErrAlignment, 1, uint64(e.Alignment()))
		}},
		{"buffer offset beyond", "An argument's offset beyond the end of its buffer is refused.", func(r *rig) {
			_, e := made(r, "each")
			encoded(r, e)
			r.beyond(e.SetBuffer(r.buffer(16), 17, 0), mtl.ErrOffset, 17, 16)
		}},
		{"constants", "Vectors, matrices and small integers are constants of an argument buffer.", func(r *rig) {
			p, e := made(r, "constants")
			args, out := encoded(r, e), r.buffer(12)
			var m []byte
			for i := range 16 {
				m = append(m, float(float32(i))...)
			}
			v := append(append(append(float(1), float(2)...), float(3)...), float(4)...)
			do(e.SetConstant(0, v), e.SetConstant(1, m), e.SetConstant(2, []byte{0x34, 0x12}), e.SetBuffer(out, 0, 3))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseResource(out.Resource, mtl.ResourceUsageWrite), c.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []float32{3, 9, 0x1234}, read(out))
		}},
		{"resource ids", "Since Metal 3 the CPU writes ids of textures and samplers, and addresses, into structures itself.",
			func(r *rig) {
				if !r.device.Supports(mtl.GPUFamilyMetal3) {
					r.Skip("the device is not of family Metal3")
				}
				p := r.pipeline(argumentResourceKernels, "plainLook")
				t, s := step(r)
				out, at, args := r.buffer(8), r.floats(0.25, 0.5, 0.75, 0.5), r.buffer(32)
				w := must(mtl.Slice[uint64](args))
				w[0], w[1], w[2], w[3] = t.GPUResourceID().Impl, s.GPUResourceID().Impl, out.GPUAddress(), at.GPUAddress()
				r.compute(func(c mtl.ComputeCommandEncoder) {
					set(c, p, args)
					do(c.UseResources([]mtl.Resource{t.Resource, at.Resource}, mtl.ResourceUsageRead),
						c.UseResource(out.Resource, mtl.ResourceUsageWrite), c.DispatchThreads(line(2), line(2)))
				})
				assert.Equal(r, []float32{0, 1}, read(out))
			}},
		{"ids of a view", "A view has an id of its own, and shows its part through it.", func(r *rig) {
			if !r.device.Supports(mtl.GPUFamilyMetal3) {
				r.Skip("the device is not of family Metal3")
			}
			p := r.pipeline(argumentResourceKernels, "plainLook")
			t := r.shaped(mtl.PixelFormatR32Float,
				func(d mtl.TextureDescriptor) { d.SetTextureType(mtl.TextureType2DArray); d.SetArrayLength(3) })
			do(t.ReplaceRegionSlice(area(0, 0, 1, 1), 0, 2, float(0.5), 4, 4))
			v := own(r, must(t.NewViewOf(mtl.PixelFormatR32Float, mtl.TextureType2D, one(), mtl.Range{Location: 2, Length: 1})))
			assert.NotEqual(r, t.GPUResourceID(), v.GPUResourceID())
			_, s := step(r)
			out, at, args := r.buffer(4), r.floats(0.5, 0.5), r.buffer(32)
			w := must(mtl.Slice[uint64](args))
			w[0], w[1], w[2], w[3] = v.GPUResourceID().Impl, s.GPUResourceID().Impl, out.GPUAddress(), at.GPUAddress()
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseResources([]mtl.Resource{v.Resource, at.Resource}, mtl.ResourceUsageRead),
					c.UseResource(out.Resource, mtl.ResourceUsageWrite), c.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []float32{0.5}, read(out))
		}},
		{"list", "A kernel follows addresses from buffer to buffer until there is none.", func(r *rig) {
			if !r.device.Supports(mtl.GPUFamilyMetal3) {
				r.Skip("the device is not of family Metal3")
			}
			p, out := r.pipeline(argumentResourceKernels, "walk"), r.buffer(12)
			var nodes []mtl.Buffer
			var next uint64
			for i := range uint64(3) {
				n := r.buffer(16)
				w := must(mtl.Slice[uint64](n))
				w[0], w[1] = next, 30-10*i
				nodes, next = append(nodes, n), n.GPUAddress()
			}
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, nodes[2], out)
				for _, n := range nodes {
					do(c.UseResource(n.Resource, mtl.ResourceUsageRead))
				}
				do(c.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []uint32{10, 20, 30}, r.words(out))
		}},
		{"addresses by a kernel", "A kernel writes addresses that the next kernel follows.", func(r *rig) {
			if !r.device.Supports(mtl.GPUFamilyMetal3) {
				r.Skip("the device is not of family Metal3")
			}
			link, walk := r.pipeline(argumentResourceKernels, "link"), r.pipeline(argumentResourceKernels, "walk")
			nodes, out := r.private(5*16), r.buffer(20)
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, link, nodes)
				do(c.SetBytes(word(5), 1), c.DispatchThreads(line(5), line(5)))
				set(c, walk, nodes, out)
				do(c.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []uint32{0, 10, 20, 30, 40}, r.words(out))
		}},
		{"private arguments", "An argument buffer may be private: it is written elsewhere and copied.", func(r *rig) {
			p, e := made(r, "each")
			args, x := encoded(r, e), r.uints(1)
			do(e.SetBuffer(x, 0, 0), e.SetConstant(1, word(41)))
			hidden := r.private(e.EncodedLength())
			b := r.commands()
			r.blit(b, func(c mtl.BlitCommandEncoder) { do(c.CopyFromBuffer(args, 0, hidden, 0, e.EncodedLength())) })
			r.encode(b, func(c mtl.ComputeCommandEncoder) {
				set(c, p, hidden)
				do(c.UseResource(x.Resource, readWrite), c.DispatchThreads(line(1), line(1)))
			})
			r.finish(b)
			assert.Equal(r, []uint32{42}, r.words(x))
		}},
		{"arguments by bytes", "An argument buffer may be given as bytes of the command.", func(r *rig) {
			p, e := made(r, "each")
			args, x := encoded(r, e), r.uints(1)
			do(e.SetBuffer(x, 0, 0), e.SetConstant(1, word(9)))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				do(c.SetComputePipelineState(p), c.SetBytes(must(args.Bytes()), 0), c.UseResource(x.Resource, readWrite),
					c.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []uint32{10}, r.words(x))
		}},
		{"use of a heap", "Buffers of a heap are reached once the heap is declared.", func(r *rig) {
			p, e := made(r, "each")
			args := encoded(r, e)
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
			x := own(r, must(h.NewBuffer(16, mtl.ResourceStorageModeShared)))
			copy(must(mtl.Slice[uint32](x)), []uint32{1, 2, 3, 4}) // a heap's memory begins with anything
			do(e.SetBuffer(x, 0, 0), e.SetConstant(1, word(3)))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseHeap(h), c.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []uint32{4, 2, 3, 4}, r.words(x))
		}},
		{"with reflection", "The older form of making an encoder describes the argument beside it.", func(r *rig) {
			f := own(r, must(r.source(argumentResourceKernels).NewFunction("each")))
			//lint:ignore SA1019 the older form is what the case is about
			e, a, err := f.NewArgumentEncoderWithReflection(0)
			do(err)
			own(r, e)
			own(r, a)
			assert.False(r, a.IsNil())
			args, x := encoded(r, e), r.uints(5)
			do(e.SetBuffer(x, 0, 0), e.SetConstant(1, word(1)))
			p := own(r, must(r.device.NewComputePipelineState(f)))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseResource(x.Resource, readWrite), c.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []uint32{6}, r.words(x))
		}},
		{"by binding", "An encoder is made of a pipeline's reflection as well.", func(r *rig) {
			f := own(r, must(r.source(argumentResourceKernels).NewFunction("each")))
			p, reflection, err := r.device.NewComputePipelineStateWithReflection(f, mtl.PipelineOptionBufferTypeInfo)
			do(err)
			own(r, p)
			own(r, reflection)
			e := own(r, must(r.device.NewArgumentEncoderForBinding(mtl.BufferBindingFrom(reflection.Bindings()[0].ID()))))
			args, x := encoded(r, e), r.uints(1)
			do(e.SetBuffer(x, 0, 0), e.SetConstant(1, word(1)))
			r.compute(func(c mtl.ComputeCommandEncoder) {
				set(c, p, args)
				do(c.UseResource(x.Resource, readWrite), c.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []uint32{2}, r.words(x))
		}},
	}
}

package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// use is an attempt that must succeed, and what it leaves in the first words of a buffer.
type use struct {
	name string
	make func(r *rig) (a attempt, out mtl.Buffer, want []uint32)
}

// misuse is an attempt that must fail. Metal does not compare arguments with declarations except in
// its validation layer.
type misuse struct {
	name string
	make func(r *rig) attempt
	says []string // in the error, whichever way was taken
}

// one is 1.0 as a word.
const oneFloat = 0x3f800000

// sampled returns an attempt of the kernel image over a texture.
func sampled(r *rig, t mtl.Texture, out mtl.Buffer) attempt {
	s := own(r, must(mtl.NewSamplerDescriptor()))
	s.SetSupportArgumentBuffers(true) // argument tables take the sampler's resource ID
	return attempt{kernel: "image", buffers: []given{{0, out, 0}}, texture: t,
		sampler: own(r, must(r.device.NewSamplerState(s))),
		grid:    line(1), group: line(1)}
}

func used(r *rig, f mtl.PixelFormat, usage mtl.TextureUsage) mtl.Texture {
	return r.shaped(f, func(d mtl.TextureDescriptor) { d.SetUsage(usage) })
}

// multipleOfWidth makes a pipeline for threadgroups of whole simdgroups.
func multipleOfWidth(d mtl.ComputePipelineDescriptor) {
	d.SetThreadGroupSizeIsMultipleOfThreadExecutionWidth(true)
}

func uses() []use {
	return []use{
		{"arguments", func(r *rig) (attempt, mtl.Buffer, []uint32) {
			in, out := r.buffer(64), r.buffer(4)
			must(mtl.Slice[uint32](in))[5] = oneFloat
			return attempt{kernel: "big", buffers: []given{{0, in, 0}, {1, out, 0}}, grid: line(1), group: line(1)}, out,
				[]uint32{oneFloat}
		}},
		{"offsets", func(r *rig) (attempt, mtl.Buffer, []uint32) {
			in, out := r.buffer(128), r.buffer(16)
			must(mtl.Slice[uint32](in))[16+5] = oneFloat
			return attempt{kernel: "big", buffers: []given{{0, in, 64}, {1, out, 12}}, grid: line(1), group: line(1)}, out,
				[]uint32{0, 0, 0, oneFloat}
		}},
		{"last element", func(r *rig) (attempt, mtl.Buffer, []uint32) {
			x := r.buffer(32)
			return attempt{kernel: "wide", buffers: []given{{0, x, 16}}, grid: line(1), group: line(1)}, x,
				[]uint32{0, 0, 0, 0, oneFloat, oneFloat, oneFloat, oneFloat}
		}},
		{"threadgroups", func(r *rig) (attempt, mtl.Buffer, []uint32) {
			x := r.buffer(4 * 128)
			return attempt{kernel: "limited", buffers: []given{{0, x, 0}}, grid: line(2), group: line(64), inGroups: true}, x,
				count(128)
		}},
		{"required threadgroup", func(r *rig) (attempt, mtl.Buffer, []uint32) {
			x := r.buffer(4 * 32)
			return attempt{kernel: "required", buffers: []given{{0, x, 0}}, grid: size(8, 4, 1), group: size(8, 4, 1)}, x,
				count(32)
		}},
		{"multiple of the width", func(r *rig) (attempt, mtl.Buffer, []uint32) {
			x := r.buffer(4 * 64)
			return attempt{kernel: "number", change: multipleOfWidth, buffers: []given{{0, x, 0}}, grid: line(64),
				group: line(32)}, x, count(64)
		}},
		{"threadgroup memory", func(r *rig) (attempt, mtl.Buffer, []uint32) {
			x := r.buffer(16)
			return attempt{kernel: "turned", buffers: []given{{0, x, 0}}, memory: 16, grid: line(4), group: line(4)}, x,
				[]uint32{4, 3, 2, 1}
		}},
		{"all threadgroup memory", func(r *rig) (attempt, mtl.Buffer, []uint32) {
			x := r.buffer(16)
			left := r.device.MaxThreadgroupMemoryLength() - 16384
			return attempt{kernel: "both", buffers: []given{{0, x, 0}}, memory: left, grid: line(4), group: line(4)}, x,
				[]uint32{4, 2, 8, 6}
		}},
		{"texture and sampler", func(r *rig) (attempt, mtl.Buffer, []uint32) {
			x, t := r.buffer(4), used(r, mtl.PixelFormatR32Float, mtl.TextureUsageShaderRead)
			do(t.ReplaceRegion(mtl.Region{Size: size(1, 1, 1)}, 0, float(1), 4))
			return sampled(r, t, x), x, []uint32{oneFloat}
		}},
	}
}

func misuses() []misuse {
	const read, write = mtl.TextureUsageShaderRead, mtl.TextureUsageShaderWrite
	one := func(kernel string, buffers ...given) attempt {
		return attempt{kernel: kernel, buffers: buffers, grid: line(1), group: line(1)}
	}
	return []misuse{
		{"buffer missing", func(r *rig) attempt { return one("big", given{0, r.buffer(64), 0}) },
			[]string{`"big"`, "buffer index 1", `"out"`}},
		{"off by two", func(r *rig) attempt { return one("number", given{0, r.buffer(64), 2}) },
			[]string{`"number"`, `"out"`, "2 bytes", "multiple of 4"}},
		{"offset of vectors", func(r *rig) attempt { return one("wide", given{0, r.buffer(64), 8}) },
			[]string{`"wide"`, `"x"`, "8 bytes", "multiple of 16"}},
		{"structure cut off", func(r *rig) attempt { return one("big", given{0, r.buffer(60), 0}, given{1, r.buffer(4), 0}) },
			[]string{`"big"`, `"b"`, "60 bytes", "64"}},
		{"structure at an offset", func(r *rig) attempt {
			return one("big", given{0, r.buffer(96), 48}, given{1, r.buffer(4), 0})
		},
			[]string{`"big"`, `"b"`, "48 bytes from offset 48", "64"}},
		{"nothing left", func(r *rig) attempt { return one("number", given{0, r.buffer(64), 64}) },
			[]string{`"out"`, "0 bytes from offset 64"}},
		{"too many threads", func(r *rig) attempt {
			return attempt{kernel: "limited", buffers: []given{{0, r.buffer(4 * 65), 0}}, grid: line(65), group: line(65)}
		}, []string{"65", "64"}},
		{"not the required threadgroup", func(r *rig) attempt {
			return attempt{kernel: "required", buffers: []given{{0, r.buffer(4 * 32), 0}}, grid: size(4, 8, 1),
				group: size(4, 8, 1)}
		}, []string{"4", "8"}},
		{"not a multiple of the width", func(r *rig) attempt {
			return attempt{kernel: "number", change: multipleOfWidth, buffers: []given{{0, r.buffer(4 * 33), 0}}, grid: line(33),
				group: line(33)}
		}, []string{`"number"`, "33 threads", "multiples of 32"}},
		{"threadgroup memory missing", func(r *rig) attempt {
			return attempt{kernel: "turned", buffers: []given{{0, r.buffer(16), 0}}, grid: line(4), group: line(4)}
		}, []string{`"turned"`, "threadgroup index 0", `"mem"`}},
		{"threadgroup memory in sum", func(r *rig) attempt {
			return attempt{kernel: "both", buffers: []given{{0, r.buffer(16), 0}}, memory: r.device.MaxThreadgroupMemoryLength(),
				grid: line(4), group: line(4)}
		}, []string{"49152", "32768"}},
		{"texture missing", func(r *rig) attempt {
			a := sampled(r, mtl.Texture{}, r.buffer(4))
			return a
		}, []string{`"image"`, "texture index 0", `"t"`}},
		{"sampler missing", func(r *rig) attempt {
			a := sampled(r, used(r, mtl.PixelFormatR32Float, read), r.buffer(4))
			a.sampler = mtl.SamplerState{}
			return a
		}, []string{`"image"`, "sampler index 0", `"s"`}},
		{"texture's type", func(r *rig) attempt {
			return sampled(r, r.shaped(mtl.PixelFormatR32Float, func(d mtl.TextureDescriptor) {
				d.SetTextureType(mtl.TextureType3D)
			}), r.buffer(4))
		}, []string{`"image"`, `"t"`, "type 3D", "want 2D"}},
		{"texture's format", func(r *rig) attempt { return sampled(r, used(r, mtl.PixelFormatR32Uint, read), r.buffer(4)) },
			[]string{`"image"`, "R32Uint", "float or half"}},
		{"texture not to be read", func(r *rig) attempt {
			return sampled(r, used(r, mtl.PixelFormatR32Float, write), r.buffer(4))
		},
			[]string{`"image"`, "usage 0x2", "0x1"}},
		{"texture not to be written", func(r *rig) attempt {
			a := one("draw", given{0, r.buffer(4), 0})
			a.texture = used(r, mtl.PixelFormatR32Float, read)
			return a
		}, []string{`"draw"`, "usage 0x1", "0x2"}},
	}
}

// dispatchCases are the same dispatches in several ways.
func dispatchCases(ways ...way) []aCase {
	var cases []aCase
	for _, w := range ways {
		for _, u := range uses() {
			cases = append(cases, aCase{w.name + ": " + u.name,
				"A kernel that is given what it declares runs, whichever way it is dispatched.", func(r *rig) {
					a, out, want := u.make(r)
					do(w.run(r, a))
					assert.Equal(r, want, r.words(out)[:len(want)])
				}})
		}
	}
	return cases
}

func emptyDispatchCases() []aCase {
	return []aCase{{"by a kernel: no threads", "A command of no threads, which only a kernel can encode, does nothing.",
		func(r *rig) {
			x := r.buffer(16)
			do(dispatchByKernel(r, attempt{kernel: "number", buffers: []given{{0, x, 0}}, grid: size(4, 0, 1), group: line(4)}))
			assert.Equal(r, make([]uint32, 4), r.words(x))
		}}}
}

// dispatchMisuseCases are the same mistakes in each of the four ways.
func dispatchMisuseCases() []aCase {
	var cases []aCase
	for _, w := range []way{byMetal3, byMetal4, indirectly, byKernel} {
		for _, k := range misuses() {
			cases = append(cases, aCase{w.name + ": " + k.name,
				"A kernel that is not given what it declares does not run, whichever way it is dispatched.", func(r *rig) {
					a := k.make(r)
					err := w.run(r, a)
					r.holds(assert.Error(r, err))
					for _, word := range k.says {
						assert.ErrorContains(r, err, word)
					}
					for _, g := range a.buffers {
						assert.Equal(r, make([]uint32, g.buffer.Length()/4), r.words(g.buffer), "nothing has run")
					}
				}})
		}
	}
	refused := func(r *rig, err error, words ...string) {
		r.Helper()
		r.holds(assert.Error(r, err))
		for _, w := range words {
			assert.ErrorContains(r, err, w)
		}
	}
	return append(cases,
		aCase{"metal 4: threads in memory",
			"The size of a threadgroup that is read from memory must be one that the pipeline takes.", func(r *rig) {
				m, x, n := r.metal4(), r.buffer(4*33), r.uints(33, 1, 1, 33, 1, 1)
				p, t := attempt{kernel: "number", change: multipleOfWidth}.pipelineOf(r), m.table(x)
				m.reside(n.Resource)
				refused(r, m.try(func(e mtl.ComputeCommandEncoder4) {
					set4(e, p, t)
					do(e.DispatchThreadsWithIndirectBuffer(n.GPUAddress()))
				}), "33 threads", "multiples of 32")
			}},
		aCase{"metal 4: inherited buffers", "Commands that inherit the buffers of a table are checked against it.",
			func(r *rig) {
				m, x, p := r.metal4(), r.buffer(64), attempt{kernel: "wide"}.pipelineOf(r)
				b := r.indirectCommands(1, func(d mtl.IndirectCommandBufferDescriptor) {
					d.SetInheritPipelineState(true)
					d.SetInheritBuffers(true)
					d.SetMaxKernelBufferBindCount(0)
				})
				do(must(b.IndirectComputeCommandAtIndex(0)).ConcurrentDispatchThreads(line(1), line(1)))
				t := m.table(x)
				m.reside(b.Resource)
				do(t.SetAddress(x.GPUAddress()+8, 0))
				refused(r, m.try(func(e mtl.ComputeCommandEncoder4) {
					set4(e, p, t)
					do(e.ExecuteCommandsInBufferWithRange(b, mtl.Range{Length: 1}))
				}), `"wide"`, `"x"`, "8 bytes", "multiple of 16")
			}},
		aCase{"indirect: inherited buffers", "Commands that inherit the encoder's buffers are checked against them.",
			func(r *rig) {
				x, p := r.buffer(64), attempt{kernel: "wide"}.pipelineOf(r)
				b := r.indirectCommands(1, func(d mtl.IndirectCommandBufferDescriptor) { d.SetInheritBuffers(true) })
				c := must(b.IndirectComputeCommandAtIndex(0))
				do(c.SetComputePipelineState(p), c.ConcurrentDispatchThreads(line(1), line(1)))
				refused(r, r.settle(r.commands(), func(e mtl.ComputeCommandEncoder) error {
					return first(e.SetBuffer(x, 8, 0), e.ExecuteCommandsInBuffer(b, mtl.Range{Length: 1}))
				}), `"wide"`, `"x"`, "8 bytes", "multiple of 16")
			}},
	)
}

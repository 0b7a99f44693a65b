package conformance

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// heapResourceCases are about how much resources take of a heap, and about textures in heaps.
func heapResourceCases() []aCase {
	const shared, private = mtl.ResourceStorageModeShared, mtl.ResourceStorageModePrivate
	// describe returns the descriptor of a private texture that kernels read and write.
	describe := func(r *rig, f mtl.PixelFormat, w, h uint, mipmapped bool) mtl.TextureDescriptor {
		d := must(mtl.Texture2DDescriptorWithPixelFormat(f, w, h, mipmapped))
		d.SetStorageMode(mtl.StorageModePrivate)
		d.SetUsage(mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite)
		return d
	}
	up := func(n, to uint) uint { return (n + to - 1) / to * to }
	var cases []aCase
	for _, lengths := range [][]uint{{1}, {1, 1, 1, 1}, {4096, 4096}, {1, 255, 256, 257, 4095, 4097},
		{100000, 3, 70000, 16384, 1}} {
		cases = append(cases, aCase{fmt.Sprintf("buffers of %v", lengths),
			"A heap of just the sizes that its buffers were said to take holds them all.", func(r *rig) {
				var total uint
				for _, n := range lengths {
					sa := r.need(n)
					total = up(total, sa.Align) + sa.Size
				}
				h := r.heap(total, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
				for _, n := range lengths {
					assert.Equal(r, n, own(r, must(h.NewBuffer(n, private))).Length())
				}
				assert.LessOrEqual(r, h.UsedSize(), h.Size())
				assert.GreaterOrEqual(r, h.UsedSize(), lengths[0])
			}})
	}
	return append(cases,
		aCase{"textures", "A heap of just the sizes that its textures were said to take holds them all.", func(r *rig) {
			var ds []mtl.TextureDescriptor
			var total uint
			for i, f := range []mtl.PixelFormat{mtl.PixelFormatR8Unorm, mtl.PixelFormatRGBA8Unorm, mtl.PixelFormatRGBA32Float} {
				d := describe(r, f, 10+uint(i), 7, true)
				sa := must(r.device.HeapTextureSizeAndAlign(d))
				assert.GreaterOrEqual(r, sa.Size, (10+uint(i))*7*f.BytesPerBlock())
				total = up(total, sa.Align) + sa.Size
				ds = append(ds, d)
			}
			h := r.heap(total, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			for _, d := range ds {
				assert.Equal(r, h.ID(), own(r, must(h.NewTexture(d))).Heap().ID())
			}
		}},
		aCase{"placed one behind the other",
			"Resources placed as sizes and alignments say fill a placement heap without touching each other.", func(r *rig) {
				d := describe(r, mtl.PixelFormatR32Uint, 8, 8, false)
				a, t, b := r.need(1000), must(r.device.HeapTextureSizeAndAlign(d)), r.need(64)
				atT := up(a.Size, t.Align)
				atB := up(atT+t.Size, b.Align)
				h := r.heap(atB+b.Size, mtl.HeapTypePlacement, mtl.StorageModePrivate)
				first := own(r, must(h.NewBufferWithOffset(1000, private, 0)))
				tex := own(r, must(h.NewTextureWithOffset(d, atT)))
				last := own(r, must(h.NewBufferWithOffset(64, private, atB)))
				assert.Equal(r, []uint{0, atT, atB}, []uint{first.HeapOffset(), tex.HeapOffset(), last.HeapOffset()})
				out, p := r.buffer(1000+256+64), r.pipeline(textureKernels, "ids")
				c, f := r.commands(), own(r, r.device.NewFence()) // Metal does not order accesses to heaps
				r.encode(c, func(e mtl.ComputeCommandEncoder) {
					do(e.UseHeap(h), e.SetComputePipelineState(p), e.SetTexture(tex, 0),
						e.DispatchThreads(size(8, 8, 1), size(8, 8, 1)), e.UpdateFence(f))
				})
				r.blit(c, func(e mtl.BlitCommandEncoder) {
					do(e.WaitForFence(f), e.FillBuffer(first, mtl.Range{Length: 1000}, 1),
						e.FillBuffer(last, mtl.Range{Length: 64}, 2), e.UpdateFence(f))
				})
				r.blit(c, func(e mtl.BlitCommandEncoder) {
					do(e.WaitForFence(f), e.CopyFromBuffer(first, 0, out, 0, 1000))
					do(e.CopyFromTextureToBuffer(tex, 0, 0, mtl.Origin{}, size(8, 8, 1), out,
						1000, 32, 256), e.CopyFromBuffer(last, 0, out, 1256, 64))
				})
				r.finish(c)
				got := must(out.Bytes())
				assert.Equal(r, []byte{1, 1}, []byte{got[0], got[999]})
				assert.Equal(r, from(0, 64), got[1000:1256])
				assert.Equal(r, []byte{2, 2}, []byte{got[1256], got[1319]})
			}},
		aCase{"texture used by a kernel", "A texture of a heap is written and read as any other.", func(r *rig) {
			h := r.heap(1<<18, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			t := own(r, must(h.NewTexture(describe(r, mtl.PixelFormatR32Uint, 4, 2, false))))
			out, p := r.buffer(32), r.pipeline(textureKernels, "ids")
			c, f := r.commands(), own(r, r.device.NewFence()) // Metal does not order accesses to heaps
			r.encode(c, func(e mtl.ComputeCommandEncoder) {
				do(e.SetComputePipelineState(p), e.SetTexture(t, 0), e.DispatchThreads(size(4, 2, 1), size(4, 2, 1)),
					e.UpdateFence(f))
			})
			r.blit(c, func(e mtl.BlitCommandEncoder) {
				do(e.WaitForFence(f), e.CopyFromTextureToBuffer(t, 0, 0, mtl.Origin{}, size(4, 2, 1), out, 0, 16, 32))
			})
			r.finish(c)
			assert.Equal(r, []uint32{0, 1, 2, 3, 4, 5, 6, 7}, r.words(out))
		}},
		aCase{"texture of another mode", "A texture of a heap has the heap's storage mode.", func(r *rig) {
			h := r.heap(1<<18, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			d := describe(r, mtl.PixelFormatR32Uint, 4, 2, false)
			d.SetStorageMode(mtl.StorageModeShared)
			_, err := h.NewTexture(d)
			r.refused(err, mtl.ErrStorageMode)
		}},
		aCase{"texture too large", "A texture larger than what is left of a heap is refused.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			_, err := h.NewTexture(describe(r, mtl.PixelFormatRGBA32Float, 256, 256, false))
			r.refused(err, mtl.ErrMemory)
		}},
		aCase{"texture misplaced", "A texture's place that is not aligned is refused, with the alignment.", func(r *rig) {
			d := describe(r, mtl.PixelFormatR32Uint, 4, 2, false)
			sa := must(r.device.HeapTextureSizeAndAlign(d))
			h := r.heap(1<<18, mtl.HeapTypePlacement, mtl.StorageModePrivate)
			_, err := h.NewTextureWithOffset(d, 4)
			r.beyond(err, mtl.ErrAlignment, 4, uint64(sa.Align))
		}},
		aCase{"texture at end", "A texture's place without room is refused.", func(r *rig) {
			d := describe(r, mtl.PixelFormatR32Uint, 64, 64, false)
			sa := must(r.device.HeapTextureSizeAndAlign(d))
			h := r.heap(sa.Size, mtl.HeapTypePlacement, mtl.StorageModePrivate)
			own(r, must(h.NewTextureWithOffset(d, 0)))
			_, err := h.NewTextureWithOffset(d, sa.Align)
			r.refused(err, mtl.ErrLength)
		}},
		aCase{"holes", "A hole between two buffers is as large as the buffer that was there, and is used again.",
			func(r *rig) {
				sa := r.need(1 << 14)
				h := r.heap(3*sa.Size, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
				a := own(r, must(h.NewBuffer(1<<14, private)))
				b := must(h.NewBuffer(1<<14, private))
				c := own(r, must(h.NewBuffer(1<<14, private)))
				full := h.UsedSize()
				b.Release()
				assert.Less(r, h.UsedSize(), full)
				assert.GreaterOrEqual(r, must(h.MaxAvailableSize(256)), uint(1<<14))
				b = own(r, must(h.NewBuffer(1<<14, private)))
				assert.Equal(r, full, h.UsedSize())
				assert.NotEqual(r, a.GPUAddress(), b.GPUAddress())
				assert.NotEqual(r, c.GPUAddress(), b.GPUAddress())
			}},
		aCase{"not of a heap", "A resource of its own memory cannot be made aliasable, and is not.", func(r *rig) {
			b := r.buffer(16)
			r.refused(b.MakeAliasable(), mtl.ErrState)
			assert.False(r, b.IsAliasable())
			assert.True(r, b.Heap().IsNil())
		}},
		aCase{"aliasable texture", "The place of an aliasable texture is given out again, for what fits.", func(r *rig) {
			d := describe(r, mtl.PixelFormatRGBA8Unorm, 64, 64, false)
			sa := must(r.device.HeapTextureSizeAndAlign(d))
			h := r.heap(sa.Size, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			t := own(r, must(h.NewTexture(d)))
			do(t.MakeAliasable())
			assert.True(r, t.IsAliasable())
			own(r, must(h.NewTexture(d)))
		}},
		aCase{"nothing taken of the device", "What is made in a heap takes nothing more of the device.", func(r *rig) {
			h := r.heap(1<<20, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			before := r.device.CurrentAllocatedSize()
			for range 8 {
				own(r, must(h.NewBuffer(1<<14, private)))
			}
			own(r, must(h.NewTexture(describe(r, mtl.PixelFormatR8Unorm, 64, 64, false))))
			assert.Equal(r, before, r.device.CurrentAllocatedSize())
			assert.GreaterOrEqual(r, h.CurrentAllocatedSize(), h.Size())
		}},
		aCase{"view takes nothing", "A view of a texture takes no memory of the device.", func(r *rig) {
			t := r.texture(mtl.PixelFormatRGBA8Unorm, 256, 256)
			before := r.device.CurrentAllocatedSize()
			own(r, must(t.NewView(mtl.PixelFormatRGBA8Unorm)))
			assert.Equal(r, before, r.device.CurrentAllocatedSize())
		}},
		aCase{"texture takes memory", "A texture takes at least its texels of the device, and gives them back.",
			func(r *rig) {
				before := r.device.CurrentAllocatedSize()
				d := describe(r, mtl.PixelFormatRGBA8Unorm, 1024, 1024, false)
				t := must(r.device.NewTexture(d))
				with := r.device.CurrentAllocatedSize()
				assert.GreaterOrEqual(r, with, before+4<<20)
				assert.GreaterOrEqual(r, t.AllocatedSize(), uint(4<<20))
				t.Release()
				assert.Less(r, r.device.CurrentAllocatedSize(), with)
			}},
		aCase{"heap takes memory", "A heap takes its size of the device as a whole.", func(r *rig) {
			before := r.device.CurrentAllocatedSize()
			h := r.heap(8<<20, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
			assert.GreaterOrEqual(r, r.device.CurrentAllocatedSize(), before+h.Size())
		}},
		aCase{"more than there is", "A buffer, texture or heap beyond what the device may have is refused, and leaves nothing behind.", func(r *rig) {
			before := r.device.CurrentAllocatedSize()
			n := r.device.MaxBufferLength()
			_, err := r.device.NewBuffer(n+1, shared)
			r.beyond(err, mtl.ErrMemory, uint64(n)+1, uint64(n))
			assert.Equal(r, before, r.device.CurrentAllocatedSize())
		}},
	)
}

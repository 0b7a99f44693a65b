package conformance

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// texels returns the bytes of a plane of texels of one byte.
func texels(t mtl.Texture, w, h, level uint) []byte {
	out := make([]byte, w*h)
	do(t.GetBytes(out, w, area(0, 0, w, h), level))
	return out
}

func metal4CopyCases() []aCase {
	return []aCase{
		{"buffers", "A compute encoder copies between buffers.", func(r *rig) {
			m, x, y := r.metal4(), r.uints(1, 2, 3, 4), r.buffer(16)
			m.reside(x.Resource, y.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) { do(e.CopyFromBuffer(x, 4, y, 8, 8)) })
			assert.Equal(r, []uint32{0, 0, 2, 3}, r.words(y))
		}},
		{"fill", "A compute encoder fills a range of a buffer.", func(r *rig) {
			m, x := r.metal4(), r.uints(1, 2, 3)
			m.reside(x.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) { do(e.FillBuffer(x, mtl.Range{Location: 4, Length: 4}, 0xab)) })
			assert.Equal(r, []uint32{1, 0xabababab, 3}, r.words(x))
		}},
		{"private", "Copies reach private memory through a barrier.", func(r *rig) {
			m, p, x, y, z := r.metal4(), r.kernel("twice"), r.uints(1, 2, 3, 4), r.private(16), r.buffer(16)
			t := m.table(y)
			m.reside(x.Resource, z.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				do(e.CopyFromBuffer(x, 0, y, 0, 16))
				barrier4(e)
				set4(e, p, t)
				do(e.DispatchThreads(line(4), line(4)))
				barrier4(e)
				do(e.CopyFromBuffer(y, 0, z, 0, 16))
			})
			assert.Equal(r, []uint32{2, 4, 6, 8}, r.words(z))
		}},
		{"beyond", "A copy past the end of a buffer is refused.", func(r *rig) {
			m, x := r.metal4(), r.buffer(64)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				r.refused(e.CopyFromBuffer(x, 0, x, 32, 64), mtl.ErrLength)
				r.refused(e.CopyFromBuffer(x, 0, x, 4, 8), mtl.ErrOverlap)
				r.refused(e.FillBuffer(x, mtl.Range{}, 0), mtl.ErrLength)
			})
		}},
		{"copy's set", "What a copy names must be in a residency set: the error says which it is.", func(r *rig) {
			m, x, y := r.metal4(), r.uints(7), r.buffer(4)
			m.reside(x.Resource)
			copies := func(e mtl.ComputeCommandEncoder4) { do(e.CopyFromBuffer(x, 0, y, 0, 4)) }
			m.failed(m.try(copies), mtl.CommandQueueError4Internal, "destination", "residency set")
			m.reside(y.Resource)
			m.run(copies)
			assert.Equal(r, []uint32{7}, r.words(y))
		}},
		{"whole textures", "A compute encoder copies all of a texture.", func(r *rig) {
			m, a, b := r.metal4(), r.texture(mtl.PixelFormatR8Uint, 2, 2), r.texture(mtl.PixelFormatR8Uint, 2, 2)
			do(a.ReplaceRegion(area(0, 0, 2, 2), 0, []byte{1, 2, 3, 4}, 2))
			m.reside(a.Resource, b.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) { do(e.CopyFromTexture(a, b)) })
			assert.Equal(r, []byte{1, 2, 3, 4}, texels(b, 2, 2, 0))
		}},
		{"slices", "A compute encoder copies slices of a texture.", func(r *rig) {
			m := r.metal4()
			d := own(r, must(mtl.NewTextureDescriptor()))
			d.SetTextureType(mtl.TextureType2DArray)
			d.SetPixelFormat(mtl.PixelFormatR8Uint)
			d.SetWidth(2)
			d.SetHeight(1)
			d.SetArrayLength(3)
			d.SetStorageMode(mtl.StorageModeShared)
			a, b := own(r, must(r.device.NewTexture(d))), own(r, must(r.device.NewTexture(d)))
			do(a.ReplaceRegionSlice(area(0, 0, 2, 1), 0, 1, []byte{5, 6}, 2, 2))
			m.reside(a.Resource, b.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) { do(e.CopyFromTextureSlices(a, 1, 0, b, 2, 0, 1, 1)) })
			out := make([]byte, 2)
			do(b.GetBytesSlice(out, 2, 2, area(0, 0, 2, 1), 0, 2))
			assert.Equal(r, []byte{5, 6}, out)
		}},
		{"region", "A compute encoder copies a region between textures.", func(r *rig) {
			m, a, b := r.metal4(), r.texture(mtl.PixelFormatR8Uint, 2, 2), r.texture(mtl.PixelFormatR8Uint, 3, 2)
			do(a.ReplaceRegion(area(0, 0, 2, 2), 0, []byte{1, 2, 3, 4}, 2))
			m.reside(a.Resource, b.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				do(e.CopyFromTextureToTexture(a, 0, 0, mtl.Origin{X: 1}, size(1, 2, 1), b, 0, 0, mtl.Origin{X: 2}))
			})
			assert.Equal(r, []byte{0, 0, 2, 0, 0, 4}, texels(b, 3, 2, 0))
		}},
		{"from a buffer", "A compute encoder copies rows of a buffer into a texture.", func(r *rig) {
			m, x, b := r.metal4(), r.uints(0x04030201, 0x08070605), r.texture(mtl.PixelFormatR8Uint, 2, 2)
			m.reside(x.Resource, b.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				do(e.CopyFromBufferToTexture(x, 1, 4, 8, size(2, 2, 1), b, 0, 0, mtl.Origin{}))
			})
			assert.Equal(r, []byte{2, 3, 6, 7}, texels(b, 2, 2, 0))
			m.run(func(e mtl.ComputeCommandEncoder4) {
				do(e.CopyFromBufferToTextureOptions(x, 0, 4, 8, size(1, 1, 1), b, 0, 0, mtl.Origin{X: 1, Y: 1}, mtl.BlitOptionNone))
			})
			assert.Equal(r, []byte{2, 3, 6, 1}, texels(b, 2, 2, 0))
		}},
		{"to a buffer", "A compute encoder copies texels into rows of a buffer.", func(r *rig) {
			m, x, a := r.metal4(), r.buffer(8), r.texture(mtl.PixelFormatR8Uint, 2, 2)
			do(a.ReplaceRegion(area(0, 0, 2, 2), 0, []byte{1, 2, 3, 4}, 2))
			m.reside(x.Resource, a.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				do(e.CopyFromTextureToBuffer(a, 0, 0, mtl.Origin{}, size(2, 2, 1), x, 0, 4, 8))
			})
			assert.Equal(r, []uint32{0x0201, 0x0403}, r.words(x))
			m.run(func(e mtl.ComputeCommandEncoder4) {
				do(e.CopyFromTextureToBufferOptions(a, 0, 0, mtl.Origin{Y: 1}, size(1, 1, 1), x, 2, 4, 4, mtl.BlitOptionNone))
			})
			assert.Equal(r, []uint32{0x030201, 0x0403}, r.words(x))
		}},
		{"mipmaps", "A compute encoder computes the levels of a texture from its first.", func(r *rig) {
			m := r.metal4()
			d := must(mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR32Float, 2, 2, true))
			d.SetStorageMode(mtl.StorageModeShared)
			t := own(r, must(r.device.NewTexture(d)))
			var in []byte
			for _, f := range []float32{1, 2, 3, 6} {
				in = append(in, float(f)...)
			}
			do(t.ReplaceRegion(area(0, 0, 2, 2), 0, in, 8))
			m.reside(t.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) { do(e.GenerateMipmapsForTexture(t)) })
			out := make([]byte, 4)
			do(t.GetBytes(out, 4, area(0, 0, 1, 1), 1))
			assert.Equal(r, float32(3), math.Float32frombits(binary.LittleEndian.Uint32(out)))
		}},
		{"optimize", "A texture has the same texels whoever it is arranged for.", func(r *rig) {
			m, t := r.metal4(), r.texture(mtl.PixelFormatR8Uint, 2, 2)
			do(t.ReplaceRegion(area(0, 0, 2, 2), 0, []byte{1, 2, 3, 4}, 2))
			m.reside(t.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				do(e.OptimizeContentsForGPUAccess(t), e.OptimizeContentsForGPUAccessSlice(t, 0, 0))
				barrier4(e)
				do(e.OptimizeContentsForCPUAccess(t), e.OptimizeContentsForCPUAccessSlice(t, 0, 0))
			})
			assert.Equal(r, []byte{1, 2, 3, 4}, texels(t, 2, 2, 0))
		}},
		{"texture beyond", "A region past the edge of a texture is refused.", func(r *rig) {
			m, a, b := r.metal4(), r.texture(mtl.PixelFormatR8Uint, 2, 2), r.texture(mtl.PixelFormatR8Uint, 2, 2)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				r.refused(e.CopyFromTextureToTexture(a, 0, 0, mtl.Origin{X: 1}, size(2, 1, 1), b, 0, 0, mtl.Origin{}),
					mtl.ErrRegion)
				r.refused(e.CopyFromTexture(a, mtl.Texture{}), mtl.ErrNil)
			})
		}},
		{"commands", "A compute encoder copies, optimizes and resets indirect commands.", func(r *rig) {
			m, a, b, x, p := r.metal4(), r.indirectCommands(2, nil), r.indirectCommands(2, nil), r.buffer(32),
				r.indirectKernel("number")
			dispatch(a, 0, p, x, 0, 4)
			dispatch(a, 1, p, x, 16, 4)
			m.reside(a.Resource, b.Resource, x.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				do(e.CopyIndirectCommandBuffer(a, mtl.Range{Length: 2}, b, 0))
				barrier4(e)
				do(e.ResetCommandsInBuffer(b, mtl.Range{Length: 1}))
				barrier4(e)
				do(e.OptimizeIndirectCommandBuffer(b, mtl.Range{Length: 2}))
				barrier4(e)
				do(e.ExecuteCommandsInBufferWithRange(b, mtl.Range{Length: 2}))
			})
			assert.Equal(r, append(make([]uint32, 4), count(4)...), r.words(x))
		}},
		{"counter heap", "A counter heap has the type and the number of entries of its descriptor, and keeps its label.",
			func(r *rig) {
				m := r.metal4()
				h := m.counters(5)
				assert.Equal(r, uint(5), h.Count())
				assert.Equal(r, mtl.CounterHeapType4Timestamp, h.Type())
				h.SetLabel("times")
				assert.Equal(r, "times", h.Label())
				assert.Equal(r, uint(8), must(r.device.SizeOfCounterHeapEntry(mtl.CounterHeapType4Timestamp)))
			}},
		{"no entries", "A counter heap without entries or of no type is refused.", func(r *rig) {
			r.metal4()
			d := own(r, must(mtl.NewCounterHeapDescriptor4()))
			d.SetType(mtl.CounterHeapType4Timestamp)
			_, err := r.device.NewCounterHeap4WithDescriptor(d)
			r.beyond(err, mtl.ErrLength, 0, 1)
			d.SetCount(1)
			d.SetType(mtl.CounterHeapType4Invalid)
			_, err = r.device.NewCounterHeap4WithDescriptor(d)
			assert.Error(r, err)
		}},
		{"timestamps", "Timestamps that encoders and command buffers write rise, and lie between those that the device tells around them.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(4096)
			h, t := m.counters(5), m.table(x)
			_, before := r.device.SampleTimestamps()
			m.record(m.buffer4, func() {
				do(m.buffer4.WriteTimestampIntoHeap(h, 0))
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
					set4(e, p, t)
					do(e.WriteTimestampWithGranularity(mtl.TimestampGranularity4Precise, h, 1),
						e.DispatchThreads(line(1024), line(64)))
					barrier4(e)
					do(e.WriteTimestampWithGranularity(mtl.TimestampGranularity4Precise, h, 2))
				})
				do(m.buffer4.WriteTimestampIntoHeap(h, 3))
			})
			do(m.commit(m.buffer4).err)
			_, after := r.device.SampleTimestamps()
			ts := stamps(must(h.ResolveCounterRange(mtl.Range{Length: 5})))
			r.holds(assert.Len(r, ts, 5))
			assert.Zero(r, ts[4], "never written")
			last := before
			for i, v := range append(ts[:4:4], after) {
				assert.GreaterOrEqual(r, v, last, "timestamp %d", i)
				last = v
			}
			assert.NotZero(r, must(r.device.QueryTimestampFrequency()))
		}},
		{"resolve", "The GPU resolves timestamps into a buffer, as the CPU does.", func(r *rig) {
			m, x, f := r.metal4(), r.buffer(32), own(r, r.device.NewFence())
			h := m.counters(3)
			m.reside(x.Resource)
			m.record(m.buffer4, func() {
				for i := range uint(3) {
					do(m.buffer4.WriteTimestampIntoHeap(h, i))
				}
				do(m.buffer4.ResolveCounterHeap(h, mtl.Range{Location: 1, Length: 2},
					mtl.BufferRange4{BufferAddress: x.GPUAddress() + 8, Length: 16}, mtl.Fence{}, f))
			})
			do(m.commit(m.buffer4).err)
			ts, v := stamps(must(h.ResolveCounterRange(mtl.Range{Length: 3}))), must(mtl.Slice[uint64](x))
			assert.Equal(r, []uint64{0, ts[1], ts[2], 0}, append([]uint64(nil), v...))
			assert.NotZero(r, ts[1])
		}},
		{"invalidate", "Entries that are invalidated are zero.", func(r *rig) {
			m := r.metal4()
			h := m.counters(3)
			m.record(m.buffer4, func() {
				for i := range uint(3) {
					do(m.buffer4.WriteTimestampIntoHeap(h, i))
				}
			})
			do(m.commit(m.buffer4).err, h.InvalidateCounterRange(mtl.Range{Location: 1, Length: 1}))
			ts := stamps(must(h.ResolveCounterRange(mtl.Range{Length: 3})))
			assert.NotZero(r, ts[0])
			assert.Zero(r, ts[1])
			assert.NotZero(r, ts[2])
		}},
		{"entries beyond", "Entries that a heap does not have are refused.", func(r *rig) {
			m, x := r.metal4(), r.buffer(64)
			h := m.counters(2)
			_, err := h.ResolveCounterRange(mtl.Range{Location: 1, Length: 2})
			r.refused(err, mtl.ErrLength)
			r.refused(h.InvalidateCounterRange(mtl.Range{Location: 3}), mtl.ErrIndex)
			m.record(m.buffer4, func() {
				r.refused(m.buffer4.WriteTimestampIntoHeap(h, 2), mtl.ErrIndex)
				r.refused(m.buffer4.ResolveCounterHeap(h, mtl.Range{Length: 2},
					mtl.BufferRange4{BufferAddress: x.GPUAddress(), Length: 15}, mtl.Fence{}, mtl.Fence{}), mtl.ErrLength)
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
					r.refused(e.WriteTimestampWithGranularity(mtl.TimestampGranularity4Relaxed, h, 2), mtl.ErrIndex)
				})
			})
			do(m.commit(m.buffer4).err)
		}},
	}
}

// counters returns a heap for n timestamps.
func (m *rig4) counters(n uint) mtl.CounterHeap4 {
	m.Helper()
	d := own(m.rig, must(mtl.NewCounterHeapDescriptor4()))
	d.SetType(mtl.CounterHeapType4Timestamp)
	d.SetCount(n)
	return own(m.rig, must(m.device.NewCounterHeap4WithDescriptor(d)))
}

// stamps returns the timestamps in resolved entries.
func stamps(b []byte) []uint64 {
	var out []uint64
	for ; len(b) >= 8; b = b[8:] {
		out = append(out, binary.LittleEndian.Uint64(b))
	}
	return out
}

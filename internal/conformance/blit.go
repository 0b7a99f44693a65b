package conformance

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

func blitCases() []aCase {
	cases := []aCase{
		{"copy", "A blit copies bytes between buffers.", func(r *rig) {
			a, b := r.uints(1, 2, 3, 4), r.buffer(16)
			r.copies(func(e mtl.BlitCommandEncoder) { do(e.CopyFromBuffer(a, 0, b, 0, 16)) })
			assert.Equal(r, []uint32{1, 2, 3, 4}, r.words(b))
		}},
		{"copy part", "A copy takes the part of the source and leaves the rest of the destination.", func(r *rig) {
			a, b := r.uints(1, 2, 3, 4), r.uints(9, 9, 9, 9)
			r.copies(func(e mtl.BlitCommandEncoder) { do(e.CopyFromBuffer(a, 4, b, 8, 4)) })
			assert.Equal(r, []uint32{9, 9, 2, 9}, r.words(b))
		}},
		{"through private", "A private buffer is filled and read by copies.", func(r *rig) {
			a, p, b := r.uints(5, 6, 7), r.private(12), r.buffer(12)
			r.copies(func(e mtl.BlitCommandEncoder) { do(e.CopyFromBuffer(a, 0, p, 0, 12), e.CopyFromBuffer(p, 0, b, 0, 12)) })
			assert.Equal(r, []uint32{5, 6, 7}, r.words(b))
		}},
		{"within a buffer", "A buffer can be copied to another place of itself.", func(r *rig) {
			a := r.uints(1, 2, 0, 0)
			r.copies(func(e mtl.BlitCommandEncoder) { do(e.CopyFromBuffer(a, 0, a, 8, 8)) })
			assert.Equal(r, []uint32{1, 2, 1, 2}, r.words(a))
		}},
		{"overlap", "Source and destination of a copy may not overlap.", func(r *rig) {
			a := r.uints(1, 2, 3, 4)
			r.copies(func(e mtl.BlitCommandEncoder) { r.refused(e.CopyFromBuffer(a, 0, a, 4, 8), mtl.ErrOverlap) })
		}},
		{"source too short", "A copy beyond the end of the source is refused, with the bytes there are.", func(r *rig) {
			a, b := r.buffer(16), r.buffer(64)
			r.copies(func(e mtl.BlitCommandEncoder) { r.beyond(e.CopyFromBuffer(a, 8, b, 0, 12), mtl.ErrLength, 12, 8) })
		}},
		{"destination too short", "A copy beyond the end of the destination is refused, with the bytes there are.",
			func(r *rig) {
				a, b := r.buffer(64), r.buffer(16)
				r.copies(func(e mtl.BlitCommandEncoder) { r.beyond(e.CopyFromBuffer(a, 0, b, 12, 8), mtl.ErrLength, 8, 4) })
			}},
		{"source nil", "A copy needs a source and a destination.", func(r *rig) {
			a := r.buffer(16)
			r.copies(func(e mtl.BlitCommandEncoder) {
				r.refused(e.CopyFromBuffer(mtl.Buffer{}, 0, a, 0, 4), mtl.ErrNil)
				r.refused(e.CopyFromBuffer(a, 0, mtl.Buffer{}, 0, 4), mtl.ErrNil)
			})
		}},
		{"fill beyond", "A fill beyond the end is refused.", func(r *rig) {
			a := r.buffer(16)
			r.copies(func(e mtl.BlitCommandEncoder) {
				r.beyond(e.FillBuffer(a, mtl.Range{Location: 8, Length: 12}, 1), mtl.ErrLength, 12, 8)
			})
		}},
		{"fill nothing", "A fill of no bytes is refused.", func(r *rig) {
			a := r.buffer(16)
			r.copies(func(e mtl.BlitCommandEncoder) { assert.Error(r, e.FillBuffer(a, mtl.Range{}, 1)) })
		}},
		{"in order", "Commands of a blit encoder run in order.", func(r *rig) {
			a, b := r.uints(0), r.buffer(4)
			r.copies(func(e mtl.BlitCommandEncoder) {
				do(e.FillBuffer(a, mtl.Range{Length: 4}, 1), e.CopyFromBuffer(a, 0, b, 0, 4),
					e.FillBuffer(a, mtl.Range{Length: 4}, 2))
			})
			assert.Equal(r, []uint32{0x01010101}, r.words(b))
			assert.Equal(r, []uint32{0x02020202}, r.words(a))
		}},
		{"after a kernel", "A copy sees what an encoder before it wrote.", func(r *rig) {
			p, a, b := r.kernel("number"), r.private(64), r.buffer(64)
			cmd := r.commands()
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) { set(e, p, a); do(e.DispatchThreads(line(16), line(16))) })
			r.blit(cmd, func(e mtl.BlitCommandEncoder) { do(e.CopyFromBuffer(a, 0, b, 0, 64)) })
			r.finish(cmd)
			assert.Equal(r, count(16), r.words(b))
		}},
		{"before a kernel", "A kernel sees what a copy before it wrote.", func(r *rig) {
			p, a := r.kernel("twice"), r.uints(0, 0)
			src := r.uints(21, 4)
			cmd := r.commands()
			r.blit(cmd, func(e mtl.BlitCommandEncoder) { do(e.CopyFromBuffer(src, 0, a, 0, 8)) })
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) { set(e, p, a); do(e.DispatchThreads(line(2), line(2))) })
			r.finish(cmd)
			assert.Equal(r, []uint32{42, 8}, r.words(a))
		}},
		{"fence", "Blit encoders wait for and update fences.", func(r *rig) {
			f, a, b := own(r, r.device.NewFence()), r.uints(3), r.buffer(4)
			p := r.kernel("twice")
			cmd := r.commands()
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) {
				set(e, p, a)
				do(e.DispatchThreads(line(1), line(1)), e.UpdateFence(f))
			})
			r.blit(cmd, func(e mtl.BlitCommandEncoder) {
				do(e.WaitForFence(f), e.CopyFromBuffer(a, 0, b, 0, 4), e.UpdateFence(f))
			})
			r.finish(cmd)
			assert.Equal(r, []uint32{6}, r.words(b))
		}},
		{"no fence", "A fence that is nil is refused.", func(r *rig) {
			r.copies(func(e mtl.BlitCommandEncoder) {
				r.refused(e.WaitForFence(mtl.Fence{}), mtl.ErrNil)
				r.refused(e.UpdateFence(mtl.Fence{}), mtl.ErrNil)
			})
		}},
		{"ended", "An encoder that has ended takes no commands.", func(r *rig) {
			a := r.buffer(16)
			cmd := r.commands()
			e := must(cmd.BlitCommandEncoder())
			do(e.EndEncoding())
			r.refused(e.FillBuffer(a, mtl.Range{Length: 4}, 0), mtl.ErrClosed)
			r.refused(e.EndEncoding(), mtl.ErrClosed)
			r.finish(cmd)
		}},
		{"label", "A blit encoder keeps its label.", func(r *rig) {
			r.copies(func(e mtl.BlitCommandEncoder) {
				e.SetLabel("copies")
				assert.Equal(r, "copies", e.Label())
			})
		}},
	}
	for _, k := range []struct {
		at, n uint
		value uint8
	}{{0, 64, 255}, {0, 1, 1}, {63, 1, 7}, {3, 17, 0x5a}, {16, 32, 0}} {
		cases = append(cases, aCase{fmt.Sprintf("fill %d bytes from %d with %d", k.n, k.at, k.value),
			"A fill sets the bytes of its range and no others.", func(r *rig) {
				b := r.buffer(64)
				m := must(b.Bytes())
				for i := range m {
					m[i] = 0xee
				}
				r.copies(func(e mtl.BlitCommandEncoder) { do(e.FillBuffer(b, mtl.Range{Location: k.at, Length: k.n}, k.value)) })
				for i, v := range m {
					want := uint8(0xee)
					if uint(i) >= k.at && uint(i) < k.at+k.n {
						want = k.value
					}
					assert.Equal(r, want, v, "byte %d", i)
				}
			}})
	}
	return cases
}

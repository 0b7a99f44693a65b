package conformance

import (
	"errors"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// misuseCases are calls that Metal's validation layer reports: each comes back as an error with the
// value and the limit.
func misuseCases() []aCase {
	var cases []aCase
	type encoder = mtl.ComputeCommandEncoder
	// limited are calls whose value breaks a limit.
	for _, k := range []struct {
		name         string
		call         func(*rig, encoder, mtl.Buffer) error
		kind         error
		value, limit uint64
	}{
		{"buffer index", func(_ *rig, e encoder, x mtl.Buffer) error { return e.SetBuffer(x, 0, 31) }, mtl.ErrIndex, 31, 30},
		{"buffer offset", func(_ *rig, e encoder, x mtl.Buffer) error { return e.SetBuffer(x, 65, 0) }, mtl.ErrOffset, 65,
			64},
		{"moved buffer index", func(_ *rig, e encoder, x mtl.Buffer) error { return e.SetBufferOffset(0, 31) }, mtl.ErrIndex,
			31, 30},
		{"moved buffer offset", func(_ *rig, e encoder, x mtl.Buffer) error {
			return errors.Join(e.SetBuffer(x, 0, 0), e.SetBufferOffset(65, 0))
		}, mtl.ErrOffset, 65, 64},
		{"bytes index", func(_ *rig, e encoder, _ mtl.Buffer) error { return e.SetBytes(word(1), 31) }, mtl.ErrIndex, 31, 30},
		{"no bytes", func(_ *rig, e encoder, _ mtl.Buffer) error { return e.SetBytes(nil, 0) }, mtl.ErrLength, 0, 1},
		{"too many bytes", func(_ *rig, e encoder, _ mtl.Buffer) error { return e.SetBytes(make([]byte, 4097), 0) },
			mtl.ErrLength, 4097, 4096},
		{"buffers past the table", func(_ *rig, e encoder, x mtl.Buffer) error {
			return e.SetBuffers([]mtl.Buffer{x, x}, []uint{0, 0}, 30)
		}, mtl.ErrIndex, 31, 30},
		{"offsets missing", func(_ *rig, e encoder, x mtl.Buffer) error {
			return e.SetBuffers([]mtl.Buffer{x, x}, []uint{0}, 0)
		}, mtl.ErrLength, 1, 2},
		{"texture index", func(_ *rig, e encoder, _ mtl.Buffer) error { return e.SetTexture(mtl.Texture{}, 128) },
			mtl.ErrIndex, 128, 127},
		{"sampler index", func(_ *rig, e encoder, _ mtl.Buffer) error { return e.SetSamplerState(mtl.SamplerState{}, 16) },
			mtl.ErrIndex, 16, 15},
		{"threadgroup memory index",
			func(_ *rig, e encoder, _ mtl.Buffer) error { return e.SetThreadgroupMemoryLength(16, 31) }, mtl.ErrIndex, 31, 30},
		{"threadgroup memory unit", func(_ *rig, e encoder, _ mtl.Buffer) error {
			return e.SetThreadgroupMemoryLength(20, 0)
		}, mtl.ErrAlignment, 20, 16},
		{"no threadgroups", func(_ *rig, e encoder, _ mtl.Buffer) error { return e.DispatchThreadgroups(line(0), line(1)) },
			mtl.ErrGridSize, 0, 1},
		{"no threads", func(_ *rig, e encoder, _ mtl.Buffer) error { return e.DispatchThreads(line(0), line(1)) },
			mtl.ErrGridSize, 0, 1},
		{"no height", func(_ *rig, e encoder, _ mtl.Buffer) error { return e.DispatchThreads(size(1, 0, 1), line(1)) },
			mtl.ErrGridSize, 0, 1},
		{"empty threadgroup", func(_ *rig, e encoder, _ mtl.Buffer) error { return e.DispatchThreads(line(1), line(0)) },
			mtl.ErrThreadgroupSize, 0, 1},
		{"flat threadgroup", func(_ *rig, e encoder, _ mtl.Buffer) error { return e.DispatchThreads(line(1), size(1, 1, 0)) },
			mtl.ErrThreadgroupSize, 0, 1},
		{"indirect beyond", func(_ *rig, e encoder, x mtl.Buffer) error {
			return e.DispatchThreadgroupsWithIndirectBuffer(x, 56, line(1))
		}, mtl.ErrLength, 12, 8},
		{"indirect misaligned", func(_ *rig, e encoder, x mtl.Buffer) error {
			return e.DispatchThreadgroupsWithIndirectBuffer(x, 2, line(1))
		}, mtl.ErrAlignment, 2, 4},
	} {
		cases = append(cases, aCase{k.name, "A call beyond a limit is refused, and the error has the value and the limit.",
			func(r *rig) {
				p, x := r.kernel("number"), r.buffer(64)
				r.compute(func(e mtl.ComputeCommandEncoder) {
					do(e.SetComputePipelineState(p), e.SetBuffer(x, 0, 0))
					r.beyond(k.call(r, e, x), k.kind, k.value, k.limit)
					do(e.SetBuffer(x, 0, 0), e.DispatchThreads(line(4), line(4)))
				})
				assert.Equal(r, count(4), r.words(x)[:4], "the encoder works on")
			}})
	}
	// refusals are calls that are not allowed in the current state.
	for _, k := range []struct {
		name, asserts string
		call          func(*rig, encoder) error
		kind          error
	}{
		{"no pipeline", "A dispatch needs a pipeline.",
			func(_ *rig, e encoder) error { return e.DispatchThreads(line(1), line(1)) }, mtl.ErrNoPipeline},
		{"nil pipeline", "A pipeline that is nil is refused.",
			func(_ *rig, e encoder) error { return e.SetComputePipelineState(mtl.ComputePipelineState{}) }, mtl.ErrNil},
		{"offset of nothing", "The offset of an empty slot cannot be moved.",
			func(_ *rig, e encoder) error { return e.SetBufferOffset(0, 5) }, mtl.ErrState},
		{"nil fence", "A fence that is nil is not waited for.",
			func(_ *rig, e encoder) error { return e.WaitForFence(mtl.Fence{}) }, mtl.ErrNil},
		{"nil fence updated", "A fence that is nil is not updated.",
			func(_ *rig, e encoder) error { return e.UpdateFence(mtl.Fence{}) }, mtl.ErrNil},
		{"nil resource", "A resource that is nil cannot be declared.",
			func(_ *rig, e encoder) error { return e.UseResource(mtl.Resource{}, mtl.ResourceUsageRead) }, mtl.ErrNil},
		{"nil heap", "A heap that is nil cannot be declared.", func(_ *rig, e encoder) error { return e.UseHeap(mtl.Heap{}) },
			mtl.ErrNil},
		{"no usage", "A use that is none is refused.",
			func(r *rig, e encoder) error { return e.UseResource(r.buffer(4).Resource, 0) }, mtl.ErrArgument},
		{"no scope", "A barrier of no scope is refused.",
			func(_ *rig, e encoder) error { return e.MemoryBarrierWithScope(0) }, mtl.ErrArgument},
		{"nil barrier", "A barrier of a resource that is nil is refused.",
			func(_ *rig, e encoder) error { return e.MemoryBarrierWithResources([]mtl.Resource{{}}) }, mtl.ErrNil},
		{"nil indirect buffer", "An indirect dispatch needs a buffer.", func(r *rig, e encoder) error {
			do(e.SetComputePipelineState(r.kernel("number")))
			return e.DispatchThreadgroupsWithIndirectBuffer(mtl.Buffer{}, 0, line(1))
		}, mtl.ErrNil},
		{"nil commands", "Indirect commands that are nil are not executed.", func(_ *rig, e encoder) error {
			return e.ExecuteCommandsInBuffer(mtl.IndirectCommandBuffer{}, mtl.Range{Length: 1})
		}, mtl.ErrNil},
	} {
		cases = append(cases, aCase{k.name, k.asserts, func(r *rig) {
			r.compute(func(e mtl.ComputeCommandEncoder) { r.refused(k.call(r, e), k.kind) })
		}})
	}
	// nils are what a nil device is asked to make.
	for _, k := range []struct {
		name string
		make func(mtl.Device) error
	}{
		{"buffer", func(d mtl.Device) error { _, err := d.NewBuffer(4, 0); return err }},
		{"buffer of bytes", func(d mtl.Device) error { _, err := d.NewBufferWithBytes(word(1), 0); return err }},
		{"queue", func(d mtl.Device) error { _, err := d.NewCommandQueue(); return err }},
		{"library", func(d mtl.Device) error { _, err := d.NewLibrary(kernels, mtl.CompileOptions{}); return err }},
		{"heap", func(d mtl.Device) error { _, err := d.NewHeap(mtl.HeapDescriptor{}); return err }},
		{"texture", func(d mtl.Device) error { _, err := d.NewTexture(mtl.TextureDescriptor{}); return err }},
		{"sampler", func(d mtl.Device) error { _, err := d.NewSamplerState(mtl.SamplerDescriptor{}); return err }},
		{"pipeline", func(d mtl.Device) error { _, err := d.NewComputePipelineState(mtl.Function{}); return err }},
	} {
		cases = append(cases, aCase{"nil device makes no " + k.name, "A nil device makes nothing and says so.", func(r *rig) {
			r.refused(k.make(mtl.Device{}), mtl.ErrNil)
		}})
	}
	return append(cases,
		aCase{"too many threads", "A threadgroup larger than the pipeline allows is refused, with both numbers.",
			func(r *rig) {
				p, x := r.kernel("number"), r.buffer(16)
				r.compute(func(e encoder) {
					set(e, p, x)
					n := p.MaxTotalThreadsPerThreadgroup()
					err := e.DispatchThreadgroups(line(1), size(n, 2, 1))
					r.refused(err, mtl.ErrThreadgroupSize)
					var l *mtl.LimitError
					r.holds(assert.ErrorAs(r, err, &l))
					assert.Equal(r, uint64(2*n), l.Value)
					assert.Equal(r, uint64(n), l.Limit)
				})
			}},
		aCase{"too much threadgroup memory", "More threadgroup memory than the device has is refused, with both numbers.",
			func(r *rig) {
				r.compute(func(e encoder) {
					n := r.device.MaxThreadgroupMemoryLength()
					r.beyond(e.SetThreadgroupMemoryLength(n+16, 0), mtl.ErrThreadgroupMemory, uint64(n+16), uint64(n))
				})
			}},
		aCase{"threadgroup memory in sum", "The threadgroup memory of all slots counts together.", func(r *rig) {
			r.compute(func(e encoder) {
				n := r.device.MaxThreadgroupMemoryLength()
				do(e.SetThreadgroupMemoryLength(n, 0))
				r.beyond(e.SetThreadgroupMemoryLength(16, 1), mtl.ErrThreadgroupMemory, uint64(n+16), uint64(n))
				do(e.SetThreadgroupMemoryLength(16, 0), e.SetThreadgroupMemoryLength(16, 1))
			})
		}},
		aCase{"ended encoder", "An encoder that has ended takes no commands.", func(r *rig) {
			p, x := r.kernel("number"), r.buffer(16)
			cmd := r.commands()
			e := must(cmd.ComputeCommandEncoder())
			set(e, p, x)
			do(e.EndEncoding())
			for _, err := range []error{
				e.SetComputePipelineState(p), e.SetBuffer(x, 0, 0), e.SetBytes(word(1), 0), e.SetThreadgroupMemoryLength(16, 0),
				e.DispatchThreads(line(1), line(1)), e.DispatchThreadgroups(line(1), line(1)), e.EndEncoding(),
				e.PushDebugGroup("x"),
				e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers), e.UseResource(x.Resource, mtl.ResourceUsageRead),
			} {
				r.refused(err, mtl.ErrClosed)
			}
			r.finish(cmd)
			assert.Equal(r, make([]uint32, 4), r.words(x))
		}},
		aCase{"error names the call", "An error names the selector of the call.", func(r *rig) {
			r.compute(func(e encoder) {
				assert.ErrorContains(r, e.SetBuffer(mtl.Buffer{}, 0, 31), "-[MTLComputeCommandEncoder setBuffer:offset:atIndex:]")
			})
		}},
	)
}

package conformance

import (
	"encoding/binary"

	"github.com/puremetal/puremetal/mtl"
)

// attempt is one dispatch: a kernel of dispatchKernels, its inputs, and its size. Each way of
// dispatching runs the same attempts.
type attempt struct {
	kernel   string
	change   func(mtl.ComputePipelineDescriptor)
	buffers  []given // at most two
	texture  mtl.Texture
	sampler  mtl.SamplerState
	memory   uint // bytes of the threadgroup memory at index 0; 0 leaves it unset
	grid     mtl.Size
	group    mtl.Size
	inGroups bool // grid counts threadgroups, not threads
}

// given is a buffer from an offset on, for a slot.
type given struct {
	slot   uint
	buffer mtl.Buffer
	offset uint
}

// way is a way to dispatch. run returns the first error: of a call, or of the command buffer.
type way struct {
	name string
	run  func(r *rig, a attempt) error
}

// The four ways to dispatch a kernel.
var (
	byMetal3   = way{"metal 3", dispatchEncoded}
	byMetal4   = way{"metal 4", dispatchByTable}
	indirectly = way{"indirect", dispatchIndirectly}
	byKernel   = way{"by a kernel", dispatchByKernel}
)

const dispatchKernels = `
struct Big { float4x4 m; };
kernel void big(constant Big& b [[buffer(0)]], device float* out [[buffer(1)]]) { out[0] = b.m[1][1]; }
kernel void wide(device float4* x [[buffer(0)]]) { x[0] += 1; }
kernel void number(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i + 1; }
[[max_total_threads_per_threadgroup(64)]]
kernel void limited(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i + 1; }
kernel void image(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], device float* out [[buffer(0)]]) {
    out[0] = t.sample(s, float2(0.5f)).x;
}
kernel void draw(texture2d<float, access::write> t [[texture(0)]], device uint* out [[buffer(0)]]) {
    t.write(float4(1), uint2(0));
    out[0] = 1;
}
kernel void turned(device uint* out [[buffer(0)]], threadgroup uint* mem [[threadgroup(0)]],
                   uint i [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
    mem[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = mem[n - 1 - i];
}
kernel void both(device uint* out [[buffer(0)]], threadgroup uint* mem [[threadgroup(0)]],
                 uint i [[thread_position_in_threadgroup]]) {
    threadgroup uint own[4096];
    own[i] = i + 1;
    mem[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = own[i ^ 1] + mem[i ^ 1];
}
`

// requiredKernel requires a threadgroup of 8 x 4 threads.
const requiredKernel = `
[[required_threads_per_threadgroup(8, 4, 1)]]
kernel void required(device uint* out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) { out[i] = i + 1; }
`

// pipelineOf returns the attempt's pipeline, which indirect commands may have.
func (a attempt) pipelineOf(r *rig) mtl.ComputePipelineState {
	r.Helper()
	src := dispatchKernels
	if a.kernel == "required" {
		src = requiredKernel
	}
	d := r.described(own(r, must(r.source(src).NewFunction(a.kernel))))
	d.SetSupportIndirectCommandBuffers(true)
	if a.change != nil {
		a.change(d)
	}
	p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
	do(err)
	return own(r, p)
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// settle ends an encoder and runs its command buffer, and returns the first error.
func (r *rig) settle(b mtl.CommandBuffer, encode func(e mtl.ComputeCommandEncoder) error) error {
	var refused error
	r.encode(b, func(e mtl.ComputeCommandEncoder) { refused = encode(e) })
	do(b.Commit())
	return first(refused, b.Wait(r.Context()))
}

// images binds the attempt's texture and sampler, which indirect commands take from the encoder.
func (a attempt) images(e mtl.ComputeCommandEncoder) error {
	var errs []error
	if !a.texture.IsNil() {
		errs = append(errs, e.SetTexture(a.texture, 0))
	}
	if !a.sampler.IsNil() {
		errs = append(errs, e.SetSamplerState(a.sampler, 0))
	}
	return first(errs...)
}

// resources makes the attempt's buffers resident for indirect commands.
func (a attempt) resources(e mtl.ComputeCommandEncoder) error {
	var errs []error
	for _, g := range a.buffers {
		errs = append(errs, e.UseResource(g.buffer.Resource, mtl.ResourceUsageRead|mtl.ResourceUsageWrite))
	}
	return first(errs...)
}

// dispatchEncoded dispatches from a compute encoder of Metal 3.
func dispatchEncoded(r *rig, a attempt) error {
	p := a.pipelineOf(r)
	return r.settle(r.commands(), func(e mtl.ComputeCommandEncoder) error {
		errs := []error{e.SetComputePipelineState(p), a.images(e)}
		for _, g := range a.buffers {
			errs = append(errs, e.SetBuffer(g.buffer, g.offset, g.slot))
		}
		if a.memory > 0 {
			errs = append(errs, e.SetThreadgroupMemoryLength(a.memory, 0))
		}
		if a.inGroups {
			return first(append(errs, e.DispatchThreadgroups(a.grid, a.group))...)
		}
		return first(append(errs, e.DispatchThreads(a.grid, a.group))...)
	})
}

// dispatchByTable dispatches from a compute encoder of Metal 4, with an argument table.
func dispatchByTable(r *rig, a attempt) error {
	m, p := r.metal4(), a.pipelineOf(r)
	t := m.table()
	for _, g := range a.buffers {
		m.reside(g.buffer.Resource)
		do(t.SetAddress(g.buffer.GPUAddress()+uint64(g.offset), g.slot))
	}
	if !a.texture.IsNil() {
		m.reside(a.texture.Resource)
		do(t.SetTexture(a.texture.GPUResourceID(), 0))
	}
	if !a.sampler.IsNil() {
		do(t.SetSamplerState(a.sampler.GPUResourceID(), 0))
	}
	var refused error
	err := m.try(func(e mtl.ComputeCommandEncoder4) {
		set4(e, p, t)
		if a.memory > 0 {
			refused = e.SetThreadgroupMemoryLength(a.memory, 0)
		}
		if a.inGroups {
			refused = first(refused, e.DispatchThreadgroups(a.grid, a.group))
		} else {
			refused = first(refused, e.DispatchThreads(a.grid, a.group))
		}
	})
	return first(refused, err)
}

// dispatchIndirectly dispatches with a command that the CPU encodes.
func dispatchIndirectly(r *rig, a attempt) error {
	b, p := r.indirectCommands(1, nil), a.pipelineOf(r)
	c := must(b.IndirectComputeCommandAtIndex(0))
	errs := []error{c.SetComputePipelineState(p)}
	for _, g := range a.buffers {
		errs = append(errs, c.SetKernelBuffer(g.buffer, g.offset, g.slot))
	}
	if a.memory > 0 {
		errs = append(errs, c.SetThreadgroupMemoryLength(a.memory, 0))
	}
	if a.inGroups {
		errs = append(errs, c.ConcurrentDispatchThreadgroups(a.grid, a.group))
	} else {
		errs = append(errs, c.ConcurrentDispatchThreads(a.grid, a.group))
	}
	if err := first(errs...); err != nil {
		return err
	}
	return r.settle(r.commands(), func(e mtl.ComputeCommandEncoder) error {
		return first(a.images(e), a.resources(e), e.ExecuteCommandsInBuffer(b, mtl.Range{Length: 1}))
	})
}

// encodeKernel encodes one command from a description in memory.
const encodeKernel = `
#include <metal_command_buffer>
struct Commands { command_buffer commands [[id(0)]]; compute_pipeline_state pipeline [[id(1)]]; };
struct Attempt { uint4 slots, offsets; uint buffers, memory, groups, unused; uint4 grid, group; };
kernel void encode(constant Commands& c [[buffer(0)]], constant Attempt& a [[buffer(1)]], device uchar* x [[buffer(2)]],
                   device uchar* y [[buffer(3)]]) {
    compute_command command(c.commands, 0);
    command.set_compute_pipeline_state(c.pipeline);
    if (a.buffers > 0) command.set_kernel_buffer(x + a.offsets.x, a.slots.x);
    if (a.buffers > 1) command.set_kernel_buffer(y + a.offsets.y, a.slots.y);
    if (a.memory > 0) command.set_threadgroup_memory_length(a.memory, 0);
    if (a.groups) command.concurrent_dispatch_threadgroups(a.grid.xyz, a.group.xyz);
    else command.concurrent_dispatch_threads(a.grid.xyz, a.group.xyz);
}
`

// described returns the attempt as encodeKernel reads it.
func (a attempt) described() []byte {
	words := make([]uint32, 20)
	for i, g := range a.buffers {
		words[i], words[4+i] = uint32(g.slot), uint32(g.offset)
	}
	words[8], words[9] = uint32(len(a.buffers)), uint32(a.memory)
	if a.inGroups {
		words[10] = 1
	}
	for i, s := range []mtl.Size{a.grid, a.group} {
		words[12+4*i], words[13+4*i], words[14+4*i] = uint32(s.Width), uint32(s.Height), uint32(s.Depth)
	}
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// dispatchByKernel dispatches with a command that a kernel encodes.
func dispatchByKernel(r *rig, a attempt) error {
	b, p := r.indirectCommands(1, nil), a.pipelineOf(r)
	f := own(r, must(r.source(encodeKernel).NewFunction("encode")))
	encoder := own(r, must(r.device.NewComputePipelineState(f)))
	args := own(r, must(f.NewArgumentEncoder(0)))
	at := r.buffer(args.EncodedLength())
	do(args.SetArgumentBuffer(at, 0), args.SetIndirectCommandBuffer(b, 0), args.SetComputePipelineState(p, 1))
	cmd, unused := r.commands(), r.buffer(16)
	r.encode(cmd, func(e mtl.ComputeCommandEncoder) {
		set(e, encoder, at)
		do(e.SetBytes(a.described(), 1), e.SetBuffer(unused, 0, 2), e.SetBuffer(unused, 0, 3))
		for i, g := range a.buffers {
			do(e.SetBuffer(g.buffer, 0, uint(2+i)))
		}
		do(e.UseResource(b.Resource, mtl.ResourceUsageWrite), e.DispatchThreads(line(1), line(1)))
	})
	return r.settle(cmd, func(e mtl.ComputeCommandEncoder) error {
		return first(a.images(e), a.resources(e), e.ExecuteCommandsInBuffer(b, mtl.Range{Length: 1}))
	})
}

package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// encodingKernels encode commands. What each thread does to its command is chosen by a constant.
const encodingKernels = `
#include <metal_command_buffer>
struct Commands { command_buffer commands [[id(0)]]; compute_pipeline_state pipeline [[id(1)]]; compute_pipeline_state other [[id(2)]]; };

// Each thread encodes the command with its number: n threads of the pipeline at its part of x.
kernel void encode(constant Commands& c [[buffer(0)]], device uint* x [[buffer(1)]], constant uint& n [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    if (i >= c.commands.size()) return;
    compute_command command(c.commands, i);
    command.set_compute_pipeline_state(i % 2 ? c.other : c.pipeline);
    command.set_kernel_buffer(x + i * n, 0);
    command.concurrent_dispatch_threads(uint3(n, 1, 1), uint3(n, 1, 1));
}

enum What : uint { groups, memory, barrier, clear, reset, copy, size, null };

// One thread encodes a command, and then does something to it.
kernel void change(constant Commands& c [[buffer(0)]], device uint* x [[buffer(1)]], constant uint& what [[buffer(2)]], device uint* said [[buffer(3)]]) {
    compute_command command(c.commands, 0);
    command.set_compute_pipeline_state(c.pipeline);
    command.set_kernel_buffer(x, 0);
    command.concurrent_dispatch_threadgroups(uint3(2, 1, 1), uint3(4, 1, 1));
    switch (what) {
    case memory: {
        command.set_threadgroup_memory_length(64, 0);
        break;
    }
    case barrier: case clear: {
        compute_command second(c.commands, 1);
        second.set_compute_pipeline_state(c.other);
        second.set_kernel_buffer(x, 0);
        second.concurrent_dispatch_threads(uint3(8, 1, 1), uint3(8, 1, 1));
        second.set_barrier();
        if (what == clear) {
            command.set_barrier();
            command.clear_barrier();
        }
        break;
    }
    case reset: command.reset(); break;
    case copy: {
        compute_command last(c.commands, c.commands.size() - 1);
        last.copy_command(command);
        command.reset();
        break;
    }
    case size: said[0] = c.commands.size(); break;
    case null: said[0] = is_null_command_buffer(c.commands) ? 1 : 2; break;
    }
}

kernel void turned(device uint* out [[buffer(0)]], threadgroup uint* mem [[threadgroup(0)]], uint i [[thread_position_in_grid]],
                   uint l [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
    mem[l] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = mem[n - 1 - l];
}
`

// What the kernel change can be asked to do, in the order of its enumeration.
const (
	encodeGroups uint32 = iota
	encodeMemory
	encodeBarrier
	encodeClear
	encodeReset
	encodeCopy
	encodeSize
	encodeNull
)

// encoded is an indirect command buffer that kernels encode, and what they reach it by.
type encoded struct {
	r               *rig
	commands        mtl.IndirectCommandBuffer
	encode, change  mtl.Function
	args, x, said   mtl.Buffer
	first, doubling mtl.ComputePipelineState // in the argument buffer
}

// encoded makes an indirect command buffer of n commands and the argument buffer by which kernels
// reach it and two pipelines.
func (r *rig) encoded(n uint, change func(mtl.IndirectCommandBufferDescriptor)) *encoded {
	r.Helper()
	lib := r.source(encodingKernels)
	e := &encoded{r: r, commands: r.indirectCommands(n, change), x: r.buffer(64), said: r.buffer(4)}
	e.encode, e.change = own(r, must(lib.NewFunction("encode"))), own(r, must(lib.NewFunction("change")))
	e.doubling = r.indirectKernel("twice")
	e.point(r.indirectKernel("number"))
	return e
}

// point makes the argument buffer, with a pipeline for the first place.
func (e *encoded) point(first mtl.ComputePipelineState) {
	a := own(e.r, must(e.encode.NewArgumentEncoder(0)))
	e.first, e.args = first, e.r.buffer(a.EncodedLength())
	do(a.SetArgumentBuffer(e.args, 0), a.SetIndirectCommandBuffer(e.commands, 0), a.SetComputePipelineState(first, 1),
		a.SetComputePipelineState(e.doubling, 2))
}

// run encodes commands with threads of a kernel, controlled by k, and executes a range of them in
// the same command buffer.
func (e *encoded) run(f mtl.Function, k uint32, threads uint, rng mtl.Range) {
	e.r.Helper()
	p := own(e.r, must(e.r.device.NewComputePipelineState(f)))
	b := e.r.commands()
	e.r.encode(b, func(c mtl.ComputeCommandEncoder) {
		set(c, p, e.args, e.x)
		do(c.SetBytes(word(k), 2))
		if f == e.change {
			do(c.SetBuffer(e.said, 0, 3))
		}
		do(c.UseResource(e.commands.Resource, mtl.ResourceUsageWrite), c.DispatchThreads(line(threads), line(threads)))
	})
	if rng.Length > 0 {
		e.r.encode(b, func(c mtl.ComputeCommandEncoder) {
			do(c.UseResource(e.x.Resource, mtl.ResourceUsageRead|mtl.ResourceUsageWrite),
				c.ExecuteCommandsInBuffer(e.commands, rng))
		})
	}
	e.r.finish(b)
}

func indirectKernelCases() []aCase {
	all := func(n uint) mtl.Range { return mtl.Range{Length: n} }
	four := append(count(4), make([]uint32, 12)...) // what the first command of kernel encode leaves in x
	return []aCase{
		{"each thread", "Each thread of a kernel encodes a command of its own.", func(r *rig) {
			e := r.encoded(4, nil)
			copy(must(mtl.Slice[uint32](e.x)), []uint32{1, 1, 1, 1, 5, 6, 7, 8, 1, 1, 1, 1, 9, 8, 7, 6})
			e.run(e.encode, 4, 4, all(4))
			assert.Equal(r, []uint32{1, 2, 3, 4, 10, 12, 14, 16, 1, 2, 3, 4, 18, 16, 14, 12}, r.words(e.x))
		}},
		{"size", "A kernel asks how many commands there are.", func(r *rig) {
			e := r.encoded(5, nil)
			e.run(e.change, encodeSize, 1, mtl.Range{})
			assert.Equal(r, []uint32{5}, r.words(e.said))
		}},
		{"null", "A kernel asks whether an argument is an indirect command buffer.", func(r *rig) {
			e := r.encoded(5, nil)
			e.run(e.change, encodeNull, 1, mtl.Range{})
			assert.Equal(r, []uint32{2}, r.words(e.said))
		}},
		{"no more than there are", "Threads beyond the last command encode nothing.", func(r *rig) {
			e := r.encoded(1, nil)
			e.run(e.encode, 4, 32, all(1))
			assert.Equal(r, four, r.words(e.x))
		}},
		{"threadgroups", "A kernel has a command dispatch threadgroups.", func(r *rig) {
			e := r.encoded(1, nil)
			e.run(e.change, encodeGroups, 1, all(1))
			assert.Equal(r, append(count(8), make([]uint32, 8)...), r.words(e.x))
		}},
		{"threadgroup memory", "A kernel gives a command its threadgroup memory.", func(r *rig) {
			e := r.encoded(1, nil)
			d := r.described(own(r, must(r.source(encodingKernels).NewFunction("turned"))))
			d.SetSupportIndirectCommandBuffers(true)
			p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
			do(err)
			e.point(own(r, p))
			e.run(e.change, encodeMemory, 1, all(1))
			assert.Equal(r, append([]uint32{4, 3, 2, 1, 8, 7, 6, 5}, make([]uint32, 8)...), r.words(e.x))
		}},
		{"barrier", "A barrier that a kernel sets has a command see what those before it wrote.", func(r *rig) {
			e := r.encoded(2, nil)
			e.run(e.change, encodeBarrier, 1, all(2))
			assert.Equal(r, append([]uint32{2, 4, 6, 8, 10, 12, 14, 16}, make([]uint32, 8)...), r.words(e.x))
		}},
		{"cleared barrier", "A kernel takes a command's barrier away and leaves that of another.", func(r *rig) {
			e := r.encoded(2, nil)
			e.run(e.change, encodeClear, 1, all(2))
			assert.Equal(r, append([]uint32{2, 4, 6, 8, 10, 12, 14, 16}, make([]uint32, 8)...), r.words(e.x))
		}},
		{"reset", "A command that a kernel resets does nothing.", func(r *rig) {
			e := r.encoded(1, nil)
			e.run(e.change, encodeReset, 1, all(1))
			assert.Equal(r, make([]uint32, 16), r.words(e.x))
		}},
		{"copied", "A kernel makes a command like another.", func(r *rig) {
			e := r.encoded(3, nil)
			e.run(e.change, encodeCopy, 1, mtl.Range{Length: 2})
			assert.Equal(r, make([]uint32, 16), r.words(e.x), "the command that was copied is reset")
			r.execute(e.commands, mtl.Range{Location: 2, Length: 1}, e.x)
			assert.Equal(r, append(count(8), make([]uint32, 8)...), r.words(e.x))
		}},
		{"range", "Of the commands that a kernel encoded, only those of the range run.", func(r *rig) {
			e := r.encoded(4, nil)
			e.run(e.encode, 4, 4, mtl.Range{Location: 2, Length: 1})
			assert.Equal(r, []uint32{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0}, r.words(e.x))
		}},
		{"indirect range", "How many of the commands run can be in a buffer.", func(r *rig) {
			e, at := r.encoded(4, nil), r.uints(0, 1)
			e.run(e.encode, 4, 4, mtl.Range{})
			r.compute(func(c mtl.ComputeCommandEncoder) {
				do(c.UseResource(e.x.Resource, mtl.ResourceUsageWrite), c.ExecuteCommandsInBufferIndirectBuffer(e.commands, at, 0))
			})
			assert.Equal(r, four, r.words(e.x))
		}},
		{"optimized and copied", "Commands that a kernel encoded are optimized, and copied to another buffer.", func(r *rig) {
			e, to := r.encoded(2, nil), r.indirectCommands(2, nil)
			e.run(e.encode, 4, 2, mtl.Range{})
			r.copies(func(c mtl.BlitCommandEncoder) {
				do(c.OptimizeIndirectCommandBuffer(e.commands, all(2)), c.ResetCommandsInBuffer(to, all(2)),
					c.CopyIndirectCommandBuffer(e.commands, all(1), to, 1))
			})
			r.execute(to, all(2), e.x)
			assert.Equal(r, four, r.words(e.x))
		}},
		{"reset by the CPU", "What a kernel encoded is reset by the CPU, and can be encoded again.", func(r *rig) {
			e := r.encoded(1, nil)
			e.run(e.encode, 4, 1, mtl.Range{})
			do(e.commands.ResetWithRange(all(1)))
			r.execute(e.commands, all(1), e.x)
			assert.Equal(r, make([]uint32, 16), r.words(e.x))
			e.run(e.encode, 4, 1, all(1))
			assert.Equal(r, four, r.words(e.x))
		}},
		{"inherited pipeline", "Commands that a kernel encodes take the encoder's pipeline if they inherit it.",
			func(r *rig) {
				e := r.encoded(1, func(d mtl.IndirectCommandBufferDescriptor) { d.SetInheritPipelineState(true) })
				lib := r.source(`
#include <metal_command_buffer>
struct Commands { command_buffer commands [[id(0)]]; };
kernel void inherit(constant Commands& c [[buffer(0)]], device uint* x [[buffer(1)]]) {
    compute_command command(c.commands, 0);
    command.set_kernel_buffer(x, 0);
    command.concurrent_dispatch_threads(uint3(4, 1, 1), uint3(4, 1, 1));
}`)
				f := own(r, must(lib.NewFunction("inherit")))
				a := own(r, must(f.NewArgumentEncoder(0)))
				args := r.buffer(a.EncodedLength())
				do(a.SetArgumentBuffer(args, 0), a.SetIndirectCommandBuffer(e.commands, 0))
				p := own(r, must(r.device.NewComputePipelineState(f)))
				b := r.commands()
				r.encode(b, func(c mtl.ComputeCommandEncoder) {
					set(c, p, args, e.x)
					do(c.UseResource(e.commands.Resource, mtl.ResourceUsageWrite), c.DispatchThreads(line(1), line(1)))
				})
				r.encode(b, func(c mtl.ComputeCommandEncoder) {
					do(c.SetComputePipelineState(e.first), c.UseResource(e.x.Resource, mtl.ResourceUsageWrite),
						c.ExecuteCommandsInBuffer(e.commands, all(1)))
				})
				r.finish(b)
				assert.Equal(r, four, r.words(e.x))
			}},
		{"by the CPU and a kernel", "A command that the CPU encoded is changed by a kernel.", func(r *rig) {
			e := r.encoded(1, nil)
			dispatch(e.commands, 0, e.doubling, e.x, 32, 2)
			e.run(e.encode, 4, 1, all(1))
			assert.Equal(r, four, r.words(e.x))
		}},
	}
}

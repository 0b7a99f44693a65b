package command

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/engines"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
)

// TestEncodingMistakes: what a kernel does wrong changes nothing and is told with the method, the
// command, the value and the limit.
func TestEncodingMistakes(t *testing.T) {
	r := newRig(t, Limits{})
	plain, indirect := r.kernel("twice"), r.kernel("number")
	plain.Indirect = false
	r.gpu.AddPipeline(5, plain)
	r.gpu.AddPipeline(6, indirect)
	defer r.gpu.RemovePipeline(5)
	defer r.gpu.RemovePipeline(6)
	make := func(s Shape, n int) *Indirect {
		icb, err := r.gpu.NewIndirect(s, n)
		require.NoError(t, err)
		t.Cleanup(icb.Close)
		return icb
	}
	own := make(Shape{Threads: true, Buffers: 2, Memory: 1}, 4)
	heir := make(Shape{Threadgroups: true, InheritPipeline: true, InheritBuffers: true}, 1)
	e := &encoding{gpu: r.gpu}
	for _, k := range []struct {
		icb     *Indirect
		index   uint32
		op      ir.CommandOp
		operand uint64
		x, y    [3]uint32
		want    string
	}{
		{own, 4, ir.CommandReset, 0, [3]uint32{}, [3]uint32{},
			"reset: the command's index is 4, the indirect command buffer has 4 commands"},
		{own, math.MaxUint32 - 1, ir.CommandBarrier, 0, [3]uint32{}, [3]uint32{},
			"clear_barrier: the command's index is 4294967294, the indirect command buffer has 4 commands"},
		{own, 3, ir.CommandPipeline, 5, [3]uint32{}, [3]uint32{},
			`set_compute_pipeline_state: command 3: the pipeline state of kernel "twice" does not support indirect command buffers`},
		{own, 3, ir.CommandPipeline, 7, [3]uint32{}, [3]uint32{},
			"set_compute_pipeline_state: command 3: the pipeline state is nil"},
		{own, 0, ir.CommandBuffer, 1 << 40, [3]uint32{2}, [3]uint32{},
			"set_kernel_buffer: command 0: buffer index is 2, the commands have 2 buffers"},
		{own, 0, ir.CommandThreadgroupMemory, 0, [3]uint32{16, 1}, [3]uint32{},
			"set_threadgroup_memory_length: command 0: threadgroup memory index is 1, the commands have 1"},
		{own, 0, ir.CommandThreadgroupMemory, 0, [3]uint32{24, 0}, [3]uint32{},
			"set_threadgroup_memory_length: command 0: length is 24 bytes, want a multiple of 16"},
		{own, 0, ir.CommandThreadgroups, 0, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1},
			"concurrent_dispatch_threadgroups: command 0: the buffer's commands do not dispatch threadgroups"},
		{own, 0, ir.CommandThreads, 0, [3]uint32{1, 1, 1}, [3]uint32{32, 33, 1},
			"concurrent_dispatch_threads: command 0: the threadgroup is 32 x 33 x 1 threads, want 1 to 1024"},
		{own, 0, ir.CommandThreads, 0, [3]uint32{1, 1, 1}, [3]uint32{0, 1, 1},
			"concurrent_dispatch_threads: command 0: the threadgroup is 0 x 1 x 1 threads, want 1 to 1024"},
		{own, 0, ir.CommandCopy, 0, [3]uint32{}, [3]uint32{},
			"copy_command: command 0: the source: the command is of no indirect command buffer"},
		{own, 0, ir.CommandCopy, heir.Handle() | 1, [3]uint32{}, [3]uint32{},
			"copy_command: command 0: the two indirect command buffers have descriptors that differ"},
		{heir, 0, ir.CommandPipeline, 6, [3]uint32{}, [3]uint32{},
			"set_compute_pipeline_state: command 0: the command inherits its pipeline state"},
		{heir, 0, ir.CommandBuffer, 1 << 40, [3]uint32{}, [3]uint32{},
			"set_kernel_buffer: command 0: the command inherits its buffers"},
		{heir, 0, ir.CommandThreads, 0, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1},
			"concurrent_dispatch_threads: command 0: the buffer's commands do not dispatch threads"},
		{heir, 0, ir.CommandThreadgroups, 0, [3]uint32{1 << 31, 1, 1}, [3]uint32{2, 1, 1},
			"concurrent_dispatch_threadgroups: command 0: the grid's width is 2147483648 x 2 threads, want at most 4294967295"},
	} {
		e.Set(e.At(k.icb.Handle(), k.index), k.op, k.operand, k.x, k.y)
		assert.EqualError(t, e.take(), "compute_command::"+k.want)
		for i := range k.icb.commands {
			assert.Equal(t, indirectCommand{}, k.icb.commands[i], k.want)
		}
	}
	e.Set(0, ir.CommandBarrier, 0, [3]uint32{1}, [3]uint32{})
	assert.EqualError(t, e.take(), "compute_command::set_barrier: the command is of no indirect command buffer")
	e.Set(e.At(own.Handle(), 2), ir.CommandStageIn, 0, [3]uint32{1}, [3]uint32{})
	assert.NoError(t, e.take())
}

// TestEncodingMistakesTogether: which of several mistakes is told does not depend on which came
// first.
func TestEncodingMistakesTogether(t *testing.T) {
	r := newRig(t, Limits{})
	icb, err := r.gpu.NewIndirect(Shape{Threads: true, Buffers: 1}, 64)
	require.NoError(t, err)
	defer icb.Close()
	e := &encoding{gpu: r.gpu}
	var all sync.WaitGroup
	for i := range 64 {
		all.Add(1)
		go func() {
			defer all.Done()
			h := e.At(icb.Handle(), uint32(63-i))
			e.Set(h, ir.CommandThreadgroups, 0, [3]uint32{1, 1, 1}, [3]uint32{1, 1, 1})
			e.Set(h, ir.CommandBuffer, 0, [3]uint32{1}, [3]uint32{})
		}()
	}
	all.Wait()
	require.EqualError(t, e.take(),
		"compute_command::concurrent_dispatch_threadgroups: command 0: the buffer's commands do not dispatch threadgroups")
	require.NoError(t, e.take())
}

const encodingSource = `#include <metal_stdlib>
#include <metal_command_buffer>
using namespace metal;
struct Commands { command_buffer commands; compute_pipeline_state pipeline; };
kernel void encode(constant Commands& c [[buffer(0)]], device uint* x [[buffer(1)]], constant uint& slot [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    compute_command command(c.commands, i);
    command.set_compute_pipeline_state(c.pipeline);
    command.set_kernel_buffer(x + i, slot);
    command.concurrent_dispatch_threads(uint3(1), uint3(1));
}`

// TestEncodedByKernel: a kernel's mistakes are the error of its command buffer, whose later
// commands do not run.
func TestEncodedByKernel(t *testing.T) {
	r := newRig(t, Limits{})
	m, diags := msl.Compile(context.Background(), msl.Source{Text: encodingSource}, msl.Options{})
	require.Empty(t, diags)
	encode := dispatch.New(dispatch.Pipeline{Name: "encode",
		Code: exec.NewKernel(m.IR.Funcs[0], exec.Options{Backend: engines.Default()}), MaxThreads: ir.MaxThreads})
	icb, err := r.gpu.NewIndirect(Shape{Threads: true, Buffers: 1}, 4)
	require.NoError(t, err)
	defer icb.Close()
	number := r.kernel("number")
	r.gpu.AddPipeline(9, number)
	defer r.gpu.RemovePipeline(9)
	args, _ := r.words(0, uint32(icb.id), 9, 0)
	x, mem := r.words(0, 0, 0, 0)
	q := r.gpu.NewQueue(0)
	run := func(threads uint64, slot uint32) error {
		at, _ := r.words(slot)
		b := q.NewBuffer()
		e := b.Begin("begin", Compute, false, nil)
		e.SetBuffer("b", args, 0)
		e.SetBuffer("b", x, 1)
		e.SetBuffer("b", at, 2)
		e.SetPipeline("k", encode)
		e.Dispatch("d", Size{threads, 1, 1}, Size{threads, 1, 1})
		e.Execute("x", icb, 0, 4)
		e.End("end")
		b.Commit("c")
		b.WaitCompleted()
		return b.Err()
	}
	require.EqualError(t, run(9, 0),
		`Invalid Resource: kernel "encode": compute_command::concurrent_dispatch_threads: the command's index is 4, the indirect command buffer has 4 commands`)
	assert.Equal(t, []uint32{0, 0, 0, 0}, read(mem))
	require.EqualError(t, run(2, 1),
		`Invalid Resource: kernel "encode": compute_command::set_kernel_buffer: command 0: buffer index is 1, the commands have 1 buffers`)
	assert.Equal(t, []uint32{0, 0, 0, 0}, read(mem))
	require.NoError(t, run(4, 0), "the queue keeps no error for those that follow")
	assert.Equal(t, []uint32{1, 1, 1, 1}, read(mem))
}

// TestCopiedCommandGrows: a copy of a command takes buffers at slots that the original had not.
func TestCopiedCommandGrows(t *testing.T) {
	r := newRig(t, Limits{})
	icb, err := r.gpu.NewIndirect(Shape{Threads: true, Buffers: 31}, 2)
	require.NoError(t, err)
	defer icb.Close()
	require.NoError(t, icb.SetBuffer(0, 1<<40, 1))
	require.NoError(t, icb.Copy(1, icb, 0, 1))
	require.NoError(t, icb.SetBuffer(1, 2<<40, 30))
	require.NoError(t, icb.SetMemory(1, 16, 30))
	assert.Equal(t, []uint64{0, 1 << 40}, icb.commands[0].buffers)
	assert.Equal(t, append([]uint64{0, 1 << 40, 28: 0}, 0, 2<<40), icb.commands[1].buffers)
}

package ref_test

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestEncode runs a kernel that encodes an indirect command buffer.
func TestEncode(t *testing.T) {
	const text = `#include <metal_stdlib>
#include <metal_command_buffer>
using namespace metal;
struct Container { command_buffer commands [[id(0)]]; compute_pipeline_state pipeline [[id(1)]]; };
void dispatch(compute_command c, uint n) { c.concurrent_dispatch_threadgroups(uint3(n, 1, 1), uint3(32, 2, 1)); }
kernel void encode(device Container &c [[buffer(0)]], device float *data [[buffer(1)]], constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    if (i >= c.commands.size() || is_null_command_buffer(c.commands)) return;
    compute_command command(c.commands, i);
    command.reset();
    command.set_compute_pipeline_state(c.pipeline);
    command.set_kernel_buffer(data + i, 0);
    command.set_kernel_buffer(&n, 8, 1);
    command.set_threadgroup_memory_length(64, 2);
    command.set_barrier();
    if (i == 0) {
        command.clear_barrier();
        command.concurrent_dispatch_threads(uint3(n), uint3(4));
        return;
    }
    dispatch(command, n);
}
`
	m, diags := msl.Compile(context.Background(), msl.Source{Text: text}, msl.Options{Verify: true})
	require.Empty(t, diags, rendered(t, m, diags))
	icb := &testlaunch.CommandBuffer{Commands: []testlaunch.Command{{Barrier: true}, {}}}
	args := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, 3), 44)
	exectest.Run(t, m.IR.Funcs[0],
		testlaunch.Launch{Grid: [3]int{4}, CommandBuffers: map[uint64]*testlaunch.CommandBuffer{3: icb},
			Buffers: map[int]testlaunch.Buffer{0: {Data: args}, 1: {Data: make([]byte, 16)}, 2: {Data: []byte{10, 0, 0, 0}}}})
	want := testlaunch.Command{Pipeline: 44,
		Buffers:           map[int]testlaunch.BoundAddress{0: {Address: 2 << 40}, 1: {Address: 3 << 40, Stride: 8}},
		ThreadgroupMemory: map[int]int{2: 64}, Threads: true, Grid: [3]uint32{10, 10, 10}, Group: [3]uint32{4, 4, 4}}
	assert.Equal(t, want, icb.Commands[0])
	want.Buffers = map[int]testlaunch.BoundAddress{0: {Address: 2<<40 | 4}, 1: {Address: 3 << 40, Stride: 8}}
	want.Barrier, want.Threads, want.Grid, want.Group = true, false, [3]uint32{10, 1, 1}, [3]uint32{32, 2, 1}
	assert.Equal(t, want, icb.Commands[1])
}

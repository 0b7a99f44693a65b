package mtl

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// rigSource are the kernels of the tests of commands.
const rigSource = `#include <metal_stdlib>
using namespace metal;

kernel void add(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                device float* c [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    c[i] = a[i] + b[i];
}

kernel void scale(device float* x [[buffer(0)]], constant float& k [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
    x[i] *= k;
}

kernel void number(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = i + 1;
}

kernel void plus(device uint* x [[buffer(0)]], constant uint& k [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
    x[i] += k;
}

kernel void twice(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    x[i] *= 2;
}

kernel void sum(device const uint* in [[buffer(0)]], device uint* out [[buffer(1)]],
                threadgroup uint* mem [[threadgroup(0)]],
                uint l [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]],
                uint n [[threads_per_threadgroup]]) {
    mem[l] = in[g * n + l];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint s = n / 2; s > 0; s /= 2) {
        if (l < s) mem[l] += mem[l + s];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (l == 0) out[g] = mem[0];
}

kernel void count(device atomic_uint* total [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(total, i & 1, memory_order_relaxed);
}

kernel void area(device uint* out [[buffer(0)]], uint2 at [[thread_position_in_grid]],
                 uint2 size [[threads_per_grid]]) {
    out[at.y * size.x + at.x] = at.x * 1000 + at.y;
}
`

// rig is a device with a queue and kernels.
type rig struct {
	*testing.T
	device  Device
	queue   CommandQueue
	library Library
}

// newRig returns a rig; all it makes is released at the end of the test.
func newRig(t *testing.T) *rig {
	r := &rig{T: t, device: testDevice(t)}
	var err error
	r.queue, err = r.device.NewCommandQueue()
	require.NoError(t, err)
	t.Cleanup(r.queue.Release)
	r.library, err = r.device.NewLibrary(rigSource, CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(r.library.Release)
	return r
}

// kernel returns the pipeline state of a kernel.
func (r *rig) kernel(name string) ComputePipelineState {
	r.Helper()
	f, err := r.library.NewFunction(name)
	require.NoError(r, err)
	defer f.Release()
	p, err := r.device.NewComputePipelineState(f)
	require.NoError(r, err)
	r.Cleanup(p.Release)
	return p
}

// indirectKernel is kernel for indirect command buffers.
func (r *rig) indirectKernel(name string) ComputePipelineState {
	r.Helper()
	f, err := r.library.NewFunction(name)
	require.NoError(r, err)
	defer f.Release()
	d, err := NewComputePipelineDescriptor()
	require.NoError(r, err)
	defer d.Release()
	d.SetComputeFunction(f)
	d.SetSupportIndirectCommandBuffers(true)
	p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, PipelineOptionNone)
	require.NoError(r, err)
	r.Cleanup(p.Release)
	return p
}

// buffer returns a buffer of n zeros in shared memory.
func (r *rig) buffer(n uint) Buffer {
	r.Helper()
	b, err := r.device.NewBuffer(n, ResourceStorageModeShared)
	require.NoError(r, err)
	r.Cleanup(b.Release)
	return b
}

// uints returns a buffer with words.
func (r *rig) uints(v ...uint32) Buffer {
	r.Helper()
	b := r.buffer(uint(4 * len(v)))
	m, err := b.Bytes()
	require.NoError(r, err)
	for i, n := range v {
		binary.LittleEndian.PutUint32(m[4*i:], n)
	}
	return b
}

// floats returns a buffer with numbers.
func (r *rig) floats(v ...float32) Buffer {
	r.Helper()
	w := make([]uint32, len(v))
	for i, f := range v {
		w[i] = math.Float32bits(f)
	}
	return r.uints(w...)
}

// words returns the contents of a buffer.
func (r *rig) words(b Buffer) []uint32 {
	r.Helper()
	m, err := b.Bytes()
	require.NoError(r, err)
	w := make([]uint32, len(m)/4)
	for i := range w {
		w[i] = binary.LittleEndian.Uint32(m[4*i:])
	}
	return w
}

// numbers returns the contents of a buffer.
func (r *rig) numbers(b Buffer) []float32 {
	r.Helper()
	w := r.words(b)
	f := make([]float32, len(w))
	for i := range w {
		f[i] = math.Float32frombits(w[i])
	}
	return f
}

func (r *rig) commands() CommandBuffer {
	r.Helper()
	b, err := r.queue.CommandBuffer()
	require.NoError(r, err)
	return b
}

// encode opens a compute encoder, has f write to it and ends it.
func (r *rig) encode(b CommandBuffer, f func(ComputeCommandEncoder)) {
	r.Helper()
	e, err := b.ComputeCommandEncoder()
	require.NoError(r, err)
	f(e)
	require.NoError(r, e.EndEncoding())
}

// blit is encode for copies.
func (r *rig) blit(b CommandBuffer, f func(BlitCommandEncoder)) {
	r.Helper()
	e, err := b.BlitCommandEncoder()
	require.NoError(r, err)
	f(e)
	require.NoError(r, e.EndEncoding())
}

// run commits a command buffer and waits for it.
func (r *rig) run(b CommandBuffer) {
	r.Helper()
	require.NoError(r, b.Commit())
	require.NoError(r, b.Wait(r.Context()))
}

// set puts buffers into the slots from 0 on.
func (r *rig) set(e ComputeCommandEncoder, p ComputePipelineState, buffers ...Buffer) {
	r.Helper()
	require.NoError(r, e.SetComputePipelineState(p))
	for i, b := range buffers {
		require.NoError(r, e.SetBuffer(b, 0, uint(i)))
	}
}

// line is a size of one dimension.
func line(n uint) Size { return Size{n, 1, 1} }

// word is a number as kernels read it.
func word(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }

// pooled runs f in an autorelease pool, for goroutines of a test.
func pooled(f func()) { objc.Pool(f) }

package mtl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHotCallsAllocateNothing covers what a program does for every kernel it runs.
func TestHotCallsAllocateNothing(t *testing.T) {
	r := newRig(t)
	p, q, x, y := r.kernel("plus"), r.kernel("scale"), r.buffer(4096), r.buffer(64)
	b := r.commands()
	e, err := b.ComputeCommandEncoder()
	require.NoError(t, err)
	data := word(1)
	r.set(e, p, x)
	require.NoError(t, e.SetBytes(data, 1)) // the cases come in any order, and dispatches need it
	for name, f := range map[string]func() error{
		"SetBuffer":                  func() error { return e.SetBuffer(x, 16, 0) },
		"SetBuffer, another":         func() error { return e.SetBuffer(y, 16, 2) },
		"SetBufferOffset":            func() error { return e.SetBufferOffset(32, 0) },
		"SetBytes":                   func() error { return e.SetBytes(data, 1) },
		"SetBytes from the stack":    func() error { k := [4]byte{1}; return e.SetBytes(k[:], 1) },
		"SetComputePipelineState":    func() error { return e.SetComputePipelineState(q) },
		"SetThreadgroupMemoryLength": func() error { return e.SetThreadgroupMemoryLength(64, 0) },
		"DispatchThreadgroups":       func() error { return e.DispatchThreadgroups(line(1), line(4)) },
		"DispatchThreads":            func() error { return e.DispatchThreads(line(4), line(4)) },
		"UseResource":                func() error { return e.UseResource(x.Resource, ResourceUsageRead) },
		"MemoryBarrierWithScope":     func() error { return e.MemoryBarrierWithScope(BarrierScopeBuffers) },
		"indirect dispatch": func() error {
			return e.DispatchThreadgroupsWithIndirectBuffer(x, 64, line(4))
		},
	} {
		n := testing.AllocsPerRun(50, func() {
			if err := f(); err != nil {
				t.Error(err)
			}
		})
		assert.Zero(t, n, name)
	}
	require.NoError(t, e.EndEncoding())
	r.run(b)
}

// The benchmarks compare a checked call with its bare message.

func benchmarkEncoder(b *testing.B, f func(e ComputeCommandEncoder, x Buffer, p ComputePipelineState)) {
	t := new(testing.T)
	d, err := DefaultDevice()
	if err != nil {
		b.Skipf("no metal device: %v", err)
	}
	defer d.Release()
	pooled(func() {
		q, err := d.NewCommandQueue()
		require.NoError(b, err)
		defer q.Release()
		l, err := d.NewLibrary(rigSource, CompileOptions{})
		require.NoError(b, err)
		defer l.Release()
		r := &rig{T: t, device: d, queue: q, library: l}
		fn, err := l.NewFunction("number")
		require.NoError(b, err)
		defer fn.Release()
		p, err := d.NewComputePipelineState(fn)
		require.NoError(b, err)
		defer p.Release()
		x, err := d.NewBuffer(4096, ResourceStorageModeShared)
		require.NoError(b, err)
		defer x.Release()
		cmd := r.commands()
		e, err := cmd.ComputeCommandEncoder()
		require.NoError(b, err)
		require.NoError(b, e.SetComputePipelineState(p))
		require.NoError(b, e.SetBuffer(x, 0, 0))
		b.ReportAllocs()
		b.ResetTimer()
		f(e, x, p)
		b.StopTimer()
		require.NoError(b, e.EndEncoding())
	})
}

func BenchmarkSetBuffer(b *testing.B) {
	b.Run("checked", func(b *testing.B) {
		benchmarkEncoder(b, func(e ComputeCommandEncoder, x Buffer, _ ComputePipelineState) {
			for b.Loop() {
				_ = e.SetBuffer(x, 16, 0)
			}
		})
	})
	b.Run("bare", func(b *testing.B) {
		benchmarkEncoder(b, func(e ComputeCommandEncoder, x Buffer, _ ComputePipelineState) {
			for b.Loop() {
				sendComputeCommandEncoderSetBuffer(e, x, 16, 0)
			}
		})
	})
}

func BenchmarkSetBufferOffset(b *testing.B) {
	b.Run("checked", func(b *testing.B) {
		benchmarkEncoder(b, func(e ComputeCommandEncoder, _ Buffer, _ ComputePipelineState) {
			for b.Loop() {
				_ = e.SetBufferOffset(16, 0)
			}
		})
	})
	b.Run("bare", func(b *testing.B) {
		benchmarkEncoder(b, func(e ComputeCommandEncoder, _ Buffer, _ ComputePipelineState) {
			for b.Loop() {
				sendComputeCommandEncoderSetBufferOffset(e, 16, 0)
			}
		})
	})
}

func BenchmarkSetBytes(b *testing.B) {
	data := word(7)
	b.Run("checked", func(b *testing.B) {
		benchmarkEncoder(b, func(e ComputeCommandEncoder, _ Buffer, _ ComputePipelineState) {
			for b.Loop() {
				_ = e.SetBytes(data, 1)
			}
		})
	})
	b.Run("bare", func(b *testing.B) {
		benchmarkEncoder(b, func(e ComputeCommandEncoder, _ Buffer, _ ComputePipelineState) {
			for b.Loop() {
				sendComputeCommandEncoderSetBytes(e, data, 1)
			}
		})
	})
}

// BenchmarkCheckDispatch measures the checks of a dispatch alone: its message makes the stand-in
// allocate.
func BenchmarkCheckDispatch(b *testing.B) {
	s := &computeState{pipeline: &pipelineFact{maxThreads: 1024, staticMemory: 64}}
	d := &deviceFacts{maxThreads: Size{1024, 1024, 64}, maxThreadgroupMemory: 32768, nonUniform: true}
	b.ReportAllocs()
	for b.Loop() {
		if s.dispatch(call, Size{16, 16, 1}, d) != nil || call.threadGrid(Size{1000, 1000, 1}, d) != nil {
			b.Fatal("refused")
		}
	}
}

// BenchmarkCommandBuffer measures an empty command buffer from birth to completion.
func BenchmarkCommandBuffer(b *testing.B) {
	d, err := DefaultDevice()
	if err != nil {
		b.Skipf("no metal device: %v", err)
	}
	defer d.Release()
	q, err := d.NewCommandQueue()
	require.NoError(b, err)
	defer q.Release()
	b.Run("checked", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			pooled(func() {
				cmd, err := q.CommandBuffer()
				require.NoError(b, err)
				require.NoError(b, cmd.Commit())
				require.NoError(b, cmd.Wait(b.Context()))
			})
		}
	})
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			pooled(func() {
				cmd := sendCommandQueueCommandBuffer(q)
				sendCommandBufferCommit(cmd)
				sendCommandBufferWaitUntilCompleted(cmd)
			})
		}
	})
}

package softmetal_test

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/sanitizer"
)

// findingLog is a log that keeps findings.
type findingLog struct {
	slog.Handler
	mu   sync.Mutex
	list []*sanitizer.Finding
}

func (l *findingLog) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if f, ok := a.Value.Any().(*sanitizer.Finding); ok {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.list = append(l.list, f)
		}
		return true
	})
	return nil
}

func (l *findingLog) take() []*sanitizer.Finding {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.list
	l.list = nil
	return list
}

// logFindings has a test's findings logged to the result.
func logFindings(t *testing.T) *findingLog {
	before := slog.Default()
	l := &findingLog{Handler: before.Handler()}
	slog.SetDefault(slog.New(l))
	t.Cleanup(func() { slog.SetDefault(before) })
	return l
}

// validation is a kernel that fills a buffer, with shader validation.
type validation struct {
	*testing.T
	d    mtl.Device
	f    mtl.Function
	on   mtl.ComputePipelineState
	q    mtl.CommandQueue
	logs *findingLog
}

// validations makes names of kernels: a finding is reported once for a kernel.
var validations atomic.Int64

// newValidation compiles a kernel whose name begins with that.
func newValidation(t *testing.T, kernel string) *validation {
	kernel += strconv.FormatInt(validations.Add(1), 10)
	v := &validation{T: t, logs: logFindings(t)}
	v.d, _, _ = rig(t)
	l, err := v.d.NewLibrary(`kernel void `+kernel+`(device uint *out, uint i [[thread_position_in_grid]]) {
	out[i] = i;
}`, mtl.CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(l.Release)
	v.f, err = l.NewFunction(kernel)
	require.NoError(t, err)
	t.Cleanup(v.f.Release)
	v.on = v.pipeline(mtl.ShaderValidationEnabled)
	v.q, err = v.d.NewCommandQueue()
	require.NoError(t, err)
	t.Cleanup(v.q.Release)
	return v
}

func (v *validation) pipeline(s mtl.ShaderValidation) mtl.ComputePipelineState {
	desc, err := mtl.NewComputePipelineDescriptor()
	require.NoError(v, err)
	defer desc.Release()
	desc.SetComputeFunction(v.f)
	desc.SetShaderValidation(s)
	p, _, err := v.d.NewComputePipelineStateWithDescriptor(desc, 0)
	require.NoError(v, err)
	v.Cleanup(p.Release)
	return p
}

// run runs an encoder for each buffer, all in one command buffer. If there is a fence, they wait
// for it and update it.
func (v *validation) run(p mtl.ComputePipelineState, fence mtl.Fence, threads uint, buffers ...mtl.Buffer) {
	b, err := v.q.CommandBuffer()
	require.NoError(v, err)
	for _, x := range buffers {
		e, err := b.ComputeCommandEncoder()
		require.NoError(v, err)
		if !fence.IsNil() {
			require.NoError(v, e.WaitForFence(fence))
		}
		require.NoError(v, e.SetComputePipelineState(p))
		require.NoError(v, e.SetBuffer(x, 0, 0))
		require.NoError(v, e.DispatchThreads(mtl.Size{Width: threads, Height: 1, Depth: 1},
			mtl.Size{Width: 16, Height: 1, Depth: 1}))
		if !fence.IsNil() {
			require.NoError(v, e.UpdateFence(fence))
		}
		require.NoError(v, e.EndEncoding())
	}
	require.NoError(v, b.Commit())
	require.NoError(v, b.WaitUntilCompleted())
	require.NoError(v, b.Err())
}

func (v *validation) buffer() mtl.Buffer {
	b, err := v.d.NewBuffer(64, 0)
	require.NoError(v, err)
	v.Cleanup(b.Release)
	return b
}

func (v *validation) heap() mtl.Heap {
	desc, err := mtl.NewHeapDescriptor()
	require.NoError(v, err)
	defer desc.Release()
	desc.SetSize(16 << 10)
	desc.SetStorageMode(mtl.StorageModePrivate)
	h, err := v.d.NewHeap(desc)
	require.NoError(v, err)
	v.Cleanup(h.Release)
	return h
}

var privateMemory = mtl.MakeResourceOptions(mtl.StorageModePrivate, mtl.CPUCacheModeDefaultCache,
	mtl.HazardTrackingModeDefault)

// TestShaderValidation: a pipeline that asks for validation is sanitized, and no other.
func TestShaderValidation(t *testing.T) {
	v := newValidation(t, "validated")
	x := v.buffer()
	v.run(v.pipeline(mtl.ShaderValidationDefault), mtl.Fence{}, 17, x)
	v.run(v.pipeline(mtl.ShaderValidationDisabled), mtl.Fence{}, 17, x)
	require.Empty(t, v.logs.take())
	v.run(v.on, mtl.Fence{}, 16, x)
	require.Empty(t, v.logs.take())
	v.run(v.on, mtl.Fence{}, 17, x)
	list := v.logs.take()
	require.Len(t, list, 1)
	assert.Equal(t, sanitizer.Bounds, list[0].Kind)
	assert.Equal(t, 2, list[0].Line)
}

// TestTrackedMemory: Metal orders encoders that write a buffer, but not those that write a buffer
// of a heap, which needs a fence.
func TestTrackedMemory(t *testing.T) {
	v := newValidation(t, "tracked")
	x := v.buffer()
	v.run(v.on, mtl.Fence{}, 16, x, x)
	require.Empty(t, v.logs.take())
	h := v.heap()
	y, err := h.NewBuffer(64, privateMemory)
	require.NoError(t, err)
	t.Cleanup(y.Release)
	fence := v.d.NewFence()
	t.Cleanup(fence.Release)
	v.run(v.on, fence, 16, y, y)
	require.Empty(t, v.logs.take())
	v.run(v.on, mtl.Fence{}, 16, y, y)
	list := v.logs.take()
	require.Len(t, list, 1)
	assert.Equal(t, sanitizer.Race, list[0].Kind)
	assert.Contains(t, list[0].Message, "Metal does not track")
	assert.Contains(t, list[0].Advice, "fence")
}

// TestCommandsOfProgram: the program must not encode commands that the device may still execute.
func TestCommandsOfProgram(t *testing.T) {
	v := newValidation(t, "indirect")
	desc, err := mtl.NewIndirectCommandBufferDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetCommandTypes(mtl.IndirectCommandTypeConcurrentDispatch)
	icb, err := v.d.NewIndirectCommandBufferWithDescriptor(desc, 3, mtl.ResourceOptions(0))
	require.NoError(t, err)
	t.Cleanup(icb.Release)
	icb.SetLabel("commands")
	gate := v.d.NewSharedEvent()
	defer gate.Release()
	commit := func(until uint64) mtl.CommandBuffer {
		b, err := v.q.CommandBuffer()
		require.NoError(t, err)
		e, err := b.ComputeCommandEncoder()
		require.NoError(t, err)
		require.NoError(t, e.SetComputePipelineState(v.on))
		require.NoError(t, e.ExecuteCommandsInBuffer(icb, mtl.Range{Location: 1, Length: 2}))
		require.NoError(t, e.EndEncoding())
		require.NoError(t, b.EncodeWaitForEvent(gate.Event, until)) // before that it does not end
		require.NoError(t, b.Commit())
		return b
	}
	reset := func(i uint) {
		c, err := icb.IndirectComputeCommandAtIndex(i)
		require.NoError(t, err)
		require.NoError(t, c.Reset())
	}
	reset(1)
	b := commit(0)
	reset(0) // which is not executed
	require.NoError(t, b.WaitUntilCompleted())
	reset(1)
	require.Empty(t, v.logs.take())

	b = commit(1)
	reset(1) // while the program cannot know that the commands have ended
	require.NoError(t, gate.SetSignaledValue(1))
	require.NoError(t, b.WaitUntilCompleted())
	list := v.logs.take()
	require.Len(t, list, 1)
	f := list[0]
	assert.Equal(t, sanitizer.Race, f.Kind)
	assert.Contains(t, f.Message, "command 1 of the same indirect command buffer")
	assert.Contains(t, f.Message, "the program changes it while queue")
	assert.Contains(t, []string{f.Command, f.Other.Command}, "reset in the program")
	assert.Equal(t, `indirect command buffer "commands"`, f.Memory)
}

// TestAliasedMemory: a buffer that another one has taken the memory of.
func TestAliasedMemory(t *testing.T) {
	v := newValidation(t, "aliased")
	h := v.heap()
	x, err := h.NewBuffer(64, privateMemory)
	require.NoError(t, err)
	t.Cleanup(x.Release)
	x.SetLabel("x")
	require.NoError(t, x.MakeAliasable())
	v.run(v.on, mtl.Fence{}, 16, x)
	require.Empty(t, v.logs.take(), "nobody has taken it")
	y, err := h.NewBuffer(64, privateMemory)
	require.NoError(t, err)
	t.Cleanup(y.Release)
	v.run(v.on, mtl.Fence{}, 16, y)
	require.Empty(t, v.logs.take())
	v.run(v.on, mtl.Fence{}, 16, x)
	list := v.logs.take()
	require.Len(t, list, 1)
	assert.Equal(t, sanitizer.Freed, list[0].Kind)
	assert.Equal(t, `write of buffer "x", which is aliasable and whose memory another buffer has taken`, list[0].Message)
}

// TestBarrierScopes: a barrier of a concurrent encoder orders the memory that it names, and no
// other.
func TestBarrierScopes(t *testing.T) {
	for name, x := range map[string]struct {
		barrier func(e mtl.ComputeCommandEncoder, x, y mtl.Buffer) error
		found   bool
	}{
		"none": {func(mtl.ComputeCommandEncoder, mtl.Buffer, mtl.Buffer) error { return nil }, true},
		"buffers": {func(e mtl.ComputeCommandEncoder, _, _ mtl.Buffer) error {
			return e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers)
		}, false},
		"textures": {func(e mtl.ComputeCommandEncoder, _, _ mtl.Buffer) error {
			return e.MemoryBarrierWithScope(mtl.BarrierScopeTextures)
		}, true},
		"both": {func(e mtl.ComputeCommandEncoder, _, _ mtl.Buffer) error {
			return e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers | mtl.BarrierScopeTextures)
		}, false},
		"the buffer": {func(e mtl.ComputeCommandEncoder, x, y mtl.Buffer) error {
			return e.MemoryBarrierWithResources([]mtl.Resource{y.Resource, x.Resource})
		}, false},
		"another buffer": {func(e mtl.ComputeCommandEncoder, _, y mtl.Buffer) error {
			return e.MemoryBarrierWithResources([]mtl.Resource{y.Resource})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			v := newValidation(t, "scoped")
			buffer, other := v.buffer(), v.buffer()
			b, err := v.q.CommandBuffer()
			require.NoError(t, err)
			e, err := b.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent)
			require.NoError(t, err)
			require.NoError(t, e.SetComputePipelineState(v.on))
			require.NoError(t, e.SetBuffer(buffer, 0, 0))
			side := mtl.Size{Width: 16, Height: 1, Depth: 1}
			require.NoError(t, e.DispatchThreads(side, side))
			require.NoError(t, x.barrier(e, buffer, other))
			require.NoError(t, e.DispatchThreads(side, side))
			require.NoError(t, e.EndEncoding())
			require.NoError(t, b.Commit())
			require.NoError(t, b.WaitUntilCompleted())
			list := v.logs.take()
			if !x.found {
				require.Empty(t, list)
				return
			}
			require.Len(t, list, 1)
			assert.Equal(t, sanitizer.Race, list[0].Kind)
			assert.Contains(t, list[0].Message, "concurrent encoder")
			assert.Equal(t, list[0].Thread, list[0].Other.Thread)
			assert.True(t, list[0].Thread.Known)
		})
	}
}

package softmetal_test

import (
	"log/slog"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const source4 = `#include <metal_stdlib>
using namespace metal;
kernel void number(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i + 1; }
`

// world4 is what the tests of Metal 4 work with. Its objects are wrapped without the memory of
// package mtl, which therefore checks little: what is wrong comes to the device.
type world4 struct {
	*testing.T
	device    mtl.Device
	faults    *faults
	queue     mtl.CommandQueue4
	allocator mtl.CommandAllocator4
	buffer    mtl.CommandBuffer4
	set       mtl.ResidencySet
	table     mtl.ArgumentTable4
	kernel    mtl.ComputePipelineState
	data      mtl.Buffer
}

// got returns what was made, which is released at the end.
func got[T interface{ Release() }](t *testing.T, v T, err error) T {
	t.Helper()
	require.NoError(t, err)
	t.Cleanup(v.Release)
	return v
}

func newWorld4(t *testing.T) (*world4, mtl.Device) {
	t.Helper()
	a, other, f := rig(t)
	w := &world4{T: t, device: a, faults: f}
	w.queue = new4(w, a.NewCommandQueue4)
	w.allocator = mtl.CommandAllocator4From(new4(w, a.NewCommandAllocator4).ID())
	w.buffer = mtl.CommandBuffer4From(new4(w, a.NewCommandBuffer4).ID())
	w.data = new4(w, func() (mtl.Buffer, error) { return a.NewBuffer(64, mtl.ResourceStorageModeShared) })
	w.set = new4(w, func() (mtl.ResidencySet, error) {
		return a.NewResidencySet(new4(w, mtl.NewResidencySetDescriptor))
	})
	require.NoError(t, w.set.AddAllocation(w.data.Allocation))
	w.set.Commit()
	require.NoError(t, w.queue.AddResidencySet(w.set))
	l := new4(w, func() (mtl.Library, error) { return a.NewLibrary(source4, mtl.CompileOptions{}) })
	k := new4(w, func() (mtl.Function, error) { return l.NewFunction("number") })
	w.kernel = new4(w, func() (mtl.ComputePipelineState, error) { return a.NewComputePipelineState(k) })
	d := new4(w, mtl.NewArgumentTableDescriptor4)
	d.SetMaxBufferBindCount(2)
	w.table = mtl.ArgumentTable4From(new4(w,
		func() (mtl.ArgumentTable4, error) { return a.NewArgumentTable4WithDescriptor(d) }).ID())
	require.NoError(t, w.table.SetAddress(w.data.GPUAddress(), 0))
	return w, other
}

func new4[T interface{ Release() }](w *world4, f func() (T, error)) T {
	w.Helper()
	v, err := f()
	return got(w.T, v, err)
}

// record begins the command buffer, has f encode and ends it.
func (w *world4) record(f func(e mtl.ComputeCommandEncoder4)) {
	w.Helper()
	require.NoError(w, w.buffer.BeginCommandBufferWithAllocator(w.allocator))
	id, err := w.buffer.ComputeCommandEncoder()
	require.NoError(w, err)
	e := mtl.ComputeCommandEncoder4From(id.ID())
	f(e)
	require.NoError(w, e.EndEncoding())
	require.NoError(w, w.buffer.EndCommandBuffer())
}

func (w *world4) dispatch(e mtl.ComputeCommandEncoder4) {
	w.Helper()
	require.NoError(w, e.SetComputePipelineState(w.kernel))
	require.NoError(w, e.SetArgumentTable(w.table))
	require.NoError(w, e.DispatchThreads(mtl.Size{Width: 16, Height: 1, Depth: 1},
		mtl.Size{Width: 16, Height: 1, Depth: 1}))
}

// commit commits the command buffer and returns the feedback's error.
func (w *world4) commit() error {
	w.Helper()
	o := new4(w, mtl.NewCommitOptions4)
	reports := make(chan error, 1)
	require.NoError(w, o.AddFeedbackHandler(func(f mtl.CommitFeedback4) { reports <- f.Err() }))
	require.NoError(w, w.queue.CommitOptions([]mtl.CommandBuffer4{w.buffer}, o))
	return <-reports
}

// settle waits until the queue has run all that it was given.
func (w *world4) settle() {
	w.Helper()
	e := w.device.NewSharedEvent()
	defer e.Release()
	require.NoError(w, w.queue.SignalEvent(e.Event, 1))
	require.NoError(w, e.Wait(w.Context(), 1))
}

// TestMetal4Misuse gives an encoder what it must not get: the feedback names the call, the value
// and the limit.
func TestMetal4Misuse(t *testing.T) {
	w, other := newWorld4(t)
	fence := other.NewFence()
	defer fence.Release()
	foreign := got(t, must(t, other.NewBuffer, 64), nil)
	size := func(n uint) mtl.Size { return mtl.Size{Width: n, Height: 1, Depth: 1} }
	for _, c := range []struct {
		words string
		do    func(e mtl.ComputeCommandEncoder4) error
	}{
		{"dispatchThreads:threadsPerThreadgroup:]: no pipeline state is set",
			func(e mtl.ComputeCommandEncoder4) error { return e.DispatchThreads(size(1), size(1)) }},
		{"dispatchThreadgroups:threadsPerThreadgroup:]: no pipeline state is set",
			func(e mtl.ComputeCommandEncoder4) error { return e.DispatchThreadgroups(size(1), size(1)) }},
		{"dispatchThreadsWithIndirectBuffer:]: no pipeline state is set",
			func(e mtl.ComputeCommandEncoder4) error { return e.DispatchThreadsWithIndirectBuffer(64) }},
		{`dispatchThreads:threadsPerThreadgroup:]: kernel "number": nothing is bound at buffer index 0, argument "out"`,
			func(e mtl.ComputeCommandEncoder4) error {
				require.NoError(t, e.SetComputePipelineState(w.kernel))
				return e.DispatchThreads(size(1), size(1))
			}},
		{"copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:]: source is of another device",
			func(e mtl.ComputeCommandEncoder4) error {
				return e.CopyFromBuffer(foreign, 0, w.data, 0, 4)
			}},
		{"updateFence:afterEncoderStages:]: the fence is of another device",
			func(e mtl.ComputeCommandEncoder4) error { return e.UpdateFence(fence, mtl.StageDispatch) }},
		{"popDebugGroup]: no debug group is open", func(e mtl.ComputeCommandEncoder4) error { return e.PopDebugGroup() }},
	} {
		w.record(func(e mtl.ComputeCommandEncoder4) { require.NoError(t, c.do(e), "package mtl lets it through") })
		require.ErrorContains(t, w.commit(), c.words)
	}
	w.record(w.dispatch)
	require.NoError(t, w.commit())
	require.NoError(t, w.allocator.Reset())
}

func must[T any](t *testing.T, f func(n uint, o mtl.ResourceOptions) (T, error), n uint) T {
	t.Helper()
	v, err := f(n, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	return v
}

// TestMetal4Silence has a commit without feedback: what is wrong with its commands is told by the
// commit, and what goes wrong later by the log.
func TestMetal4Silence(t *testing.T) {
	w, _ := newWorld4(t)
	heard := hear(t)
	w.record(func(e mtl.ComputeCommandEncoder4) { _ = e.PopDebugGroup() })
	require.NoError(t, w.queue.Commit([]mtl.CommandBuffer4{w.buffer}))
	requireFault(t, w.faults, "commit:count:", "command buffer 0 does not run", "popDebugGroup", "no debug group is open")
	w.settle()
	assert.Empty(t, heard(), "told already")

	require.NoError(t, w.queue.RemoveResidencySet(w.set))
	w.record(w.dispatch)
	require.NoError(t, w.queue.Commit([]mtl.CommandBuffer4{w.buffer}))
	w.settle()
	for len(heard()) == 0 { // the queue's handlers may be behind its events
		w.settle()
	}
	assert.Len(t, heard(), 1)
}

// hear returns what errors the program's log was given.
func hear(t *testing.T) func() []string {
	t.Helper()
	h := &listener{}
	old := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(h, &slog.HandlerOptions{Level: slog.LevelError})))
	t.Cleanup(func() { slog.SetDefault(old) })
	return h.lines
}

type listener struct {
	mu   sync.Mutex
	text []string
}

func (h *listener) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, string(b))
	return len(b), nil
}

func (h *listener) lines() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text
}

// TestMetal4Life does what does not fit the life of a command buffer and of its allocator, with
// nobody in between.
func TestMetal4Life(t *testing.T) {
	w, other := newWorld4(t)
	b := w.buffer
	require.NoError(t, b.EndCommandBuffer())
	requireFault(t, w.faults, "endCommandBuffer", "the command buffer is not begun")
	_, _ = b.ComputeCommandEncoder()
	requireFault(t, w.faults, "computeCommandEncoder", "the command buffer is not begun")
	require.NoError(t, w.queue.Commit([]mtl.CommandBuffer4{b}))
	requireFault(t, w.faults, "commit:count:", "command buffer 0 has not been begun and ended")

	second := mtl.CommandBuffer4From(new4(w, w.device.NewCommandBuffer4).ID())
	require.NoError(t, b.BeginCommandBufferWithAllocator(w.allocator))
	require.NoError(t, b.BeginCommandBufferWithAllocator(w.allocator))
	requireFault(t, w.faults, "beginCommandBufferWithAllocator:", "begun already")
	require.NoError(t, second.BeginCommandBufferWithAllocator(w.allocator))
	requireFault(t, w.faults, "in use by another command buffer")
	require.NoError(t, w.allocator.Reset())
	requireFault(t, w.faults, "-[MTL4CommandAllocator reset]", "is being encoded")
	require.NoError(t, b.PopDebugGroup())
	requireFault(t, w.faults, "popDebugGroup", "no debug group is open")
	_, _ = b.MachineLearningCommandEncoder()
	requireFault(t, w.faults, "machine learning")
	e, err := b.ComputeCommandEncoder()
	require.NoError(t, err)
	require.NoError(t, b.EndCommandBuffer())
	requireFault(t, w.faults, "an encoder of the command buffer has not ended")
	require.NoError(t, e.EndEncoding())
	require.NoError(t, b.EndCommandBuffer())

	strange := new4(w, other.NewCommandAllocator4)
	require.NoError(t, second.BeginCommandBufferWithAllocator(strange))
	requireFault(t, w.faults, "the command allocator is of another device")
	alien := new4(w, other.NewCommandBuffer4)
	require.NoError(t, alien.BeginCommandBufferWithAllocator(strange))
	require.NoError(t, alien.EndCommandBuffer())
	require.NoError(t, w.queue.Commit([]mtl.CommandBuffer4{b, alien}))
	requireFault(t, w.faults, "command buffer 1 is of another device")
	require.NoError(t, w.commit(), "the refused commit has taken nothing away")

	w.record(w.dispatch)
	gate := w.device.NewSharedEvent()
	defer gate.Release()
	require.NoError(t, w.queue.WaitForEvent(gate.Event, 1))
	require.NoError(t, w.queue.Commit([]mtl.CommandBuffer4{b}))
	require.NoError(t, w.allocator.Reset())
	requireFault(t, w.faults, "the GPU has not completed 1 of the allocator's command buffers, want 0")
	require.NoError(t, gate.SetSignaledValue(1))
	w.settle()
	w.record(w.dispatch)
	require.NoError(t, w.allocator.Reset())
	require.NoError(t, w.queue.Commit([]mtl.CommandBuffer4{b}))
	requireFault(t, w.faults, "command buffer 0: its allocator was reset after it was encoded")
}

// TestMetal4EncoderEnded uses an encoder when its commands have run: nothing is kept for what is
// not encoded.
func TestMetal4EncoderEnded(t *testing.T) {
	w, _ := newWorld4(t)
	d, err := mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR8Unorm, 4, 4, false)
	require.NoError(t, err)
	x := new4(w, func() (mtl.Texture, error) { return w.device.NewTexture(d) })
	require.NoError(t, w.set.AddAllocation(x.Allocation))
	w.set.Commit()
	var e mtl.ComputeCommandEncoder4
	w.record(func(open mtl.ComputeCommandEncoder4) { e = mtl.ComputeCommandEncoder4From(open.ID()) })
	require.NoError(t, w.commit())
	for sel, call := range map[string]func() error{
		"copyFromTexture:toTexture:":       func() error { return e.CopyFromTexture(x, x) },
		"optimizeContentsForGPUAccess:":    func() error { return e.OptimizeContentsForGPUAccess(x) },
		"fillBuffer:range:value:":          func() error { return e.FillBuffer(w.data, mtl.Range{Length: 4}, 1) },
		"setComputePipelineState:":         func() error { return e.SetComputePipelineState(w.kernel) },
		"endEncoding":                      e.EndEncoding,
		"barrierAfterStages:":              func() error { return e.BarrierAfterStages(mtl.StageAll, mtl.StageAll, 0) },
		"setThreadgroupMemoryLength:atInd": func() error { return e.SetThreadgroupMemoryLength(16, 0) },
	} {
		require.NoError(t, call())
		requireFault(t, w.faults, sel, "the encoder has ended")
	}
}

// TestMetal4Refusals asks for what the device does not have.
func TestMetal4Refusals(t *testing.T) {
	w, other := newWorld4(t)
	require.NoError(t, w.table.SetAddress(64, 2))
	requireFault(t, w.faults, "setAddress:atIndex:", "buffer index is 2, the table has 2")
	require.NoError(t, w.table.SetTexture(mtl.ResourceID{}, 0))
	requireFault(t, w.faults, "setTexture:atIndex:", "texture index is 0, the table has 0")
	require.NoError(t, w.table.SetAddressAttributeStride(64, 4, 0))
	requireFault(t, w.faults, "does not support attribute strides")
	_, err := w.device.SizeOfCounterHeapEntry(mtl.CounterHeapType4Invalid)
	require.NoError(t, err)
	requireFault(t, w.faults, "the type is 0, want 1")
	d := new4(w, mtl.NewCounterHeapDescriptor4)
	d.SetType(mtl.CounterHeapType4Timestamp)
	d.SetCount(1 << 40)
	_, err = w.device.NewCounterHeap4WithDescriptor(d)
	require.ErrorContains(t, err, "the count is 1099511627776, want 1 to 1048576")
	event := other.NewEvent()
	defer event.Release()
	require.NoError(t, w.queue.SignalEvent(event, 1))
	requireFault(t, w.faults, "signalEvent:value:", "the event is of another device")
	require.NoError(t, w.queue.UpdateBufferMappings(w.data, mtl.Heap{},
		[]mtl.UpdateSparseBufferMappingOperation4{{Mode: mtl.SparseTextureMappingModeUnmap,
			BufferRange: mtl.Range{Length: 1}}}))
	requireFault(t, w.faults, "updateBufferMappings", "no sparse resources")
}

// TestMetal4FeedbackQueue has the handlers of a queue called by another's.
func TestMetal4FeedbackQueue(t *testing.T) {
	w, _ := newWorld4(t)
	l := new4(w, mtl.NewSharedEventListener)
	d := new4(w, mtl.NewCommandQueueDescriptor4)
	d.SetFeedbackQueue(l.DispatchQueue())
	w.queue = new4(w, func() (mtl.CommandQueue4, error) { return w.device.NewCommandQueue4WithDescriptor(d) })
	require.NoError(t, w.queue.AddResidencySet(w.set))
	for range 3 {
		w.record(w.dispatch)
		require.NoError(t, w.commit())
	}
}

package stress

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
)

var hammerRounds = flag.Int("hammer.rounds", 2, "how often each of the 64 goroutines of TestHammer does its work")

// TestHammer has 64 goroutines do different things on the same devices at the same time.
func TestHammer(t *testing.T) {
	ds := devices(t)
	var ms []*machine
	for _, d := range ds {
		m := newMachine(d)
		defer m.release()
		ms = append(ms, m)
	}
	shared := must(ms[0].NewCommandQueue())
	defer shared.Release()
	event := ms[0].NewSharedEvent()
	defer event.Release()
	dir := t.TempDir()
	const goroutines, kinds = 64, 8
	together(t, goroutines, func(i int) {
		for round := range *hammerRounds {
			m := ms[i/kinds%2] // two devices do most, so that many are on one
			switch i % kinds {
			case 0:
				hammerBuffers(t, m, i)
			case 1:
				hammerQueue(t, m, i)
			case 2:
				hammerShared(t, ms[0], shared, i)
			case 3:
				chain(ms[0], event, uint64(round*goroutines/kinds+i/kinds))
			case 4:
				hammerHeap(t, m, i)
			case 5:
				hammerIndirect(t, m, i)
			case 6:
				hammerArchive(t, m, filepath.Join(dir, fmt.Sprint(i, "-", round)))
			case 7:
				hammerPeers(t, ms[i/kinds%4], ms[(i/kinds+1+round%3)%4], i)
			}
		}
	})
	assert.EqualValues(t, *hammerRounds*goroutines/kinds, event.SignaledValue())
}

func newWords(m *machine, n int, options mtl.ResourceOptions) mtl.Buffer {
	return must(m.NewBuffer(uint(4*n), options))
}

// wordsAre looks at a shared buffer.
func wordsAre(t *testing.T, want func(i int) uint32, b mtl.Buffer) {
	t.Helper()
	for i, v := range must(mtl.Slice[uint32](b)) {
		if v != want(i) {
			t.Errorf("word %d is %d, want %d", i, v, want(i))
			return
		}
	}
}

func hammerBuffers(t *testing.T, m *machine, i int) {
	for n := range 20 {
		b := newWords(m, 1+n*30, mtl.ResourceStorageModeShared)
		for k := range must(mtl.Slice[uint32](b)) {
			must(mtl.Slice[uint32](b))[k] = uint32(i)
		}
		wordsAre(t, func(int) uint32 { return uint32(i) }, b)
		b.Release()
	}
}

// dispatch encodes one dispatch of n threads.
func (m *machine) dispatch(e mtl.ComputeCommandEncoder, kernel string, n int, buffers ...mtl.Buffer) {
	do(e.SetComputePipelineState(m.kernels[kernel]))
	for i, b := range buffers {
		do(e.SetBuffer(b, 0, uint(i)))
	}
	do(e.DispatchThreads(line(n), line(min(n, 32))))
}

// hammerQueue has a queue of its own, whose command buffers it commits before it waits for the
// last.
func hammerQueue(t *testing.T, m *machine, i int) {
	q := must(m.NewCommandQueue())
	defer q.Release()
	x := newWords(m, 100, mtl.ResourceStorageModeShared)
	defer x.Release()
	var last mtl.CommandBuffer
	for n := range 5 {
		last = must(q.CommandBuffer())
		e := must(last.ComputeCommandEncoder())
		do(e.SetBytes(word(uint32(i)), 1))
		m.dispatch(e, []string{"number", "plus"}[min(n, 1)], 100, x)
		do(e.EndEncoding(), last.Commit())
	}
	do(last.Wait(context.Background()))
	wordsAre(t, func(k int) uint32 { return uint32(k + 5*i) }, x)
}

// hammerShared uses one queue with others, and concurrent encoders.
func hammerShared(t *testing.T, m *machine, q mtl.CommandQueue, i int) {
	var xs [6]mtl.Buffer
	for n := range xs {
		xs[n] = newWords(m, 40, mtl.ResourceStorageModeShared)
		defer xs[n].Release()
	}
	b := must(q.CommandBuffer())
	e := must(b.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent))
	do(e.SetBytes(word(uint32(i)), 1))
	for _, x := range xs {
		m.dispatch(e, "number", 40, x)
	}
	do(e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers))
	for _, x := range xs {
		m.dispatch(e, "twice", 40, x)
	}
	do(e.EndEncoding(), run(b))
	for _, x := range xs {
		wordsAre(t, func(k int) uint32 { return uint32(2 * (k + i)) }, x)
	}
}

// chain is one link of a chain of queues, each of which waits for the one before.
func chain(m *machine, event mtl.SharedEvent, at uint64) {
	q := must(m.NewCommandQueue())
	defer q.Release()
	b := must(q.CommandBuffer())
	do(b.EncodeWaitForEvent(event.Event, at), b.EncodeSignalEvent(event.Event, at+1), run(b))
}

// hammerHeap has buffers that lie over each other, one after the other.
func hammerHeap(t *testing.T, m *machine, i int) {
	d := must(mtl.NewHeapDescriptor())
	defer d.Release()
	d.SetSize(1 << 16)
	d.SetType(mtl.HeapType(i / 8 % 2)) // automatic or placement
	d.SetStorageMode(mtl.StorageModeShared)
	h := must(m.NewHeap(d))
	defer h.Release()
	q := must(m.NewCommandQueue())
	defer q.Release()
	for n := range 6 {
		var x mtl.Buffer
		if h.Type() == mtl.HeapTypePlacement {
			x = must(h.NewBufferWithOffset(400, mtl.ResourceStorageModeShared, 0))
		} else {
			x = must(h.NewBuffer(400, mtl.ResourceStorageModeShared))
		}
		b := must(q.CommandBuffer())
		e := must(b.ComputeCommandEncoder())
		do(e.UseHeap(h), e.SetBytes(word(uint32(n)), 1))
		m.dispatch(e, "number", 100, x)
		do(e.EndEncoding(), run(b))
		wordsAre(t, func(k int) uint32 { return uint32(k + n) }, x)
		if n%2 == 0 {
			do(x.MakeAliasable())
		}
		x.Release()
	}
	assert.Zero(t, h.UsedSize())
}

// hammerIndirect writes commands and runs them, twice.
func hammerIndirect(t *testing.T, m *machine, i int) {
	const commands = 12
	d := must(mtl.NewIndirectCommandBufferDescriptor())
	defer d.Release()
	d.SetCommandTypes(mtl.IndirectCommandTypeConcurrentDispatchThreads)
	d.SetInheritPipelineState(false)
	d.SetInheritBuffers(false)
	d.SetMaxKernelBufferBindCount(2)
	icb := must(m.NewIndirectCommandBufferWithDescriptor(d, 2*commands, mtl.ResourceStorageModeShared))
	defer icb.Release()
	x, k := newWords(m, 8*commands, mtl.ResourceStorageModeShared), newWords(m, 1, mtl.ResourceStorageModeShared)
	defer x.Release()
	defer k.Release()
	must(mtl.Slice[uint32](k))[0] = uint32(i)
	for n := range uint(2 * commands) {
		c := must(icb.IndirectComputeCommandAtIndex(n))
		kernel := m.kernels["number"]
		if n >= commands {
			kernel = m.kernels["plus"]
		}
		do(c.SetComputePipelineState(kernel), c.SetKernelBuffer(x, n%commands*32, 0), c.SetKernelBuffer(k, 0, 1),
			c.ConcurrentDispatchThreads(line(8), line(8)))
		if n == commands {
			do(c.SetBarrier())
		}
	}
	q := must(m.NewCommandQueue())
	defer q.Release()
	b := must(q.CommandBuffer())
	e := must(b.ComputeCommandEncoder())
	do(e.UseResources([]mtl.Resource{x.Resource, k.Resource}, mtl.ResourceUsageRead|mtl.ResourceUsageWrite))
	do(e.ExecuteCommandsInBuffer(icb, mtl.Range{Length: 2 * commands}), e.EndEncoding(), run(b))
	wordsAre(t, func(n int) uint32 { return uint32(n%8 + 2*i) }, x)
}

// hammerArchive stores a pipeline, loads it again and runs it.
func hammerArchive(t *testing.T, m *machine, path string) {
	p := must(mtl.NewComputePipelineDescriptor())
	defer p.Release()
	f := must(m.library.NewFunction("number"))
	defer f.Release()
	p.SetComputeFunction(f)
	ad := must(mtl.NewBinaryArchiveDescriptor())
	defer ad.Release()
	a := must(m.NewBinaryArchive(ad))
	defer a.Release()
	do(a.AddComputePipelineFunctions(p), a.SerializeToFile(path))
	state, _, err := m.NewComputePipelineStateWithDescriptor(p, 0)
	do(err)
	defer state.Release()
	x := newWords(m, 10, mtl.ResourceStorageModeShared)
	defer x.Release()
	q := must(m.NewCommandQueue())
	defer q.Release()
	b := must(q.CommandBuffer())
	e := must(b.ComputeCommandEncoder())
	do(e.SetComputePipelineState(state), e.SetBuffer(x, 0, 0), e.SetBytes(word(7), 1),
		e.DispatchThreads(line(10), line(10)), e.EndEncoding(), run(b))
	wordsAre(t, func(k int) uint32 { return uint32(k + 7) }, x)
}

// hammerPeers writes on one device and reads on another, through a view of the same memory.
func hammerPeers(t *testing.T, a, b *machine, i int) {
	if a == b {
		return
	}
	x := newWords(a, 64, mtl.ResourceStorageModePrivate)
	view := must(x.NewRemoteBufferView(b.Device))
	out := newWords(b, 64, mtl.ResourceStorageModeShared)
	defer out.Release()
	ready := a.NewSharedEvent()
	defer ready.Release()
	qa, qb := must(a.NewCommandQueue()), must(b.NewCommandQueue())
	defer qa.Release()
	defer qb.Release()
	second := must(qb.CommandBuffer())
	do(second.EncodeWaitForEvent(ready.Event, 1))
	c := must(second.BlitCommandEncoder())
	do(c.CopyFromBuffer(view, 0, out, 0, 256), c.EndEncoding(), second.Commit())
	view.Release() // the command buffer keeps it, and it the memory
	first := must(qa.CommandBuffer())
	e := must(first.ComputeCommandEncoder())
	do(e.SetBytes(word(uint32(i)), 1))
	a.dispatch(e, "number", 64, x)
	do(e.EndEncoding(), first.EncodeSignalEvent(ready.Event, 1), first.Commit())
	x.Release()
	do(second.Wait(context.Background()), first.Wait(context.Background()))
	wordsAre(t, func(k int) uint32 { return uint32(k + i) }, out)
}

// TestManyQueuesMeet has queues of four devices pass a turn around through one shared event.
func TestManyQueuesMeet(t *testing.T) {
	ds := devices(t)
	const turns = 10
	event := ds[0].NewSharedEvent()
	defer event.Release()
	var got []uint64
	together(t, len(ds), func(i int) {
		q := must(ds[i].NewCommandQueue())
		defer q.Release()
		var last mtl.CommandBuffer
		for turn := range turns {
			b := must(q.CommandBuffer())
			at := uint64(turn*len(ds) + i)
			do(b.EncodeWaitForEvent(event.Event, at))
			// Only one handler is at work at a time, the event says whose.
			do(b.AddScheduledHandler(func(mtl.CommandBuffer) {}))
			do(b.EncodeSignalEvent(event.Event, at+1), b.Commit())
			last = b
		}
		do(last.Wait(context.Background()))
	})
	got = append(got, event.SignaledValue())
	assert.True(t, slices.Equal(got, []uint64{turns * 4}), got)
}

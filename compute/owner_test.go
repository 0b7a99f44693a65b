package compute

import (
	"math"
	"runtime"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dropOne makes a buffer and forgets it.
//
//go:noinline
func dropOne(t *testing.T, a *Accelerator) {
	_, err := NewBuffer[byte](a, 8, BufferOptions{})
	require.NoError(t, err)
}

// collect returns a function that collects garbage and says how many bytes are still allocated.
func collect(a *Accelerator) func() uint64 {
	return func() uint64 { runtime.GC(); return a.Allocated() }
}

// collected waits until the garbage collector has closed what was dropped.
func collected(t *testing.T, a *Accelerator, bytes uint64) {
	t.Helper()
	settle.Equal(t, "bytes of buffers", bytes, collect(a))
}

// TestDroppedAfterOthers: a buffer is closed by the garbage collector also when it has the anchor
// of one that was closed before, and though handles of that one, and sub-buffers, are reachable.
func TestDroppedAfterOthers(t *testing.T) {
	a := accelerator(t)
	plain, err := NewBuffer[byte](a, 8, BufferOptions{})
	require.NoError(t, err)
	plain.Close()
	require.Len(t, a.core.Anchors, 1)
	dropOne(t, a)
	require.Empty(t, a.core.Anchors)
	collected(t, a, 0)

	parted, err := NewBuffer[byte](a, 8, BufferOptions{})
	require.NoError(t, err)
	parts := []*Buffer[byte]{parted.ReadOnly()}
	part, err := parted.Slice(1, 2)
	require.NoError(t, err)
	parts = append(parts, part)
	parted.Close()
	require.Empty(t, a.core.Anchors, "its parts would keep the next buffer reachable")
	require.ErrorIs(t, parts[1].Upload(t.Context(), []byte{1}), ErrClosed)
	dropOne(t, a)
	collected(t, a, 0)
	runtime.KeepAlive(parts)
	runtime.KeepAlive(plain)
}

// TestReachableByPart: a part keeps the memory after the buffer was dropped.
func TestReachableByPart(t *testing.T) {
	a := accelerator(t)
	part := func() *Buffer[byte] {
		b, err := NewBuffer[byte](a, 8, BufferOptions{})
		require.NoError(t, err)
		part, err := b.Slice(0, 4)
		require.NoError(t, err)
		return part
	}()
	for range 3 {
		runtime.GC()
	}
	require.NoError(t, part.Upload(t.Context(), []byte{1, 2, 3, 4}))
	assert.EqualValues(t, 8, a.Allocated())
	runtime.KeepAlive(part)
	part = nil
	collected(t, a, 0)
}

// TestCloseMany: many goroutines close one buffer, make parts of it and use it; it is closed once,
// and its memory is another's only then.
func TestCloseMany(t *testing.T) {
	a := accelerator(t)
	for range 200 {
		b, err := NewBuffer[byte](a, 64, BufferOptions{})
		require.NoError(t, err)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if part, err := b.Slice(1, 3); err == nil {
					_ = part.Upload(t.Context(), []byte{7})
				}
				b.Close()
				b.Close()
			})
		}
		all.Wait()
		require.Zero(t, a.Allocated())
		require.ErrorIs(t, b.Upload(t.Context(), []byte{1}), ErrClosed)
	}
	assert.LessOrEqual(t, len(a.core.Anchors), 200)
	assert.Zero(t, a.Memory().Rented)
}

// TestRentedBufferAllocations: a buffer from the pool takes two, its handle and its memory's
// description.
func TestRentedBufferAllocations(t *testing.T) {
	a := accelerator(t)
	if a.core.Exact {
		t.Skip("the sanitizer takes notes of buffers")
	}
	least := math.Inf(1)
	for range 5 { // other goroutines' allocations count too, so the least is this one's
		least = min(least, testing.AllocsPerRun(100, func() {
			b, err := NewBuffer[byte](a, 64, BufferOptions{Label: "again"})
			require.NoError(t, err)
			b.Close()
		}))
	}
	assert.LessOrEqual(t, least, 2.0)
}

// TestLabels: a buffer has its own label, whatever the pool's block was called before.
func TestLabels(t *testing.T) {
	a := accelerator(t)
	for _, label := range []string{"one", "one", "", "two", ""} {
		b, err := NewBuffer[byte](a, 64, BufferOptions{Label: label})
		require.NoError(t, err)
		m, _ := b.Metal()
		assert.Equal(t, label, m.Label())
		b.Close()
	}
	assert.EqualValues(t, 1, a.Memory().Classes[0].Misses, "all had one block")
}

// TestMemoryList: memory leaves the list from any place, once.
func TestMemoryList(t *testing.T) {
	m := make([]*stream.Memory, 5)
	var l stream.MemoryList
	for i := range m {
		m[i] = &stream.Memory{Id: uint64(i)}
		l.Add(m[i])
	}
	for _, i := range []int{2, 0, 4} {
		assert.True(t, l.Remove(m[i]))
		assert.False(t, l.Remove(m[i]))
	}
	assert.ElementsMatch(t, []*stream.Memory{m[3], m[1]}, l.TakeAll())
	assert.Empty(t, l.TakeAll())
	l.Add(m[2])
	assert.Equal(t, []*stream.Memory{m[2]}, l.TakeAll())
}

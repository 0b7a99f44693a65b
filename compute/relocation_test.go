package compute

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/pool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inHeaps is for memory that the host sees, if such memory comes from heaps: managed memory, which
// it is where the GPU has memory of its own, does not.
func inHeaps(a *Accelerator) Intent {
	if a.info.Limits.UnifiedMemory {
		return HostVisible
	}
	return DeviceOnly
}

// scattered makes buffers of a MiB in heaps of eight, and closes all but so many of each heap. Each
// has its number as content.
func scattered(t *testing.T, a *Accelerator, o BufferOptions, keep ...int) (kept []*Buffer[byte]) {
	t.Helper()
	const n = 1 << 20
	var all []*Buffer[byte]
	for range 8 * len(keep) {
		b, err := NewBuffer[byte](a, n, o)
		require.NoError(t, err)
		t.Cleanup(b.Close)
		all = append(all, b)
	}
	require.Equal(t, len(keep), a.Memory().Heaps)
	for i, b := range all {
		if i%8 >= keep[i/8] {
			b.Close()
			continue
		}
		require.NoError(t, b.Upload(t.Context(), []byte{byte(b.ID())}))
		kept = append(kept, b)
	}
	a.Collect()
	return kept
}

// intact sees that buffers have the content of [scattered].
func intact(t *testing.T, all []*Buffer[byte]) {
	t.Helper()
	for _, b := range all {
		var got [1]byte
		require.NoError(t, b.Download(t.Context(), got[:]))
		assert.Equal(t, byte(b.ID()), got[0])
	}
}

// TestDefragment: relocatable buffers move into one heap, and keep content and label; launches that
// were prepared before find them.
func TestDefragment(t *testing.T) {
	for _, intent := range []Intent{HostVisible, DeviceOnly} {
		a := accelerator(t)
		if intent == HostVisible {
			intent = inHeaps(a)
		}
		kept := scattered(t, a, BufferOptions{Label: "kept", Intent: intent, Relocatable: true}, 1, 4, 3)
		add := kernels(t, a, `kernel void add(device uchar *x [[buffer(0)]]) { x[0] += 100; }`)("add")
		s := newStream(t, a)
		var prepared []*Launch
		for _, b := range kept {
			l, err := add.Bind(Threads1D(1), b)
			require.NoError(t, err)
			prepared = append(prepared, l)
		}
		before := a.Memory()
		got, err := a.Defragment(t.Context(), 0)
		require.NoError(t, err)
		assert.Equal(t, pool.Defragmented{Blocks: 4, Bytes: 4 << 20, Heaps: 2, Freed: 16 << 20}, got)
		after := a.Memory()
		if intent == HostVisible { // else there is memory that uploads were staged in
			assert.Equal(t, 1, after.Heaps)
		}
		assert.Less(t, after.Fragmentation, before.Fragmentation)
		intact(t, kept)
		for _, l := range prepared {
			require.NoError(t, s.Run(t.Context(), l))
		}
		require.NoError(t, s.Sync(t.Context()))
		for _, b := range kept {
			var got [1]byte
			require.NoError(t, b.Download(t.Context(), got[:]))
			assert.Equal(t, byte(b.ID())+100, got[0])
			m, _ := b.Metal()
			assert.Equal(t, "kept", m.Label())
		}
	}
}

// TestDefragmentStays: a buffer whose place the program knows is not moved, nor one that work uses,
// nor one that is not relocatable.
func TestDefragmentStays(t *testing.T) {
	places := map[string]func(*testing.T, *Buffer[byte]){
		"Data": func(t *testing.T, b *Buffer[byte]) {
			_, err := b.Data()
			require.NoError(t, err)
		},
		"Address": func(t *testing.T, b *Buffer[byte]) {
			_, err := b.Address()
			require.NoError(t, err)
		},
		"Metal": func(_ *testing.T, b *Buffer[byte]) { b.Metal() },
		"work": func(t *testing.T, b *Buffer[byte]) {
			require.NoError(t, b.owner.Mem.Use())
			t.Cleanup(b.owner.Mem.Done)
		},
	}
	for name, know := range places {
		t.Run(name, func(t *testing.T) {
			a := accelerator(t)
			if name == "Data" && inHeaps(a) != HostVisible {
				t.Skip("what the host sees does not come from heaps")
			}
			kept := scattered(t, a, BufferOptions{Intent: inHeaps(a), Relocatable: true}, 1, 4)
			place := kept[0].owner.Mem.Buffer
			know(t, kept[0])
			know(t, kept[0])
			got, err := a.Defragment(t.Context(), 0)
			require.NoError(t, err)
			assert.Zero(t, got)
			assert.Equal(t, place, kept[0].owner.Mem.Buffer)
			if inHeaps(a) == HostVisible {
				assert.Equal(t, 2, a.Memory().Heaps)
			}
		})
	}
	a := accelerator(t)
	scattered(t, a, BufferOptions{Intent: inHeaps(a)}, 1, 4)
	got, err := a.Defragment(t.Context(), 0)
	require.NoError(t, err)
	assert.Zero(t, got)
}

// TestDefragmentBesideWork: buffers are written, read and closed while others move.
func TestDefragmentBesideWork(t *testing.T) {
	a := accelerator(t)
	kept := scattered(t, a, BufferOptions{Intent: inHeaps(a), Relocatable: true}, 1, 2, 3, 4)
	ended := make(chan struct{})
	var work sync.WaitGroup
	for i, b := range kept[:8] {
		work.Go(func() {
			for n := range 30 {
				v := byte(n + i)
				assert.NoError(t, b.Upload(t.Context(), []byte{v}))
				got := [1]byte{}
				assert.NoError(t, b.Download(t.Context(), got[:]))
				assert.Equal(t, v, got[0])
			}
			if i%2 == 0 {
				b.Close()
			}
		})
	}
	go func() { work.Wait(); close(ended) }()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		default:
		}
		_, err := a.Defragment(t.Context(), 0)
		require.NoError(t, err)
	}
	intact(t, kept[8:])
}

// TestDefragmentRefused: the call has the errors of every call, and Close waits for copies that a
// call did not wait for.
func TestDefragmentRefused(t *testing.T) {
	a, err := Open()
	require.NoError(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = a.Defragment(ended, 0)
	require.ErrorIs(t, err, context.Canceled)
	b, err := NewBuffer[byte](a, 8, BufferOptions{Relocatable: true})
	require.NoError(t, err)
	b.Close()
	require.ErrorIs(t, b.owner.Mem.Stay(), ErrClosed)
	require.ErrorIs(t, b.Upload(t.Context(), []byte{1}), ErrClosed)
	require.NoError(t, a.Close(t.Context()))
	_, err = a.Defragment(t.Context(), 0)
	require.ErrorIs(t, err, ErrClosed)
}

// TestWithPool: watermarks and the age of idle memory are those of the option.
func TestWithPool(t *testing.T) {
	_, err := Open(WithPool(pool.Options{Soft: 2, Hard: 1}))
	require.ErrorIs(t, err, ErrOption)
	require.ErrorIs(t, err, pool.ErrOptions)

	now := time.Unix(1, 0)
	a := accelerator(t, WithPool(pool.Options{MaxIdle: time.Second, Now: func() time.Time { return now }}))
	b := bufferOf[byte](t, a, 1)
	b.Close()
	a.Trim()
	assert.NotZero(t, a.Memory().Idle)
	now = now.Add(time.Second)
	a.Trim()
	assert.Zero(t, a.Memory().Reserved)

	d := a.Device()
	working := float64(d.RecommendedMaxWorkingSetSize())
	if working == 0 {
		t.Skip("the device recommends no working set, and so has no watermarks")
	}
	// 64 MiB more than the device has now.
	hard := (float64(d.CurrentAllocatedSize()) + 64<<20) / working
	low := accelerator(t, WithPool(pool.Options{Soft: hard / 2, Hard: hard}))
	_, err = NewBuffer[byte](low, 128<<20, BufferOptions{})
	require.ErrorIs(t, err, ErrOutOfMemory)
	assert.ErrorContains(t, err, "hard watermark")
	private := mtl.StorageModePrivate
	few, err := NewBuffer[byte](low, 32<<20, BufferOptions{Storage: &private})
	require.NoError(t, err)
	few.Close()
}

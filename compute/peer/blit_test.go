package peer

import (
	"context"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBlit: a copy that the receiving device can make by itself takes no stream; others do.
func TestBlit(t *testing.T) {
	first, again, second, alone := device(t, 0), device(t, 0), device(t, 1), device(t, 3)
	for _, c := range []struct {
		name string
		to   *compute.Accelerator
		mode mtl.StorageMode
		blit bool
	}{{"peers", second, private, true}, {"peers, shared", second, shared, false}, {"no peers", alone, private, false},
		{"one device", again, shared, true}} {
		t.Run(c.name, func(t *testing.T) {
			if c.to == alone && Reachable(first, alone) {
				t.Skip("all devices here are peers")
			}
			l := connect(t, first, c.to, Options{})
			src, dst := buffer(t, first, 1000, c.mode), buffer(t, c.to, 1000, private)
			upload(t, src, counting(1000, 5))
			upload(t, dst, make([]uint32, 1000))
			before := c.to.Stats().Commands
			require.NoError(t, Copy(t.Context(), l, dst, src))
			require.Equal(t, c.blit, c.to.Stats().Commands == before)
			require.Equal(t, counting(1000, 5), contents(t, dst))
			require.EqualValues(t, 4000, l.Stats().Bytes)
		})
	}
}

// TestBlits: copies at the same time, more than the link has lanes.
func TestBlits(t *testing.T) {
	first, second := device(t, 0), device(t, 1)
	l := connect(t, first, second, Options{Transfers: 2})
	require.NoError(t, l.Enable())
	var all sync.WaitGroup
	for i := range uint32(8) {
		src, dst := buffer(t, first, 3000, private), buffer(t, second, 3000, private)
		upload(t, src, counting(3000, i))
		all.Go(func() {
			for range 20 {
				assert.NoError(t, Copy(t.Context(), l, dst, src))
			}
			assert.Equal(t, counting(3000, i), contents(t, dst))
		})
	}
	all.Wait()
	require.EqualValues(t, 160, l.Stats().Remote)
}

// TestBlitFailure: a device that fails once is tried again, one that fails always fails the copy,
// and the destination counts as not written until a later copy succeeds.
func TestBlitFailure(t *testing.T) {
	first, second := device(t, 0), device(t, 1)
	l := connect(t, first, second, Options{})
	src, dst := buffer(t, first, 100, private), buffer(t, second, 100, private)
	upload(t, src, counting(100, 1))
	inject(t, second, softmetal.Faults{CommandEvery: 2, CommandCode: 9})
	for range 5 {
		require.NoError(t, Copy(t.Context(), l, dst, src))
	}
	inject(t, second, softmetal.Faults{CommandEvery: 1, CommandCode: 9})
	var failed *compute.ExecutionError
	require.ErrorAs(t, Copy(t.Context(), l, dst, src), &failed)
	inject(t, second, softmetal.Faults{})
	require.ErrorContains(t, dst.Download(t.Context(), make([]uint32, 100)), "the work that wrote it failed")
	require.NoError(t, Copy(t.Context(), l, dst, src))
	require.Equal(t, counting(100, 1), contents(t, dst))
	require.EqualValues(t, 1, l.Stats().Failed)
}

// TestBlitCanceled: the wait for work that uses a buffer ends with the context.
func TestBlitCanceled(t *testing.T) {
	first, second := device(t, 0), device(t, 1)
	l := connect(t, first, second, Options{})
	src, dst := buffer(t, first, 100, private), buffer(t, second, 100, private)
	upload(t, src, counting(100, 1))
	for _, a := range []*compute.Accelerator{first, second} {
		g := newGate(t, a)
		busy := src
		if a == second {
			busy = dst
		}
		require.NoError(t, g.stream.Encode(t.Context(), func(mtl.CommandBuffer) error { return nil }, compute.Writes(busy)))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- Copy(ctx, l, dst, src) }()
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
		g.open()
		require.NoError(t, g.stream.Sync(t.Context()))
	}
	require.NoError(t, Copy(t.Context(), l, dst, src))
	require.Equal(t, counting(100, 1), contents(t, dst))
}

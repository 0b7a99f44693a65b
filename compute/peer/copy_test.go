package peer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// device opens a device by its index, or skips the test if there are fewer, as on most machines.
func device(t testing.TB, index int, o ...compute.Option) *compute.Accelerator {
	t.Helper()
	if all, err := compute.Devices(); err == nil && index > 0 && index >= len(all) {
		t.Skipf("there are %d devices", len(all))
	}
	return computetest.Open(t, append(o, compute.WithDeviceIndex(index))...)
}

// connect makes a link that is closed at the end of the test.
func connect(t testing.TB, from, to *compute.Accelerator, o Options) *Link {
	t.Helper()
	l, err := Connect(from, to, o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.Close(context.Background())) })
	return l
}

// buffer makes a buffer of n numbers in memory of the given storage mode.
func buffer(t testing.TB, a *compute.Accelerator, n int, mode mtl.StorageMode) *compute.Buffer[uint32] {
	t.Helper()
	b, err := compute.NewBuffer[uint32](a, n, compute.BufferOptions{Storage: &mode})
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

func counting(n int, seed uint32) []uint32 {
	data := make([]uint32, n)
	for i := range data {
		data[i] = seed + uint32(i)*2654435761
	}
	return data
}

func upload(t testing.TB, b *compute.Buffer[uint32], data []uint32) {
	t.Helper()
	require.NoError(t, b.Upload(t.Context(), data))
}

func contents(t testing.TB, b *compute.Buffer[uint32]) []uint32 {
	t.Helper()
	data := make([]uint32, b.Len())
	require.NoError(t, b.Download(t.Context(), data))
	return data
}

const private, shared = mtl.StorageModePrivate, mtl.StorageModeShared

// TestCopy copies on every path: private and shared buffers, less than a chunk, whole chunks and a
// rest, more chunks than there is staging memory for, and parts of buffers.
func TestCopy(t *testing.T) {
	first, second, alone := device(t, 0), device(t, 1), device(t, 3)
	const chunk = 16 << 10
	o := Options{Chunk: chunk, Buffers: 2}
	for _, to := range []*compute.Accelerator{second, alone} {
		l := connect(t, first, to, o)
		for _, mode := range []mtl.StorageMode{private, shared} {
			for _, n := range []int{1, chunk / 4, chunk/4 + 1, 9*chunk/4 - 3} {
				t.Run(fmt.Sprintf("%v %v %d", l, mode, n), func(t *testing.T) {
					src, dst := buffer(t, first, n+8, mode), buffer(t, to, n+8, mode)
					data := counting(n+8, uint32(n))
					upload(t, src, data)
					upload(t, dst, make([]uint32, n+8))
					from, err := src.Slice(4, 4+n)
					require.NoError(t, err)
					into, err := dst.Slice(2, 2+n)
					require.NoError(t, err)
					require.NoError(t, Copy(t.Context(), l, into, from))
					want := append(append([]uint32{0, 0}, data[4:4+n]...), make([]uint32, 6)...)
					assert.Equal(t, want, contents(t, dst))
					assert.Equal(t, data, contents(t, src))
				})
			}
		}
	}
}

// TestPaths checks which way data takes, and what is counted.
func TestPaths(t *testing.T) {
	first, again, second, alone := device(t, 0), device(t, 0), device(t, 1), device(t, 3)
	for _, c := range []struct {
		name     string
		from, to *compute.Accelerator
		mode     mtl.StorageMode
		want     Path
	}{
		{"peers", first, second, private, Remote},
		{"peers, shared memory", first, second, shared, Staged},
		{"no peers", second, alone, private, Staged},
		{"one device", first, again, private, Local},
		{"one device, shared memory", first, again, shared, Local},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.to == alone && Reachable(c.from, c.to) {
				t.Skip("all devices are peers")
			}
			l := connect(t, c.from, c.to, Options{})
			assert.Equal(t, c.want != Staged || c.mode == shared, Reachable(c.from, c.to))
			src, dst := buffer(t, c.from, 100, c.mode), buffer(t, c.to, 100, c.mode)
			upload(t, src, counting(100, 1))
			x, err := CopyAsync(t.Context(), l, Streams{}, dst, src)
			require.NoError(t, err)
			require.NoError(t, x.Wait(t.Context()))
			<-x.Done()
			assert.Equal(t, c.want, x.Path())
			assert.Equal(t, counting(100, 1), contents(t, dst))
			s := l.Stats()
			assert.Positive(t, s.Time)
			assert.Equal(t, map[Path]uint64{c.want: 1}[Remote], s.Remote)
			assert.Equal(t, map[Path]uint64{c.want: 1}[Staged], s.Staged)
			assert.Equal(t, map[Path]uint64{c.want: 1}[Local], s.Local)
			assert.Equal(t, Stats{Transfers: 1, Bytes: 400, Time: s.Time, Remote: s.Remote, Staged: s.Staged, Local: s.Local}, s)
		})
	}
}

const stepSource = `
kernel void start(device uint* x, constant uint& seed, uint i [[thread_position_in_grid]]) { x[i] = seed + i; }
kernel void twice(device uint* x, uint i [[thread_position_in_grid]]) { x[i] *= 2; }
`

func kernel(t testing.TB, a *compute.Accelerator, source, name string) *compute.Kernel {
	t.Helper()
	p, err := a.Compile(t.Context(), source, compute.CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	k, err := p.Kernel(name)
	require.NoError(t, err)
	return k
}

func stream(t testing.TB, a *compute.Accelerator) *compute.Stream {
	t.Helper()
	s, err := a.NewStream(compute.StreamOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
	return s
}

// TestStreams checks that a copy is ordered with the work of both streams, without any wait by the
// host: the source is written before and after it, and the destination before and after it.
func TestStreams(t *testing.T) {
	first, second, alone := device(t, 0), device(t, 1), device(t, 3)
	const n = 100_000
	for _, to := range []*compute.Accelerator{second, alone} {
		l := connect(t, first, to, Options{Chunk: 64 << 10})
		src, dst := buffer(t, first, n, private), buffer(t, to, n, private)
		from, into := stream(t, first), stream(t, to)
		start, twice := kernel(t, first, stepSource, "start"), kernel(t, to, stepSource, "twice")
		ctx := t.Context()
		sums := make([][]uint32, 5)
		var all []*Transfer
		for round := range uint32(5) {
			require.NoError(t, from.Launch(ctx, start, compute.Threads1D(n), src, round))
			x, err := CopyAsync(ctx, l, Streams{from, into}, dst, src)
			require.NoError(t, err)
			all = append(all, x)
			require.NoError(t, into.Launch(ctx, twice, compute.Threads1D(n), dst))
			sums[round] = make([]uint32, n)
			require.NoError(t, compute.DownloadAsync(ctx, into, sums[round], dst, nil))
		}
		for _, x := range all {
			require.NoError(t, x.Wait(ctx))
		}
		require.NoError(t, into.Sync(ctx))
		require.NoError(t, from.Sync(ctx))
		for round, got := range sums {
			for i, v := range got {
				if v != 2*(uint32(round)+uint32(i)) {
					t.Fatalf("%v: round %d: element %d is %d", l, round, i, v)
				}
			}
		}
	}
}

// TestMany copies from many goroutines over one link, more than it has lanes.
func TestMany(t *testing.T) {
	first, second, alone := device(t, 0), device(t, 1), device(t, 3)
	for _, to := range []*compute.Accelerator{second, alone} {
		l := connect(t, first, to, Options{Chunk: 4 << 10, Transfers: 2})
		if to == second {
			require.NoError(t, l.Enable())
		}
		var all sync.WaitGroup
		for g := range 8 {
			src, dst := buffer(t, first, 5000, private), buffer(t, to, 5000, private)
			all.Go(func() {
				for round := range 5 {
					data := counting(5000, uint32(g*100+round))
					if !assert.NoError(t, src.Upload(t.Context(), data)) ||
						!assert.NoError(t, Copy(t.Context(), l, dst, src)) {
						return
					}
					got := make([]uint32, 5000)
					if assert.NoError(t, dst.Download(t.Context(), got)) {
						assert.Equal(t, data, got)
					}
				}
			})
		}
		all.Wait()
		assert.EqualValues(t, 40, l.Stats().Transfers)
		l.Disable()
	}
}

// TestViews checks that an enabled link keeps the views of the buffers used last, and no others.
func TestViews(t *testing.T) {
	first, second := device(t, 0), device(t, 1)
	l := connect(t, first, second, Options{})
	require.NoError(t, l.Enable())
	require.NoError(t, l.Enable(), "twice")
	dst := buffer(t, second, 64, private)
	for i := range maxViews + 3 {
		src := buffer(t, first, 64, private)
		upload(t, src, counting(64, uint32(i)))
		for range 2 {
			require.NoError(t, Copy(t.Context(), l, dst, src))
		}
		assert.Equal(t, counting(64, uint32(i)), contents(t, dst))
		metal, _ := src.Metal()
		assert.Equal(t, metal.ID(), l.views.list[len(l.views.list)-1].of)
	}
	assert.Len(t, l.views.list, maxViews)
	l.Disable()
	assert.Nil(t, l.views)
	l.Disable()

	if alone := device(t, 3); !Reachable(first, alone) {
		require.ErrorIs(t, connect(t, first, alone, Options{}).Enable(), ErrNoPeer)
	}
}

// TestCancel cancels copies before and during their way: nothing hangs, and the link works on.
func TestCancel(t *testing.T) {
	first, alone := device(t, 0), device(t, 3)
	l := connect(t, first, alone, Options{Chunk: 4 << 10})
	const n = 1 << 20
	src, dst := buffer(t, first, n, private), buffer(t, alone, n, private)
	upload(t, src, counting(n, 1))
	cause := errors.New("no longer wanted")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	err := Copy(ctx, l, dst, src)
	require.ErrorIs(t, err, compute.ErrCanceled)
	require.ErrorIs(t, err, cause)

	// The gate holds the copy until it has been canceled, whatever the machine's speed.
	gate := newGate(t, first)
	x, err := CopyAsync(t.Context(), l, Streams{From: gate.stream}, dst, src)
	if err == nil {
		x.Cancel()
		gate.open()
		err = x.Wait(t.Context())
	}
	require.ErrorIs(t, err, compute.ErrCanceled)
	require.ErrorIs(t, err, context.Canceled)
	s := l.Stats()
	assert.EqualValues(t, 1, s.Canceled, "%v", s)

	require.NoError(t, Copy(t.Context(), l, dst, src))
	assert.Equal(t, counting(n, 1), contents(t, dst))
}

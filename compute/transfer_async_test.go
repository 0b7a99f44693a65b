package compute

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAsyncOrder: asynchronous transfers are commands of the stream: each sees what the commands
// before it have done and none of what comes after it, in memory that the host can access and in
// memory that it cannot, in parts of buffers too. Nothing happens to the slices before the stream
// comes to it.
func TestAsyncOrder(t *testing.T) {
	a := accelerator(t)
	k := kernels(t, a, saxpy)("saxpy")
	one := bufferOf[float32](t, a, 1, 1, 1)
	for _, intent := range []Intent{HostVisible, DeviceOnly, Readback} {
		for _, from := range []int{0, 1} {
			t.Run(fmt.Sprintf("%v from %d", intent, from), func(t *testing.T) {
				s, done := newStream(t, a), newEvent(t, a)
				b, err := NewBuffer[float32](a, 3+from, BufferOptions{Intent: intent})
				require.NoError(t, err)
				defer b.Close()
				part, err := b.Slice(from, 3+from)
				require.NoError(t, err)
				release := blockStream(t, s)
				in, first, second := []float32{9, 9, 9}, make([]float32, 3), make([]float32, 2)
				require.NoError(t, UploadAsync(t.Context(), s, part, in, nil))
				require.NoError(t, DownloadAsync(t.Context(), s, first, part, nil))
				require.NoError(t, s.Launch(t.Context(), k, Threads1D(3), one, part, float32(5)))
				require.NoError(t, DownloadAsync(t.Context(), s, second, part, done))
				require.NoError(t, s.Launch(t.Context(), k, Threads1D(3), one, part, float32(5)))
				copy(in, []float32{1, 2, 3}) // the stream is blocked: it has not read them
				assert.Equal(t, make([]float32, 3), first)
				assert.False(t, done.Reached())
				release()
				require.NoError(t, done.Wait(t.Context()))
				assert.Equal(t, []float32{1, 2, 3}, first)
				assert.Equal(t, []float32{6, 7}, second)
				require.NoError(t, s.Sync(t.Context()))
				last := make([]float32, 3)
				require.NoError(t, part.Download(t.Context(), last))
				assert.Equal(t, []float32{11, 12, 13}, last)
			})
		}
	}
}

// TestAsyncPortions: a transfer that is larger than the staging memory.
func TestAsyncPortions(t *testing.T) {
	a := accelerator(t)
	s := newStream(t, a)
	const n = maxStaging + 1000
	b, err := NewBuffer[byte](a, n, BufferOptions{Intent: DeviceOnly})
	require.NoError(t, err)
	defer b.Close()
	in, out := make([]byte, n), make([]byte, n)
	for i := range in {
		in[i] = byte(i * 7 >> 3)
	}
	require.NoError(t, UploadAsync(t.Context(), s, b, in, nil))
	require.NoError(t, DownloadAsync(t.Context(), s, out, b, nil))
	before := a.Allocated()
	require.NoError(t, s.Sync(t.Context()))
	assert.True(t, slices.Equal(in, out))
	assert.LessOrEqual(t, before, uint64(n+2*maxStaging))
	assert.EqualValues(t, n, a.Allocated(), "the staging memory has been given back")
}

// TestAsyncRefused: what is refused has recorded nothing, and holds no memory.
func TestAsyncRefused(t *testing.T) {
	other, a := accelerator(t), accelerator(t)
	s := newStream(t, a)
	b, err := NewBuffer[int32](a, 2, BufferOptions{Intent: DeviceOnly})
	require.NoError(t, err)
	foreign := newEvent(t, other)
	two, three := make([]int32, 2), make([]int32, 3)
	ctx := t.Context()
	require.ErrorIs(t, UploadAsync(ctx, s, b, three, nil), ErrRange)
	require.ErrorIs(t, DownloadAsync(ctx, s, three, b, nil), ErrRange)
	require.ErrorIs(t, UploadAsync(ctx, s, b.ReadOnly(), two, nil), ErrStorage)
	require.ErrorIs(t, UploadAsync(ctx, s, nil, two, nil), ErrNil)
	require.ErrorIs(t, UploadAsync(ctx, nil, b, two, nil), ErrNil)
	require.ErrorIs(t, DownloadAsync(ctx, s, two, b, foreign), ErrAccelerator)
	require.ErrorIs(t, UploadAsync(ctx, newStream(t, other), b, two, nil), ErrAccelerator)
	assert.EqualValues(t, 8, a.Allocated())
	closed := newStream(t, a)
	require.NoError(t, closed.Close(ctx))
	require.ErrorIs(t, DownloadAsync(ctx, closed, two, b, nil), ErrClosed)
	b.Close()
	require.ErrorIs(t, UploadAsync(ctx, s, b, two, nil), ErrClosed)
	require.ErrorIs(t, DownloadAsync(ctx, s, nil, b, nil), ErrClosed)
	assert.Zero(t, s.Stats().Commands)
	assert.Zero(t, a.Allocated())
}

// TestFailedWrites: the failure of the work that wrote a buffer is what its downloads return, until
// it has been written anew.
func TestFailedWrites(t *testing.T) {
	a := accelerator(t)
	failOn(t, a, softmetal.Faults{}) // skips where there are none
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1, 2), bufferOf[float32](t, a, 0, 0)
	got := make([]float32, 2)
	ctx := context.Background()

	failOn(t, a, softmetal.Faults{CommandEvery: 1, CommandCode: int(mtl.CommandBufferErrorTimeout)})
	require.NoError(t, s.Launch(ctx, k, Threads1D(2), x, y, float32(1)))
	err := y.Download(ctx, got)
	require.ErrorIs(t, err, ErrTimeout)
	assert.ErrorContains(t, err, "the work that wrote it failed")
	require.NoError(t, x.Download(ctx, got), "it was only read")
	require.ErrorIs(t, s.Sync(ctx), ErrTimeout, "it is the stream's failure as well")
	require.ErrorIs(t, y.Download(ctx, got), ErrTimeout, "still")

	failOn(t, a, softmetal.Faults{})
	got[0] = 7
	require.NoError(t, DownloadAsync(ctx, s, got, y, nil))
	require.ErrorIs(t, s.Sync(ctx), ErrTimeout)
	assert.EqualValues(t, 7, got[0], "nothing was copied")
	require.NoError(t, y.Upload(ctx, []float32{1}))
	require.NoError(t, y.Download(ctx, got[:1]))
	require.ErrorIs(t, y.Download(ctx, got), ErrTimeout, "its second element was not written")
	require.NoError(t, Fill(ctx, s, y, 0))
	require.NoError(t, y.Download(ctx, got))
	assert.Equal(t, []float32{0, 0}, got)
}

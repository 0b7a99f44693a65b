package compute

import (
	"context"
	"errors"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPoisonRanges: each byte has the failure of the last command that should have written it.
func TestPoisonRanges(t *testing.T) {
	one, two := errors.New("one"), errors.New("two")
	m := &stream.Memory{Acc: &stream.Device{}}
	at := func(from, to uint) stream.View { return stream.ViewOf(m, from, to-from) }
	at(0, 100).Overwritten()
	require.NoError(t, at(0, 100).Failure("test"))
	at(10, 20).Spoil(one)
	at(40, 60).Spoil(two)
	require.NoError(t, at(0, 10).Failure("test"))
	require.NoError(t, at(20, 40).Failure("test"), "between two that failed")
	require.ErrorIs(t, at(0, 11).Failure("test"), one)
	require.ErrorIs(t, at(59, 100).Failure("test"), two)
	at(45, 50).Overwritten()
	require.NoError(t, at(45, 50).Failure("test"), "in the middle")
	require.ErrorIs(t, at(44, 50).Failure("test"), two)
	require.ErrorIs(t, at(45, 51).Failure("test"), two)
	at(15, 55).Spoil(one)
	require.ErrorIs(t, at(54, 60).Failure("test"), one)
	require.ErrorIs(t, at(55, 60).Failure("test"), two)
	at(0, 100).Overwritten()
	require.NoError(t, at(0, 100).Failure("test"))
	for i := range uint(3 * stream.MaxPoisoned) {
		at(1000+4*i, 1001+4*i).Spoil(one)
	}
	assert.Len(t, m.Poison().Ranges, stream.MaxPoisoned, "neighbors are joined")
	for i := range uint(3 * stream.MaxPoisoned) {
		require.ErrorIs(t, at(1000+4*i, 1001+4*i).Failure("test"), one)
	}
	require.NoError(t, at(0, 1000).Failure("test"))
}

// failing makes all command buffers of the device fail, until the function that it returns is
// called.
func failing(t *testing.T, a *Accelerator) (sound func()) {
	t.Helper()
	failOn(t, a, softmetal.Faults{CommandEvery: 1, CommandCode: int(mtl.CommandBufferErrorTimeout)})
	return func() { failOn(t, a, softmetal.Faults{}) }
}

// TestPoisonTravels: what is made from memory that failed work should have written is as undefined,
// although the work that made it succeeded, until it is overwritten.
func TestPoisonTravels(t *testing.T) {
	a := accelerator(t)
	failOn(t, a, softmetal.Faults{}) // skips where there are none
	k, s, other := kernels(t, a, saxpy)("saxpy"), newStream(t, a), newStream(t, a)
	ctx := context.Background()
	x, y := bufferOf[float32](t, a, 1, 2, 3, 4), bufferOf[float32](t, a, 0, 0, 0, 0)
	z := bufferOf[float32](t, a, 0, 0, 0, 0)
	got := make([]float32, 4)
	bad := func(b *Buffer[float32], text string) {
		t.Helper()
		err := b.Download(ctx, got)
		require.ErrorIs(t, err, ErrTimeout)
		require.ErrorContains(t, err, text)
	}
	sound := failing(t, a)
	require.NoError(t, s.Launch(ctx, k, Threads1D(4), x, y, float32(1)))
	require.ErrorIs(t, s.Sync(ctx), ErrTimeout)
	sound()

	const derived = "the work that wrote it read what failed work should have written"
	require.NoError(t, s.Launch(ctx, k, Threads1D(4), y, z, float32(1)))
	require.NoError(t, s.Sync(ctx), "the launch itself succeeded")
	bad(z, derived)
	require.NoError(t, s.Launch(ctx, k, Threads1D(4), x, y, float32(1)), "it adds to y")
	bad(y, derived)
	require.NoError(t, s.Launch(ctx, k, Threads1D(4), x, y, float32(1), Overwrites(y)), "it need not")
	require.NoError(t, y.Download(ctx, got))

	// A copy takes the poison of each byte along, across streams too.
	half, err := z.Slice(0, 2)
	require.NoError(t, err)
	require.NoError(t, half.Upload(ctx, []float32{7, 8}))
	w := bufferOf[float32](t, a, 0, 0, 0, 0)
	e := newEvent(t, a)
	require.NoError(t, Copy(ctx, s, w, z))
	require.NoError(t, s.Record(ctx, e))
	require.NoError(t, other.WaitFor(ctx, e))
	require.NoError(t, Copy(ctx, other, y, w))
	require.NoError(t, other.Sync(ctx))
	bad(y, derived)
	require.NoError(t, y.Download(ctx, got[:2]))
	assert.Equal(t, []float32{7, 8}, got[:2])
	require.NoError(t, Fill(ctx, s, z, 0))
	require.NoError(t, z.Download(ctx, got))

	// The program's own commands.
	none := func(mtl.CommandBuffer) error { return nil }
	require.NoError(t, s.Encode(ctx, none, Reads(y), Writes(z)))
	bad(z, derived)
}

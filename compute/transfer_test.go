package compute

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBlitAlignment: where the device copies whole units of 4 bytes, as Macs without Apple's GPU
// do, uploads and downloads of any bytes do, and leave their neighbors alone; copies and fills of
// parts that are no whole units are refused by the call.
func TestBlitAlignment(t *testing.T) {
	a := accelerator(t)
	a.info.Limits.BlitAlignment, a.core.Info.Limits.BlitAlignment = 4, 4
	const n = 21
	s, ctx := newStream(t, a), t.Context()
	private := func(n int) *Buffer[uint8] {
		b, err := NewZeroed[uint8](ctx, a, n, BufferOptions{Intent: DeviceOnly})
		require.NoError(t, err)
		t.Cleanup(b.Close)
		return b
	}
	b := private(n)
	want := make([]byte, n)
	for from := range n {
		for to := from + 1; to <= n; to++ {
			part, err := b.Slice(from, to)
			require.NoError(t, err)
			data := bytes.Repeat([]byte{byte(from*n + to)}, to-from)
			copy(want[from:], data)
			require.NoError(t, part.Upload(ctx, data))
			clear(data)
			require.NoError(t, part.Download(ctx, data))
			require.Equal(t, want[from:to], data)
			got := make([]byte, n)
			require.NoError(t, b.Download(ctx, got))
			require.Equal(t, want, got, "[%d, %d)", from, to)
		}
	}
	assert.Zero(t, a.Stats().CopiedBytes%4, "whole units")
	assert.EqualValues(t, 24, a.Stats().FilledBytes)

	whole, part := private(n), func(b *Buffer[uint8], from, to int) *Buffer[uint8] {
		p, err := b.Slice(from, to)
		require.NoError(t, err)
		return p
	}
	require.NoError(t, Copy(ctx, s, whole, b), "with the room behind the end")
	require.NoError(t, Copy(ctx, s, part(whole, 4, 12), part(b, 8, 16)))
	require.NoError(t, Fill(ctx, s, part(whole, 16, n), 7))
	require.NoError(t, s.Sync(ctx))
	copy(want[4:12], bytes.Clone(want[8:16]))
	copy(want[16:], []byte{7, 7, 7, 7, 7})
	got := make([]byte, n)
	require.NoError(t, whole.Download(ctx, got))
	assert.Equal(t, want, got)

	for _, err := range []error{
		Copy(ctx, s, part(whole, 0, 5), part(b, 0, 5)), Copy(ctx, s, part(whole, 16, n), part(b, 0, 5)),
		Copy(ctx, s, part(whole, 0, 4), part(b, 1, 5)),
		Fill(ctx, s, part(whole, 2, 6), 0), Fill(ctx, s, part(whole, 0, 3), 0),
	} {
		require.ErrorIs(t, err, ErrRange)
		assert.ErrorContains(t, err, "the device requires multiples of 4")
	}
	require.NoError(t, s.Sync(ctx), "nothing of it went to the device")
}

package compute

import (
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/sanitizer"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSanitizerUndefined: reading a buffer that nothing has written is a mistake, copying it is
// not.
func TestSanitizerUndefined(t *testing.T) {
	private := mtl.StorageModePrivate
	for name, x := range map[string]struct {
		run   func(o *orderTest, b *Buffer[uint32])
		wrong bool
	}{
		"new buffer": {func(o *orderTest, b *Buffer[uint32]) { o.launch(0, "look", b, o.buffer()) }, true},
		"copy of one": {func(o *orderTest, b *Buffer[uint32]) {
			c := o.buffer()
			require.NoError(o, Copy(o.Context(), o.s[0], c, b))
			o.launch(0, "look", c, o.buffer())
		}, true},
		"copy over what was written": {func(o *orderTest, b *Buffer[uint32]) {
			c := o.buffer()
			o.launch(0, "set", c, uint32(1))
			require.NoError(o, Copy(o.Context(), o.s[0], c, b))
			o.launch(0, "look", c, o.buffer())
		}, true},
		"rented again": {func(o *orderTest, _ *Buffer[uint32]) {
			first := o.buffer()
			o.launch(0, "set", first, uint32(1))
			first.Close()
			o.launch(0, "look", o.buffer(), o.buffer())
		}, true},
		"a part uploaded": {func(o *orderTest, b *Buffer[uint32]) {
			require.NoError(o, b.Upload(o.Context(), make([]uint32, 99)))
			o.launch(0, "look", b, o.buffer())
		}, true},
		"an atomic change": {func(o *orderTest, b *Buffer[uint32]) { o.launch(0, "add", b) }, true},
		"private": {func(o *orderTest, _ *Buffer[uint32]) {
			b, err := NewBuffer[uint32](o.a, 100, BufferOptions{Storage: &private})
			require.NoError(o, err)
			defer b.Close()
			o.launch(0, "look", b, o.buffer())
		}, true},
		"only copied": {func(o *orderTest, b *Buffer[uint32]) {
			require.NoError(o, Copy(o.Context(), o.s[0], o.buffer(), b))
		}, false},
		"uploaded": {func(o *orderTest, b *Buffer[uint32]) {
			require.NoError(o, b.Upload(o.Context(), make([]uint32, 100)))
			o.launch(0, "look", b, o.buffer())
		}, false},
		"private, uploaded": {func(o *orderTest, _ *Buffer[uint32]) {
			b, err := NewBuffer[uint32](o.a, 100, BufferOptions{Storage: &private})
			require.NoError(o, err)
			defer b.Close()
			require.NoError(o, b.Upload(o.Context(), make([]uint32, 100)))
			o.launch(0, "look", b, o.buffer())
		}, false},
		"uploaded on the stream": {func(o *orderTest, b *Buffer[uint32]) {
			require.NoError(o, UploadAsync(o.Context(), o.s[0], b, make([]uint32, 100), nil))
			o.launch(0, "look", b, o.buffer())
		}, false},
		"zeroed": {func(o *orderTest, _ *Buffer[uint32]) {
			for _, mode := range []mtl.StorageMode{mtl.StorageModeShared, mtl.StorageModePrivate} {
				b, err := NewZeroed[uint32](o.Context(), o.a, 100, BufferOptions{Storage: &mode})
				require.NoError(o, err)
				o.launch(0, "look", b, o.buffer())
				b.Close()
			}
		}, false},
		"Data": {func(o *orderTest, b *Buffer[uint32]) {
			data, err := b.Data()
			require.NoError(o, err)
			clear(data)
			o.launch(0, "look", b, o.buffer())
		}, false},
		"written by a kernel": {func(o *orderTest, b *Buffer[uint32]) {
			o.launch(0, "set", b, uint32(1))
			o.launch(0, "look", b, o.buffer())
		}, false},
		"relocatable": {func(o *orderTest, _ *Buffer[uint32]) {
			b, err := NewBuffer[uint32](o.a, 100, BufferOptions{Storage: &private, Relocatable: true})
			require.NoError(o, err)
			defer b.Close()
			require.NoError(o, b.Upload(o.Context(), make([]uint32, 100)))
			_, err = o.a.Defragment(o.Context(), 1<<20)
			require.NoError(o, err)
			o.launch(0, "look", b, o.buffer())
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOrderTest(t, sanitizer.Uninitialized)
			x.run(o, o.buffer())
			found := o.found()
			if !x.wrong {
				require.Empty(t, found)
				return
			}
			require.NotEmpty(t, found)
			assert.Equal(t, sanitizer.Uninitialized, found[0].Kind)
			assert.Contains(t, found[0].Message, "before anything has written it")
			assert.True(t, found[0].Thread.Known)
			if name == "a part uploaded" {
				assert.Equal(t, uint64(396), found[0].Offset)
			}
		})
	}
}

// TestSanitizerFreed: a kernel that follows a pointer to a buffer that has been closed.
func TestSanitizerFreed(t *testing.T) {
	o := newOrderTest(t, sanitizer.All)
	p, err := o.a.Compile(t.Context(), `#include <metal_stdlib>
using namespace metal;
struct link { device uint *to; };
kernel void follow(constant link &l [[buffer(0)]], device uint *out [[buffer(1)]],
                   uint i [[thread_position_in_grid]]) {
    out[i] = l.to[i];
}`, CompileOptions{Name: "follow.metal"})
	require.NoError(t, err)
	defer p.Close()
	k, err := p.Kernel("follow")
	require.NoError(t, err)
	b, err := NewBuffer[uint32](o.a, 100, BufferOptions{Label: "target"})
	require.NoError(t, err)
	require.NoError(t, b.Upload(t.Context(), make([]uint32, 100)))
	at, err := b.Address()
	require.NoError(t, err)
	type link struct{ To uint64 }
	out := o.buffer()
	run := func(access ...any) {
		require.NoError(t, o.s[0].Launch(t.Context(), k, Threads1D(100), append([]any{link{at}, out}, access...)...))
		require.NoError(t, o.s[0].Sync(t.Context()))
	}
	run(Reads(b))
	require.Empty(t, o.found())
	b.Close()
	run()
	found := o.found()
	require.Len(t, found, 1)
	t.Log(found[0])
	assert.Equal(t, sanitizer.Freed, found[0].Kind)
	assert.Equal(t, `read of buffer "target" of 400 bytes, which has been closed`, found[0].Message)
	assert.Equal(t, 6, found[0].Line)
}

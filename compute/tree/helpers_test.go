package tree

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/objc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// accelerator opens the default device, and sees that the test leaves nothing open.
func accelerator(t testing.TB, options ...compute.Option) *compute.Accelerator {
	t.Helper()
	objects := objc.LiveObjects()
	a, err := compute.Open(append([]compute.Option{compute.WithLogger(slog.New(slog.DiscardHandler))}, options...)...)
	require.NoError(t, err)
	d, before := a.Device(), a.Device().CurrentAllocatedSize()
	d.Retain()
	t.Cleanup(func() {
		assert.NoError(t, a.Close(context.Background()))
		settle.Equal(t, "bytes on the device", before, d.CurrentAllocatedSize)
		d.Release()
		settle.AtMost(t, "live objects", objects, objc.LiveObjects)
		if t.Failed() {
			t.Log(objc.Leaks())
		}
	})
	return a
}

func newStream(t testing.TB, a *compute.Accelerator) *compute.Stream {
	t.Helper()
	s, err := a.NewStream(compute.StreamOptions{Label: t.Name()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
	return s
}

// bufferOf makes a buffer that ends with the test.
func bufferOf[T any](t testing.TB, a *compute.Accelerator, data ...T) *compute.Buffer[T] {
	t.Helper()
	b, err := compute.BufferOf(t.Context(), a, data)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

// newTexture makes a texture that ends with the test.
func newTexture[T any](t testing.TB, a *compute.Accelerator, shape compute.TextureShape, o compute.TextureOptions,
	data ...T) *compute.Texture[T] {
	t.Helper()
	x, err := compute.NewTexture[T](a, shape, o)
	require.NoError(t, err)
	t.Cleanup(x.Close)
	if len(data) > 0 {
		require.NoError(t, x.Upload(t.Context(), data))
	}
	return x
}

// texelsOf downloads a texture.
func texelsOf[T any](t testing.TB, x *compute.Texture[T]) []T {
	t.Helper()
	data := make([]T, x.Len())
	require.NoError(t, x.Download(t.Context(), data))
	return data
}

// plantsMistakes skips a test whose kernels are wrong on purpose where all kernels are sanitized:
// whoever runs the tests that way takes a finding in the log for a mistake.
func plantsMistakes(t testing.TB) {
	t.Helper()
	if os.Getenv("PUREMETAL_SANITIZE") != "" {
		t.Skip("the kernels are wrong on purpose, and PUREMETAL_SANITIZE logs that")
	}
}

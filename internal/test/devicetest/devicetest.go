// Package devicetest has what tests of the packages above compute need of a device. Tests of
// package compute itself, which cannot import it, have their own.
package devicetest

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

// Open opens the default device, and sees that the test leaves nothing open.
func Open(t testing.TB, options ...compute.Option) *compute.Accelerator {
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

// Kernels compiles source for a test and returns its kernels by name.
func Kernels(t testing.TB, a *compute.Accelerator, source string) func(string, ...compute.Constant) *compute.Kernel {
	t.Helper()
	p, err := a.Compile(t.Context(), source, compute.CompileOptions{Name: t.Name()})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return func(name string, constants ...compute.Constant) *compute.Kernel {
		t.Helper()
		k, err := p.Kernel(name, constants...)
		require.NoError(t, err)
		return k
	}
}

// Stream makes a stream that ends with the test.
func Stream(t testing.TB, a *compute.Accelerator) *compute.Stream {
	t.Helper()
	s, err := a.NewStream(compute.StreamOptions{Label: t.Name()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
	return s
}

// BufferOf makes a buffer that ends with the test.
func BufferOf[T any](t testing.TB, a *compute.Accelerator, data ...T) *compute.Buffer[T] {
	t.Helper()
	b, err := compute.BufferOf(t.Context(), a, data)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

// Texture makes a texture that ends with the test, with data if there is any.
func Texture[T any](t testing.TB, a *compute.Accelerator, shape compute.TextureShape, o compute.TextureOptions,
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

// Texels downloads a texture.
func Texels[T any](t testing.TB, x *compute.Texture[T]) []T {
	t.Helper()
	data := make([]T, x.Len())
	require.NoError(t, x.Download(t.Context(), data))
	return data
}

// PlantsMistakes skips a test whose kernels are wrong on purpose where all kernels are sanitized:
// whoever runs the tests that way takes a finding in the log for a mistake.
func PlantsMistakes(t testing.TB) {
	t.Helper()
	if os.Getenv("PUREMETAL_SANITIZE") != "" {
		t.Skip("the kernels are wrong on purpose, and PUREMETAL_SANITIZE logs that")
	}
}

// SoftwareOnly skips a test of what only the software device does.
func SoftwareOnly(t testing.TB, what string) {
	t.Helper()
	if !Open(t).Info().Software {
		t.Skip("only the software device " + what)
	}
}

// RequireCanceled expects the error of a call that a canceled context ended.
func RequireCanceled(t testing.TB, err error) {
	t.Helper()
	require.ErrorIs(t, err, compute.ErrCanceled)
	require.ErrorIs(t, err, context.Canceled)
}

package tree

import (
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/devicetest"
)

// Short names of what tests of several packages share.
var (
	accelerator = devicetest.Open
	newStream   = devicetest.Stream

	plantsMistakes = devicetest.PlantsMistakes
)

func bufferOf[T any](t testing.TB, a *compute.Accelerator, data ...T) *compute.Buffer[T] {
	t.Helper()
	return devicetest.BufferOf(t, a, data...)
}

func newTexture[T any](t testing.TB, a *compute.Accelerator, shape compute.TextureShape, o compute.TextureOptions,
	data ...T) *compute.Texture[T] {
	t.Helper()
	return devicetest.Texture(t, a, shape, o, data...)
}

func texelsOf[T any](t testing.TB, x *compute.Texture[T]) []T {
	t.Helper()
	return devicetest.Texels(t, x)
}

package compute

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTextureArray: an array of textures is a parameter that knows its length.
func TestTextureArray(t *testing.T) {
	a := accelerator(t)
	program, err := a.Compile(t.Context(), `
kernel void several(metal::array<metal::texture2d<float, metal::access::read>, 3> all,
	device float *x) { x[0] = all[1].read(uint2(0)).x; }
kernel void one(metal::texture2d<float, metal::access::read> all, device float *x) { x[0] = all.read(uint2(0)).x; }`, CompileOptions{})
	require.NoError(t, err)
	defer program.Close()
	for name, count := range map[string]uint{"several": 3, "one": 1} {
		k, err := program.Kernel(name)
		require.NoError(t, err)
		assert.Equal(t, TextureParameter, k.Parameters()[1].Kind, name)
		assert.Equal(t, count, k.Parameters()[1].Count, name)
	}
	several, err := program.Kernel("several")
	require.NoError(t, err)
	x, err := NewBuffer[float32](a, 1, BufferOptions{})
	require.NoError(t, err)
	defer x.Close()
	_, err = several.Bind(Threads1D(1), x)
	assert.ErrorContains(t, err, "texture 0 (all): missing; the kernel expects an array of 3, each a 2D texture of float")
}

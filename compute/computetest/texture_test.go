package computetest

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/computetest/internal/kernels"
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

func imageWith[P any](t testing.TB, pixels []P, format string) *kernel.Image {
	t.Helper()
	m, err := kernel.NewImage(pixels, 2, 2, format)
	require.NoError(t, err)
	return m
}

func TestEqualOnCPUTextures(t *testing.T) {
	in := imageWith(t, [][4]uint8{{1, 2, 3, 255}, {200, 100, 50, 0}, {7, 8, 9, 10}, {0, 0, 0, 0}}, "RGBA8Unorm")
	grid := compute.Threads2D(3, 2)
	for _, out := range []*kernel.Image{
		imageWith(t, make([][4]uint8, 4), "bgra8unorm"), imageWith(t, make([]simd.Half4, 4), "RGBA16Float"),
		imageWith(t, make([]int16, 4), "R16Snorm"), imageWith(t, make([]uint32, 4), "RG11B10Float"),
	} {
		EqualOnCPU(t, kernels.Mix, grid, in, float32(0.3), out)
		assert.Zero(t, bytes.Trim(out.Bytes(), "\x00"), "arguments are copied")
	}
	EqualOnCPU(t, kernels.Mix, grid, kernel.Texture2D[simd.Float4]{Image: in}, float32(1),
		kernel.WriteTexture2D[simd.Float4]{Image: imageWith(t, make([]float32, 4), "R32Float")})
	EqualOnCPU(t, kernels.Counts, grid, imageWith(t, []uint8{1, 2, 250, 4}, "R8Uint"),
		imageWith(t, []uint16{65535, 1, 2, 65300}, "R16Uint"))
}

func TestEqualOnCPUTextureMistakes(t *testing.T) {
	one := compute.Threads1D(1)
	bytes4 := imageWith(t, []uint8{1, 2, 3, 4}, "R8Uint")
	var none *kernel.Image
	for _, c := range []struct {
		fn   any
		args []any
		want string
	}{
		{kernels.Mix, []any{none, float32(1), none}, `argument 0: no image; want a \*kernel.Image`},
		{kernels.Mix, []any{[]byte{1}, float32(1), none}, `argument 0: no image`},
		{kernels.Counts, []any{kernel.Texture2D[simd.UInt4]{}, bytes4}, `argument 0: no image`},
		{kernels.Mix, []any{bytes4, float32(1), bytes4}, "which kernels see as uint or ushort; the kernel takes"},
		{kernels.Counts, []any{bytes4, bytes4}, "which the kernel writes; use a second texture"},
		{kernels.Counts, []any{bytes4, imageWith(t, make([][2]uint8, 4), "RG8Uint")}, "cannot both read and write"},
		{kernels.Mix, []any{imageWith(t, make([]uint16, 4), "B5G6R5Unorm"), float32(1), bytes4}, "is not supported"},
	} {
		got := record(t, func(tb testing.TB) { EqualOnCPU(tb, c.fn, one, c.args...) })
		require.Len(t, got, 1, c.want)
		assert.Regexp(t, c.want, got[0])
	}
}

// TestTexelDifferences: the first texel that differs is reported with its place and both values.
func TestTexelDifferences(t *testing.T) {
	floats, snorms := make([]simd.Float4, 4), make([]int8, 4)
	floats[1].X, snorms[2] = float32(math.NaN()), -127
	for _, c := range []struct {
		out    *kernel.Image
		change func(b []byte) // of the device
		want   []string
	}{
		{imageWith(t, make([][4]uint8, 4), "RGBA8Unorm"), func(b []byte) { b[5], b[13], b[14] = 255, 255, 1 },
			[]string{"in(1, 0).Y is 1 (0x3f800000) on the device, 0 (0x00000000) on the CPU; 2 of 4 texels differ"}},
		{imageWith(t, floats, "RGBA32Float"), func(b []byte) { b[16] = 1 }, nil}, // another NaN
		{imageWith(t, snorms, "R8Snorm"), func(b []byte) { b[2] = 0x80 },
			[]string{"in(0, 1) is 80 on the device, 81 on the CPU; 1 of 4 texels differ"}}, // both are -1
	} {
		f, err := functionOf(kernels.Mix)
		require.NoError(t, err)
		f.names = []string{"in", "weight", "out"}
		require.NoError(t, f.take([]any{c.out, float32(1), c.out}))
		assert.Empty(t, f.differences())
		c.change(f.memory[0])
		assert.Equal(t, c.want, f.differences())
	}
	f, err := functionOf(kernels.Counts)
	require.NoError(t, err)
	f.names = []string{"in", "out"}
	in, out := imageWith(t, make([]int32, 4), "R32Sint"), imageWith(t, make([]uint32, 4), "R32Uint")
	require.NoError(t, f.take([]any{in, out}))
	f.memory[0][8], f.memory[1][4] = 0xff, 7
	assert.Equal(t, []string{
		"in(0, 1).X is 255 on the device, 0 on the CPU; 1 of 4 texels differ",
		"out(1, 0).X is 7 (0x00000007) on the device, 0 (0x00000000) on the CPU; 1 of 4 texels differ",
	}, f.differences())
}

package rewrite

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSwapAxes(t *testing.T) {
	got, err := SwapAxes(`kernel void a(device float *x [[buffer(0)]], uint2 p [[thread_position_in_grid]]) { x[p.x] = 1; }
kernel void b(uint3  q[[ threads_per_grid ]], ushort2 r [[thread_position_in_threadgroup]])
{
	f(q, r);
}`, "b")
	require.NoError(t, err)
	assert.Equal(t, `kernel void a(device float *x [[buffer(0)]], uint2 p [[thread_position_in_grid]]) { x[p.x] = 1; }
kernel void b(uint3 q_swapped [[threads_per_grid]], ushort2 r_swapped [[thread_position_in_threadgroup]])
{ const uint3 q = q_swapped.yxz; const ushort2 r = r_swapped.yx;
	f(q, r);
}`, got)
	got, err = SwapAxes(`[[kernel]] void a(uint2 p [[thread_position_in_grid]]) {}`, "a")
	require.NoError(t, err)
	assert.Equal(t, `[[kernel]] void a(uint2 p_swapped [[thread_position_in_grid]]) { const uint2 p = p_swapped.yx;}`, got)
	for _, c := range []struct{ source, want string }{
		{`kernel void k(uint i [[thread_position_in_grid]]) {}`, "i of kernel k is one number"},
		{`kernel void k(uint2 p [[thread_position_in_grid]], uint i [[thread_index_in_threadgroup]]) {}`,
			"i of kernel k is the order of threads"},
		{`kernel void k(device float *x [[buffer(0)]]) {}`, "takes no positions"},
		{`kernel void other() {}`, "is not found"},
		{`kernel void k(uint2 p [[thread_position_in_grid]]`, "the body of kernel k is not found"},
	} {
		_, err := SwapAxes(c.source, "k")
		require.ErrorIs(t, err, ErrNot)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestPadRows(t *testing.T) {
	rest := "];\ntile[a[0]][b] = tile [0][1];\nthreadgroup float tiles[4][4];"
	got, err := PadRows("threadgroup float tile[16][N"+rest, "tile")
	require.NoError(t, err)
	assert.Equal(t, "threadgroup float tile[16][(N) + 1"+rest, got)
	for _, c := range []struct{ source, want string }{
		{"threadgroup float tile[16];", "0 declarations"},
		{"threadgroup float tile[4][4]; threadgroup float tile[4][4];", "2 declarations"},
		{"threadgroup float tile[4][4];\nf(tile);", "line 2 uses tile"},
		{"threadgroup float tile[4][4];\nf(tile[1]);", "line 2 uses tile"},
		{"threadgroup float tile[4][4];\nf(&tile[1][0]);", "line 2 uses tile"},
		{"threadgroup float tile[4][4];\nf(tile[1][0", "line 2 uses tile"},
	} {
		_, err := PadRows(c.source, "tile")
		require.ErrorIs(t, err, ErrNot)
		assert.ErrorContains(t, err, c.want)
	}
}

package rewrite

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
)

// parsed parses the kernel k of a source.
func parsed(t *testing.T, source string) *Kernel {
	t.Helper()
	k, err := Parse(source, "k", msl.Options{})
	require.NoError(t, err, source)
	return k
}

// compiles checks that a changed source is valid.
func compiles(t *testing.T, source string) {
	t.Helper()
	_, diags := msl.Compile(t.Context(), msl.Source{Text: "#include <metal_stdlib>\nusing namespace metal;\n" + source},
		msl.Options{NoWarnings: true, Verify: true})
	require.Empty(t, diags, source)
}

func TestVectorize(t *testing.T) {
	const head = "kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], " +
		"constant float &c [[buffer(2)]], device uchar *d [[buffer(3)]], uint i [[thread_position_in_grid]]) { "
	got, guarded, err := parsed(t, head+"const float x = a[i] * c, y = 1; b[i] = fma(x, y, float(1)) + x; }").Vectorize()
	require.NoError(t, err)
	assert.False(t, guarded)
	assert.Equal(t, "kernel void k(device const float4 *a [[buffer(0)]], device float4 *b [[buffer(1)]], "+
		"constant float &c [[buffer(2)]], device uchar *d [[buffer(3)]], uint i [[thread_position_in_grid]]) { "+
		"const float4 x = a[i] * c, y = 1; b[i] = fma(x, y, float4(1)) + x; }", got)
	compiles(t, got)
	for _, c := range []struct{ body, want string }{
		{"if (i != 5) b[i] = 1; }", "line 1 may be different for neighbors"},
		{"if (i > 5) b[i] = 1; }", "line 1 may be different for neighbors"},
		{"if (i < 5) b[i] = 1; else b[i] = 2; }", "line 1 may be different for neighbors"},
		{"if (i < 5) b[i] = 1; b[i] = 2; }", "line 1 may be different for neighbors"},
		{"if (i < uint(a[0])) b[i] = 1; }", "line 1 may be different for neighbors"},
		{"if (i < 5) return; b[i] = 1; }", "line 1 may be different for neighbors"},
		{"if (i < 5) b[i] = i; }", "uses i otherwise than as an index"},
		{"if (i < 5) c + 1; }", "uses i otherwise than as an index"},
		{"b[i] = a[i + 1]; }", "kernel k uses i otherwise than as an index"},
		{"b[i] = b[0]; }", "use b also at another index than i"},
		{"b[i] = i; }", "kernel k uses i otherwise than as an index"},
		{"b[i] = a[i] > 0 ? 1 : 2; }", "a[i] > 0 ? 1 : 2, which may not act"},
		{"b[i] = length(a[i]); }", "calls length, which is not known"},
		{"b[i] = a[i] < 2; }", "a[i] < 2, which may not act"},
		{"bool x = a[i]; b[i] = x; }", "has a value of type bool"},
		{"b[0] = 1; }", "uses i otherwise than as an index"},
		{"device float *p = b; p[0] = a[i]; }", "device float *, which may not act"},
	} {
		_, _, err := parsed(t, head+c.body).Vectorize()
		require.ErrorIs(t, err, ErrNot, c.body)
		assert.ErrorContains(t, err, c.want, c.body)
	}
	for _, c := range []struct{ source, want string }{
		{"kernel void k(device float *a [[buffer(0)]], uint2 i [[thread_position_in_grid]]) {}", "as uint2"},
		{"kernel void k(device float *a [[buffer(0)]]) {}", "has no thread_position_in_grid"},
		{"kernel void k(device long *a [[buffer(0)]], uint i [[thread_position_in_grid]]) { a[i] = 1; }", "of type long"},
		{"kernel void k(device float *a [[buffer(0)]], uint l [[thread_index_in_simdgroup]], " +
			"uint i [[thread_position_in_grid]]) { a[i] = 1; }", "takes l"},
	} {
		_, _, err := parsed(t, c.source).Vectorize()
		require.ErrorIs(t, err, ErrNot)
		assert.ErrorContains(t, err, c.want)
	}
}

// TestVectorizeGuarded: elements up to a bound, with what remains at the end one by one.
func TestVectorizeGuarded(t *testing.T) {
	const head = "kernel void k(device const float *a [[buffer(0)]], device float *b [[buffer(1)]], " +
		"constant uint &n [[buffer(2)]], uint i"
	const attribute = " [[thread_position_in_grid]]) "
	got, guarded, err := parsed(t, head+attribute+"{ if (i >= n) return; float x = a[i]; b[i] = x * 2; }").Vectorize()
	require.NoError(t, err)
	assert.True(t, guarded)
	assert.Equal(t, head+"_quarter"+attribute+"{ uint i = i_quarter * 4 + 3; if (!(i >= n)) { i = i_quarter; "+
		"float4 x = ((device const float4 *)a)[i]; ((device float4 *)b)[i] = x * 2; } else "+
		"for (i = i_quarter * 4; i < i_quarter * 4 + 4 && !(i >= n); i++) { float x = a[i]; b[i] = x * 2; } }", got)
	compiles(t, got)
	for _, body := range []string{"{ if (i < n) b[i] = a[i]; }", "{ if (n > i) { b[i] = a[i]; b[i] += 1; } }",
		"{ if (n <= i) { return; } b[i] = a[i]; }", "{ if (i > 99) return; b[i] = a[i]; }"} {
		got, guarded, err = parsed(t, head+attribute+body).Vectorize()
		require.NoError(t, err, body)
		assert.True(t, guarded, body)
		compiles(t, got)
	}
}

func TestStage(t *testing.T) {
	const head = "kernel void k(device const uint *a [[buffer(0)]], device uint *b [[buffer(1)]], " +
		"constant uint &n [[buffer(2)]], uint2 p [[thread_position_in_grid]], uint l [[thread_index_in_simdgroup]]) { "
	got, err := parsed(t, head+"b[p.x * n + p.y] = a[p.y * n + p.x]; }").Stage("b", 16)
	require.NoError(t, err)
	assert.Equal(t, head+"threadgroup uint b_tile[16][17]; const uint2 p_mirror = p / 16 * 16 + (p % 16).yx; "+
		"b_tile[p.y % 16][p.x % 16] = a[p.y * n + p.x]; threadgroup_barrier(mem_flags::mem_threadgroup); "+
		"{ const uint2 p = p_mirror;  b[p.x * n + p.y] = b_tile[p.y % 16][p.x % 16]; } }", got)
	compiles(t, got)
	got, err = parsed(t, head+"const uint row = min(p.x, 9u), i = 2; uint at = row * n + p.y; "+
		"uint v = a[at] + 1; b[p.y * n + p.x + i] = v; }").Stage("a", 16)
	require.ErrorContains(t, err, "uses row, which is not declared once and by itself", got)
	got, err = parsed(t, head+"const uint row = min(p.x, 9u); uint at = row * n + p.y; uint v = a[at] + 1; "+
		"b[p.y * n + p.x] = v; }").Stage("a", 16)
	require.NoError(t, err)
	assert.Contains(t, got, "{ const uint2 p = p_mirror; const uint row = min(p.x, 9u); uint at = row * n + p.y; "+
		"a_tile[p.y % 16][p.x % 16] = a[at]; } threadgroup_barrier(mem_flags::mem_threadgroup); "+
		"uint v = a_tile[p.y % 16][p.x % 16] + 1;")
	compiles(t, got)
	sized := strings.Replace(head, "constant uint &n [[buffer(2)]]", "uint2 n [[threads_per_grid]]", 1)
	got, err = parsed(t, sized+"b[p.x * n.y + p.y] = a[p.y * n.x + p.x]; }").Stage("b", 16)
	require.NoError(t, err, "the size of the grid is the same for all threads")
	compiles(t, got)
	for _, c := range []struct{ body, buffer, want string }{
		{"if (n > 1) b[p.x] = 1; }", "b", "accesses b in a branch, where not all threads may reach"},
		{"for (uint i = 0; i < n; i++) b[p.x + i] = 1; }", "b", "accesses b in a loop, whose iterations would need a tile"},
		{"b[p.x] = 1; b[p.y] = 2; }", "b", "uses b in 2 places"},
		{"b[p.x] += 1; }", "b", "does more than to store"},
		{"uint v = b[p.x]; b[p.y] = v; }", "b", "in 2 places"},
		{"uint v = b[p.x]; }", "b", "reads b, which is not const"},
		{"b[l] = 1; }", "b", "declares l, which the index uses and threads do not share"},
		{"uint i = 0; i++; b[i] = 1; }", "b", "may change i"},
		{"if (p.x > 3) return; b[p.x] = 1; }", "b", "returns, and all threads must reach the barrier"},
		{"b[a[p.x]] = 1; }", "b", "declares a, which the index uses"},
		{"b[p.x] = 1; }", "c", "has no buffer c"},
		{"device uint *q = b; q[0] = 1; }", "b", "otherwise than by its elements"},
		{"uint v = n > 3 && a[p.x] > 1; }", "a", "does not access a in all threads"},
	} {
		_, err := parsed(t, head+c.body).Stage(c.buffer, 16)
		require.ErrorIs(t, err, ErrNot, c.body)
		assert.ErrorContains(t, err, c.want, c.body)
	}
}

func TestSplit(t *testing.T) {
	const head = "struct S { float x; uint y; float z[2]; }; kernel void k(device const S *a [[buffer(0)]], " +
		"device S *b [[buffer(1)]], uint i [[thread_position_in_grid]]) { "
	l := Layout{Fields: []Field{{"x", "float", 0, 4}, {"y", "uint", 4, 4}}, Size: 16, Count: 3}
	got, err := parsed(t, head+"b[i].y = a[i + 1].y; }").Split("a", l)
	require.NoError(t, err)
	assert.Equal(t, head+"b[i].y = ((device const uint *)((device const uchar *)a + 12))[i + 1]; }", got)
	compiles(t, got)
	got, err = parsed(t, head+"b[i].x += 1; }").Split("b", l)
	require.NoError(t, err)
	compiles(t, got)
	for _, c := range []struct{ body, want string }{
		{"S s = a[i]; }", "uses a whole element of a"},
		{"device const S *q = a; b[i].x = q[i].x; }", "otherwise than by its elements"},
		{"b[i].x = a[i].z[1]; }", "a member z of a that is a structure or an array"},
		{"b[i].x = 1; }", "does not use a"},
	} {
		_, err := parsed(t, head+c.body).Split("a", l)
		require.ErrorIs(t, err, ErrNot, c.body)
		assert.ErrorContains(t, err, c.want, c.body)
	}
	data := make([]byte, 50) // two bytes more than the structures
	for i := range data {
		data[i] = byte(i)
	}
	split := l.Split(data, false)
	assert.Equal(t, []byte{0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 4, 5, 6, 7, 20, 21, 22, 23, 36, 37, 38, 39},
		split[:24])
	assert.True(t, bytes.Equal(data, l.Split(split, true)))
}

func TestPrivatize(t *testing.T) {
	const head = "kernel void k(device const uint *a [[buffer(0)]], device atomic_uint *b [[buffer(1)]], " +
		"uint i [[thread_position_in_grid]]"
	const add = "atomic_fetch_add_explicit(&b[a[i] % 8], 1, memory_order_relaxed); "
	got, err := parsed(t, head+") { if (a[i] > 2) "+add+"}").Privatize("b", 8, 64)
	require.NoError(t, err)
	assert.Contains(t, got, "if (a[i] > 2) atomic_fetch_add_explicit(&b_own[a[i] % 8], 1, memory_order_relaxed);")
	assert.Contains(t, got, ", uint b_thread [[thread_index_in_threadgroup]]) { threadgroup atomic_uint b_own[8];")
	compiles(t, got)
	got, err = parsed(t, head+", uint t [[thread_index_in_threadgroup]]) { "+add+"}").Privatize("b", 8, 64)
	require.NoError(t, err)
	assert.Contains(t, got, "for (uint j_ = t; j_ < 8; j_ += 64)")
	compiles(t, got)
	for _, c := range []struct{ body, want string }{
		{"if (i > 3) return; " + add, "returns, and"},
		{"uint x = " + add, "relaxed additions whose results it ignores"},
		{"atomic_fetch_max_explicit(&b[i], 1, memory_order_relaxed);", "relaxed additions"},
		{add + "atomic_store_explicit(&b[i], 1, memory_order_relaxed);", "relaxed additions"},
		{"device atomic_uint *p = b;", "otherwise than by its elements"},
		{"", "does not use b"},
	} {
		_, err := parsed(t, head+") { "+c.body+"}").Privatize("b", 8, 64)
		require.ErrorIs(t, err, ErrNot, c.body)
		assert.ErrorContains(t, err, c.want, c.body)
	}
	_, err = parsed(t, head+") { }").Privatize("a", 8, 64)
	require.ErrorContains(t, err, "counters of type uint")
}

// TestPointers: elements that pointers reach are found as those that indices reach.
func TestPointers(t *testing.T) {
	const head = "struct S { uint x; }; kernel void k(device const uint *a [[buffer(0)]], " +
		"device atomic_uint *b [[buffer(1)]], device const S *s [[buffer(2)]], uint i [[thread_position_in_grid]]) { "
	for _, c := range []struct{ body, want string }{
		{"atomic_fetch_add_explicit(b + (a[i] & 7), 1, memory_order_relaxed); }",
			"atomic_fetch_add_explicit(&b[(a[i] & 7)], 1, memory_order_relaxed); }"},
		{"metal::atomic_fetch_add_explicit((i + b), *a, memory_order_relaxed); }",
			"metal::atomic_fetch_add_explicit(&b[i], a[0], memory_order_relaxed); }"},
		{"atomic_fetch_add_explicit(b, 1, memory_order_relaxed); }",
			"atomic_fetch_add_explicit(&b[0], 1, memory_order_relaxed); }"},
		{"atomic_fetch_add_explicit(b + *(a + *(a + i)), (s + i)->x + s->x, memory_order_relaxed); }",
			"atomic_fetch_add_explicit(&b[a[a[i]]], s[i].x + s[0].x, memory_order_relaxed); }"},
		{"atomic_fetch_add_explicit(&b[i], a[1], memory_order_relaxed); }",
			"atomic_fetch_add_explicit(&b[i], a[1], memory_order_relaxed); }"},
		// not changed: indices may wrap where pointers do not, and a pointer may go anywhere
		{"atomic_fetch_add_explicit(b + i + 1, 1, memory_order_relaxed); }",
			"atomic_fetch_add_explicit(b + i + 1, 1, memory_order_relaxed); }"},
		{"atomic_fetch_add_explicit(b - 1, 1, memory_order_relaxed); }",
			"atomic_fetch_add_explicit(b - 1, 1, memory_order_relaxed); }"},
		{"device const uint *q = a + i; }", "device const uint *q = a + i; }"},
	} {
		k := parsed(t, head+c.body)
		assert.Equal(t, head+c.want, k.file.Text)
		compiles(t, k.file.Text)
	}
	k := parsed(t, head+"atomic_fetch_add_explicit(b + (a[i] & 7), 1, memory_order_relaxed); }")
	got, err := k.Privatize("b", 8, 64)
	require.NoError(t, err)
	compiles(t, got)
	assert.Contains(t, got, "atomic_fetch_add_explicit(&b_own[(a[i] & 7)], 1, memory_order_relaxed);")
}

// TestParse: what cannot be changed is not parsed.
func TestParse(t *testing.T) {
	for _, c := range []struct{ source, want string }{
		{"kernel void other() {}", "does not define kernel k"},
		{"void k() {}", "does not define kernel k"},
		{"kernel void k() {", "has errors"},
		{"#define X 1 + a[0]\nkernel void k(device uint *a [[buffer(0)]]) { a[1] = X; }", "uses macros"},
	} {
		_, err := Parse(c.source, "k", msl.Options{})
		require.ErrorIs(t, err, ErrNot)
		assert.ErrorContains(t, err, c.want)
	}
}

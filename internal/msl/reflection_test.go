package msl

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// reflected compiles a program and returns the reflection of its entry point k.
func reflected(t *testing.T, text string) *Kernel {
	t.Helper()
	failOnInternal(t)
	m, diags := Compile(context.Background(), Source{Text: "#include <metal_stdlib>\nusing namespace metal;\n" + text},
		Options{Verify: true})
	require.Empty(t, diags, "%s", render(t, m, diags))
	k := m.Kernel("k")
	require.NotNil(t, k)
	again, err := ir.Parse(m.IR.String())
	require.NoError(t, err)
	assert.Equal(t, k.Args, again.Func("k").Args, "the text form loses something")
	return k
}

// TestReflectBuffers: what a buffer points to, and how it may be used.
func TestReflectBuffers(t *testing.T) {
	k := reflected(t, `
struct P { float4 v; uint n; };
kernel void k(device const packed_float3 *a [[buffer(3)]], constant P &b [[buffer(1)]], device half4x3 *c, device void *d [[buffer(7)]],
              threadgroup int (&e)[12] [[threadgroup(2)]], device const bool *f [[buffer(30)]], device atomic_uint *g [[buffer(9)]], device int (*h)[5] [[buffer(4)]]) {
    c[0] = half4x3(a[0].x * b.v.x); e[0] = f[0]; atomic_store_explicit(g, b.n, memory_order_relaxed); ((device int *)d)[0] = e[1]; h[0][1] = 2;
}`)
	type row struct {
		kind          ir.ArgKind
		index         int
		data          ir.DataType
		access, space string
		size, align   int
		reference     bool
	}
	var got []row
	for _, a := range k.Args {
		got = append(got, row{a.Kind, a.Index, a.Data, a.Access, a.Space, a.Size, a.Align, a.Reference})
		assert.True(t, a.Active, a.Name)
		assert.False(t, a.ArgumentBuffer, a.Name)
	}
	assert.Equal(t, []row{
		{ir.ArgBuffer, 3, ir.DataFloat3, "read", "device", 12, 4, false},
		{ir.ArgBuffer, 1, ir.DataStruct, "read", "constant", 32, 16, true},
		{ir.ArgBuffer, 0, ir.DataHalf4x3, "read_write", "device", 32, 8, false}, // the first free index
		{ir.ArgBuffer, 7, ir.DataNone, "read_write", "device", 0, 0, false},
		{ir.ArgThreadgroup, 2, ir.DataArray, "", "", 48, 4, true},
		{ir.ArgBuffer, 30, ir.DataBool, "read", "device", 1, 1, false},
		{ir.ArgBuffer, 9, ir.DataUInt, "read_write", "device", 4, 4, false},
		{ir.ArgBuffer, 4, ir.DataArray, "read_write", "device", 20, 4, false},
	}, got)
	assert.Equal(t, &ir.Struct{Name: "P", Size: 32, Align: 16, Members: []ir.Member{
		{Name: "v", Type: "float4", Data: ir.DataFloat4, Size: 16, Align: 16},
		{Name: "n", Type: "uint", Data: ir.DataUInt, Offset: 16, Size: 4, Align: 4, Index: 1},
	}}, k.Args[1].Struct)
	assert.Equal(t, &ir.Array{Len: 12, Stride: 4, Type: "int", Data: ir.DataInt, IndexStride: 1}, k.Args[4].Array)
	assert.Equal(t, 5, k.Args[7].Array.Len)
}

// TestReflectStruct: offsets of nested members, lengths and strides of arrays, and the members of
// bases and anonymous structs.
func TestReflectStruct(t *testing.T) {
	k := reflected(t, `
enum class Mode : ushort { off, on };
struct Base { char tag; int id; };
struct Inner { half3 h; packed_half3 p; };                // 8 + 6, to 16
struct S : Base {
    Inner in[3];                                          // at 8, 48 bytes
    float3x2 m;                                           // at 56: three columns of 8
    union { float f; uint u; };                           // at 80
    Mode mode;                                            // at 84
    bool flag;                                            // at 86
    array<short2, 2> a;                                   // at 88
    uint lo : 4, hi : 20;                                 // in the unit at 96
    float grid[2][3];                                     // at 100
};
kernel void k(constant S &s [[buffer(0)]], device float *out [[buffer(1)]]) { *out = s.f; }`)
	s := k.Args[0].Struct
	require.NotNil(t, s)
	assert.Equal(t, []int{128, 8}, []int{s.Size, s.Align})
	type row struct {
		name          string
		offset        int
		data          ir.DataType
		size, align   int
		length, index int
	}
	var got []row
	for _, m := range s.Members {
		r := row{m.Name, m.Offset, m.Data, m.Size, m.Align, 0, m.Index}
		if m.Array != nil {
			r.length = m.Array.Len
		}
		got = append(got, r)
	}
	assert.Equal(t, []row{
		{"tag", 0, ir.DataChar, 1, 1, 0, 0},
		{"id", 4, ir.DataInt, 4, 4, 0, 1},
		{"in", 8, ir.DataArray, 48, 8, 3, 2},
		{"m", 56, ir.DataFloat3x2, 24, 8, 0, 8},
		{"f", 80, ir.DataFloat, 4, 4, 0, 9},
		{"u", 80, ir.DataUInt, 4, 4, 0, 9},
		{"mode", 84, ir.DataUShort, 2, 2, 0, 10},
		{"flag", 86, ir.DataBool, 1, 1, 0, 11},
		{"a", 88, ir.DataArray, 8, 4, 2, 12},
		{"lo", 96, ir.DataUInt, 4, 4, 0, 14},
		{"hi", 96, ir.DataUInt, 4, 4, 0, 15},
		{"grid", 100, ir.DataArray, 24, 4, 2, 16},
	}, got)
	in := s.Members[2].Array
	assert.Equal(t, 16, in.Stride)
	assert.Equal(t, 2, in.IndexStride)
	assert.Equal(t, []ir.Member{{Name: "h", Type: "half3", Data: ir.DataHalf3, Size: 8, Align: 8},
		{Name: "p", Type: "packed_half3", Data: ir.DataHalf3, Offset: 8, Size: 6, Align: 2, Index: 1}}, in.Struct.Members)
	grid := s.Members[11].Array
	assert.Equal(t, &ir.Array{Len: 2, Stride: 12, Type: "float[3]", Data: ir.DataArray, IndexStride: 3,
		Array: &ir.Array{Len: 3, Stride: 4, Type: "float", Data: ir.DataFloat, IndexStride: 1}}, grid)
}

// TestReflectArgumentBuffer: explicit and implicit ids, the targets of members, textures and
// samplers in memory, and a struct that points to itself.
func TestReflectArgumentBuffer(t *testing.T) {
	k := reflected(t, `
struct Node { float v; device Node *next; constant float4 *table; };
struct Material { texture2d<half, access::write> t; sampler s; };
struct Scene {
    device const Node *nodes [[id(2)]];
    array<texture2d<float>, 4> maps;                      // 3 to 6
    Material mats[2] [[id(10)]];                          // 10 to 13
    depth2d_array<float> d [[id(20)]];
    float scale;                                          // 21
};
kernel void k(constant Scene &s [[buffer(0)]], device float *out [[buffer(1)]], device const float *plain [[buffer(2)]]) { *out = s.nodes[0].next->v * s.scale + plain[0]; }`)
	assert.True(t, k.Args[0].ArgumentBuffer)
	assert.False(t, k.Args[1].ArgumentBuffer)
	ms := k.Args[0].Struct.Members
	require.Len(t, ms, 5)
	var ids []int
	for _, m := range ms {
		ids = append(ids, m.Index)
	}
	assert.Equal(t, []int{2, 3, 10, 20, 21}, ids)
	p := ms[0].Pointer
	require.NotNil(t, p)
	assert.Equal(t, ir.DataPointer, ms[0].Data)
	assert.Equal(t, []any{"read", "device", 24, 8, true}, []any{p.Access, p.Space, p.Size, p.Align, p.ArgumentBuffer})
	next := p.Struct.Members[1].Pointer
	assert.Equal(t, []any{"read_write", "Node", (*ir.Struct)(nil)}, []any{next.Access, next.Type, next.Struct},
		"a struct inside itself is not described again")
	table := p.Struct.Members[2].Pointer
	assert.Equal(t, []any{"read", "constant", ir.DataFloat4, 16}, []any{table.Access, table.Space, table.Data, table.Size})
	assert.Equal(t, &ir.TextureRef{Dim: ir.Tex2D, Data: ir.DataFloat, Access: "sample"}, ms[1].Array.Texture)
	assert.Equal(t, 1, ms[1].Array.IndexStride)
	mats := ms[2].Array
	assert.Equal(t, []int{2, 2}, []int{mats.Len, mats.IndexStride})
	assert.Equal(t, &ir.TextureRef{Dim: ir.Tex2D, Data: ir.DataHalf, Access: "write"}, mats.Struct.Members[0].Texture)
	assert.Equal(t, ir.DataSampler, mats.Struct.Members[1].Data)
	assert.Equal(t, &ir.TextureRef{Dim: ir.TexDepth2DArray, Data: ir.DataFloat, Access: "sample"}, ms[3].Texture)
}

// TestReflectLimits: the description of structs that point to many others stays small.
func TestReflectLimits(t *testing.T) {
	text := "struct S0 { int x; };\n"
	for i := 1; i < 12; i++ {
		n, before := strconv.Itoa(i), strconv.Itoa(i-1)
		text += "struct S" + n + " { "
		for j := range 9 {
			text += "device S" + before + " *p" + strconv.Itoa(j) + "; "
		}
		text += "};\n"
	}
	k := reflected(t, text+"kernel void k(constant S11 &s [[buffer(0)]]) {}")
	var count func(s *ir.Struct) int
	count = func(s *ir.Struct) int {
		if s == nil {
			return 0
		}
		n := len(s.Members)
		for _, m := range s.Members {
			if m.Pointer != nil {
				n += count(m.Pointer.Struct)
			}
		}
		return n
	}
	n := count(k.Args[0].Struct)
	assert.LessOrEqual(t, n, 4096)
	assert.Greater(t, n, 1000)
}

// TestReflectTextures: shape, component type, access, depth, and arrays.
func TestReflectTextures(t *testing.T) {
	k := reflected(t, `
kernel void k(texture2d<float> a [[texture(0)]], texture3d<half, access::read> b [[texture(1)]], texture1d_array<uint, access::write> c [[texture(2)]],
              depthcube<float> d [[texture(3)]], texture2d_ms<int, access::read> e [[texture(4)]], texture_buffer<ushort, access::read_write> f [[texture(5)]],
              texturecube_array<float> g [[texture(6)]], array<texture2d<short>, 5> h [[texture(8)]], sampler s [[sampler(1)]], array<sampler, 2> ss [[sampler(3)]]) {
    c.write(uint4(a.sample(s, float2(0)).x), 0u, 0u); f.write(ushort4(1), 2u);
}`)
	type row struct {
		ref   ir.TextureRef
		count int
		used  bool
	}
	var got []row
	for _, a := range k.Args[:8] {
		require.NotNil(t, a.TextureInfo, a.Name)
		got = append(got, row{*a.TextureInfo, a.Count, a.Active})
		assert.Equal(t, a.TextureInfo.Access, a.Access)
	}
	assert.Equal(t, []row{
		{ir.TextureRef{Dim: ir.Tex2D, Data: ir.DataFloat, Access: "sample"}, 0, true},
		{ir.TextureRef{Dim: ir.Tex3D, Data: ir.DataHalf, Access: "read"}, 0, false},
		{ir.TextureRef{Dim: ir.Tex1DArray, Data: ir.DataUInt, Access: "write"}, 0, true},
		{ir.TextureRef{Dim: ir.TexDepthCube, Data: ir.DataFloat, Access: "sample"}, 0, false},
		{ir.TextureRef{Dim: ir.Tex2DMS, Data: ir.DataInt, Access: "read"}, 0, false},
		{ir.TextureRef{Dim: ir.TexBuffer, Data: ir.DataUShort, Access: "read_write"}, 0, true},
		{ir.TextureRef{Dim: ir.TexCubeArray, Data: ir.DataFloat, Access: "sample"}, 0, false},
		{ir.TextureRef{Dim: ir.Tex2D, Data: ir.DataShort, Access: "sample"}, 5, false},
	}, got)
	assert.Equal(t, []any{ir.ArgSampler, 1, 0, true},
		[]any{k.Args[8].Kind, k.Args[8].Index, k.Args[8].Count, k.Args[8].Active})
	assert.Equal(t, []any{ir.ArgSampler, 3, 2, false},
		[]any{k.Args[9].Kind, k.Args[9].Index, k.Args[9].Count, k.Args[9].Active})
}

// TestReflectActive: an argument that is only passed to a function without effects is not active.
func TestReflectActive(t *testing.T) {
	k := reflected(t, `
static float pick(device const float *a, device const float *b, bool first) { return a[first]; }
kernel void k(device const float *a, device const float *b, device float *out, device int *none, constant int &n, device const int *unread, uint i [[thread_position_in_grid]]) {
    int x = unread[i];
    x += 1;
    if (i < uint(n)) { out[i] = pick(a, b, true); }
}`)
	var active []bool
	for _, a := range k.Args {
		active = append(active, a.Active)
	}
	assert.Equal(t, []bool{true, false, true, false, true, false}, active)
}

// TestReflectConstants: used function constants, whether the host must set them, and arguments that
// depend on them.
func TestReflectConstants(t *testing.T) {
	k := reflected(t, `
constant bool has [[function_constant(0)]];
constant int n [[function_constant(5)]];
constant half4 tint [[function_constant(9)]];
constant uint opt [[function_constant(7)]];
constant bool unused [[function_constant(8)]];
constant bool set = is_function_constant_defined(opt);
constant uint value = set ? opt : 3;
kernel void k(device float *p [[buffer(0), function_constant(has)]], device float *q [[buffer(0), function_constant(set)]], device half4 *o [[buffer(1)]]) {
    if (has) p[n] = 1;
    if (set) q[0] = value;
    o[0] = tint;
}`)
	type row struct {
		name      string
		index     int
		typ       string
		data      ir.DataType
		mandatory bool
	}
	got := map[string]row{}
	for _, c := range k.Constants {
		got[c.Name] = row{c.Name, c.Index, c.Type, c.Data, c.Required}
	}
	assert.Equal(t, map[string]row{
		"has": {"has", 0, "i1", ir.DataBool, true}, "n": {"n", 5, "i32", ir.DataInt, true},
		"tint": {"tint", 9, "f16x4", ir.DataHalf4, true}, "opt": {"opt", 7, "i32", ir.DataUInt, false},
	}, got)
	assert.Equal(t, []string{"has", ""}, []string{k.Args[0].Condition, k.Args[0].Computed})
	assert.Equal(t, []string{"", "set"}, []string{k.Args[1].Condition, k.Args[1].Computed})
	assert.Equal(t, []string{"", ""}, []string{k.Args[2].Condition, k.Args[2].Computed})
}

// TestReflectAttributes: requirements for the launch, and the layout of threadgroup memory.
func TestReflectAttributes(t *testing.T) {
	k := reflected(t, `
[[max_total_threads_per_threadgroup(256)]] [[required_threads_per_threadgroup(8, 4)]]
kernel void k(device float *p [[buffer(0)]], threadgroup float *arg [[threadgroup(0)]], uint i [[thread_index_in_threadgroup]]) {
    threadgroup uchar a[3];       // 0 to 3
    threadgroup float4 b[2];      // 16 to 48
    threadgroup ushort c;         // 48 to 50
    a[i % 3] = 1; b[0] = 2; c = 3; arg[0] = 4;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    p[i] = b[0].x + a[0] + c + arg[0];
}`)
	assert.Equal(t, 256, k.Attributes.MaxTotalThreads)
	assert.Equal(t, [3]int{8, 4, 1}, k.Attributes.RequiredThreads)
	assert.Equal(t, 50, k.Attributes.ThreadgroupStatic)
	assert.Equal(t, []ir.Memory{{Name: "a", Size: 3, Align: 1}, {Name: "b", Size: 32, Align: 16},
		{Name: "c", Size: 2, Align: 2}}, k.Threadgroup)
	assert.Equal(t, []any{ir.ArgThreadgroup, 4, 4}, []any{k.Args[1].Kind, k.Args[1].Size, k.Args[1].Align})
}

// TestReflectVisible: the visible functions in source order, used or not, and the binding of a
// table.
func TestReflectVisible(t *testing.T) {
	failOnInternal(t)
	m, diags := Compile(context.Background(), Source{Text: `#include <metal_stdlib>
using namespace metal;
[[visible]] float late(float x);
namespace n { [[visible]] float4 early(device const int *p, float2 x) { return float4(x, p[0], 0); } }
static float hidden(float x) { return x; }
[[visible]] float late(float x) { return hidden(x); }
kernel void k(visible_function_table<float(float)> t [[buffer(3)]], device float *p [[buffer(0)]]) { p[0] = 1; }`}, Options{Verify: true})
	require.Empty(t, diags, "%s", render(t, m, diags))
	assert.Equal(t, []ir.VisibleFunction{{Name: "n::early", Type: "float4(const device int *, float2)"},
		{Name: "late", Type: "float(float)"}}, m.Visible)
	a := m.Kernel("k").Args[0]
	assert.Equal(t, []any{ir.ArgFunctionTable, 3, ir.DataVisibleFunctionTable, false},
		[]any{a.Kind, a.Index, a.Data, a.Active})
}

package dialects

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

func TestOpenCLFirst(t *testing.T) {
	m := compileFile(t, "opencl/first.cl")
	const n = 8
	a, b, c := make([]float32, 4*n), make([]float32, 4*n), make([]float32, 4*n)
	for i := range a {
		a[i], b[i], c[i] = float32(i), float32(2*i), -1
	}
	run(t, m, "add", line(n, 4), a, b, c, int32(6))
	for i := range c {
		want := a[i] + b[i]*float32(i%4+1)
		if i >= 6*4 {
			want = -1
		}
		assert.Equal(t, want, c[i])
	}
	x, out := make([]float32, 16), make([]float32, 2)
	for i := range x {
		x[i] = float32(i * i)
	}
	run(t, m, "sum", line(16, 8), x, out, local(32))
	assert.Equal(t, []float32{28, 92}, out)
	run(t, m, "thread", line(1, 1), x, float32(math.Pi))
	assert.Equal(t, float32(2*math.Pi), x[0])
}

func TestOpenCLVectors(t *testing.T) {
	nan := float32(math.NaN())
	values(t, dialect.OpenCL, "", `
		float4 f = (float4)(1, 2, 3, 4) + zero;
		float3 g = (float3)(5, 6, 7) + zero;
		int4 i = (int4)(-2, -1, 0, 1) + zero;
		uchar4 c = (uchar4)(1, 2, 200, 255) + (uchar)zero;
		long2 l = (long2)(-5, 1L << 40) + zero;
		half4 h = (half4)(1, 2, 3, 4);
		float2 n = (float2)(NAN, 1) + zero;
		`, []value{
		{"float4", "(float4)(1, g.xy, 2)", [4]float32{1, 5, 6, 2}},
		{"float4", "(float4)((float2)(1, 2), (float2)(3))", [4]float32{1, 2, 3, 3}},
		{"float4", "(float4)(f.lo, f.hi)", [4]float32{1, 2, 3, 4}},
		{"int4", "(int4)(i < 0)", [4]int32{-1, -1, 0, 0}},
		{"float4", "(float4)(zero < 1)", [4]float32{1, 1, 1, 1}},
		{"float4", "f.s3210", [4]float32{4, 3, 2, 1}},
		{"float4", "f.S0123", [4]float32{1, 2, 3, 4}},
		{"float2", "f.even", [2]float32{1, 3}},
		{"float2", "f.odd", [2]float32{2, 4}},
		{"float2", "g.lo", [2]float32{5, 6}},
		{"float", "g.hi.x", float32(7)},
		{"float2", "g.even", [2]float32{5, 7}},
		{"float", "g.odd.x", float32(6)},
		{"float", "f.s2", float32(3)},
		{"float", "l.s1 > 3 ? 1.5 : 2", float32(1.5)},
		{"int4", "f < (float4)(2)", [4]int32{-1, 0, 0, 0}},
		{"int4", "f < 2", [4]int32{-1, 0, 0, 0}},
		{"int4", "f >= (float4)(2, 2, 4, 4)", [4]int32{0, -1, 0, -1}},
		{"char4", "c == (uchar4)(1, 3, 200, 4)", [4]int8{-1, 0, -1, 0}},
		{"long2", "l > 0", [2]int64{0, -1}},
		{"long2", "l != l.yx", [2]int64{-1, -1}},
		{"short4", "h <= (half4)(2)", [4]int16{-1, -1, 0, 0}},
		{"int2", "n == n", [2]int32{0, -1}},
		{"int2", "n != n", [2]int32{-1, 0}},
		{"int4", "i && (int4)(1, 0, 1, 0)", [4]int32{-1, 0, 0, 0}},
		{"int4", "i || (int4)(0, 0, 0, 0)", [4]int32{-1, -1, 0, -1}},
		{"int4", "!i", [4]int32{0, 0, -1, 0}},
		{"int4", "!f", [4]int32{0, 0, 0, 0}},
		{"char4", "!c", [4]int8{0, 0, 0, 0}},
		{"float4", "i ? f : -f", [4]float32{1, 2, -3, -4}},
		{"float4", "(i < 1) ? f : (float4)(9)", [4]float32{1, 2, 3, 9}},
		{"int4", "i ? 5 : 6", [4]int32{5, 5, 6, 6}},
		{"int", "zero < 1", int32(1)},
		{"int", "-(zero < 1)", int32(-1)},
		{"int", "(int)sizeof(zero < 1)", int32(4)},
		{"int", "(int)sizeof(!zero)", int32(4)},
		{"int", "(int)sizeof('a')", int32(4)},
		{"int", "(int)sizeof(float3)", int32(16)},
		{"float", "as_float(zero == 0)", math.Float32frombits(1)},
		{"int", "1 << (zero + 33)", int32(2)},
		{"uint", "0x80000000u >> (zero + 33)", uint32(0x40000000)},
		{"long", "1L << (zero + 65)", int64(2)},
		{"int", "(uchar)(zero + 1) << (zero + 9)", int32(512)},
		{"char4", "(char4)(1) << (char4)(9, 1, 2, 8)", [4]int8{2, 2, 4, 1}},
		{"short2", "(short2)(-4) >> (short2)(17, 1)", [2]int16{-2, -2}},
		{"int4", "i << 33", [4]int32{-4, -2, 0, 2}},
		{"uchar4", "c + (uchar)1", [4]uint8{2, 3, 201, 0}},
		{"int", "c.w + 1", int32(256)},
		{"int", "any(i)", int32(1)},
		{"int", "any((int4)(1, 2, 3, 4))", int32(0)},
		{"int", "all(i)", int32(0)},
		{"int", "all(i - 2)", int32(1)},
		{"int", "any((char)(zero - 1))", int32(1)},
		{"float4", "select(f, (float4)(0), i)", [4]float32{0, 0, 3, 4}},
		{"float4", "select(f, (float4)(0), (uint4)(1, 0x80000000, 0, 0x7fffffff))", [4]float32{1, 0, 3, 4}},
		{"float", "select(1.0f, 2.0f, zero + 1)", float32(2)},
		{"float", "select(1.0f, 2.0f, zero < 0)", float32(1)},
		{"char", "select((char)1, (char)2, (char)(zero + 2))", int8(2)},
		{"int4", "bitselect(i, (int4)(0x55), (int4)(0xf))", [4]int32{-11, -11, 5, 5}},
		{"float", "bitselect(1.0f, -2.0f, as_float(0x80000000))", float32(-1)},
		{"uchar", "bitselect((uchar)0xff, (uchar)0, (uchar)0x0f)", uint8(0xf0)},
		{"float4", "shuffle(f, (uint4)(3, 2, 5, 4))", [4]float32{4, 3, 2, 1}},
		{"float2", "shuffle(f, (uint2)(3, 7))", [2]float32{4, 4}},
		{"float4", "shuffle2(f, -f, (uint4)(0, 4, 7, 9))", [4]float32{1, -1, -4, 2}},
		{"int2", "isnan(n)", [2]int32{-1, 0}},
		{"int", "isnan(n.x)", int32(1)},
		{"int2", "isless(n, n + 1)", [2]int32{0, -1}},
		{"int2", "isunordered(n, n)", [2]int32{-1, 0}},
		{"int", "isgreater(f.x, f.y)", int32(0)},
		{"int4", "signbit(-f)", [4]int32{-1, -1, -1, -1}},
		{"int", "signbit(-f.x)", int32(1)},
		{"float", "nan((uint)zero)", nan},
		{"float4", "max(f, 2.5f)", [4]float32{2.5, 2.5, 3, 4}},
		{"int4", "clamp(i, -1, 0)", [4]int32{-1, -1, 0, 0}},
		{"float4", "step(2.0f, f)", [4]float32{0, 1, 1, 1}},
		{"float", "dot(f, f)", float32(30)},
		{"float4", "cross((float4)(1, 0, 0, 5), (float4)(0, 1, 0, 6))", [4]float32{0, 0, 1, 0}},
		{"float3", "cross((float3)(1, 0, 0), (float3)(0, 1, 0))", [3]float32{0, 0, 1}},
		{"float", "length((float2)(3, 4))", float32(5)},
		{"float", "length(-2.0f)", float32(2)},
		{"float", "degrees(0.5f)", float32(float32(0.5) * float32(180/math.Pi))},
	})
}

func TestOpenCLImages(t *testing.T) {
	m := compile(t, dialect.OpenCL, "images.cl", `
__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

float4 at(__read_only image2d_t in, int2 p) { return read_imagef(in, nearest, p); }

__kernel void blur(__read_only image2d_t in, __write_only image2d_t out, sampler_t s) {
  const sampler_t edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  float4 sum = at(in, p) + at(in, p - (int2)(1, 0));
  sum += read_imagef(in, edge, convert_float2(p) + (float2)(1.0f, 0.5f));
  sum += read_imagef(in, s, (convert_float2(p) + 0.5f) / convert_float2(get_image_dim(in)));
  if (p.x < get_image_width(in) && p.y < get_image_height(in))
    write_imagef(out, p, sum);
}

__kernel void ints(read_only image2d_t in, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1));
  uint4 v = read_imageui(in, p);
  write_imagei(out, p, as_int4(v) - 5);
}`)
	const w, h = 4, 2
	in := make([]float32, w*h*4)
	for i := range in {
		in[i] = float32(i)
	}
	x := &testlaunch.Texture{Format: "RGBA32Float", Width: w, Height: h, Levels: [][]byte{encode(t, in)}}
	y := &testlaunch.Texture{Format: "RGBA32Float", Width: w, Height: h, Levels: [][]byte{make([]byte, w*h*16)}}
	run(t, m, "blur", grid{[3]int{w, h, 1}, [3]int{2, 2, 1}}, x, y, ir.SamplerState{})
	out := make([]float32, w*h*4)
	_, err := binary.Decode(y.Levels[0], binary.LittleEndian, out)
	require.NoError(t, err)
	texel := func(x, y, c int) float32 { return in[(y*w+min(x, w-1))*4+c] }
	for i := range out {
		c, px, py := i%4, i/4%w, i/4/w
		want := texel(px, py, c) + (texel(px, py, c)+texel(px+1, py, c))/2 + texel(px, py, c)
		if px > 0 {
			want += texel(px-1, py, c)
		}
		assert.Equal(t, want, out[i], "%d", i)
	}
	u := make([]uint32, w*h*4)
	for i := range u {
		u[i] = uint32(i)
	}
	x = &testlaunch.Texture{Format: "RGBA32Uint", Width: w, Height: h, Levels: [][]byte{encode(t, u)}}
	y = &testlaunch.Texture{Format: "RGBA32Sint", Width: w, Height: h, Levels: [][]byte{make([]byte, w*h*16)}}
	run(t, m, "ints", grid{[3]int{w, h, 1}, [3]int{2, 2, 1}}, x, y)
	got := make([]int32, w*h*4)
	_, err = binary.Decode(y.Levels[0], binary.LittleEndian, got)
	require.NoError(t, err)
	for i := range got {
		assert.Equal(t, int32(i-5), got[i])
	}
}

func TestOpenCLAtomics(t *testing.T) {
	m := compile(t, dialect.OpenCL, "atomics.cl", `
__kernel void count(volatile __global int *n, __global uint *u, __global float *f, __local int *l) {
  int i = get_local_id(0);
  if (i == 0)
    *l = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(l, i);
  atom_inc(n);
  atomic_sub(n + 1, 2);
  atomic_max(n + 2, i);
  atomic_min(&u[0], (uint)i);
  atomic_or(u + 1, 1u << (i & 7));
  for (;;) {
    int old = n[3];
    if (atomic_cmpxchg(n + 3, old, old + 3) == old)
      break;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (i == 0) {
    atomic_add(n + 4, *l);
    atomic_xchg(f, 2.5);
  }
}
__kernel void two(__global atomic_int *n, __global atomic_uint *u) {
  atomic_fetch_add(n, 1);
  atomic_fetch_or_explicit(u, 1u << (get_local_id(0) & 3), memory_order_relaxed, memory_scope_device);
  int want = atomic_load(n + 1);
  while (!atomic_compare_exchange_strong(n + 1, &want, want + 2)) ;
}
__kernel void copy(__global const float *x, __global float *y, __local float *l) {
  event_t e = async_work_group_copy(l, x + get_group_id(0) * 8, 8, 0);
  wait_group_events(1, &e);
  int i = get_local_id(0), n = get_local_size(0);
  float v = l[n - 1 - i];
  barrier(CLK_LOCAL_MEM_FENCE);
  l[i] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_strided_copy(y + get_group_id(0), l, (size_t)8, get_num_groups(0), (event_t)0);
  wait_group_events(1, &e);
}`)
	n, u, f := make([]int32, 5), []uint32{99, 0}, make([]float32, 1)
	run(t, m, "count", line(32, 16), n, u, f, local(4))
	assert.Equal(t, []int32{32, -64, 15, 96, 240}, n)
	assert.Equal(t, []uint32{0, 255}, u)
	assert.Equal(t, []float32{2.5}, f)
	n, u = make([]int32, 2), make([]uint32, 1)
	run(t, m, "two", line(32, 16), n, u)
	assert.Equal(t, []int32{32, 64}, n)
	assert.Equal(t, []uint32{15}, u)
	x, y := make([]float32, 16), make([]float32, 16)
	for i := range x {
		x[i] = float32(i)
	}
	run(t, m, "copy", line(16, 8), x, y, local(32))
	assert.Equal(t, []float32{7, 15, 6, 14, 5, 13, 4, 12, 3, 11, 2, 10, 1, 9, 0, 8}, y)
}

func TestOpenCLRefuses(t *testing.T) {
	for _, r := range []struct {
		text  string
		code  diag.Code
		line  int
		words string
	}{
		{"__kernel void k(__global float *x) {\n  double d = x[0];\n  x[0] = d;\n}", diag.DialectDouble, 2, "double"},
		{"__kernel void k(__global double *x) {}", diag.DialectDouble, 1, "double"},
		{"__kernel void k(__global long *x) {\n\n  atom_add(x, 1L);\n}", diag.DialectWide, 3, "64 bits"},
		{"__kernel void k(__global ulong *x) { atomic_inc(x); }", diag.DialectWide, 1, "64 bits"},
		{"__kernel void k(__global int *x) {\n enqueue_kernel(0, 0, 0, 0); }", diag.DialectFeature, 2,
			"enqueue_kernel"},
		{"__kernel void k(__global int *x) {\n queue_t q; }", diag.DialectFeature, 2, "launch"},
		{"int f(int n) { return n < 2 ? n : f(n - 1); }\n__kernel void k(__global int *x) { x[0] = f(x[1]); }",
			diag.Recursion, 1, ""},
		{"float f(float *p) { return *p; }\n__kernel void k(__global float *x) { x[0] = f(x); }", diag.SpaceMismatch, 2,
			"'__private float *' does not accept '__global float *'"},
		{"__kernel void k(__global float *x) { __local float *p = x; }", diag.SpaceMismatch, 1, "'__local float *'"},
		{"__kernel void k(__global float4 *x) { x[0] = x[0] < (float4)(0); }", diag.NoConversion, 1, "int4"},
	} {
		refuses(t, dialect.OpenCL, r.text, r.code, r.line, r.words)
	}
}

// TestOpenCLC has what C allows and C++ does not, and the declarations of kernels that only OpenCL
// has.
func TestOpenCLC(t *testing.T) {
	m := compile(t, dialect.OpenCL, "c.cl", `
#pragma OPENCL EXTENSION cl_khr_fp64 : disable
typedef struct tag { int a; float b[2]; struct { int c; } in; } S;
struct pair { int x, y; };
enum color { RED, GREEN = 5, BLUE };
typedef union { float f; uint u; uchar4 c; } bits;
__constant float table[4] = {1, 2, 3, 4};
__constant int one = 1;
constant struct pair pairs[] = {{1, 2}, {.y = 4, .x = 3}};
static inline int twice(int v) { return v * 2; }
void nothing(void) {}
float sum(const float *restrict p, int n) {
  float s = 0;
  for (int i = 0; i < n; i++)
    s += p[i];
  return s;
}
int first(__global const int *p, __constant struct pair *q) { return p[0] + q[1].x; }
__attribute__((always_inline)) void set(__global void *p, int v) { __global int *q = p; *q = v; }
// min is the program's.
int min(int a, int b) { return a - b; }

__kernel __attribute__((reqd_work_group_size(4, 1, 1))) __attribute__((vec_type_hint(float4)))
void k(__global int *out, __global const int *in, S s, struct pair p, float f, const uint n, __constant float *c) {
  S t = {.a = 7, .b = {1, 2}, .in = {3}};
  struct pair q = (struct pair){p.y, p.x};
  enum color e = 5;
  bits b;
  b.f = 1.0f;
  float list[3] = {1.5, 2.5};
  int thread = 3, device = 4, class = 5, this = 6, new = 7;
  char small[2] = {200, 'a'};
  __local int l[4];
  f += 1;
  nothing();
  e = e + 1;
  l[get_local_id(0)] = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) != 0)
    return;
#pragma unroll
  for (int i = 0; i < 2; i++)
    t.a += i;
  __attribute__((opencl_unroll_hint(2)))
  for (int i = 0; i < 2; i++)
    t.a += i;
  out[0] = t.a + t.in.c + s.a + s.in.c;
  out[1] = q.x * 10 + q.y;
  out[2] = e;
  out[3] = b.u >> 16;
  out[4] = sum(list, 3) * 2 + f;
  out[5] = thread + device + class + this + new;
  out[6] = small[0];
  out[7] = table[n] + one + pairs[1].y + c[1];
  out[8] = first(in, pairs);
  set(out + 9, twice(9));
  out[10] = min(9, 2);
  out[11] = l[3];
  out[12] = s.b[1] + 0.5;
  out[13] = sizeof(S) + sizeof(struct pair);
  out[14] = BLUE == 6 && !RED;
  out[15] = get_global_id(0) - 1 < 2;
  *(out + 16) = b.c.w;
}`)
	require.Equal(t, [3]int{4, 1, 1}, [3]int(m.Kernel("k").Attributes.RequiredThreads))
	type pair struct{ X, Y int32 }
	s := struct {
		A  int32
		B  [2]float32
		In int32
	}{10, [2]float32{1, 2.75}, 20}
	out := make([]int32, 17)
	run(t, m, "k", line(4, 4), out, []int32{100}, s, pair{3, 4}, float32(0.5), uint32(2), []float32{5, 6})
	assert.Equal(t, []int32{7 + 2 + 3 + 30, 43, 6, 0x3f80, 9, 25, -56, 3 + 1 + 4 + 6, 103, 18, 7, 3, 3, 24, 1, 0,
		0x3f}, out)
}

func TestOpenCLWide(t *testing.T) {
	values(t, dialect.OpenCL, "", `
		float8 f = (float8)(1, 2, 3, 4, 5, 6, 7, 8) + zero;
		float8 w = {f.s0, 2, f.s23, f.hi};
		w.s0 = 9; w.hi = (float4)(0); w.s12 = (float2)(5, 6); w += 1.0f;
		int16 i = (int16)((int8)(-4, -3, -2, -1, 0, 1, 2, 3), (int4)(4), 5, 6, 7, 8);
		int16 j = i;
		j[zero + 2] = 5;
		uchar16 c = (uchar16)(200), d = c;
		d++; ++d; --d; d.lo++;
		float m[8] = {1, 2, 3, 4, 5, 6, 7, 8};
		vstore8(vload8(0, m) * 2.0f, 0, m);
		`, []value{
		{"float8", "f", [8]float32{1, 2, 3, 4, 5, 6, 7, 8}},
		{"float8", "w", [8]float32{10, 6, 7, 5, 1, 1, 1, 1}},
		{"float8", "(float8){f.s7, 2, 3, 4, f.lo}", [8]float32{8, 2, 3, 4, 1, 2, 3, 4}},
		{"float8", "f * 2 - f", [8]float32{1, 2, 3, 4, 5, 6, 7, 8}},
		{"float8", "10.0f - f", [8]float32{9, 8, 7, 6, 5, 4, 3, 2}},
		{"float4", "f.hi", [4]float32{5, 6, 7, 8}},
		{"float4", "f.even", [4]float32{1, 3, 5, 7}},
		{"float4", "f.odd", [4]float32{2, 4, 6, 8}},
		{"float", "f.s7", float32(8)},
		{"float4", "f.s4567", [4]float32{5, 6, 7, 8}},
		{"float4", "f.s0246", [4]float32{1, 3, 5, 7}},
		{"float2", "f.s07", [2]float32{1, 8}},
		{"int", "i.sF", int32(8)},
		{"int8", "i.s89abcdef", [8]int32{4, 4, 4, 4, 5, 6, 7, 8}},
		{"int8", "i.even", [8]int32{-4, -2, 0, 2, 4, 4, 5, 7}},
		{"int2", "i.sbc", [2]int32{4, 5}},
		{"float", "w[1] + f[zero + 7] + i[15]", float32(6 + 8 + 8)},
		{"int8", "j.lo", [8]int32{-4, -3, 5, -1, 0, 1, 2, 3}},
		{"uchar16", "d", [16]uint8{202, 202, 202, 202, 202, 202, 202, 202, 201, 201, 201, 201, 201, 201, 201, 201}},
		{"int8", "f > 4", [8]int32{0, 0, 0, 0, -1, -1, -1, -1}},
		{"float8", "f > 4 ? f : -f", [8]float32{-1, -2, -3, -4, 5, 6, 7, 8}},
		{"int16", "i << 1", [16]int32{-8, -6, -4, -2, 0, 2, 4, 6, 8, 8, 8, 8, 10, 12, 14, 16}},
		{"uchar16", "c + (uchar)100", [16]uint8{44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44, 44}},
		{"uchar8", "add_sat(c.lo, (uchar8)(100))", [8]uint8{255, 255, 255, 255, 255, 255, 255, 255}},
		{"int8", "convert_int8_rte(f * 1.5f)", [8]int32{2, 3, 4, 6, 8, 9, 10, 12}},
		{"int8", "as_int8((float8)(1))", [8]int32{0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000,
			0x3f800000,
			0x3f800000, 0x3f800000}},
		{"float8", "vload8(0, m)", [8]float32{2, 4, 6, 8, 10, 12, 14, 16}},
		{"float8", "fma(f, f, f)", [8]float32{2, 6, 12, 20, 30, 42, 56, 72}},
		{"float8", "max(f, 4.0f)", [8]float32{4, 4, 4, 4, 5, 6, 7, 8}},
		{"float8", "sqrt(f * f)", [8]float32{1, 2, 3, 4, 5, 6, 7, 8}},
		{"int", "any(i)", int32(1)},
		{"int", "all(i)", int32(0)},
		{"int", "(int)sizeof(float16)", int32(64)},
		{"float8", "-f", [8]float32{-1, -2, -3, -4, -5, -6, -7, -8}},
		{"int4", "as_int4((char16)(1))", [4]int32{0x1010101, 0x1010101, 0x1010101, 0x1010101}},
		{"uchar8", "as_uchar16((int4)(0x04030201)).lo", [8]uint8{1, 2, 3, 4, 1, 2, 3, 4}},
		{"long", "((long8)(1, 2, 3, 4, 5, 6, 7, 8)).s5", int64(6)},
		{"float4", "(float8)(f.lo, 1, f.s12, 2).hi", [4]float32{1, 2, 3, 2}},
		{"float8", "shuffle(f, (uint8)(7, 6, 5, 4, 3, 2, 9, 0))", [8]float32{8, 7, 6, 5, 4, 3, 2, 1}},
		{"float2", "shuffle(f, (uint2)(7, 10))", [2]float32{8, 3}},
		{"float8", "shuffle(f.lo, (uint8)(7, 6, 5, 4, 3, 2, 1, 0))", [8]float32{4, 3, 2, 1, 4, 3, 2, 1}},
		{"float4", "shuffle2(f, -f, (uint4)(7, 8, 17, 15))", [4]float32{8, -1, 2, -8}},
		{"float8", "shuffle2(f.lo, f.hi, (uint8)(7, 6, 5, 4, 3, 2, 1, 0))", [8]float32{8, 7, 6, 5, 4, 3, 2, 1}},
		{"uint8", "abs_diff(convert_int8(f), (int8)(3))", [8]uint32{2, 1, 0, 1, 2, 3, 4, 5}},
		{"ushort8", "upsample((uchar8)(1), (uchar8)(2))", [8]uint16{258, 258, 258, 258, 258, 258, 258, 258}},
		{"int8", "mad_hi((int8)(1 << 30), (int8)(8), convert_int8(f))", [8]int32{3, 4, 5, 6, 7, 8, 9, 10}},
		{"int8", "isgreater(f, (float8)(6))", [8]int32{0, 0, 0, 0, 0, 0, -1, -1}},
		{"float8", "pown(f, (int8)(2))", [8]float32{1, 4, 9, 16, 25, 36, 49, 64}},
	})
}

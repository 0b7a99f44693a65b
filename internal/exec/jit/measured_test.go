package jit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/texel"
)

// benchKernels are the kernels to measure. openCLKernels are the same in OpenCL C.
const benchKernels = `
kernel void saxpy(device float *y [[buffer(0)]], device const float *x [[buffer(1)]], constant float &a [[buffer(2)]], constant uint &n [[buffer(3)]], uint i [[thread_position_in_grid]]) {
  if (i >= n) return;
  y[i] = a * x[i] + y[i];
}
kernel void matmul(device float *C [[buffer(0)]], device const float *A [[buffer(1)]], device const float *B [[buffer(2)]], constant uint &N [[buffer(3)]], uint2 g [[thread_position_in_grid]]) {
  float s = 0;
  for (uint k = 0; k < N; k++) s += A[g.y*N+k] * B[k*N+g.x];
  C[g.y*N+g.x] = s;
}
kernel void tiled(device float *C [[buffer(0)]], device const float *A [[buffer(1)]], device const float *B [[buffer(2)]], constant uint &N [[buffer(3)]], uint2 g [[thread_position_in_grid]], uint2 t [[thread_position_in_threadgroup]]) {
  threadgroup float a[16][16], b[16][16];
  float s = 0;
  for (uint k = 0; k < N; k += 16) {
    a[t.y][t.x] = A[g.y*N+k+t.x];
    b[t.y][t.x] = B[(k+t.y)*N+g.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = 0; i < 16; i++) s += a[t.y][i] * b[i][t.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  C[g.y*N+g.x] = s;
}
kernel void mandelbrot(device int *out [[buffer(0)]], constant uint &w [[buffer(1)]], uint2 g [[thread_position_in_grid]]) {
  float cx = g.x * 3.0f / w - 2, cy = g.y * 2.0f / w - 1, x = 0, y = 0; int i = 0;
  while (i < 100 && x*x + y*y <= 4) { float t = x*x - y*y + cx; y = 2*x*y + cy; x = t; i++; }
  out[g.y*w+g.x] = i;
}
kernel void reduce(device float *out [[buffer(0)]], device const float *in [[buffer(1)]], uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
  threadgroup float s[256];
  s[t] = in[g*256+t];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint d = 128; d > 0; d >>= 1) { if (t < d) s[t] += s[t+d]; threadgroup_barrier(mem_flags::mem_threadgroup); }
  if (t == 0) out[g] = s[0];
}
kernel void softmax(device float *out [[buffer(0)]], device const float *in [[buffer(1)]], constant uint &n [[buffer(2)]], uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
  threadgroup float s[256];
  float m = -INFINITY;
  for (uint i = t; i < n; i += 256) m = fmax(m, in[g*n+i]);
  s[t] = m;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint d = 128; d > 0; d >>= 1) { if (t < d) s[t] = fmax(s[t], s[t+d]); threadgroup_barrier(mem_flags::mem_threadgroup); }
  m = s[0];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float sum = 0;
  for (uint i = t; i < n; i += 256) { float e = exp(in[g*n+i] - m); out[g*n+i] = e; sum += e; }
  s[t] = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint d = 128; d > 0; d >>= 1) { if (t < d) s[t] += s[t+d]; threadgroup_barrier(mem_flags::mem_threadgroup); }
  float inv = 1 / s[0];
  for (uint i = t; i < n; i += 256) out[g*n+i] *= inv;
}
kernel void histogram(device atomic_uint *out [[buffer(0)]], device const uchar *in [[buffer(1)]], constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]], uint all [[threads_per_grid]]) {
  threadgroup atomic_uint h[256];
  atomic_store_explicit(&h[t], 0u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint k = i; k < n; k += all) atomic_fetch_add_explicit(&h[in[k]], 1u, memory_order_relaxed);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  atomic_fetch_add_explicit(&out[t], atomic_load_explicit(&h[t], memory_order_relaxed), memory_order_relaxed);
}
kernel void histogramDevice(device atomic_uint *out [[buffer(0)]], device const uchar *in [[buffer(1)]], constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]], uint all [[threads_per_grid]]) {
  for (uint k = i; k < n; k += all) atomic_fetch_add_explicit(&out[in[k]], 1u, memory_order_relaxed);
}
kernel void sigmoid(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
  out[i] = 1 / (1 + exp(-in[i]));
}
kernel void gelu(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  float x = in[i];
  out[i] = 0.5f * x * (1 + tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}
kernel void nothing(device uint *out [[buffer(0)]]) {}
` + moreKernels

const openCLKernels = `
#pragma OPENCL FP_CONTRACT OFF
kernel void saxpy(global float *y, global const float *x, constant float *a, constant uint *n) {
  size_t i = get_global_id(0);
  if (i >= *n) return;
  y[i] = *a * x[i] + y[i];
}
kernel void matmul(global float *C, global const float *A, global const float *B, constant uint *n) {
  uint N = *n, gx = get_global_id(0), gy = get_global_id(1);
  float s = 0;
  for (uint k = 0; k < N; k++) s += A[gy*N+k] * B[k*N+gx];
  C[gy*N+gx] = s;
}
kernel void tiled(global float *C, global const float *A, global const float *B, constant uint *n) {
  uint N = *n, gx = get_global_id(0), gy = get_global_id(1), tx = get_local_id(0), ty = get_local_id(1);
  local float a[16][16], b[16][16];
  float s = 0;
  for (uint k = 0; k < N; k += 16) {
    a[ty][tx] = A[gy*N+k+tx];
    b[ty][tx] = B[(k+ty)*N+gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < 16; i++) s += a[ty][i] * b[i][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  C[gy*N+gx] = s;
}
kernel void mandelbrot(global int *out, constant uint *wide) {
  uint w = *wide, gx = get_global_id(0), gy = get_global_id(1);
  float cx = gx * 3.0f / w - 2, cy = gy * 2.0f / w - 1, x = 0, y = 0; int i = 0;
  while (i < 100 && x*x + y*y <= 4) { float t = x*x - y*y + cx; y = 2*x*y + cy; x = t; i++; }
  out[gy*w+gx] = i;
}
kernel void reduce(global float *out, global const float *in) {
  uint t = get_local_id(0), g = get_group_id(0);
  local float s[256];
  s[t] = in[g*256+t];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 128; d > 0; d >>= 1) { if (t < d) s[t] += s[t+d]; barrier(CLK_LOCAL_MEM_FENCE); }
  if (t == 0) out[g] = s[0];
}
kernel void softmax(global float *out, global const float *in, constant uint *count) {
  uint t = get_local_id(0), g = get_group_id(0), n = *count;
  local float s[256];
  float m = -INFINITY;
  for (uint i = t; i < n; i += 256) m = fmax(m, in[g*n+i]);
  s[t] = m;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 128; d > 0; d >>= 1) { if (t < d) s[t] = fmax(s[t], s[t+d]); barrier(CLK_LOCAL_MEM_FENCE); }
  m = s[0];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (uint i = t; i < n; i += 256) { float e = exp(in[g*n+i] - m); out[g*n+i] = e; sum += e; }
  s[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = 128; d > 0; d >>= 1) { if (t < d) s[t] += s[t+d]; barrier(CLK_LOCAL_MEM_FENCE); }
  float inv = 1 / s[0];
  for (uint i = t; i < n; i += 256) out[g*n+i] *= inv;
}
kernel void histogram(global uint *out, global const uchar *in, constant uint *count) {
  uint i = get_global_id(0), t = get_local_id(0), n = *count, all = get_global_size(0);
  local uint h[256];
  h[t] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = i; k < n; k += all) atomic_inc(&h[in[k]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&out[t], h[t]);
}
kernel void histogramDevice(global uint *out, global const uchar *in, constant uint *count) {
  uint i = get_global_id(0), n = *count, all = get_global_size(0);
  for (uint k = i; k < n; k += all) atomic_inc(&out[in[k]]);
}
kernel void sigmoid(global float *out, global const float *in) {
  size_t i = get_global_id(0);
  out[i] = 1 / (1 + exp(-in[i]));
}
kernel void gelu(global float *out, global const float *in) {
  size_t i = get_global_id(0);
  float x = in[i];
  out[i] = 0.5f * x * (1 + tanh(0.79788456f * (x + 0.044715f * x * x * x)));
}
kernel void nothing(global uint *out) {}
` + moreOpenCL

// benchCase is a launch to measure. The kernel writes the first buffer.
type benchCase struct {
	name        string
	grid, group [3]int
	buffers     [][]byte
	goal        float64 // how many times as fast as OpenCL machine code is to be
	narrow      float64 // the same for machine code for AVX2
	near        bool    // results may differ in the last bits
}

// onTexture reports whether the second buffer has the texels of a texture instead: floats, as many
// as the grid has threads.
func (c *benchCase) onTexture() bool { return strings.HasSuffix(c.name, "Texture") }

// floats returns n numbers from 0 to 1 in random order.
func floats(n int) []byte {
	b := make([]byte, 4*n)
	x := uint32(12345)
	for i := range n {
		x = x*1664525 + 1013904223
		copy(b[4*i:], words(math.Float32bits(float32(x>>8)/(1<<24))))
	}
	return b
}

// benchCases returns the cases, in full or small sizes.
func benchCases(small bool) []benchCase {
	many, n, pixels, rows := 1<<24, 1024, 1024, 1024
	if small {
		many, n, pixels, rows = 1<<16, 64, 96, 16
	}
	x := floats(many)
	bytes := noise(many)
	empty := func(n int) []byte { return make([]byte, 4*n) }
	return append([]benchCase{
		{"saxpy", [3]int{many}, [3]int{256}, [][]byte{floats(many), x, words(math.Float32bits(0.5)), words(uint32(many))},
			1.1, 1, false},
		{"matmul", [3]int{n, n}, [3]int{16, 16}, [][]byte{empty(n * n), x[:4*n*n], x[4*many-4*n*n:], words(uint32(n))},
			50, 20, false},
		{"tiled", [3]int{n, n}, [3]int{16, 16}, [][]byte{empty(n * n), x[:4*n*n], x[4*many-4*n*n:], words(uint32(n))},
			15, 6, false},
		{"reduce", [3]int{many}, [3]int{256}, [][]byte{empty(many / 256), x}, 6, 3, false},
		{"softmax", [3]int{rows * 256}, [3]int{256}, [][]byte{empty(rows * 1024), x[:4*rows*1024], words(1024)},
			4.5, 3, true},
		{"mandelbrot", [3]int{pixels, pixels}, [3]int{16, 16}, [][]byte{empty(pixels * pixels), words(uint32(pixels))},
			6.5, 3, false},
		{"histogram", [3]int{min(many, 1<<16)}, [3]int{256}, [][]byte{empty(256), bytes, words(uint32(many))},
			2, 1.5, false},
		{"histogramDevice", [3]int{min(many, 1<<16)}, [3]int{256}, [][]byte{empty(256), bytes, words(uint32(many))},
			2, 1.5, false},
		{"sigmoid", [3]int{many}, [3]int{256}, [][]byte{empty(many), x}, 1.5, 1.2, true},
		{"gelu", [3]int{many}, [3]int{256}, [][]byte{empty(many), x}, 2, 1.3, true},
		{"nothing", [3]int{1}, [3]int{1}, [][]byte{empty(1)}, 1, 1, false},
	}, moreCases(many, n)...)
}

// launch puts a copy of the buffer that a case writes, and the other buffers, into a space.
func (c *benchCase) launch() (*exec.Launch, []byte) {
	out := slices.Clone(c.buffers[0])
	return c.launchTo(out), out
}

// launchTo puts a buffer in the place of the one that a case writes, and the other buffers, into a
// space.
func (c *benchCase) launchTo(out []byte) *exec.Launch {
	sp := &exec.Space{}
	l := &exec.Launch{Grid: c.grid, Group: c.group, Space: sp}
	for i, b := range c.buffers {
		o := exec.Object{Data: b, ReadOnly: true}
		if i == 0 {
			o = exec.Object{Data: out}
		}
		sp.Set(uint32(i+1), o)
		l.Buffers = append(l.Buffers, exec.Address(uint32(i+1), 0))
	}
	if c.onTexture() {
		f, _ := texel.ParseFormat("R32Float")
		sp.SetTexture(1, texel.New(f, c.grid[0], c.grid[1], 1, 1, 1, c.buffers[1]))
		l.Textures = []uint64{1}
	}
	return l
}

// TestBenchKernels: the measured kernels give the same results with strips of one simdgroup and, if
// speed is compared, on OpenCL.
func TestBenchKernels(t *testing.T) {
	ks := kernelsOf(t, benchKernels)
	var cl *openCL
	var inC cLibrary
	if *speed > 0 {
		inC, _ = newC(t)
		cl, _ = newOpenCL(openCLKernels, "") // rounds every product and sum, as the kernels' pragma says
	}
	e := exec.NewEngine(2)
	for _, c := range benchCases(true) {
		l, out := c.launch()
		require.NoError(t, e.Run(t.Context(), ks[c.name], l))
		narrow, want := c.launch()
		require.NoError(t, e.Run(t.Context(),
			exec.NewKernel(ks[c.name].Func(), exec.Options{Backend: backend{Strip: 32, PlainGo: true}}), narrow))
		require.Equal(t, want, out, "%s in strips of 32 lanes and of 256", c.name)
		have := slices.Clone(c.buffers[0])
		if run, ok := inC.prepare(&c, have); ok {
			require.NoError(t, run())
			requireClose(t, &c, out, have)
		}
		if cl == nil {
			continue
		}
		launch, read, err := cl.prepare(&c)
		require.NoError(t, err)
		require.NoError(t, launch())
		want = read(0)
		if !c.near {
			require.Equal(t, want, out, "%s and OpenCL", c.name)
			continue
		}
		for i := 0; i < len(out); i += 4 {
			require.InEpsilon(t, float(want[i:]), float(out[i:]), 1e-5, "%s and OpenCL, number %d", c.name, i/4)
		}
	}
}

// requireClose requires C's results to be those of a case, about: products and sums may be fused in
// C. Few numbers may be others, as where a point of the Mandelbrot set leaves an iteration later.
func requireClose(t *testing.T, c *benchCase, want, have []byte) {
	other := 0
	for i := 0; i < len(want); i += 4 {
		x, y := float64(float(want[i:])), float64(float(have[i:]))
		if !slices.Equal(want[i:i+4], have[i:i+4]) && !(math.Abs(x-y) <= 1e-3*math.Abs(x)) {
			other++
		}
	}
	require.LessOrEqual(t, other, len(want)/4/500, "%s and C", c.name)
}

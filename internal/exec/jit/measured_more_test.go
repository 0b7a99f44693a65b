package jit

import (
	"math"
)

// moreKernels are further kernels to measure, with moreOpenCL in OpenCL C. roundsOfSHA256 is the
// same text in both.
const moreKernels = `
kernel void transpose(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                      constant uint &n [[buffer(2)]], uint2 g [[threadgroup_position_in_grid]],
                      uint2 t [[thread_position_in_threadgroup]]) {
  threadgroup float s[16][17];
  s[t.y][t.x] = in[(g.y * 16 + t.y) * n + g.x * 16 + t.x];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[(g.x * 16 + t.y) * n + g.y * 16 + t.x] = s[t.x][t.y];
}
kernel void stencil(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                    constant uint &n [[buffer(2)]], uint2 g [[thread_position_in_grid]]) {
  if (g.x == 0 || g.y == 0 || g.x >= n - 1 || g.y >= n - 1) return;
  uint i = g.y * n + g.x;
  out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}
kernel void nbody(device float4 *out [[buffer(0)]], device const float4 *in [[buffer(1)]],
                  constant uint &n [[buffer(2)]], uint i [[thread_position_in_grid]],
                  uint t [[thread_index_in_threadgroup]]) {
  threadgroup float4 s[256];
  float4 p = in[i];
  float3 a = 0;
  for (uint k = 0; k < n; k += 256) {
    s[t] = in[k + t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint j = 0; j < 256; j++) {
      float3 d = s[j].xyz - p.xyz;
      float r = 1 / sqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
      a += d * (s[j].w * r * r * r);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = float4(a, p.w);
}
kernel void scan(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint s[256];
  uint x = in[i];
  for (uint d = 1; d < 256; d <<= 1) {
    s[t] = x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t >= d) x += s[t - d];
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[i] = x;
}
kernel void bitonic(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                    uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
  threadgroup uint s[256];
  s[t] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint k = 2; k <= 256; k <<= 1)
    for (uint j = k >> 1; j > 0; j >>= 1) {
      uint o = t ^ j;
      if (o > t) {
        uint a = s[t], b = s[o];
        if ((a > b) == ((t & k) == 0)) { s[t] = b; s[o] = a; }
      }
      threadgroup_barrier(mem_flags::mem_threadgroup);
    }
  out[i] = s[t];
}
kernel void spmv(device float *out [[buffer(0)]], device const float *x [[buffer(1)]],
                 device const uint *row [[buffer(2)]], device const uint *column [[buffer(3)]],
                 device const float *value [[buffer(4)]], uint i [[thread_position_in_grid]]) {
  float s = 0;
  for (uint k = row[i]; k < row[i + 1]; k++) s += value[k] * x[column[k]];
  out[i] = s;
}
kernel void blur(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                 constant uint &n [[buffer(2)]], uint2 g [[thread_position_in_grid]]) {
  const float w[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
  float s = 0;
  for (int y = 0; y < 5; y++)
    for (int x = 0; x < 5; x++)
      s += w[y] * w[x] * in[min(max(int(g.y) + y - 2, 0), int(n) - 1) * n + min(max(int(g.x) + x - 2, 0), int(n) - 1)];
  out[g.y * n + g.x] = s;
}
kernel void blurTexture(device float *out [[buffer(0)]], texture2d<float, access::read> in [[texture(0)]],
                        constant uint &n [[buffer(2)]], uint2 g [[thread_position_in_grid]]) {
  const float w[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
  float s = 0;
  for (int y = 0; y < 5; y++)
    for (int x = 0; x < 5; x++)
      s += w[y] * w[x] * in.read(uint2(clamp(int2(g) + int2(x, y) - 2, 0, int(n) - 1))).x;
  out[g.y * n + g.x] = s;
}
kernel void resampleTexture(device float *out [[buffer(0)]], texture2d<float> in [[texture(0)]],
                            constant uint &n [[buffer(2)]], uint2 g [[thread_position_in_grid]]) {
  constexpr sampler s(filter::linear, address::clamp_to_edge);
  out[g.y * n + g.x] = in.sample(s, (float2(g) * 0.71f + 0.3f) / n).x;
}
kernel void insertion(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                      uint i [[thread_position_in_grid]]) {
  uint a[16];
  for (uint k = 0; k < 16; k++) a[k] = in[16 * i + k];
  for (uint k = 1; k < 16; k++) {
    uint x = a[k], j = k;
    for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
    a[j] = x;
  }
  for (uint k = 0; k < 16; k++) out[16 * i + k] = a[k];
}
#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))
kernel void sha256(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                   constant uint *K [[buffer(2)]], uint i [[thread_position_in_grid]]) {
` + roundsOfSHA256 + `
`

const moreOpenCL = `
kernel void transpose(global float *out, global const float *in, constant uint *count) {
  uint n = *count, gx = get_group_id(0), gy = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
  local float s[16][17];
  s[ty][tx] = in[(gy * 16 + ty) * n + gx * 16 + tx];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[(gx * 16 + ty) * n + gy * 16 + tx] = s[tx][ty];
}
kernel void stencil(global float *out, global const float *in, constant uint *count) {
  uint n = *count, gx = get_global_id(0), gy = get_global_id(1);
  if (gx == 0 || gy == 0 || gx >= n - 1 || gy >= n - 1) return;
  uint i = gy * n + gx;
  out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n]);
}
kernel void nbody(global float4 *out, global const float4 *in, constant uint *count) {
  uint n = *count, i = get_global_id(0), t = get_local_id(0);
  local float4 s[256];
  float4 p = in[i];
  float3 a = 0;
  for (uint k = 0; k < n; k += 256) {
    s[t] = in[k + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = 0; j < 256; j++) {
      float3 d = s[j].xyz - p.xyz;
      float r = 1 / sqrt(d.x * d.x + d.y * d.y + d.z * d.z + 0.01f);
      a += d * (s[j].w * r * r * r);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = (float4)(a, p.w);
}
kernel void scan(global uint *out, global const uint *in) {
  uint i = get_global_id(0), t = get_local_id(0);
  local uint s[256];
  uint x = in[i];
  for (uint d = 1; d < 256; d <<= 1) {
    s[t] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t >= d) x += s[t - d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[i] = x;
}
kernel void bitonic(global uint *out, global const uint *in) {
  uint i = get_global_id(0), t = get_local_id(0);
  local uint s[256];
  s[t] = in[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = 2; k <= 256; k <<= 1)
    for (uint j = k >> 1; j > 0; j >>= 1) {
      uint o = t ^ j;
      if (o > t) {
        uint a = s[t], b = s[o];
        if ((a > b) == ((t & k) == 0)) { s[t] = b; s[o] = a; }
      }
      barrier(CLK_LOCAL_MEM_FENCE);
    }
  out[i] = s[t];
}
kernel void spmv(global float *out, global const float *x, global const uint *row,
                 global const uint *column, global const float *value) {
  uint i = get_global_id(0);
  float s = 0;
  for (uint k = row[i]; k < row[i + 1]; k++) s += value[k] * x[column[k]];
  out[i] = s;
}
kernel void blur(global float *out, global const float *in, constant uint *count) {
  uint gx = get_global_id(0), gy = get_global_id(1), n = *count;
  const float w[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
  float s = 0;
  for (int y = 0; y < 5; y++)
    for (int x = 0; x < 5; x++)
      s += w[y] * w[x] * in[min(max((int)gy + y - 2, 0), (int)n - 1) * n + min(max((int)gx + x - 2, 0), (int)n - 1)];
  out[gy * n + gx] = s;
}
kernel void blurTexture(global float *out, read_only image2d_t in, constant uint *count) {
  const sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
  uint gx = get_global_id(0), gy = get_global_id(1), n = *count;
  const float w[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
  float s = 0;
  for (int y = 0; y < 5; y++)
    for (int x = 0; x < 5; x++)
      s += w[y] * w[x] * read_imagef(in, texels, (int2)((int)gx + x - 2, (int)gy + y - 2)).x;
  out[gy * n + gx] = s;
}
kernel void resampleTexture(global float *out, read_only image2d_t in, constant uint *count) {
  const sampler_t s = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
  uint gx = get_global_id(0), gy = get_global_id(1), n = *count;
  out[gy * n + gx] = read_imagef(in, s, ((float2)(gx, gy) * 0.71f + 0.3f) / n).x;
}
kernel void insertion(global uint *out, global const uint *in) {
  uint i = get_global_id(0);
  uint a[16];
  for (uint k = 0; k < 16; k++) a[k] = in[16 * i + k];
  for (uint k = 1; k < 16; k++) {
    uint x = a[k], j = k;
    for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
    a[j] = x;
  }
  for (uint k = 0; k < 16; k++) out[16 * i + k] = a[k];
}
#define ROTATE(x, n) ((x) >> (n) | (x) << (32 - (n)))
kernel void sha256(global uint *out, global const uint *in, constant uint *K) {
  uint i = get_global_id(0);
` + roundsOfSHA256

// roundsOfSHA256 hashes the 16 words of a block, and writes the first of the state.
const roundsOfSHA256 = `
  uint w[16];
  for (uint j = 0; j < 16; j++) w[j] = in[16 * i + j];
  uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
  uint e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
  for (uint r = 0; r < 64; r += 16)
    for (uint j = 0; j < 16; j++) {
      if (r > 0) {
        uint x = w[(j + 1) & 15], y = w[(j + 14) & 15];
        w[j] += (ROTATE(x, 7) ^ ROTATE(x, 18) ^ x >> 3) + w[(j + 9) & 15] + (ROTATE(y, 17) ^ ROTATE(y, 19) ^ y >> 10);
      }
      uint t = h + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) + ((e & f) ^ (~e & g)) + K[r + j] + w[j];
      uint u = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g; g = f; f = e; e = d + t; d = c; c = b; b = a; a = t + u;
    }
  out[i] = a + 0x6a09e667;
}
`

// moreCases are the cases of moreKernels. The goal for each is OpenCL's speed.
func moreCases(many, n int) []benchCase {
	x := floats(many)
	empty := func(n int) []byte { return make([]byte, 4*n) }
	square := [3]int{n, n}
	bodies := min(many/64, 8192)
	const perRow = 16
	rows := many / perRow
	var row, column []uint32
	state := uint32(1)
	for range rows {
		row = append(row, uint32(len(column)))
		for range perRow/2 + state>>28 {
			state = state*1664525 + 1013904223
			column = append(column, state>>8%uint32(rows))
		}
	}
	row = append(row, uint32(len(column)))
	blocks := many / 16
	return []benchCase{
		{"transpose", square, [3]int{16, 16}, [][]byte{empty(n * n), x[:4*n*n], words(uint32(n))}, 1, 1, false},
		{"stencil", square, [3]int{16, 16}, [][]byte{empty(n * n), x[:4*n*n], words(uint32(n))}, 1, 1, false},
		{"nbody", [3]int{bodies}, [3]int{256}, [][]byte{empty(4 * bodies), x[:16*bodies], words(uint32(bodies))}, 1, 1, true},
		{"scan", [3]int{many}, [3]int{256}, [][]byte{empty(many), noise(4 * many)}, 1, 1, false},
		{"bitonic", [3]int{many / 4}, [3]int{256}, [][]byte{empty(many / 4), noise(many)}, 1, 1, false},
		{"spmv", [3]int{rows}, [3]int{256}, [][]byte{empty(rows), x[:4*rows], words(row...), words(column...),
			floats(len(column))}, 1, 1, false},
		{"blur", square, [3]int{16, 16}, [][]byte{empty(n * n), x[:4*n*n], words(uint32(n))}, 1, 1, false},
		{"blurTexture", square, [3]int{16, 16}, [][]byte{empty(n * n), x[:4*n*n], words(uint32(n))}, 1, 1, false},
		{"resampleTexture", square, [3]int{16, 16}, [][]byte{empty(n * n), x[:4*n*n], words(uint32(n))}, 1, 1, true},
		{"insertion", [3]int{blocks}, [3]int{256}, [][]byte{empty(16 * blocks), noise(64 * blocks)}, 1, 1, false},
		{"sha256", [3]int{blocks}, [3]int{256}, [][]byte{empty(blocks), noise(64 * blocks), words(sha256Constants()...)},
			1, 1, false},
	}
}

// sha256Constants returns the first 32 bits of the fractional parts of the cube roots of the first
// 64 primes.
func sha256Constants() (k []uint32) {
	for p := 2; len(k) < 64; p++ {
		prime := true
		for d := 2; d*d <= p; d++ {
			prime = prime && p%d != 0
		}
		if prime {
			_, part := math.Modf(math.Cbrt(float64(p)))
			k = append(k, uint32(part*(1<<32)))
		}
	}
	return k
}

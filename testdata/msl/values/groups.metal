// Threadgroups and simdgroups: shared memory, barriers, reductions, matrices of a simdgroup.
// run reduced grid=256 group=128
// in 0: int 256
// out 1: int 512
// run scanned grid=128 group=64 tg0=256
// in 0: uint 128
// out 1: uint 384
// run tile grid=16,24 group=8,8
// in 0: float 384 tame
// out 1: float 384
// run products grid=32 group=32
// in 0: float 64 tame
// in 1: float 64 tame
// in 2: half 64 tame
// out 3: float 256 ulps=4
// out 4: half 64 ulps=1
// run places grid=40,6,4 group=16,3,2
// out 0: uint 15360
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

kernel void reduced(device const int *in [[buffer(0)]], device int *out [[buffer(1)]], uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]],
                    uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
  threadgroup int parts[4], high[4];
  int v = in[i] % 1000;
  int s = simd_sum(v), h = simd_max(v);
  if (lane == 0) {
    parts[sg] = s;
    high[sg] = h;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (sg == 0) {
    int p = lane < 4 ? parts[lane] : 0;
    p = simd_sum(p);
    if (lane == 0) parts[0] = p;
  }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[2 * i] = parts[0] + int(g);
  out[2 * i + 1] = high[sg] * 2 + simd_shuffle_xor(v, 5) + simd_prefix_inclusive_sum(int(lane));
}

kernel void scanned(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]], threadgroup uint *tmp [[threadgroup(0)]], uint i [[thread_position_in_grid]],
                    uint t [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
  tmp[t] = in[i] & 0xff;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (uint d = 1; d < n; d *= 2) {
    uint v = t >= d ? tmp[t - d] : 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    tmp[t] += v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
  }
  out[3 * i] = tmp[t];
  out[3 * i + 1] = tmp[n - 1 - t];
  out[3 * i + 2] = simd_broadcast(tmp[t], 3) + quad_broadcast(tmp[t], 2);
}

kernel void tile(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], uint2 p [[thread_position_in_grid]], uint2 t [[thread_position_in_threadgroup]],
                 uint2 size [[threads_per_grid]]) {
  threadgroup float cell[8][8];
  cell[t.y][t.x] = in[p.y * size.x + p.x];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float around = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++) {
      int2 q = clamp(int2(t) + int2(dx, dy), int2(0), int2(7));
      around += cell[q.y][q.x];
    }
  out[p.y * size.x + p.x] = around + cell[t.x][t.y];
}

kernel void products(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device const half *h [[buffer(2)]], device float *out [[buffer(3)]],
                     device half *ho [[buffer(4)]], uint lane [[thread_index_in_simdgroup]]) {
  simdgroup_float8x8 x, y, z = make_filled_simdgroup_matrix<float, 8, 8>(0.5f);
  simdgroup_load(x, a);
  simdgroup_load(y, b, 8, ulong2(0, 0), true);
  simdgroup_multiply_accumulate(z, x, y, z);
  simdgroup_store(z, out);
  simdgroup_multiply(z, y, x);
  simdgroup_store(z, out + 64, 8, ulong2(0, 0), true);
  simdgroup_half8x8 u, v(2.0h);
  simdgroup_load(u, h);
  simdgroup_multiply_accumulate(u, u, v, u);
  simdgroup_store(u, ho);
  simdgroup_float8x8 w;
  simdgroup_multiply_accumulate(w, u, v, x);
  w.thread_elements()[0] += float(lane);
  simdgroup_store(w, out + 128);
  simdgroup_float8x8 d(3.0f);
  simdgroup_store(d, out + 192);
}

kernel void places(device uint *out [[buffer(0)]], uint3 p [[thread_position_in_grid]], uint3 t [[thread_position_in_threadgroup]], uint3 g [[threadgroup_position_in_grid]],
                   ushort3 s [[threads_per_threadgroup]], uint3 gs [[threads_per_grid]], uint3 groups [[threadgroups_per_grid]], uint ti [[thread_index_in_threadgroup]],
                   uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]], uint sgs [[simdgroups_per_threadgroup]],
                   uint q [[quadgroup_index_in_threadgroup]], uint width [[threads_per_simdgroup]], uint3 ds [[dispatch_threads_per_threadgroup]]) {
  device uint *o = out + 16 * ((p.z * gs.y + p.y) * gs.x + p.x);
  o[0] = p.x | p.y << 8 | p.z << 16;
  o[1] = t.x | t.y << 8 | t.z << 16;
  o[2] = g.x | g.y << 8 | g.z << 16;
  o[3] = s.x | s.y << 8 | s.z << 16;
  o[4] = gs.x | gs.y << 8 | gs.z << 16;
  o[5] = groups.x | groups.y << 8 | groups.z << 16;
  o[6] = ti;
  o[7] = lane;
  o[8] = sg;
  o[9] = sgs;
  o[10] = q;
  o[11] = width;
  o[12] = ds.x | ds.y << 8 | ds.z << 16;
}

// launch reduce grid=64 group=64
// buffer 0: f32 64*1
// buffer 1: f32 0
// want 1: f32 64
// launch reduce grid=8 group=4
// buffer 0: f32 1 2 3 4 5 6 7 8
// buffer 1: f32 0 0
// want 1: f32 10 26
// launch reduce_dynamic grid=4 group=4 tg0=16
// buffer 0: i32 1 2 3 4
// buffer 1: i32 0
// want 1: i32 10
// launch reduce_simd grid=64 group=64
// buffer 0: f32 32*1 32*2
// buffer 1: f32 0
// want 1: f32 96
#include <metal_stdlib>
using namespace metal;

kernel void reduce(device const float *x [[buffer(0)]], device float *out [[buffer(1)]], uint i [[thread_position_in_grid]],
                   uint t [[thread_index_in_threadgroup]], uint n [[threads_per_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    threadgroup float shared[64];
    shared[t] = x[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint s = n / 2; s > 0; s >>= 1) {
        if (t < s)
            shared[t] += shared[t + s];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (t == 0)
        out[g] = shared[0];
}

kernel void reduce_dynamic(device const int *x [[buffer(0)]], device int *out [[buffer(1)]], threadgroup int *mem [[threadgroup(0)]],
                           ushort t [[thread_index_in_threadgroup]], ushort n [[threads_per_threadgroup]]) {
    mem[t] = x[t];
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (t != 0) return;
    int sum = 0;
    for (ushort k = 0; k < n; ++k) sum += mem[k];
    *out = sum;
}

kernel void reduce_simd(device const float *x [[buffer(0)]], device float *out [[buffer(1)]], uint t [[thread_index_in_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]], uint sg [[simdgroup_index_in_threadgroup]]) {
    threadgroup float part[32];
    float s = simd_sum(x[t]);
    if (lane == 0) part[sg] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (sg == 0) {
        s = lane < 2 ? part[lane] : 0.0f;
        s = simd_sum(s);
        if (lane == 0) out[0] = s;
    }
}

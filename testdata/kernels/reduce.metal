// Reductions: a few threadgroups go through all elements, each leaves one result, and one threadgroup reduces those.
#include <metal_stdlib>
using namespace metal;

struct Sum {
    static float identity() { return 0; }
    static float join(float a, float b) { return a + b; }
    static float simd(float x) { return simd_sum(x); }
};

struct Min {
    static int identity() { return INT_MAX; }
    static int join(int a, int b) { return min(a, b); }
    static int simd(int x) { return simd_min(x); }
};

template <typename Op, typename T>
kernel void reduce(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], constant uint &count [[buffer(2)]], uint i [[thread_position_in_grid]],
                   uint all [[threads_per_grid]], uint group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
                   uint simd [[simdgroup_index_in_threadgroup]], uint simds [[simdgroups_per_threadgroup]])
{
    threadgroup T parts[32];
    T x = Op::identity();
    for (uint at = i; at < count; at += all)
        x = Op::join(x, in[at]);
    x = Op::simd(x);
    if (lane == 0)
        parts[simd] = x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (simd == 0) {
        x = Op::simd(lane < simds ? parts[lane] : Op::identity());
        if (lane == 0)
            out[group] = x;
    }
}

template [[host_name("reduce_sum")]] kernel void reduce<Sum, float>(device const float *, device float *, constant uint &, uint, uint, uint, uint, uint, uint);
template [[host_name("reduce_min")]] kernel void reduce<Min, int>(device const int *, device int *, constant uint &, uint, uint, uint, uint, uint, uint);

// The sum by a tree in threadgroup memory: the length of a threadgroup is a power of two.
kernel void reduce_tree(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], constant uint &count [[buffer(2)]],
                        threadgroup float *tree [[threadgroup(0)]], uint i [[thread_position_in_grid]], uint group [[threadgroup_position_in_grid]],
                        uint tid [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]])
{
    tree[tid] = i < count ? in[i] : 0;
    for (uint d = threads / 2; d > 0; d /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (tid < d)
            tree[tid] += tree[tid + d];
    }
    if (tid == 0)
        out[group] = tree[0];
}

struct Place {
    float value;
    uint index;
};

static Place greater(Place a, Place b)
{
    return a.value > b.value || (a.value == b.value && a.index < b.index) ? a : b;
}

static Place simd_greatest(Place x)
{
    for (ushort d = 16; d > 0; d /= 2)
        x = greater(x, Place { simd_shuffle_xor(x.value, d), simd_shuffle_xor(x.index, d) });
    return x;
}

// The place of the greatest element of each row, the first of equal ones: a threadgroup of whole simdgroups for each row.
kernel void argmax_rows(device const float *rows [[buffer(0)]], device Place *out [[buffer(1)]], constant uint &columns [[buffer(2)]],
                        uint row [[threadgroup_position_in_grid]], uint tid [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]], uint simds [[simdgroups_per_threadgroup]])
{
    threadgroup Place parts[32];
    Place x = { -INFINITY, 0xffffffff };
    for (uint c = tid; c < columns; c += threads)
        x = greater(x, Place { rows[row * columns + c], c });
    x = simd_greatest(x);
    if (lane == 0)
        parts[simd] = x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (simd == 0) {
        Place y = { -INFINITY, 0xffffffff };
        if (lane < simds)
            y = parts[lane];
        y = simd_greatest(y);
        if (lane == 0)
            out[row] = y;
    }
}

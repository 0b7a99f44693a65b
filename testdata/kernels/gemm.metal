// C = A B for row-major matrices of any size, in three ways, and a matrix by a vector.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

struct Sizes {
    uint m, n, k;
};

template <typename T>
kernel void gemm_naive(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device float *c [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                       uint2 at [[thread_position_in_grid]])
{
    if (at.x >= s.n || at.y >= s.m)
        return;
    float sum = 0;
    for (uint k = 0; k < s.k; k++)
        sum += float(a[at.y * s.k + k]) * float(b[k * s.n + at.x]);
    c[at.y * s.n + at.x] = sum;
}

// Tiles of 16 by 16 in threadgroup memory: threadgroups of 16 by 16.
template <typename T>
kernel void gemm_tiled(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device float *c [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                       uint2 at [[thread_position_in_grid]], uint2 in [[thread_position_in_threadgroup]])
{
    threadgroup T ta[16][16], tb[16][16];
    float sum = 0;
    for (uint k = 0; k < s.k; k += 16) {
        ta[in.y][in.x] = at.y < s.m && k + in.x < s.k ? a[at.y * s.k + k + in.x] : T(0);
        tb[in.y][in.x] = at.x < s.n && k + in.y < s.k ? b[(k + in.y) * s.n + at.x] : T(0);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < 16; i++)
            sum += float(ta[in.y][i]) * float(tb[i][in.x]);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (at.x < s.n && at.y < s.m)
        c[at.y * s.n + at.x] = sum;
}

// Blocks of 32 by 32 by a threadgroup of four simdgroups, each of which has four 8 by 8 matrices.
template <typename T>
kernel void gemm_simd(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device float *c [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                      uint2 block [[threadgroup_position_in_grid]], uint tid [[thread_index_in_threadgroup]], uint simd [[simdgroup_index_in_threadgroup]])
{
    constexpr uint depth = 16;
    threadgroup T ta[32 * depth], tb[depth * 32];
    threadgroup float tc[32 * 32];
    const uint2 origin = block * 32, mine = uint2(simd % 2, simd / 2) * 16;
    simdgroup_matrix<float, 8, 8> sums[2][2];
    for (uint i = 0; i < 4; i++)
        sums[i / 2][i % 2] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    for (uint k = 0; k < s.k; k += depth) {
        for (uint i = tid; i < 32 * depth; i += 128) {
            uint row = origin.y + i / depth, column = k + i % depth;
            ta[i] = row < s.m && column < s.k ? a[row * s.k + column] : T(0);
            row = k + i / 32;
            column = origin.x + i % 32;
            tb[i] = row < s.k && column < s.n ? b[row * s.n + column] : T(0);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint d = 0; d < depth; d += 8) {
            simdgroup_matrix<T, 8, 8> ma[2], mb[2];
            for (uint i = 0; i < 2; i++) {
                simdgroup_load(ma[i], ta + (mine.y + i * 8) * depth + d, depth);
                simdgroup_load(mb[i], tb + d * 32 + mine.x + i * 8, 32);
            }
            for (uint i = 0; i < 4; i++)
                simdgroup_multiply_accumulate(sums[i / 2][i % 2], ma[i / 2], mb[i % 2], sums[i / 2][i % 2]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = 0; i < 4; i++)
        simdgroup_store(sums[i / 2][i % 2], tc + (mine.y + i / 2 * 8) * 32 + mine.x + i % 2 * 8, 32);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = tid; i < 32 * 32; i += 128) {
        uint row = origin.y + i / 32, column = origin.x + i % 32;
        if (row < s.m && column < s.n)
            c[row * s.n + column] = tc[i];
    }
}

// A row of A for each simdgroup.
template <typename T, typename T4>
kernel void gemv(device const T *a [[buffer(0)]], device const T *x [[buffer(1)]], device float *y [[buffer(2)]], constant Sizes &s [[buffer(3)]],
                 uint group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]],
                 uint simds [[simdgroups_per_threadgroup]])
{
    const uint row = group * simds + simd;
    if (row >= s.m)
        return;
    a += row * s.k;
    float sum = 0;
    if (s.k % 4 == 0) {
        device const T4 *a4 = (device const T4 *)a, *x4 = (device const T4 *)x;
        for (uint k = lane; k < s.k / 4; k += 32)
            sum += dot(float4(a4[k]), float4(x4[k]));
    } else {
        for (uint k = lane; k < s.k; k += 32)
            sum += float(a[k]) * float(x[k]);
    }
    sum = simd_sum(sum);
    if (lane == 0)
        y[row] = sum;
}

#define PRODUCTS(T)                                                                                                                                         \
    template [[host_name("gemm_naive_" #T)]] kernel void gemm_naive<T>(device const T *, device const T *, device float *, constant Sizes &, uint2);        \
    template [[host_name("gemm_tiled_" #T)]] kernel void gemm_tiled<T>(device const T *, device const T *, device float *, constant Sizes &, uint2, uint2); \
    template [[host_name("gemm_simd_" #T)]] kernel void gemm_simd<T>(device const T *, device const T *, device float *, constant Sizes &, uint2, uint, uint); \
    template [[host_name("gemv_" #T)]] kernel void gemv<T, T##4>(device const T *, device const T *, device float *, constant Sizes &, uint, uint, uint, uint);
PRODUCTS(float)
PRODUCTS(half)
PRODUCTS(bfloat)

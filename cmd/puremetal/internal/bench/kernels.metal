// The kernels that the engine is measured by.
#include <metal_stdlib>
using namespace metal;

kernel void nothing(device float* x [[buffer(0)]]) {}

kernel void saxpy(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], constant float& a [[buffer(2)]], uint i [[thread_position_in_grid]])
{
    y[i] += a * x[i];
}

constant uint tile = 16;

// c = a b for square matrices whose side is a multiple of 16; a threadgroup is a tile.
kernel void matmul_tiled(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]], device float* c [[buffer(2)]], constant uint& n [[buffer(3)]],
                         uint2 at [[thread_position_in_grid]], uint2 in [[thread_position_in_threadgroup]])
{
    threadgroup float as[tile][tile], bs[tile][tile];
    float sum = 0;
    for (uint k = 0; k < n; k += tile) {
        as[in.y][in.x] = a[at.y * n + k + in.x];
        bs[in.y][in.x] = b[(k + in.y) * n + at.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < tile; i++)
            sum += as[in.y][i] * bs[i][in.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    c[at.y * n + at.x] = sum;
}

// One sum for each threadgroup of 256.
kernel void reduce(device const float* x [[buffer(0)]], device float* sums [[buffer(1)]], uint i [[thread_position_in_grid]],
                   uint in [[thread_index_in_threadgroup]], uint group [[threadgroup_position_in_grid]])
{
    threadgroup float part[256];
    part[in] = x[i];
    for (uint half_of = 128; half_of > 0; half_of /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (in < half_of)
            part[in] += part[in + half_of];
    }
    if (in == 0)
        sums[group] = part[0];
}

// A threadgroup of 256 for each row of 1024.
kernel void softmax(device const float* x [[buffer(0)]], device float* y [[buffer(1)]], uint in [[thread_index_in_threadgroup]],
                    uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]])
{
    threadgroup float part[8];
    float v[4], most = -INFINITY, sum = 0;
    for (uint k = 0; k < 4; k++) {
        v[k] = x[row * 1024 + k * 256 + in];
        most = max(most, v[k]);
    }
    most = simd_max(most);
    if (lane == 0)
        part[simd] = most;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < 8; k++)
        most = max(most, part[k]);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < 4; k++) {
        v[k] = exp(v[k] - most);
        sum += v[k];
    }
    sum = simd_sum(sum);
    if (lane == 0)
        part[simd] = sum;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    sum = 0;
    for (uint k = 0; k < 8; k++)
        sum += part[k];
    for (uint k = 0; k < 4; k++)
        y[row * 1024 + k * 256 + in] = v[k] / sum;
}

// How many rounds each point of [-2, 0.5] x [-1.25, 1.25] takes to leave the circle of radius 2, at most 256.
kernel void mandelbrot(device ushort* out [[buffer(0)]], uint2 at [[thread_position_in_grid]], uint2 size [[threads_per_grid]])
{
    const float2 c = float2(-2, -1.25) + 2.5 * float2(at) / float2(size);
    float2 z = 0;
    ushort n = 0;
    while (n < 256 && dot(z, z) <= 4) {
        z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        n++;
    }
    out[at.y * size.x + at.x] = n;
}

// How often each byte occurs: 16 bytes a thread, counted in threadgroup memory first.
kernel void histogram(device const uchar* x [[buffer(0)]], device atomic_uint* bins [[buffer(1)]], uint i [[thread_position_in_grid]],
                      uint all [[threads_per_grid]], uint in [[thread_index_in_threadgroup]])
{
    threadgroup atomic_uint mine[256];
    atomic_store_explicit(&mine[in], 0, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 0; k < 16; k++)
        atomic_fetch_add_explicit(&mine[x[i + k * all]], 1, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&bins[in], atomic_load_explicit(&mine[in], memory_order_relaxed), memory_order_relaxed);
}

// The peaks of a GPU: memory copied, and 8 independent chains of 256 multiply-adds of four numbers in each thread.
kernel void copy(device const float4* x [[buffer(0)]], device float4* y [[buffer(1)]], uint i [[thread_position_in_grid]]) { y[i] = x[i]; }

kernel void multiply_add(device float4* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    float4 v[8];
    for (uint k = 0; k < 8; k++)
        v[k] = x[i] + k;
    for (uint n = 0; n < 256; n++)
        for (uint k = 0; k < 8; k++)
            v[k] = fma(v[k], 0.999f, 0.001f);
    float4 sum = 0;
    for (uint k = 0; k < 8; k++)
        sum += v[k];
    x[i] = sum;
}

// Fourier transforms of rows in threadgroup memory, in the order of Stockham: each pass reads one half of the memory and writes the other.
#include <metal_stdlib>
using namespace metal;

static float2 times(float2 a, float2 b) { return float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

static float2 turn(float part) // of a whole turn
{
    return float2(precise::cospi(2 * part), precise::sinpi(2 * part));
}

struct Transform {
    uint length;
    float sign; // -1 forwards, 1 backwards
};

// The length is a power of two; any number of threads.
kernel void fft_radix2(device const float2 *in [[buffer(0)]], device float2 *out [[buffer(1)]], constant Transform &f [[buffer(2)]],
                       threadgroup float2 *memory [[threadgroup(0)]], uint row [[threadgroup_position_in_grid]],
                       uint tid [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]])
{
    const uint n = f.length;
    threadgroup float2 *from = memory, *to = memory + n;
    for (uint i = tid; i < n; i += threads)
        from[i] = in[row * n + i];
    for (uint size = 1; size < n; size *= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = tid; i < n / 2; i += threads) {
            uint k = i % size, at = (i - k) * 2 + k;
            float2 a = from[i], b = times(from[i + n / 2], turn(f.sign * float(k) / float(2 * size)));
            to[at] = a + b;
            to[at + size] = a - b;
        }
        threadgroup float2 *other = from;
        from = to;
        to = other;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = tid; i < n; i += threads)
        out[row * n + i] = from[i];
}

// The length is a power of four; length/4 threads, which keep what they have in registers between two barriers.
kernel void fft_radix4(device const float2 *in [[buffer(0)]], device float2 *out [[buffer(1)]], constant Transform &f [[buffer(2)]],
                       threadgroup float2 *memory [[threadgroup(0)]], uint row [[threadgroup_position_in_grid]], uint i [[thread_index_in_threadgroup]])
{
    const uint n = f.length, quarter = n / 4;
    for (uint j = 0; j < 4; j++)
        memory[i + j * quarter] = in[row * n + i + j * quarter];
    for (uint size = 1; size < n; size *= 4) {
        uint k = i % size, at = (i - k) * 4 + k;
        float2 x[4], y[4];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint j = 0; j < 4; j++)
            x[j] = times(memory[i + j * quarter], turn(f.sign * float(j * k) / float(4 * size)));
        threadgroup_barrier(mem_flags::mem_threadgroup);
        float2 s = x[0] + x[2], d = x[0] - x[2], t = x[1] + x[3], e = (x[1] - x[3]) * f.sign;
        float2 turned = float2(-e.y, e.x);
        y[0] = s + t;
        y[1] = d + turned;
        y[2] = s - t;
        y[3] = d - turned;
        for (uint j = 0; j < 4; j++)
            memory[at + j * size] = y[j];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint j = 0; j < 4; j++)
        out[row * n + i + j * quarter] = memory[i + j * quarter];
}

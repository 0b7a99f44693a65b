// What models do to rows of numbers: a threadgroup for each row, of which the threads take every so-manieth element.
#include <metal_stdlib>
using namespace metal;

struct Row {
    uint columns;
    float epsilon;
};

struct Lane {
    uint tid, threads, lane, simd, simds;
};

template <bool largest>
static float over_group(float x, threadgroup float *parts, Lane at)
{
    const float none = largest ? -INFINITY : 0.0f;
    x = largest ? simd_max(x) : simd_sum(x);
    threadgroup_barrier(mem_flags::mem_threadgroup); // parts may still be read
    if (at.lane == 0)
        parts[at.simd] = x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x = none;
    for (uint s = 0; s < at.simds; s++)
        x = largest ? max(x, parts[s]) : x + parts[s];
    return x;
}

#define WHERE                                                                                                                                  \
    uint row [[threadgroup_position_in_grid]], uint thread_ [[thread_index_in_threadgroup]], uint threads_ [[threads_per_threadgroup]],        \
        uint lane_ [[thread_index_in_simdgroup]], uint simd_ [[simdgroup_index_in_threadgroup]], uint simds_ [[simdgroups_per_threadgroup]]

template <typename T>
kernel void softmax(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], constant Row &r [[buffer(2)]], WHERE)
{
    threadgroup float parts[32];
    const Lane at = { thread_, threads_, lane_, simd_, simds_ };
    in += row * r.columns;
    out += row * r.columns;
    float most = -INFINITY;
    for (uint c = at.tid; c < r.columns; c += at.threads)
        most = max(most, float(in[c]));
    most = over_group<true>(most, parts, at);
    float sum = 0;
    for (uint c = at.tid; c < r.columns; c += at.threads)
        sum += exp(float(in[c]) - most);
    const float scale = 1 / over_group<false>(sum, parts, at);
    for (uint c = at.tid; c < r.columns; c += at.threads)
        out[c] = T(exp(float(in[c]) - most) * scale);
}

template <typename T>
kernel void rms_norm(device const T *in [[buffer(0)]], device const T *weight [[buffer(1)]], device T *out [[buffer(2)]], constant Row &r [[buffer(3)]], WHERE)
{
    threadgroup float parts[32];
    const Lane at = { thread_, threads_, lane_, simd_, simds_ };
    in += row * r.columns;
    out += row * r.columns;
    float squares = 0;
    for (uint c = at.tid; c < r.columns; c += at.threads)
        squares += float(in[c]) * float(in[c]);
    const float scale = rsqrt(over_group<false>(squares, parts, at) / r.columns + r.epsilon);
    for (uint c = at.tid; c < r.columns; c += at.threads)
        out[c] = T(float(in[c]) * scale * float(weight[c]));
}

template <typename T>
kernel void layer_norm(device const T *in [[buffer(0)]], device const T *weight [[buffer(1)]], device const T *bias [[buffer(2)]], device T *out [[buffer(3)]],
                       constant Row &r [[buffer(4)]], WHERE)
{
    threadgroup float parts[32];
    const Lane at = { thread_, threads_, lane_, simd_, simds_ };
    in += row * r.columns;
    out += row * r.columns;
    float sum = 0;
    for (uint c = at.tid; c < r.columns; c += at.threads)
        sum += float(in[c]);
    const float mean = over_group<false>(sum, parts, at) / r.columns;
    float squares = 0;
    for (uint c = at.tid; c < r.columns; c += at.threads) {
        float d = float(in[c]) - mean;
        squares += d * d;
    }
    const float scale = rsqrt(over_group<false>(squares, parts, at) / r.columns + r.epsilon);
    for (uint c = at.tid; c < r.columns; c += at.threads)
        out[c] = T((float(in[c]) - mean) * scale * float(weight[c]) + float(bias[c]));
}

#define NORMS(T)                                                                                                                               \
    template [[host_name("softmax_" #T)]] kernel void softmax<T>(device const T *, device T *, constant Row &, uint, uint, uint, uint, uint, uint); \
    template [[host_name("rms_norm_" #T)]] kernel void rms_norm<T>(device const T *, device const T *, device T *, constant Row &, uint, uint, uint, uint, uint, uint); \
    template [[host_name("layer_norm_" #T)]] kernel void layer_norm<T>(device const T *, device const T *, device const T *, device T *, constant Row &, uint, uint, uint, uint, uint, uint);
NORMS(float)
NORMS(half)
NORMS(bfloat)

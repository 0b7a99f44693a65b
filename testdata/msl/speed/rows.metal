// One kernel of a hundred lines, in the manner of those of language models: rows of quantized blocks times vectors.
#include <metal_stdlib>

using namespace metal;

#define BLOCK 32
#define LANES 32
#define ROWS 4
#define UNROLL _Pragma("clang loop unroll(full)")

struct Block {
    half scale;
    half low;
    uchar quants[BLOCK / 2];
};

struct Shape {
    int rows;
    int columns;
    int batch;
    ulong stride_row;
    ulong stride_batch;
    float bias;
};

constant bool has_bias [[function_constant(0)]];
constant int unroll [[function_constant(1)]];

static inline float2 unpack(uchar pair, float scale, float low) {
    return fma(float2(pair & 0xF, pair >> 4), scale, low);
}

template <typename T, int N>
float dot_block(device const Block &block, thread const T (&y)[N]) {
    float sum = 0.0f;
    UNROLL
    for (int i = 0; i < N / 2; ++i) {
        const float2 q = unpack(block.quants[i], float(block.scale), float(block.low));
        sum += q.x * float(y[i]) + q.y * float(y[i + N / 2]);
    }
    return sum;
}

template <typename T>
T activate(T x, T slope) {
    if (x > T(0)) {
        return x;
    }
    return slope * (exp(x) - T(1));
}

kernel void rows(
        device const char *weights [[buffer(0)]],
        device const float *input [[buffer(1)]],
        device float *output [[buffer(2)]],
        constant Shape &shape [[buffer(3)]],
        constant float *biases [[buffer(4), function_constant(has_bias)]],
        threadgroup float *shared [[threadgroup(0)]],
        uint3 group [[threadgroup_position_in_grid]],
        ushort lane [[thread_index_in_simdgroup]],
        ushort simd [[simdgroup_index_in_threadgroup]],
        ushort simds [[simdgroups_per_threadgroup]]) {
    const int blocks = shape.columns / BLOCK;
    const int first = (group.x * simds + simd) * ROWS;
    const int batch = group.z;
    if (batch >= shape.batch) {
        return;
    }

    device const float *x = input + ulong(batch) * shape.columns;
    float y[BLOCK];
    float sums[ROWS] = {0.0f};

    for (int b = lane; b < blocks; b += LANES) {
        for (int i = 0; i < BLOCK; i += 4) {
            const float4 v = *(device const float4 *)(x + b * BLOCK + i);
            y[i + 0] = v.x;
            y[i + 1] = v.y;
            y[i + 2] = v.z;
            y[i + 3] = v.w;
        }
        for (int r = 0; r < ROWS && first + r < shape.rows; ++r) {
            device const Block *row = (device const Block *)(weights + (first + r) * shape.stride_row + batch * shape.stride_batch);
            sums[r] += dot_block(row[b], y);
        }
    }

    for (int r = 0; r < ROWS; ++r) {
        float total = simd_sum(sums[r]);
        if (lane == 0) {
            shared[simd * ROWS + r] = total;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        total = shared[simd * ROWS + r];
        if (has_bias) {
            total += biases[first + r] + shape.bias;
        }
        if (lane == 0 && first + r < shape.rows) {
            output[ulong(batch) * shape.rows + first + r] = activate(total, 0.1f * float(unroll));
        }
    }
}

#include "layout.h"

// Reductions of rows, one threadgroup per row. A whole buffer is reduced in two rounds: the first
// reduces portions of it, which are rows; the last row may be short.

// Rows are along the last of four dimensions. Strides are in elements.
struct Rows {
    uint inner[2]; // number of rows along the second and the third dimension
    int in[4], out[4];
    uint length; // elements of a row
    uint total;  // elements of all rows; the last row may be short
};

// begin returns the offset of a row's first element.
inline int begin(constant Rows &rows, constant int *strides, uint row) {
    uint plane = row / rows.inner[1];
    return int(plane / rows.inner[0]) * strides[0] + int(plane % rows.inner[0]) * strides[1] + int(row % rows.inner[1]) * strides[2];
}
inline uint length_of(constant Rows &rows, uint row) { return min(rows.length, rows.total - row * rows.length); }

// most is the maximum number of simdgroups in a threadgroup.
constant constexpr uint most = 32;

struct sum_op {
    static constexpr constant float identity = 0.0f;
    static float join(float a, float b) { return a + b; }
    static float simd(float a) { return simd_sum(a); }
    static float finish(float a, uint) { return a; }
};
struct mean_op : sum_op {
    static float finish(float a, uint n) { return a / float(n); }
};
// A NaN anywhere gives NaN, as in a sum.
struct min_op {
    static constexpr constant float identity = INFINITY;
    static float join(float a, float b) { return isnan(a) || a < b ? a : b; }
    static float simd(float a) { return simd_any(isnan(a)) ? NAN : simd_min(a); }
    static float finish(float a, uint) { return a; }
};
struct max_op {
    static constexpr constant float identity = -INFINITY;
    static float join(float a, float b) { return isnan(a) || a > b ? a : b; }
    static float simd(float a) { return simd_any(isnan(a)) ? NAN : simd_max(a); }
    static float finish(float a, uint) { return a; }
};

// whole_group combines the values of all threads of a threadgroup; every thread gets the result.
template <typename Op>
inline float whole_group(float v, threadgroup float *partial, uint lane, uint simdgroup_index, uint simdgroups) {
    v = Op::simd(v);
    threadgroup_barrier(mem_flags::mem_threadgroup); // earlier reads of partial have finished
    if (lane == 0) {
        partial[simdgroup_index] = v;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return Op::simd(lane < simdgroups ? partial[lane] : float(Op::identity));
}

template <typename T, typename Op>
kernel void reduce_rows(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], constant Rows &rows [[buffer(2)]],
                        uint row [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]],
                        uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                        uint simdgroup_index [[simdgroup_index_in_threadgroup]], uint simdgroups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[most];
    in += begin(rows, rows.in, row);
    uint n = length_of(rows, row);
    float v = Op::identity;
    for (uint i = t; i < n; i += threads) {
        v = Op::join(v, float(in[int(i) * rows.in[3]]));
    }
    v = whole_group<Op>(v, partial, lane, simdgroup_index, simdgroups);
    if (t == 0) {
        out[begin(rows, rows.out, row)] = T(Op::finish(v, n));
    }
}

// sum_partial is reduce_rows for sums that stay in float: the first round for 16-bit numbers.
template <typename T>
kernel void sum_partial(device const T *in [[buffer(0)]], device float *out [[buffer(1)]], constant Rows &rows [[buffer(2)]],
                        uint row [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]],
                        uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                        uint simdgroup_index [[simdgroup_index_in_threadgroup]], uint simdgroups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[most];
    in += begin(rows, rows.in, row);
    uint n = length_of(rows, row);
    float v = 0.0f;
    for (uint i = t; i < n; i += threads) {
        v += float(in[int(i) * rows.in[3]]);
    }
    v = whole_group<sum_op>(v, partial, lane, simdgroup_index, simdgroups);
    if (t == 0) {
        out[row] = v;
    }
}

// sum_final adds up the partial sums and divides by count, which is 1 for a sum.
template <typename T>
kernel void sum_final(device const float *in [[buffer(0)]], device T *out [[buffer(1)]], constant uint &n [[buffer(2)]],
                      constant float &count [[buffer(3)]], uint t [[thread_position_in_threadgroup]],
                      uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                      uint simdgroup_index [[simdgroup_index_in_threadgroup]], uint simdgroups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[most];
    float v = 0.0f;
    for (uint i = t; i < n; i += threads) {
        v += in[i];
    }
    v = whole_group<sum_op>(v, partial, lane, simdgroup_index, simdgroups);
    if (t == 0) {
        out[0] = T(v / count);
    }
}

// better reports whether value a at index i ranks before value b at index j: a is larger, or equal
// and earlier. NaN ranks highest.
inline bool better(float a, uint i, float b, uint j) {
    bool an = isnan(a), bn = isnan(b);
    if (an != bn) {
        return an;
    }
    return an || a == b ? i < j : a > b;
}

// argmax_rows writes the index of each row's first largest element, relative to the row.
template <typename T>
kernel void argmax_rows(device const T *in [[buffer(0)]], device uint *out [[buffer(1)]], constant Rows &rows [[buffer(2)]],
                        uint row [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]],
                        uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                        uint simdgroup_index [[simdgroup_index_in_threadgroup]], uint simdgroups [[simdgroups_per_threadgroup]]) {
    threadgroup float values[most];
    threadgroup uint places[most];
    in += begin(rows, rows.in, row);
    uint n = length_of(rows, row);
    float v = -INFINITY;
    uint at = 0xffffffffu;
    for (uint i = t; i < n; i += threads) {
        float x = float(in[int(i) * rows.in[3]]);
        if (at == 0xffffffffu || better(x, i, v, at)) {
            v = x;
            at = i;
        }
    }
    for (ushort d = 16; d > 0; d /= 2) {
        float ov = simd_shuffle_xor(v, d);
        uint oat = simd_shuffle_xor(at, d);
        if (oat != 0xffffffffu && (at == 0xffffffffu || better(ov, oat, v, at))) {
            v = ov;
            at = oat;
        }
    }
    if (lane == 0) {
        values[simdgroup_index] = v;
        places[simdgroup_index] = at;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0) {
        for (uint s = 1; s < simdgroups; s++) {
            if (places[s] != 0xffffffffu && (at == 0xffffffffu || better(values[s], places[s], v, at))) {
                v = values[s];
                at = places[s];
            }
        }
        out[begin(rows, rows.out, row)] = at;
    }
}

// argmax_final takes the indices from the first round, one for each of n rows, and picks the first
// largest element of all.
template <typename T>
kernel void argmax_final(device const T *in [[buffer(0)]], device const uint *places [[buffer(1)]], device uint *out [[buffer(2)]],
                         constant uint &n [[buffer(3)]], constant Rows &rows [[buffer(4)]]) {
    float v = -INFINITY;
    uint best = 0xffffffffu;
    for (uint i = 0; i < n; i++) {
        float x = float(in[begin(rows, rows.in, i) + int(places[i]) * rows.in[3]]);
        uint at = i * rows.length + places[i];
        if (best == 0xffffffffu || better(x, at, v, best)) {
            v = x;
            best = at;
        }
    }
    out[0] = best;
}

// softmax_rows writes exp(x - max) / sum for each row (Bridle 1990); subtracting the maximum
// prevents overflow.
template <typename T>
kernel void softmax_rows(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], constant Rows &rows [[buffer(2)]],
                         uint row [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]],
                         uint threads [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]],
                         uint simdgroup_index [[simdgroup_index_in_threadgroup]], uint simdgroups [[simdgroups_per_threadgroup]]) {
    threadgroup float partial[most];
    device const T *x = in + begin(rows, rows.in, row);
    device T *y = out + begin(rows, rows.out, row);
    float top = -INFINITY;
    for (uint i = t; i < rows.length; i += threads) {
        top = max_op::join(top, float(x[int(i) * rows.in[3]]));
    }
    top = whole_group<max_op>(top, partial, lane, simdgroup_index, simdgroups);
    float sum = 0.0f;
    for (uint i = t; i < rows.length; i += threads) {
        sum += precise::exp(float(x[int(i) * rows.in[3]]) - top);
    }
    sum = whole_group<sum_op>(sum, partial, lane, simdgroup_index, simdgroups);
    for (uint i = t; i < rows.length; i += threads) {
        y[int(i) * rows.out[3]] = T(precise::exp(float(x[int(i) * rows.in[3]]) - top) / sum);
    }
}

EACH_FLOAT_OP(reduce_rows, sum_rows, sum_op)
EACH_FLOAT_OP(reduce_rows, mean_rows, mean_op)
EACH_FLOAT_OP(reduce_rows, min_rows, min_op)
EACH_FLOAT_OP(reduce_rows, max_rows, max_op)
EACH_FLOAT(sum_partial)
EACH_FLOAT(sum_final)
EACH_FLOAT(argmax_rows)
EACH_FLOAT(argmax_final)
EACH_FLOAT(softmax_rows)

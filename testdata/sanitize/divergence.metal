// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void branch_few_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    if (t < 10)
        threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void branch_few_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    out[i] = t;
}

kernel void return_few_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    if (t < 10)
        return;
    threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void return_few_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    if (t < 10)
        return;
    out[i] = t;
}

kernel void branch_odd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    if (t % 2 == 1)
        threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void branch_odd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    out[i] = t;
}

kernel void return_odd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    if (t % 2 == 1)
        return;
    threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void return_odd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    if (t % 2 == 1)
        return;
    out[i] = t;
}

kernel void branch_one_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    if (t == 0)
        threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void branch_one_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    out[i] = t;
}

kernel void return_one_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    if (t == 0)
        return;
    threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void return_one_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    if (t == 0)
        return;
    out[i] = t;
}

kernel void branch_simd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    if (t < 32)
        threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void branch_simd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    out[i] = t;
}

kernel void return_simd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    if (t < 32)
        return;
    threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void return_simd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    if (t < 32)
        return;
    out[i] = t;
}

kernel void branch_data_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    if (in[i] % 5 == 0)
        threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void branch_data_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    out[i] = t;
}

kernel void return_data_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    if (in[i] % 5 == 0)
        return;
    threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void return_data_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    if (in[i] % 5 == 0)
        return;
    out[i] = t;
}

kernel void branch_last_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    if (t == 63)
        threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void branch_last_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    out[i] = t;
}

kernel void return_last_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    if (t == 63)
        return;
    threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void return_last_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    if (t == 63)
        return;
    out[i] = t;
}

kernel void branch_grid_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    if (i >= 30)
        threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void branch_grid_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    out[i] = t;
}

kernel void return_grid_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    if (i >= 30)
        return;
    threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void return_grid_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    if (i >= 30)
        return;
    out[i] = t;
}

kernel void nested_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    if (g == 0) {
        if (t > 3)
            threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    }
    out[i] = t;
}

kernel void nested_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    if (g == 0) {
        threadgroup_barrier(mem_flags::mem_none);
    }
    out[i] = t;
}

kernel void loop_count_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    for (uint k = 0; k < t / 32 + 1; k++)
        threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void loop_count_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    for (uint k = 0; k < g + 1; k++)
        threadgroup_barrier(mem_flags::mem_none);
    out[i] = t;
}

kernel void simdgroup_barrier_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint l = t % 32;
    if (l > 9)
        simdgroup_barrier(mem_flags::mem_threadgroup); // FIND divergence
    out[i] = t;
}

kernel void simdgroup_barrier_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint l = t % 32;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = l;
}

kernel void simdgroup_product_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint l = t % 32;
    simdgroup_half8x8 m(1.0h), r(0.0h);
    if (l < 16)
        simdgroup_multiply_accumulate(r, m, m, r); // FIND divergence
    out[i] = uint(r.thread_elements()[0]);
}

kernel void simdgroup_product_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint l = t % 32;
    simdgroup_half8x8 m(1.0h), r(0.0h);
    simdgroup_multiply_accumulate(r, m, m, r);
    out[i] = uint(r.thread_elements()[0]) + l;
}

kernel void simdgroup_matrix_load_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint l = t % 32;
    simdgroup_float8x8 m(0.0f);
    if (l > 3)
        simdgroup_load(m, (device float *)in, 1); // FIND divergence
    out[i] = as_type<uint>(m.thread_elements()[0]);
}

kernel void simdgroup_matrix_load_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint l = t % 32;
    simdgroup_float8x8 m(0.0f);
    simdgroup_load(m, (device float *)in, 1);
    out[i] = as_type<uint>(m.thread_elements()[0]) + l;
}

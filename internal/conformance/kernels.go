package conformance

// kernels are those that several concepts use.
const kernels = `
kernel void number(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i + 1; }

kernel void add(device const uint* a [[buffer(0)]], device const uint* b [[buffer(1)]], device uint* c [[buffer(2)]],
                uint i [[thread_position_in_grid]]) { c[i] = a[i] + b[i]; }

kernel void plus(device uint* x [[buffer(0)]], constant uint& k [[buffer(1)]], uint i [[thread_position_in_grid]]) { x[i] += k; }

kernel void twice(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= 2; }

kernel void carry(device const uint* a [[buffer(0)]], device uint* b [[buffer(1)]], uint i [[thread_position_in_grid]]) { b[i] = a[i]; }

kernel void scale(device float* x [[buffer(0)]], constant float& k [[buffer(1)]], uint i [[thread_position_in_grid]]) { x[i] *= k; }

kernel void hits(device atomic_uint* n [[buffer(0)]]) { atomic_fetch_add_explicit(n, 1u, memory_order_relaxed); }

kernel void sum(device const uint* in [[buffer(0)]], device uint* out [[buffer(1)]], threadgroup uint* mem [[threadgroup(0)]],
                uint l [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]],
                uint n [[threads_per_threadgroup]]) {
    mem[l] = in[g * n + l];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint s = n / 2; s > 0; s /= 2) {
        if (l < s) mem[l] += mem[l + s];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (l == 0) out[g] = mem[0];
}

kernel void fixed(device uint* out [[buffer(0)]], uint l [[thread_position_in_threadgroup]]) {
    threadgroup uint mem[64];
    mem[l] = l;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[l] = mem[63 - l];
}

kernel void two(device uint* out [[buffer(0)]], threadgroup uint* a [[threadgroup(0)]], threadgroup uint* b [[threadgroup(1)]],
                uint l [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
    a[l] = l;
    b[l] = 100 + l;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[l] = a[n - 1 - l] * 1000 + b[n - 1 - l];
}

kernel void place(device uint* out [[buffer(0)]], constant uint& which [[buffer(1)]],
                  uint3 at [[thread_position_in_grid]], uint3 grid [[threads_per_grid]],
                  uint3 l [[thread_position_in_threadgroup]], uint3 g [[threadgroup_position_in_grid]],
                  uint3 groups [[threadgroups_per_grid]], uint3 tg [[threads_per_threadgroup]],
                  uint3 dtg [[dispatch_threads_per_threadgroup]], uint index [[thread_index_in_threadgroup]],
                  uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]],
                  uint simds [[simdgroups_per_threadgroup]], uint width [[threads_per_simdgroup]]) {
    uint o = (at.z * grid.y + at.y) * grid.x + at.x;
    uint3 v = uint3(0);
    switch (which) {
    case 0: v = at; break;
    case 1: v = grid; break;
    case 2: v = l; break;
    case 3: v = g; break;
    case 4: v = groups; break;
    case 5: v = tg; break;
    case 6: v = dtg; break;
    case 7: v = uint3(index, 0, 0); break;
    case 8: v = uint3(lane, simd, 0); break;
    case 9: v = uint3(simds, width, 0); break;
    }
    out[3 * o] = v.x;
    out[3 * o + 1] = v.y;
    out[3 * o + 2] = v.z;
}
`

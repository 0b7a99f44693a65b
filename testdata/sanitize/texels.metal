// Races of texels. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void no_barrier_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                             device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                             uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x; // FIND race
}

kernel void no_barrier_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                             device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                             uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x;
}

kernel void barrier_of_threadgroup_memory_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                                device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                                uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x; // FIND race
}

kernel void barrier_of_threadgroup_memory_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                                device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                                uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x;
}

kernel void barrier_of_device_memory_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                           device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                           uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_device);
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x; // FIND race
}

kernel void barrier_of_device_memory_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                           device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                           uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x;
}

kernel void barrier_of_nothing_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                     device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                     uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_none);
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x; // FIND race
}

kernel void barrier_of_nothing_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                     device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                     uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x;
}

kernel void two_write_one_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t / 2 % 16, t / 32 + 2 * g)); // FIND race
}

kernel void two_write_one_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
}

kernel void all_write_one_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(5, 5)); // FIND race
}

kernel void all_write_one_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    if (i == 3)
        tex.write(uint4(i + 1), uint2(5, 5));
}

kernel void same_value_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                             device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                             uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(t < 40 ? 7 : 8), uint2(5, g)); // FIND race
}

kernel void same_value_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                             device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                             uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(7), uint2(5, g));
}

kernel void threadgroups_write_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                     device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                     uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16)); // FIND race
}

kernel void threadgroups_write_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                     device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                     uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
}

kernel void threadgroups_read_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                    device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                    uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * (1 - g))).x; // FIND race
}

kernel void threadgroups_read_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                    device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                    uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x;
}

kernel void own_without_fence_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                    device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                    uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x; // FIND race
}

kernel void own_without_fence_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                    device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                    uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    tex.fence();
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x;
}

kernel void fence_too_early_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                  device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                  uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.fence();
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x; // FIND race
}

kernel void fence_too_early_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                  device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                  uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    tex.fence();
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x;
}

kernel void fence_of_some_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    if (t < 32)
        tex.fence();
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x; // FIND race
}

kernel void fence_of_some_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    tex.fence();
    if (t < 32)
        out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x;
}

kernel void fence_for_others_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                   device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                   uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    tex.fence();
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x; // FIND race
}

kernel void fence_for_others_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                   device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                   uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x;
}

kernel void accumulate_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                             device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                             uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    for (uint n = 0; n < 4; n++) {
        uint x = tex.read(uint2(t % 16, t / 16 + 4 * g)).x; // FIND race
        tex.write(uint4(x + n + 1), uint2(t % 16, t / 16 + 4 * g));
    }
}

kernel void accumulate_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                             device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                             uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    for (uint n = 0; n < 4; n++) {
        uint x = tex.read(uint2(t % 16, t / 16 + 4 * g)).x;
        tex.write(uint4(x + n + 1), uint2(t % 16, t / 16 + 4 * g));
        tex.fence();
    }
}

kernel void own_by_barrier_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                 device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                 uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x; // FIND race
}

kernel void own_by_barrier_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                 device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                 uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    simdgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x;
}

kernel void simdgroup_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                            device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                            uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    out[i] = tex.read(uint2((t + 1) % 16, t / 16 + 4 * g)).x; // FIND race
}

kernel void simdgroup_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                            device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                            uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    simdgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2((t + 1) % 16, t / 16 + 4 * g)).x;
}

kernel void simdgroup_flags_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                  device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                  uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    simdgroup_barrier(mem_flags::mem_none);
    out[i] = tex.read(uint2((t + 1) % 16, t / 16 + 4 * g)).x; // FIND race
}

kernel void simdgroup_flags_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                  device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                  uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    simdgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2((t + 1) % 16, t / 16 + 4 * g)).x;
}

kernel void simdgroup_too_small_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                      device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                      uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    simdgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x; // FIND race
}

kernel void simdgroup_too_small_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                      device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                      uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x;
}

kernel void read_then_write_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                  device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                  uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    uint x = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x;
    tex.write(uint4(x + i + 1), uint2(t % 16, t / 16 + 4 * g)); // FIND race
}

kernel void read_then_write_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                  device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                  uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    uint x = tex.read(uint2(t % 16, (63 - t) / 16 + 4 * g)).x;
    threadgroup_barrier(mem_flags::mem_texture);
    tex.write(uint4(x + i + 1), uint2(t % 16, t / 16 + 4 * g));
}

kernel void one_reader_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                             device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                             uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    if (t == 9)
        out[i] = tex.read(uint2(8, 3 + 4 * g)).x;
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g)); // FIND race
}

kernel void one_reader_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                             device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                             uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    if (t == 56)
        out[i] = tex.read(uint2(8, 3 + 4 * g)).x;
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
}

kernel void shift_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                        device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                        uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    for (uint n = 0; n < 3; n++) {
        uint4 x = tex.read(uint2((t + 1) % 16, t / 16 + 4 * g));
        threadgroup_barrier(mem_flags::mem_texture);
        tex.write(x + 1, uint2(t % 16, t / 16 + 4 * g)); // FIND race
    }
}

kernel void shift_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                        device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                        uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    for (uint n = 0; n < 3; n++) {
        uint4 x = tex.read(uint2((t + 1) % 16, t / 16 + 4 * g));
        threadgroup_barrier(mem_flags::mem_texture);
        tex.write(x + 1, uint2(t % 16, t / 16 + 4 * g));
        threadgroup_barrier(mem_flags::mem_texture);
    }
}

// texture R8Uint
kernel void row_of_bytes_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                               device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                               uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2((t + g) % 16, t / 16 + 4 * g));
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x; // FIND race
}

// texture R8Uint
kernel void row_of_bytes_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                               device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                               uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2((t + g) % 16, t / 16 + 4 * g));
    threadgroup_barrier(mem_flags::mem_texture);
    out[i] = tex.read(uint2(t % 16, t / 16 + 4 * g)).x;
}

// texture RG16Uint
kernel void narrow_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                         device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                         uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t / 2 % 16, g)); // FIND race
}

// texture RG16Uint
kernel void narrow_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                         device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                         uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.write(uint4(i + 1), uint2(t % 16, t / 16 + 4 * g));
}

// texture R32Uint
kernel void atomic_and_plain_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                                   device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                   uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.atomic_fetch_add(uint2(t % 4, 0), uint4(1));
    if (t == 0)
        out[i] = tex.read(uint2(1, 0)).x; // FIND race
}

// texture R32Uint
kernel void atomic_and_plain_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                                   device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                   uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.atomic_fetch_add(uint2(t % 4, 0), uint4(1));
    if (t == 0)
        out[i] = tex.atomic_load(uint2(1, 0)).x;
}

// texture R32Uint
kernel void plain_count_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                              device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                              uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    uint x = tex.read(uint2(3, 3)).x; // FIND race
    tex.write(uint4(x + 1), uint2(3, 3)); // FIND race
}

// texture R32Uint
kernel void plain_count_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                              device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                              uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    tex.atomic_fetch_add(uint2(3, 3), uint4(1));
}

kernel void last_group_wrong(texture2d<uint, access::read_write> tex [[texture(0)]],
                             device uint *out [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    if (t != 0)
        return;
    tex.write(uint4(g + 1000), uint2(g, 0));
    atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
    uint before = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
    if (before == 2) // it begins with 1
        out[0] = tex.read(uint2(0, 0)).x + tex.read(uint2(1, 0)).x; // FIND race
}

kernel void last_group_right(texture2d<uint, access::read_write> tex [[texture(0)]],
                             device uint *out [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    if (t != 0)
        return;
    tex.write(uint4(g + 1000), uint2(g, 0));
    atomic_thread_fence(mem_flags::mem_texture, memory_order_acq_rel, thread_scope_device);
    uint before = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_texture, memory_order_acq_rel, thread_scope_device);
    if (before == 2) // it begins with 1
        out[0] = tex.read(uint2(0, 0)).x + tex.read(uint2(1, 0)).x;
}

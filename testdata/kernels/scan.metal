// Prefix sums over any number of elements: each threadgroup scans a tile and says its sum, the sums are scanned in the same way, and
// what stands before each tile is added to it.
#include <metal_stdlib>
using namespace metal;

// The sum of the elements before this thread's in the threadgroup, and the sum of all.
template <typename T>
static T sum_before(T x, threadgroup T *sums, uint lane, uint simd, uint simds, thread T &all)
{
    T before = simd_prefix_exclusive_sum(x);
    T mine = simd_sum(x);
    if (lane == 0)
        sums[simd] = mine;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (simd == 0) { // the lanes that this simdgroup has may be fewer than there are simdgroups only if there is but one
        T s = lane < simds ? sums[lane] : T(0);
        T b = simd_prefix_exclusive_sum(s);
        T total = simd_sum(s);
        if (lane < simds)
            sums[lane] = b;
        if (lane == 0)
            sums[32] = total;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    all = sums[32];
    return sums[simd] + before;
}

template <typename T, bool inclusive>
kernel void scan_tile(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], device T *totals [[buffer(2)]], constant uint &count [[buffer(3)]],
                      uint i [[thread_position_in_grid]], uint tile [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
                      uint simd [[simdgroup_index_in_threadgroup]], uint simds [[simdgroups_per_threadgroup]])
{
    threadgroup T sums[33];
    T x = i < count ? in[i] : T(0), all;
    T before = sum_before(x, sums, lane, simd, simds, all);
    if (i < count)
        out[i] = inclusive ? before + x : before;
    if (lane == 0 && simd == 0)
        totals[tile] = all;
}

#define SCAN(name, T, inclusive) \
    template [[host_name(name)]] kernel void scan_tile<T, inclusive>(device const T *, device T *, device T *, constant uint &, uint, uint, uint, uint, uint);
SCAN("scan_inclusive_uint", uint, true)
SCAN("scan_exclusive_uint", uint, false)
SCAN("scan_inclusive_float", float, true)
SCAN("scan_exclusive_float", float, false)
SCAN("scan_inclusive_int", int, true)
SCAN("scan_exclusive_int", int, false)

template <typename T>
kernel void scan_add(device T *out [[buffer(0)]], device const T *totals [[buffer(1)]], constant uint &count [[buffer(2)]],
                     uint i [[thread_position_in_grid]], uint tile [[threadgroup_position_in_grid]])
{
    if (i < count)
        out[i] += totals[tile];
}

template [[host_name("scan_add_uint")]] kernel void scan_add<uint>(device uint *, device const uint *, constant uint &, uint, uint);
template [[host_name("scan_add_float")]] kernel void scan_add<float>(device float *, device const float *, constant uint &, uint, uint);
template [[host_name("scan_add_int")]] kernel void scan_add<int>(device int *, device const int *, constant uint &, uint, uint);

// Compaction: which elements are kept, and, when that is scanned, putting them next to each other.
kernel void compact_flags(device const int *in [[buffer(0)]], device uint *flags [[buffer(1)]], constant int &least [[buffer(2)]], uint i [[thread_position_in_grid]])
{
    flags[i] = in[i] >= least;
}

kernel void compact_move(device const int *in [[buffer(0)]], device const uint *flags [[buffer(1)]], device const uint *places [[buffer(2)]],
                         device int *out [[buffer(3)]], device uint &kept [[buffer(4)]], constant uint &count [[buffer(5)]], uint i [[thread_position_in_grid]])
{
    if (flags[i])
        out[places[i]] = in[i];
    if (i == count - 1)
        kept = places[i] + flags[i];
}

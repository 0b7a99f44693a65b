// Sub-groups are the groups of threads that Metal calls simdgroups.

inline uint get_max_sub_group_size() { return 32; }

inline uint get_num_sub_groups() {
  uint3 size = __puremetal_threads_per_threadgroup();
  return (size.x * size.y * size.z + 31) / 32;
}

inline uint get_sub_group_size() {
  uint3 size = __puremetal_threads_per_threadgroup();
  return metal::min(32u, size.x * size.y * size.z - __puremetal_simdgroup_index_in_threadgroup() * 32);
}

inline uint get_sub_group_id() { return __puremetal_simdgroup_index_in_threadgroup(); }

inline uint get_sub_group_local_id() { return __puremetal_thread_index_in_simdgroup(); }

inline void sub_group_barrier(uint flags) { simdgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device); }

inline uint get_enqueued_num_sub_groups() {
  return (uint(get_enqueued_local_size(0) * get_enqueued_local_size(1) * get_enqueued_local_size(2)) + 31) / 32;
}

inline void sub_group_barrier(uint flags, uint scope) {
  simdgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}

inline int sub_group_all(int x) { return simd_all(x != 0); }

inline int sub_group_any(int x) { return simd_any(x != 0); }

template <class T> inline T sub_group_broadcast(T x, uint id) { return simd_broadcast(x, ushort(id)); }

template <class T> inline T sub_group_reduce_add(T x) { return simd_sum(x); }

template <class T> inline T sub_group_reduce_min(T x) { return simd_min(x); }

template <class T> inline T sub_group_reduce_max(T x) { return simd_max(x); }

template <class T> inline T sub_group_scan_inclusive_add(T x) { return simd_prefix_inclusive_sum(x); }

template <class T> inline T sub_group_scan_exclusive_add(T x) { return simd_prefix_exclusive_sum(x); }

template <class T> inline T sub_group_shuffle(T x, uint id) { return simd_shuffle(x, ushort(id)); }

template <class T> inline T sub_group_shuffle_xor(T x, uint mask) { return simd_shuffle_xor(x, ushort(mask)); }

template <class T> inline T sub_group_shuffle_up(T x, uint n) { return simd_shuffle_up(x, ushort(n)); }

template <class T> inline T sub_group_shuffle_down(T x, uint n) { return simd_shuffle_down(x, ushort(n)); }

// Scans that Metal does not have.

template <class T> inline T sub_group_scan_inclusive_min(T x) { return scan_lanes(1, x); }

template <class T> inline T sub_group_scan_inclusive_max(T x) { return scan_lanes(2, x); }

// The greatest and the least number of a type: infinity, if it has one.

template <class T> inline T greatest() {
  return is_floating_point_v<T> ? T(INFINITY) : numeric_limits<T>::max();
}

template <class T> inline T least() {
  return is_floating_point_v<T> ? T(-INFINITY) : numeric_limits<T>::lowest();
}

template <class T> inline T sub_group_scan_exclusive_min(T x) {
  T before = simd_shuffle_up(sub_group_scan_inclusive_min(x), ushort(1));
  return __puremetal_thread_index_in_simdgroup() == 0 ? greatest<T>() : before;
}

template <class T> inline T sub_group_scan_exclusive_max(T x) {
  T before = simd_shuffle_up(sub_group_scan_inclusive_max(x), ushort(1));
  return __puremetal_thread_index_in_simdgroup() == 0 ? least<T>() : before;
}

// cl_khr_subgroup_non_uniform_vote, _ballot, _non_uniform_arithmetic and _clustered_reduce.

inline int sub_group_elect() { return simd_is_first(); }

inline int sub_group_non_uniform_all(int x) { return simd_all(x != 0); }

inline int sub_group_non_uniform_any(int x) { return simd_any(x != 0); }

template <class T> inline int sub_group_non_uniform_all_equal(T x) { return simd_all(x == simd_broadcast_first(x)); }

template <class T> inline T sub_group_non_uniform_broadcast(T x, uint id) { return simd_broadcast(x, ushort(id)); }

template <class T> inline T sub_group_broadcast_first(T x) { return simd_broadcast_first(x); }

inline uint4 sub_group_ballot(int x) { return uint4(uint(ulong(simd_ballot(x != 0))), 0, 0, 0); }

inline int sub_group_inverse_ballot(uint4 x) { return x.x >> __puremetal_thread_index_in_simdgroup() & 1; }

inline int sub_group_ballot_bit_extract(uint4 x, uint i) { return i < 32 ? x.x >> i & 1 : 0; }

inline uint4 get_sub_group_eq_mask() { return uint4(1u << __puremetal_thread_index_in_simdgroup(), 0, 0, 0); }

inline uint4 get_sub_group_lt_mask() { return uint4((1u << __puremetal_thread_index_in_simdgroup()) - 1, 0, 0, 0); }

inline uint4 get_sub_group_le_mask() { return uint4((2u << __puremetal_thread_index_in_simdgroup()) - 1, 0, 0, 0); }

inline uint4 get_sub_group_ge_mask() {
  uint size = get_sub_group_size();
  return uint4((~0u >> (32 - size)) & ~get_sub_group_lt_mask().x, 0, 0, 0);
}

inline uint4 get_sub_group_gt_mask() {
  uint size = get_sub_group_size();
  return uint4((~0u >> (32 - size)) & ~get_sub_group_le_mask().x, 0, 0, 0);
}

inline uint sub_group_ballot_bit_count(uint4 x) { return metal::popcount(x.x & (~0u >> (32 - get_sub_group_size()))); }

inline uint sub_group_ballot_inclusive_scan(uint4 x) { return metal::popcount(x.x & get_sub_group_le_mask().x); }

inline uint sub_group_ballot_exclusive_scan(uint4 x) { return metal::popcount(x.x & get_sub_group_lt_mask().x); }

inline uint sub_group_ballot_find_lsb(uint4 x) { return metal::ctz(x.x & (~0u >> (32 - get_sub_group_size()))); }

inline uint sub_group_ballot_find_msb(uint4 x) { return 31 - metal::clz(x.x & (~0u >> (32 - get_sub_group_size()))); }

template <class T> inline T sub_group_reduce_mul(T x) { return simd_product(x); }

template <class T> inline T sub_group_reduce_and(T x) { return simd_and(x); }

template <class T> inline T sub_group_reduce_or(T x) { return simd_or(x); }

template <class T> inline T sub_group_reduce_xor(T x) { return simd_xor(x); }

template <class T> inline T sub_group_non_uniform_reduce_add(T x) { return simd_sum(x); }

template <class T> inline T sub_group_non_uniform_reduce_mul(T x) { return simd_product(x); }

template <class T> inline T sub_group_non_uniform_reduce_min(T x) { return simd_min(x); }

template <class T> inline T sub_group_non_uniform_reduce_max(T x) { return simd_max(x); }

template <class T> inline T sub_group_non_uniform_reduce_and(T x) { return simd_and(x); }

template <class T> inline T sub_group_non_uniform_reduce_or(T x) { return simd_or(x); }

template <class T> inline T sub_group_non_uniform_reduce_xor(T x) { return simd_xor(x); }

template <class T> inline T sub_group_non_uniform_scan_inclusive_add(T x) { return simd_prefix_inclusive_sum(x); }

template <class T> inline T sub_group_non_uniform_scan_exclusive_add(T x) { return simd_prefix_exclusive_sum(x); }

template <class T> inline T sub_group_non_uniform_scan_inclusive_mul(T x) { return simd_prefix_inclusive_product(x); }

template <class T> inline T sub_group_non_uniform_scan_exclusive_mul(T x) { return simd_prefix_exclusive_product(x); }

template <class T> inline T sub_group_clustered_reduce_add(T x, uint size) {
  for (uint d = 1; d < size; d *= 2)
    x += simd_shuffle_xor(x, ushort(d));
  return x;
}

template <class T> inline T sub_group_clustered_reduce_min(T x, uint size) {
  for (uint d = 1; d < size; d *= 2)
    x = metal::min(x, simd_shuffle_xor(x, ushort(d)));
  return x;
}

template <class T> inline T sub_group_clustered_reduce_max(T x, uint size) {
  for (uint d = 1; d < size; d *= 2)
    x = metal::max(x, simd_shuffle_xor(x, ushort(d)));
  return x;
}

template <class T> inline T sub_group_rotate(T x, int n) {
  return simd_shuffle(x, ushort((__puremetal_thread_index_in_simdgroup() + uint(n)) % get_sub_group_size()));
}

// cl_intel_subgroups. A shuffle up or down goes on in a second value.

template <class T> inline T intel_sub_group_shuffle(T x, uint id) { return simd_shuffle(x, ushort(id)); }

template <class T> inline T intel_sub_group_shuffle_xor(T x, uint mask) { return simd_shuffle_xor(x, ushort(mask)); }

template <class T> inline T intel_sub_group_shuffle_down(T x, T next, uint n) {
  uint from = __puremetal_thread_index_in_simdgroup() + n, size = get_sub_group_size();
  T here = simd_shuffle(x, ushort(from % size)), there = simd_shuffle(next, ushort(from % size));
  return from < size ? here : there;
}

template <class T> inline T intel_sub_group_shuffle_up(T before, T x, uint n) {
  uint lane = __puremetal_thread_index_in_simdgroup(), size = get_sub_group_size(), from = (lane + size - n) % size;
  T here = simd_shuffle(x, ushort(from)), there = simd_shuffle(before, ushort(from));
  return lane >= n ? here : there;
}

// Copies between global and local memory by all work-items of a group, and what orders memory.

typedef uint event_t;

template <class T>
inline event_t async_work_group_copy(threadgroup T *to, const device T *from, size_t n, event_t event) {
  uint3 size = __puremetal_threads_per_threadgroup();
  for (size_t i = __puremetal_thread_index_in_threadgroup(); i < n; i += size.x * size.y * size.z)
    to[i] = from[i];
  return event;
}

template <class T>
inline event_t async_work_group_copy(device T *to, const threadgroup T *from, size_t n, event_t event) {
  uint3 size = __puremetal_threads_per_threadgroup();
  for (size_t i = __puremetal_thread_index_in_threadgroup(); i < n; i += size.x * size.y * size.z)
    to[i] = from[i];
  return event;
}

template <class T>
inline event_t async_work_group_strided_copy(threadgroup T *to, const device T *from, size_t n, size_t stride,
                                             event_t event) {
  uint3 size = __puremetal_threads_per_threadgroup();
  for (size_t i = __puremetal_thread_index_in_threadgroup(); i < n; i += size.x * size.y * size.z)
    to[i] = from[i * stride];
  return event;
}

template <class T>
inline event_t async_work_group_strided_copy(device T *to, const threadgroup T *from, size_t n, size_t stride,
                                             event_t event) {
  uint3 size = __puremetal_threads_per_threadgroup();
  for (size_t i = __puremetal_thread_index_in_threadgroup(); i < n; i += size.x * size.y * size.z)
    to[i * stride] = from[i];
  return event;
}

inline void wait_group_events(int n, thread event_t *events) {
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}

template <class T> inline void prefetch(const device T *p, size_t n) {}

inline void mem_fence(uint flags) {
  atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, metal::memory_order_seq_cst,
                      thread_scope_device);
}

inline void read_mem_fence(uint flags) { mem_fence(flags); }

inline void write_mem_fence(uint flags) { mem_fence(flags); }

typedef uint memory_scope;

constant uint memory_scope_work_item = 0;

constant uint memory_scope_sub_group = 1;

constant uint memory_scope_work_group = 2;

constant uint memory_scope_device = 3;

constant uint memory_scope_all_svm_devices = 4;

typedef uint memory_order;

constant uint memory_order_relaxed = 0;

constant uint memory_order_acquire = 2;

constant uint memory_order_release = 3;

constant uint memory_order_acq_rel = 4;

constant uint memory_order_seq_cst = 5;

inline void atomic_work_item_fence(uint flags, uint order, uint scope) { mem_fence(flags); }

inline void work_group_barrier(uint flags) { barrier(flags); }

inline void work_group_barrier(uint flags, uint scope) { barrier(flags); }

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

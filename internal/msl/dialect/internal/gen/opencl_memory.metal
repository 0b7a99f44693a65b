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

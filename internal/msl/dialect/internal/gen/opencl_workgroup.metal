// Functions of all work-items of a group. An op is 0 to add, 1 for the minimum, 2 for the maximum.

template <class T> inline T combined(int op, T before, T x) {
  return op == 0 ? T(before + x) : op == 1 ? metal::min(before, x) : metal::max(before, x);
}

template <class T> inline T from_lane(T x, uint lane) { return simd_shuffle(x, ushort(lane)); }

// What this work-item and those before it in its sub-group have, in five steps.
template <class T> inline T scan_lanes(int op, T x) {
  uint lane = __puremetal_thread_index_in_simdgroup();
  for (uint d = 1; d < 32; d *= 2) {
    T before = from_lane(x, lane >= d ? lane - d : lane);
    x = lane >= d ? combined(op, before, x) : x;
  }
  return x;
}

// What the work-item before this one has. Nothing is before the first.
template <class T> inline T before_lane(int op, T x) {
  uint lane = __puremetal_thread_index_in_simdgroup();
  T before = from_lane(x, lane > 0 ? lane - 1 : 0);
  return lane > 0 ? before : op == 0 ? T(0) : op == 1 ? greatest<T>() : least<T>();
}

// What a work-group keeps between two barriers: a number of each sub-group.
inline threadgroup ulong *work_group_memory() {
  threadgroup ulong memory[32];
  return memory;
}

// Each sub-group leaves what it has; a work-item combines what the sub-groups before its own have.
template <class T> inline T scan_work_items(int op, T x, thread T *exclusive, thread T *all) {
  threadgroup T *parts = (threadgroup T *)work_group_memory();
  uint lane = __puremetal_thread_index_in_simdgroup(), own = __puremetal_simdgroup_index_in_threadgroup();
  T here = scan_lanes(op, x), before = before_lane(op, here);
  if (lane == get_sub_group_size() - 1)
    parts[own] = here;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  T sum = parts[0];
  uint n = get_num_sub_groups();
  for (uint i = 1; i < n; i++) {
    before = i == own ? lane > 0 ? combined(op, sum, before) : sum : before;
    here = i == own ? combined(op, sum, here) : here;
    sum = combined(op, sum, parts[i]);
  }
  *exclusive = before;
  *all = sum;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  return here;
}

inline int work_group_all(int x) { return work_group_reduce_min(int(x != 0)); }

inline int work_group_any(int x) { return work_group_reduce_max(int(x != 0)); }

// The functions of a whole work-group. A helper needs the group's memory as well as the kernel.

int total(int x) { return work_group_reduce_add(x); }

#define OUT(T, TYPE)                                                                                                   \
  __kernel void scan_##T(__global TYPE *out, __global const TYPE *in, int count) {                                     \
    size_t at = get_local_linear_id() +                                                                                \
                get_enqueued_local_size(0) * get_enqueued_local_size(1) * (get_group_id(0) + get_group_id(1) * count); \
    TYPE x = in[at];                                                                                                   \
    __global TYPE *o = out + at * 10;                                                                                  \
    o[0] = work_group_reduce_add(x);                                                                                   \
    o[1] = work_group_reduce_min(x);                                                                                   \
    o[2] = work_group_reduce_max(x);                                                                                   \
    o[3] = work_group_scan_inclusive_add(x);                                                                           \
    o[4] = work_group_scan_inclusive_min(x);                                                                           \
    o[5] = work_group_scan_inclusive_max(x);                                                                           \
    o[6] = work_group_scan_exclusive_add(x);                                                                           \
    o[7] = work_group_scan_exclusive_min(x);                                                                           \
    o[8] = work_group_scan_exclusive_max(x);                                                                           \
    o[9] = work_group_broadcast(x, 2, 1);                                                                              \
  }

OUT(int, int)
OUT(uint, uint)
OUT(long, long)
OUT(ulong, ulong)
OUT(float, float)
OUT(half, half)

__kernel void votes(__global int *out, __global const int *in) {
  int i = get_global_id(0);
  __global int *o = out + i * 6;
  o[0] = work_group_any(in[i] == 7);
  o[1] = work_group_all(in[i] >= 3);
  o[2] = total(in[i]);
  o[3] = work_group_broadcast(in[i], get_local_size(0) - 1);
  o[4] = total(1);
  o[5] = sub_group_reduce_max((long)in[i] << 33) >> 33;
}

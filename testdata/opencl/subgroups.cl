// Sub-groups of a work-group of 40: one of 32 and one of 8.

__kernel void places(__global uint *out) {
  size_t i = get_global_id(0) * 8;
  out[i] = get_sub_group_size();
  out[i + 1] = get_num_sub_groups();
  out[i + 2] = get_sub_group_id();
  out[i + 3] = get_sub_group_local_id();
  out[i + 4] = get_max_sub_group_size();
  out[i + 5] = get_local_size(0);
  out[i + 6] = get_enqueued_local_size(0);
  out[i + 7] = get_enqueued_num_sub_groups();
}

__kernel void reduce(__global int *out, __global const int *in) {
  int x = in[get_global_id(0)];
  __global int *o = out + get_global_id(0) * 16;
  o[0] = sub_group_reduce_add(x);
  o[1] = sub_group_reduce_min(x);
  o[2] = sub_group_reduce_max(x);
  o[3] = sub_group_scan_inclusive_add(x);
  o[4] = sub_group_scan_exclusive_add(x);
  o[5] = sub_group_scan_inclusive_min(x);
  o[6] = sub_group_scan_exclusive_min(x);
  o[7] = sub_group_scan_inclusive_max(x);
  o[8] = sub_group_scan_exclusive_max(x);
  o[9] = sub_group_broadcast(x, 5);
  o[10] = sub_group_all(x < 90) * 2 + sub_group_any(x < 5);
  o[11] = sub_group_reduce_or(x);
  o[12] = sub_group_reduce_and(x);
  o[13] = sub_group_reduce_xor(x);
  o[14] = sub_group_clustered_reduce_add(x, 4);
  o[15] = (int)sub_group_scan_inclusive_max((float)x) - (int)sub_group_scan_exclusive_min(2.0f);
  sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void moves(__global int *out, __global const int *in) {
  int i = get_global_id(0), x = in[i], lane = get_sub_group_local_id();
  int last = get_sub_group_size() - 1;
  __global int *o = out + i * 8;
  o[0] = sub_group_shuffle(x, last - lane);
  o[1] = sub_group_shuffle_xor(x, 1);
  int up = sub_group_shuffle_up(x, 1), down = sub_group_shuffle_down(x, 1);
  o[2] = lane > 0 ? up : -1;
  o[3] = lane < last ? down : -1;
  o[4] = intel_sub_group_shuffle_up(x, x + 1000, 3);
  o[5] = intel_sub_group_shuffle_down(x, x + 1000, 3);
  o[6] = intel_sub_group_shuffle(x, 2);
  o[7] = sub_group_rotate(x, 1);
}

__kernel void ballots(__global uint *out, __global const int *in) {
  int i = get_global_id(0), x = in[i];
  __global uint *o = out + i * 12;
  uint4 b = sub_group_ballot(x & 1);
  o[0] = b.x;
  o[1] = b.y | b.z | b.w;
  o[2] = sub_group_ballot_bit_count(b);
  o[3] = sub_group_ballot_inclusive_scan(b);
  o[4] = sub_group_ballot_exclusive_scan(b);
  o[5] = sub_group_ballot_find_lsb(b);
  o[6] = sub_group_ballot_find_msb(b);
  o[7] = sub_group_inverse_ballot(b);
  o[8] = sub_group_ballot_bit_extract(b, 3);
  o[9] = get_sub_group_ge_mask().x;
  o[10] = get_sub_group_gt_mask().x ^ get_sub_group_le_mask().x;
  o[11] = get_sub_group_lt_mask().x + get_sub_group_eq_mask().x;
}

__kernel void blocks(__global uint *out, __global const uint *in) {
  uint n = get_sub_group_size(), base = get_global_id(0) - get_sub_group_local_id();
  uint2 v = intel_sub_group_block_read2(in + base * 2);
  intel_sub_group_block_write2(out + base * 2, (uint2)(v.y, intel_sub_group_block_read(in + base)));
}

// A flag that guards a counter: one work-item at a time.
__kernel void flags(__global atomic_flag *flag, __global int *n, __global uint *u, int by) {
  for (int done = 0; !done;) {
    if (!atomic_flag_test_and_set_explicit(flag, memory_order_acquire, memory_scope_device)) {
      n[0] += by;
      atomic_flag_clear_explicit(flag, memory_order_release, memory_scope_device);
      done = 1;
    }
  }
  atomic_add(u, by);
  atomic_cmpxchg(u + 1, 7, by);
}

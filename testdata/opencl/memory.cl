// Halves in memory, packed vectors of three, and the places of work-items in three dimensions.
__kernel void halves(__global ushort *out, __global const float *x, __global float *back) {
  int i = get_global_id(0);
  __global half *h = (__global half *)out;
  vstore_half(x[i], i * 6, h);
  vstore_half_rte(x[i], i * 6 + 1, h);
  vstore_half_rtz(x[i], i * 6 + 2, h);
  vstore_half_rtp(x[i], i * 6 + 3, h);
  vstore_half_rtn(x[i], i * 6 + 4, h);
  vstore_half2_rtz((float2)(x[i], -x[i]), 0, h + i * 6 + 4);
  back[i] = vload_half(i * 6 + 1, h);
}
__kernel void packed(__global float *out, __global const ushort *in, __global int *p, __global const short *s) {
  int i = get_global_id(0);
  __global const half *h = (__global const half *)in;
  vstore3(vload_half3(i, h), i, out);
  vstore4(vloada_half4(i, h), i, out + 64);
  vstore3(vloada_half3(i, h), i, out + 128);
  vstore3(convert_int3(vload3(i, s)) * 2, i, p);
}
__kernel void ids(__global int *out, int n) {
  size_t g = get_global_linear_id();
  __global int *o = out + g * 6;
  o[0] = get_global_linear_id();
  o[1] = get_local_linear_id();
  o[2] = get_global_id(2) * 100 + get_global_id(1) * 10 + get_global_id(0);
  o[3] = get_local_size(0) * 100 + get_local_size(1) * 10 + get_local_size(2);
  o[4] = get_group_id(n) * 100 + get_num_groups(n) * 10 + get_work_dim();
  o[5] = get_global_size(3) * 100 + get_group_id(7) * 10 + get_local_id(n);
}

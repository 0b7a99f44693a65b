// What an OpenCL program of a few lines needs: address spaces, values, a vector literal, a barrier.
#define LANES 4

__kernel void add(__global const float4 *a, __global const float4 *b, __global float4 *c, int n) {
  int i = get_global_id(0);
  if (i < n) {
    c[i] = a[i] + b[i] * (float4)(1, 2, 3, LANES);
  }
}

__kernel void sum(__global const float *x, __global float *out, __local float *s) {
  int l = get_local_id(0);
  s[l] = sqrt(x[get_global_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int o = get_local_size(0) / 2; o > 0; o >>= 1) {
    if (l < o)
      s[l] += s[l + o];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0)] = s[0];
}

float second(float *p) { return p[1]; }

// A name that Metal reserves, and a parameter that the kernel changes.
__kernel void thread(__global float *x, float v) {
  float y[3] = {0, v, 0};
  v += second(y);
  x[0] = v;
}

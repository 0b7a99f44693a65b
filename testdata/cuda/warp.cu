// Warp functions: segments, masks, divergence.
__global__ void shuffles(int *out, int width) {
  int l = threadIdx.x;
  int *o = out + l * 8;
  o[0] = __shfl_sync(0xffffffff, l * 10, 3, width);
  o[1] = __shfl_up_sync(0xffffffff, l * 10, 3, width);
  o[2] = __shfl_down_sync(0xffffffff, l * 10, 3, width);
  o[3] = __shfl_xor_sync(0xffffffff, l * 10, 5, width);
  o[4] = __shfl(l, -1, width);
  o[5] = (int)(__shfl_down_sync(0xffffffffu, (long long)l << 33, 1) >> 33);
  o[6] = (int)__shfl_xor_sync(0xffffffffu, l + 0.5f, 16);
  o[7] = __shfl_up_sync(~0u, threadIdx.x, 1) + warpSize;
}

__global__ void votes(unsigned *out, const int *in) {
  unsigned l = threadIdx.x, *o = out + l * 10;
  int v = in[l];
  o[0] = __ballot_sync(0xffff, v > 4);
  o[1] = __any_sync(0xff, v == 7);
  o[2] = __all_sync(0xffffffff, v < 9);
  o[3] = __match_any_sync(0xffffffff, v);
  int same;
  o[4] = __match_all_sync(0xffffffff, v / 100, &same);
  o[5] = same;
  o[6] = __reduce_add_sync(l < 16 ? 0xffffu : 0xffff0000u, v);
  o[7] = __reduce_min_sync(~0u, -v);
  if (l & 1) o[8] = __activemask();
  else o[8] = 0;
  o[9] = __popc(__reduce_or_sync(~0u, 1u << v));
}

__global__ void counts(int *out, const int *in) {
  int v = in[threadIdx.x];
  out[threadIdx.x * 3] = __syncthreads_count(v > 4);
  out[threadIdx.x * 3 + 1] = __syncthreads_and(v < 9);
  out[threadIdx.x * 3 + 2] = __syncthreads_or(v > 8);
  __threadfence(); __threadfence_block(); __syncwarp();
}

__global__ void atomics(int *i, unsigned *u, float *f) {
  __shared__ unsigned s;
  __shared__ float sf;
  if (threadIdx.x == 0) { s = 0; sf = 0; }
  __syncthreads();
  atomicAdd(&i[0], 2); atomicSub(i + 1, 1); atomicMin(&i[2], -(int)threadIdx.x); atomicMax(&i[3], threadIdx.x);
  atomicAnd(&u[0], ~(1u << threadIdx.x)); atomicOr(&u[1], 1u << threadIdx.x); atomicXor(&u[2], 3u);
  atomicInc(&u[3], 9); atomicDec(&u[4], 9);
  atomicInc(&s, 4);
  atomicAdd(f, 0.5f); atomicAdd(&sf, 1.0f);
  unsigned old = u[5], seen;
  do { seen = old; old = atomicCAS(&u[5], seen, seen * 3 + 1); } while (old != seen);
  __syncthreads();
  if (threadIdx.x == 0) { u[6] = s; f[1] = sf; f[2] = atomicExch(&f[3], 7.0f); }
}

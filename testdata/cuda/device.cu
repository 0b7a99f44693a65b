// Values that an NVIDIA GPU gives: device.txt has what these kernels wrote on an H200, compiled with
// nvcc 13.0.88. Each kernel is run by one block, and writes words.
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda_fp16.h>
#include <curand_kernel.h>

#define F __float_as_int
#define P(x) o[n++] = (int)(x)
#define B(x) o[n++] = F(x)

template <class S> __device__ int draws(int *o, int n, unsigned long long seed, unsigned long long seq, unsigned long long off) {
  S s;
  curand_init(seed, seq, off, &s);
  for (int i = 0; i < 5; i++) P(curand(&s));
  B(curand_uniform(&s)); B(curand_uniform(&s));
  P(rintf(curand_normal(&s) * 1000)); P(rintf(curand_normal(&s) * 1000));
  float2 g = curand_normal2(&s);
  P(rintf(g.x * 1000)); P(rintf(g.y * 1000)); P(curand(&s));
  return n;
}

__global__ void randoms(int *o) {
  int n = 0;
  n = draws<curandState>(o, n, 0, 0, 0);
  n = draws<curandState>(o, n, 1234, 5, 7);
  n = draws<curandState>(o, n, 0x123456789abcdefULL, 70000, 1ULL << 40);
  n = draws<curandStatePhilox4_32_10_t>(o, n, 0, 0, 0);
  n = draws<curandStatePhilox4_32_10_t>(o, n, 1234, 5, 7);
  n = draws<curandStatePhilox4_32_10_t>(o, n, 0x123456789abcdefULL, 1ULL << 33, (1ULL << 40) + 2);
  curandStatePhilox4_32_10_t s;
  curand_init(9, 8, 6, &s);
  uint4 a = curand4(&s);
  P(a.x); P(a.y); P(a.z); P(a.w);
  float4 u = curand_uniform4(&s);
  B(u.x); B(u.w);
  skipahead(11, &s); P(curand(&s));
  skipahead_sequence(3, &s); P(curand(&s));
}

__global__ void casts(int *o) {
  float v[] = {300.7f, -5.5f, 70000.f, 3e9f, -3e9f, 1e20f, -1e20f, 0.f / (threadIdx.x - threadIdx.x), 127.5f, -0.5f};
  int n = threadIdx.x * 16;
  if (threadIdx.x > 9) return;
  float f = v[threadIdx.x];
  P((char)f); P((unsigned char)f); P((short)f); P((unsigned short)f); P((int)f); P((unsigned)f);
  P((long long)f); P((long long)f >> 32); P((unsigned long long)f); P((unsigned long long)f >> 32);
  P(__float2int_rn(f)); P(__float2uint_ru(f)); P(__float2ll_rd(f) >> 32); P((bool)f);
  P(__half2int_rz(__float2half(f))); B(__saturatef(f));
}

__global__ void words(int *o) {
  int n = 0;
  unsigned a[] = {0x80ff7f01, 0x12fe8034, 0x7fff8000}, b[] = {0x7f80ff02, 0x8002fe13, 0x80007fff};
  for (int i = 0; i < 3; i++) {
    unsigned x = a[i], y = b[i];
#define V(f) P(f##2(x, y)); P(f##4(x, y))
    V(__vadd); V(__vsub); V(__vaddss); V(__vaddus); V(__vsubss); V(__vsubus); V(__vabsdiffs); V(__vabsdiffu); V(__vavgs);
    V(__vavgu); V(__vhaddu); V(__vmaxs); V(__vminu); V(__vcmpgts); V(__vcmpleu); V(__vsetne); V(__vsads); V(__vsadu);
    P(__vabs4(x)); P(__vabsss4(x)); P(__vneg2(x)); P(__vnegss2(x));
    P(__dp2a_lo((int)x, (int)y, 7)); P(__dp2a_hi(x, y, 7u)); P(__dp4a((int)x, (int)y, 3));
    P(__byte_perm(x, y, 0x9a3f + i)); P(__funnelshift_r(x, y, 37)); P(__funnelshift_lc(x, y, 40));
    P(__mul24(x, y)); P(__umulhi(x, y)); P(__mulhi((int)x, (int)y)); P(__sad((int)x, (int)y, 5u)); P(__hadd((int)x, (int)y));
    P(__rhadd((int)x, (int)y)); P(__brev(x)); P(__ffs(x)); P(__clz(y)); P(max((int)x, y)); P(min(-1, 7u));
  }
}

__global__ void shuffles(int *o) {
  int l = threadIdx.x, n = l * 12;
  unsigned m = 0xffffffff;
  P(__shfl_sync(m, l, -3)); P(__shfl_sync(m, l, 37, 8)); P(__shfl_up_sync(m, l, 3, 4)); P(__shfl_down_sync(m, l, 9, 8));
  P(__shfl_xor_sync(m, l, 12, 8)); P(__shfl_xor_sync(m, l, 3, 4)); P(__shfl_up_sync(m, l, 40)); P(__shfl_down_sync(m, l, 31));
  P(__reduce_min_sync(m, l - 16)); P(__match_any_sync(m, l / 5)); P(__ballot_sync(m, l & 4)); P(threadIdx.x - 1 > 1);
}

__global__ void sums(int *o) {
  typedef cub::BlockReduce<float, 96> R;
  typedef cub::BlockScan<float, 96, cub::BLOCK_SCAN_WARP_SCANS> S;
  __shared__ R::TempStorage r;
  __shared__ S::TempStorage s;
  int n = threadIdx.x * 3;
  float x = 1.f / (1 + threadIdx.x), y;
  float t = R(r).Sum(x);
  S(s).InclusiveSum(x, y);
  B(y);
  B(threadIdx.x ? 0 : t);
  S(s).ExclusiveSum(threadIdx.x, y);
  P(y);
}

__global__ void numbers(int *o) {
  int l = threadIdx.x, n = l * 16, e;
  float v[] = {0.f, -0.f, 1e-40f, 3.f, -2.5f, 0.f / (threadIdx.x - threadIdx.x), 1e38f * 10 * (l + 1), 16777217.5f};
  if (l > 7) return;
  float f = v[l], g = v[(l + 3) % 8];
  P(ilogbf(f) > 0 ? 1 : ilogbf(f)); B(frexpf(f, &e)); P(e); B(fminf(f, g)); B(fmaxf(g, f)); B(fmodf(g, f)); B(remainderf(f, 3.f));
  B(__fadd_rd(f, g)); B(__fmul_ru(f, 0.1f)); B(__fdiv_rz(f, 3.f)); B(__fsqrt_ru(f)); B(nextafterf(f, g)); B(copysignf(f, -1.f));
  B(roundf(f)); P(__half_as_ushort(__float2half_rn(f * 0.333f))); P(__half_as_ushort(__hfma(__float2half(f), __float2half(0.1f), __float2half(g))));
}

int main() {
  int *d, h[480];
  cudaMalloc(&d, sizeof h);
#define RUN(k, threads, count) \
  k<<<1, threads>>>(d); \
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); \
  printf("%s %d\n", #k, threads); \
  for (int i = 0; i < count; i++) printf("%d%c", h[i], i % 12 == 11 || i == count - 1 ? '\n' : ' ');
  RUN(randoms, 1, 80) RUN(casts, 32, 160) RUN(numbers, 32, 128) RUN(words, 1, 171) RUN(shuffles, 32, 384) RUN(sums, 96, 288)
}

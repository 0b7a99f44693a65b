// Values that an NVIDIA GPU gives: device.txt has what these kernels wrote on an H200, compiled with
// nvcc 13.0.88. Each kernel is run by one block, and writes words.
#include <cstdio>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
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

namespace cg = cooperative_groups;

// Tiles of 4, 16 and 32 threads, and what is known of a block.
__global__ void tiles(int *o) {
  cg::thread_block b = cg::this_thread_block();
  auto t4 = cg::tiled_partition<4>(b);
  auto t16 = cg::tiled_partition<16>(b);
  auto w = cg::tiled_partition<32>(b);
  int l = threadIdx.x, v = l * 37 % 23 - 9, n = l * 32;
  P(b.thread_rank()); P(b.size()); P(b.group_index().x); P(b.thread_index().x); P(b.dim_threads().x);
  P(t4.shfl(v, 6)); P(t4.shfl_up(v, 2)); P(t4.shfl_down(v, 3)); P(t16.shfl_xor(v, 5)); P(t16.any(v > 12)); P(t16.all(v > -9));
  P(t16.ballot(v & 1)); P(t4.ballot(v & 2)); P(t4.match_any(v / 4)); P(t16.meta_group_rank()); P(t16.meta_group_size());
  P(w.thread_rank()); P(w.num_threads());
  P(cg::reduce(t4, v, cg::plus<int>())); P(cg::reduce(t16, v, cg::less<int>())); P(cg::reduce(w, v, cg::greater<int>()));
  P(cg::reduce(t16, v, cg::bit_and<int>())); P(cg::reduce(t16, v, cg::bit_or<int>())); P(cg::reduce(w, v, cg::bit_xor<int>()));
  P(cg::inclusive_scan(t16, v, cg::plus<int>())); P(cg::exclusive_scan(t16, v, cg::plus<int>()));
  P(cg::inclusive_scan(w, v, cg::greater<int>())); P(cg::inclusive_scan(t4, v)); P(cg::exclusive_scan(w, v));
  B(cg::reduce(w, v * 0.25f, cg::plus<float>()));
  int same = 7;
  P(t16.match_all(v > -100, same)); P(same);
}

// Threads that are together in a branch.
__global__ void together(int *o) {
  int l = threadIdx.x, v = l * 29 % 31, n = l * 16;
  for (int i = 0; i < 16; i++) o[n + i] = -1;
  if (l % 3 == 1) {
    cg::coalesced_group g = cg::coalesced_threads();
    P(g.size()); P(g.thread_rank()); P(g.shfl(v, 2)); P(g.shfl_up(v, 1)); P(g.shfl_down(v, 2)); P(g.any(v == 4));
    P(g.all(v < 40)); P(g.ballot(v & 1)); P(cg::reduce(g, v, cg::plus<int>())); P(cg::reduce(g, v, cg::less<int>()));
    P(cg::inclusive_scan(g, v, cg::plus<int>())); P(cg::exclusive_scan(g, v, cg::plus<int>())); P(g.meta_group_size());
    P(g.match_any(v / 8)); P(g.num_threads());
  }
}

// Warp functions with masks of parts of a warp.
__global__ void masks(int *o) {
  int l = threadIdx.x, v = l * 29 % 31, n = l * 24, same = 5;
  for (int i = 0; i < 24; i++) o[n + i] = -1;
  if (l < 12) {
    unsigned m = 0xfff;
    P(__activemask()); P(__ballot_sync(m, v > 9)); P(__any_sync(m, v > 30)); P(__all_sync(m, v < 31)); P(__shfl_sync(m, v, 11));
    P(__shfl_up_sync(m, v, 2, 4)); P(__shfl_down_sync(m, v, 1, 4)); P(__shfl_xor_sync(m, v, 3)); P(__match_any_sync(m, v & 3));
    P(__match_all_sync(m, v & 3, &same)); P(same); P(__match_all_sync(m, l / 12, &same)); P(same);
    P(__reduce_add_sync(m, v)); P(__reduce_max_sync(m, -v)); P(__reduce_min_sync(m, (unsigned)(v - 5))); P(__reduce_and_sync(m, v | 8u));
    P(__reduce_or_sync(m, v & 5u)); P(__reduce_xor_sync(m, (unsigned)v));
    B(__shfl_sync(m, v + 0.5f, l ^ 1)); P(__shfl_sync(m, ((long long)v << 35) + l, 3) >> 33); P(__any_sync(m, v == 30));
  }
  __syncwarp();
  if (l >= 28) {
    P(__activemask()); P(__shfl_down_sync(0xf0000000, l, 1)); P(__ballot_sync(0xf0000000, l & 1)); P(__reduce_add_sync(0xf0000000, v));
  }
}

__global__ void votes(int *o) {
  int l = threadIdx.x, n = l * 8;
  int r[] = {__syncthreads_count(l % 7 == 2), __syncthreads_and(l < 96), __syncthreads_and(l != 95), __syncthreads_or(l == 50),
             __syncthreads_or(l > 96), __syncthreads_count(l - 3), __syncthreads_and(2 * l + 2), __syncthreads_or(l & 256)};
  if (l < 4)
    for (int v : r) P(v);
}

// What atomic operations return and leave, in memory of the device and of the block.
template <class T> __device__ int order(int *o, int n, T *p, T a, T b) {
  *p = a;
  P(atomicAdd(p, b)); P(*p); P(atomicSub(p, (T)3)); P(*p); P(atomicExch(p, b)); P(*p); P(atomicMin(p, a)); P(*p); P(atomicMax(p, (T)-2)); P(*p);
  P(atomicAnd(p, (T)0x7ffffff5)); P(*p); P(atomicOr(p, (T)0x80000010)); P(*p); P(atomicXor(p, b)); P(*p);
  P(atomicCAS(p, b, a)); P(*p); P(atomicCAS(p, *p, a)); P(*p);
  P(atomicAdd_block(p, b)); P(atomicMax_system(p, b)); P(*p);
  return n;
}

__global__ void atomics(int *o) {
  __shared__ unsigned u; __shared__ int i; __shared__ float f;
  int n = 0;
  n = order<int>(o, n, &i, -70, 0x7ffffff0);
  n = order<unsigned>(o, n, &u, 5, 0xfffffff0);
  int *g = o + 119;
  n = order<int>(o, n, g, 1 << 31, -9);
  n = order<unsigned>(o, n, (unsigned *)g, 0xffffffff, 7);
  u = 2;
  for (int k = 0; k < 5; k++) { P(atomicInc(&u, 3)); P(atomicDec((unsigned *)g, 2)); }
  u = 9; *g = -4;
  P(atomicInc(&u, 3)); P(u); P(atomicDec((unsigned *)g, 5)); P(*g); P(atomicInc(&u, 0)); P(u); P(atomicDec(&u, 0)); P(u);
  f = 1.5f; *(float *)g = -0.25f;
  B(atomicAdd(&f, 2.25f)); B(f); B(atomicExch(&f, -1.f)); B(f); B(atomicAdd((float *)g, 1e-8f)); B(*(float *)g);
  B(atomicAdd(&f, 1e-30f)); B(f);
}

// The language: captures, operators, bit-fields, unions, numbers.
struct Cell { signed char c; unsigned short s; float3 f; Cell *next; __device__ Cell &operator+=(int v) { c += v; s -= v; return *this; } };
struct Bits { unsigned a : 3, b : 7; int c : 5; };
enum class Kind : unsigned char { one = 1, big = 250 };
__constant__ int table[6] = {3, -1, 4, -1, 5, -9};
template <int N, class F> __device__ int times(F f, int v) { for (int i = 0; i < N; i++) v = f(v); return v; }
__device__ constexpr int fib(int n) { int a = 0, b = 1; for (int i = 0; i < n; i++) { int t = a + b; a = b; b = t; } return a; }

__global__ void language(int *o) {
  extern __shared__ char raw[];
  int *ints = (int *)raw; Cell *cells = (Cell *)(raw + 64); float3 *three = (float3 *)(raw + 256);
  int l = threadIdx.x, n = l * 40, k = 3;
  if (l < 4) { ints[l] = l * l - 5; cells[l].c = 120 + l; cells[l].s = l; three[l] = make_float3(l, 2 * l, 3 * l); }
  __syncthreads();
  if (l >= 4) return;
  cells[l] += 9;
  P(cells[l].c); P(cells[l].s); P(ints[3 - l]); P(three[3 - l].z); P(sizeof(Cell)); P(sizeof(float3)); P(((float *)three)[l + 4]);
  auto add = [=](int x) { return x + k + l; };
  auto count = [&](int x) { k++; return x * k; };
  auto own = [k](int x) mutable { k += x; return k; };
  P(times<3>(add, 1)); P(times<2>(count, 2)); P(k); P(own(2) + own(2)); P(k);
  Bits b = {15, 300, -20}; b.c += 9; P(b.a); P(b.b); P(b.c); P(sizeof(Bits));
  union { float f; unsigned u; unsigned char c[4]; } u; u.f = -1.5f + l; P(u.u); P(u.c[3]);
  Kind q = Kind::big; P((int)q + 10); P((signed char)q);
  P(table[l] * table[5 - l]); P(fib(20 + l)); constexpr int c = fib(12); P(c);
  char ch = 200; unsigned char uc = 200; short sh = 40000; P(ch + l); P(uc + l); P(sh * sh); P(ch >> 2); P((uc << 1) > 256);
  P(-7 / 2); P(-7 % (2 + l)); P((unsigned)-7 / (2u + l)); P((l - 2) / 2); P((long long)(0x7fffffff * (1LL + l)) >> 3); P(l - 2 < 1u);
  P(ints == (int *)raw); P(&cells[1] - cells); P(static_cast<bool>(l) ? 7 : 8); P((l, 4)); P(~l & 0xff);
}

int main() {
  int *d, h[1024];
  cudaMalloc(&d, sizeof h);
#define RUN(k, threads, count) \
  cudaMemset(d, 0, sizeof h); \
  k<<<1, threads, 512>>>(d); \
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost); \
  printf("%s %d\n", #k, threads); \
  for (int i = 0; i < count; i++) printf("%d%c", h[i], i % 12 == 11 || i == count - 1 ? '\n' : ' ');
  RUN(randoms, 1, 80) RUN(casts, 32, 160) RUN(numbers, 32, 128) RUN(words, 1, 171) RUN(shuffles, 32, 384) RUN(sums, 96, 288)
  RUN(tiles, 32, 1024) RUN(together, 32, 512) RUN(masks, 32, 768) RUN(votes, 128, 32) RUN(atomics, 1, 120) RUN(language, 32, 160)
}

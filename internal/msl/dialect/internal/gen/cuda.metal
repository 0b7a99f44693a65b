struct dim3 {
  uint x, y, z;
  dim3(uint a = 1, uint b = 1, uint c = 1) : x(a), y(b), z(c) {}
  dim3(thread const uint3 &v) : x(v.x), y(v.y), z(v.z) {}
  dim3(metal::uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

struct __unknown { int a; }; // the type of an argument of a launch that only the host knows

// The position of a thread. The names are used as variables.

inline uint3 threadIdx() {
  metal::uint3 p = __puremetal_thread_position_in_threadgroup();
  return {p.x, p.y, p.z};
}

inline uint3 blockIdx() {
  metal::uint3 p = __puremetal_threadgroup_position_in_grid();
  return {p.x, p.y, p.z};
}

inline dim3 blockDim() {
  metal::uint3 p = __puremetal_threads_per_threadgroup();
  return dim3(p.x, p.y, p.z);
}

inline dim3 gridDim() {
  metal::uint3 p = __puremetal_threadgroups_per_grid();
  return dim3(p.x, p.y, p.z);
}

constant int warpSize = 32;

// Values of the host's library that kernels take.

template <class A, class B> struct pair {
  A first;
  B second;
};

template <class A, class B> inline pair<A, B> make_pair(A a, B b) { return {a, b}; }

template <class T> struct device_ptr {
  device T *at;
  device T &operator[](long i) const thread { return at[i]; }
  device T &operator*() const thread { return *at; }
  device T *get() const thread { return at; }
};

struct cudaPitchedPtr {
  device void *ptr;
  size_t pitch, xsize, ysize;
};

struct cudaExtent { size_t width, height, depth; };

struct cudaPos { size_t x, y, z; };

// Barriers and fences.

inline void __syncthreads() { threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device); }

inline int __syncthreads_count(int p) {
  threadgroup atomic_uint n;
  if (__puremetal_thread_index_in_threadgroup() == 0)
    atomic_store_explicit(&n, 0, memory_order_relaxed);
  __syncthreads();
  if (p)
    atomic_fetch_add_explicit(&n, 1, memory_order_relaxed);
  __syncthreads();
  int r = atomic_load_explicit(&n, memory_order_relaxed);
  __syncthreads();
  return r;
}

inline int __syncthreads_or(int p) { return __syncthreads_count(p) > 0; }

inline int __syncthreads_and(int p) { return __syncthreads_count(!p) == 0; }

inline void __syncwarp(uint mask = 0xffffffff) {
  simdgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
}

inline void __threadfence_block() {
  atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_threadgroup);
}

inline void __threadfence() {
  atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_device);
}

inline void __threadfence_system() { __threadfence(); }

// Warps.

inline uint __lane() { return __puremetal_thread_index_in_simdgroup(); }

template <class T> inline T __lane_value(T v, uint lane) { return simd_shuffle(v, ushort(lane)); }

inline bfloat __lane_value(bfloat v, uint lane) {
  return as_type<bfloat>(simd_shuffle(as_type<ushort>(v), ushort(lane)));
}

inline long __lane_value(long v, uint lane) {
  return as_type<long>(simd_shuffle(as_type<metal::uint2>(v), ushort(lane)));
}

inline ulong __lane_value(ulong v, uint lane) {
  return as_type<ulong>(simd_shuffle(as_type<metal::uint2>(v), ushort(lane)));
}

template <class T> inline T __shfl(T v, int from, int width = 32) {
  uint s = width - 1;
  return __lane_value(v, (__lane() & ~s) | (uint(from) & s));
}

template <class T> inline T __shfl_up(T v, uint delta, int width = 32) {
  uint l = __lane(), at = l & (width - 1), d = delta & 31;
  return __lane_value(v, d <= at ? l - d : l);
}

template <class T> inline T __shfl_down(T v, uint delta, int width = 32) {
  uint l = __lane(), room = width - 1 - (l & (width - 1)), d = delta & 31;
  return __lane_value(v, d <= room ? l + d : l);
}

template <class T> inline T __shfl_xor(T v, int mask, int width = 32) {
  uint l = __lane(), to = l ^ (uint(mask) & 31), last = l | (width - 1);
  return __lane_value(v, to <= last ? to : l);
}

template <class T> inline T __shfl_sync(uint m, T v, int from, int width = 32) { return __shfl(v, from, width); }

template <class T> inline T __shfl_up_sync(uint m, T v, uint delta, int width = 32) {
  return __shfl_up(v, delta, width);
}

template <class T> inline T __shfl_down_sync(uint m, T v, uint delta, int width = 32) {
  return __shfl_down(v, delta, width);
}

template <class T> inline T __shfl_xor_sync(uint m, T v, int mask, int width = 32) {
  return __shfl_xor(v, mask, width);
}

inline uint __activemask() { return uint(ulong(simd_active_threads_mask())); }

inline uint __ballot(int p) { return uint(ulong(simd_ballot(p != 0))); }

inline int __any(int p) { return __ballot(p) != 0; }

inline int __all(int p) { return __ballot(!p) == 0; }

inline uint __ballot_sync(uint m, int p) { return __ballot(p) & m; }

inline int __any_sync(uint m, int p) { return (__ballot(p) & m) != 0; }

inline int __all_sync(uint m, int p) { return (__ballot(!p) & m) == 0; }

template <class T> inline uint __match_any_sync(uint m, T v) {
  uint r = 0, here = __activemask() & m;
  for (uint i = 0; i < 32; i++) {
    T w = __lane_value(v, i);
    if ((here >> i & 1) && w == v)
      r |= 1u << i;
  }
  return r;
}

template <class T, class P> inline uint __match_all_sync(uint m, T v, P same) {
  uint r = __match_any_sync(m, v);
  *same = r == (__activemask() & m);
  return *same ? r : 0;
}

#define REDUCE(name, T, op) \
  inline T name(uint m, T v) { \
    T r = v; \
    bool any = false; \
    for (uint i = 0; i < 32; i++) { \
      T w = __lane_value(v, i); \
      if (m >> i & 1) { \
        r = any ? op : w; \
        any = true; \
      } \
    } \
    return r; \
  }
REDUCE(__reduce_add_sync, int, r + w)
REDUCE(__reduce_add_sync, uint, r + w)
REDUCE(__reduce_min_sync, int, metal::min(r, w))
REDUCE(__reduce_min_sync, uint, metal::min(r, w))
REDUCE(__reduce_max_sync, int, metal::max(r, w))
REDUCE(__reduce_max_sync, uint, metal::max(r, w))
REDUCE(__reduce_and_sync, uint, r & w)
REDUCE(__reduce_or_sync, uint, r | w)
REDUCE(__reduce_xor_sync, uint, r ^ w)

template <class P> inline auto __ldg(P p) { return *p; }
template <class P> inline auto __ldcg(P p) { return *p; }
template <class P> inline auto __ldca(P p) { return *p; }
template <class P> inline auto __ldcs(P p) { return *p; }
template <class P, class T> inline void __stcs(P p, T v) { *p = v; }
template <class P, class T> inline void __stcg(P p, T v) { *p = v; }

#define COPY(S, D) \
  template <class T, class U> inline void memcpy(D T *to, const S U *from, size_t n) { \
    for (size_t i = 0; i < n; i++) \
      ((D uchar *)to)[i] = ((const S uchar *)from)[i]; \
  }
#define COPIES(D) COPY(thread, D) COPY(device, D) COPY(threadgroup, D) COPY(constant, D) \
  template <class T> inline void memset(D T *to, int v, size_t n) { \
    for (size_t i = 0; i < n; i++) \
      ((D uchar *)to)[i] = uchar(v); \
  }
COPIES(thread)
COPIES(device)
COPIES(threadgroup)

// Atomics.

#define ATOMIC(name, T, S, A, f) \
  inline T name(S T *p, T v) { return f((S A *)p, v, memory_order_relaxed); }
#define ATOMICS(name, f) \
  ATOMIC(name, int, device, atomic_int, f) \
  ATOMIC(name, uint, device, atomic_uint, f) \
  ATOMIC(name, int, threadgroup, atomic_int, f) \
  ATOMIC(name, uint, threadgroup, atomic_uint, f) \
  ATOMIC(name##_block, int, device, atomic_int, f) \
  ATOMIC(name##_block, uint, device, atomic_uint, f) \
  ATOMIC(name##_block, int, threadgroup, atomic_int, f) \
  ATOMIC(name##_block, uint, threadgroup, atomic_uint, f) \
  ATOMIC(name##_system, int, device, atomic_int, f) \
  ATOMIC(name##_system, uint, device, atomic_uint, f) \
  ATOMIC(name##_system, int, threadgroup, atomic_int, f) \
  ATOMIC(name##_system, uint, threadgroup, atomic_uint, f)
ATOMICS(atomicAdd, atomic_fetch_add_explicit)
ATOMICS(atomicSub, atomic_fetch_sub_explicit)
ATOMICS(atomicMin, atomic_fetch_min_explicit)
ATOMICS(atomicMax, atomic_fetch_max_explicit)
ATOMICS(atomicAnd, atomic_fetch_and_explicit)
ATOMICS(atomicOr, atomic_fetch_or_explicit)
ATOMICS(atomicXor, atomic_fetch_xor_explicit)
ATOMICS(atomicExch, atomic_exchange_explicit)

#define SWAP(name, T, S, A) \
  inline T name(S T *p, T compare, T v) { \
    T old = compare; \
    while (!atomic_compare_exchange_weak_explicit((S A *)p, &old, v, memory_order_relaxed, memory_order_relaxed) && \
           old == compare) \
      ; \
    return old; \
  }
#define SWAPS(name) \
  SWAP(name, int, device, atomic_int) \
  SWAP(name, uint, device, atomic_uint) \
  SWAP(name, int, threadgroup, atomic_int) \
  SWAP(name, uint, threadgroup, atomic_uint)
SWAPS(atomicCAS)
SWAPS(atomicCAS_block)
SWAPS(atomicCAS_system)

#define CHANGED(name, T, S, next) \
  inline T name(S T *p, T v) { \
    uint was = atomic_load_explicit((S atomic_uint *)p, memory_order_relaxed); \
    T old = as_type<T>(was); \
    while (!atomic_compare_exchange_weak_explicit((S atomic_uint *)p, &was, as_type<uint>(T(next)), \
                                                  memory_order_relaxed, memory_order_relaxed)) \
      old = as_type<T>(was); \
    return old; \
  }
#define CHANGES(suffix, S) \
  inline float atomicExch##suffix(S float *p, float v) { \
    return as_type<float>(atomic_exchange_explicit((S atomic_uint *)p, as_type<uint>(v), memory_order_relaxed)); \
  } \
  CHANGED(atomicAdd##suffix, float, S, old + v) \
  CHANGED(atomicInc##suffix, uint, S, old >= v ? 0 : old + 1) \
  CHANGED(atomicDec##suffix, uint, S, old == 0 || old > v ? v : old - 1)
CHANGES(, device)
CHANGES(, threadgroup)
CHANGES(_block, device)
CHANGES(_block, threadgroup)
CHANGES(_system, device)
CHANGES(_system, threadgroup)

// Those whose names the compiler of CUDA has, with the memory order as an argument: 0 is relaxed.

constexpr constant int __NV_ATOMIC_RELAXED = 0;
constexpr constant int __NV_ATOMIC_CONSUME = 1;
constexpr constant int __NV_ATOMIC_ACQUIRE = 2;
constexpr constant int __NV_ATOMIC_RELEASE = 3;
constexpr constant int __NV_ATOMIC_ACQ_REL = 4;
constexpr constant int __NV_ATOMIC_SEQ_CST = 5;
constexpr constant int __NV_THREAD_SCOPE_THREAD = 0;
constexpr constant int __NV_THREAD_SCOPE_BLOCK = 1;
constexpr constant int __NV_THREAD_SCOPE_CLUSTER = 2;
constexpr constant int __NV_THREAD_SCOPE_DEVICE = 3;
constexpr constant int __NV_THREAD_SCOPE_SYSTEM = 4;

inline void __ordered(int order) {
  if (order != 0)
    __threadfence();
}

#define NAMED(name, T, S, f) \
  inline T name(S T *p, T v, int order, int scope = 4) { \
    __ordered(order); \
    T old = f(p, v); \
    __ordered(order); \
    return old; \
  }
#define NAMES(name, f) \
  NAMED(name, int, device, f) \
  NAMED(name, uint, device, f) \
  NAMED(name, int, threadgroup, f) \
  NAMED(name, uint, threadgroup, f)
NAMES(__nv_atomic_exchange_n, atomicExch)
NAMES(__nv_atomic_fetch_add, atomicAdd)
NAMED(__nv_atomic_fetch_add, float, device, atomicAdd)
NAMED(__nv_atomic_fetch_add, float, threadgroup, atomicAdd)
NAMES(__nv_atomic_fetch_sub, atomicSub)
NAMES(__nv_atomic_fetch_and, atomicAnd)
NAMES(__nv_atomic_fetch_or, atomicOr)
NAMES(__nv_atomic_fetch_xor, atomicXor)
NAMES(__nv_atomic_fetch_min, atomicMin)
NAMES(__nv_atomic_fetch_max, atomicMax)
#define LOADED(T, S) \
  inline T __nv_atomic_load_n(S T *p, int order, int scope = 4) { \
    __ordered(order); \
    T v = as_type<T>(atomic_load_explicit((S atomic_uint *)p, memory_order_relaxed)); \
    __ordered(order); \
    return v; \
  } \
  inline void __nv_atomic_store_n(S T *p, T v, int order, int scope = 4) { \
    __ordered(order); \
    atomic_store_explicit((S atomic_uint *)p, as_type<uint>(v), memory_order_relaxed); \
    __ordered(order); \
  }
LOADED(int, device)
LOADED(uint, device)
LOADED(float, device)
LOADED(int, threadgroup)
LOADED(uint, threadgroup)
LOADED(float, threadgroup)

// Single-precision functions, and their names in C++.

#define F1(n, m) \
  inline float n##f(float x) { return m(x); } \
  inline float n(float x) { return m(x); }
F1(acos, precise::acos)
F1(acosh, precise::acosh)
F1(asin, precise::asin)
F1(asinh, precise::asinh)
F1(atan, precise::atan)
F1(atanh, precise::atanh)
F1(ceil, metal::ceil)
F1(cos, precise::cos)
F1(cosh, precise::cosh)
F1(cospi, precise::cospi)
F1(exp, precise::exp)
F1(exp10, precise::exp10)
F1(exp2, precise::exp2)
F1(fabs, metal::fabs)
F1(floor, metal::floor)
F1(log, precise::log)
F1(log10, precise::log10)
F1(log2, precise::log2)
F1(nearbyint, metal::rint)
F1(rint, metal::rint)
F1(round, metal::round)
F1(rsqrt, precise::rsqrt)
F1(sin, precise::sin)
F1(sinh, precise::sinh)
F1(sinpi, precise::sinpi)
F1(sqrt, precise::sqrt)
F1(tan, precise::tan)
F1(tanh, precise::tanh)
F1(trunc, metal::trunc)

#define F2(n, m) \
  inline float n##f(float x, float y) { return m(x, y); } \
  inline float n(float x, float y) { return m(x, y); }
F2(atan2, precise::atan2)
F2(copysign, metal::copysign)
F2(fdim, metal::fdim)
F2(fmax, precise::fmax)
F2(fmin, precise::fmin)
F2(pow, precise::pow)

inline float fmaf(float x, float y, float z) { return metal::fma(x, y, z); }
inline float fma(float x, float y, float z) { return metal::fma(x, y, z); }
inline float fdividef(float x, float y) { return x / y; }
inline float ldexpf(float x, int n) { return metal::ldexp(x, n); }
inline float ldexp(float x, int n) { return metal::ldexp(x, n); }
inline float scalbnf(float x, int n) { return metal::ldexp(x, n); }

template <class P, class Q> inline void sincosf(float x, P s, Q c) {
  *s = precise::sin(x);
  *c = precise::cos(x);
}
template <class P, class Q> inline void sincos(float x, P s, Q c) { sincosf(x, s, c); }
template <class P, class Q> inline void __sincosf(float x, P s, Q c) {
  *s = fast::sin(x);
  *c = fast::cos(x);
}
inline float __expf(float x) { return fast::exp(x); }
inline float __exp10f(float x) { return fast::exp10(x); }
inline float __logf(float x) { return fast::log(x); }
inline float __log2f(float x) { return fast::log2(x); }
inline float __log10f(float x) { return fast::log10(x); }
inline float __sinf(float x) { return fast::sin(x); }
inline float __cosf(float x) { return fast::cos(x); }
inline float __tanf(float x) { return fast::tan(x); }
inline float __powf(float x, float y) { return fast::pow(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x > 0 ? metal::min(x, 1.0f) : 0.0f; }

inline bool isnan(float x) { return metal::isnan(x); }
inline bool isinf(float x) { return metal::isinf(x); }
inline bool isfinite(float x) { return metal::isfinite(x); }
inline bool signbit(float x) { return metal::signbit(x); }
inline float __builtin_inff() { return as_type<float>(0x7f800000u); }
template <class T> inline float __builtin_nanf(T) { return as_type<float>(0x7fffffffu); }

template <class T, int D = 1, int M = 0> struct texture {};

template <class T> using numeric_limits = metal::numeric_limits<T>;
template <class A, class B> using is_same = metal::is_same<A, B>;
template <class A, class B> constexpr constant bool is_same_v = metal::is_same<A, B>::value;
#define TRAIT(n) template <class T> using n = metal::n<T>;
#define TRAITS(n) \
  TRAIT(n) \
  template <class T> constexpr constant bool n##_v = metal::n<T>::value;
TRAITS(is_integral)
TRAITS(is_floating_point)
TRAITS(is_arithmetic)
TRAITS(is_signed)
TRAITS(is_unsigned)
TRAITS(is_pointer)
TRAIT(remove_reference)
TRAIT(remove_cv)
TRAIT(remove_const)
TRAIT(remove_pointer)
TRAIT(decay)
TRAIT(make_signed)
TRAIT(make_unsigned)
template <class T> T __value(T v) { return v; }
template <class A, class B> struct common_type {
  typedef decltype(true ? __value(metal::declval<A>()) : __value(metal::declval<B>())) type;
};
template <class A, class B> using common_type_t = typename common_type<A, B>::type;
template <bool C, class A = void> using enable_if = metal::enable_if<C, A>;
template <class T> using decay_t = metal::decay_t<T>;
template <class T> using remove_reference_t = metal::remove_reference_t<T>;
template <class T> using remove_cv_t = metal::remove_cv_t<T>;
template <class T, T v> using integral_constant = metal::integral_constant<T, v>;
template <bool B> using bool_constant = metal::bool_constant<B>;
typedef metal::true_type true_type;
typedef metal::false_type false_type;
using metal::move;
typedef ulong size_t;
typedef long ptrdiff_t;
typedef ulong uintptr_t;
typedef long intptr_t;
typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
template <bool C, class A, class B> using conditional_t = metal::conditional_t<C, A, B>;
template <bool C, class A, class B> using conditional = metal::conditional<C, A, B>;
template <bool C, class A = void> using enable_if_t = metal::enable_if_t<C, A>;

// Minimum and maximum: an operand that is not a number is ignored.

#define MINMAX(R, A, B) \
  constexpr R min(A a, B b) { return R(b) < R(a) ? R(b) : R(a); } \
  constexpr R max(A a, B b) { return R(a) < R(b) ? R(b) : R(a); }
MINMAX(int, int, int)
MINMAX(uint, uint, uint)
MINMAX(uint, int, uint)
MINMAX(uint, uint, int)
MINMAX(long, long, long)
MINMAX(ulong, ulong, ulong)
MINMAX(ulong, long, ulong)
MINMAX(ulong, ulong, long)
inline float min(float a, float b) { return precise::fmin(a, b); }
inline float max(float a, float b) { return precise::fmax(a, b); }
inline int umin(uint a, uint b) { return metal::min(a, b); }
inline int umax(uint a, uint b) { return metal::max(a, b); }

inline int abs(int x) { return x < 0 ? int(-uint(x)) : x; }
inline long abs(long x) { return x < 0 ? long(-ulong(x)) : x; }
inline float abs(float x) { return metal::fabs(x); }
inline long llabs(long x) { return abs(x); }

// Integers and bits.

inline int __popc(uint x) { return metal::popcount(x); }
inline int __popcll(ulong x) { return metal::popcount(x); }
inline int __clz(int x) { return metal::clz(uint(x)); }
inline int __clzll(long x) { return metal::clz(ulong(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : int(metal::ctz(uint(x))) + 1; }
inline int __ffsll(long x) { return x == 0 ? 0 : int(metal::ctz(ulong(x))) + 1; }
inline uint __brev(uint x) { return metal::reverse_bits(x); }
inline ulong __brevll(ulong x) { return metal::reverse_bits(x); }
inline int __mul24(int x, int y) { return int(uint(x << 8 >> 8) * uint(y << 8 >> 8)); }
inline uint __umul24(uint x, uint y) { return (x & 0xffffff) * (y & 0xffffff); }
inline int __mulhi(int x, int y) { return metal::mulhi(x, y); }
inline uint __umulhi(uint x, uint y) { return metal::mulhi(x, y); }
inline long __mul64hi(long x, long y) { return metal::mulhi(x, y); }
inline ulong __umul64hi(ulong x, ulong y) { return metal::mulhi(x, y); }
inline uint __sad(int x, int y, uint z) { return z + (x > y ? uint(x) - uint(y) : uint(y) - uint(x)); }
inline uint __usad(uint x, uint y, uint z) { return z + (x > y ? x - y : y - x); }
inline int __hadd(int x, int y) { return (x & y) + ((x ^ y) >> 1); }
inline uint __uhadd(uint x, uint y) { return (x & y) + ((x ^ y) >> 1); }
inline int __rhadd(int x, int y) { return (x | y) - ((x ^ y) >> 1); }
inline uint __urhadd(uint x, uint y) { return (x | y) - ((x ^ y) >> 1); }

inline uint __byte_perm(uint x, uint y, uint s) {
  ulong all = ulong(y) << 32 | x;
  uint r = 0;
  for (uint i = 0; i < 4; i++) {
    r |= (uint(all >> 8 * (s >> 4 * i & 7)) & 255) << 8 * i;
  }
  return r;
}

inline uint __funnelshift_l(uint lo, uint hi, uint n) { return uint((ulong(hi) << 32 | lo) << (n & 31) >> 32); }
inline uint __funnelshift_lc(uint lo, uint hi, uint n) { return uint((ulong(hi) << 32 | lo) << metal::min(n, 32u) >> 32); }
inline uint __funnelshift_r(uint lo, uint hi, uint n) { return uint((ulong(hi) << 32 | lo) >> (n & 31)); }
inline uint __funnelshift_rc(uint lo, uint hi, uint n) { return uint((ulong(hi) << 32 | lo) >> metal::min(n, 32u)); }

inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; i++)
    c = int(uint(c) + uint(int(char(a >> 8 * i)) * int(char(b >> 8 * i))));
  return c;
}
inline uint __dp4a(uint a, uint b, uint c) {
  for (int i = 0; i < 4; i++)
    c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
  return c;
}

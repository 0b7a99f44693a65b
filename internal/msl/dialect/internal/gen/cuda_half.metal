// Half precision and bfloat16.

typedef half __half;
typedef half half_t;
typedef half nv_half;
typedef bfloat __nv_bfloat16;
typedef bfloat nv_bfloat16;

#define PAIR(T, E) \
  struct alignas(4) T { \
    E x, y; \
    T() = default; \
    T(E a, E b) : x(a), y(b) {} \
  }; \
  inline T operator+(T a, T b) { return T(E(a.x + b.x), E(a.y + b.y)); } \
  inline T operator-(T a, T b) { return T(E(a.x - b.x), E(a.y - b.y)); } \
  inline T operator*(T a, T b) { return T(E(a.x * b.x), E(a.y * b.y)); } \
  inline T operator/(T a, T b) { return T(E(a.x / b.x), E(a.y / b.y)); } \
  inline T operator-(T a) { return T(-a.x, -a.y); } \
  inline bool operator==(T a, T b) { return a.x == b.x && a.y == b.y; } \
  inline bool operator!=(T a, T b) { return a.x != b.x && a.y != b.y; } \
  inline bool operator<(T a, T b) { return a.x < b.x && a.y < b.y; } \
  inline bool operator<=(T a, T b) { return a.x <= b.x && a.y <= b.y; } \
  inline bool operator>(T a, T b) { return a.x > b.x && a.y > b.y; } \
  inline bool operator>=(T a, T b) { return a.x >= b.x && a.y >= b.y; } \
  PAIRED(T, E, thread) \
  PAIRED(T, E, device) \
  PAIRED(T, E, threadgroup) \
  inline E __hadd(E a, E b) { return a + b; } \
  inline E __hsub(E a, E b) { return a - b; } \
  inline E __hmul(E a, E b) { return a * b; } \
  inline E __hdiv(E a, E b) { return a / b; } \
  inline E __hadd_rn(E a, E b) { return a + b; } \
  inline E __hsub_rn(E a, E b) { return a - b; } \
  inline E __hmul_rn(E a, E b) { return a * b; } \
  inline E __hneg(E a) { return -a; } \
  inline E __habs(E a) { return a < E(0.0f) || 1.0f / float(a) < 0 ? -a : a; } \
  inline E __hfma(E a, E b, E c) { return E(__fused(float(a), float(b), float(c))); } \
  inline E __hfma_relu(E a, E b, E c) { return __hmax(__hfma(a, b, c), E(0.0f)); } \
  inline E __hadd_sat(E a, E b) { return E(__saturatef(float(E(a + b)))); } \
  inline E __hsub_sat(E a, E b) { return E(__saturatef(float(E(a - b)))); } \
  inline E __hmul_sat(E a, E b) { return E(__saturatef(float(E(a * b)))); } \
  inline E __hfma_sat(E a, E b, E c) { return E(__saturatef(float(__hfma(a, b, c)))); } \
  inline bool __hlt(E a, E b) { return a < b; } \
  inline bool __hle(E a, E b) { return a <= b; } \
  inline bool __hgt(E a, E b) { return a > b; } \
  inline bool __hge(E a, E b) { return a >= b; } \
  inline bool __heq(E a, E b) { return a == b; } \
  inline bool __hne(E a, E b) { return a < b || a > b; } \
  inline bool __hltu(E a, E b) { return !(a >= b); } \
  inline bool __hgtu(E a, E b) { return !(a <= b); } \
  inline bool __hisnan(E a) { return !(a == a); } \
  inline int __hisinf(E a) { return metal::isinf(float(a)) ? (a > E(0.0f) ? 1 : -1) : 0; } \
  inline E __hmax(E a, E b) { return E(precise::fmax(float(a), float(b))); } \
  inline E __hmin(E a, E b) { return E(precise::fmin(float(a), float(b))); } \
  inline T __hadd2(T a, T b) { return a + b; } \
  inline T __hsub2(T a, T b) { return a - b; } \
  inline T __hmul2(T a, T b) { return a * b; } \
  inline T __h2div(T a, T b) { return a / b; } \
  inline T __hneg2(T a) { return -a; } \
  inline T __habs2(T a) { return T(__habs(a.x), __habs(a.y)); } \
  inline T __hfma2(T a, T b, T c) { return T(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); } \
  inline T __hfma2_relu(T a, T b, T c) { return T(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); } \
  inline T __hadd2_sat(T a, T b) { return T(__hadd_sat(a.x, b.x), __hadd_sat(a.y, b.y)); } \
  inline T __hmul2_sat(T a, T b) { return T(__hmul_sat(a.x, b.x), __hmul_sat(a.y, b.y)); } \
  inline T __hmax2(T a, T b) { return T(__hmax(a.x, b.x), __hmax(a.y, b.y)); } \
  inline T __hmin2(T a, T b) { return T(__hmin(a.x, b.x), __hmin(a.y, b.y)); } \
  inline T __heq2(T a, T b) { return T(E(a.x == b.x ? 1.0f : 0.0f), E(a.y == b.y ? 1.0f : 0.0f)); } \
  inline T __hne2(T a, T b) { return T(E(__hne(a.x, b.x) ? 1.0f : 0.0f), E(__hne(a.y, b.y) ? 1.0f : 0.0f)); } \
  inline T __hgt2(T a, T b) { return T(E(a.x > b.x ? 1.0f : 0.0f), E(a.y > b.y ? 1.0f : 0.0f)); } \
  inline T __hge2(T a, T b) { return T(E(a.x >= b.x ? 1.0f : 0.0f), E(a.y >= b.y ? 1.0f : 0.0f)); } \
  inline T __hlt2(T a, T b) { return T(E(a.x < b.x ? 1.0f : 0.0f), E(a.y < b.y ? 1.0f : 0.0f)); } \
  inline T __hle2(T a, T b) { return T(E(a.x <= b.x ? 1.0f : 0.0f), E(a.y <= b.y ? 1.0f : 0.0f)); } \
  inline bool __hbgt2(T a, T b) { return a > b; } \
  inline bool __hbge2(T a, T b) { return a >= b; } \
  inline bool __hblt2(T a, T b) { return a < b; } \
  inline bool __hble2(T a, T b) { return a <= b; } \
  inline bool __hbeq2(T a, T b) { return a == b; } \
  inline bool __hbne2(T a, T b) { return a != b; } \
  inline float __low2float(T a) { return float(a.x); } \
  inline float __high2float(T a) { return float(a.y); } \
  inline T __lowhigh2highlow(T a) { return T(a.y, a.x); } \
  inline T __lows2##T(T a, T b) { return T(a.x, b.x); } \
  inline T __highs2##T(T a, T b) { return T(a.y, b.y); } \
  inline T make_##T(E a, E b) { return T(a, b); } \
  SWAPPED(T, device) \
  SWAPPED(T, threadgroup) \
  FUNCTION1(hsqrt, h2sqrt, T, E, precise::sqrt) \
  FUNCTION1(hrsqrt, h2rsqrt, T, E, precise::rsqrt) \
  FUNCTION1(hrcp, h2rcp, T, E, 1.0f /) \
  FUNCTION1(hexp, h2exp, T, E, precise::exp) \
  FUNCTION1(hexp2, h2exp2, T, E, precise::exp2) \
  FUNCTION1(hexp10, h2exp10, T, E, precise::exp10) \
  FUNCTION1(hlog, h2log, T, E, precise::log) \
  FUNCTION1(hlog2, h2log2, T, E, precise::log2) \
  FUNCTION1(hlog10, h2log10, T, E, precise::log10) \
  FUNCTION1(hsin, h2sin, T, E, precise::sin) \
  FUNCTION1(hcos, h2cos, T, E, precise::cos) \
  FUNCTION1(htanh, h2tanh, T, E, precise::tanh) \
  FUNCTION1(hfloor, h2floor, T, E, metal::floor) \
  FUNCTION1(hceil, h2ceil, T, E, metal::ceil) \
  FUNCTION1(htrunc, h2trunc, T, E, metal::trunc) \
  FUNCTION1(hrint, h2rint, T, E, metal::rint)
#define PAIRED(T, E, S) \
  inline S T &operator+=(S T &a, T b) { \
    a = a + b; \
    return a; \
  } \
  inline S T &operator-=(S T &a, T b) { \
    a = a - b; \
    return a; \
  } \
  inline S T &operator*=(S T &a, T b) { \
    a = a * b; \
    return a; \
  } \
  inline S T &operator/=(S T &a, T b) { \
    a = a / b; \
    return a; \
  }
#define SWAPPED(T, S) \
  inline T atomicAdd(S T *p, T v) { \
    uint old = atomic_load_explicit((S atomic_uint *)p, memory_order_relaxed); \
    while (!atomic_compare_exchange_weak_explicit((S atomic_uint *)p, &old, __word(__pair_##T(old) + v), \
                                                  memory_order_relaxed, memory_order_relaxed)) \
      ; \
    return __pair_##T(old); \
  }
#define FUNCTION1(n, n2, T, E, f) \
  inline E n(E x) { return E(f(float(x))); } \
  inline T n2(T x) { return T(n(x.x), n(x.y)); }

// a * b + c, rounded to odd, so that a second rounding gives what one would
inline float __fused(float a, float b, float c) {
  float r = __fma_to(a, b, c, 1);
  return r == __fma_to(a, b, c, 2) && r == __fma_to(a, b, c, 3) || !metal::isfinite(r)
             ? metal::fma(a, b, c)
             : as_type<float>(as_type<uint>(r) | 1);
}
inline uint __word(half2 v) { return uint(as_type<ushort>(v.y)) << 16 | as_type<ushort>(v.x); }
inline half2 __pair_half2(uint v) { return half2(as_type<half>(ushort(v)), as_type<half>(ushort(v >> 16))); }
inline uint __word(__nv_bfloat162 v) { return uint(as_type<ushort>(v.y)) << 16 | as_type<ushort>(v.x); }
inline __nv_bfloat162 __pair___nv_bfloat162(uint v) {
  return __nv_bfloat162(as_type<bfloat>(ushort(v)), as_type<bfloat>(ushort(v >> 16)));
}
PAIR(half2, half)
PAIR(__nv_bfloat162, bfloat)

typedef half2 __half2;
typedef half2 nv_half2;
typedef __nv_bfloat162 nv_bfloat162;

inline half __float2half(float x) { return half(x); }
inline float __half2float(half x) { return float(x); }
inline half __ushort_as_half(ushort x) { return as_type<half>(x); }
inline ushort __half_as_ushort(half x) { return as_type<ushort>(x); }
inline half __short_as_half(short x) { return as_type<half>(x); }
inline short __half_as_short(half x) { return as_type<short>(x); }
inline half2 __halves2half2(half a, half b) { return half2(a, b); }
inline half2 __half2half2(half a) { return half2(a, a); }
inline half2 __low2half2(half2 a) { return half2(a.x, a.x); }
inline half2 __high2half2(half2 a) { return half2(a.y, a.y); }
inline half __low2half(half2 a) { return a.x; }
inline half __high2half(half2 a) { return a.y; }
inline half2 __float2half2_rn(float a) { return half2(half(a), half(a)); }
inline half2 __floats2half2_rn(float a, float b) { return half2(half(a), half(b)); }
inline half2 __float22half2_rn(float2 a) { return half2(half(a.x), half(a.y)); }
inline float2 __half22float2(half2 a) { return {float(a.x), float(a.y)}; }

inline bfloat __float2bfloat16(float x) { return bfloat(x); }
inline float __bfloat162float(bfloat x) { return float(x); }
inline bfloat __ushort_as_bfloat16(ushort x) { return as_type<bfloat>(x); }
inline ushort __bfloat16_as_ushort(bfloat x) { return as_type<ushort>(x); }
inline __nv_bfloat162 __halves2bfloat162(bfloat a, bfloat b) { return __nv_bfloat162(a, b); }
inline __nv_bfloat162 __bfloat162bfloat162(bfloat a) { return __nv_bfloat162(a, a); }
inline bfloat __low2bfloat16(__nv_bfloat162 a) { return a.x; }
inline bfloat __high2bfloat16(__nv_bfloat162 a) { return a.y; }
inline __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(bfloat(a), bfloat(a)); }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(bfloat(a), bfloat(b)); }
inline __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(bfloat(a.x), bfloat(a.y)); }
inline float2 __bfloat1622float2(__nv_bfloat162 a) { return {float(a.x), float(a.y)}; }

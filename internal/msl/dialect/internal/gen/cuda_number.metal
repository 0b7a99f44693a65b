// Functions of numbers that are not Metal's. Those of package opencl_math are shared; see
// cudaShared.

#define ALSO1(n) inline float n##f(float x) { return n(x); }
ALSO1(cbrt)
ALSO1(erf)
ALSO1(erfc)
ALSO1(expm1)
ALSO1(lgamma)
ALSO1(log1p)
ALSO1(logb)
ALSO1(tgamma)
inline float hypotf(float x, float y) { return hypot(x, y); }
inline float fmodf(float x, float y) { return fmod(x, y); }
inline float nextafterf(float x, float y) { return nextafter(x, y); }
inline float remainderf(float x, float y) { return remainder(x, y); }
inline int ilogb(float x) {
  return x == 0 || x != x ? -2147483647 - 1 : metal::isinf(x) ? 2147483647 : metal::ilogb(x);
}
inline int ilogbf(float x) { return ilogb(x); }
template <class P> inline float remquof(float x, float y, P q) { return remquo(x, y, q); }
template <class P> inline float frexpf(float x, P e) { return frexp(x, e); }
template <class P> inline float modff(float x, P whole) { return modf(x, whole); }

inline float rcbrtf(float x) { return 1.0f / cbrt(x); }
inline float rcbrt(float x) { return rcbrtf(x); }
inline float rhypotf(float x, float y) { return 1.0f / hypot(x, y); }
inline float rhypot(float x, float y) { return rhypotf(x, y); }

// The length of a vector, scaled so that no square overflows.
inline float norm4df(float a, float b, float c, float d) {
  float m = precise::fmax(precise::fmax(metal::fabs(a), metal::fabs(b)), precise::fmax(metal::fabs(c), metal::fabs(d)));
  if (metal::isinf(m))
    return m;
  if (a != a || b != b || c != c || d != d || m == 0)
    return a + b + c + d == 0 ? 0.0f : m == 0 && a == a && b == b && c == c && d == d ? 0.0f : NAN;
  int e = metal::ilogb(m);
  a = metal::ldexp(a, -e);
  b = metal::ldexp(b, -e);
  c = metal::ldexp(c, -e);
  d = metal::ldexp(d, -e);
  return metal::ldexp(precise::sqrt(metal::fma(a, a, metal::fma(b, b, metal::fma(c, c, d * d)))), e);
}
inline float norm3df(float a, float b, float c) { return norm4df(a, b, c, 0); }
inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
inline float rnorm4df(float a, float b, float c, float d) { return 1.0f / norm4df(a, b, c, d); }
inline float norm3d(float a, float b, float c) { return norm3df(a, b, c); }
inline float norm4d(float a, float b, float c, float d) { return norm4df(a, b, c, d); }
inline float rnorm3d(float a, float b, float c) { return rnorm3df(a, b, c); }
inline float rnorm4d(float a, float b, float c, float d) { return rnorm4df(a, b, c, d); }

inline float normcdff(float x) {
  float h = -x * 0.707106781f;
  // What the product has lost: erfc is steep.
  float lost = metal::fma(-x, 0.707106781f, -h) + -x * 1.21016175e-8f;
  float r = erfc(h);
  return 0.5f * (metal::fabs(h) < 9.5f ? r - 1.12837917f * precise::exp(-h * h) * lost : r);
}
inline float normcdf(float x) { return normcdff(x); }

// exp(x * x) * erfc(x)
inline float erfcxf(float x) {
  if (x < 9)
    return precise::exp(x * x) * (1 + metal::fma(x, x, -(x * x))) * erfc(x);
  float r = 1 / x, s = r * r;
  return r * 0.564189584f * metal::fma(s, metal::fma(s, 0.75f, -0.5f), 1.0f);
}
inline float erfcx(float x) { return erfcxf(x); }

// The number whose complementary error function is y: an approximation, and Newton's steps.
inline float erfcinvf(float y) {
  if (!(y >= 0 && y <= 2))
    return NAN;
  if (y == 0 || y == 2)
    return y == 0 ? INFINITY : -INFINITY;
  float p = y > 1 ? 2 - y : y;
  float t = precise::sqrt(-2 * precise::log(0.5f * p));
  float x = -0.70711f * ((2.30753f + t * 0.27061f) / (1 + t * (0.99229f + t * 0.04481f)) - t);
  for (int i = 0; i < 3; i++) {
    float err = erfc(x) - p;
    x += err / (1.12837917f * precise::exp(-x * x) - x * err);
  }
  return y > 1 ? -x : x;
}
inline float erfcinv(float y) { return erfcinvf(y); }

inline float erfinvf(float y) {
  if (!(metal::fabs(y) < 0.5f))
    return y > 0 ? erfcinvf(1 - y) : -erfcinvf(1 + y);
  float x = y * 0.886226925f;
  for (int i = 0; i < 3; i++) {
    float err = erf(x) - y;
    x -= err / (1.12837917f * precise::exp(-x * x) + x * err);
  }
  return y == 0 ? y : x;
}
inline float erfinv(float y) { return erfinvf(y); }

inline float normcdfinvf(float p) { return -1.41421356f * erfcinvf(2 * p); }
inline float normcdfinv(float p) { return normcdfinvf(p); }

template <class P, class Q> inline void sincospif(float x, P s, Q c) {
  *s = precise::sinpi(x);
  *c = precise::cospi(x);
}
template <class P, class Q> inline void sincospi(float x, P s, Q c) { sincospif(x, s, c); }

inline float scalbn(float x, int n) { return metal::ldexp(x, n); }
inline float scalblnf(float x, long n) { return metal::ldexp(x, int(metal::clamp(n, -1000l, 1000l))); }
inline float scalbln(float x, long n) { return scalblnf(x, n); }
inline float powif(float x, int n) { return pown(x, n); }
inline float __tanhf(float x) { return precise::tanh(x); }
template <class T> inline float nanf(T) { return NAN; }
template <class T> inline float nan(T) { return NAN; }

#define DOUBLES(n, m) inline float n(float x, float y) { return m(x, y); }
DOUBLES(__dadd_rn, __fadd_rn)
DOUBLES(__dmul_rn, __fmul_rn)
DOUBLES(__dsub_rn, __fsub_rn)
DOUBLES(__ddiv_rn, __fdiv_rn)
inline float __dsqrt_rn(float x) { return __fsqrt_rn(x); }
inline float __drcp_rn(float x) { return __frcp_rn(x); }
inline float __double2float_rn(float x) { return x; }
inline float __double2float_rz(float x) { return x; }
inline int __double2int_rn(float x) { return __float2int_rn(x); }
inline int __double2int_rz(float x) { return __float2int_rz(x); }
inline int __double2int_rd(float x) { return __float2int_rd(x); }
inline int __double2int_ru(float x) { return __float2int_ru(x); }
inline long __double2ll_rn(float x) { return __float2ll_rn(x); }
inline long __double2ll_rz(float x) { return __float2ll_rz(x); }
inline float __int2double_rn(int x) { return float(x); }
inline float __uint2double_rn(uint x) { return float(x); }
inline float __ll2double_rn(long x) { return float(x); }
inline float __ull2double_rn(ulong x) { return float(x); }

// Integers in the bytes and halves of a word.

#define LANES(n, bits, least, most) \
  inline int __signed##n(uint x, int i) { return int(x << (32 - bits - bits * i)) >> (32 - bits); } \
  inline uint __unsigned##n(uint x, int i) { return x >> bits * i & ((1u << bits) - 1); } \
  inline int __within##n(int x) { return metal::clamp(x, least, most); } \
  LANE2(__vadd##n, n, bits, u + v) \
  LANE2(__vsub##n, n, bits, u - v) \
  LANE2(__vaddss##n, n, bits, __within##n(s + t)) \
  LANE2(__vsubss##n, n, bits, __within##n(s - t)) \
  LANE2(__vaddus##n, n, bits, metal::min(u + v, (1u << bits) - 1)) \
  LANE2(__vsubus##n, n, bits, u > v ? u - v : 0) \
  LANE2(__vabsdiffs##n, n, bits, s > t ? s - t : t - s) \
  LANE2(__vabsdiffu##n, n, bits, u > v ? u - v : v - u) \
  LANE2(__vavgs##n, n, bits, (s + t + (s + t >= 0 ? 1 : 0)) >> 1) \
  LANE2(__vavgu##n, n, bits, (u + v + 1) >> 1) \
  LANE2(__vhaddu##n, n, bits, (u + v) >> 1) \
  LANE2(__vmaxs##n, n, bits, metal::max(s, t)) \
  LANE2(__vmaxu##n, n, bits, metal::max(u, v)) \
  LANE2(__vmins##n, n, bits, metal::min(s, t)) \
  LANE2(__vminu##n, n, bits, metal::min(u, v)) \
  LANE1(__vabs##n, n, bits, s < 0 ? -s : s) \
  LANE1(__vabsss##n, n, bits, __within##n(s < 0 ? -s : s)) \
  LANE1(__vneg##n, n, bits, -s) \
  LANE1(__vnegss##n, n, bits, __within##n(-s)) \
  SUM2(__vsads##n, n, s > t ? s - t : t - s) \
  SUM2(__vsadu##n, n, u > v ? u - v : v - u) \
  COMPARE(eq, n, bits, u == v) \
  COMPARE(ne, n, bits, u != v) \
  COMPARE(ges, n, bits, s >= t) \
  COMPARE(geu, n, bits, u >= v) \
  COMPARE(gts, n, bits, s > t) \
  COMPARE(gtu, n, bits, u > v) \
  COMPARE(les, n, bits, s <= t) \
  COMPARE(leu, n, bits, u <= v) \
  COMPARE(lts, n, bits, s < t) \
  COMPARE(ltu, n, bits, u < v)
#define LANE2(name, n, bits, op) \
  inline uint name(uint a, uint b) { \
    uint r = 0; \
    for (int i = 0; i < n; i++) { \
      int s = __signed##n(a, i), t = __signed##n(b, i); \
      uint u = __unsigned##n(a, i), v = __unsigned##n(b, i); \
      r |= (uint(op) & ((1u << bits) - 1)) << bits * i; \
    } \
    return r; \
  }
#define LANE1(name, n, bits, op) \
  inline uint name(uint a) { \
    uint r = 0; \
    for (int i = 0; i < n; i++) { \
      int s = __signed##n(a, i); \
      r |= (uint(op) & ((1u << bits) - 1)) << bits * i; \
    } \
    return r; \
  }
#define SUM2(name, n, op) \
  inline uint name(uint a, uint b) { \
    uint r = 0; \
    for (int i = 0; i < n; i++) { \
      int s = __signed##n(a, i), t = __signed##n(b, i); \
      uint u = __unsigned##n(a, i), v = __unsigned##n(b, i); \
      r += uint(op); \
    } \
    return r; \
  }
#define COMPARE(name, n, bits, op) \
  LANE2(__vcmp##name##n, n, bits, op ? 0xffffffffu : 0u) \
  LANE2(__vset##name##n, n, bits, op ? 1u : 0u)
LANES(2, 16, -32768, 32767)
LANES(4, 8, -128, 127)

inline int __dp2a_lo(int a, int b, int c) { return c + __signed2(uint(a), 0) * __signed4(uint(b), 0) + __signed2(uint(a), 1) * __signed4(uint(b), 1); }
inline int __dp2a_hi(int a, int b, int c) { return c + __signed2(uint(a), 0) * __signed4(uint(b), 2) + __signed2(uint(a), 1) * __signed4(uint(b), 3); }
inline uint __dp2a_lo(uint a, uint b, uint c) { return c + __unsigned2(a, 0) * __unsigned4(b, 0) + __unsigned2(a, 1) * __unsigned4(b, 1); }
inline uint __dp2a_hi(uint a, uint b, uint c) { return c + __unsigned2(a, 0) * __unsigned4(b, 2) + __unsigned2(a, 1) * __unsigned4(b, 3); }

// Hints, and what stops a kernel.

template <class P> inline P __builtin_assume_aligned(P p, size_t n) { return p; }
template <class P> inline P __builtin_assume_aligned(P p, size_t n, size_t offset) { return p; }
inline long __builtin_expect(long x, long y) { return x; }
inline void __builtin_assume(bool x) {}
inline void __assume(bool x) {}
inline void __builtin_unreachable() {}
inline void __nanosleep(uint ns) {}
inline void __prof_trigger(int n) {}
// Assertions that fail: a message here ends the launch on the software device.
constant os_log __assertion("puremetal", "assert");

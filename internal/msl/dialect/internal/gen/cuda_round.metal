// Rounding. A number is m * 2^e, with its sign, and a rest below it.

struct __number {
  bool negative;
  ulong m;
  int e;
  bool rest;
};

inline __number __number_of(float x) {
  uint b = as_type<uint>(x), e = b >> 23 & 255;
  return {b >> 31 != 0, (b & 0x7fffff) | (e > 0 ? 0x800000u : 0u), int(metal::max(e, 1u)) - 150, false};
}

inline __number __integer_of(long x) { return {x < 0, x < 0 ? -ulong(x) : ulong(x), 0, false}; }

inline __number __integer_of(ulong x) { return {false, x, 0, false}; }

// The bits of a number, rounded (mode 0 to the nearest, 1 to zero, 2 up, 3 down) to so many digits,
// the last of which is at least 2^least, beside an exponent of so many bits.
inline uint __rounded(__number x, int mode, int digits, int least, int width) {
  uint sign = x.negative ? 1u << (digits + width - 1) : 0u, infinity = (1u << width) - 1 << (digits - 1);
  if (x.m == 0)
    return sign;
  int top = 64 - int(metal::clz(x.m)), drop = top - metal::min(digits, top + x.e - least);
  ulong q = 0;
  bool half_way = false, more = x.rest;
  if (drop <= 0) {
    q = x.m << -drop;
  } else if (drop > 63) {
    more = true;
  } else {
    q = x.m >> drop;
    half_way = (x.m >> (drop - 1) & 1) != 0;
    more = more || (x.m & ((1ul << (drop - 1)) - 1)) != 0;
  }
  if (mode == 0 ? half_way && (more || (q & 1) != 0) : mode != 1 && (half_way || more) && (mode == 2) != x.negative)
    q++;
  int at = x.e + drop;
  if (q >> digits != 0) {
    q >>= 1;
    at++;
  }
  if (q >> (digits - 1) == 0)
    return sign | uint(q);
  if (at - least + 1 >= (1 << width) - 1)
    return sign | (mode == 0 || mode != 1 && (mode == 2) != x.negative ? infinity : infinity - 1);
  return sign | uint(at - least + 1) << (digits - 1) | (uint(q) & ((1u << (digits - 1)) - 1));
}

inline float __to_float(__number x, int mode) { return as_type<float>(__rounded(x, mode, 24, -149, 8)); }

inline half __to_half(__number x, int mode) { return as_type<half>(ushort(__rounded(x, mode, 11, -24, 5))); }

inline bfloat __to_bfloat(__number x, int mode) { return as_type<bfloat>(ushort(__rounded(x, mode, 8, -133, 8))); }

inline half __half_to(float x, int mode) { return metal::isfinite(x) ? __to_half(__number_of(x), mode) : half(x); }

inline bfloat __bfloat_to(float x, int mode) {
  return metal::isfinite(x) ? __to_bfloat(__number_of(x), mode) : bfloat(x);
}

// a * b + c
inline float __fma_to(float a, float b, float c, int mode) {
  if (!metal::isfinite(a) || !metal::isfinite(b) || !metal::isfinite(c))
    return metal::fma(a, b, c);
  __number p = __number_of(a), q = __number_of(b), r = __number_of(c);
  p.negative = p.negative != q.negative;
  p.m *= q.m;
  p.e += q.e;
  if (p.m == 0 && r.m == 0)
    return p.negative == r.negative ? c : mode == 3 ? -0.0f : 0.0f;
  if (p.m == 0)
    return c;
  if (r.m == 0)
    return __to_float(p, mode);
  int s = int(metal::clz(p.m)) - 2, t = int(metal::clz(r.m)) - 2;
  p.m <<= s;
  p.e -= s;
  r.m <<= t;
  r.e -= t;
  if (p.e < r.e || p.e == r.e && p.m < r.m) {
    q = p;
    p = r;
    r = q;
  }
  int d = p.e - r.e;
  ulong low = d > 63 ? 0ul : r.m >> d;
  p.rest = d > 63 || low << d != r.m;
  if (p.negative == r.negative)
    p.m += low;
  else
    p.m -= low + (p.rest ? 1 : 0);
  return p.m == 0 ? (mode == 3 ? -0.0f : 0.0f) : __to_float(p, mode);
}

// a * b, whose zero has the sign of the product
inline float __mul_to(float a, float b, int mode) {
  if (!metal::isfinite(a) || !metal::isfinite(b) || a == 0 || b == 0)
    return a * b;
  return __fma_to(a, b, 0.0f, mode);
}

inline float __div_to(float a, float b, int mode) {
  if (!metal::isfinite(a) || !metal::isfinite(b) || a == 0 || b == 0)
    return a / b;
  __number p = __number_of(a), q = __number_of(b);
  int s = int(metal::clz(p.m)) - 1;
  p.m <<= s;
  p.e -= s + q.e;
  p.negative = p.negative != q.negative;
  p.rest = p.m % q.m != 0;
  p.m /= q.m;
  return __to_float(p, mode);
}

inline float __sqrt_to(float x, int mode) {
  if (!(x > 0) || metal::isinf(x))
    return precise::sqrt(x);
  __number p = __number_of(x);
  int s = int(metal::clz(p.m)) - 2;
  s -= (p.e - s) & 1;
  ulong m = p.m << s, root = 0;
  for (int i = 31; i >= 0; i--) {
    ulong t = root | 1ul << i;
    if (t * t <= m)
      root = t;
  }
  p.rest = root * root != m;
  p.m = root;
  p.e = (p.e - s) / 2;
  return __to_float(p, mode);
}

#define ROUNDED(s, mode) \
  inline float __fadd_##s(float x, float y) { return __fma_to(x, 1.0f, y, mode); } \
  inline float __fsub_##s(float x, float y) { return __fma_to(x, 1.0f, -y, mode); } \
  inline float __fmul_##s(float x, float y) { return __mul_to(x, y, mode); } \
  inline float __fdiv_##s(float x, float y) { return __div_to(x, y, mode); } \
  inline float __frcp_##s(float x) { return __div_to(1.0f, x, mode); } \
  inline float __fsqrt_##s(float x) { return __sqrt_to(x, mode); } \
  inline float __fmaf_##s(float x, float y, float z) { return __fma_to(x, y, z, mode); }
ROUNDED(rz, 1)
ROUNDED(ru, 2)
ROUNDED(rd, 3)

inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fsqrt_rn(float x) { return precise::sqrt(x); }
inline float __frsqrt_rn(float x) { return precise::rsqrt(x); }
inline float __fmaf_rn(float x, float y, float z) { return metal::fma(x, y, z); }

// Conversions. Those to integers saturate, and what is not a number becomes 0, or the least number
// of 64 bits.

inline int __float_to_int(float x) {
  return x >= 2147483648.0f ? 2147483647 : x <= -2147483648.0f ? -2147483647 - 1 : x == x ? int(x) : 0;
}
inline uint __float_to_uint(float x) { return x >= 4294967296.0f ? 0xffffffffu : x > 0 ? uint(x) : 0u; }
inline long __float_to_long(float x) {
  return x >= 9223372036854775808.0f ? 0x7fffffffffffffffl
         : x > -9223372036854775808.0f ? long(x) : -0x7fffffffffffffffl - 1;
}
inline ulong __float_to_ulong(float x) {
  return x >= 18446744073709551616.0f ? 0xfffffffffffffffful : x > 0 ? ulong(x) : x == x ? 0ul : 0x8000000000000000ul;
}

// A number that converts as CUDA C++ has it, for templates whose instances convert to different types.
inline long __to_long(float x) { return __float_to_long(float(x)); }
inline ulong __to_ulong(float x) { return __float_to_ulong(float(x)); }
inline long __to_long(half x) { return __float_to_long(float(x)); }
inline ulong __to_ulong(half x) { return __float_to_ulong(float(x)); }
inline long __to_long(bfloat x) { return __float_to_long(float(x)); }
inline ulong __to_ulong(bfloat x) { return __float_to_ulong(float(x)); }
inline long __to_long(int x) { return long(x); }
inline long __to_long(uint x) { return long(x); }
inline long __to_long(long x) { return x; }
inline long __to_long(ulong x) { return long(x); }
inline ulong __to_ulong(int x) { return ulong(x); }
inline ulong __to_ulong(uint x) { return ulong(x); }
inline ulong __to_ulong(long x) { return ulong(x); }
inline ulong __to_ulong(ulong x) { return x; }
template <class T> struct __convertible {
  T v;
  operator bool() const thread { return bool(v); }
  operator char() const thread { return char(int(v)); }
  operator uchar() const thread { return uchar(uint(v)); }
  operator short() const thread { return short(int(v)); }
  operator ushort() const thread { return ushort(uint(v)); }
  operator int() const thread { return int(v); }
  operator uint() const thread { return uint(v); }
  operator long() const thread { return __to_long(v); }
  operator ulong() const thread { return __to_ulong(v); }
  operator half() const thread { return half(v); }
  operator bfloat() const thread { return bfloat(v); }
  operator float() const thread { return float(v); }
};
template <class T> inline T __converting(T x) { return x; }
inline __convertible<char> __converting(char x) { return {x}; }
inline __convertible<uchar> __converting(uchar x) { return {x}; }
inline __convertible<short> __converting(short x) { return {x}; }
inline __convertible<ushort> __converting(ushort x) { return {x}; }
inline __convertible<int> __converting(int x) { return {x}; }
inline __convertible<uint> __converting(uint x) { return {x}; }
inline __convertible<long> __converting(long x) { return {x}; }
inline __convertible<ulong> __converting(ulong x) { return {x}; }
inline __convertible<half> __converting(half x) { return {x}; }
inline __convertible<bfloat> __converting(bfloat x) { return {x}; }
inline __convertible<float> __converting(float x) { return {x}; }

#define CONVERTED(s, mode, whole) \
  inline int __float2int_##s(float x) { return __float_to_int(whole(x)); } \
  inline uint __float2uint_##s(float x) { return __float_to_uint(whole(x)); } \
  inline long __float2ll_##s(float x) { return __float_to_long(whole(x)); } \
  inline ulong __float2ull_##s(float x) { return __float_to_ulong(whole(x)); } \
  inline float __int2float_##s(int x) { return __to_float(__integer_of(long(x)), mode); } \
  inline float __uint2float_##s(uint x) { return __to_float(__integer_of(ulong(x)), mode); } \
  inline float __ll2float_##s(long x) { return __to_float(__integer_of(x), mode); } \
  inline float __ull2float_##s(ulong x) { return __to_float(__integer_of(x), mode); } \
  inline int __half2int_##s(half x) { return __float_to_int(whole(float(x))); } \
  inline uint __half2uint_##s(half x) { return __float_to_uint(whole(float(x))); } \
  inline short __half2short_##s(half x) { return short(metal::clamp(__float_to_int(whole(float(x))), -32768, 32767)); } \
  inline ushort __half2ushort_##s(half x) { return ushort(metal::min(__float_to_uint(whole(float(x))), 65535u)); } \
  inline half __int2half_##s(int x) { return __to_half(__integer_of(long(x)), mode); } \
  inline half __uint2half_##s(uint x) { return __to_half(__integer_of(ulong(x)), mode); } \
  inline half __short2half_##s(short x) { return __to_half(__integer_of(long(x)), mode); } \
  inline half __ushort2half_##s(ushort x) { return __to_half(__integer_of(ulong(x)), mode); } \
  inline half __ll2half_##s(long x) { return __to_half(__integer_of(x), mode); } \
  inline half __ull2half_##s(ulong x) { return __to_half(__integer_of(x), mode); } \
  inline int __bfloat162int_##s(bfloat x) { return __float_to_int(whole(float(x))); } \
  inline uint __bfloat162uint_##s(bfloat x) { return __float_to_uint(whole(float(x))); } \
  inline bfloat __int2bfloat16_##s(int x) { return __to_bfloat(__integer_of(long(x)), mode); } \
  inline bfloat __uint2bfloat16_##s(uint x) { return __to_bfloat(__integer_of(ulong(x)), mode); } \
  inline half __float2half_##s(float x) { return __half_to(x, mode); } \
  inline bfloat __float2bfloat16_##s(float x) { return __bfloat_to(x, mode); }
CONVERTED(rn, 0, metal::rint)
CONVERTED(rz, 1, metal::trunc)
CONVERTED(ru, 2, metal::ceil)
CONVERTED(rd, 3, metal::floor)

inline int __float_as_int(float x) { return as_type<int>(x); }
inline uint __float_as_uint(float x) { return as_type<uint>(x); }
inline float __int_as_float(int x) { return as_type<float>(x); }
inline float __uint_as_float(uint x) { return as_type<float>(x); }
inline long lrintf(float x) { return __float_to_long(metal::rint(x)); }
inline long lroundf(float x) { return __float_to_long(metal::round(x)); }
inline long llrintf(float x) { return lrintf(x); }
inline long llroundf(float x) { return lroundf(x); }
inline long lrint(float x) { return lrintf(x); }
inline long lround(float x) { return lroundf(x); }
inline long llrint(float x) { return lrintf(x); }
inline long llround(float x) { return lroundf(x); }

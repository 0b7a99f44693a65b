// Numbers. What Metal does not have; functions of vectors go by components.

inline float mad(float a, float b, float c) { return fma(a, b, c); }

inline float2 mad(float2 a, float2 b, float2 c) { return fma(a, b, c); }

inline float3 mad(float3 a, float3 b, float3 c) { return fma(a, b, c); }

inline float4 mad(float4 a, float4 b, float4 c) { return fma(a, b, c); }

inline half mad(half a, half b, half c) { return fma(a, b, c); }

inline half2 mad(half2 a, half2 b, half2 c) { return fma(a, b, c); }

inline half3 mad(half3 a, half3 b, half3 c) { return fma(a, b, c); }

inline half4 mad(half4 a, half4 b, half4 c) { return fma(a, b, c); }

inline float nan(uint code) { return as_type<float>(0x7fc00000 | (code & 0x3fffff)); }

template <int N> inline vec<float, N> nan(vec<uint, N> code) {
  return as_type<vec<float, N>>(0x7fc00000 | (code & 0x3fffff));
}

template <class T> inline T degrees(T x) { return x * T(57.29577951308232f); }

template <class T> inline T radians(T x) { return x * T(0.017453292519943295f); }

inline float4 cross(float4 a, float4 b) { return float4(metal::cross(a.xyz, b.xyz), 0); }

// The lengths of vectors whose squares are no numbers come from vectors near 1.

template <int N> inline int exponent(vec<float, N> p) {
  float most = fabs(p[0]);
  for (int i = 1; i < N; i++)
    most = fmax(most, fabs(p[i]));
  return most == 0 || !metal::isfinite(most) ? 0 : metal::ilogb(most);
}

inline float length(float x) { return fabs(x); }

template <int N> inline float length(vec<float, N> p) {
  float r = metal::length(p);
  if (r > 0x1p-50f && r < 0x1p60f)
    return r;
  int e = exponent(p);
  return ldexp(metal::length(ldexp(p, vec<int, N>(-e))), e);
}

inline half length(half x) { return fabs(x); }

template <int N> inline half length(vec<half, N> p) { return half(metal::length(vec<float, N>(p))); }

inline float distance(float x, float y) { return fabs(x - y); }

inline half distance(half x, half y) { return fabs(x - y); }

template <class T, int N> inline T distance(vec<T, N> x, vec<T, N> y) { return length(x - y); }

inline float normalize(float x) { return x == 0 || x != x ? x : copysign(1.0f, x); }

inline half normalize(half x) { return x == 0 || x != x ? x : copysign(1.0h, x); }

template <int N> inline vec<float, N> normalize(vec<float, N> p) {
  float square = metal::dot(p, p);
  if (square > 0x1p-100f && square < 0x1p120f)
    return p / sqrt(square);
  bool infinite = false;
  for (int i = 0; i < N; i++)
    infinite = infinite || metal::isinf(p[i]);
  for (int i = 0; i < N && infinite; i++)
    p[i] = p[i] != p[i] ? p[i] : copysign(metal::isinf(p[i]) ? 1.0f : 0.0f, p[i]);
  p = ldexp(p, vec<int, N>(-exponent(p)));
  square = metal::dot(p, p);
  return square == 0 ? p : p / sqrt(square);
}

template <int N> inline vec<half, N> normalize(vec<half, N> p) {
  return vec<half, N>(normalize(vec<float, N>(p)));
}

inline float dot(float x, float y) { return x * y; }

inline half dot(half x, half y) { return x * y; }

template <class T> inline auto fast_length(T x) { return length(x); }

template <class T> inline auto fast_distance(T x, T y) { return distance(x, y); }

template <class T> inline T fast_normalize(T x) { return normalize(x); }

inline float acospi(float x) { return acos(x) * 0.318309886f; }

inline float asinpi(float x) { return asin(x) * 0.318309886f; }

inline float atanpi(float x) { return atan(x) * 0.318309886f; }

inline float atan2pi(float y, float x) { return atan2(y, x) * 0.318309886f; }

inline float cbrt(float x) {
  float a = fabs(x), scale = 1;
  if (a == 0 || !metal::isfinite(a))
    return x;
  if (a < 1e-30f) {
    a *= 16777216.0f;
    scale = 0.00390625f;
  }
  float y = exp2(log2(a) * 0.333333343f), square = y * y;
  float left = fma(square, y, -a) + fma(y, y, -square) * y;
  return copysign((y - left / (3 * square)) * scale, x);
}

// exp(x) - 1
inline float expm1(float x) {
  if (fabs(x) > 0.7f)
    return exp(x) - 1;
  float p = 2.78348352e-06f;
  p = fma(p, x, 2.51071051e-05f);
  p = fma(p, x, 0.000198402486f);
  p = fma(p, x, 0.00138877647f);
  p = fma(p, x, 0.0083333347f);
  p = fma(p, x, 0.0416666828f);
  p = fma(p, x, 0.166666672f);
  p = fma(p, x, 0.5f);
  return fma(x * x, p, x);
}

inline float log1p(float x) {
  float u = 1 + x;
  if (u == 1 || x == INFINITY)
    return x;
  return u <= 0 ? log(u) : log(u) + (x - (u - 1)) / u;
}

// The error function where x * x is at most 1.
inline float erf_small(float x) {
  float t = fma(x, x, -0.5f);
  float p = -1.04583158e-07f;
  p = fma(p, t, 1.05953336e-06f);
  p = fma(p, t, -9.61475871e-06f);
  p = fma(p, t, 7.82952047e-05f);
  p = fma(p, t, -0.00056118943f);
  p = fma(p, t, 0.0034802747f);
  p = fma(p, t, -0.018283885f);
  p = fma(p, t, 0.0794099867f);
  p = fma(p, t, -0.28107217f);
  p = fma(p, t, 0.965468764f);
  return x * p;
}

inline float erfc(float x) {
  float a = fabs(x);
  if (a < 0.5f)
    return 1 - erf_small(x);
  if (a > 10.5f)
    return x > 0 ? 0.0f : 2.0f;
  float square = a * a, rest = fma(a, a, -square), t = 2 / (2 + a), p;
  if (t < 0.35f) {
    t -= 0.25f;
    p = -0.0831270441f;
    p = fma(p, t, 0.0724240094f);
    p = fma(p, t, 0.0981293097f);
    p = fma(p, t, -0.0522678569f);
    p = fma(p, t, -0.148417532f);
    p = fma(p, t, -0.029868288f);
    p = fma(p, t, 0.234063894f);
    p = fma(p, t, 0.463814706f);
    p = fma(p, t, 0.544668317f);
    p = fma(p, t, 0.481931299f);
    p = fma(p, t, 0.0927765667f);
  } else {
    t -= 0.579999983f;
    p = -0.0409454405f;
    p = fma(p, t, 0.00927095488f);
    p = fma(p, t, 0.0540048964f);
    p = fma(p, t, -0.0535432883f);
    p = fma(p, t, -0.0413967147f);
    p = fma(p, t, 0.114614844f);
    p = fma(p, t, 0.0146435061f);
    p = fma(p, t, -0.233161882f);
    p = fma(p, t, -0.0327966549f);
    p = fma(p, t, 0.636235416f);
    p = fma(p, t, 1.11939406f);
    p = fma(p, t, 1.02123964f);
    p = fma(p, t, 0.330257058f);
  }
  float r = exp(-square) * (p - p * rest);
  return x > 0 ? r : x < 0 ? 2 - r : x;
}

inline float erf(float x) {
  float a = fabs(x);
  if (a <= 1)
    return erf_small(x);
  return a > 4 ? copysign(1.0f, x) : x == x ? copysign(1 - erfc(a), x) : x;
}

// The gamma function for x from 1.5 to 2.5.
inline float gamma_middle(float x) {
  float t = x - 2;
  float p = 0.000584088091f;
  p = fma(p, t, -0.00110528409f);
  p = fma(p, t, 0.0020796652f);
  p = fma(p, t, -0.00280453451f);
  p = fma(p, t, 0.0111567434f);
  p = fma(p, t, -0.000272331032f);
  p = fma(p, t, 0.0742488876f);
  p = fma(p, t, 0.0815771595f);
  p = fma(p, t, 0.41184032f);
  p = fma(p, t, 0.422784328f);
  p = fma(p, t, 1.0f);
  return p;
}

// The gamma function for x from 0 to 36, in two parts.
inline float2 gamma_positive(float x) {
  if (x < 0.5f) {
    float q = gamma_middle(x + 2), d = x * (x + 1);
    return float2(q / d, 0);
  }
  if (x < 1.5f)
    return float2(gamma_middle(x + 1) / x, 0);
  float high = 1, low = 0;
  while (x > 2.5f) {
    x -= 1;
    float product = high * x;
    low = fma(low, x, fma(high, x, -product));
    high = product;
  }
  float g = gamma_middle(x), product = high * g;
  return float2(product, fma(low, g, fma(high, g, -product)));
}

inline float tgamma(float x) {
  if (fabs(x) < 0x1p-25f)
    return 1 / x;
  if (x > 0) {
    if (x > 35.5f)
      return INFINITY;
    float2 g = gamma_positive(x);
    return metal::isinf(g.x) ? g.x : g.x + g.y;
  }
  if (x != x || x == floor(x))
    return NAN;
  float a = -x, down = 1;
  if (a > 50)
    return int(a) % 2 == 0 && a < 1e9f ? -0.0f : 0.0f;
  while (a > 30) {
    a -= 1;
    down *= a;
  }
  float2 g = gamma_positive(a);
  return -3.14159265f / (-x * sinpi(-x) * (g.x + g.y)) / down;
}

inline float lgamma_positive(float x) {
  if (x >= 8) {
    float r = 1 / x, s = r * r;
    float tail = r * fma(s, fma(s, 7.93650794e-4f, -2.77777778e-3f), 0.0833333333f);
    return x > 1e30f ? x * (log(x) - 1) : fma(x - 0.5f, log(x), -x) + (0.918938533f + tail);
  }
  float product = 1;
  while (x > 3) {
    x -= 1;
    product *= x;
  }
  float more = product > 1 ? log(product) : 0.0f;
  if (x < 0.5f) {
    more = -log(x);
    x += 1;
  }
  if (x < 1.5f) {
    float t = x - 1;
    float p = -0.0804899782f;
    p = fma(p, t, 0.0858027935f);
    p = fma(p, t, -0.0214513503f);
    p = fma(p, t, 0.0238266289f);
    p = fma(p, t, -0.0509372652f);
    p = fma(p, t, 0.0561494417f);
    p = fma(p, t, -0.0584684573f);
    p = fma(p, t, 0.0664041787f);
    p = fma(p, t, -0.0773313716f);
    p = fma(p, t, 0.0922529772f);
    p = fma(p, t, -0.115146331f);
    p = fma(p, t, 0.155434042f);
    p = fma(p, t, -0.245251372f);
    p = fma(p, t, 0.577215672f);
    return t * (x - 2) * p + more;
  }
  float t = x - 2.25f;
  float p = -6.4111864e-06f;
  p = fma(p, t, 1.55232774e-05f);
  p = fma(p, t, -2.70222554e-05f);
  p = fma(p, t, 6.6821005e-05f);
  p = fma(p, t, -0.000174047454f);
  p = fma(p, t, 0.000441467128f);
  p = fma(p, t, -0.0011409414f);
  p = fma(p, t, 0.00304101035f);
  p = fma(p, t, -0.0084640272f);
  p = fma(p, t, 0.025268361f);
  p = fma(p, t, -0.0858808458f);
  p = fma(p, t, 0.399589479f);
  return (x - 1) * (x - 2) * p + more;
}

inline float lgamma(float x) {
  if (x != x)
    return x;
  float a = fabs(x);
  if (a == INFINITY || x == 0 || x < 0 && x == floor(x))
    return INFINITY;
  return x > 0 ? lgamma_positive(x) : log(3.14159265f / (a * fabs(sinpi(a)))) - lgamma_positive(a);
}

template <class P> inline float lgamma_r(float x, P sign) {
  *sign = x < 0 && x != floor(x) && fmod(floor(x), 2.0f) != 0 ? -1 : 1;
  return lgamma(x);
}

inline float hypot(float x, float y) {
  float a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
  if (metal::isinf(x) || metal::isinf(y))
    return INFINITY;
  if (x != x || y != y || a == 0)
    return x != x ? x : y != y ? y : a;
  int e = metal::ilogb(a);
  a = ldexp(a, -e);
  b = ldexp(b, -e);
  return ldexp(sqrt(fma(a, a, b * b)), e);
}

inline int ilogb(float x) {
  return x == 0 ? -2147483647 - 1 : !metal::isfinite(x) ? 2147483647 : metal::ilogb(x);
}

inline float logb(float x) {
  return x == 0 ? -INFINITY : x != x ? x : metal::isinf(x) ? INFINITY : float(metal::ilogb(x));
}

inline float maxmag(float x, float y) { return fabs(x) > fabs(y) ? x : fabs(y) > fabs(x) ? y : fmax(x, y); }

inline float minmag(float x, float y) { return fabs(x) < fabs(y) ? x : fabs(y) < fabs(x) ? y : fmin(x, y); }

inline float nextafter(float x, float y) {
  if (x != x || y != y)
    return x + y;
  if (x == y)
    return y;
  if (x == 0)
    return copysign(as_type<float>(1), y);
  return as_type<float>(as_type<int>(x) + ((x < y) == (x > 0) ? 1 : -1));
}

// x^n. A number above 2^24 has more digits than a float.
inline float pown(float x, int n) {
  float a = fabs(x), r;
  if (n == 0)
    return 1;
  if (n > -16777216 && n < 16777216)
    r = pow(a, float(n));
  else
    r = pow(a, float(n / 256 * 256)) * (a == 0 || metal::isinf(a) ? 1.0f : pow(a, float(n % 256)));
  return (n & 1) != 0 && signbit(x) != 0 ? -r : r;
}

inline float rootn(float x, int n) {
  if (n == 0 || x < 0 && (n & 1) == 0)
    return NAN;
  float a = fabs(x), d = float(n), r = 1 / d, y = pow(a, r);
  if (a != 0 && metal::isfinite(y) && y != 0) {
    float rest = (fma(-r, d, 1.0f) - r * float(n - int(d))) / d;
    y = fma(y, rest * log(a), y);
  }
  return (n & 1) != 0 && signbit(x) != 0 ? -y : y;
}

// The remainder of a / b, both positive, and the last bits of the quotient.
inline float long_division(float a, float b, thread uint *quotient) {
  uint q = 0;
  while (a >= b) {
    int e = metal::ilogb(a) - metal::ilogb(b);
    float t = ldexp(b, e);
    if (t > a)
      t = ldexp(b, --e);
    a -= t;
    q += e < 31 ? 1u << e : 0u;
  }
  *quotient = q;
  return a;
}

inline float fmod(float x, float y) {
  if (x != x || y != y || y == 0 || metal::isinf(x))
    return NAN;
  uint q;
  return metal::isinf(y) ? x : copysign(long_division(fabs(x), fabs(y), &q), x);
}

template <class P> inline float remquo(float x, float y, P quotient) {
  *quotient = 0;
  if (x != x || y != y || y == 0 || metal::isinf(x))
    return NAN;
  if (metal::isinf(y))
    return x;
  uint q;
  float b = fabs(y), a = long_division(fabs(x), b, &q), rest = b - a;
  if (a > rest || a == rest && (q & 1) != 0) {
    a = -rest;
    q++;
  }
  int low = int(q & 127);
  *quotient = (signbit(x) != 0) == (signbit(y) != 0) ? low : -low;
  return signbit(x) != 0 ? -a : a;
}

inline float remainder(float x, float y) {
  int q;
  return remquo(x, y, &q);
}

template <class P> inline float fract(float x, P whole) {
  float f = floor(x);
  *whole = f;
  return x != x ? x : metal::isinf(x) ? copysign(0.0f, x) : fmin(x - f, 0x1.fffffep-1f);
}

template <class P> inline float frexp(float x, P exponent) {
  int e = 0;
  float m = metal::frexp(x, e);
  *exponent = m == 0 || !metal::isfinite(x) ? 0 : e;
  return m;
}

template <class P> inline float modf(float x, P whole) {
  float f = trunc(x);
  *whole = f;
  return metal::isinf(x) ? copysign(0.0f, x) : copysign(x - f, x);
}

template <class P> inline float sincos(float x, P c) {
  *c = cos(x);
  return sin(x);
}

inline float native_recip(float x) { return 1 / x; }

inline float native_divide(float x, float y) { return x / y; }

inline float half_recip(float x) { return 1 / x; }

inline float half_divide(float x, float y) { return x / y; }

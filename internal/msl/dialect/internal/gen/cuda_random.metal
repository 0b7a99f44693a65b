// Random numbers: the generators XORWOW and Philox of the device, in the sequences of their
// definitions.

struct curandStateXORWOW {
  uint d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  long boxmuller_extra_double;
};
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandStateXORWOW_t;

struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  uint STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  long boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

inline uint __next(thread curandStateXORWOW &s) {
  uint t = s.v[0] ^ s.v[0] >> 2;
  for (int i = 0; i < 4; i++)
    s.v[i] = s.v[i + 1];
  s.v[4] = s.v[4] ^ s.v[4] << 4 ^ (t ^ t << 1);
  s.d += 362437;
  return s.v[4] + s.d;
}

// Polynomials over the two numbers 0 and 1, modulo that of XORWOW, whose degree is 160.
struct __polynomial {
  uint w[5];
};

inline __polynomial __polynomial_product(__polynomial a, __polynomial b) {
  __polynomial p = {{0x00060001u, 0x08610030u, 0x00062121u, 0x0f3c0035u, 0x00000f0eu}}, r = {{0, 0, 0, 0, 0}};
  for (int i = 159; i >= 0; i--) {
    uint over = r.w[4] >> 31, take = a.w[i / 32] >> i % 32 & 1;
    for (int k = 4; k >= 0; k--)
      r.w[k] = (r.w[k] << 1 | (k > 0 ? r.w[k - 1] >> 31 : 0u)) ^ (over ? p.w[k] : 0u) ^ (take ? b.w[k] : 0u);
  }
  return r;
}

// Advances by n times as many numbers as the power of x that a polynomial is.
inline void __skip(thread curandStateXORWOW &s, ulong n, __polynomial square) {
  if (n == 0)
    return;
  __polynomial power = {{1, 0, 0, 0, 0}};
  for (; n != 0; n >>= 1) {
    if (n & 1)
      power = __polynomial_product(power, square);
    if (n > 1)
      square = __polynomial_product(square, square);
  }
  uint sum[5] = {0, 0, 0, 0, 0};
  for (int i = 0; i < 160; i++) {
    if (power.w[i / 32] >> i % 32 & 1)
      for (int k = 0; k < 5; k++)
        sum[k] ^= s.v[k];
    __next(s);
  }
  for (int k = 0; k < 5; k++)
    s.v[k] = sum[k];
}

inline void __skip_numbers(thread curandStateXORWOW &s, ulong n) {
  uint d = s.d + 362437 * uint(n);
  __skip(s, n, {{2, 0, 0, 0, 0}});
  s.d = d;
}

inline void __skip_sequences(thread curandStateXORWOW &s, ulong n) {
  uint d = s.d; // 2^67 times anything
  __skip(s, n, {{0x26294934u, 0x77bbc248u, 0x1a87dad0u, 0x930052d4u, 0x947e6dd2u}});
  s.d = d;
}

inline void __seed(thread curandStateXORWOW &s, ulong seed, ulong sequence, ulong offset) {
  uint a = 1099087573u * (uint(seed) ^ 0xaad26b49u), b = 2591861531u * (uint(seed >> 32) ^ 0xf7dcefddu);
  s.d = 6615241 + a + b;
  s.v[0] = 123456789 + a;
  s.v[1] = 362436069 ^ a;
  s.v[2] = 521288629 + b;
  s.v[3] = 88675123 ^ b;
  s.v[4] = 5783321 + a;
  __skip_sequences(s, sequence);
  __skip_numbers(s, offset);
  s.boxmuller_flag = 0;
  s.boxmuller_flag_double = 0;
  s.boxmuller_extra = 0;
  s.boxmuller_extra_double = 0;
}

inline void __draw(thread curandStatePhilox4_32_10 &s) {
  uint4 c = s.ctr;
  uint2 k = s.key;
  for (int i = 0; i < 10; i++) {
    uint high0 = metal::mulhi(0xd2511f53u, c.x), low0 = 0xd2511f53u * c.x;
    uint high1 = metal::mulhi(0xcd9e8d57u, c.z), low1 = 0xcd9e8d57u * c.z;
    c = {high1 ^ c.y ^ k.x, low1, high0 ^ c.w ^ k.y, low0};
    k.x += 0x9e3779b9u;
    k.y += 0xbb67ae85u;
  }
  s.output = c;
}

inline void __advance(thread curandStatePhilox4_32_10 &s, ulong n) {
  ulong low = ulong(s.ctr.y) << 32 | s.ctr.x, sum = low + n;
  s.ctr.x = uint(sum);
  s.ctr.y = uint(sum >> 32);
  if (sum < low) {
    s.ctr.z++;
    if (s.ctr.z == 0)
      s.ctr.w++;
  }
}

inline void __skip_numbers(thread curandStatePhilox4_32_10 &s, ulong n) {
  s.STATE += uint(n & 3);
  n /= 4;
  if (s.STATE > 3) {
    n++;
    s.STATE -= 4;
  }
  __advance(s, n);
  __draw(s);
}

inline void __skip_sequences(thread curandStatePhilox4_32_10 &s, ulong n) {
  ulong high = (ulong(s.ctr.w) << 32 | s.ctr.z) + n;
  s.ctr.z = uint(high);
  s.ctr.w = uint(high >> 32);
  __draw(s);
}

inline void __seed(thread curandStatePhilox4_32_10 &s, ulong seed, ulong sequence, ulong offset) {
  s.ctr = {0, 0, 0, 0};
  s.key = {uint(seed), uint(seed >> 32)};
  s.STATE = 0;
  s.boxmuller_flag = 0;
  s.boxmuller_flag_double = 0;
  s.boxmuller_extra = 0;
  s.boxmuller_extra_double = 0;
  __skip_sequences(s, sequence);
  __skip_numbers(s, offset);
}

inline uint __next(thread curandStatePhilox4_32_10 &s) {
  uint r = s.STATE == 0 ? s.output.x : s.STATE == 1 ? s.output.y : s.STATE == 2 ? s.output.z : s.output.w;
  s.STATE++;
  if (s.STATE == 4) {
    __advance(s, 1);
    __draw(s);
    s.STATE = 0;
  }
  return r;
}

inline uint4 __next4(thread curandStatePhilox4_32_10 &s) {
  uint4 a = s.output;
  __advance(s, 1);
  __draw(s);
  uint4 b = s.output;
  switch (s.STATE) {
  case 1: return {a.y, a.z, a.w, b.x};
  case 2: return {a.z, a.w, b.x, b.y};
  case 3: return {a.w, b.x, b.y, b.z};
  }
  return a;
}

inline float __uniform(uint x) { return metal::fma(float(x), 2.3283064e-10f, 2.3283064e-10f / 2.0f); }

inline float2 __box_muller(uint x, uint y) {
  float v = metal::fma(float(y), 2.3283064e-10f * 6.2831855f, 2.3283064e-10f * 6.2831855f / 2.0f);
  float s = precise::sqrt(-2.0f * precise::log(__uniform(x)));
  return {precise::sin(v) * s, precise::cos(v) * s};
}

template <class S> inline float __normal(thread S &s) {
  if (s.boxmuller_flag != 0) {
    s.boxmuller_flag = 0;
    return s.boxmuller_extra;
  }
  uint x = __next(s), y = __next(s);
  float2 r = __box_muller(x, y);
  s.boxmuller_extra = r.y;
  s.boxmuller_flag = 0x0f;
  return r.x;
}

template <class S> inline float2 __normal2(thread S &s) {
  uint x = __next(s), y = __next(s);
  return __box_muller(x, y);
}

inline float __uniform_double(thread curandStateXORWOW &s) {
  uint x = __next(s), y = __next(s);
  ulong z = ulong(x) ^ ulong(y) << 21;
  return __to_float({false, 2 * z + 1, -54, false}, 0);
}

// The functions of the language, for a state in any memory.

#define DRAWS(A, S) \
  inline void curand_init(ulong seed, ulong sequence, ulong offset, A S *state) { \
    S s; \
    __seed(s, seed, sequence, offset); \
    *state = s; \
  } \
  inline void skipahead(ulong n, A S *state) { \
    S s = *state; \
    __skip_numbers(s, n); \
    *state = s; \
  } \
  inline void skipahead_sequence(ulong n, A S *state) { \
    S s = *state; \
    __skip_sequences(s, n); \
    *state = s; \
  } \
  inline uint curand(A S *state) { \
    S s = *state; \
    uint r = __next(s); \
    *state = s; \
    return r; \
  } \
  inline float curand_uniform(A S *state) { return __uniform(curand(state)); } \
  inline float curand_normal(A S *state) { \
    S s = *state; \
    float r = __normal(s); \
    *state = s; \
    return r; \
  } \
  inline float2 curand_normal2(A S *state) { \
    S s = *state; \
    float2 r = __normal2(s); \
    *state = s; \
    return r; \
  } \
  inline float curand_log_normal(A S *state, float mean, float deviation) { \
    return precise::exp(metal::fma(deviation, curand_normal(state), mean)); \
  }
#define DRAWS4(A) \
  DRAWS(A, curandStateXORWOW) \
  DRAWS(A, curandStatePhilox4_32_10) \
  inline float __curand_uniform_double(A curandStateXORWOW *state) { \
    curandStateXORWOW s = *state; \
    float r = __uniform_double(s); \
    *state = s; \
    return r; \
  } \
  inline uint4 curand4(A curandStatePhilox4_32_10 *state) { \
    curandStatePhilox4_32_10 s = *state; \
    uint4 r = __next4(s); \
    *state = s; \
    return r; \
  } \
  inline float4 curand_uniform4(A curandStatePhilox4_32_10 *state) { \
    uint4 x = curand4(state); \
    return {__uniform(x.x), __uniform(x.y), __uniform(x.z), __uniform(x.w)}; \
  } \
  inline float4 curand_normal4(A curandStatePhilox4_32_10 *state) { \
    uint4 x = curand4(state); \
    float2 a = __box_muller(x.x, x.y), b = __box_muller(x.z, x.w); \
    return {a.x, a.y, b.x, b.y}; \
  }
DRAWS4(thread)
DRAWS4(device)
DRAWS4(threadgroup)

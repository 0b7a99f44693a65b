// Matrices: columns, products with vectors and matrices in all shapes, sums, scalars, conversions.
// run shapes grid=8
// in 0: float 512 tame
// out 1: float 2048
// run halves grid=8
// in 0: half 256 tame
// out 1: half 512
#include <metal_stdlib>
using namespace metal;

template <typename T, int C, int R>
static void put(device T *thread &o, matrix<T, C, R> m) {
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++) *o++ = m[c][r];
}
template <typename T, int N>
static void put(device T *thread &o, vec<T, N> v) {
  for (int c = 0; c < N; c++) *o++ = v[c];
}
template <typename T, int C, int R>
static matrix<T, C, R> take(device const T *thread &in) {
  matrix<T, C, R> m;
  for (int c = 0; c < C; c++)
    for (int r = 0; r < R; r++) m[c][r] = *in++;
  return m;
}
template <typename T, int C, int R>
static void shape(device const T *in, device T *thread &o) {
  matrix<T, C, R> a = take<T, C, R>(in), b = take<T, C, R>(in);
  put(o, a + b);
  put(o, a - b);
  put(o, a * T(2));
  put(o, T(0.5) * b);
  vec<T, C> v = vec<T, C>(0);
  for (int c = 0; c < C; c++) v[c] = in[c];
  put(o, a * v);
  put(o, b[0] * a);
  put(o, transpose(a));
  put(o, a * transpose(b));
  put(o, transpose(a) * b);
  a[C - 1] = b[0];
  a[0][R - 1] += T(1);
  a += b;
  put(o, a);
}

kernel void shapes(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  device float *o = out + 256 * i;
  in += 16 * i;
  switch (i) {
  case 0: shape<float, 2, 2>(in, o); break;
  case 1: shape<float, 2, 3>(in, o); break;
  case 2: shape<float, 2, 4>(in, o); break;
  case 3: shape<float, 3, 2>(in, o); break;
  case 4: shape<float, 3, 3>(in, o); break;
  case 5: shape<float, 3, 4>(in, o); break;
  case 6: shape<float, 4, 2>(in, o); break;
  default: shape<float, 4, 3>(in, o); shape<float, 4, 4>(in + 1, o);
  }
}

kernel void halves(device const half *in [[buffer(0)]], device half *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  device half *o = out + 64 * i;
  half2x2 m = half2x2(half2(in[i], in[i + 1]), half2(in[i + 2], in[i + 3]));
  float2x2 f = float2x2(m);
  half3x3 d = half3x3(in[i]);
  put(o, m * m);
  put(o, half2x2(f * f));
  put(o, d * half3(1, 2, 3));
  put(o, half3(1, 2, 3) * d);
  put(o, half4x4(0.5h) * half4(in[i], in[i + 1], in[i + 2], in[i + 3]));
  half2x2 z = m;
  z *= 2.0h;
  put(o, z);
  put(o, half3x2(half2(1, 2), half2(3, 4), half2(5, 6)) * half3(in[i], 1, 2));
}

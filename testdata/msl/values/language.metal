// Templates, classes, operators, lambdas, constants from the host, computed at compile time and when the program runs.
// run generic grid=32
// in 0: float 64 tame
// in 1: int 64
// out 2: float 512
// out 3: int 256
// run classes grid=32
// in 0: float 64 tame
// out 1: float 256
// run tuned grid=32 const0=05000000 const1=01 const2=00002040 const4=0700
// in 0: float 32 tame
// out 1: float 128
#include <metal_stdlib>
using namespace metal;

namespace detail {
template <int N> struct Power {
  template <typename T> static T of(T x) { return x * Power<N - 1>::of(x); }
};
template <> struct Power<0> {
  template <typename T> static T of(T) { return T(1); }
};
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
template <typename T> struct Traits { static constexpr constant int kind = 0; };
template <> struct Traits<float> { static constexpr constant int kind = 1; };
template <> struct Traits<int> { static constexpr constant int kind = 2; };
template <typename T> struct Traits<T *> { static constexpr constant int kind = 3 + Traits<T>::kind; };
} // namespace detail

template <typename T, typename... Rest> static T sum(T first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return first;
  } else {
    return first + sum(rest...);
  }
}
template <typename F> static float apply(F f, float x) { return f(f(x)); }
template <typename T, enable_if_t<is_floating_point_v<T>, bool> = true> static T halve(T x) { return x / T(2); }
template <typename T, enable_if_t<is_integral_v<T>, bool> = true> static T halve(T x) { return x >> 1; }
struct Square {
  template <typename T> T operator()(T x) const { return x * x; }
};
struct Offset {
  float by;
  float operator()(float x) const { return x + by; }
};
template <typename Op, int Times> static float repeat(float x) {
  Op op;
  for (int k = 0; k < Times; k++) x = op(x * 0.5f);
  return x;
}

kernel void generic(device const float *f [[buffer(0)]], device const int *n [[buffer(1)]], device float *r [[buffer(2)]], device int *s [[buffer(3)]],
                    uint i [[thread_position_in_grid]]) {
  float x = f[i], y = f[i + 32];
  device float *o = r + 16 * i;
  o[0] = detail::Power<5>::of(x);
  o[1] = sum(x, y, 1.0f, x);
  auto twice = [](float v) { return v * 2.0f; };
  o[2] = apply(twice, x);
  auto shifted = [=](float v) { return v + y; };
  o[3] = apply(shifted, x);
  float seen = 0;
  auto note = [&](float v) {
    seen += v;
    return v - 1.0f;
  };
  o[4] = apply(note, x);
  o[5] = seen;
  o[6] = halve(x);
  o[7] = repeat<Square, 3>(x);
  Offset by{y};
  o[8] = apply(by, x);
  o[9] = float(halve(n[i]));
  o[10] = max(half(x), half(y));
  o[11] = float(vec<half, 3>(x, y, 1).y);
  constexpr float third = 1.0f / 3.0f;
  o[12] = third * x;
  o[13] = (1.0f / 3.0f) * x;
  float three = float(n[0] - n[0] + 3);
  o[14] = 1.0f / three * x;
  o[15] = decltype(x)(7) / 2;
  device int *q = s + 8 * i;
  constexpr int late = detail::fib(15);
  q[0] = late;
  q[1] = late % 100 + int(i);
  q[2] = detail::Traits<float>::kind + 10 * detail::Traits<int>::kind + 100 * detail::Traits<half>::kind;
  q[3] = sum(n[i], 2, 3);
  constexpr int big = 0x7fffffff;
  int one = n[i] == 0x12345 ? 2 : 1;
  q[4] = int(uint(big) + 1u) ^ int(uint(big) + uint(one));
  using Int = conditional_t<sizeof(float) == 4, int, short>;
  q[5] = Int(70000) + int(short(70000));
  q[6] = ~0 ^ n[i];
  q[7] = -7 / 2 * 100 + -7 % 3;
}

struct Complex {
  float re, im;
  Complex() : re(0), im(0) {}
  Complex(float r, float i = 0) : re(r), im(i) {}
  Complex operator+(Complex b) const { return Complex(re + b.re, im + b.im); }
  Complex operator*(thread const Complex &b) const { return {re * b.re - im * b.im, re * b.im + im * b.re}; }
  thread Complex &operator+=(Complex b) {
    re += b.re;
    im += b.im;
    return *this;
  }
  float norm() const { return re * re + im * im; }
  operator float() const { return re; }
};
static Complex operator-(Complex a) { return Complex(-a.re, -a.im); }
template <typename T, int N> struct Stack {
  T items[N];
  int top = 0;
  void push(T x) {
    if (top < N) items[top++] = x;
  }
  T pop() { return top > 0 ? items[--top] : T(-1); }
  static constexpr int capacity() { return N; }
};
struct Shape {
  float scale = 2.0f;
  float area(float w) const { return w * scale; }
};
struct Box : Shape {
  float depth;
  float volume(float w) const { return area(w) * depth; }
};

kernel void classes(device const float *f [[buffer(0)]], device float *r [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  device float *o = r + 8 * i;
  Complex z, c(f[i], f[i + 32]);
  for (int k = 0; k < 3; k++) {
    z = z * z + c;
    if (z.norm() > 1e6f) break;
  }
  o[0] = z.re;
  o[1] = z.im;
  (z += c) += Complex(1);
  o[2] = float(-z);
  Stack<float, 3> s;
  for (int k = 0; k < 5; k++) s.push(f[(i + k) & 63]);
  o[3] = s.pop() * 10 + s.pop();
  s.pop();
  o[4] = s.pop() + s.capacity();
  Box b;
  b.depth = 3;
  b.scale += f[i];
  o[5] = b.volume(2);
  const Complex parts[2] = {Complex(1, 2), {f[i]}};
  o[6] = (parts[0] + parts[1]).im;
  o[7] = Complex(3) + Complex(4, 5);
}

constant int steps [[function_constant(0)]];
constant bool squared [[function_constant(1)]];
constant float factor [[function_constant(2)]];
constant short extra [[function_constant(4)]];

kernel void tuned(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float x = in[i];
  for (int k = 0; k < steps; k++) x += factor;
  if (squared) x *= x;
  out[4 * i] = x;
  out[4 * i + 1] = steps * 2 + (squared ? 1 : 0);
  out[4 * i + 2] = factor / 2;
  out[4 * i + 3] = extra;
}

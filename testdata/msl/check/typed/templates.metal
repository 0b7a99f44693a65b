#include <metal_stdlib>
using namespace metal;

constant bool wide [[function_constant(3)]];
constant bool is_wide = is_function_constant_defined(wide) ? wide : false;

constexpr int power(int base, int n) { return n == 0 ? 1 : base * power(base, n - 1); }
static_assert(power(3, 4) == 81, "power");

template <typename T, int N>
struct Tile {
  T data[N];
  static constexpr constant int count = N * power(2, 3);
  thread T& at(int i) thread { return data[i]; }
};

template <typename T>
struct Tile<T, 1> {
  T only;
  static constexpr constant int count = 1;
  thread T& at(int) thread { return only; }
};

template <typename... T>
auto total(T... values) { return (values + ...); }

template <typename T, enable_if_t<is_integral_v<T>, int> = 0>
T half_of(T x) { return x >> 1; }
template <typename T, enable_if_t<is_floating_point_v<T>, int> = 0>
T half_of(T x) { return x * T(0.5); }

float square(float x) { return x * x; }

template <float (*F)(float), typename T>
[[host_name("unused")]] kernel void apply(device T* out [[buffer(0)]],
                                          device const T* extra [[buffer(1), function_constant(is_wide)]],
                                          threadgroup float* scratch [[threadgroup(0)]],
                                          uint i [[thread_position_in_grid]]) {
  Tile<T, 2> tile;
  tile.at(1) = out[i];
  auto twice = [&](T x) { return tile.at(1) + x; };
  if constexpr (is_same_v<T, float>) {
    out[i] = F(twice(half_of(out[i])));
  } else {
    out[i] = half_of(total(1, 2, Tile<T, 1>::count, Tile<T, 3>::count));
  }
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  if (is_wide) {
    out[i] += extra[i];
  }
}

template [[host_name("apply_float")]] kernel void apply<square, float>(device float*, device const float*, threadgroup float*, uint);
typedef decltype(apply<square, int>) apply_t;
template [[host_name("apply_int")]] kernel apply_t apply<square, int>;

#include <metal_stdlib>
using namespace metal;

struct Base {
  int scale;
  int twice() const thread { return 2 * scale; }
};

struct Pair : Base {
  float a{1.5f};
  float b;
  Pair(float x) thread : b(x) { scale = 3; }
  Pair operator+(Pair other) const thread { return Pair(b + other.b); }
  operator float() const thread { return a + b; }
  static constexpr constant int size = 2;
};

union Bits {
  float f;
  uint u;
};

enum class Mode : uchar { off, on = 4 };

float read(device const float& x) { return x; }
float read(thread const float& x) { return -x; }

kernel void structs(device float* out [[buffer(0)]], constant Mode& mode, uint i [[thread_position_in_grid]]) {
  Pair p(2.0f);
  Pair q = p + Pair(4.0f);
  float local = q;
  out[i] = read(out[0]) + read(local) + p.twice() + Pair::size;
  if (mode == Mode::on) {
    Bits bits;
    bits.f = out[i];
    out[i + 1] = as_type<float>(bits.u ^ 0x80000000u);
  }
  float4 v = float4(1, float2(2), 3);
  v.xz = v.wy;
  v.rgb *= 2;
  out[i + 2] = v.x;
}

// Components of vectors: read, written, repeated, in any order.
// run swizzles grid=64
// in 0: float 256 tame
// in 1: int 256
// out 2: float 1536
// out 3: int 1024
// run more grid=32
// in 0: half 128 tame
// out 1: half 512
#include <metal_stdlib>
using namespace metal;

static float4 turned(float4 v) { return v.wzyx; }

kernel void swizzles(device const float4 *a [[buffer(0)]], device const int4 *b [[buffer(1)]], device float4 *r [[buffer(2)]], device int4 *s [[buffer(3)]],
                     uint i [[thread_position_in_grid]]) {
  float4 v = a[i];
  device float4 *o = r + 6 * i;
  o[0] = v.yxwz;
  o[1] = float4(v.xxy, v.w);
  float4 w = v;
  w.xz = v.yw;
  w.a += 1.0f;
  o[2] = w;
  w.yx *= w.zw;
  w.rgb = w.bgr - w.xxx;
  o[3] = w;
  o[4] = turned(v).yyzz;
  o[5] = v;
  o[5].zw = float2(-1, -2);
  o[5].x += 0.5f;
  o[5][1] *= 2.0f;
  int4 n = b[i];
  device int4 *q = s + 4 * i;
  q[0] = n.zxyw;
  q[1] = int4(n.xy, n.w, 7);
  int4 m = n;
  m.yzw = n.xyz;
  m[i & 3] = 99;
  m.x ^= m.w;
  q[2] = m;
  int k = m.y;
  m.xy = m.yx;
  q[3] = int4(k, m.x, m.y, m[(i + 1) & 3]);
}

kernel void more(device const packed_half4 *a [[buffer(0)]], device half4 *r [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  half4 v = half4(a[i]);
  half2 lo = v.lo, hi = v.hi;
  half3 t = half3(lo, hi.x);
  t.zx = t.xz;
  r[4 * i] = half4(t, 1);
  half4 u = half4(v.xy * 2.0h, v.zw);
  u.z = u.x + u.y;
  r[4 * i + 1] = u;
  half2 e = v.yw, f = v.xz;
  r[4 * i + 2] = half4(e, f);
  v.lo = v.hi;
  r[4 * i + 3] = v;
}

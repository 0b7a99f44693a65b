// launch hiding
// buffer 0: zero 12
// want 0: f32 42 42 5
// What a namespace declares hides what it uses of Metal's library, as in C++.
#include <metal_stdlib>

namespace own {
using namespace metal;
template <int N> float length(vec<float, N> p) { return 42; }
float outer(float2 p) { return length(p); }
template <class T, int N> T inner(vec<T, N> p) { return length(p); }
}

using namespace metal;

kernel void hiding(device float *out [[buffer(0)]]) {
  float2 p(3, 4);
  out[0] = own::outer(p);
  out[1] = own::inner(p);
  out[2] = length(p);
}

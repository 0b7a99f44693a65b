#include <metal_stdlib>
using namespace metal;

// Polar coordinates to Cartesian ones: the sine and the cosine are of the same number.
kernel void polar(device float2 *out [[buffer(0)]], device const float2 *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
  float r = in[i].x, phi = in[i].y;
  out[i] = r * float2(cos(phi), sin(phi));
}

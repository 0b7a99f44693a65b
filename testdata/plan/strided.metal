#include <metal_stdlib>
using namespace metal;

// A column of a matrix whose elements are an argument's number of elements apart.
kernel void strided(device float *out [[buffer(0)]], device const float *in [[buffer(1)]],
                    constant uint &stride [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  out[i] = in[i * stride] * 2;
}

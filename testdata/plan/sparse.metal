#include <metal_stdlib>
using namespace metal;

// The product of a sparse matrix and a vector: the elements of a row are from rows[i] on.
kernel void sparse(device float *out [[buffer(0)]], device const float *values [[buffer(1)]],
                   device const uint *columns [[buffer(2)]], device const uint *rows [[buffer(3)]],
                   device const float *x [[buffer(4)]], uint i [[thread_position_in_grid]]) {
  float sum = 0;
  for (uint k = rows[i]; k < rows[i + 1]; k++) sum += values[k] * x[columns[k]];
  out[i] = sum;
}

// A matrix is its columns, each a value of its own; one whose column is not known until it runs goes to memory.
#include <metal_stdlib>
using namespace metal;

kernel void matrices(device float2x2 *m [[buffer(0)]], device float2 *v [[buffer(1)]], constant int &n [[buffer(2)]]) {
    float2x2 a = m[0] * 2.0f;
    a[1].x = 3;
    v[0] = a * v[1];
    m[1] = transpose(a);
    v[2] = a[n];
}

// Pointers are values, even ones that a loop moves; the address of a local variable puts that variable into memory. A
// reference to device memory is a pointer, one to a local of the caller is the variable itself.
#include <metal_stdlib>
using namespace metal;

static void twice(thread float &x) { x *= 2; }

kernel void pointers(device float *p [[buffer(0)]], constant float &scale [[buffer(1)]]) {
    device float *end = p + 4;
    float sum = 0;
    for (device float *at = p; at != end; ++at) sum += *at;
    twice(sum);
    device float &first = p[0];
    first = sum * scale;
    p[1] = float(end - p);
    p[2] = *(device const float *)(p + 1);
}

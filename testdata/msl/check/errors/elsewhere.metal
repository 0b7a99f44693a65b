//--- in namespace metal, without using it
kernel void k(device float *p, texture2d/* ERROR E1101 "unknown type name 'texture2d'; it is in namespace metal: add 'using namespace metal;' or write 'metal::texture2d'" */<float> t) {}
//--- functions and enumerations in namespace metal
#include <metal_stdlib>
kernel void k(device float *p) {
    p[0] = min/* ERROR E1100 "it is in namespace metal: add 'using namespace metal;' or write 'metal::min'" */(p[0], 2.0f);
    p[1] = rsqrt/* ERROR E1100 "write 'metal::rsqrt'" */(p[0]);
    p[2] = rsqt/* ERROR E1100 "did you mean 'rsqrt'?" */(p[0]);
    threadgroup_barrier/* ERROR E1100 "write 'metal::threadgroup_barrier'" */(mem_flags/* ERROR E1100 "write 'metal::mem_flags'" */::mem_none);
}
//--- words of CUDA and OpenCL
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *p) {
    p[0] = mad/* ERROR E1100 "undeclared identifier 'mad'; Metal has 'fma'" */(p[0], 1.0f, 2.0f);
    p[1] = metal::mad/* ERROR E1183 "no name named 'mad' in 'metal'; Metal has 'fma'" */(p[0], 1.0f, 2.0f);
    __syncthreads/* ERROR E1100 "; Metal has 'threadgroup_barrier(mem_flags::mem_threadgroup)'" */();
}
//--- a qualifier of CUDA
__global__/* ERROR E0305 "'__global__' begins no declaration; Metal has 'kernel'" */ void k() {}
//--- a value as an argument
kernel void k(uint/* ERROR E1110 "argument 'n' of a kernel needs an attribute" */ n, device uint *p) { p[0] = n; }

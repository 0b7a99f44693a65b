// launch tinystyle
// buffer 0: zero 8
// want 0: i32 10 12
#include <metal_stdlib>
using namespace metal;

namespace in_tinystyle {
[[host_name("tinystyle")]] kernel void tinystyle(device int* data0, uint3 gid [[threadgroup_position_in_grid]], uint3 lid [[thread_position_in_threadgroup]]) {
    threadgroup __attribute__((aligned(16))) float temp0[4];
    int gidx0 = gid.x;
    int lidx0 = lid.x;
    float acc0[1];
    *(acc0+0) = 0.0f;
    for (int ridx0 = 0; ridx0 < 4; ridx0++) {
        *(temp0+ridx0) = (float)(ridx0+1);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int ridx1 = 0; ridx1 < 4; ridx1++) {
        *(acc0+0) = ((*(acc0+0))+(*(temp0+ridx1)));
    }
    float4 val0 = *((threadgroup float4*)((temp0+0)));
    bool alu0 = ((gidx0<1)&(lidx0!=9));
    *(data0+0) = (alu0?(int)((*(acc0+0))):0);
    *(data0+1) = (int)(val0.x+val0.y+val0.z+val0.w)+as_type<int>((uint)(2u));
    }
}

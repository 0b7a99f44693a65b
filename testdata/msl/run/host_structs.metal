// launch factors grid=2 group=2
// buffer 0: zero 16
// buffer 1: zero 24
// want 0: f16 1 2 3 4 2 3 4 5
// want 1: f16 1 2 3 4 5 6 2 3 4 5 6 7
// launch arguments
// buffer 0: i32 10*-1
// buffer 1: i32 10*-1
// buffer 2: i32 10*-1
// want 0: i32 3 1 0 4 -1 -1 -1 -1 -1 -1
// want 1: i32 6 2 1 -5 7 6 1 0 5 -1
// want 2: i32 8 9 1 2 3 4 5 6 7 -1
// launch own
// buffer 0: zero 8
// want 0: i32 4 7
// launch atomics grid=8 group=8
// buffer 0: zero 8
// want 0: i32 28 1
#include <metal_stdlib>
using namespace metal;

// The structures of indirect commands and of tessellation, which Metal's headers declare.
kernel void factors(device MTLTriangleTessellationFactorsHalf *t [[buffer(0)]], device MTLQuadTessellationFactorsHalf *q [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
    for (int k = 0; k < 3; k++) t[i].edgeTessellationFactor[k] = i + k + 1;
    t[i].insideTessellationFactor = i + 4;
    MTLQuadTessellationFactorsHalf f = {{half(i + 1), half(i + 2), half(i + 3), half(i + 4)}, {half(i + 5), half(i + 6)}};
    q[i] = f;
}

kernel void arguments(device MTLDrawPrimitivesIndirectArguments &draw [[buffer(0)]], device uint *more [[buffer(1)]],
                      device MTLDispatchThreadgroupsIndirectArguments *groups [[buffer(2)]]) {
    draw.vertexCount = 3;
    draw.instanceCount = 1;
    draw.vertexStart = 0;
    draw.baseInstance = 4;
    auto indexed = (device MTLDrawIndexedPrimitivesIndirectArguments *)more;
    *indexed = MTLDrawIndexedPrimitivesIndirectArguments{6, 2, 1, -5, 7};
    auto patch = reinterpret_cast<device MTLDrawPatchIndirectArguments *>(more + 5);
    *patch = {6, 1, 0, 5};
    groups->threadgroupsPerGrid[0] = 8;
    groups->threadgroupsPerGrid[1] = 9;
    groups->threadgroupsPerGrid[2] = 1;
    auto region = reinterpret_cast<device metal::MTLStageInRegionIndirectArguments *>(groups + 1);
    for (uint k = 0; k < 3; k++) {
        region->stageInOrigin[k] = k + 2;
        region->stageInSize[k] = k + 5;
    }
}

// A program may declare one by itself.
namespace mine {
struct MTLDrawPatchIndirectArguments {
    int patches;
};
[[host_name("own")]] kernel void own(device int *o) {
    MTLDrawPatchIndirectArguments p = {7};
    o[0] = sizeof(MTLDrawPatchIndirectArguments);
    o[1] = p.patches;
}
}

// _atomic is what Apple's headers call atomic.
kernel void atomics(device _atomic<int> *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(a, i, memory_order_relaxed);
    if (i == 0) atomic_store_explicit(a + 1, is_same_v<_atomic<uint>, atomic_uint>, memory_order_relaxed);
}

// launch cast
// texture 0: R32Uint 1 1: i32 5
// buffer 0: zero 16
// wanttexture 0: i32 -9
// want 0: i32 5 -1 1 0
#include <metal_stdlib>
using namespace metal;

// One texture seen as another type: what generated programs do for signed atomics on unsigned texels.
template <typename T, typename U>
T view(U texture) { return reinterpret_cast<thread const T &>(texture); }

// For integers alone, vectors of them included.
template <typename T, typename = typename enable_if<is_integral<T>::value>::type>
T direction(T x) { return select(select(x, T(1), x > T(0)), T(-1), x < T(0)); }

kernel void cast(texture2d<uint, access::read_write> t [[texture(0)]], device int *out [[buffer(0)]]) {
    out[0] = view<texture2d<int, access::read_write>>(t).atomic_fetch_min(uint2(0), -9).x;
    int3 d = direction(int3(-7, 3, 0));
    out[1] = d.x;
    out[2] = d.y;
    out[3] = d.z;
}

#include <metal_stdlib>
using namespace metal;

// Arguments of all filters. A thread computes the texel id of the clip rectangle.
struct Filter {
    int4 clip;      // origin and size in the destination
    int4 first;     // origin and slice in the source; slice in the destination
    int4 second;    // origin and slice in the second source
    int4 edges;     // edge modes of both sources; alpha beyond their edges
    int4 region;    // origin and size of the part of the source that reductions read
    int4 window;    // size of the filter's window; components of source and destination
    float4 a, b, c; // parameters
};

typedef texture2d_array<float, access::read> Source;
typedef texture2d_array<float, access::write> Destination;

enum { edge_zero, edge_clamp, edge_mirror, edge_mirror_with_edge };

static int mirrored(int i, int n, bool with_edge) {
    int period = with_edge ? 2 * n : max(2 * n - 2, 1);
    i %= period;
    i = i < 0 ? i + period : i;
    return i < n ? i : period - i - (with_edge ? 1 : 0);
}

static float4 texel(Source t, int2 p, int slice, int edge, int alpha) {
    int2 size = int2(t.get_width(), t.get_height());
    if (any(p < 0) || any(p >= size)) {
        if (edge == edge_zero) {
            return float4(0, 0, 0, alpha);
        }
        if (edge == edge_clamp) {
            p = clamp(p, int2(0), size - 1);
        } else {
            bool with = edge == edge_mirror_with_edge;
            p = int2(mirrored(p.x, size.x, with), mirrored(p.y, size.y, with));
        }
    }
    return t.read(uint2(p), uint(slice));
}

// The texel of the source at an offset from the thread's.
static float4 source_texel(Source t, constant Filter &f, uint3 id, int2 offset) {
    return texel(t, f.first.xy + int2(id.xy) + offset, f.first.z + int(id.z), f.edges.x, f.edges.z);
}

static void store(Destination t, constant Filter &f, uint3 id, float4 value) {
    t.write(value, id.xy + uint2(f.clip.xy), id.z + uint(f.first.w));
}

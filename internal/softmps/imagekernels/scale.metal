
static float lanczos(float x) {
    const float a = 3;
    x = fabs(x);
    if (x < 1e-6f) {
        return 1;
    }
    return x >= a ? 0 : a * sinpi(x) * sinpi(x / a) / (M_PI_F * M_PI_F * x * x);
}

// Destination texel x is at (x + 0.5 - b) / a - 0.5 in the source; a.xy are the scales, a.zw their
// translations, b.x = 1 interpolates linearly and 0 by Lanczos' function, stretched to make smaller.
kernel void scale(Source source [[texture(0)]], Destination out [[texture(2)]],
                  constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    float2 at = (float2(id.xy) + float2(f.second.xy) + 0.5f - f.a.zw) / f.a.xy - 0.5f;
    bool linear = f.b.x != 0;
    float2 stretch = linear ? float2(1) : max(1 / f.a.xy, float2(1));
    float2 radius = linear ? float2(1) : 3 * stretch;
    int2 low = int2(floor(at - radius)) + 1, high = int2(ceil(at + radius)) - 1;
    float4 sum = 0;
    float weights = 0;
    for (int y = low.y; y <= high.y; y++) {
        float dy = (float(y) - at.y) / stretch.y;
        float wy = linear ? 1 - fabs(dy) : lanczos(dy);
        for (int x = low.x; x <= high.x; x++) {
            float dx = (float(x) - at.x) / stretch.x;
            float w = wy * (linear ? 1 - fabs(dx) : lanczos(dx));
            sum += w * texel(source, int2(x, y), f.first.z + int(id.z), f.edges.x, f.edges.z);
            weights += w;
        }
    }
    store(out, f, id, sum / weights);
}

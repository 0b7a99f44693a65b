
// Largest value of a window less the probe's value there; the first of equals. With sign a.x = -1 the
// smallest value of the window plus the probe.
kernel void morphology(Source source [[texture(0)]], Destination out [[texture(2)]],
                       constant Filter &f [[buffer(0)]], device const float *probe [[buffer(1)]],
                       uint3 id [[thread_position_in_grid]]) {
    int2 size = f.window.xy;
    float4 best = -INFINITY;
    for (int y = 0; y < size.y; y++) {
        for (int x = 0; x < size.x; x++) {
            float4 v = f.a.x * source_texel(source, f, id, int2(x, y) - size / 2) - probe[y * size.x + x];
            best = max(best, v);
        }
    }
    store(out, f, id, f.a.x * best);
}

// Largest value of a row or column of the window; a.x as above.
kernel void extremum(Source source [[texture(0)]], Destination out [[texture(2)]],
                     constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    int2 size = f.window.xy;
    float4 best = -INFINITY;
    for (int y = 0; y < size.y; y++) {
        for (int x = 0; x < size.x; x++) {
            best = max(best, f.a.x * source_texel(source, f, id, int2(x, y) - size / 2));
        }
    }
    store(out, f, id, f.a.x * best);
}

// Median of a square window of up to 9 by 9: values go into a sorted list of the smallest half.
kernel void median(Source source [[texture(0)]], Destination out [[texture(2)]],
                   constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    float4 smallest[41];
    int d = f.window.x, half_count = d * d / 2 + 1;
    for (int i = 0; i < half_count; i++) {
        smallest[i] = INFINITY;
    }
    for (int i = 0; i < d * d; i++) {
        float4 v = source_texel(source, f, id, int2(i % d - d / 2, i / d - d / 2));
        for (int k = 0; k < half_count; k++) {
            float4 low = min(v, smallest[k]);
            v = max(v, smallest[k]);
            smallest[k] = low;
        }
    }
    store(out, f, id, smallest[half_count - 1]);
}


// Weighted sum of a window, plus a bias. Weights are row by row, and are not mirrored.
kernel void convolve(Source source [[texture(0)]], Destination out [[texture(2)]],
                     constant Filter &f [[buffer(0)]], device const float *weights [[buffer(1)]],
                     uint3 id [[thread_position_in_grid]]) {
    float4 sum = 0;
    int2 size = f.window.xy;
    for (int y = 0; y < size.y; y++) {
        for (int x = 0; x < size.x; x++) {
            sum = fma(weights[y * size.x + x], source_texel(source, f, id, int2(x, y) - size / 2), sum);
        }
    }
    store(out, f, id, sum + f.a.x);
}

// Length of the gradient; of luminance, with weights a, if only the source has several components.
kernel void sobel(Source source [[texture(0)]], Destination out [[texture(2)]],
                  constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    float4 v[9];
    bool gray = f.window.z > 1 && f.window.w == 1;
    for (int i = 0; i < 9; i++) {
        v[i] = source_texel(source, f, id, int2(i % 3 - 1, i / 3 - 1));
        if (gray) {
            v[i] = float4(dot(v[i].xyz, f.a.xyz));
        }
    }
    float4 gx = v[2] + 2 * v[5] + v[8] - v[0] - 2 * v[3] - v[6];
    float4 gy = v[6] + 2 * v[7] + v[8] - v[0] - 2 * v[1] - v[2];
    store(out, f, id, sqrt(gx * gx + gy * gy));
}

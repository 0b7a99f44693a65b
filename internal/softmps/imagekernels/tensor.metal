
// Copies the clip rectangle of images to floats in the order images, rows, columns, channels: window.x
// channels in window.y slices of an image.
kernel void load(Source source [[texture(0)]], constant Filter &f [[buffer(0)]], device float *out [[buffer(1)]],
                 uint3 id [[thread_position_in_grid]]) {
    int image = int(id.z) / f.window.y, slice = int(id.z) % f.window.y;
    float4 v = source.read(id.xy, id.z + uint(f.first.z));
    out += ((image * f.clip.w + int(id.y)) * f.clip.z + int(id.x)) * f.window.x + 4 * slice;
    for (int i = 0; i < min(4, f.window.x - 4 * slice); i++) {
        out[i] = v[i];
    }
}

// The way back, to the clip rectangle; channels that do not exist become 0.
kernel void save(Destination out [[texture(2)]], constant Filter &f [[buffer(0)]],
                 device const float *in [[buffer(1)]], uint3 id [[thread_position_in_grid]]) {
    int image = int(id.z) / f.window.y, slice = int(id.z) % f.window.y;
    in += ((image * f.clip.w + int(id.y)) * f.clip.z + int(id.x)) * f.window.x + 4 * slice;
    float4 v = 0;
    for (int i = 0; i < min(4, f.window.x - 4 * slice); i++) {
        v[i] = in[i];
    }
    store(out, f, id, v);
}

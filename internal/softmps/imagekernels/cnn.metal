
// Kernels that convert images to tensors and back. A tensor has the order images, rows, columns,
// channels. In both, first is the first slice of the channels, the slices of an image, the first
// image in the texture and the first image in the tensor; window is the channels and the slices
// that hold them. A thread takes a texel id of the clip rectangle: z counts slices of all images.

enum { edge_constant = 4 };

// Reads a rectangle that may reach beyond the image: edges.x says what is there, and a.x is the
// value of edge_constant.
kernel void cnn_load(Source source [[texture(0)]], constant Filter &f [[buffer(0)]], device float *out [[buffer(1)]],
                     uint3 id [[thread_position_in_grid]]) {
    int image = int(id.z) / f.window.y, slice = int(id.z) % f.window.y;
    int2 p = f.clip.xy + int2(id.xy);
    bool outside = any(p < 0) || any(p >= int2(source.get_width(), source.get_height()));
    float4 v = f.a.x;
    if (!outside || f.edges.x != edge_constant) {
        v = texel(source, p, (f.first.z + image) * f.first.y + f.first.x + slice, f.edges.x, 0);
    }
    out += (((f.first.w + image) * f.clip.w + int(id.y)) * f.clip.z + int(id.x)) * f.window.x + 4 * slice;
    for (int i = 0; i < min(4, f.window.x - 4 * slice); i++) {
        out[i] = v[i];
    }
}

// Writes a tensor to the clip rectangle. The rest of the last slice becomes 0.
kernel void cnn_save(Destination out [[texture(2)]], constant Filter &f [[buffer(0)]],
                     device const float *in [[buffer(1)]], uint3 id [[thread_position_in_grid]]) {
    int image = int(id.z) / f.window.y, slice = int(id.z) % f.window.y;
    in += (((f.first.w + image) * f.clip.w + int(id.y)) * f.clip.z + int(id.x)) * f.window.x + 4 * slice;
    float4 v = 0;
    for (int i = 0; i < min(4, f.window.x - 4 * slice); i++) {
        v[i] = in[i];
    }
    out.write(v, id.xy + uint2(f.clip.xy), uint((f.first.z + image) * f.first.y + f.first.x + slice));
}

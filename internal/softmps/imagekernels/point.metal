
enum { binary, binary_inverse, truncate, to_zero, to_zero_inverse };

// Compares luminance, with weights a, with b.x; b.y is the value above, b.z the kind.
kernel void threshold(Source source [[texture(0)]], Destination out [[texture(2)]],
                      constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    float4 s = source_texel(source, f, id, 0);
    float v = f.window.z > 1 ? dot(s.xyz, f.a.xyz) : s.x;
    bool above = v > f.b.x;
    float r = 0;
    switch (int(f.b.z)) {
    case binary: r = above ? f.b.y : 0; break;
    case binary_inverse: r = above ? 0 : f.b.y; break;
    case truncate: r = above ? f.b.x : v; break;
    case to_zero: r = above ? v : 0; break;
    case to_zero_inverse: r = above ? 0 : v; break;
    }
    store(out, f, id, float4(r));
}

enum { add, subtract, multiply, divide };

// Strides of the sources are region; scales are a.xy, the bias a.z, the operation a.w, limits b.xy.
kernel void arithmetic(Source first [[texture(0)]], Source second [[texture(1)]], Destination out [[texture(2)]],
                       constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    int2 at = int2(id.xy);
    float4 x = f.a.x * texel(first, f.first.xy + at * f.region.xy, f.first.z + int(id.z), f.edges.x, f.edges.z);
    float4 y = f.a.y * texel(second, f.second.xy + at * f.region.zw, f.second.z + int(id.z), f.edges.y, f.edges.w);
    float4 r = 0;
    switch (int(f.a.w)) {
    case add: r = x + y; break;
    case subtract: r = x - y; break;
    case multiply: r = x * y; break;
    case divide: r = x / y; break;
    }
    store(out, f, id, clamp(r + f.a.z, f.b.x, f.b.y));
}

// The thread's texel is taken from the column and row with its coordinates swapped.
kernel void transposed(Source source [[texture(0)]], Destination out [[texture(2)]],
                       constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    float4 v = texel(source, f.first.xy + int2(id.yx), f.first.z + int(id.z), f.edges.x, f.edges.z);
    store(out, f, id, v);
}

// Copies texels: the formats of the source and the destination may differ.
kernel void convert(Source source [[texture(0)]], Destination out [[texture(2)]],
                    constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    store(out, f, id, source_texel(source, f, id, 0));
}

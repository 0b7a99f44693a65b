#include <metal_stdlib>
using namespace metal;

constexpr sampler smooth(filter::linear, address::repeat, coord::normalized);

kernel void textures(array<texture2d<float>, 3> many [[texture(0)]], depth2d<float> d [[texture(4)]],
                     texture2d_array<half, access::write> out [[texture(5)]], sampler s [[sampler(0)]], uint2 g [[thread_position_in_grid]]) {
    float2 at = float2(g) / float2(many[0].get_width(), many[0].get_height());
    float4 sum = 0;
    for (uint i = 0; i < 3; i++) sum += many[i].sample(smooth, at, level(1));
    sum += many[1].sample(s, at, int2(1, -1));
    sum.x += d.sample_compare(s, at, 0.5f);
    sum += many[2].gather(s, at, int2(0), component::y);
    out.write(half4(sum), g, 1);
}

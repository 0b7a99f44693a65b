#include <metal_stdlib>
using namespace metal;

// A ball. Metal aligns position to 16 bytes, so there are 12 bytes before it that nothing uses.
struct Ball {
    float radius;
    float3 position;
    packed_float3 velocity;
};

struct World {
    float3 gravity;
    float step; // of time
};

// With a floor, balls bounce at y = 0.
constant bool has_floor [[function_constant(0)]];

// Moves each ball by one step.
kernel void advance(device Ball *balls, constant World &world, uint i [[thread_position_in_grid]]) {
    Ball b = balls[i];
    float3 v = float3(b.velocity) + world.gravity * world.step;
    b.position += v * world.step;
    if (has_floor && b.position.y < b.radius) {
        b.position.y = 2 * b.radius - b.position.y;
        v.y = abs(v.y);
    }
    b.velocity = v;
    balls[i] = b;
}

// Takes the height of each ball's lowest point.
kernel void heights(device const Ball *balls, device float *height, uint i [[thread_position_in_grid]]) {
    height[i] = balls[i].position.y - balls[i].radius;
}

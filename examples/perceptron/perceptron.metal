#include <metal_stdlib>
using namespace metal;

// What package ops does not have: the steps between the matrix products. A thread has one number of a matrix; x is its column, y its row.

// hidden makes h = tanh(h + bias) of the products of a layer.
kernel void hidden(device float *h [[buffer(0)]],
                   device const float *bias [[buffer(1)]],
                   uint2 at [[thread_position_in_grid]],
                   uint2 size [[threads_per_grid]]) {
    uint i = at.y * size.x + at.x;
    h[i] = precise::tanh(h[i] + bias[at.x]);
}

// shift adds the bias of the last layer.
kernel void shift(device float *z [[buffer(0)]],
                  device const float *bias [[buffer(1)]],
                  uint2 at [[thread_position_in_grid]],
                  uint2 size [[threads_per_grid]]) {
    z[at.y * size.x + at.x] += bias[at.x];
}

// mistake makes the slope of the mean cross entropy by the last layer's sums: (p - 1) / rows for the class that a point has, p / rows for the others.
kernel void mistake(device float *slope [[buffer(0)]],
                    device const float *p [[buffer(1)]],
                    device const uint *classes [[buffer(2)]],
                    uint2 at [[thread_position_in_grid]],
                    uint2 size [[threads_per_grid]]) {
    uint i = at.y * size.x + at.x;
    slope[i] = (p[i] - (classes[at.y] == at.x ? 1.0f : 0.0f)) / float(size.y);
}

// through takes a slope back through tanh, whose own is 1 - h^2.
kernel void through(device float *slope [[buffer(0)]],
                    device const float *h [[buffer(1)]],
                    uint2 at [[thread_position_in_grid]],
                    uint2 size [[threads_per_grid]]) {
    uint i = at.y * size.x + at.x;
    slope[i] *= 1.0f - h[i] * h[i];
}

// descend goes down a slope, with momentum: what is left of the last step's velocity goes on.
kernel void descend(device float *weight [[buffer(0)]],
                    device float *velocity [[buffer(1)]],
                    device const float *slope [[buffer(2)]],
                    constant float &rate [[buffer(3)]],
                    constant float &momentum [[buffer(4)]],
                    uint i [[thread_position_in_grid]]) {
    velocity[i] = momentum * velocity[i] - rate * slope[i];
    weight[i] += velocity[i];
}

#include <metal_stdlib>
using namespace metal;

// The steps between the matrix products, which package ops does not have. Each thread handles one matrix element; x is
// its column, y its row.

// hidden computes h = tanh(h + bias).
kernel void hidden(device float *h [[buffer(0)]],
                   device const float *bias [[buffer(1)]],
                   uint2 at [[thread_position_in_grid]],
                   uint2 size [[threads_per_grid]]) {
    uint i = at.y * size.x + at.x;
    h[i] = precise::tanh(h[i] + bias[at.x]);
}

// add_bias adds the bias of the last layer.
kernel void add_bias(device float *z [[buffer(0)]],
                     device const float *bias [[buffer(1)]],
                     uint2 at [[thread_position_in_grid]],
                     uint2 size [[threads_per_grid]]) {
    z[at.y * size.x + at.x] += bias[at.x];
}

// loss_gradient computes the gradient of the mean cross entropy with respect to the logits: (p - 1) / rows for a point's
// own class, p / rows for the other.
kernel void loss_gradient(device float *gradient [[buffer(0)]],
                          device const float *p [[buffer(1)]],
                          device const uint *classes [[buffer(2)]],
                          uint2 at [[thread_position_in_grid]],
                          uint2 size [[threads_per_grid]]) {
    uint i = at.y * size.x + at.x;
    gradient[i] = (p[i] - (classes[at.y] == at.x ? 1.0f : 0.0f)) / float(size.y);
}

// tanh_gradient propagates a gradient back through tanh, whose derivative is 1 - h^2.
kernel void tanh_gradient(device float *gradient [[buffer(0)]],
                          device const float *h [[buffer(1)]],
                          uint2 at [[thread_position_in_grid]],
                          uint2 size [[threads_per_grid]]) {
    uint i = at.y * size.x + at.x;
    gradient[i] *= 1.0f - h[i] * h[i];
}

// descend performs a step of gradient descent with momentum.
kernel void descend(device float *weight [[buffer(0)]],
                    device float *velocity [[buffer(1)]],
                    device const float *gradient [[buffer(2)]],
                    constant float &rate [[buffer(3)]],
                    constant float &momentum [[buffer(4)]],
                    uint i [[thread_position_in_grid]]) {
    velocity[i] = momentum * velocity[i] - rate * gradient[i];
    weight[i] += velocity[i];
}

// A call within a call within a call: each instruction knows the chain of calls that it came through, and a function that is called twice has two.
static float square(float x) { return x * x; }
static float norm(float x, float y) { return square(x) + square(y); }
static float both(device float *p) { return norm(p[0], p[1]); }

kernel void inlining(device float *p [[buffer(0)]]) {
    p[2] = both(p);
    p[3] = square(p[4]);
}

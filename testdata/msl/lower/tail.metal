// A function that calls itself at its end is a loop over its parameters.
static void halve(device int *p, int n) {
    p[n] = n;
    if (n > 0) halve(p, n / 2);
}

kernel void tail(device int *p [[buffer(0)]]) { halve(p, 100); }

// The factor of a pragma or attribute is the loop's #: -1 for all rounds, 1 for none, and it may be a parameter of a template.
#define UNROLL _Pragma("unroll")

template <int n> static int sum(device const int *p) {
    int s = 0;
#pragma clang loop unroll_count(n)
    for (int i = 0; i < 8; i++) s += p[i];
    return s;
}

kernel void unroll(device int *p [[buffer(0)]]) {
    UNROLL for (int i = 0; i < 4; i++) p[i] = i;
#pragma nounroll
    for (int i = 4; i < 8; i++) p[i] = i;
    [[unroll(2)]] while (p[8] > 0) p[8]--;
    p[9] = sum<4>(p);
}

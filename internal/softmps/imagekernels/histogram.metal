
// Bins of values: window.x entries for each component, from a on to b.
static int4 bins(constant Filter &f, float4 v) {
    float4 t = (clamp(v, f.a, f.b) - f.a) / (f.b - f.a);
    return int4(rint(t * float(f.window.x - 1)));
}

kernel void histogram_zero(device uint *counts [[buffer(1)]], uint3 id [[thread_position_in_grid]]) {
    counts[id.x] = 0;
}

// Counts the texels of the region, in window.y components.
kernel void histogram(Source source [[texture(0)]], constant Filter &f [[buffer(0)]],
                      device atomic_uint *counts [[buffer(1)]], uint3 id [[thread_position_in_grid]]) {
    int4 bin = bins(f, source.read(id.xy + uint2(f.region.xy), uint(f.first.z)));
    for (int i = 0; i < f.window.y; i++) {
        atomic_fetch_add_explicit(counts + i * f.window.x + bin[i], 1u, memory_order_relaxed);
    }
}

// For each component (a thread) the share of the texels up to each entry.
kernel void distribution(constant Filter &f [[buffer(0)]], device const uint *counts [[buffer(1)]],
                         device float *shares [[buffer(2)]], uint3 id [[thread_position_in_grid]]) {
    int n = f.window.x;
    device const uint *from = counts + int(id.x) * n;
    device float *to = shares + int(id.x) * n;
    uint all = 0, below = 0;
    for (int i = 0; i < n; i++) {
        all += from[i];
    }
    for (int i = 0; i < n; i++) {
        below += from[i];
        to[i] = all == 0 ? 0.0f : float(below) / float(all);
    }
}

// Values of a specified histogram: for each share the first entry whose share is not smaller.
kernel void specify(constant Filter &f [[buffer(0)]], device const float *wanted [[buffer(1)]],
                    device float *shares [[buffer(2)]], uint3 id [[thread_position_in_grid]]) {
    int n = f.window.x;
    wanted += int(id.y) * n;
    device float *entry = shares + int(id.y) * n + int(id.x);
    int low = 0, high = n - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (wanted[middle] >= *entry) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    *entry = float(low) / float(n - 1);
}

// Replaces each component by its entry, from a on to b.
kernel void look_up(Source source [[texture(0)]], Destination out [[texture(2)]], constant Filter &f [[buffer(0)]],
                    device const float *entries [[buffer(1)]], uint3 id [[thread_position_in_grid]]) {
    float4 v = source_texel(source, f, id, 0);
    int4 bin = bins(f, v);
    for (int i = 0; i < f.window.y; i++) {
        v[i] = f.a[i] + entries[i * f.window.x + bin[i]] * (f.b[i] - f.a[i]);
    }
    store(out, f, id, v);
}

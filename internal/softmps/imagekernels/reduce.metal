
enum { lowest, highest, mean, total };

// Reduces each row (a.y = 0) or column (a.y = 1) of the region: a.x is the operation, a.z = 1 squares
// values first. A thread is a line of the region; results form a line of the destination.
kernel void reduce_lines(Source source [[texture(0)]], Destination out [[texture(2)]],
                         constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    bool columns = f.a.y != 0;
    int n = columns ? f.region.w : f.region.z;
    int operation = int(f.a.x);
    float4 r = operation == lowest ? float4(INFINITY) : operation == highest ? float4(-INFINITY) : float4(0);
    float4 lost = 0; // what rounding took from the sum
    for (int i = 0; i < n; i++) {
        int2 at = f.region.xy + (columns ? int2(int(id.x), i) : int2(i, int(id.y)));
        float4 v = source.read(uint2(at), id.z + uint(f.first.z));
        v = f.a.z != 0 ? v * v : v;
        switch (operation) {
        case lowest: r = min(r, v); break;
        case highest: r = max(r, v); break;
        default:
            float4 y = v - lost;
            float4 t = r + y;
            lost = (t - r) - y;
            r = t;
        }
    }
    store(out, f, id, operation == mean ? r / float(n) : r);
}

// Reduces the region to its minimum and maximum (a.x = 0), mean (1), or mean and variance (2). sums has
// two texels for each row of the region: rows reduces a row, and results the rows.
kernel void statistics_rows(Source source [[texture(0)]], constant Filter &f [[buffer(0)]],
                            device float4 *sums [[buffer(1)]], uint3 id [[thread_position_in_grid]]) {
    bool extremes = f.a.x == 0;
    float4 p = extremes ? float4(INFINITY) : float4(0), q = extremes ? float4(-INFINITY) : float4(0);
    for (int i = 0; i < f.region.z; i++) {
        float4 v = source.read(uint2(f.region.xy + int2(i, int(id.y))), id.z + uint(f.first.z));
        p = extremes ? min(p, v) : p + v;
        q = extremes ? max(q, v) : q;
    }
    if (!extremes) { // squares of the differences to the row's mean, which do not cancel
        p /= float(f.region.z);
        for (int i = 0; i < f.region.z; i++) {
            float4 v = source.read(uint2(f.region.xy + int2(i, int(id.y))), id.z + uint(f.first.z));
            q += (v - p) * (v - p);
        }
    }
    device float4 *row = sums + 2 * (id.z * uint(f.region.w) + id.y);
    row[0] = p;
    row[1] = q;
}

kernel void statistics_result(Destination out [[texture(2)]], constant Filter &f [[buffer(0)]],
                              device const float4 *sums [[buffer(1)]], uint3 id [[thread_position_in_grid]]) {
    device const float4 *rows = sums + 2 * id.z * uint(f.region.w);
    float4 p = rows[0], q = rows[1];
    for (int i = 1; i < f.region.w; i++) {
        if (f.a.x == 0) {
            p = min(p, rows[2 * i]);
            q = max(q, rows[2 * i + 1]);
        } else { // joins means and squares of rows of equal lengths
            float4 d = rows[2 * i] - p;
            float n = float(i);
            p += d / (n + 1);
            q += rows[2 * i + 1] + d * d * (float(f.region.z) * n / (n + 1));
        }
    }
    if (f.a.x != 0) {
        q /= float(f.region.z) * float(f.region.w);
    }
    if (id.x == 0) {
        store(out, f, id, p);
    } else if (f.a.x != 1) {
        store(out, f, id, q);
    }
}

// Sums along rows, without the texel itself; a.x = 1 squares values first.
kernel void integral_rows(Source source [[texture(0)]], Destination out [[texture(2)]],
                          constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    float4 sum = 0;
    for (int x = 0; x < f.clip.z; x++) {
        uint3 at = uint3(uint(x), id.y, id.z);
        store(out, f, at, sum);
        float4 v = source_texel(source, f, at, 0);
        sum += f.a.x != 0 ? v * v : v;
    }
}

// Sums along columns, without the texel itself.
kernel void integral_columns(Source source [[texture(0)]], Destination out [[texture(2)]],
                             constant Filter &f [[buffer(0)]], uint3 id [[thread_position_in_grid]]) {
    float4 sum = 0;
    for (int y = 0; y < f.clip.w; y++) {
        uint3 at = uint3(id.x, uint(y), id.z);
        store(out, f, at, sum);
        sum += source_texel(source, f, at, 0);
    }
}

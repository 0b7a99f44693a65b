// Pointers and references in every address space, arrays, reinterpretation.
// run walk grid=32 group=32 tg0=256
// in 0: uint 64
// in 1: float 64 tame
// out 2: uint 512
// run bytes grid=16
// in 0: uchar 256
// out 1: uint 160
// run arrays grid=16
// in 0: int 64
// out 1: int 256
#include <metal_stdlib>
using namespace metal;

constant uint table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
constant float grid[2][3] = {{1.0f, 2.0f, 3.0f}, {4.0f, 5.0f, 6.0f}};

static uint total(const device uint *p, uint n) {
  uint s = 0;
  for (const device uint *e = p + n; p != e; ++p) s += *p;
  return s;
}
static uint sharedTotal(const threadgroup uint *p, uint n) {
  uint s = 1;
  while (n-- > 0) s += *p++;
  return s;
}
static uint localTotal(const thread uint *p, uint n) {
  uint s = 2;
  for (uint k = 0; k < n; k++) s += p[k];
  return s;
}
static uint tableTotal(constant uint *p, uint n) {
  uint s = 3;
  for (uint k = n; k-- > 0;) s += *(p + k);
  return s;
}
static void exchange(thread uint &a, thread uint &b) {
  uint t = a;
  a = b;
  b = t;
}
static thread uint &larger(thread uint &a, thread uint &b) { return a > b ? a : b; }

kernel void walk(device uint *in [[buffer(0)]], constant float *f [[buffer(1)]], device uint *out [[buffer(2)]], threadgroup uint *shared [[threadgroup(0)]],
                 uint i [[thread_position_in_threadgroup]]) {
  threadgroup uint own[32];
  shared[i] = in[i] >> 8;
  own[31 - i] = in[i + 32] & 0xff;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  device uint *o = out + 16 * i;
  uint local[4] = {i, i * 2, 5};
  o[0] = total(in, i + 1);
  o[1] = shared[(i + 5) & 31] + own[i];
  o[2] = localTotal(local, 4);
  uint x = in[i], y = in[63 - i];
  exchange(x, y);
  larger(x, y) = 17;
  o[3] = x;
  o[4] = y;
  thread uint *p = &local[1];
  *p++ += 100;
  p[-1] *= 2;
  o[5] = local[1] + uint(p - local);
  o[6] = as_type<uint>(f[i] + grid[i & 1][i % 3]);
  constant float *row = grid[1];
  o[7] = as_type<uint>(row[i % 3]);
  device uint *const q = in + 60;
  o[8] = q > in ? q[-int(i)] : 0;
  const device uint2 *pairs = reinterpret_cast<const device uint2 *>(in);
  o[9] = pairs[i].y ^ pairs[i].x;
  o[10] = table[i & 7] + table[(i * 3) & 7];
  o[11] = p == &local[2];
  thread uint *none = nullptr;
  o[12] = none ? 1 : !none ? 2 : 3;
  o[13] = tableTotal(&table[1], 5) + sharedTotal(&own[2], 3);
  o[14] = sizeof(local) / sizeof(local[0]) + sizeof(*pairs);
  o[15] = (&o[15] - out);
}

kernel void bytes(device const uchar *in [[buffer(0)]], device uint *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  device const uchar *p = in + 16 * i;
  device uint *o = out + 10 * i;
  o[0] = *(device const uint *)p;
  o[1] = *(device const ushort *)(p + 2);
  o[2] = uint(((device const char *)p)[3]);
  o[3] = as_type<uint>(*reinterpret_cast<device const half2 *>(p + 4));
  o[4] = as_type<uint>(as_type<uchar4>(o[0]).wzyx);
  ulong w = *(device const ulong *)(p + 8);
  o[5] = uint(w >> 20);
  uchar4 c = *(device const uchar4 *)(p + 12);
  o[6] = uint(c.x) | uint(c.y) << 8 | uint(c.z) << 16 | uint(c.w) << 24;
  half4 h = as_type<half4>(w);
  o[7] = as_type<uint>(h.yx);
  short2 s = as_type<short2>(o[0]);
  o[8] = uint(s.x * s.y);
  long2 l = long2(w, -1);
  o[9] = as_type<uint4>(l).y ^ as_type<uint4>(l).z;
}

struct Cell {
  int v[3];
  int2 at;
};

kernel void arrays(device const int *in [[buffer(0)]], device int *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int m[3][4] = {{1, 2}, {3}};
  Cell cells[2] = {{{1, 2, 3}, int2(4, 5)}, {}};
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 4; c++) m[r][c] += in[(r * 4 + c + i) & 63] % 10;
  thread int(&row)[4] = m[1];
  row[2] = -5;
  cells[1] = cells[0];
  cells[1].v[i % 3] = 50;
  cells[i & 1].at.y += 7;
  device int *o = out + 16 * i;
  for (int k = 0; k < 4; k++) o[k] = m[k % 3][k];
  o[4] = m[1][2];
  o[5] = cells[0].v[0] + cells[1].v[1] * 10;
  o[6] = cells[1].v[2];
  o[7] = cells[0].at.y;
  o[8] = cells[1].at.y;
  array<int, 4> a = {4, 3, 2, 1};
  array<int, 4> b = a;
  b[i & 3] = 9;
  o[9] = a[i & 3] * 10 + b[i & 3];
  o[10] = int(b.size());
  thread Cell *p = cells;
  p++;
  p->v[0] -= 3;
  o[11] = cells[1].v[0];
  o[12] = (*p).at.x + p[-1].at.x;
  int k = 0;
  o[13] = m[k++][1] + in[0] % 3;
  o[14] = 0;
  for (int x : m[2]) o[14] += x * int(i);
  o[15] = (k > 1 ? m[0] : m[1])[1];
}

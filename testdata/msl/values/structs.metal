// Layout: what fields written by name look like as bytes, and bytes read back by name.
// run store grid=1
// out 0: uchar 4096
// run load grid=1
// in 0: uint 1024
// out 1: uint 64
// run offsets grid=1
// in 0: uchar 1024
// out 1: int 64
#include <metal_stdlib>
using namespace metal;

struct Inner {
  char tag;
  float3 dir;
  half h;
};
struct Outer {
  bool flag;
  short s;
  uchar3 c3;
  packed_float3 p;
  float after;
  Inner in[2];
  ulong big;
  ushort2 pair;
  half3 h3;
  packed_half4 ph;
  int tail[3];
  uchar last;
};
union Word {
  uint u;
  float f;
  ushort2 s;
  uchar b[4];
};
struct Base {
  int a;
  short b;
};
struct Derived : Base {
  char c;
  long d;
};
enum class Mode : uchar { first = 3, second = 200 };
struct Mixed {
  Mode mode;
  Word w;
  float2x3 m;
  bool2 bb;
  packed_uchar2 pc;
  array<short, 5> list;
  half2x2 hm;
};

kernel void store(device uchar *out [[buffer(0)]]) {
  device Outer *o = reinterpret_cast<device Outer *>(out);
  o->flag = true;
  o->s = -2;
  o->c3 = uchar3(1, 2, 3);
  o->p = packed_float3(1.5f, -2.5f, 3.5f);
  o->after = 7;
  for (int i = 0; i < 2; i++) {
    o->in[i].tag = 'A' + i;
    o->in[i].dir = float3(i, i + 1, i + 2);
    o->in[i].h = half(i) + 0.5h;
  }
  o->big = 0x0123456789abcdeful;
  o->pair = ushort2(11, 12);
  o->h3 = half3(1.0h, 2.0h, 3.0h);
  o->ph = packed_half4(4, 5, 6, 7);
  for (int i = 0; i < 3; i++) o->tail[i] = -i;
  o->last = 250;
  o[2].last = 251;
  device Derived *d = reinterpret_cast<device Derived *>(out + 2048);
  d->a = 5;
  d->b = 6;
  d->c = 7;
  d->d = -8;
  device Mixed *x = reinterpret_cast<device Mixed *>(out + 3072);
  x->mode = Mode::second;
  x->w.f = 1.0f;
  for (int i = 0; i < 6; i++) x->m[i / 3][i % 3] = float(i + 1);
  x->bb = bool2(true, false);
  x->pc = packed_uchar2(uchar2(8, 9));
  for (int i = 0; i < 5; i++) x->list[i] = short(i * 100);
  x->hm = half2x2(half2(1, 2), half2(3, 4));
}

kernel void load(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]]) {
  device const Outer &o = *reinterpret_cast<device const Outer *>(in);
  out[0] = uint(o.s);
  out[1] = uint(o.c3.z);
  out[2] = as_type<uint>(o.p.y);
  out[3] = as_type<uint>(o.after);
  out[4] = uint(int(o.in[1].tag));
  out[5] = as_type<uint>(o.in[1].dir.z);
  out[6] = as_type<ushort>(o.in[0].h);
  out[7] = uint(o.big);
  out[8] = uint(o.big >> 32);
  out[9] = o.pair.y;
  out[10] = as_type<ushort>(o.h3.z);
  out[11] = as_type<ushort>(half4(o.ph).w);
  out[12] = uint(o.tail[2]);
  out[13] = o.last;
  Outer copy = o;
  copy.in[1].dir.y = 2.0f;
  Outer second = copy;
  out[14] = as_type<uint>(second.in[1].dir.x);
  out[15] = as_type<uint>(second.in[1].dir.y);
  out[16] = second.in[1].tag == o.in[1].tag;
  Word w;
  w.u = in[3];
  out[17] = w.b[1];
  out[18] = w.s.y;
  w.b[0] = 0x55;
  out[19] = w.u;
}

kernel void offsets(device const uchar *in [[buffer(0)]], device int *out [[buffer(1)]]) {
  device const Outer *o = reinterpret_cast<device const Outer *>(in);
#define AT(field) int(reinterpret_cast<device const uchar *>(&o->field) - in)
  out[0] = sizeof(Outer);
  out[1] = alignof(Outer);
  out[2] = AT(s);
  out[3] = AT(c3);
  out[4] = AT(p);
  out[5] = AT(after);
  out[6] = AT(in);
  out[7] = AT(in[1].dir);
  out[8] = AT(big);
  out[9] = AT(pair);
  out[10] = AT(h3);
  out[11] = AT(ph);
  out[12] = AT(tail[2]);
  out[13] = AT(last);
  out[14] = sizeof(Inner);
  out[15] = sizeof(Mixed);
  out[16] = sizeof(Derived);
  out[17] = sizeof(Word) + 10 * alignof(Word);
  out[18] = sizeof(float3) + 100 * sizeof(packed_float3);
  out[19] = sizeof(half3) + 100 * alignof(half3);
  out[20] = sizeof(float4x3);
  out[21] = sizeof(half3x3);
  out[22] = sizeof(char3) + 100 * sizeof(bool3);
  out[23] = int(&o[3].tail[1] - &o[1].tail[0]);
}

// Overloads that differ in the address space only; halves of vectors by name; constants that point
// into other constants.
// launch spaces grid=1
// buffer 0: i32 1 2 3 4
// buffer 1: zero 16
// want 1: i32 101 202 303 401
// launch halves grid=1
// buffer 0: f32 1 2 3 4
// buffer 1: zero 64
// want 1: f32 1 2 3 4 1 3 2 4 2 1 9 4
// launch pointers grid=1
// buffer 0: zero 36
// buffer 1: i32 1
// want 0: f32 2 4 5 7 8 11 7 5 2
#include <metal_stdlib>
using namespace metal;
static int first(const device int *p) { return *p + 100; }
static int first(const thread int *p) { return *p + 200; }
static int first(const threadgroup int *p) { return *p + 300; }
static int first(constant int *p) { return *p + 400; }
constant int one = 1;
kernel void spaces(device int *a [[buffer(0)]], device int *r [[buffer(1)]]) {
  threadgroup int g;
  int t = a[1];
  g = a[2];
  r[0] = first(a);
  r[1] = first(&t);
  r[2] = first(&g);
  r[3] = first(&one);
}
kernel void halves(device float4 *a [[buffer(0)]], device float4 *r [[buffer(1)]]) {
  float4 v = a[0];
  r[0] = float4(v.lo, v.hi);
  r[1] = float4(v.even, v.odd);
  float2 p = v.lo;
  r[2] = float4(p.hi, p.lo, 0, 0);
  v.hi.x = 9;
  r[2].hi = v.hi;
}
struct Pair { int a; float b[3]; };
struct Part { constant float *p; int n; };
constant float table[6] = {1, 2, 3, 4, 5, 6};
constant Pair pairs[2] = {{1, {2, 3, 4}}, {5, {6, 7, 8}}};
constant float nine = 9;
constant float4 lanes = float4(1, 2, 3, 4);
constant float *constant first_element = table;
constant float *constant third = table + 2;
constant float *constant fourth = &table[3];
constant Pair *constant pair = &pairs[1];
constant float *constant inner = pairs[1].b + 1;
constant float *constant single = &nine;
constant float4 *constant whole = &lanes;
constant Part part = {table + 1, 4};
kernel void pointers(device float *o [[buffer(0)]], device int *n [[buffer(1)]]) {
  int i = n[0];
  o[0] = first_element[i];
  o[1] = third[i];
  o[2] = fourth[i];
  o[3] = pair->b[i];
  o[4] = inner[i];
  o[5] = *single + (*whole)[i];
  o[6] = part.p[i] + part.n;
  o[7] = first_element[i] + (first_element == table) + (third - first_element);
  o[8] = third[-i];
}

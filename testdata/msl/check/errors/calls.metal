//--- many
#include <metal_stdlib>
using namespace metal;
int f(int a) { return a; }
kernel void k(device int* p) { p[0] = f/* ERROR "too many arguments" */(1, 2); }
//--- few
#include <metal_stdlib>
using namespace metal;
int f(int a, int b) { return a; }
kernel void k(device int* p) { p[0] = f/* ERROR "too few arguments" */(1); }
//--- none
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
void f(int a) {}
void f(float a) {}
kernel void k(device int* p) { S s; f/* ERROR "no matching function 'f'" */(s); }
//--- ambiguous
#include <metal_stdlib>
using namespace metal;
void f(int a, float b) {}
void f(float a, int b) {}
kernel void k(device int* p) { f/* ERROR "is ambiguous" */(1, 1); }
//--- not_callable
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int a = 1; a/* ERROR "cannot be called" */(1); }
//--- kernel
#include <metal_stdlib>
using namespace metal;
kernel void a(device int* p) {}
kernel void k(device int* p) { a/* ERROR "cannot be called" */(p); }
//--- return_value
#include <metal_stdlib>
using namespace metal;
void f() { return/* ERROR "returns no value" */ 1; }
//--- return_nothing
#include <metal_stdlib>
using namespace metal;
int f() { return/* ERROR "must return a value" */; }

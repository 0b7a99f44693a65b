//--- args
#include <metal_stdlib>
using namespace metal;
struct S { device int *a [[id/* ERROR "takes one argument" */]]; };
//--- negative
#include <metal_stdlib>
using namespace metal;
struct S { device int *a [[id/* ERROR "id -1 of member 'a' is not between 0 and 2147483647" */(-1)]]; };
//--- same
#include <metal_stdlib>
using namespace metal;
struct S { device int *a [[id(2)]]; sampler b [[id/* ERROR "id 2 of member 'b' must be greater than those of the preceding members, which end at 2" */(2)]]; };
//--- backwards
#include <metal_stdlib>
using namespace metal;
struct S { device int *a [[id(4)]]; sampler b [[id/* ERROR "id 3 of member 'b' must be greater than those of the preceding members, which end at 4" */(3)]]; };
//--- in_array
#include <metal_stdlib>
using namespace metal;
struct S { array<texture2d<float>, 4> a [[id(1)]]; texture2d<half> b[3]; sampler c [[id/* ERROR "which end at 7" */(7)]]; };
//--- in_struct
#include <metal_stdlib>
using namespace metal;
struct In { sampler a [[id(1)]]; sampler b [[id(3)]]; };
struct S { In first; In second; float4 c [[id/* ERROR "which end at 7" */(5)]]; };
//--- union
#include <metal_stdlib>
using namespace metal;
union U { int a; float b [[id/* ERROR "does not apply to a member of a union" */(1)]]; };
//--- dependent
#include <metal_stdlib>
using namespace metal;
template <int n> struct S { float a [[id(1)]]; float b [[id/* ERROR "id 0 of member 'b'" */(n)]]; };
kernel void k(constant S<2> &ok, constant S<0> &wrong) {}

//--- unknown_filter
#include <metal_stdlib>
using namespace metal;
constexpr sampler s(filter::cubic/* ERROR E1183 "no name named 'cubic' in 'filter'; did you mean 'bicubic'?" */);
//--- unknown_property
#include <metal_stdlib>
using namespace metal;
constexpr sampler s(wrap/* ERROR E1100 "use of undeclared identifier 'wrap'" */::repeat);
//--- number
#include <metal_stdlib>
using namespace metal;
constexpr/* ERROR E1130 "cannot initialize a sampler with 'int'" */ sampler s(1);
//--- float_property
#include <metal_stdlib>
using namespace metal;
constexpr/* ERROR E1130 "cannot initialize a sampler with 'float'" */ sampler s(0.5f);
//--- string_property
#include <metal_stdlib>
using namespace metal;
constexpr/* ERROR E1130 "cannot initialize a sampler with 'const constant char *'" */ sampler s("linear");
//--- mip_filter_bicubic
#include <metal_stdlib>
using namespace metal;
constexpr sampler s(mip_filter::bicubic/* ERROR E1183 "no name named 'bicubic' in 'mip_filter'" */);
//--- border_address
#include <metal_stdlib>
using namespace metal;
constexpr sampler s(border_color::purple/* ERROR E1183 "no name named 'purple' in 'border_color'" */);
//--- compare_unknown
#include <metal_stdlib>
using namespace metal;
constexpr sampler s(compare_func::equals/* ERROR E1183 "no name named 'equals' in 'compare_func'; did you mean 'equal'?" */);
//--- sampler_member
#include <metal_stdlib>
using namespace metal;
kernel void k(sampler s, device int* p) { p[0] = s.filter/* ERROR E1182 "no member named 'filter' in 'sampler'" */; }
//--- sampler_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(sampler s) { thread sampler* p = &s; p->x/* ERROR E1182 "no member named 'x' in 'sampler'" */ = 1; }
//--- sampler_compare
#include <metal_stdlib>
using namespace metal;
kernel void k(sampler a, sampler b, device bool* p) { p[0] = a ==/* ERROR E1132 "invalid operands to binary '==' ('sampler' and 'sampler')" */ b; }
//--- program_sampler
#include <metal_stdlib>
using namespace metal;
constexpr sampler good(filter::linear);
constant/* ERROR E1200 "sampler variable must be declared constexpr" */ sampler bad(filter::nearest);
kernel void k(texture2d<float> t [[texture(0)]], device float* p) { p[0] = t.sample(good, float2(0)).x; }
//--- local_sampler
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t [[texture(0)]], sampler given [[sampler(0)]], device float* p) {
  sampler copy = given;
  sampler again(given);
  sampler/* ERROR E1200 "sampler variable must be declared constexpr" */ s(filter::linear);
  sampler/* ERROR E1200 "sampler variable must be declared constexpr" */ empty;
  p[0] = t.sample(copy, float2(0)).x + t.sample(again, float2(0)).y;
}
//--- property_at_run_time
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t [[texture(0)]], constant int& n [[buffer(0)]]) {
  constexpr sampler s(address::repeat, n/* ERROR E1200 "property of a constexpr sampler is not a constant expression" */ ? filter::linear : filter::nearest);
}
//--- array_at_program_scope
#include <metal_stdlib>
using namespace metal;
constant/* ERROR E1200 "sampler variable must be declared constexpr" */ array<sampler, 2> bad = {sampler(filter::linear), sampler(filter::nearest)};
//--- array_property_at_run_time
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t [[texture(0)]], constant int& n [[buffer(0)]]) {
  constexpr array<sampler, 2> s = {sampler(filter::linear), sampler(n/* ERROR E1200 "property of a constexpr sampler is not a constant expression" */ ? filter::linear : filter::nearest)};
}

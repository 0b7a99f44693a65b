//--- result
#include <metal_stdlib>
using namespace metal;
kernel int k/* ERROR "must return void" */(device int* p) { return 1; }
//--- clash
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* a [[buffer(0)]], device/* ERROR "used by two arguments" */ int* b [[buffer(0)]]) {}
//--- limit
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* a [[buffer/* ERROR "not between 0 and 30" */(31)]]) {}
//--- input_type
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* a, float i [[thread_position_in_grid/* ERROR "must be 'uint'" */]]) {}
//--- input_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* a, uint2 i [[thread_index_in_threadgroup/* ERROR "must be 'uint' or 'ushort'" */]]) {}
//--- wrong_attribute
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* a [[texture/* ERROR "does not apply" */(0)]]) {}
//--- by_value
#include <metal_stdlib>
using namespace metal;
kernel void k(int/* ERROR "needs an attribute" */ a) {}
//--- same_name
#include <metal_stdlib>
using namespace metal;
template <typename T> kernel void f(device T* p) {}
template [[host_name("a")]] kernel void f<int>(device int*);
template/* ERROR "redefinition of entry point 'a'" */ [[host_name("a")]] kernel void f<float>(device float*);
//--- constant_index
#include <metal_stdlib>
using namespace metal;
constant int a [[function_constant(0)]];
constant int b [[function_constant/* ERROR "the same index 0" */(0)]];
//--- texture_access
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::read> t [[texture(0)]]) { t.write/* ERROR "does not apply to a texture with access::read" */(float4(1), uint2(0)); }

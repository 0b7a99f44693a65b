//--- write_sampled
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t) { t.write/* ERROR E1220 "'write' does not apply to a texture with access::sample" */(float4(1), uint2(0)); }
//--- write_read_only
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::read> t) { t.write/* ERROR E1220 "'write' does not apply to a texture with access::read" */(float4(1), uint2(0)); }
//--- read_write_only
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::write> t, device float4* p) { p[0] = t.read/* ERROR E1220 "'read' does not apply to a texture with access::write" */(uint2(0)); }
//--- sample_read_only
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::read> t, sampler s, device float4* p) { p[0] = t.sample/* ERROR E1220 "'sample' does not apply to a texture with access::read" */(s, float2(0)); }
//--- sample_read_write
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::read_write> t, sampler s, device float4* p) { p[0] = t.sample/* ERROR E1220 "'sample' does not apply to a texture with access::read_write" */(s, float2(0)); }
//--- gather_write_only
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::write> t, sampler s, device float4* p) { p[0] = t.gather/* ERROR E1220 "'gather' does not apply to a texture with access::write" */(s, float2(0)); }
//--- int_coordinates_sample
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, sampler s, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'sample' with arguments of types (sampler, int2) on an object of type 'thread texture2d<float, access::sample>'" */.sample(s, int2(0)); }
//--- uint_coordinates_sample
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, sampler s, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'sample' with arguments of types (sampler, uint2) on an object of type 'thread texture2d<float, access::sample>'" */.sample(s, uint2(0)); }
//--- half_coordinates_sample
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, sampler s, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'sample' with arguments of types (sampler, half2) on an object of type 'thread texture2d<float, access::sample>'" */.sample(s, half2(0)); }
//--- float_coordinates_read
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'read' with arguments of types (float2) on an object of type 'thread texture2d<float, access::sample>'" */.read(float2(0)); }
//--- int_coordinates_read
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'read' with arguments of types (int2) on an object of type 'thread texture2d<float, access::sample>'" */.read(int2(0)); }
//--- coordinate_count_read
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'read' with arguments of types (uint3) on an object of type 'thread texture2d<float, access::sample>'" */.read(uint3(0)); }
//--- coordinate_count_sample
#include <metal_stdlib>
using namespace metal;
kernel void k(texture3d<float> t, sampler s, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'sample' with arguments of types (sampler, float2) on an object of type 'thread texture3d<float, access::sample>'" */.sample(s, float2(0)); }
//--- array_without_layer
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d_array<float> t, sampler s, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'sample' with arguments of types (sampler, float2) on an object of type 'thread texture2d_array<float, access::sample>'" */.sample(s, float2(0)); }
//--- cube_read_without_face
#include <metal_stdlib>
using namespace metal;
kernel void k(texturecube<float> t, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'read' with arguments of types (uint2) on an object of type 'thread texturecube<float, access::sample>'" */.read(uint2(0)); }
//--- ms_without_sample
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d_ms<float> t, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'read' with arguments of types (uint2) on an object of type 'thread texture2d_ms<float, access::read>'" */.read(uint2(0)); }
//--- ms_sample
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d_ms<float> t, sampler s, device float4* p) { p[0] = t.sample/* ERROR E1182 "no member named 'sample' in 'texture2d_ms<float, access::read>'" */(s, float2(0)); }
//--- ms_write
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d_ms<float, access::write> t) { t/* ERROR U0102 "not supported: function 'write'" */.write(float4(0), uint2(0), 0); }
//--- buffer_sample
#include <metal_stdlib>
using namespace metal;
kernel void k(texture_buffer<float> t, sampler s, device float4* p) { p[0] = t.sample/* ERROR E1182 "no member named 'sample' in 'texture_buffer<float, access::read>'" */(s, 0.5f); }
//--- texture1d_level
#include <metal_stdlib>
using namespace metal;
kernel void k(texture1d<float> t, sampler s, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'sample' with arguments of types (sampler, float, level) on an object of type 'thread texture1d<float, access::sample>'" */.sample(s, 0.5f, level(1)); }
//--- texture1d_gather
#include <metal_stdlib>
using namespace metal;
kernel void k(texture1d<float> t, sampler s, device float4* p) { p[0] = t.gather/* ERROR E1182 "no member named 'gather' in 'texture1d<float, access::sample>'" */(s, 0.5f); }
//--- texture3d_gather
#include <metal_stdlib>
using namespace metal;
kernel void k(texture3d<float> t, sampler s, device float4* p) { p[0] = t.gather/* ERROR E1182 "no member named 'gather' in 'texture3d<float, access::sample>'" */(s, float3(0)); }
//--- compare_on_color
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, sampler s, device float* p) { p[0] = t.sample_compare/* ERROR E1182 "no member named 'sample_compare' in 'texture2d<float, access::sample>'" */(s, float2(0), 0.5f); }
//--- depth_write
#include <metal_stdlib>
using namespace metal;
kernel void k(depth2d/* ERROR E1131 "'depth2d' does not support access::write" */<float, access::write> t) { t.write(0.5f, uint2(0)); }
//--- depth_int
#include <metal_stdlib>
using namespace metal;
kernel void k(depth2d/* ERROR E1131 "'depth2d' cannot have texels of type 'int'" */<int> t) {}
//--- depth_half
#include <metal_stdlib>
using namespace metal;
kernel void k(depth2d/* ERROR E1131 "'depth2d' cannot have texels of type 'half'" */<half> t) {}
//--- depth_result
#include <metal_stdlib>
using namespace metal;
kernel void k(depth2d<float> t, sampler s, device float4* p) { p[0] = t.sample(s, float2(0)).xyzw/* ERROR E1182 "no member named 'xyzw' in 'float'" */; }
//--- bool_texels
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d/* ERROR E1131 "'texture2d' cannot have texels of type 'bool'" */<bool> t) {}
//--- char_texels
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d/* ERROR E1131 "'texture2d' cannot have texels of type 'char'" */<char> t) {}
//--- long_texels
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d/* ERROR E1131 "'texture2d' cannot have texels of type 'long'" */<long> t) {}
//--- vector_texels
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d/* ERROR E1131 "'texture2d' cannot have texels of type 'float4'" */<float4> t) {}
//--- struct_texels
#include <metal_stdlib>
using namespace metal;
struct S { float a; };
kernel void k(texture2d/* ERROR E1131 "'texture2d' cannot have texels of type 'S'" */<S> t) {}
//--- bfloat_texels
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d/* ERROR E1131 "'texture2d' cannot have texels of type 'bfloat'" */<bfloat> t) {}
//--- no_texel_type
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d/* ERROR E1171 "use of template 'texture2d' requires template arguments" */ t) {}
//--- access_unknown
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::readwrite/* ERROR E1183 "no name named 'readwrite' in 'access'; did you mean 'read_write'?" */> t) {}
//--- ms_access_sample
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d_ms/* ERROR E1131 "'texture2d_ms' does not support access::sample" */<float, access::sample> t) {}
//--- buffer_access_sample
#include <metal_stdlib>
using namespace metal;
kernel void k(texture_buffer/* ERROR E1131 "'texture_buffer' does not support access::sample" */<float, access::sample> t) {}
//--- depth_access_write
#include <metal_stdlib>
using namespace metal;
kernel void k(depth2d/* ERROR E1131 "'depth2d' does not support access::write" */<float, access::write> t) {}
//--- write_wrong_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::write> t) { t/* ERROR E1181 "no matching function for call to 'write' with arguments of types (float3, uint2) on an object of type 'thread texture2d<float, access::write>'" */.write(float3(1), uint2(0)); }
//--- write_wrong_type
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<uint, access::write> t) { t/* ERROR E1181 "no matching function for call to 'write' with arguments of types (float4, uint2) on an object of type 'thread texture2d<uint, access::write>'" */.write(float4(1), uint2(0)); }
//--- write_swapped
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::write> t) { t/* ERROR E1181 "no matching function for call to 'write' with arguments of types (uint2, float4) on an object of type 'thread texture2d<float, access::write>'" */.write(uint2(0), float4(1)); }
//--- read_result_type
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<int, access::read> t, device float4* p) { p[0] = t/* ERROR E1176 "no viable conversion from 'int4' to 'float4' for assignment" */.read(uint2(0)); }
//--- read_scalar_result
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::read> t, device float* p) { p[0] = t/* ERROR E1176 "no viable conversion from 'float4' to 'float' for assignment" */.read(uint2(0)); }
//--- gather_component_number
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, sampler s, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'gather' with arguments of types (sampler, float2, int2, int) on an object of type 'thread texture2d<float, access::sample>'" */.gather(s, float2(0), int2(0), 1); }
//--- offset_type
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, sampler s, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'sample' with arguments of types (sampler, float2, float2) on an object of type 'thread texture2d<float, access::sample>'" */.sample(s, float2(0), float2(1)); }
//--- level_of_cube_gradient
#include <metal_stdlib>
using namespace metal;
kernel void k(texturecube<float> t, sampler s, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'sample' with arguments of types (sampler, float3, gradient2d) on an object of type 'thread texturecube<float, access::sample>'" */.sample(s, float3(0), gradient2d(float2(0), float2(0))); }
//--- unknown_method
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t) { t.fetch/* ERROR E1182 "no member named 'fetch' in 'texture2d<float, access::sample>'" */(uint2(0)); }
//--- depth_of_2d
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, device uint* p) { p[0] = t.get_depth/* ERROR E1182 "no member named 'get_depth' in 'texture2d<float, access::sample>'" */(); }
//--- layers_of_2d
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, device uint* p) { p[0] = t.get_array_size/* ERROR E1182 "no member named 'get_array_size' in 'texture2d<float, access::sample>'" */(); }
//--- height_of_1d
#include <metal_stdlib>
using namespace metal;
kernel void k(texture1d<float> t, device uint* p) { p[0] = t.get_height/* ERROR E1182 "no member named 'get_height' in 'texture1d<float, access::sample>'" */(); }
//--- samples_of_2d
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, device uint* p) { p[0] = t.get_num_samples/* ERROR E1182 "no member named 'get_num_samples' in 'texture2d<float, access::sample>'" */(); }
//--- no_sampler
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, device float4* p) { p[0] = t/* ERROR E1181 "no matching function for call to 'sample' with arguments of types (float2) on an object of type 'thread texture2d<float, access::sample>'" */.sample(float2(0)); }
//--- sampler_and_texture_swapped
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, sampler s, device float4* p) { p[0] = s.sample/* ERROR E1182 "no member named 'sample' in 'sampler'" */(t, float2(0)); }
//--- texture_arithmetic
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> a, texture2d<float> b) { auto c = a +/* ERROR E1132 "invalid operands to binary '+' ('texture2d<float, access::sample>' and 'texture2d<float, access::sample>')" */ b; }
//--- texture_compare
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> a, texture2d<float> b, device bool* p) { p[0] = a ==/* ERROR E1132 "invalid operands to binary '==' ('texture2d<float, access::sample>' and 'texture2d<float, access::sample>')" */ b; }
//--- texture_index
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> a, device float4* p) { p[0] = a[uint2/* ERROR E1129 "array subscript must be an integer, not 'uint2'" */(0)]; }
//--- texture_global
#include <metal_stdlib>
using namespace metal;
constant/* ERROR E1130 "variable 't' in constant address space must be initialized" */ texture2d<float> t;
kernel void k(device float4* p) { p[0] = t.read(uint2(0)); }
//--- texture_cast
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, device int* p) { p[0] = (/* ERROR E1126 "cannot cast from type 'texture2d<float, access::sample>' to type 'int'" */int)t; }
//--- texture_from_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { texture2d<float> t = texture2d/* ERROR E1126 "cannot cast from type 'int' to type 'texture2d<float, access::sample>'" */<float>(0); }
//--- texture_assign
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> a, texture2d<float, access::read> b) { a = b/* ERROR E1176 "no viable conversion from 'texture2d<float, access::read>' to 'texture2d<float, access::sample>' for assignment" */; }
//--- texture_atomic_type
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::read_write> t) { t.atomic_fetch_add/* ERROR E1220 "'atomic_fetch_add' does not apply to a texture of 'float'" */(uint2(0), float4(1)); }
//--- texture_array_index
#include <metal_stdlib>
using namespace metal;
kernel void k(array<texture2d<float>, 4> t, device float4* p) { p[0] = t/* ERROR E1129 "array subscript must be an integer, not 'float'" */[1.5f].read(uint2(0)); }
//--- access_as_number
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d/* ERROR E1219 "argument 2 of 'texture2d' must be of the enum 'access'" */<float, 1> t [[texture(0)]]) {}
//--- third_argument
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d/* ERROR E1219 "argument 3 of 'texture2d' must be of the enum 'memory_coherence'" */<float, access::read, 3> t [[texture(0)]]) {}
//--- too_many_arguments
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) {
  vec/* ERROR E1225 "too many template arguments for 'vec': it takes at most 2 arguments, but 3 given" */<float, 2, 3> v;
  array/* ERROR E1225 "too many template arguments for 'array': it takes at most 2 arguments, but 3 given" */<float, 2, 3> a;
}
//--- fence_of_read
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::read> t [[texture(0)]], texture2d<float> u [[texture(1)]], texture2d<float, access::read_write> v [[texture(2)]]) {
  t.fence/* ERROR E1220 "'fence' does not apply to a texture with access::read" */();
  u.fence/* ERROR E1220 "'fence' does not apply to a texture with access::sample" */();
  v.fence();
}

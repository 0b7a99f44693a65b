//--- returns_value
#include <metal_stdlib>
using namespace metal;
kernel int k/* ERROR E1164 "kernel 'k' must return void, not 'int'" */(device int* p) { return 1; }
//--- returns_vector
#include <metal_stdlib>
using namespace metal;
kernel float4 k/* ERROR E1164 "kernel 'k' must return void, not 'float4'" */(device int* p) { return float4(1); }
//--- kernel_calls_kernel
#include <metal_stdlib>
using namespace metal;
kernel void a(device int* p) {}
kernel void k(device int* p) { a/* ERROR E1141 "'a' is a kernel function and cannot be called" */(p); }
//--- argument_by_value
#include <metal_stdlib>
using namespace metal;
kernel void k(float/* ERROR E1110 "argument 'x' of a kernel needs an attribute, or to be a pointer, reference, texture or sampler, not 'float'" */ x, device float* p) { p[0] = x; }
//--- struct_by_value
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(S/* ERROR E1110 "argument 's' of a kernel needs an attribute, or to be a pointer, reference, texture or sampler, not 'S'" */ s, device int* p) { p[0] = s.a; }
//--- buffer_by_value
#include <metal_stdlib>
using namespace metal;
kernel void k(float x [[buffer/* ERROR E1119 "'buffer' attribute does not apply to an argument of type 'float'" */(0)]], device float* p [[buffer(1)]]) { p[0] = x; }
//--- array_by_value
#include <metal_stdlib>
using namespace metal;
kernel void k(float/* ERROR E1109 "argument 'x' of a kernel must point to 'device', 'constant' or 'threadgroup' memory, not 'thread'" */ x[4] [[buffer(0)]], device float* p [[buffer(1)]]) { p[0] = x[0]; }
//--- thread_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(thread/* ERROR E1109 "argument 'p' of a kernel must point to 'device', 'constant' or 'threadgroup' memory, not 'thread'" */ float* p [[buffer(0)]]) { p[0] = 1; }
//--- no_space_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(float/* ERROR E1109 "argument 'p' of a kernel must point to 'device', 'constant' or 'threadgroup' memory, not 'thread'" */* p [[buffer(0)]]) { p[0] = 1; }
//--- no_space_reference
#include <metal_stdlib>
using namespace metal;
kernel void k(float/* ERROR E1109 "argument 'p' of a kernel must point to 'device', 'constant' or 'threadgroup' memory, not 'thread'" */& p [[buffer(0)]]) { p = 1; }
//--- pointer_to_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device/* ERROR E1110 "argument 'p' of a kernel cannot point to a pointer" */ float* device* p [[buffer(0)]]) {}
//--- pointer_to_texture
#include <metal_stdlib>
using namespace metal;
kernel void k(device texture2d<float>* p [[texture/* ERROR E1119 "'texture' attribute does not apply to an argument of type 'device texture2d<float, access::sample> *'" */(0)]]) {}
//--- buffer_twice
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer(1)]], constant/* ERROR E1159 "buffer index 1 is used by two arguments" */ int& q [[buffer(1)]]) {}
//--- texture_twice
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> a [[texture(2)]], texture3d/* ERROR E1159 "texture index 2 is used by two arguments" */<float> b [[texture(2)]]) {}
//--- sampler_twice
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t, sampler a [[sampler(0)]], sampler/* ERROR E1159 "sampler index 0 is used by two arguments" */ b [[sampler(0)]]) {}
//--- threadgroup_twice
#include <metal_stdlib>
using namespace metal;
kernel void k(threadgroup int* a [[threadgroup(0)]], threadgroup/* ERROR E1159 "threadgroup index 0 is used by two arguments" */ float* b [[threadgroup(0)]]) {}
//--- texture_array_overlap
#include <metal_stdlib>
using namespace metal;
kernel void k(array<texture2d<float>, 4> a [[texture(0)]], texture2d/* ERROR E1159 "texture index 3 is used by two arguments" */<float> b [[texture(3)]]) {}
//--- texture_array_limit
#include <metal_stdlib>
using namespace metal;
kernel void k(array<texture2d<float>, 4> a [[texture/* ERROR E1160 "texture index 126 is not between 0 and 127" */(126)]]) {}
//--- buffer_limit
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer/* ERROR E1160 "buffer index 31 is not between 0 and 30" */(31)]]) {}
//--- buffer_negative
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer/* ERROR E1160 "buffer index -1 is not between 0 and 30" */(-1)]]) {}
//--- texture_limit
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t [[texture/* ERROR E1160 "texture index 128 is not between 0 and 127" */(128)]]) {}
//--- sampler_limit
#include <metal_stdlib>
using namespace metal;
kernel void k(sampler s [[sampler/* ERROR E1160 "sampler index 16 is not between 0 and 15" */(16)]]) {}
//--- threadgroup_limit
#include <metal_stdlib>
using namespace metal;
kernel void k(threadgroup int* p [[threadgroup/* ERROR E1160 "threadgroup index 31 is not between 0 and 30" */(31)]]) {}
//--- buffer_without_index
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer/* ERROR E1116 "'buffer' attribute takes one argument" */]]) {}
//--- buffer_two_indices
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer/* ERROR E1116 "'buffer' attribute takes one argument" */(0, 1)]]) {}
//--- buffer_index_string
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer("a"/* ERROR E1200 "index must be an integer, not 'const constant char *'" */)]]) {}
//--- buffer_index_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer(1.5/* ERROR E1200 "index must be an integer, not 'float'" */)]]) {}
//--- buffer_index_unknown
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer(N/* ERROR E1100 "use of undeclared identifier 'N'" */)]]) {}
//--- buffer_index_runtime
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant(0)]];
kernel void k(device int* p [[buffer(n/* ERROR E1200 "index is not a constant expression: it depends on a function constant" */)]]) {}
//--- buffer_on_texture
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t [[buffer/* ERROR E1119 "'buffer' attribute does not apply to an argument of type 'texture2d<float, access::sample>'" */(0)]]) {}
//--- buffer_on_sampler
#include <metal_stdlib>
using namespace metal;
kernel void k(sampler t [[buffer/* ERROR E1119 "'buffer' attribute does not apply to an argument of type 'sampler'" */(0)]]) {}
//--- buffer_on_threadgroup
#include <metal_stdlib>
using namespace metal;
kernel void k(threadgroup int* t [[buffer/* ERROR E1119 "'buffer' attribute does not apply to an argument of type 'threadgroup int *'" */(0)]]) {}
//--- texture_on_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* t [[texture/* ERROR E1119 "'texture' attribute does not apply to an argument of type 'device int *'" */(0)]]) {}
//--- texture_on_sampler
#include <metal_stdlib>
using namespace metal;
kernel void k(sampler t [[texture/* ERROR E1119 "'texture' attribute does not apply to an argument of type 'sampler'" */(0)]]) {}
//--- sampler_on_texture
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t [[sampler/* ERROR E1119 "'sampler' attribute does not apply to an argument of type 'texture2d<float, access::sample>'" */(0)]]) {}
//--- sampler_on_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* t [[sampler/* ERROR E1119 "'sampler' attribute does not apply to an argument of type 'device int *'" */(0)]]) {}
//--- threadgroup_on_device
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* t [[threadgroup/* ERROR E1119 "'threadgroup' attribute does not apply to an argument of type 'device int *'" */(0)]]) {}
//--- threadgroup_on_value
#include <metal_stdlib>
using namespace metal;
kernel void k(int t [[threadgroup/* ERROR E1119 "'threadgroup' attribute does not apply to an argument of type 'int'" */(0)]]) {}
//--- two_bindings
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer(0), buffer/* ERROR E1117 "'buffer' and 'buffer' attributes are not compatible" */(1)]]) {}
//--- input_on_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[thread_position_in_grid/* ERROR E1119 "argument with 'thread_position_in_grid' attribute must be 'uint', 'ushort' or a vector of up to three of them, not 'device int *'" */]]) {}
//--- input_on_reference
#include <metal_stdlib>
using namespace metal;
kernel void k(constant uint& p [[thread_position_in_grid/* ERROR E1119 "argument with 'thread_position_in_grid' attribute must be 'uint', 'ushort' or a vector of up to three of them, not 'constant uint &'" */]]) {}
//--- input_signed
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, int i [[thread_position_in_grid/* ERROR E1119 "argument with 'thread_position_in_grid' attribute must be 'uint', 'ushort' or a vector of up to three of them, not 'int'" */]]) {}
//--- input_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, float2 i [[thread_position_in_grid/* ERROR E1119 "argument with 'thread_position_in_grid' attribute must be 'uint', 'ushort' or a vector of up to three of them, not 'float2'" */]]) {}
//--- input_long
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, ulong i [[thread_position_in_grid/* ERROR E1119 "argument with 'thread_position_in_grid' attribute must be 'uint', 'ushort' or a vector of up to three of them, not 'ulong'" */]]) {}
//--- input_uchar
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uchar i [[thread_position_in_grid/* ERROR E1119 "argument with 'thread_position_in_grid' attribute must be 'uint', 'ushort' or a vector of up to three of them, not 'uchar'" */]]) {}
//--- input_four
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint4 i [[thread_position_in_grid/* ERROR E1119 "argument with 'thread_position_in_grid' attribute must be 'uint', 'ushort' or a vector of up to three of them, not 'uint4'" */]]) {}
//--- input_packed
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, packed_uint3 i [[thread_position_in_grid/* ERROR E1119 "argument with 'thread_position_in_grid' attribute must be 'uint', 'ushort' or a vector of up to three of them, not 'packed_uint3'" */]]) {}
//--- input_struct
#include <metal_stdlib>
using namespace metal;
struct S { uint a; };
kernel void k(device int* p, S i [[thread_position_in_grid/* ERROR E1119 "argument with 'thread_position_in_grid' attribute must be 'uint', 'ushort' or a vector of up to three of them, not 'S'" */]]) {}
//--- input_bool
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, bool i [[thread_index_in_threadgroup/* ERROR E1119 "argument with 'thread_index_in_threadgroup' attribute must be 'uint' or 'ushort', not 'bool'" */]]) {}
//--- input_index_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint2 i [[thread_index_in_threadgroup/* ERROR E1119 "argument with 'thread_index_in_threadgroup' attribute must be 'uint' or 'ushort', not 'uint2'" */]]) {}
//--- input_lane_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint3 i [[thread_index_in_simdgroup/* ERROR E1119 "argument with 'thread_index_in_simdgroup' attribute must be 'uint' or 'ushort', not 'uint3'" */]]) {}
//--- input_simdgroup_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint2 i [[simdgroup_index_in_threadgroup/* ERROR E1119 "argument with 'simdgroup_index_in_threadgroup' attribute must be 'uint' or 'ushort', not 'uint2'" */]]) {}
//--- input_width_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint2 i [[threads_per_simdgroup/* ERROR E1119 "argument with 'threads_per_simdgroup' attribute must be 'uint' or 'ushort', not 'uint2'" */]]) {}
//--- input_quad_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint2 i [[thread_index_in_quadgroup/* ERROR E1119 "argument with 'thread_index_in_quadgroup' attribute must be 'uint' or 'ushort', not 'uint2'" */]]) {}
//--- input_sizes_differ
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint2 i [[thread_position_in_grid]], uint n [[threads_per_grid]], uint3 g [[grid_size]]) {}
//--- input_widths_differ
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint2 i [[thread_position_in_grid]], uint3/* ERROR E1119 "vector positions and sizes must have the same length, but 'i' is 'uint2' and 'n' is 'uint3'" */ n [[threads_per_threadgroup]]) {}
//--- input_argument
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint i [[thread_position_in_grid/* ERROR E1116 "'thread_position_in_grid' attribute takes no arguments" */(0)]]) {}
//--- stage_in
#include <metal_stdlib>
using namespace metal;
struct S { float4 a [[attribute(0)]]; };
kernel void k(S s [[stage_in/* ERROR U0103 "not supported: [[stage_in]] arguments of kernels" */]], device float4* p) { p[0] = s.a; }
//--- binding_on_local
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int n [[buffer/* ERROR E1118 "'buffer' attribute does not apply to a local variable" */(0)]] = 1; }
//--- kernel_method
#include <metal_stdlib>
using namespace metal;
struct S { kernel void f/* ERROR E1118 "the kernel function 'f' cannot be a member" */(device int* p) {} };
//--- kernel_static_method
#include <metal_stdlib>
using namespace metal;
struct S { [[kernel]] static void f/* ERROR E1118 "the kernel function 'f' cannot be a member" */(device int* p) {} };
//--- kernel_twice
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) {}
kernel/* ERROR E1149 "redefinition of entry point 'k'" */ void k(device int* p) {}
//--- kernel_overload
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) {}
kernel/* ERROR E1149 "redefinition of entry point 'k'" */ void k(device float* p) {}
//--- host_name_twice
#include <metal_stdlib>
using namespace metal;
template <typename T> kernel void k(device T* p) {}
template [[host_name("a")]] kernel void k<int>(device int* p);
template/* ERROR E1149 "redefinition of entry point 'a'" */ [[host_name("a")]] kernel void k<float>(device float* p);
//--- host_name_number
#include <metal_stdlib>
using namespace metal;
template <typename T> kernel void k(device T* p) {}
template [[host_name/* ERROR E1116 "'host_name' attribute requires a string" */(1)]] kernel void k<int>(device int* p);
//--- host_name_nothing
#include <metal_stdlib>
using namespace metal;
template <typename T> kernel void k(device T* p) {}
template [[host_name/* ERROR E1116 "'host_name' attribute requires a string" */]] kernel void k<int>(device int* p);
//--- host_name_empty
#include <metal_stdlib>
using namespace metal;
template <typename T> kernel void k(device T* p) {}
template [[host_name/* ERROR E1116 "argument of 'host_name' attribute must not be empty" */("")]] kernel void k<int>(device int* p);
//--- host_name_clash
#include <metal_stdlib>
using namespace metal;
kernel void b(device int* p) {}
[/* ERROR E1149 "redefinition of entry point 'b'" */[host_name("b")]] kernel void k(device int* p) {}
//--- max_threads_zero
#include <metal_stdlib>
using namespace metal;
[[max_total_threads_per_threadgroup/* ERROR E1160 "0 threads per threadgroup is not between 1 and 1024" */(0)]] kernel void k(device int* p) {}
//--- max_threads_large
#include <metal_stdlib>
using namespace metal;
[[max_total_threads_per_threadgroup/* ERROR E1160 "1025 threads per threadgroup is not between 1 and 1024" */(1025)]] kernel void k(device int* p) {}
//--- max_threads_nothing
#include <metal_stdlib>
using namespace metal;
[[max_total_threads_per_threadgroup/* ERROR E1116 "'max_total_threads_per_threadgroup' attribute takes one argument" */]] kernel void k(device int* p) {}
//--- max_threads_two
#include <metal_stdlib>
using namespace metal;
[[max_total_threads_per_threadgroup/* ERROR E1116 "'max_total_threads_per_threadgroup' attribute takes one argument" */(8, 8)]] kernel void k(device int* p) {}
//--- max_threads_runtime
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant(0)]];
[[max_total_threads_per_threadgroup(n/* ERROR E1200 "number of threads is not a constant expression: it depends on a function constant" */)]] kernel void k(device int* p) {}
//--- max_threads_float
#include <metal_stdlib>
using namespace metal;
[[max_total_threads_per_threadgroup(1.5/* ERROR E1200 "number of threads must be an integer, not 'float'" */)]] kernel void k(device int* p) {}
//--- required_threads_four
#include <metal_stdlib>
using namespace metal;
[[required_threads_per_threadgroup/* ERROR E1116 "'required_threads_per_threadgroup' attribute takes one to three arguments" */(1, 2, 3, 4)]] kernel void k(device int* p) {}
//--- required_threads_zero
#include <metal_stdlib>
using namespace metal;
[[required_threads_per_threadgroup(0/* ERROR E1160 "0 threads per threadgroup is not between 1 and 1024" */, 1, 1)]] kernel void k(device int* p) {}
//--- required_threads_large
#include <metal_stdlib>
using namespace metal;
[[required_threads_per_threadgroup/* ERROR E1160 "4096 threads per threadgroup is not between 1 and 1024" */(64, 64, 1)]] kernel void k(device int* p) {}
//--- variadic_kernel
#include <metal_stdlib>
using namespace metal;
kernel void k/* ERROR E1110 "kernel 'k' cannot be variadic" */(device int* p, ...) {}
//--- template_kernel_unnamed
#include <metal_stdlib>
using namespace metal;
template <typename T> kernel void k(T/* ERROR E1110 "argument 'p' of a kernel needs an attribute, or to be a pointer, reference, texture or sampler, not 'int'" */ p) {}
template [[host_name("a")]] kernel void k<int>(int p);
//--- bool_buffer_size
#include <metal_stdlib>
using namespace metal;
kernel void k(constant bool4* p [[buffer(0)]], texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], device/* ERROR E1159 "buffer index 0 is used by two arguments" */ void* v [[buffer(0)]]) {}
//--- void_argument
#include <metal_stdlib>
using namespace metal;
kernel void k(void/* ERROR E1231 "parameter 'p' may not have 'void' type" */ p [[buffer(0)]]) {}
//--- void_reference_argument
#include <metal_stdlib>
using namespace metal;
kernel void k(device/* ERROR E1135 "cannot form a reference to 'void'" */ void& p [[buffer(0)]]) {}
//--- incomplete_reference
#include <metal_stdlib>
using namespace metal;
struct S;
kernel void k(device/* ERROR E1158 "incomplete type 'S' where a complete type is required" */ S& p [[buffer(0)]]) {}
//--- const_threadgroup_reference
#include <metal_stdlib>
using namespace metal;
kernel void k(threadgroup int& p [[threadgroup(0)]], threadgroup/* ERROR E1159 "threadgroup index 0 is used by two arguments" */ int& q [[threadgroup(0)]]) {}
//--- sampler_reference
#include <metal_stdlib>
using namespace metal;
kernel void k(device sampler& s [[sampler/* ERROR E1119 "'sampler' attribute does not apply to an argument of type 'device sampler &'" */(0)]]) {}
//--- atomic_by_value
#include <metal_stdlib>
using namespace metal;
kernel void k(atomic_int a [[buffer/* ERROR E1119 "'buffer' attribute does not apply to an argument of type 'atomic_int'" */(0)]]) {}
//--- constant_atomic
#include <metal_stdlib>
using namespace metal;
kernel void k(constant atomic_int& a [[buffer(0)]], device int* p [[buffer(1)]]) { p[0] = atomic_load_explicit/* ERROR E1181 "no matching function for call to 'atomic_load_explicit' with arguments of types (constant atomic_int *, memory_order)" */(&a, memory_order_relaxed); }
//--- too_many_buffers
#include <metal_stdlib>
using namespace metal;
kernel void k(constant int& a0, constant int& a1, constant int& a2, constant int& a3, constant int& a4, constant int& a5, constant int& a6, constant int& a7,
  constant int& b0, constant int& b1, constant int& b2, constant int& b3, constant int& b4, constant int& b5, constant int& b6, constant int& b7,
  constant int& c0, constant int& c1, constant int& c2, constant int& c3, constant int& c4, constant int& c5, constant int& c6, constant int& c7,
  constant int& d0, constant int& d1, constant int& d2, constant int& d3, constant int& d4, constant int& d5, constant int& d6, constant/* ERROR E1160 "argument 'd7' has no buffer index left: there are 31" */ int& d7) {}
//--- attribute_on_global
#include <metal_stdlib>
using namespace metal;
constant int table [[buffer/* ERROR E1118 "'buffer' attribute does not apply to a variable" */(0)]] = 1;
[[kernel/* ERROR E1118 "'kernel' attribute does not apply to a variable" */]] constant int other = 2;
kernel void k(device int* p) { p[0] = table + other; }
//--- attribute_on_type
#include <metal_stdlib>
using namespace metal;
struct [[buffer/* ERROR E1118 "'buffer' attribute does not apply to a type" */(0)]] Params { int n; };
struct [[kernel/* ERROR E1118 "'kernel' attribute does not apply to a type" */]] Other { int n; };
kernel void k(device Params* p, device Other* q) { p->n = q->n; }
//--- attribute_on_function
#include <metal_stdlib>
using namespace metal;
[[texture/* ERROR E1118 "'texture' attribute does not apply to a function" */(0)]] int f() { return 1; }
[[max_total_threads_per_threadgroup/* ERROR E1118 "'max_total_threads_per_threadgroup' attribute does not apply to a function that is no entry point" */(64)]] int g() { return 1; }
kernel void k(device int* p) { p[0] = f() + g(); }
//--- attribute_on_local
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) {
  [[kernel/* ERROR E1118 "'kernel' attribute does not apply to a local variable" */]] int a = 1;
  p[0] = a;
}
//--- attributes_repeated_by_functions
#include <metal_stdlib>
using namespace metal;
static int f(device int* p [[buffer(0)]], uint i [[thread_position_in_grid]]) { return p[i]; }
kernel void k(device int* p [[buffer(0)]], uint i [[thread_position_in_grid]]) { p[i] = f(p, i + 1); }
//--- main_kernel
#include <metal_stdlib>
using namespace metal;
kernel void main/* ERROR E1207 "'main' is reserved for a function that returns 'int' and takes no arguments; rename this function" */(device int* p) { p[0] = 1; }
//--- main_function
#include <metal_stdlib>
using namespace metal;
static float main/* ERROR E1207 "'main' is reserved for a function that returns 'int' and takes no arguments; rename this function" */(float x) { return x; }
namespace inner { static float main(float x) { return x; } }
kernel void k(device float* p) { p[0] = inner::main(1); }
//--- space_of_result
#include <metal_stdlib>
using namespace metal;
device/* ERROR E1136 "return type of 'f' cannot be qualified with address space 'device'" */ float f() { return 1; }
static device float* g(device float* p) { return p; }
static device float& h(device float* p) { return *p; }
kernel void k(device float* p) { *g(p) = h(p); }
//--- misspelt_input
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint i [[thread_position_in_gird/* ERROR E1110 "'thread_position_in_gird' attribute does not say what argument 'i' of a kernel is bound to; did you mean 'thread_position_in_grid'?" *//* WARNING E1305 "unknown attribute" */]]) {}
//--- input_of_rendering
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, uint i [[vertex_id/* ERROR E1119 "'vertex_id' attribute does not apply to an argument of a kernel" */]], float4 q [[position/* ERROR E1119 "'position' attribute does not apply to an argument of a kernel" */]]) {}
//--- function_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, void/* ERROR E1110 "argument 'f' of a kernel cannot point to a function" */ (*f)()) {}
//--- array_ref
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, array_ref/* ERROR U0104 "not supported: arguments of type 'array_ref<float>'" */<float> r) {}
//--- visible_kernel
[[visible/* ERROR E1118 "'visible' attribute does not apply to a kernel" */]] kernel void k(device int* p) { p[0] = 1; }

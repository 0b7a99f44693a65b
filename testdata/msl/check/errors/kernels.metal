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
//--- native_scope
#include <metal_stdlib>
using namespace metal;
[[puremetal/* ERROR "there is no attribute 'puremetal::nativ'" */::nativ("matmul")]] kernel void k(device int* a) {}
//--- native_argument
#include <metal_stdlib>
using namespace metal;
[[puremetal/* ERROR "takes the name of a native body as a string" */::native(3)]] kernel void k(device int* a) {}
//--- native_name
#include <metal_stdlib>
using namespace metal;
[[puremetal/* ERROR "there is no native body 'multiply'" */::native("multiply")]] kernel void k(device int* a) {}
//--- native_few
#include <metal_stdlib>
using namespace metal;
[[puremetal/* ERROR "native body 'matmul' has 4 buffers, and kernel 'k' has 1" */::native("matmul")]]
kernel void k(device int* a) {}
//--- native_many
#include <metal_stdlib>
using namespace metal;
struct P { int a[72]; };
[[puremetal::native("matmul")]]
kernel void k(device int* a, device const int* b, device const int* c, constant P& p,
  device/* ERROR "argument 'd' is none of them" */ int* d) {}
//--- native_struct
#include <metal_stdlib>
using namespace metal;
struct P { int a[71]; };
[[puremetal::native("matmul")]]
kernel void k(device int* a, device const int* b, device const int* c,
  constant/* ERROR "must be a buffer in constant memory with index 3, a struct of 288 bytes" */ P& p) {}
//--- native_const
#include <metal_stdlib>
using namespace metal;
struct P { int a[72]; };
[[puremetal::native("matmul")]]
kernel void k(device/* ERROR "must be a writable buffer in device memory with index 0, of scalars" */ const int* a, device const int* b,
  device const int* c, constant P& p) {}
//--- native_vector
#include <metal_stdlib>
using namespace metal;
struct P { int a[72]; };
[[puremetal::native("matmul")]]
kernel void k(device int* a, device/* ERROR "must be a read-only buffer in device memory with index 1, of scalars" */ const int2* b,
  device const int* c, constant P& p) {}
//--- native_constant
#include <metal_stdlib>
using namespace metal;
struct P { int a[72]; };
constant int n [[function_constant(0)]];
[[puremetal::native("matmul")]]
kernel void k/* ERROR "cannot use function constants, and 'k' uses 'n'" */(device int* a, device const int* b,
  device const int* c, constant P& p) { a[0] = n; }
//--- kinds of functions
[[kernel]] [[vertex /* ERROR E1117 "a function is an entry point of one stage: 'kernel' and 'vertex' are not compatible" */]] void both() {}
kernel [[fragment /* ERROR E1117 "a function is an entry point of one stage: 'kernel' and 'fragment' are not compatible" */]] void mixed() {}
[[kernel, mesh /* ERROR E1117 "a function is an entry point of one stage: 'kernel' and 'mesh' are not compatible" */]] void list() {}
template <typename T> [[kernel]] [[object /* ERROR E1117 "a function is an entry point of one stage: 'kernel' and 'object' are not compatible" */]] void of(device T *p) {}
[[kernel]] kernel void twice() {}
//--- conditions of arguments
constant bool flag [[function_constant(0)]];
constant bool computed = !flag;
constant bool fixed = true;
kernel void number(device float *a [[buffer(0), function_constant /* ERROR E1116 "'function_constant' attribute of an argument must name a function constant" */(3)]]) {}
kernel void expression(device float *a [[buffer(0), function_constant /* ERROR E1116 "'function_constant' attribute of an argument must name a function constant" */(!flag)]]) {}
kernel void other(device float *a [[buffer(0), function_constant /* ERROR E1116 "'function_constant' attribute of an argument must name a function constant" */(fixed)]]) {}
kernel void fine(device float *a [[buffer(0), function_constant(flag)]], device float *b [[buffer(1), function_constant(computed)]]) {}

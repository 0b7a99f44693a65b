//--- no_flags
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { threadgroup_barrier/* ERROR E1181 "no matching function for call to 'threadgroup_barrier' with arguments of types ()" */(); }
//--- simdgroup_no_flags
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { simdgroup_barrier/* ERROR E1181 "no matching function for call to 'simdgroup_barrier' with arguments of types ()" */(); }
//--- number
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { threadgroup_barrier/* ERROR E1181 "no matching function for call to 'threadgroup_barrier' with arguments of types (int)" */(2); }
//--- bool_flags
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { threadgroup_barrier/* ERROR E1181 "no matching function for call to 'threadgroup_barrier' with arguments of types (bool)" */(true); }
//--- memory_order
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { threadgroup_barrier/* ERROR E1181 "no matching function for call to 'threadgroup_barrier' with arguments of types (memory_order)" */(memory_order_relaxed); }
//--- unknown_flag
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { threadgroup_barrier(mem_flags::mem_all/* ERROR E1183 "no name named 'mem_all' in 'mem_flags'" */); }
//--- unqualified_flag
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { threadgroup_barrier(mem_threadgroup/* ERROR E1100 "use of undeclared identifier 'mem_threadgroup'" */); }
//--- flags_or_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { threadgroup_barrier(mem_flags::mem_device |/* ERROR E1132 "invalid operands to binary '|' ('mem_flags' and 'int')" */ 2); }
//--- flags_plus
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { threadgroup_barrier(mem_flags::mem_device +/* ERROR E1132 "invalid operands to binary '+' ('mem_flags' and 'mem_flags')" */ mem_flags::mem_threadgroup); }
//--- two_flags
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { threadgroup_barrier/* ERROR E1181 "no matching function for call to 'threadgroup_barrier' with arguments of types (mem_flags, mem_flags)" */(mem_flags::mem_device, mem_flags::mem_threadgroup); }
//--- used_as_value
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = threadgroup_barrier/* ERROR E1176 "no viable conversion from 'void' to 'int' for assignment" */(mem_flags::mem_none); }
//--- fence_no_scope
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { atomic_thread_fence/* ERROR E1181 "no matching function for call to 'atomic_thread_fence' with arguments of types (mem_flags)" */(mem_flags::mem_device); }
//--- fence_relaxed_scope
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { atomic_thread_fence/* ERROR E1181 "no matching function for call to 'atomic_thread_fence' with arguments of types (mem_flags, memory_order, int)" */(mem_flags::mem_device, memory_order_seq_cst, 2); }
//--- fence_no_flags
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { atomic_thread_fence/* ERROR E1181 "no matching function for call to 'atomic_thread_fence' with arguments of types (memory_order)" */(memory_order_seq_cst); }
//--- gl_style
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { barrier/* ERROR E1100 "use of undeclared identifier 'barrier'" */(); }
//--- cuda_style
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { __syncthreads/* ERROR E1100 "use of undeclared identifier '__syncthreads'" */(); }
//--- quadgroup_barrier
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { quadgroup_barrier/* ERROR E1100 "use of undeclared identifier 'quadgroup_barrier'" */(mem_flags::mem_none); }
//--- flags_variable_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int f = mem_flags/* ERROR E1176 "no viable conversion from 'mem_flags' to 'int' for variable 'f'" */::mem_device; }
//--- scope_unknown
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_grid/* ERROR E1100 "use of undeclared identifier 'thread_scope_grid'" */); }

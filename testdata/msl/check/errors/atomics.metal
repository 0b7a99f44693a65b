//--- add
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { a[0] +/* ERROR E1132 "invalid operands to binary '+' ('atomic_int' and 'int')" */ 1; }
//--- increment
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { a/* ERROR E1132 "cannot increment or decrement value of type 'atomic_int'" */[0]++; }
//--- compound
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_uint* a) { a/* ERROR E1132 "invalid operands to binary '+=' ('atomic_uint' and 'int')" */[0] += 1; }
//--- assign_value
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { a/* ERROR E1115 "atomics are written by atomic_store_explicit and the like, not by '='" */[0] = 1; }
//--- copy
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a, device atomic_int* b) { a/* ERROR E1115 "atomics are written by atomic_store_explicit and the like, not by '='" */[0] = b[0]; }
//--- read_value
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a, device int* p) { p[0] = a/* ERROR E1176 "no viable conversion from 'atomic_int' to 'int' for assignment" */[0]; }
//--- compare
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a, device bool* p) { p[0] = a[0] ==/* ERROR E1132 "invalid operands to binary '==' ('atomic_int' and 'int')" */ 1; }
//--- condition
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_bool* a, device bool* p) { if (a/* ERROR E1176 "no viable conversion from 'atomic_bool' to 'bool' for condition" */[0]) p[0] = true; }
//--- thread_load
#include <metal_stdlib>
using namespace metal;
int f(thread atomic_int* a) { return atomic_load_explicit/* ERROR E1181 "no matching function for call to 'atomic_load_explicit' with arguments of types (thread atomic_int *, memory_order)" */(a, memory_order_relaxed); }
kernel void k(device int* p) {}
//--- constant_space
#include <metal_stdlib>
using namespace metal;
kernel void k(constant atomic_int* a, device int* p) { p[0] = atomic_load_explicit/* ERROR E1181 "no matching function for call to 'atomic_load_explicit' with arguments of types (constant atomic_int *, memory_order)" */(a, memory_order_relaxed); }
//--- const_store
#include <metal_stdlib>
using namespace metal;
kernel void k(device const atomic_int* a) { atomic_store_explicit/* ERROR E1181 "no matching function for call to 'atomic_store_explicit' with arguments of types (const device atomic_int *, int, memory_order)" */(a, 1, memory_order_relaxed); }
//--- const_fetch
#include <metal_stdlib>
using namespace metal;
kernel void k(device const atomic_int* a) { atomic_fetch_add_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_add_explicit' with arguments of types (const device atomic_int *, int, memory_order)" */(a, 1, memory_order_relaxed); }
//--- plain_object
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* a) { atomic_fetch_add_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_add_explicit' with arguments of types (device int *, int, memory_order)" */(a, 1, memory_order_relaxed); }
//--- object_not_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { atomic_fetch_add_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_add_explicit' with arguments of types (device atomic_int, int, memory_order)" */(a[0], 1, memory_order_relaxed); }
//--- no_order
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { atomic_fetch_add_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_add_explicit' with arguments of types (device atomic_int *, int)" */(a, 1); }
//--- order_number
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { atomic_fetch_add_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_add_explicit' with arguments of types (device atomic_int *, int, int)" */(a, 1, 0); }
//--- not_explicit
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { atomic_fetch_add/* ERROR E1100 "use of undeclared identifier 'atomic_fetch_add'" */(a, 1); }
//--- operand_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { atomic_fetch_add_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_add_explicit' with arguments of types (device atomic_int *, int2, memory_order)" */(a, int2(1), memory_order_relaxed); }
//--- float_and
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_float* a) { atomic_fetch_and_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_and_explicit' with arguments of types (device atomic_float *, int, memory_order)" */(a, 1, memory_order_relaxed); }
//--- float_max
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_float* a) { atomic_fetch_max_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_max_explicit' with arguments of types (device atomic_float *, float, memory_order)" */(a, 1.0f, memory_order_relaxed); }
//--- bool_add
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_bool* a) { atomic_fetch_add_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_add_explicit' with arguments of types (device atomic_bool *, int, memory_order)" */(a, 1, memory_order_relaxed); }
//--- ulong_add
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_ulong* a) { atomic_fetch_add_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_add_explicit' with arguments of types (device atomic_ulong *, int, memory_order)" */(a, 1, memory_order_relaxed); }
//--- ulong_load
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_ulong* a, device ulong* p) { p[0] = atomic_load_explicit/* ERROR E1181 "no matching function for call to 'atomic_load_explicit' with arguments of types (device atomic_ulong *, memory_order)" */(a, memory_order_relaxed); }
//--- ulong_fetch_max
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_ulong* a) { atomic_fetch_max_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_max_explicit' with arguments of types (device atomic_ulong *, ulong, memory_order)" */(a, 1ul, memory_order_relaxed); }
//--- ulong_max_threadgroup
#include <metal_stdlib>
using namespace metal;
kernel void k(threadgroup atomic_ulong* a) { atomic_max_explicit/* ERROR E1181 "no matching function for call to 'atomic_max_explicit' with arguments of types (threadgroup atomic_ulong *, ulong, memory_order)" */(a, 1ul, memory_order_relaxed); }
//--- uint_max
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_uint* a) { atomic_max_explicit/* ERROR E1181 "no matching function for call to 'atomic_max_explicit' with arguments of types (device atomic_uint *, uint, memory_order)" */(a, 1u, memory_order_relaxed); }
//--- short_atomic
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic/* ERROR E1131 "there is no 'atomic<short>'" */<short>* a) {}
//--- half_atomic
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic/* ERROR E1131 "there is no 'atomic<half>'" */<half>* a) {}
//--- long_atomic
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic/* ERROR E1131 "there is no 'atomic<long>'" */<long>* a) {}
//--- vector_atomic
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic/* ERROR E1131 "there is no 'atomic<int2>'" */<int2>* a) {}
//--- struct_atomic
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device atomic/* ERROR E1131 "there is no 'atomic<S>'" */<S>* a) {}
//--- pointer_atomic
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic/* ERROR E1131 "there is no 'atomic<device int *>'" */<device int*>* a) {}
//--- expected_space
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a, device int* e) { atomic_compare_exchange_weak_explicit/* ERROR E1181 "no matching function for call to 'atomic_compare_exchange_weak_explicit' with arguments of types (device atomic_int *, device int *, int, memory_order, memory_order)" */(a, e, 1, memory_order_relaxed, memory_order_relaxed); }
//--- expected_type
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { uint e = 0; atomic_compare_exchange_weak_explicit/* ERROR E1181 "no matching function for call to 'atomic_compare_exchange_weak_explicit' with arguments of types (device atomic_int *, thread uint *, int, memory_order, memory_order)" */(a, &e, 1, memory_order_relaxed, memory_order_relaxed); }
//--- one_order
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { int e = 0; atomic_compare_exchange_weak_explicit/* ERROR E1181 "no matching function for call to 'atomic_compare_exchange_weak_explicit' with arguments of types (device atomic_int *, thread int *, int, memory_order)" */(a, &e, 1, memory_order_relaxed); }
//--- strong
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { int e = 0; atomic_compare_exchange_strong_explicit/* ERROR E1100 "use of undeclared identifier 'atomic_compare_exchange_strong_explicit'" */(a, &e, 1, memory_order_relaxed, memory_order_relaxed); }
//--- order_unknown
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { atomic_store_explicit(a, 1, memory_order_consume/* ERROR E1100 "use of undeclared identifier 'memory_order_consume'" */); }
//--- member
#include <metal_stdlib>
using namespace metal;
struct S { atomic_int a; };
kernel void k(device S* s) { s/* ERROR E1115 "atomics are written by atomic_store_explicit and the like, not by '='" */->a = 1; }
//--- initialized
#include <metal_stdlib>
using namespace metal;
struct S { atomic_int a; };
kernel void k(device int* p) { S/* ERROR E1115 "'s' has atomics and must be in address space 'device' or 'threadgroup'" */ s = {1/* ERROR E1176 "no viable conversion from 'int' to 'atomic_int' for member 'a'" */}; }
//--- cast_value
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a, device int* p) { p[0] = int/* ERROR E1126 "cannot cast from type 'atomic_int' to type 'int'" */(a[0]); }
//--- as_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a) { device int* p = a/* ERROR E1176 "no viable conversion from 'device atomic_int *' to 'device int *' for variable 'p'" */; }
//--- method_load
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a, device int* p) { p[0] = a->load/* ERROR E1182 "no member named 'load' in 'atomic_int'" */(); }
//--- parameter_by_value
#include <metal_stdlib>
using namespace metal;
static int f(atomic_int/* ERROR E1115 "atomics cannot be copied: parameter 'a' must be a pointer or a reference" */ a) { return 1; }
kernel void k(device int* p) { p[0] = 1; }
//--- result_by_value
#include <metal_stdlib>
using namespace metal;
atomic_uint/* ERROR E1115 "atomics cannot be copied: function 'f' must return a pointer or a reference" */ f(device atomic_uint* a);
kernel void k(device int* p) { p[0] = 1; }
//--- local_atomic
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* p) {
  threadgroup atomic_int shared;
  atomic_int/* ERROR E1115 "atomic 'mine' must be in address space 'device' or 'threadgroup'" */ mine = p[0];
  atomic_store_explicit(&shared, 1, memory_order_relaxed);
}
//--- other_orders
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_int* a, device int* p, constant memory_order& order) {
  constexpr memory_order relaxed = memory_order_relaxed;
  atomic_store_explicit(a, 1, relaxed);
  p[0] = atomic_load_explicit(a, memory_order_acquire/* ERROR E1115 "'atomic_load_explicit' supports memory_order_relaxed only; use atomic_thread_fence to order other accesses" */);
  atomic_fetch_add_explicit(a, 1, order/* ERROR E1200 "the memory order of 'atomic_fetch_add_explicit' is not a constant expression" */);
}
//--- local_struct_with_atomic
#include <metal_stdlib>
using namespace metal;
struct Slot { atomic_uint count; uint other; };
kernel void k(device Slot* p) {
  threadgroup Slot shared;
  device Slot& ref = p[1];
  Slot/* ERROR E1115 "'mine' has atomics and must be in address space 'device' or 'threadgroup'" */ mine[2];
  shared.other = ref.other;
}
//--- float_in_threadgroup
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_float* p) {
  threadgroup atomic<float> t;
  atomic_store_explicit(&t, 1.0f, memory_order_relaxed);
  atomic_fetch_add_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_add_explicit' with arguments of types (threadgroup atomic_float *, float, memory_order)" */(&t, 1.0f, memory_order_relaxed);
  atomic_fetch_sub_explicit/* ERROR E1181 "no matching function for call to 'atomic_fetch_sub_explicit' with arguments of types (threadgroup atomic_float *, float, memory_order)" */(&t, 1.0f, memory_order_relaxed);
  atomic_fetch_add_explicit(p, 1, memory_order_relaxed);
  atomic_fetch_sub_explicit(p, 1.0f, memory_order_relaxed);
  atomic_exchange_explicit(&t, 2.0f, memory_order_relaxed);
}

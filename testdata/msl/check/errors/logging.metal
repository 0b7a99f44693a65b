//--- addressof_value
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer(0)]]) { p[0] = *addressof/* ERROR "cannot take the address of a temporary of type 'int'" */(p[0] + 1); }
//--- old_min3 [metal 2.0]
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer(0)]]) { p[0] = min3/* ERROR E1173 "'min3' needs metal 2.1" */(p[0], p[1], p[2]); }
//--- log_format
#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log custom("com.example", "kernels");
kernel void k(device float* p [[buffer(0)]], constant char *format [[buffer(1)]]) {
  os_log_default.log_debug("%d of %i, %5.2f%% %x", 1, ushort(2), p[0], 3u);
  custom.log_info("%v4hf %v2d %p %c", half4(1), int2(0), p, 'x');
  os_log_default/* ERROR E1265 "the format of 'log' must be a string literal" */.log(format);
  os_log_default/* WARNING E1265 "the format has 2 conversions, 1 arguments are given" */.log("%d %d", 1);
  custom/* WARNING E1265 "the format has 1 conversions, 2 arguments are given" */.log_with_type(os_log_type_error, "%d", 1, 2);
  custom.log_fault("%d", p/* WARNING E1265 "'%d' does not format 'float'" */[0]);
  float2 two = p[0];
  custom.log_error("%v3f", two/* WARNING E1265 "'%v3f' does not format 'float2'" */);
  os_log_default/* WARNING E1265 "'%q' in the format is no conversion of a log message" */.log("%q", 1);
  os_log_default/* WARNING E1265 "'%1025d' in the format is no conversion of a log message" */.log("%1025d", 1);
  os_log_default.log("%s", 1/* WARNING E1265 "'%s' does not format 'int'" */);
  os_log_default.log("%-8s|", "literal");
  os_log_default.log("%s", format/* ERROR E1265 "'%s' in a log message formats string literals only" */);
}

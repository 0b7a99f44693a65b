//--- addressof_value
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer(0)]]) { p[0] = *addressof/* ERROR "cannot take the address of an rvalue of type 'int'" */(p[0] + 1); }
//--- old_min3 [metal 2.0]
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer(0)]]) { p[0] = min3/* ERROR E1173 "'min3' requires Metal 2.1, but the program is compiled as Metal 2.0" */(p[0], p[1], p[2]); }
//--- log_format
#include <metal_stdlib>
#include <metal_logging>
using namespace metal;
constant os_log custom("com.example", "kernels");
kernel void k(device float* p [[buffer(0)]], constant char *format [[buffer(1)]]) {
  os_log_default.log_debug("%d of %i, %5.2f%% %x", 1, ushort(2), p[0], 3u);
  custom.log_info("%v4hf %v2d %p %c", half4(1), int2(0), p, 'x');
  os_log_default/* ERROR E1265 "format string of 'log' is not a string literal" */.log(format);
  os_log_default/* WARNING E1265 "the format has 2 conversions, but 1 arguments are given" */.log("%d %d", 1);
  custom/* WARNING E1265 "the format has 1 conversions, but 2 arguments are given" */.log_with_type(os_log_type_error, "%d", 1, 2);
  custom.log_fault("%d", p/* WARNING E1265 "conversion '%d' does not accept an argument of type 'float'" */[0]);
  float2 two = p[0];
  custom.log_error("%v3f", two/* WARNING E1265 "conversion '%v3f' does not accept an argument of type 'float2'" */);
  os_log_default/* WARNING E1265 "invalid conversion specifier '%q' in a log message" */.log("%q", 1);
  os_log_default/* WARNING E1265 "invalid conversion specifier '%1025d' in a log message" */.log("%1025d", 1);
  os_log_default.log("%s", 1/* WARNING E1265 "conversion '%s' does not accept an argument of type 'int'" */);
  os_log_default.log("%-8s|", "literal");
  os_log_default.log("%s", format/* ERROR E1265 "conversion '%s' in a log message accepts string literals only" */);
}

package dialect

import (
	_ "embed" // for the library
	"sync"

	"github.com/puremetal/puremetal/internal/msl/token"
)

// OpenCL is OpenCL C 1.2, with what kernels use of 2.0 and 3.0.
var OpenCL = &Dialect{
	Name:           "OpenCL C",
	Namespace:      "opencl",
	Macros:         openclMacros,
	Library:        openclLibrary,
	VectorLiterals: true,
	VectorMasks:    true,
	C:              true,
	keywords:       sync.OnceValue(openclKeywords),
	spaces:         openclSpaces,
	refused:        func(name string) string { return openclRefused()[name] },
	qualifiers:     "read_only __read_only write_only __write_only read_write __read_write",
	adapt:          adaptOpenCL,
}

//go:embed zopencl.metal
var openclLibrary string

func openclKeywords() map[string]token.Kind {
	m := map[string]token.Kind{
		"__kernel": token.KwKernel, "kernel": token.KwKernel,
		"__global": token.KwDevice, "global": token.KwDevice,
		"__local": token.KwThreadgroup, "local": token.KwThreadgroup,
		"__constant": token.KwConstant, "constant": token.KwConstant,
		"__private": token.KwThread, "private": token.KwThread,
		"restrict": token.KwRestrict,
	}
	for _, name := range words(notInC) {
		m[name] = token.Ident
	}
	return m
}

// notInC are the keywords of Metal that programs in C use as names.
const notInC = `and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq vertex fragment device thread
threadgroup threadgroup_imageblock ray_data object_data alignas alignof catch char16_t char32_t class const_cast
constexpr decltype delete dynamic_cast explicit export friend mutable namespace new noexcept nullptr operator protected
public reinterpret_cast static_assert static_cast template this thread_local throw try typeid typename using virtual
wchar_t`

const openclMacros = `#define __OPENCL_VERSION__ 120
#define __OPENCL_C_VERSION__ 120
#define CL_VERSION_1_0 100
#define CL_VERSION_1_1 110
#define CL_VERSION_1_2 120
#define CL_VERSION_2_0 200
#define CL_VERSION_3_0 300
#define __ENDIAN_LITTLE__ 1
#define __IMAGE_SUPPORT__ 1
#define __SPIR64__ 1
#define FP_FAST_FMAF 1
#define cl_khr_global_int32_base_atomics 1
#define cl_khr_global_int32_extended_atomics 1
#define cl_khr_local_int32_base_atomics 1
#define cl_khr_local_int32_extended_atomics 1
#define cl_khr_byte_addressable_store 1
#define cl_khr_fp16 1
#define cl_khr_3d_image_writes 1
#define kernel_exec(X, typen) \
  __kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define CLK_IMAGE_MEM_FENCE 4
#define ATOMIC_VAR_INIT(x) x
#define ATOMIC_FLAG_INIT 0
#define cl_khr_subgroups 1
#define cl_khr_subgroup_ballot 1
#define cl_khr_subgroup_shuffle 1
#define cl_khr_subgroup_shuffle_relative 1
#define cl_khr_subgroup_non_uniform_vote 1
#define HUGE_VALF HUGE_VALF
#define INFINITY INFINITY
#define NAN NAN
#define CHAR_BIT 8
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 0xffffffffU
#define LONG_MAX 0x7fffffffffffffffL
#define LONG_MIN (-0x7fffffffffffffffL - 1)
#define ULONG_MAX 0xffffffffffffffffUL
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP 38
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1.0p-126f
#define FLT_EPSILON 0x1.0p-23f
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN 2147483647
#define MAXFLOAT 0x1.fffffep127f
#define M_E_F 2.71828183f
#define M_LOG2E_F 1.44269504f
#define M_LOG10E_F 0.434294482f
#define M_LN2_F 0.693147181f
#define M_LN10_F 2.30258509f
#define M_PI_F 3.14159265f
#define M_PI_2_F 1.57079633f
#define M_PI_4_F 0.785398163f
#define M_1_PI_F 0.318309886f
#define M_2_PI_F 0.636619772f
#define M_2_SQRTPI_F 1.12837917f
#define M_SQRT2_F 1.41421356f
#define M_SQRT1_2_F 0.707106781f
#define M_PI 3.14159265358979
#define M_E 2.71828182845905
#define HALF_MAX 65504.0h
#define HALF_MIN 0x1.0p-14h
#define HALF_EPSILON 0x1.0p-10h
#define NULL 0
#define CLK_NORMALIZED_COORDS_FALSE 0
#define CLK_NORMALIZED_COORDS_TRUE 1
#define CLK_ADDRESS_NONE 0
#define CLK_ADDRESS_CLAMP_TO_EDGE 2
#define CLK_ADDRESS_CLAMP 4
#define CLK_ADDRESS_REPEAT 6
#define CLK_ADDRESS_MIRRORED_REPEAT 8
#define CLK_FILTER_NEAREST 16
#define CLK_FILTER_LINEAR 32
`

// openclRefused are the names of OpenCL C 2.0 and of extensions that Metal has nothing for, with
// the reasons.
var openclRefused = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	add := func(names, reason string) {
		for _, n := range words(names) {
			m[n] = reason
		}
	}
	add("enqueue_kernel queue_t ndrange_t clk_event_t ndrange_1D ndrange_2D ndrange_3D get_default_queue "+
		"enqueue_marker",
		"Metal's kernels do not launch others: let the host launch them")
	add("pipe reserve_id_t read_pipe write_pipe reserve_read_pipe reserve_write_pipe",
		"Metal has no pipes: use a buffer and an atomic counter")
	for _, n := range []string{"2", "3", "4", "8", "16"} {
		add("double"+n+" convert_double"+n+" as_double"+n, "'double' does not exist on Metal")
	}
	add("convert_double as_double atomic_double", "'double' does not exist on Metal")
	add(`image2d_depth_t image2d_array_depth_t image2d_msaa_t image2d_array_msaa_t image2d_msaa_depth_t
image2d_array_msaa_depth_t`, "images of depths and of several samples are not translated: use image2d_t and its first "+
		"component")
	add("to_global to_local to_private", "Metal has no generic address space: name the address space")
	add(`get_image_channel_data_type get_image_channel_order get_image_num_mip_levels get_image_num_samples`,
		"Metal's kernels cannot ask for the format of an image: pass it as an argument")
	return m
})

// openclSpaces returns the name of an address space by Metal's, or "".
func openclSpaces(metal string) string {
	switch metal {
	case "device":
		return "__global"
	case "threadgroup":
		return "__local"
	case "constant":
		return "__constant"
	case "thread":
		return "__private"
	}
	return ""
}

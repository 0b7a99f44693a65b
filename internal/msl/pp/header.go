package pp

import "slices"

// headerNames are the headers that are built in, in order. They are empty, since the compiler has what they declare as a
// table, save for their macros.
var headerNames = []string{
	"AvailabilityMacros.h",
	"MetalPerformancePrimitives/MPPTensorOpsMatMul2d.h",
	"MetalPerformancePrimitives/MetalPerformancePrimitives.h",
	"TargetConditionals.h",
	"float.h",
	"limits.h",
	"metal_algorithm",
	"metal_array",
	"metal_assert",
	"metal_atomic",
	"metal_command_buffer",
	"metal_common",
	"metal_compute",
	"metal_config",
	"metal_cooperative_tensor",
	"metal_curves",
	"metal_extended_vector",
	"metal_function_pointers",
	"metal_geometric",
	"metal_graphics",
	"metal_imageblocks",
	"metal_initializer_list",
	"metal_integer",
	"metal_interpolate",
	"metal_intersection",
	"metal_limits",
	"metal_logging",
	"metal_math",
	"metal_matrix",
	"metal_mesh",
	"metal_numeric",
	"metal_os_log",
	"metal_pack",
	"metal_packed_vector",
	"metal_pull_interpolation",
	"metal_quadgroup",
	"metal_raytracing",
	"metal_relational",
	"metal_simdgroup",
	"metal_simdgroup_matrix",
	"metal_stdlib",
	"metal_tensor",
	"metal_tessellation",
	"metal_texture",
	"metal_timer",
	"metal_tuple",
	"metal_type_traits",
	"metal_types",
	"metal_uniform",
	"metal_utility",
	"metal_vector",
	"metal_visible_function_table",
	"simd/base.h",
	"simd/common.h",
	"simd/conversion.h",
	"simd/geometry.h",
	"simd/logic.h",
	"simd/math.h",
	"simd/matrix.h",
	"simd/matrix_types.h",
	"simd/packed.h",
	"simd/quaternion.h",
	"simd/simd.h",
	"simd/types.h",
	"simd/vector.h",
	"simd/vector_make.h",
	"simd/vector_types.h",
	"stdbool.h",
	"stddef.h",
	"stdint.h",
}

// builtinHeader returns the text of a header that is built in.
func builtinHeader(name string) (string, bool) {
	if _, ok := slices.BinarySearch(headerNames, name); !ok {
		return "", false
	}
	switch name {
	case "metal_stdlib", "simd/simd.h":
		return mathMacros + limitMacros, true
	case "metal_math":
		return mathMacros, true
	case "metal_limits", "limits.h", "float.h", "stdint.h", "metal_types":
		return limitMacros, true
	case "TargetConditionals.h":
		return targetMacros, true
	}
	return "", true
}

// mathMacros are the macros of Metal's mathematics header: chapter "Math Functions" of the language's specification.
const mathMacros = `#pragma once
#define HUGE_VALF (as_type<float>(0x7f800000u))
#define HUGE_VALH (as_type<half>(static_cast<unsigned short>(0x7c00)))
#define INFINITY HUGE_VALF
#define NAN (as_type<float>(0x7fc00000u))
#define MAXFLOAT 3.40282347e+38f
#define MAXHALF 6.5504e+4h
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LOG10E_F 0.43429448190325182765f
#define M_LN2_F 0.69314718055994530942f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.78539816339744830962f
#define M_1_PI_F 0.31830988618379067154f
#define M_2_PI_F 0.63661977236758134308f
#define M_2_SQRTPI_F 1.12837916709551257390f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.70710678118654752440f
#define M_E_H 2.71828182845904523536h
#define M_LOG2E_H 1.44269504088896340736h
#define M_LOG10E_H 0.43429448190325182765h
#define M_LN2_H 0.69314718055994530942h
#define M_LN10_H 2.30258509299404568402h
#define M_PI_H 3.14159265358979323846h
#define M_PI_2_H 1.57079632679489661923h
#define M_PI_4_H 0.78539816339744830962h
#define M_1_PI_H 0.31830988618379067154h
#define M_2_PI_H 0.63661977236758134308h
#define M_2_SQRTPI_H 1.12837916709551257390h
#define M_SQRT2_H 1.41421356237309504880h
#define M_SQRT1_2_H 0.70710678118654752440h
#if __HAVE_BFLOAT__
#define HUGE_VALBF (as_type<bfloat>(static_cast<unsigned short>(0x7f80)))
#define MAXBFLOAT 3.38953139e+38bf
#define M_E_BF 2.71828182845904523536bf
#define M_LOG2E_BF 1.44269504088896340736bf
#define M_LOG10E_BF 0.43429448190325182765bf
#define M_LN2_BF 0.69314718055994530942bf
#define M_LN10_BF 2.30258509299404568402bf
#define M_PI_BF 3.14159265358979323846bf
#define M_PI_2_BF 1.57079632679489661923bf
#define M_PI_4_BF 0.78539816339744830962bf
#define M_1_PI_BF 0.31830988618379067154bf
#define M_2_PI_BF 0.63661977236758134308bf
#define M_2_SQRTPI_BF 1.12837916709551257390bf
#define M_SQRT2_BF 1.41421356237309504880bf
#define M_SQRT1_2_BF 0.70710678118654752440bf
#endif
`

// limitMacros are the macros of Metal's limits header.
const limitMacros = `#pragma once
#define CHAR_BIT 8
#define SCHAR_MAX 127
#define SCHAR_MIN (-128)
#define UCHAR_MAX 255
#define CHAR_MAX SCHAR_MAX
#define CHAR_MIN SCHAR_MIN
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
#define FLT_DECIMAL_DIG 9
#define HALF_DIG 3
#define HALF_MANT_DIG 11
#define HALF_MAX_10_EXP 4
#define HALF_MAX_EXP 16
#define HALF_MIN_10_EXP (-4)
#define HALF_MIN_EXP (-13)
#define HALF_RADIX 2
#define HALF_MAX 0x1.ffcp15h
#define HALF_MIN 0x1.0p-14h
#define HALF_EPSILON 0x1.0p-10h
#define HALF_DECIMAL_DIG 5
#if __HAVE_BFLOAT__
#define BFLT_DIG 2
#define BFLT_MANT_DIG 8
#define BFLT_MAX_10_EXP 38
#define BFLT_MAX_EXP 128
#define BFLT_MIN_10_EXP (-37)
#define BFLT_MIN_EXP (-125)
#define BFLT_RADIX 2
#define BFLT_MAX 0x1.fep127bf
#define BFLT_MIN 0x1.0p-126bf
#define BFLT_EPSILON 0x1.0p-7bf
#define BFLT_DECIMAL_DIG 4
#endif
`

const targetMacros = `#pragma once
#define TARGET_OS_MAC 1
#define TARGET_OS_OSX 1
#define TARGET_OS_IPHONE 0
#define TARGET_OS_IOS 0
#define TARGET_OS_TV 0
#define TARGET_OS_WATCH 0
#define TARGET_OS_VISION 0
#define TARGET_OS_MACCATALYST 0
#define TARGET_OS_SIMULATOR 0
#define TARGET_OS_EMBEDDED 0
#define TARGET_OS_UNIX 0
#define TARGET_OS_LINUX 0
#define TARGET_OS_WIN32 0
#define TARGET_OS_WINDOWS 0
#define TARGET_CPU_ARM64 0
#define TARGET_CPU_X86_64 0
#define TARGET_RT_LITTLE_ENDIAN 1
#define TARGET_RT_BIG_ENDIAN 0
`

package pp

import (
	_ "embed" // for headers
	"slices"
	"strings"
)

// headerNames are the built-in headers, sorted. Metal's are empty except for macros, since the
// compiler has their declarations as a table.
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
	"puremetal/cooperative",
	"puremetal/launch",
	"puremetal/work_queue",
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

// cooperative is <puremetal/cooperative>, with groups of threads.
//
//go:embed cooperative.metal
var cooperative string

// launch is <puremetal/launch>, with launches from kernels.
//
//go:embed launch.metal
var launch string

// workQueue is <puremetal/work_queue>, with queues of work for persistent kernels.
//
//go:embed work_queue.metal
var workQueue string

// builtinHeader returns the text of a built-in header.
func builtinHeader(name string) (string, bool) {
	if _, ok := slices.BinarySearch(headerNames, name); !ok {
		return "", false
	}
	switch name {
	case "metal_stdlib":
		return configMacros + mathMacros + limitMacros, true
	case "simd/simd.h":
		return mathMacros + limitMacros, true
	case "metal_math":
		return configMacros + mathMacros, true
	case "metal_limits", "metal_types":
		return configMacros + limitMacros, true
	case "limits.h", "float.h", "stdint.h":
		return limitMacros, true
	case "puremetal/cooperative":
		return cooperative, true
	case "puremetal/launch":
		return launch, true
	case "puremetal/work_queue":
		return workQueue, true
	case "TargetConditionals.h":
		return targetMacros, true
	}
	if strings.HasPrefix(name, "metal_") {
		return configMacros, true
	}
	return "", true
}

// configMacros are the macros that Metal's headers use to declare functions, and that programs use
// for their own. They expand to themselves: the parser treats them as specifiers without effect,
// since every call is inlined.
const configMacros = `#pragma once
#define METAL_FUNC METAL_FUNC
#define METAL_INTERNAL METAL_INTERNAL
#define METAL_CONST_ARG METAL_CONST_ARG
#define METAL_ASM METAL_ASM
`

// mathMacros are the macros of Metal's math header: chapter "Math Functions" of the language
// specification. Each expands to itself, the name of a constant known to the compiler; they are
// macros so that #ifdef works.
const mathMacros = `#pragma once
#define HUGE_VALF HUGE_VALF
#define HUGE_VALH HUGE_VALH
#define INFINITY INFINITY
#define NAN NAN
#define MAXFLOAT MAXFLOAT
#define MAXHALF MAXHALF
#define FP_ILOGB0 (-2147483647 - 1)
#define FP_ILOGBNAN (-2147483647 - 1)
#define M_E_F M_E_F
#define M_LOG2E_F M_LOG2E_F
#define M_LOG10E_F M_LOG10E_F
#define M_LN2_F M_LN2_F
#define M_LN10_F M_LN10_F
#define M_PI_F M_PI_F
#define M_PI_2_F M_PI_2_F
#define M_PI_4_F M_PI_4_F
#define M_1_PI_F M_1_PI_F
#define M_2_PI_F M_2_PI_F
#define M_2_SQRTPI_F M_2_SQRTPI_F
#define M_SQRT2_F M_SQRT2_F
#define M_SQRT1_2_F M_SQRT1_2_F
#define M_E_H M_E_H
#define M_LOG2E_H M_LOG2E_H
#define M_LOG10E_H M_LOG10E_H
#define M_LN2_H M_LN2_H
#define M_LN10_H M_LN10_H
#define M_PI_H M_PI_H
#define M_PI_2_H M_PI_2_H
#define M_PI_4_H M_PI_4_H
#define M_1_PI_H M_1_PI_H
#define M_2_PI_H M_2_PI_H
#define M_2_SQRTPI_H M_2_SQRTPI_H
#define M_SQRT2_H M_SQRT2_H
#define M_SQRT1_2_H M_SQRT1_2_H
#if __HAVE_BFLOAT__
#define HUGE_VALBF HUGE_VALBF
#define MAXBFLOAT MAXBFLOAT
#define M_E_BF M_E_BF
#define M_LOG2E_BF M_LOG2E_BF
#define M_LOG10E_BF M_LOG10E_BF
#define M_LN2_BF M_LN2_BF
#define M_LN10_BF M_LN10_BF
#define M_PI_BF M_PI_BF
#define M_PI_2_BF M_PI_2_BF
#define M_PI_4_BF M_PI_4_BF
#define M_1_PI_BF M_1_PI_BF
#define M_2_PI_BF M_2_PI_BF
#define M_2_SQRTPI_BF M_2_SQRTPI_BF
#define M_SQRT2_BF M_SQRT2_BF
#define M_SQRT1_2_BF M_SQRT1_2_BF
#endif
`

// limitMacros are the macros of Metal's limits header. Those usable in #if have their values.
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
#define INT8_MIN (-128)
#define INT8_MAX 127
#define UINT8_MAX 255
#define INT16_MIN (-32768)
#define INT16_MAX 32767
#define UINT16_MAX 65535
#define INT32_MIN (-2147483647 - 1)
#define INT32_MAX 2147483647
#define UINT32_MAX 0xffffffffU
#define INT64_MIN (-0x7fffffffffffffffL - 1)
#define INT64_MAX 0x7fffffffffffffffL
#define UINT64_MAX 0xffffffffffffffffUL
#define SIZE_MAX 0xffffffffffffffffUL
#define FLT_DIG 6
#define FLT_MANT_DIG 24
#define FLT_MAX_10_EXP 38
#define FLT_MAX_EXP 128
#define FLT_MIN_10_EXP (-37)
#define FLT_MIN_EXP (-125)
#define FLT_RADIX 2
#define FLT_MAX FLT_MAX
#define FLT_MIN FLT_MIN
#define FLT_TRUE_MIN FLT_TRUE_MIN
#define FLT_EPSILON FLT_EPSILON
#define FLT_DECIMAL_DIG 9
#define HALF_DIG 3
#define HALF_MANT_DIG 11
#define HALF_MAX_10_EXP 4
#define HALF_MAX_EXP 16
#define HALF_MIN_10_EXP (-4)
#define HALF_MIN_EXP (-13)
#define HALF_RADIX 2
#define HALF_MAX HALF_MAX
#define HALF_MIN HALF_MIN
#define HALF_TRUE_MIN HALF_TRUE_MIN
#define HALF_EPSILON HALF_EPSILON
#define HALF_DECIMAL_DIG 5
#if __HAVE_BFLOAT__
#define BFLT_DIG 2
#define BFLT_MANT_DIG 8
#define BFLT_MAX_10_EXP 38
#define BFLT_MAX_EXP 128
#define BFLT_MIN_10_EXP (-37)
#define BFLT_MIN_EXP (-125)
#define BFLT_RADIX 2
#define BFLT_MAX BFLT_MAX
#define BFLT_MIN BFLT_MIN
#define BFLT_EPSILON BFLT_EPSILON
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

package dialect

import (
	_ "embed" // for the library
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/msl/token"
)

// CUDA is CUDA C++.
var CUDA = &Dialect{
	Name:      "CUDA C++",
	Namespace: "cuda",
	Macros:    cudaMacros,
	Library:   cudaLibrary,
	HostCode:  true,
	Header:    cudaHeaderText,
	Headers:   cudaHeader,
	keywords:  sync.OnceValue(cudaKeywords),
	refused:   cudaRefused,
	spaces:    cudaSpace,
	adapt:     adaptCUDA,
}

//go:embed zcuda.metal
var cudaLibrary string

// cudaKeywords makes Metal's own keywords ordinary names.
func cudaKeywords() map[string]token.Kind {
	m := map[string]token.Kind{}
	for _, w := range words("kernel vertex fragment device constant thread threadgroup threadgroup_imageblock " +
		"ray_data object_data") {
		m[w] = token.Ident
	}
	return m
}

// cudaHeaderText returns the text of a header: <assert.h> reads NDEBUG each time, and groups of
// threads are in a header of this compiler's.
func cudaHeaderText(name string) (text string, ok bool) {
	switch {
	case name == "assert.h", name == "cassert":
		return "#undef assert\n#ifdef NDEBUG\n#define assert(...) ((void)0)\n#else\n" + cudaAssert + "#endif\n", true
	case strings.HasPrefix(name, "cooperative_groups/"):
		return "#include <cooperative_groups.h>\n", true
	case name == "cooperative_groups.h":
		return "#pragma once\n#include <puremetal/cooperative>\nnamespace cooperative_groups = puremetal;\n", true
	}
	return "", false
}

// cudaHeader reports whether an include file that is not found is one of the system's or of CUDA's.
func cudaHeader(name string, angled bool) bool {
	if angled {
		return true
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	for _, p := range words("cuda cublas curand cufft cusparse cooperative_groups device_launch_parameters " +
		"helper_ math_ vector_ driver_types host_defines sm_ device_functions crt nv") {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// cudaSpace returns CUDA's name of one of Metal's address spaces.
func cudaSpace(metal string) string {
	switch metal {
	case "threadgroup":
		return "__shared__"
	case "constant":
		return "__constant__"
	case "device":
		return "__device__"
	}
	return ""
}

// cudaAssert logs an assertion that fails, which ends the launch on the software device.
const cudaAssert = `#define assert(...) \
  ((__VA_ARGS__) ? (void)0 : (__assertion.log_fault( \
    "%s:%d: block (%u, %u, %u), thread (%u, %u, %u): assertion '%s' failed", __FILE__, __LINE__, blockIdx.x, \
    blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z, #__VA_ARGS__)))
`

const cudaMacros = `#define __cplusplus 201703L
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 800
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define NULL 0
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_PI_F 3.141592654f
#define M_E 2.7182818284590452354f
#define M_LOG2E 1.4426950408889634074f
#define M_LOG10E 0.43429448190325182765f
#define M_LN2 0.69314718055994530942f
#define M_LN10 2.30258509299404568402f
#define M_PI 3.14159265358979323846f
#define M_PI_2 1.57079632679489661923f
#define M_PI_4 0.78539816339744830962f
#define M_1_PI 0.31830988618379067154f
#define M_2_PI 0.63661977236758134308f
#define M_SQRT2 1.41421356237309504880f
#define M_SQRT1_2 0.70710678118654752440f
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 0xffffffffU
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define UCHAR_MAX 255
#define LONG_MAX 0x7fffffffffffffffL
#define ULONG_MAX 0xffffffffffffffffUL
#define LLONG_MAX 0x7fffffffffffffffL
#define ULLONG_MAX 0xffffffffffffffffUL
#define RAND_MAX 2147483647
#define printf(...) metal::os_log_default.log(__VA_ARGS__)
` + cudaAssert + `#define __trap() \
  __assertion.log_fault("%s:%d: block (%u, %u, %u), thread (%u, %u, %u): __trap()", __FILE__, __LINE__, blockIdx.x, \
    blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z)
#define cudaReadModeElementType 0
#define cudaReadModeNormalizedFloat 1
#define cudaTextureType1D 1
#define cudaTextureType2D 2
#define cudaTextureType3D 3
#define cudaTextureTypeCubemap 12
#define cudaTextureType1DLayered 241
#define cudaTextureType2DLayered 242
#define cudaSurfaceType2D 2
#define cudaBoundaryModeZero 0
#define cudaBoundaryModeClamp 1
#define cudaBoundaryModeTrap 2
#define HUGE_VALF __builtin_inff()
#define HUGE_VAL __builtin_inff()
#define CUDART_INF __builtin_inff()
#define CUDART_NAN __builtin_nanf("")
#define CUDART_PI 3.14159265358979323846f
#define CUDART_SQRT_HALF_F 0.707106781f
#define CUDART_L2E_F 1.442695041f
#define CUDART_LN2_F 0.693147181f
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295U
#define UINT64_C(x) x##UL
#define INT64_C(x) x##L
#define UINT32_C(x) x##U
#define INT32_C(x) x
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define CHAR_MIN (-128)
#define CHAR_MAX 127
#define LONG_MIN (-0x7fffffffffffffffL - 1)
#define LLONG_MIN (-0x7fffffffffffffffL - 1)
#define __CUDA_ALIGN__(n) __align__(n)
`

// FloatMacros returns the definitions that make double float, by name.
func (d *Dialect) FloatMacros() map[string]string {
	m := map[string]string{}
	for _, n := range words("1 2 3 4") {
		m["double"+n], m["make_double"+n] = "float"+n, "make_float"+n
	}
	m["double"] = "float"
	if !d.HostCode {
		delete(m, "double1")
		for _, n := range words("1 2 3 4") {
			delete(m, "make_double"+n)
		}
		for _, n := range []string{"", "2", "3", "4", "8", "16"} {
			m["double"+n], m["convert_double"+n] = "float"+n, "convert_float"+n
		}
		m["cl_khr_fp64"] = "1"
		return m
	}
	for _, n := range words("MAX MIN EPSILON") {
		m["DBL_"+n] = "FLT_" + n
	}
	m["curand_uniform_double"], m["curand_normal_double"] = "__curand_uniform_double", "__curand_normal_double"
	return m
}

// cudaRefused returns why a name of CUDA C++ means nothing here, or "".
func cudaRefused(name string) string {
	switch {
	case strings.HasPrefix(name, "tex1D"), strings.HasPrefix(name, "tex2D"), strings.HasPrefix(name, "tex3D"),
		strings.HasPrefix(name, "texCubemap"), strings.HasPrefix(name, "surf"):
		return "this access to textures is not supported"
	case name == "cudaTextureObject_t", name == "cudaSurfaceObject_t", name == "CUtexObject", name == "CUsurfObject":
		return "a texture must be a parameter of the kernel whose accesses say the type of its components"
	case name == "texture", name == "surface":
		return "the accesses to a texture reference must say what it is"
	case name == "double1", name == "double2", name == "double3", name == "double4":
		return "Metal has no numbers of 64 bits with a point"
	case strings.HasPrefix(name, "curand"):
		return "this generator or distribution is not supported"
	case name == "thrust":
		return "this of library 'thrust' is not supported: its algorithms run from the host"
	case name == "wmma", name == "nvcuda":
		return "matrix operations of warps are not supported"
	case name == "malloc", name == "free":
		return "memory cannot be allocated in kernels"
	case name == "clock", name == "clock64", name == "clock_t":
		return "kernels have no clock"
	}
	return ""
}

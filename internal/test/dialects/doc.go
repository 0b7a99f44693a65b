// Package dialects contains tests of the values that programs in OpenCL C and CUDA C++ compute:
// they are compiled without a translated text and run by both software engines, and the results are
// compared with those of plain Go.
package dialects

// Package passes is the proof that the passes of package opt keep what kernels give: it has tests
// only. Random kernels and the compiler's programs are run by the scalar oracle before and after
// each pass and after all of them.
package passes

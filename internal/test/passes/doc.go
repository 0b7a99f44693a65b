// Package passes contains the tests that the passes of package opt preserve the results of kernels.
// The scalar oracle runs random kernels and compiled programs before and after each pass, and after
// all of them.
package passes

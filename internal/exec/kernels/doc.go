// Package kernels holds the tests of kernels as programs have them: sorts, scans, reductions,
// products of matrices, transforms, filters.
//
// testdata/kernels has their texts. A test compiles one, runs the launches that a host would make
// on the vector engine (with one worker and with two) and, for small sizes, on the scalar oracle,
// which must leave the same bits everywhere, and compares what is left with the same calculation in
// plain Go: exactly for integers and for numbers that are only moved, otherwise within a tolerance
// that the test gives a reason for.
//
//	go test -bench Kernels ./internal/exec/kernels
//
// measures each of them beside the plain Go.
package kernels

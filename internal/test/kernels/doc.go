// Package kernels contains tests with realistic kernels: sorts, scans, reductions, matrix products,
// transforms, filters.
//
// Their source is in testdata/kernels. A test compiles a kernel and runs a host's launches on the
// vector engine, with one worker and with two, and for small sizes also on the scalar oracle; all
// must produce the same bits. It compares the result with the same calculation in plain Go: exactly
// for integers and for numbers that are only moved, otherwise within a tolerance that the test
// justifies.
//
//	go test -bench Kernels ./internal/test/kernels
//
// measures each kernel and its plain Go version.
package kernels

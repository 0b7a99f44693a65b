// Package values holds the tests of what compiled programs compute: Metal text through the compiler and the scalar oracle,
// compared with definitions written down here and with what a C++ compiler made of the same text.
//
// Expected values have two sources. Where IEEE arithmetic or the language defines a result, a definition in this package
// computes it, with wider or exact arithmetic of its own. The others, mathematical functions foremost, are recorded:
// testdata/msl/values/*.gz hold the outputs of the same kernels compiled by clang through the reference that PUREMETAL_SHARED
// names (../shared beside the repository), and
//
//	go test ./internal/exec/values -args -values.record
//
// writes them anew. The tests themselves need nothing but the recordings.
//
// Where our semantics and the reference's differ on purpose, the list apart in clang_test.go says so, with the reason.
package values

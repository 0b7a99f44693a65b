// Package values contains tests of the values that compiled programs compute: Metal source is
// compiled and run by the scalar oracle, and the results are compared with definitions in this
// package and with those of the same source compiled by a C++ compiler.
//
// Expected values have two sources. If IEEE arithmetic or the language defines a result, a
// definition in this package computes it, with its own wider or exact arithmetic. The others,
// mainly those of mathematical functions, are recorded: testdata/msl/values/*.gz hold the outputs
// of the same kernels compiled by clang through the reference that PUREMETAL_SHARED names
// (../shared beside the repository), and
//
//	PUREMETAL_UPDATE=1 go test ./internal/test/values -run Record
//
// records them again. The tests themselves need only the recordings.
//
// Some semantics deliberately differ from the reference's. There the definitions follow package ir,
// and the reference is not used:
//
//   - minimum and maximum order -0 below +0; the reference keeps either.
//   - powr is exp(y*log(x)), with a NaN for a negative x, for 0 and infinity to the power 0, for 1 to an infinite power; the reference has pow.
//   - half functions round the exact result once; the reference rounds to float and then to half, which shows in fma and in the last place of others.
//   - exp10, sinpi, cospi and tanpi are those of the exact argument; the reference multiplies with a rounded constant first.
//   - fract of a small negative number is the number below 1; the reference gives 1.
//   - sums and products over a simdgroup go by halves, as package ir says; the reference goes lane by lane. Shuffles from lanes that are
//     not there give 0; the reference gives what lay there before.
//   - a float out of an integer's range is clamped; the reference leaves it to the processor. Shift counts of vectors are taken modulo the
//     element's width; the reference promotes elements to int.
//   - multiplication of 24 bits looks at no others, the upper half of an unsigned product is unsigned, saturation works for 64 bits and a NaN
//     packs as 0; the reference has none of these.
//   - overloads that differ in the address space only are one to the reference, and bytes between fields are not zero.
package values

// Package fast defines the mathematical functions of f32 under fast math, Metal's default, as
// straight-line programs: lists of operations that any vector unit has. There is one definition
// for all engines: package num has it as Go code, package vm as AVX2 loops, and the compiler to
// machine code emits it for AVX-512, all made from these programs, so that they agree bit for bit.
//
// The errors are within those that the Metal Shading Language specification allows under fast math
// (its table of single-precision functions with fast math enabled). Program.Units states them,
// measured on every 11th of the 2^32 numbers, and for functions of two on a million random pairs.
// Products and sums are rounded each: with fused operations, processors without them could not keep
// up.
//
// The coefficients of the polynomials are minimax fits by Remez exchange in 40-digit arithmetic,
// weighted so that the function's relative error is what is minimized. Most were rounded to f32 one
// after another from the lowest degree, each time with a new fit of the rest; those of the
// logarithm near 1 and of tanh were rounded together. For tanh, the rational function is a fixed
// point of fits of x*P - tanh(x)*Q, weighted with the Q before.
//
// The tests are in package num: of the functions' errors, and that the Go functions generated from
// these programs are current. Packages vm and jit compare what they make of them.
package fast

//go:generate go run ./internal/gen ../zfast.go

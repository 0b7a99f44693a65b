// Package gemm multiplies matrices: C = alpha*A*B + beta*C, on memory of a host, with the
// processor's vector instructions. It is the native body of the software device's contractions.
//
// # Order of operations
//
// Every element of C is computed alone, in this order, so that AVX-512, AVX2 and plain Go give the
// same bits, and so can a kernel in MSL without fast math:
//
//	float acc = 0;
//	for (uint k = 0; k < K; k++)
//		acc = fma(float(A[i][k]), float(B[k][j]), acc);
//	float r = beta == 0 ? alpha * acc : fma(alpha, acc, beta * float(C[i][j]));
//	C[i][j] = isnan(r) ? NAN : T(r);
//
// Elements of F16 and BF16 are widened to float, which is exact, and T rounds to nearest even. The
// product beta*C is rounded before the fma. With beta 0 (or -0) C is not read. An alpha of 0 is not
// special: A and B are read, and their NaNs count. NAN is the plain quiet NaN: 0x7fc00000, 0x7e00
// or 0x7fc0. Denormals are kept. Splitting k into blocks does not change the order: the accumulator
// is carried from one block to the next. Threads split M and N only.
//
// With A and B of type I8 the accumulator is an int32 that wraps. A C of type I32 takes alpha 1 and
// beta 0 or 1; for a C of floats the accumulator is converted, rounding to nearest even, and then
// treated as above.
//
// # How it works
//
// A task computes a block of C. For every 256 words of k it packs its rows of A and columns of B
// into panels as narrow as a tile, widens elements on the way, and multiplies each pair of panels
// into a tile of accumulators, which fits the processor's registers. After the last block of k a
// tile is scaled, converted and written to C. A word is a float, or two elements of type I8,
// neighbors in k, as 16-bit integers.
//
// The tile is 14×32 with AVX-512, 6×16 with AVX2 and FMA, both of amd64, and 4 rows high for a C of
// up to 4 rows. All other processors, arm64 among them, use plain Go, which is slower by more than
// an order of magnitude. Where the transposes have fewer tiles, they are multiplied instead: fma is
// commutative in its first two operands, and NaNs have one form.
package gemm

//go:generate go run ./internal/kernelgen gemm .

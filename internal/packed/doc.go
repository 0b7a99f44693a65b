// Package packed multiplies matrices with packed weights on a host's memory, with the processor's
// vector instructions. It is the native body of the software device's products with packed weights,
// and says how each format is laid out.
//
// # Order of operations
//
// An element of out is computed alone, in the order of the kernels of package tensorop, so that
// AVX-512, AVX2 and plain Go give the kernels' bits:
//
//	float sums[32] = {};
//	for (int k = 0; k < columns; k++)
//		sums[k % 32] = fma(x[k], w[k], sums[k % 32]);
//	for (int d = 16; d > 0; d /= 2)
//		for (int l = 0; l < d; l++) sums[l] += sums[l + d];
//	out = isnan(sums[0]) ? NAN : T(sums[0]);
//
// where w[k] is an unpacked element: scale*code + added, each operation rounded, and scales that
// are products are rounded too. The sign of a weight that is zero does not matter, as no sum is
// ever -0.
//
// [TernaryProduct] adds products of int8 and -1, 0 or 1 as integers, for all elements that have a
// scale in common, and then adds float(sum)*scale, with both operations rounded, block by block.
//
// # How it works
//
// A task computes some rows of the weights: it unpacks four or sixteen of them, 1,024 columns at a
// time, to memory that stays in the first levels of cache, and multiplies four of them at once with
// up to three rows of x. A reader of a format writes the codes of a block as bytes, with scales
// apart, and one loop for all formats makes floats of them. What has no reader in assembly is read
// in Go. Ternary weights are not unpacked for integers: two-bit codes are multiplied as they are,
// others are first written as those of tq2_0.
//
// amd64 has bodies in AVX2 and AVX-512, with its dot products of bytes where the processor has
// them. Other processors use plain Go.
package packed

//go:generate go run ../gemm/internal/kernelgen packed .

// Package ops provides the basic operations of numerical programs as kernels on arrays in device
// memory: element-wise arithmetic, activations, reductions, softmax, transposition and matrix
// products. Each operation checks shapes, enqueues its kernels on a stream, and returns without
// waiting.
//
//	o := ops.New(acc)
//	defer o.Close()
//	a, err := ops.Of(buffer, 64, 128)          // 64 rows of 128
//	err = ops.MatMul(ctx, o, stream, c, a, b)  // c = a b
//
// Every operation accepts arrays with any strides: transposed, broadcast, or slices of other
// arrays. Arrays have up to four dimensions. Matrix products and transposition work on the last two
// dimensions and reductions on the last; the dimensions before these are a batch.
//
// Element-wise operations and [Softmax] can work in place: the result may be one of the operands,
// provided that each element of the result has the place of the same element of the operand.
// Otherwise a result must not share memory with an operand. This is not checked; if they overlap,
// the result depends on the order in which threads run.
//
// The kernels are those of package tensor, so both give the same bits. Large products can be
// computed by Metal Performance Shaders: see package mpsbackend.
//
// Elements are float32, [simd.Half] or [simd.BFloat16], and int8 in element-wise operations and
// [MatMulInt8]. 16-bit floating-point numbers are converted to float32 for computing and rounded
// once, at the end. NaNs propagate: a sum, minimum or maximum over values that include a NaN is
// NaN.
package ops

// Package ops has the operations that numerical programs start from, as kernels on arrays in device
// memory: element-wise arithmetic, activations, reductions, softmax, transposition and matrix
// products. Each checks shapes, gives its kernels to a stream, and returns without waiting.
//
//	o := ops.New(acc)
//	defer o.Close()
//	a, err := ops.Of(buffer, 64, 128)          // 64 rows of 128
//	err = ops.MatMul(ctx, o, stream, c, a, b)  // c = a b
//
// Every operation takes arrays of any strides: turned, repeated, or parts of others; up to four
// dimensions, of which matrix products and transposition take the last two and reductions the last,
// and the others are a batch.
//
// A result may be an operand of an element-wise operation or of [Softmax], element for element.
// Otherwise no element of a result may lie where one of an operand does: nobody checks that, and
// what comes out depends on which thread is first.
//
// Numbers of 16 bits are computed with as float32 and rounded once, at the end. No NaN is lost:
// sums, minima and maxima with one are one.
package ops

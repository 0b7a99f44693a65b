// Package kernel lets functions in Go be GPU kernels. A function marked as in this example
//
//	// Saxpy adds a times x to y.
//	//
//	//puremetal:kernel group=64
//	func Saxpy(t *kernel.Thread, a float32, x, y []float32) {
//		if i := t.Global.X; i < uint32(len(y)) {
//			y[i] += a * x[i]
//		}
//	}
//
// is an ordinary function, which [Run] calls for each thread of a grid on the CPU:
//
//	err := kernel.Run(kernel.Index{X: 1000}, kernel.Index{X: 64},
//		func(t *kernel.Thread) { Saxpy(t, 2, x, y) })
//
// Its results are those of the kernel on the software device, bit for bit, so that tests can
// compare a device with it. Threads have the same positions, sizes and simdgroups of 32 lanes, and
// numbers are combined in the same order. What differs from run to run on a device, such as the
// order in which threads add floats to one variable, may differ here.
//
// Textures, such as a [Texture2D], are of an [Image] here, and of a texture of package compute on a
// device.
//
// The functions whose names begin with Simd combine values of the lanes of a simdgroup, as Metal's
// do. Each returns when all lanes that have not returned from the kernel have called it at the same
// place. If some wait elsewhere and none can go on, those that wait at the call that is first in
// the source combine their values without the others. A call in a loop which lanes reach in
// different iterations is one call: a device combines only the lanes of one iteration, so such a
// loop may give other values there.
package kernel

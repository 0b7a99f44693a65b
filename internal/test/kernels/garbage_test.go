//go:build !race

package kernels

import (
	"context"
	"errors"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec"
)

// small are works that together use every kernel.
func small() []*work {
	square := [3]int{8, 8, 1}
	return []*work{
		bitonic("uint", 300, 64, anyUint), bitonicTiles(300, 64, 96), radix(500, 64), topK(3, 100, 7, 64),
		scanned("inclusive", "uint", 1000, 64), scanned("exclusive", "float", 1000, 64),
		compaction(1000, 64, 500), reduction("sum", 3000, 4, 64), reduction("min", 3000, 4, 64), tree(3000, 64),
		argmax(5, 100, 32), rows("softmax", "float", 4, 100, 64),
		rows("softmax", "half", 4, 100, 64), rows("rms_norm", "float", 4, 100, 64), rows("layer_norm", "float", 4, 100, 64),
		gemm("naive", "float", 20, 20, 20, square),
		gemm("tiled", "float", 32, 32, 32, [3]int{16, 16, 1}), gemm("simd", "float", 33, 40, 20, [3]int{128, 1, 1}),
		gemm("simd", "half", 33, 40, 20, [3]int{128, 1, 1}),
		gemm("simd", "bfloat", 33, 40, 20, [3]int{128, 1, 1}), gemv("half", 10, 100, 64),
		conv1d(line{Length: 100, Taps: 5, Stride: 1, Padding: 2, Dilation: 1, Channels: 3}, 4, [3]int{32, 2, 1}),
		conv2d(plane{W: 13, H: 9, Channels: 2, Outputs: 3, Radius: 1, Stride: 1}, true, square), fft(2, 3, 64, 32, true),
		fft(4, 3, 64, 16, true), transpose(40, 33, 8),
		histogram("histogram", 3000, 512, 128), histogram("histogram_direct", 3000, 0, 64), nbody(100, 32, 1),
		mandelbrot(30, 20, 100, square), blur(20, 10, 2, square), sobel(30, 20, square),
		resize(10, 12, 25, 17, square), weighted(1000, 64), activation(2, true, 2.5, 300, 64),
		attention("float", 2, 5, 33, true, 4),
	}
}

// TestNoGarbage: launching a kernel that has run before allocates nothing.
func TestNoGarbage(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	e := exec.NewEngine(1)
	for _, w := range small() {
		d := w.on(t, compiled(t, w.file), "the engine", e)
		d.ran = func(name string, k *exec.Kernel, l *exec.Launch) {
			var err error
			n := testing.AllocsPerRun(5, func() { err = errors.Join(err, e.Run(context.Background(), k, l)) })
			require.NoError(t, err)
			assert.Zero(t, n, "allocations of %s, %s", name, w.name)
		}
		w.launch(d)
	}
}

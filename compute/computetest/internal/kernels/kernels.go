// Package kernels has kernels for tests.
package kernels

import (
	"math"

	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

// Body is a structure with an array.
type Body struct {
	Mass float32
	Size [2]int16
}

// Saxpy adds a*x to y.
//
//puremetal:kernel group=64
func Saxpy(t *kernel.Thread, a float32, x, y []float32) {
	if i := int(t.Global.X); i < len(x) && i < len(y) {
		y[i] += a * x[i]
	}
}

// Numbers writes numbers of several types, among them NaN.
//
//puremetal:kernel
func Numbers(t *kernel.Thread, first Body, bodies []Body, halves []simd.Half, flags []bool, none []uint32) {
	i := int(t.Global.X)
	if i >= len(bodies) || i >= len(halves) || i >= len(flags) {
		return
	}
	bodies[i].Mass = first.Mass / float32(i) * 0
	bodies[i].Size[1] += first.Size[0] + int16(len(none))
	flags[i] = math.IsNaN(float64(bodies[i].Mass))
}

// Sums adds up the numbers of each threadgroup in memory whose length the launch gives, and then
// those of the grid.
//
//puremetal:kernel
func Sums(t *kernel.Thread, x []int32, out []int32) {
	tile := kernel.SharedSlice[int32](t)
	i := int(t.Global.X)
	if i < len(x) && int(t.Local.X) < len(tile) {
		tile[t.Local.X] = x[i]
	}
	t.Barrier()
	if t.Local.X == 0 {
		for _, v := range tile {
			out[0] = kernel.AtomicAdd(&out[0], v)
		}
	}
}

// Mirror writes the number of another thread, after all have written theirs.
//
//puremetal:kernel
func Mirror(t *kernel.Thread, x, y, _ []uint32) {
	i, n := int(t.Global.X), int(t.GridSize.X)
	if i < len(x) {
		x[i] = uint32(3 * i)
	}
	t.GridBarrier()
	if i < len(y) && n-1-i < len(x) {
		y[i] = x[n-1-i]
	}
}

// Beyond writes outside of a slice, which ends it on the CPU.
//
//puremetal:kernel
func Beyond(t *kernel.Thread, x []int32) { x[len(x)] = 1 }

// Plain is no kernel.
func Plain(t *kernel.Thread, x []int32) { x[0] = 1 }

// Mix averages a texture and its mirror image.
//
//puremetal:kernel
func Mix(t *kernel.Thread, in kernel.Texture2D[simd.Float4], weight float32,
	out kernel.WriteTexture2D[simd.Float4]) {
	x, y := t.Global.X, t.Global.Y
	v := in.Read(x, y).Scale(weight).Add(in.Read(in.Width()-1-x, y).Scale(1 - weight))
	out.Write(v, x, y)
}

// Counts adds a texture to another one.
//
//puremetal:kernel
func Counts(t *kernel.Thread, in kernel.Texture2D[simd.UInt4], out kernel.ReadWriteTexture2D[simd.UInt4]) {
	x, y := t.Global.X, t.Global.Y
	out.Write(out.Read(x, y).Add(in.Read(x, y)), x, y)
}

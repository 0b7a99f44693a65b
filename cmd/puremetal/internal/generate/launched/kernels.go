// Package launched has kernels in Go whose launchers puremetal generate writes, for tests.
package launched

import (
	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

//go:generate go tool puremetal generate .

// body is not exported; the launcher of move takes it anyway.
type body struct {
	Pos, Speed simd.Float4
}

type (
	bodies  []body
	seconds float32
)

//puremetal:kernel
func saxpy(t *kernel.Thread, a float32, x, y []float32) {
	if i := int(t.Global.X); i < len(x) && i < len(y) {
		y[i] += a * x[i]
	}
}

// Sums adds up the numbers of each threadgroup.
//
//puremetal:kernel group=64
func Sums(t *kernel.Thread, x, out []int32) {
	tile := kernel.SharedSlice[int32](t)
	if int(t.Local.X) < len(tile) && int(t.Global.X) < len(x) {
		tile[t.Local.X] = x[t.Global.X]
	}
	t.Barrier()
	if t.Local.X == 0 && t.Group.X < uint32(len(out)) {
		for _, v := range tile {
			out[t.Group.X] += v
		}
	}
}

//puremetal:kernel
func move(t *kernel.Thread, ctx seconds, stream bodies, _ [2]uint8, err simd.Float4) {
	if i := int(t.Global.X); i < len(stream) {
		stream[i].Pos.X += float32(ctx)*stream[i].Speed.X + err.X
	}
}

// tint samples one texture and changes another.
//
//puremetal:kernel
func tint(t *kernel.Thread, _ float32, in, _ kernel.Texture2D[simd.Float4], by simd.Float4,
	out kernel.ReadWriteTexture2D[simd.Float4]) {
	x, y := t.Global.X, t.Global.Y
	at := simd.Float2{X: float32(x) / float32(out.Width()), Y: float32(y) / float32(out.Height())}
	out.Write(in.Sample(kernel.Sampler{Filter: kernel.Linear}, at).Mul(by).Add(out.Read(x, y)), x, y)
}

//puremetal:kernel
func place(t *kernel.Thread, origin kernel.Index, at []kernel.Index) {
	if i := int(t.Global.X); i < len(at) {
		at[i] = kernel.Index{X: origin.X + t.Global.X, Y: origin.Y, Z: at[i].Z}
	}
}

//puremetal:kernel
func nothing(t *kernel.Thread) {}

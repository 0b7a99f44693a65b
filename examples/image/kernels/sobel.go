// Package kernels has a kernel of ../image.metal in Go.
package kernels

import (
	"math"

	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

// Sobel computes the magnitude of the brightness gradient with the two Sobel filters. The image is
// a texture of four integers from 0 to 255. Pixels beyond the edge repeat the edge.
//
//puremetal:kernel
func Sobel(t *kernel.Thread, in kernel.Texture2D[simd.UInt4], out kernel.WriteTexture2D[simd.UInt4]) {
	x, y := t.Global.X, t.Global.Y
	right, bottom := in.Width()-1, in.Height()-1
	columns := [3]uint32{max(x, 1) - 1, x, min(x+1, right)}
	rows := [3]uint32{max(y, 1) - 1, y, min(y+1, bottom)}
	var l [3][3]int32
	for dy, row := range rows {
		for dx, column := range columns {
			l[dy][dx] = luma(in.Read(column, row))
		}
	}
	gx := float32(l[0][2] + 2*l[1][2] + l[2][2] - l[0][0] - 2*l[1][0] - l[2][0])
	gy := float32(l[2][0] + 2*l[2][1] + l[2][2] - l[0][0] - 2*l[0][1] - l[0][2])
	edge := uint32(min(255, float32(math.Sqrt(float64(gx*gx+gy*gy)))))
	out.Write(simd.UInt4{X: edge, Y: edge, Z: edge, W: 255}, x, y)
}

// luma returns the brightness from 0 to 255: the weights of ITU-R BT.601 in units of 1/256,
// rounded.
func luma(p simd.UInt4) int32 { return int32((77*p.X + 150*p.Y + 29*p.Z + 128) >> 8) }

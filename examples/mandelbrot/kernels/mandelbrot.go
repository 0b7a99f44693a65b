// Package kernels has the kernel of ../mandelbrot.metal in Go.
package kernels

import (
	"math"

	"github.com/puremetal/puremetal/kernel"
	"github.com/puremetal/puremetal/simd"
)

// Mandelbrot computes one pixel in each thread: the number of iterations of z = z² + c before z
// escapes, where c is the pixel's point in the complex plane. width is the width of the image in
// the plane; a point that has not escaped after limit iterations counts as a member of the set.
//
//puremetal:kernel
func Mandelbrot(t *kernel.Thread, image []simd.UChar4, center simd.Float2, width float32, limit uint32) {
	x, y, columns, rows := t.Global.X, t.Global.Y, t.GridSize.X, t.GridSize.Y
	step := width / float32(columns)
	cx := center.X + (float32(x)+0.5-0.5*float32(columns))*step
	cy := center.Y + (float32(y)+0.5-0.5*float32(rows))*step
	var zx, zy float32
	n := uint32(0)
	for n < limit && zx*zx+zy*zy < 64 {
		zx, zy = zx*zx-zy*zy+cx, 2*zx*zy+cy
		n++
	}
	pixel := simd.UChar4{W: 255}
	if n < limit {
		// Smooth the iteration count by how far the last iteration escaped, and look it up in a
		// cyclic palette.
		smooth := 0.036 * (float32(n) - log2(0.5*log2(zx*zx+zy*zy)))
		pixel.X, pixel.Y, pixel.Z = channel(smooth+0.02), channel(smooth+0.07), channel(smooth+0.16)
	}
	image[y*columns+x] = pixel
}

func log2(x float32) float32 { return float32(math.Log2(float64(x))) }

// channel returns the brightness at a place of the palette, which repeats after 1.
func channel(at float32) uint8 {
	return uint8(255*(0.5-0.5*float32(math.Cos(float64(6.2831853*at)))) + 0.5)
}

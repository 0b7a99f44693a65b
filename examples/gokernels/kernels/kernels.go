// Package kernels has GPU kernels written in Go.
package kernels

import "github.com/puremetal/puremetal/kernel"

// Life computes the next generation of Conway's Game of Life on a torus: cells are 0 or 1, in rows
// of the grid's width.
//
//puremetal:kernel
func Life(t *kernel.Thread, cells, next []uint8) {
	x, y, width, height := t.Global.X, t.Global.Y, t.GridSize.X, t.GridSize.Y
	neighbors := uint8(0)
	for dy := range uint32(3) {
		for dx := range uint32(3) {
			if dx != 1 || dy != 1 {
				row, column := (y+dy+height-1)%height, (x+dx+width-1)%width
				neighbors += cells[row*width+column]
			}
		}
	}
	alive := uint8(0)
	if neighbors == 3 || neighbors == 2 && cells[y*width+x] == 1 {
		alive = 1
	}
	next[y*width+x] = alive
}

// Histogram counts bytes. Each threadgroup counts in shared memory first, since atomic operations
// on few places in device memory wait for each other.
//
//puremetal:kernel group=256
func Histogram(t *kernel.Thread, data []uint8, counts []uint32) {
	own := kernel.Shared[[256]uint32](t)
	if i := int(t.Global.X); i < len(data) {
		kernel.AtomicAdd(&own[data[i]], 1)
	}
	t.Barrier()
	bin := t.Local.X
	if n := own[bin]; n > 0 {
		kernel.AtomicAdd(&counts[bin], n)
	}
}

// MatMul multiplies n × n matrices, n a multiple of 16. Each threadgroup computes a tile of the
// product from tiles in shared memory, so that it reads each element once and not 16 times.
//
//puremetal:kernel group=16,16
func MatMul(t *kernel.Thread, n uint32, a, b, c []float32) {
	left, right := kernel.Shared[[16][16]float32](t), kernel.Shared[[16][16]float32](t)
	x, y := t.Local.X, t.Local.Y
	sum := float32(0)
	for k := uint32(0); k < n; k += 16 {
		left[y][x] = a[t.Global.Y*n+k+x]
		right[y][x] = b[(k+y)*n+t.Global.X]
		t.Barrier()
		for i := range 16 {
			sum += left[y][i] * right[i][x]
		}
		t.Barrier()
	}
	c[t.Global.Y*n+t.Global.X] = sum
}

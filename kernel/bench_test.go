package kernel_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/puremetal/puremetal/kernel"
)

func saxpy(t *kernel.Thread, a float32, x, y []float32) {
	if i := t.Global.X; i < uint32(len(y)) {
		y[i] += a * x[i]
	}
}

func matmul(t *kernel.Thread, n uint32, a, b, c []float32) {
	ta, tb := kernel.Shared[[16][16]float32](t), kernel.Shared[[16][16]float32](t)
	x, y := t.Local.X, t.Local.Y
	sum := float32(0)
	for k := uint32(0); k < n; k += 16 {
		ta[y][x] = a[t.Global.Y*n+k+x]
		tb[y][x] = b[(k+y)*n+t.Global.X]
		t.Barrier()
		for i := range 16 {
			sum += ta[y][i] * tb[i][x]
		}
		t.Barrier()
	}
	c[t.Global.Y*n+t.Global.X] = sum
}

// tile does what a threadgroup of matmul does, whose first thread is at x0, y0.
func tile(x0, y0, n uint32, a, b, c []float32) {
	var ta, tb, sum [16][16]float32
	for k := uint32(0); k < n; k += 16 {
		for y := range uint32(16) {
			for x := range uint32(16) {
				ta[y][x] = a[(y0+y)*n+k+x]
				tb[y][x] = b[(k+y)*n+x0+x]
			}
		}
		for y := range 16 {
			for x := range 16 {
				for i := range 16 {
					sum[y][x] += ta[y][i] * tb[i][x]
				}
			}
		}
	}
	for y := range uint32(16) {
		for x := range uint32(16) {
			c[(y0+y)*n+x0+x] = sum[y][x]
		}
	}
}

func histogram(t *kernel.Thread, data []byte, counts []uint32) {
	kernel.AtomicAdd(&counts[data[t.Global.X]], 1)
}

// attract adds up what n bodies do to one.
func attract(i int, pos, out []float32) {
	sum := float32(0)
	for _, p := range pos {
		d := p - pos[i]
		sum += d / (d*d + 1)
	}
	out[i] = sum
}

func escape(x, y, size uint32, out []int32) {
	cx, cy := float32(x)/float32(size)*3-2, float32(y)/float32(size)*3-1.5
	var zx, zy float32
	n := int32(0)
	for ; n < 100 && zx*zx+zy*zy < 4; n++ {
		zx, zy = zx*zx-zy*zy+cx, 2*zx*zy+cy
	}
	out[y*size+x] = n
}

// loop calls fn for the numbers up to n, in as many goroutines as Run has.
func loop(n int, fn func(i int)) {
	var all sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for w := range workers {
		all.Go(func() {
			for i := n * w / workers; i < n*(w+1)/workers; i++ {
				fn(i)
			}
		})
	}
	all.Wait()
}

// BenchmarkRun compares Run with loops over goroutines that do the same.
func BenchmarkRun(b *testing.B) {
	const line, size = 1 << 20, 256
	x, y := make([]float32, line), make([]float32, line)
	data, counts := make([]byte, line), make([]uint32, 256)
	for i := range data {
		x[i], data[i] = float32(i%1000), byte(i*7)
	}
	out := make([]int32, size*size)
	square := kernel.Index{X: size, Y: size}
	for _, k := range []struct {
		name        string
		grid, group kernel.Index
		fn          func(t *kernel.Thread)
		plain       func()
	}{
		{"saxpy", one(line), one(256), func(t *kernel.Thread) { saxpy(t, 2, x, y) },
			func() { loop(line, func(i int) { y[i] += 2 * x[i] }) }},
		{"matmul", square, kernel.Index{X: 16, Y: 16}, func(t *kernel.Thread) { matmul(t, size, x, x[size*size:], y) },
			func() {
				loop(size*size/256, func(i int) {
					tile(uint32(i)%(size/16)*16, uint32(i)/(size/16)*16, size, x, x[size*size:], y)
				})
			}},
		{"nbody", one(2048), one(64), func(t *kernel.Thread) { attract(int(t.Global.X), x[:2048], y) },
			func() { loop(2048, func(i int) { attract(i, x[:2048], y) }) }},
		{"histogram", one(line), one(256), func(t *kernel.Thread) { histogram(t, data, counts) },
			func() { loop(line, func(i int) { atomic.AddUint32(&counts[data[i]], 1) }) }},
		{"mandelbrot", square, kernel.Index{X: 16, Y: 16},
			func(t *kernel.Thread) { escape(t.Global.X, t.Global.Y, size, out) },
			func() { loop(size*size, func(i int) { escape(uint32(i%size), uint32(i/size), size, out) }) }},
	} {
		b.Run(k.name+"/run", func(b *testing.B) {
			for b.Loop() {
				if err := kernel.Run(k.grid, k.group, k.fn); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(k.name+"/loop", func(b *testing.B) {
			for b.Loop() {
				k.plain()
			}
		})
	}
}

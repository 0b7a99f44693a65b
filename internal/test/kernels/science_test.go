package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
)

func histogram(kernel string, n, threads, group int) *work {
	r := rand.New(rand.NewPCG(uint64(n), 18))
	list := make([]byte, n)
	for i := range list {
		list[i] = byte(math.Abs(r.NormFloat64()) * 60)
	}
	return &work{name: fmt.Sprintf("%s %d by %d of %d", kernel, n, threads, group), file: "histogram.metal",
		large:   n > 5000,
		buffers: map[string][]byte{"in": list, "bins": make([]byte, 1024)},
		launch: func(d *device) {
			if kernel == "histogram" {
				d.run(kernel, across(threads), across(group), "in", "bins", uint32(n))
			} else {
				d.run(kernel, across(n), across(group), "in", "bins")
			}
		},
		plain: func() []result {
			var bins [256]uint32
			for _, b := range list {
				bins[b]++
			}
			return []result{{name: "bins", want: bins[:]}}
		}}
}

func TestHistogram(t *testing.T) {
	test(t, histogram("histogram", 3000, 512, 128), histogram("histogram", 777, 250, 100),
		histogram("histogram", 10, 1024, 1024), histogram("histogram", 300000, 4096, 256),
		histogram("histogram_direct", 3000, 0, 64), histogram("histogram_direct", 100000, 0, 1000))
}

func nbody(n, group, steps int) *work {
	bodies, velocities := normal(4*n, 19), make([]float64, 3*n)
	for i := range n {
		bodies[4*i+3] = math.Abs(bodies[4*i+3]) + 0.5
	}
	type motion struct {
		Count           uint32
		Step, Softening float32
	}
	const step, softening = 1.0 / 1024, 1.0 / 4
	return &work{name: fmt.Sprintf("%d by %d", n, group), file: "nbody.metal", large: n > 150,
		buffers: map[string][]byte{"bodies": rounded(ir.F32, bodies), "moved": make([]byte, 16*n),
			"velocities": rounded(ir.F32, velocities)},
		launch: func(d *device) {
			from, to := "bodies", "moved"
			for range steps { // an odd number
				d.run("nbody", across(up(n, group)), across(group), from, to, "velocities", motion{uint32(n), step, softening},
					local(16*group))
				from, to = to, from
			}
		},
		plain: func() []result {
			from, v := append([]float64(nil), bodies...), append([]float64(nil), velocities...)
			for range steps {
				to := append([]float64(nil), from...)
				for i := range n {
					var pull [3]float64
					x, y, z := from[4*i], from[4*i+1], from[4*i+2]
					for j := range n {
						dx, dy, dz := from[4*j]-x, from[4*j+1]-y, from[4*j+2]-z
						inverse := 1 / math.Sqrt(dx*dx+dy*dy+dz*dz+softening)
						f := from[4*j+3] * inverse * inverse * inverse
						pull[0], pull[1], pull[2] = pull[0]+dx*f, pull[1]+dy*f, pull[2]+dz*f
					}
					for c, p := range pull {
						v[3*i+c] += p * step
						to[4*i+c] += v[3*i+c] * step
					}
				}
				from = to
			}
			// An attraction is up to 4n; fast rsqrt may have an error of 2^-11, three times in a
			// product (package ir).
			off := 4 * float64(n*steps) * step * 3 * 0x1p-11
			return []result{{name: "velocities", want: v, kind: ir.F32, absolute: off},
				{name: "moved", want: from, kind: ir.F32, absolute: off*step*float64(steps) + 0x1p-20}}
		}}
}

func TestNBody(t *testing.T) {
	test(t, nbody(100, 32, 1), nbody(77, 50, 3), nbody(150, 256, 1), nbody(700, 64, 1))
}

func mandelbrot(w, h, rounds int, group [3]int) *work {
	x0, y0, dx, dy := float32(-2.2), float32(-1.2), float32(3)/float32(w), float32(2.4)/float32(h)
	type view struct {
		X, Y, DX, DY  float32
		Width, Rounds uint32
	}
	return &work{name: fmt.Sprintf("%dx%d by %dx%d", w, h, group[0], group[1]), file: "mandelbrot.metal",
		large:   w*h > 1000,
		buffers: map[string][]byte{"out": make([]byte, w*h*2)},
		launch: func(d *device) {
			d.run("mandelbrot", [3]int{w, h, 1}, group, "out", view{x0, y0, dx, dy, uint32(w), uint32(rounds)})
		},
		plain: func() []result {
			want := make([]uint16, w*h)
			for y := range h {
				for x := range w {
					cx, cy := x0+float32(float32(x)*dx), y0+float32(float32(y)*dy) // conversions prevent contraction
					zx, zy, n := float32(0), float32(0), 0
					for ; n < rounds; n++ {
						xx, yy := float32(zx*zx), float32(zy*zy)
						if xx+yy > 4 {
							break
						}
						zx, zy = xx-yy+cx, float32(float32(2*zx)*zy)+cy
					}
					want[y*w+x] = uint16(n)
				}
			}
			return []result{{name: "out", want: want}}
		}}
}

func TestMandelbrot(t *testing.T) {
	test(t, mandelbrot(30, 20, 100, [3]int{8, 8, 1}), mandelbrot(41, 11, 60, [3]int{7, 3, 1}),
		mandelbrot(33, 5, 1000, [3]int{64, 1, 1}), mandelbrot(150, 100, 500, [3]int{32, 32, 1}))
}

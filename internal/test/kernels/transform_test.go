package kernels

import (
	"fmt"
	"math"
	"math/cmplx"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
)

// fft transforms rows of complex numbers and, if back is set, transforms them back.
func fft(radix, count, length, group int, back bool) *work {
	in := normal(count*length*2, 17)
	return &work{name: fmt.Sprintf("radix %d, %dx%d by %d, back=%v", radix, count, length, group, back), file: "fft.metal",
		large: count*length > 600,
		buffers: map[string][]byte{"in": rounded(ir.F32, in), "out": make([]byte, len(in)*4),
			"again": make([]byte, len(in)*4)},
		launch: func(d *device) {
			type transform struct {
				Length uint32
				Sign   float32
			}
			kernel, memory := fmt.Sprintf("fft_radix%d", radix), local(length*8)
			if radix == 2 {
				memory *= 2
			}
			d.run(kernel, across(count*group), across(group), "in", "out", transform{uint32(length), -1}, memory)
			if back {
				d.run(kernel, across(count*group), across(group), "out", "again", transform{uint32(length), 1}, memory)
			}
		},
		plain: func() []result {
			want, again := make([]float64, 0, len(in)), make([]float64, len(in))
			for r := range count {
				x := make([]complex128, length)
				for i := range x {
					x[i] = complex(in[(r*length+i)*2], in[(r*length+i)*2+1])
				}
				for _, y := range transformed(x) {
					want = append(want, real(y), imag(y))
				}
			}
			for i, x := range in {
				again[i] = x * float64(length)
			}
			// Each of log2(n) passes rounds numbers up to 4 sqrt(n) a few times; after the inverse
			// they are up to 4n.
			passes := math.Log2(float64(length)) + 1
			list := []result{{name: "out", want: want, kind: ir.F32,
				absolute: passes * 16 * math.Sqrt(float64(length)) * 0x1p-24}}
			if back {
				list = append(list, result{name: "again", want: again, kind: ir.F32,
					absolute: 2 * passes * 16 * float64(length) * 0x1p-24})
			}
			return list
		}}
}

// transformed is the recursive Fourier transform of a row whose length is a power of two.
func transformed(x []complex128) []complex128 {
	n := len(x)
	if n == 1 {
		return x
	}
	even, odd := make([]complex128, n/2), make([]complex128, n/2)
	for i := range even {
		even[i], odd[i] = x[2*i], x[2*i+1]
	}
	even, odd = transformed(even), transformed(odd)
	y := make([]complex128, n)
	for k := range even {
		t := cmplx.Rect(1, -2*math.Pi*float64(k)/float64(n)) * odd[k]
		y[k], y[k+n/2] = even[k]+t, even[k]-t
	}
	return y
}

func TestFourier(t *testing.T) {
	test(t, fft(2, 3, 64, 32, true), fft(2, 2, 128, 50, false), fft(2, 1, 2, 1, true), fft(2, 5, 1024, 256, true),
		fft(4, 3, 64, 16, true), fft(4, 2, 256, 64, false), fft(4, 4, 4, 1, true),
		fft(4, 6, 1024, 256, true))
}

func transpose(w, h, height int) *work {
	list := random(w*h, anyFloat)
	return &work{name: fmt.Sprintf("%dx%d by %d", w, h, height), file: "transpose.metal", large: w*h > 5000,
		buffers: map[string][]byte{"in": encode(list), "out": make([]byte, w*h*4)},
		launch: func(d *device) {
			d.run("transpose", [3]int{up(w, 32), up(h, 32) / 32 * height, 1}, [3]int{32, height, 1}, "in", "out",
				[]uint32{uint32(w), uint32(h)})
		},
		plain: func() []result {
			want := make([]float32, w*h)
			for y := range h {
				for x := range w {
					want[x*h+y] = list[y*w+x]
				}
			}
			return []result{{name: "out", want: want}}
		}}
}

func TestTranspose(t *testing.T) {
	test(t, transpose(40, 33, 8), transpose(64, 64, 32), transpose(5, 100, 1), transpose(31, 1, 5), transpose(200, 301, 8))
}

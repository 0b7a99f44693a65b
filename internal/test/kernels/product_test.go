package kernels

import (
	"fmt"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
)

// gemm multiplies an m by k matrix with a k by n one.
func gemm(how, typ string, m, n, k int, group [3]int) *work {
	kind, _ := kindOf(typ)
	a, b := normal(m*k, 9), normal(k*n, 10)
	return &work{name: fmt.Sprintf("%s %s %dx%dx%d by %dx%d", how, typ, m, n, k, group[0], group[1]), file: "gemm.metal",
		large:   m*n*k > 40000,
		buffers: map[string][]byte{"a": rounded(kind, a), "b": rounded(kind, b), "c": make([]byte, m*n*4)},
		launch: func(d *device) {
			grid := [3]int{up(n, group[0]), up(m, group[1]), 1}
			if how == "simd" { // a threadgroup per block of 32 by 32
				grid = [3]int{up(n, 32) / 32 * group[0], up(m, 32) / 32, 1}
			}
			d.run("gemm_"+how+"_"+typ, grid, group, "a", "b", "c", []uint32{uint32(m), uint32(n), uint32(k)})
		},
		plain: func() []result { return []result{product(a, b, m, n, k)} }}
}

// product is a matrix product. A sum of k products rounds k times: for numbers around 1, each time
// by at most half a unit in the last place of a sum of at most about 4 sqrt(k).
func product(a, b []float64, m, n, k int) result {
	want := make([]float64, m*n)
	for i := range m {
		c := want[i*n:][:n]
		for l := range k {
			x, row := a[i*k+l], b[l*n:][:n]
			for j, y := range row {
				c[j] += x * y
			}
		}
	}
	return result{name: "c", want: want, kind: ir.F32, absolute: float64(k) * 8 * 0x1p-24, relative: float64(k) * 0x1p-24}
}

func TestGemm(t *testing.T) {
	square, wide := [3]int{16, 16, 1}, [3]int{128, 1, 1}
	for _, typ := range []string{"float", "half", "bfloat"} {
		test(t, gemm("naive", typ, 20, 30, 40, [3]int{8, 8, 1}), gemm("naive", typ, 33, 17, 25, [3]int{32, 3, 1}),
			gemm("tiled", typ, 20, 30, 40, square), gemm("tiled", typ, 33, 17, 9, square),
			gemm("simd", typ, 32, 32, 32, wide), gemm("simd", typ, 33, 40, 20, wide), gemm("simd", typ, 7, 3, 50, wide),
			gemm("simd", typ, 128, 96, 100, wide))
	}
	test(t, gemm("naive", "float", 100, 130, 70, [3]int{32, 8, 1}), gemm("tiled", "float", 100, 130, 70, square))
}

func gemv(typ string, m, k, group int) *work {
	kind, _ := kindOf(typ)
	a, x := normal(m*k, 11), normal(k, 12)
	return &work{name: fmt.Sprintf("%s %dx%d by %d", typ, m, k, group), file: "gemm.metal", large: m*k > 10000,
		buffers: map[string][]byte{"a": rounded(kind, a), "x": rounded(kind, x), "c": make([]byte, m*4)},
		launch: func(d *device) {
			d.run("gemv_"+typ, across(up(m, group/32)*32), across(group), "a", "x", "c", []uint32{uint32(m), 1, uint32(k)})
		},
		plain: func() []result { return []result{product(a, x, m, 1, k)} }}
}

func TestGemv(t *testing.T) {
	for _, typ := range []string{"float", "half", "bfloat"} {
		test(t, gemv(typ, 10, 100, 64), gemv(typ, 33, 77, 32), gemv(typ, 5, 3, 256), gemv(typ, 200, 1000, 128))
	}
}

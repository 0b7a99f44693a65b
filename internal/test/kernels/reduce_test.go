package kernels

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
)

// reduction reduces n numbers with several threadgroups, and their results with one.
func reduction(op string, n, groups, group int) *work {
	r := rand.New(rand.NewPCG(uint64(n), 4))
	w := &work{name: fmt.Sprintf("%s %d by %dx%d", op, n, groups, group), file: "reduce.metal", large: n > 5000,
		launch: func(d *device) {
			d.run("reduce_"+op, across(groups*group), across(group), "in", "parts", uint32(n))
			d.run("reduce_"+op, across(group), across(group), "parts", "out", uint32(groups))
		}}
	if op == "min" {
		list := make([]int32, n)
		for i := range list {
			list[i] = r.Int32()
		}
		w.buffers = map[string][]byte{"in": encode(list), "parts": make([]byte, groups*4), "out": make([]byte, 4)}
		w.plain = func() []result { return []result{{name: "out", want: slices.Min(list)}} }
		return w
	}
	list := make([]float64, n)
	for i := range list {
		list[i] = r.Float64()
	}
	w.buffers = map[string][]byte{"in": rounded(ir.F32, list), "parts": make([]byte, groups*4), "out": make([]byte, 4)}
	w.plain = func() []result {
		sum := 0.0
		for _, x := range list {
			sum += x
		}
		steps := float64(n/(groups*group) + groups/group + 24) // additions that one number goes through
		return []result{{name: "out", want: []float64{sum}, kind: ir.F32, relative: steps * 0x1p-24}}
	}
	return w
}

func tree(n, group int) *work {
	list := make([]float64, n)
	r := rand.New(rand.NewPCG(uint64(n), 5))
	for i := range list {
		list[i] = float64(r.IntN(100)) // sums are exact
	}
	return &work{name: fmt.Sprintf("tree %d by %d", n, group), file: "reduce.metal", large: n > 5000,
		buffers: map[string][]byte{"in": rounded(ir.F32, list), "out": make([]byte, (n+group-1)/group*4)},
		launch: func(d *device) {
			d.run("reduce_tree", across(up(n, group)), across(group), "in", "out", uint32(n), local(group*4))
		},
		plain: func() []result {
			var sums []float32
			for part := range slices.Chunk(list, group) {
				sum := 0.0
				for _, x := range part {
					sum += x
				}
				sums = append(sums, float32(sum))
			}
			return []result{{name: "out", want: sums}}
		}}
}

func TestReduce(t *testing.T) {
	test(t, reduction("sum", 1000, 4, 64), reduction("sum", 5000, 3, 100), reduction("sum", 10, 2, 32),
		reduction("sum", 200000, 16, 256), reduction("min", 1000, 4, 64),
		reduction("min", 777, 7, 33), reduction("min", 100000, 8, 1024), tree(1000, 64), tree(5000, 256), tree(100000, 1024),
		tree(7, 1))
}

func argmax(rows, columns, group int) *work {
	// The maximum may occur more than once.
	list := random(rows*columns, func(r *rand.Rand) float32 { return float32(r.IntN(columns)) })
	return &work{name: fmt.Sprintf("%dx%d by %d", rows, columns, group), file: "reduce.metal", large: rows*columns > 5000,
		buffers: map[string][]byte{"rows": encode(list), "out": make([]byte, rows*8)},
		launch: func(d *device) {
			d.run("argmax_rows", across(rows*group), across(group), "rows", "out", uint32(columns))
		},
		plain: func() []result {
			type place struct {
				Value float32
				Index uint32
			}
			var want []place
			for row := range slices.Chunk(list, columns) {
				x := slices.Max(row)
				want = append(want, place{x, uint32(slices.Index(row, x))})
			}
			return []result{{name: "out", want: want}}
		}}
}

func TestArgmax(t *testing.T) {
	test(t, argmax(5, 100, 32), argmax(7, 333, 128), argmax(3, 10, 64), argmax(40, 3000, 256))
}

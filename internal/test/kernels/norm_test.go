package kernels

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
)

// kindOf returns the kind of a Metal type, and half a unit in the last place of a number from 1 to
// 2.
func kindOf(spelled string) (k ir.Kind, half float64) {
	switch spelled {
	case "half":
		return ir.F16, 0x1p-11
	case "bfloat":
		return ir.BF16, 0x1p-8
	}
	return ir.F32, 0x1p-24
}

func normal(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(uint64(n), seed))
	list := make([]float64, n)
	for i := range list {
		list[i] = r.NormFloat64()
	}
	return list
}

type row struct {
	Columns uint32
	Epsilon float32
}

// rows is a kernel that transforms each row.
func rows(op, typ string, count, columns, group int) *work {
	k, half := kindOf(typ)
	in, weight, bias := normal(count*columns, 6), normal(columns, 7), normal(columns, 8)
	const epsilon = 1e-5
	w := &work{name: fmt.Sprintf("%s %s %dx%d by %d", op, typ, count, columns, group), file: "norm.metal",
		large: count*columns > 2000,
		buffers: map[string][]byte{"in": rounded(k, in), "weight": rounded(k, weight), "bias": rounded(k, bias),
			"out": make([]byte, len(in)*k.Size())},
		launch: func(d *device) {
			args := map[string][]any{"softmax": {"in", "out"}, "rms_norm": {"in", "weight", "out"},
				"layer_norm": {"in", "weight", "bias", "out"}}[op]
			d.run(op+"_"+typ, across(count*group), across(group), append(args, row{uint32(columns), epsilon})...)
		}}
	w.plain = func() []result {
		want := make([]float64, 0, len(in))
		for x := range slices.Chunk(in, columns) {
			most, sum, squares := slices.Max(x), 0.0, 0.0
			for _, v := range x {
				sum += v
			}
			mean := sum / float64(columns)
			switch op {
			case "softmax":
				sum = 0
				for _, v := range x {
					sum += math.Exp(v - most)
				}
				for _, v := range x {
					want = append(want, math.Exp(v-most)/sum)
				}
			case "rms_norm":
				for _, v := range x {
					squares += v * v
				}
				for i, v := range x {
					want = append(want, v/math.Sqrt(squares/float64(columns)+epsilon)*weight[i])
				}
			case "layer_norm":
				for _, v := range x {
					squares += (v - mean) * (v - mean)
				}
				for i, v := range x {
					want = append(want, (v-mean)/math.Sqrt(squares/float64(columns)+epsilon)*weight[i]+bias[i])
				}
			}
		}
		// Fast exp and rsqrt may each have an error of 2^-11 (package ir); the stored value is
		// rounded to its type. Near 0 the sum with the bias cancels.
		return []result{{name: "out", want: want, kind: k, relative: 2*0x1p-11 + half, absolute: 3 * 0x1p-11}}
	}
	if op == "softmax" { // nothing cancels, but the smallest halves are coarse
		of := w.plain
		w.plain = func() []result {
			r := of()
			r[0].relative, r[0].absolute = 3*0x1p-11+half, 0x1p-24
			return r
		}
	}
	return w
}

func TestRows(t *testing.T) {
	for _, op := range []string{"softmax", "rms_norm", "layer_norm"} {
		test(t, rows(op, "float", 3, 100, 64), rows(op, "float", 2, 333, 100), rows(op, "half", 4, 128, 32),
			rows(op, "bfloat", 3, 65, 96), rows(op, "float", 2, 5, 1),
			rows(op, "float", 16, 1024, 256), rows(op, "half", 8, 1000, 1024))
	}
}

package kernels

import (
	"fmt"
	"math"
	"testing"

	"github.com/puremetal/puremetal/internal/ir"
)

type attentionArgs struct {
	Queries, Keys uint32
	Scale         float32
	Causal        uint32
}

// attention is multi-head attention with simds simdgroups per threadgroup.
func attention(typ string, heads, queries, keys int, causal bool, simds int) *work {
	const width = 64
	kind, half := kindOf(typ)
	q, k, v := normal(heads*queries*width, 20), normal(heads*keys*width, 21), normal(heads*keys*width, 22)
	a := attentionArgs{uint32(queries), uint32(keys), 0.125, 0}
	if causal {
		a.Causal = 1
	}
	return &work{name: fmt.Sprintf("%s %dx%dx%d causal=%v by %d", typ, heads, queries, keys, causal, simds),
		file: "attention.metal", large: heads*queries*keys > 1500,
		buffers: map[string][]byte{"q": rounded(kind, q), "k": rounded(kind, k), "v": rounded(kind, v),
			"out": make([]byte, len(q)*kind.Size())},
		launch: func(d *device) {
			d.run("attention_"+typ, [3]int{up(queries, simds) * 32, heads, 1}, across(simds*32), "q", "k", "v", "out", a)
		},
		plain: func() []result {
			want := make([]float64, len(q))
			for h := range heads {
				for i := range queries {
					row := q[(h*queries+i)*width:][:width]
					seen := keys
					if causal {
						seen = keys - queries + i + 1
					}
					scores, most := make([]float64, seen), math.Inf(-1)
					for j := range scores {
						for c, x := range k[(h*keys+j)*width:][:width] {
							scores[j] += row[c] * x * float64(a.Scale)
						}
						most = max(most, scores[j])
					}
					sum, out := 0.0, want[(h*queries+i)*width:][:width]
					for _, s := range scores {
						sum += math.Exp(s - most)
					}
					for j, s := range scores {
						for c, x := range v[(h*keys+j)*width:][:width] {
							out[c] += math.Exp(s-most) / sum * x
						}
					}
				}
			}
			// Weights from a fast exp with error 2^-11, and values up to 4. Each new maximum, of
			// which there are about log2(keys), rescales the sum. The numbers are finally rounded
			// to their type.
			steps := 2 + math.Log2(float64(keys))
			return []result{{name: "out", want: want, kind: kind, absolute: steps * 4 * 0x1p-11, relative: half}}
		}}
}

func TestAttention(t *testing.T) {
	test(t, attention("float", 1, 3, 40, false, 2), attention("float", 2, 5, 33, true, 4),
		attention("half", 1, 4, 64, true, 1), attention("float", 4, 32, 100, true, 8),
		attention("half", 2, 17, 50, false, 3))
}

// weighted adds rows of different lengths that an argument buffer points to, and gathers from them.
func weighted(columns, group int) *work {
	lengths := []int{columns, columns / 2, columns/3 + 1}
	scales := []float64{0.5, -2, 3}
	var lists [][]float64
	w := &work{name: fmt.Sprintf("%d by %d", columns, group), file: "argument.metal", large: columns > 5000,
		buffers: map[string][]byte{"parts": nil, "out": make([]byte, columns*4), "gathered": make([]byte, columns*4),
			"sum": nil, "gather": nil}}
	for i, n := range lengths {
		list := normal(n, uint64(30+i))
		w.buffers[fmt.Sprint("x", i)] = rounded(ir.F32, list)
		lists = append(lists, list)
	}
	type part struct {
		X     uint64
		Scale float32
		Count uint32
	}
	type arguments struct {
		Out, Parts     uint64
		Count, Columns uint32
	}
	for i, n := range lengths { // with an offset that skips the first number of each
		w.buffers["parts"] = append(w.buffers["parts"],
			encode(part{w.address(fmt.Sprint("x", i), 4), float32(scales[i]), uint32(n - 1)})...)
	}
	w.buffers["sum"] = encode(arguments{w.address("out", 0), w.address("parts", 0), 3, uint32(columns)})
	w.buffers["gather"] = encode(arguments{w.address("gathered", 0), w.address("parts", 0), 3, uint32(columns)})
	w.launch = func(d *device) {
		d.run("weighted_sum", across(up(columns, group)), across(group), "sum")
		d.run("gather_parts", across(columns), across(group), "gather")
	}
	w.plain = func() []result {
		sum, gathered := make([]float32, columns), make([]float32, columns)
		for i := range columns {
			for p, list := range lists {
				if i < len(list)-1 {
					sum[i] += float32(float32(scales[p]) * float32(list[1+i]))
				}
			}
			p := i % 3
			gathered[i] = float32(lists[p][1+i/3%(len(lists[p])-1)]) * float32(scales[p])
		}
		return []result{{name: "out", want: sum}, {name: "gathered", want: gathered}} // exact: the same operations
	}
	return w
}

func TestArgumentBuffer(t *testing.T) {
	test(t, weighted(1000, 64), weighted(77, 50), weighted(10000, 256))
}

// activation is one specialization of a kernel by function constants; scale 0 leaves the constant
// undefined.
func activation(kind int, bias bool, scale float32, n, group int) *work {
	in, add := random(n, anyFloat), random(1<<kind, anyFloat)
	w := &work{name: fmt.Sprintf("%d bias=%v scale=%g, %d by %d", kind, bias, scale, n, group), file: "constants.metal",
		constants: map[int][]byte{0: encode(int32(kind)), 1: {0}},
		buffers:   map[string][]byte{"in": encode(in), "out": make([]byte, n*4), "bias": encode(add)}}
	if bias {
		w.constants[1] = []byte{1}
	}
	if scale != 0 {
		w.constants[2] = encode(scale)
	}
	w.launch = func(d *device) {
		args := []any{"in", "out"}
		if bias {
			args = append(args, "bias")
		}
		d.run("activate", across(n), across(group), args...)
	}
	w.plain = func() []result {
		want := make([]float64, n)
		for i, x := range in {
			y := float64(x)
			if scale != 0 {
				y *= float64(scale)
			}
			if bias {
				y += float64(add[i%(1<<kind)])
			}
			switch kind {
			case 1:
				y = max(y, 0)
			case 2:
				y /= 1 + math.Abs(y)
			}
			want[i] = y
		}
		// The sum with the bias may cancel; a fast division.
		return []result{{name: "out", want: want, kind: ir.F32, absolute: 16 * 0x1p-24, relative: 4 * 0x1p-24}}
	}
	return w
}

func TestFunctionConstants(t *testing.T) {
	for kind := range 3 {
		test(t, activation(kind, false, 0, 100, 32), activation(kind, true, 0, 77, 64), activation(kind, true, 2.5, 300, 256),
			activation(kind, false, -0.1, 1000, 100))
	}
}

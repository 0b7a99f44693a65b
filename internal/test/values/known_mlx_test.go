package values

import (
	"math"

	"github.com/puremetal/puremetal/internal/msl/types"
)

func mlxNormKernels() (ks []*known) {
	const n, rows = 300, 5
	x, w := numbers(11, n*rows, types.Float), numbers(12, n, types.Float)
	want := rmsNorm(x.values, n, 1e-5)
	for i := range want {
		want[i] *= w.values[i%n]
	}
	for _, k := range []struct {
		kernel string
		group  int
	}{{"rmsfloat32", 96}, {"rms_loopedfloat32", 32}} {
		ks = append(ks, &known{kernel: k.kernel, grid: [3]int{k.group * rows}, group: [3]int{k.group},
			constants: map[string]float64{"has_w": 1}, args: map[string]float64{"eps": 1e-5, "axis_size": n, "w_stride": 1},
			data: map[string][]byte{"x": x.bytes, "w": w.bytes, "out": make([]byte, len(x.bytes))}, out: "out", want: want})
	}
	return ks
}

func mlxSoftmaxKernels() (ks []*known) {
	const n, rows = 300, 5
	x := numbers(13, n*rows, types.Float)
	var want []float64
	for row := range rows {
		want = append(want, softmax(x.values[row*n:row*n+n], math.NaN())...)
	}
	for _, k := range []struct {
		kernel string
		group  int
	}{{"block_softmax_float32", 96}, {"looped_softmax_float32", 32}} {
		ks = append(ks, &known{kernel: k.kernel, grid: [3]int{k.group * rows}, group: [3]int{k.group},
			args: map[string]float64{"axis_size": n},
			data: map[string][]byte{"in": x.bytes, "out": make([]byte, len(x.bytes))}, out: "out", want: want})
	}
	return ks
}

// mlxRopeKernels rotate pairs half a row apart: for several tokens starting at an offset and
// several heads, or for one token.
func mlxRopeKernels() []*known {
	const n, heads, offset, base = 64, 6, 3, 10000.0
	turn := func(x array, tokens int) (want []float64) {
		want = make([]float64, len(x.values))
		for row := range heads * tokens {
			for i := range n / 2 {
				sin, cos := math.Sincos(float64(offset+row%tokens) * math.Pow(base, -float64(i)/(n/2)))
				a, b := x.values[row*n+i], x.values[row*n+i+n/2]
				want[row*n+i], want[row*n+i+n/2] = a*cos-b*sin, a*sin+b*cos
			}
		}
		return want
	}
	const tokens = 5
	many, one := numbers(14, n*heads*tokens, types.Float), numbers(15, n*heads, types.Float)
	constants := map[string]float64{"forward": 1}
	log := math.Log2(base)
	return []*known{
		{kernel: "rope_float32", grid: [3]int{n / 2, tokens, (heads + 3) / 4}, group: [3]int{32}, constants: constants,
			args: map[string]float64{"scale": 1, "offset_stride": 1, "n_head": heads, "base": log}, out: "out",
			want: turn(many, tokens),
			data: map[string][]byte{"in": many.bytes, "out": make([]byte, len(many.bytes)), "offset": ints(4, offset),
				"strides": ints(8, tokens*n, n, 1), "out_strides": ints(8, tokens*n, n, 1)}},
		{kernel: "rope_single_float32", grid: [3]int{n / 2, heads}, group: [3]int{32}, constants: constants,
			args: map[string]float64{"offset": offset, "scale": 1, "stride": n, "base": log}, out: "out", want: turn(one, 1),
			data: map[string][]byte{"in": one.bytes, "out": make([]byte, len(one.bytes))}},
	}
}

// mlxVectorKernels multiply matrices with a vector: with one simdgroup for a row, or several whose
// first lanes alone come to a barrier; plainly, or as 0.7 of it and -0.3 of a bias.
func mlxVectorKernels() []*known {
	const in = 1000
	const alpha, beta = 0.7, -0.3
	a, x := numbers(16, in*50, types.Float), numbers(17, in, types.Float)
	bias := numbers(18, 50, types.Float)
	one := func(kernel string, out, ld int, grid, group [3]int, want []float64) *known {
		return &known{kernel: kernel, grid: grid, group: group,
			args: map[string]float64{"in_vec_size": in, "out_vec_size": float64(out), "marix_ld": float64(ld), "alpha": alpha,
				"beta": beta, "bias_stride": 1}, out: "out_vec", want: want,
			data: map[string][]byte{"mat": a.bytes, "in_vec": x.bytes, "bias": bias.bytes, "out_vec": make([]byte, 4*out)}}
	}
	plain := product(a.values, x.values, 30, 1, in)
	scaled := product(a.values, x.values, 50, 1, in)
	for i := range scaled {
		scaled[i] = alpha*scaled[i] + beta*bias.values[i]
	}
	const columns = 22
	turned := make([]float64, columns)
	for i := range in {
		for j := range columns {
			turned[j] += a.values[i*columns+j] * x.values[i]
		}
	}
	return []*known{
		one("gemv_float32_bm1_bn8_sm1_sn32_tm4_tn4_nc0_axpby0", 30, in, [3]int{32 * 8, 8}, [3]int{32, 8}, plain),
		one("gemv_float32_bm4_bn1_sm1_sn32_tm4_tn4_nc0_axpby1", 50, in, [3]int{32 * 4, 4}, [3]int{32, 4}, scaled),
		one("gemv_t_float32_bm1_bn2_sm8_sn4_tm4_tn1_nc0_axpby0", columns, columns, [3]int{32 * 3, 2}, [3]int{32, 2}, turned),
	}
}

// mlxQuantizedKernels multiply a vector by 4-bit weights, eight per word, where each 64 share a
// scale and a bias.
func mlxQuantizedKernels() []*known {
	one := func(kernel string, in, out int) *known {
		x, scales, biases := numbers(19, in, types.Float), numbers(20, in*out/64, types.Float),
			numbers(21, in*out/64, types.Float)
		var w array
		seed := uint64(22)
		for i := range in * out / 2 {
			seed = seed*6364136223846793005 + 1442695040888963407
			b := byte(seed >> 40)
			w.bytes = append(w.bytes, b)
			s, o := scales.values[i/32], biases.values[i/32]
			w.values = append(w.values, float64(b&15)*s+o, float64(b>>4)*s+o)
		}
		return &known{kernel: kernel, grid: [3]int{32, roundUp(out, 8) / 8 * 2}, group: [3]int{32, 2},
			args: map[string]float64{"in_vec_size": float64(in), "out_vec_size": float64(out)}, out: "y",
			want: product(w.values, x.values, out, 1, in),
			data: map[string][]byte{"w": w.bytes, "scales": scales.bytes, "biases": biases.bytes, "x": x.bytes,
				"y": make([]byte, 4*out)}}
	}
	return []*known{one("affine_qmv_fast_float_gs_64_b_4_batch_0", 1024, 24),
		one("affine_qmv_float_gs_64_b_4_batch_0", 192, 21)}
}

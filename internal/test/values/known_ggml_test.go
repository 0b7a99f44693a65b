package values

import (
	"math"

	"github.com/puremetal/puremetal/internal/msl/types"
)

func ggmlKernels() []*known {
	ks := []*known{ggmlNorm()}
	ks = append(ks, ggmlSoftmax("kernel_soft_max_f32", types.Float), ggmlSoftmax("kernel_soft_max_f16", types.Half))
	ks = append(ks, ggmlRope("kernel_rope_norm_f32", false, 0, 1), ggmlRope("kernel_rope_neox_f32", true, 1, 0.25))
	return append(ks, ggmlProducts()...)
}

// strides describes a tensor of h planes of w rows of n elements of a given size.
func strides(infix string, n, w, h, size int) map[string]float64 {
	row := float64(n * size)
	return map[string]float64{"nb" + infix + "0": float64(size), "nb" + infix + "1": row,
		"nb" + infix + "2": row * float64(w), "nb" + infix + "3": row * float64(w*h)}
}

func ggmlNorm() *known {
	const n, rows, planes = 300, 4, 2
	x := numbers(1, n*rows*planes, types.Float)
	args := together(strides("", n, rows, planes, 4), strides("f", n, rows, planes, 4))
	return &known{kernel: "kernel_rms_norm_f32", grid: [3]int{64 * rows, planes}, group: [3]int{64}, threadgroup: 128,
		out: "dst",
		args: together(args, map[string]float64{"ne00": n, "ne00_t": n, "eps": 1e-5, "nef1": rows, "nef2": planes,
			"nef3": 1}),
		data: map[string][]byte{"src0": x.bytes, "src1_0": x.bytes, "src1_1": x.bytes, "dst": make([]byte, len(x.bytes))},
		want: rmsNorm(x.values, n, 1e-5)}
}

// ggmlSoftmax tests a softmax with a mask with a slope per head, and with sinks.
func ggmlSoftmax(kernel string, mask *types.Basic) *known {
	const n, rows, heads = 200, 3, 4
	const scale, maxBias, m0, m1, log2 = 3.0, 8.0, 0.25, 0.5, 2
	x, bias, sinks := numbers(2, n*rows*heads, types.Float), numbers(3, n*rows, mask), numbers(4, heads, types.Float)
	k := &known{kernel: kernel, grid: [3]int{96 * rows, heads}, group: [3]int{96}, threadgroup: 128, out: "dst",
		data: map[string][]byte{"src0": x.bytes, "src1": bias.bytes, "src2": sinks.bytes, "dst": make([]byte, len(x.bytes))}}
	k.args = together(together(strides("0", n, rows, heads, 4), strides("1", n, rows, 1, mask.Size())),
		together(strides("", n, rows, heads, 4),
			map[string]float64{"ne00": n, "ne01": rows, "ne02": heads, "ne11": rows, "ne12": 1, "ne13": 1, "scale": scale,
				"max_bias": maxBias, "m0": m0, "m1": m1, "n_head_log2": log2}))
	for h := range heads {
		slope := math.Pow(m0, float64(h+1))
		if h >= log2 {
			slope = math.Pow(m1, float64(2*(h-log2)+1))
		}
		for row := range rows {
			var v []float64
			for i := range n {
				v = append(v, x.values[(h*rows+row)*n+i]*scale+slope*bias.values[row*n+i])
			}
			k.want = append(k.want, softmax(v, sinks.values[h])...)
		}
	}
	return k
}

// ggmlRope rotates pairs of the first 64 numbers of each row: neighbors, or numbers half as far
// apart. With extend above 0, slow rotations are scaled down by scale, and fast ones are not.
func ggmlRope(kernel string, halves bool, extend, scale float64) *known {
	const n, dims, heads, tokens, context = 80, 64, 3, 5, 4096
	const base, fast, slow = 10000.0, 32.0, 1.0
	x := numbers(5, n*heads*tokens, types.Float)
	k := &known{kernel: kernel, grid: [3]int{32 * heads, tokens}, group: [3]int{32}, out: "dst",
		data: map[string][]byte{"src0": x.bytes, "src1": ints(4, 0, 1, 2, 5, 7), "src2": make([]byte, 64),
			"dst": make([]byte, len(x.bytes))}}
	k.args = together(together(strides("0", n, heads, tokens, 4), strides("", n, heads, tokens, 4)),
		map[string]float64{"ne00": n, "ne01": heads, "ne02": tokens, "ne03": 1, "ne0": n, "ne1": heads, "ne2": tokens,
			"ne3":    1,
			"n_dims": dims, "n_ctx_orig": context, "freq_base": base, "freq_scale": scale, "ext_factor": extend,
			"attn_factor": 1, "beta_fast": fast, "beta_slow": slow})
	at := func(turns float64) float64 { return dims * math.Log(context/(turns*2*math.Pi)) / (2 * math.Log(base)) }
	low, high := max(0, math.Floor(at(fast))), min(dims-1, math.Ceil(at(slow)))
	k.want = append(k.want, x.values...)
	for token, pos := range []float64{0, 1, 2, 5, 7} {
		for head := range heads {
			row := (token*heads + head) * n
			for pair := range dims / 2 {
				angle := pos * math.Pow(base, -2*float64(pair)/dims)
				size := 1.0
				if extend > 0 {
					share := extend * (1 - min(1, max(0, (float64(pair)-low)/max(0.001, high-low))))
					angle = angle*scale*(1-share) + angle*share
					size += 0.1 * math.Log(1/scale)
				} else {
					angle *= scale
				}
				i, j := row+2*pair, row+2*pair+1
				if halves {
					i, j = row+pair, row+pair+dims/2
				}
				sin, cos := math.Sincos(angle)
				a, b := x.values[i], x.values[j]
				k.want[i], k.want[j] = size*(a*cos-b*sin), size*(a*sin+b*cos)
			}
		}
	}
	return k
}

// q4 makes up n weights in blocks of 32: a half and 32 4-bit numbers, where 8 means 0. Byte i of a
// block contains number i in its low and number i+16 in its high bits.
func q4(seed uint64, n int) (a array) {
	for range n / 32 {
		d := numbers(seed, 1, types.Half)
		a.bytes = append(a.bytes, d.bytes...)
		values := make([]float64, 32)
		for i := range 16 {
			seed = seed*6364136223846793005 + 1442695040888963407
			b := byte(seed >> 40)
			a.bytes = append(a.bytes, b)
			values[i], values[i+16] = d.values[0]*float64(int(b&15)-8), d.values[0]*float64(int(b>>4)-8)
		}
		a.values = append(a.values, values...)
	}
	return a
}

func ggmlProducts() []*known {
	const k, m, n = 320, 76, 40
	half, block := numbers(6, m*k, types.Half), q4(7, m*k)
	vector, matrix := numbers(8, 2*k, types.Float), numbers(9, n*k, types.Float)
	constants := map[string]float64{"FC_mul_mv_nsg": 2, "FC_mul_mv_ne12": 1, "FC_mul_mv_r2": 1, "FC_mul_mv_r3": 1,
		"FC_mul_mm_bc_out": 1, "FC_mul_mm_ne12": 1, "FC_mul_mm_ne13": 1, "FC_mul_mm_r2": 1, "FC_mul_mm_r3": 1}
	one := func(kernel string, weights array, with array, columns, rowBytes, threadgroup int, grid, group [3]int,
		want []float64) *known {
		return &known{kernel: kernel, grid: grid, group: group, threadgroup: threadgroup, constants: constants, out: "dst",
			want: want,
			args: together(strides("1", k, columns, 1, 4),
				map[string]float64{"ne00": k, "ne01": m, "ne02": 1, "nb01": float64(rowBytes), "nb02": float64(rowBytes * m),
					"nb03": float64(rowBytes * m), "ne10": k, "ne11": float64(columns), "ne12": 1,
					"ne0": m, "ne1": float64(columns), "nr0": 2, "r2": 1, "r3": 1}),
			data: map[string][]byte{"src0": weights.bytes, "src1": with.bytes, "dst": make([]byte, 4*m*columns)}}
	}
	row, rows := product(half.values, vector.values, m, 2, k), product(block.values, vector.values, m, 2, k)
	tiles := [3]int{roundUp(n, 32) / 32 * 128, roundUp(m, 64) / 64}
	return []*known{
		one("kernel_mul_mv_f16_f32", half, vector, 2, 2*k, 8192, [3]int{m / 2 * 32, 2 * 2}, [3]int{32, 2}, row),
		one("kernel_mul_mv_q4_0_f32", block, vector, 2, k/32*18, 8192, [3]int{roundUp(m, 8) / 8 * 32, 2 * 2}, [3]int{32, 2},
			rows),
		one("kernel_mul_mm_f16_f32", half, matrix, n, 2*k, 8192, tiles, [3]int{128},
			product(half.values, halved(matrix.values), m, n, k)),
		one("kernel_mul_mm_q4_0_f32", block, matrix, n, k/32*18, 8192, tiles, [3]int{128},
			product(halved(block.values), halved(matrix.values), m, n, k)),
	}
}

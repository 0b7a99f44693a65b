package exectest

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/gemm"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// gemmRule is the rule in package gemm's comment, written in MSL.
const gemmRule = `
#include <metal_stdlib>
using namespace metal;
kernel void k(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device U *c [[buffer(2)]],
              constant uint *size [[buffer(3)]], constant float *scale [[buffer(4)]],
              uint2 at [[thread_position_in_grid]]) {
  uint n = size[0], depth = size[1], i = at.y, j = at.x;
  ACC acc = 0;
  for (uint l = 0; l < depth; l++) {
    ACC x = ACC(a[i * depth + l]), y = ACC(b[l * n + j]);
    acc = STEP;
  }
  float r = float(acc), alpha = scale[0], beta = scale[1];
  r = beta == 0 ? alpha * r : fma(alpha, r, beta * float(c[i * n + j]));
  c[i * n + j] = isnan(r) ? U(NAN) : U(r);
}`

// TestGemmRule: package gemm gives the same bits as its rule in MSL, including special values.
func TestGemmRule(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		name string
		from gemm.Type
		t, u string
		to   gemm.Type
	}{{"float", gemm.F32, "float", "float", gemm.F32}, {"half", gemm.F16, "half", "half", gemm.F16},
		{"bfloat", gemm.BF16, "bfloat", "bfloat", gemm.BF16}, {"half to float", gemm.F16, "half", "float", gemm.F32},
		{"char to float", gemm.I8, "char", "float", gemm.F32}} {
		t.Run(c.name, func(t *testing.T) {
			acc, step := "float", "fma(x, y, acc)"
			if c.from == gemm.I8 {
				acc, step = "int", "acc + x * y"
			}
			text := "#define T " + c.t + "\n#define U " + c.u + "\n#define ACC " + acc + "\n#define STEP " + step + gemmRule
			mod, diags := msl.Compile(context.Background(), msl.Source{Text: text}, msl.Options{NoWarnings: true})
			require.Empty(t, diags)
			for _, s := range [][5]int{{19, 37, 21, 2, 1}, {5, 33, 300, 1, 0}, {3, 2, 0, 1, 1}, {1, 40, 70, -3, 2}} {
				m, n, k := s[0], s[1], s[2]
				p := gemm.Product{Alpha: float32(s[3]) / 2, Beta: float32(s[4]) / 3,
					A: gemm.Dense(values(rng, c.from, m*k), c.from, m, k),
					B: gemm.Dense(values(rng, c.from, k*n), c.from, k, n),
					C: gemm.Dense(values(rng, c.to, m*n), c.to, m, n)}
				sizes := binary.NativeEndian.AppendUint32(binary.NativeEndian.AppendUint32(nil, uint32(n)), uint32(k))
				scale := binary.NativeEndian.AppendUint32(nil, math.Float32bits(p.Alpha))
				scale = binary.NativeEndian.AppendUint32(scale, math.Float32bits(p.Beta))
				l := testlaunch.Launch{Grid: [3]int{n, m, 1}, Group: [3]int{n, 1, 1}, Buffers: map[int]testlaunch.Buffer{
					0: {Data: slices.Concat(p.A.Data, make([]byte, 4))}, 1: {Data: slices.Concat(p.B.Data, make([]byte, 4))},
					2: {Data: slices.Clone(p.C.Data)}, 3: {Data: sizes}, 4: {Data: scale}}}
				require.NoError(t, Quick.Run(mod.IR.Func("k"), &l))
				require.NoError(t, gemm.Multiply(gemm.Runner{}, p))
				require.Equal(t, l.Buffers[2].Data, p.C.Data, "%s %v", strings.TrimSpace(c.name), s)
			}
		})
	}
}

// values returns n elements, including infinities, NaNs, denormals and zeros of both signs.
func values(rng *rand.Rand, t gemm.Type, n int) []byte {
	data := make([]byte, n*t.Size())
	special := []uint32{0, 1 << 31, 1, 0x80010001, 0x7f800000, 0xff800000, 0xffc12345, 0x00800000, 0x7f7fffff}
	for i := range n {
		b := math.Float32bits(float32(rng.NormFloat64()))
		if rng.IntN(200) == 0 {
			b = special[rng.IntN(len(special))]
		}
		switch to := data[i*t.Size():]; t {
		case gemm.F32:
			binary.NativeEndian.PutUint32(to, b)
		case gemm.BF16:
			binary.NativeEndian.PutUint16(to, uint16(b>>16))
		case gemm.F16: // all finite halves, and few of the others
			h := uint16(rng.Uint32())
			if h&0x7c00 == 0x7c00 && rng.IntN(20) > 0 {
				h &^= 0x4000
			}
			binary.NativeEndian.PutUint16(to, h)
		default:
			to[0] = byte(rng.Uint32())
		}
	}
	return data
}

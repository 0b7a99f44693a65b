package dialects

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// halfNumber returns the value of a half.
func halfNumber(bits uint16) float64 {
	e, m := int(bits>>10&31), float64(bits&0x3ff)
	v := math.Ldexp(1024+m, e-25)
	switch e {
	case 0:
		v = math.Ldexp(m, -24)
	case 31:
		v = math.Inf(1)
	}
	if bits>>15 != 0 {
		return -v
	}
	return v
}

// nearHalf rounds a number: to even, toward zero, up or down, by looking for the nearest halves.
func nearHalf(x float64, mode string) uint16 {
	var sign uint16
	if math.Signbit(x) {
		sign, x = 0x8000, -x
		mode = map[string]string{"rtp": "rtn", "rtn": "rtp"}[mode] + map[string]string{"rte": "rte", "rtz": "rtz"}[mode]
	}
	below := uint16(0)
	for below < 0x7c00 && halfNumber(below+1) <= x {
		below++
	}
	low, high := halfNumber(below), halfNumber(below+1)
	if below == 0x7bff {
		high = 65536 // where infinity begins, for the nearest
	}
	switch {
	case below == 0x7c00 || low == x:
	case mode == "rtp", mode == "rte" && (x-low > high-x || x-low == high-x && below&1 != 0):
		below++
	}
	return sign | below
}

// TestOpenCLHalves stores numbers as halves in all rounding modes, and loads halves.
func TestOpenCLHalves(t *testing.T) {
	m := compileFile(t, "opencl/memory.cl")
	inf := float32(math.Inf(1))
	x := []float32{0, float32(math.Copysign(0, -1)), 1, 65504, 65519.9, 65520, 65536, 1e10, -1e10, 6e-8, 2.9e-8, 3e-8,
		-2e-8, 1e-30, -1e-30, inf, -inf, 1 + 0x1p-11, 1 + 0x1.8p-10, 1 - 0x1p-12, -1 - 0x1p-11}
	random := rand.New(rand.NewPCG(3, 37))
	for len(x) < 64 {
		x = append(x, float32(math.Ldexp(random.Float64()*2-1, 17-random.IntN(42))))
	}
	n := len(x)
	out, back := make([]uint16, n*6), make([]float32, n)
	run(t, m, "halves", line(n, 8), out, x, back)
	for i, v := range x {
		v := float64(v)
		assert.Equal(t, []uint16{nearHalf(v, "rte"), nearHalf(v, "rte"), nearHalf(v, "rtz"), nearHalf(v, "rtp"),
			nearHalf(v, "rtz"), nearHalf(-v, "rtz")}, out[i*6:][:6], "%g", v)
		assert.Equal(t, float32(halfNumber(out[i*6+1])), back[i])
	}

	in, s := make([]uint16, 64), make([]int16, 48)
	for i := range in {
		in[i] = uint16(random.IntN(0x7c00)) | uint16(random.IntN(2))<<15
	}
	for i := range s {
		s[i] = int16(random.Uint32())
	}
	f, p := make([]float32, 192), make([]int32, 48)
	run(t, m, "packed", line(16, 4), f, in, p, s)
	for i := range 48 {
		assert.Equal(t, float32(halfNumber(in[i])), f[i])
		assert.Equal(t, float32(halfNumber(in[i/3*4+i%3])), f[128+i])
		assert.Equal(t, 2*int32(s[i]), p[i])
	}
	for i := range 64 {
		assert.Equal(t, float32(halfNumber(in[i])), f[64+i])
	}
}

// TestOpenCLIdentifiers runs 7 by 4 by 5 work-items in groups of 3 by 2 by 2, which are smaller at
// the edges, and asks for dimensions that are known only when the kernel runs.
func TestOpenCLIdentifiers(t *testing.T) {
	m := compileFile(t, "opencl/memory.cl")
	global, group := [3]int{7, 4, 5}, [3]int{3, 2, 2}
	for n := range 4 {
		out := make([]int32, 7*4*5*6)
		run(t, m, "ids", grid{global, group}, out, int32(n))
		for i := range 7 * 4 * 5 {
			at := [3]int{i % 7, i / 7 % 4, i / 28}
			var in, size, groups, number [3]int
			for d := range 3 {
				in[d], number[d] = at[d]%group[d], at[d]/group[d]
				size[d] = min(group[d], global[d]-number[d]*group[d])
				groups[d] = (global[d] + group[d] - 1) / group[d]
			}
			want := []int32{int32(i), int32((in[2]*size[1]+in[1])*size[0] + in[0]), int32(at[2]*100 + at[1]*10 + at[0]),
				int32(size[0]*100 + size[1]*10 + size[2]), 1*10 + 3, 100}
			if n < 3 {
				want[4], want[5] = int32(number[n]*100+groups[n]*10+3), int32(100+in[n])
			}
			assert.Equal(t, want, out[i*6:][:6], "dimension %d, work-item %d", n, i)
		}
	}
}

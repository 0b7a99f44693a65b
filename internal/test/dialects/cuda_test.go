package dialects

import (
	"math"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/msl/dialect"
)

func TestCUDAFirst(t *testing.T) {
	m := compileFile(t, "cuda/first.cu")
	x, y := make([]float32, 8), make([]float32, 8)
	for i := range x {
		x[i], y[i] = float32(i+1), float32(10*i)
	}
	run(t, m, "saxpy", line(8, 4), int32(7), float32(2), x, y)
	assert.Equal(t, []float32{2, 14, 26, 38, 50, 62, 74, 70}, y)
	run(t, m, "dots", line(4, 4), x, y, []float32{0, 10}, local(16))
	assert.Equal(t, []float32{660, 660, 660, 660}, y[:4])
	ints := make([]int32, 4)
	run(t, m, "fill<int, 3>", line(4, 4), ints, int32(4))
	assert.Equal(t, []int32{7, 7, 7, 7}, ints)
}

func TestCUDALanguage(t *testing.T) {
	m := compileFile(t, "cuda/language.cu")
	out := make([]float32, 8)
	run(t, m, "spaces", line(2, 2), out, []float32{2, 5})
	// mul: 3*20 + 2*4 + 2*10; swaps; s[2] + in[1] + own[1]
	assert.Equal(t, []float32{3, 20 + 88, 30 + 5 + 4, 30, 7, 5, 7, 20 + 1 + 12}, out)

	ints := make([]int32, 8)
	run(t, m, "blocks", line(8, 8), ints, []int32{3, 9, 4, 1, 5, 9, 2, 6})
	for _, v := range ints {
		assert.Equal(t, int32(9*1000-1+600000), v)
	}
	run(t, m, "views", line(4, 4), out, local(16))
	assert.Equal(t, []float32{8, 4, 2, 1}, out[:4])
	counter := []int32{3}
	run(t, m, "globals", line(4, 4), out, counter)
	assert.Equal(t, float32(8), out[0])
	assert.Equal(t, int32(23), counter[0])

	a, b := []float32{1, 2, 3, 4}, []float32{1, 2, 3, 4, 5, 6}
	run(t, m, "own", line(2, 2), a, b, out)
	assert.Equal(t, []float32{2, 4, 4, 6}, a)
	assert.Equal(t, []float32{2, 4, 6, 5, 7, 9}, b)
	assert.Equal(t, []float32{20 + 2 + 10 + 101, 52 + 2 + 10 + 101}, out[:2])

	sizes := make([]int32, 9)
	run(t, m, "layout", line(1, 1), sizes)
	assert.Equal(t, []int32{12, 3, 16, 8, 6, 16, 16, 8, 20}, sizes)
}

func TestCUDAWarp(t *testing.T) {
	m := compileFile(t, "cuda/warp.cu")
	for _, width := range []int{32, 16, 8, 4} {
		out := make([]int32, 32*8)
		run(t, m, "shuffles", line(32, 32), out, int32(width))
		for l := range 32 {
			base, at := l&^(width-1), l&(width-1)
			up, down, xor, next, prev := l, l, l, min(l+1, 31), max(l-1, 0)
			if at >= 3 {
				up = l - 3
			}
			if at+3 < width {
				down = l + 3
			}
			if l^5 < base+width {
				xor = l ^ 5
			}
			want := []int32{int32(10 * (base + 3&(width-1))), int32(10 * up), int32(10 * down), int32(10 * xor),
				int32(base + width - 1), int32(next), int32(l ^ 16), int32(prev + 32)}
			assert.Equal(t, want, out[l*8:l*8+8], "lane %d of %d", l, width)
		}
	}
	in := make([]int32, 32)
	for i := range in {
		in[i] = int32(i * 7 % 9)
	}
	out := make([]uint32, 320)
	run(t, m, "votes", line(32, 32), out, in)
	var over, odd uint32
	sums := [2]uint32{}
	for i, v := range in {
		if v > 4 && i < 16 {
			over |= 1 << i
		}
		odd |= uint32(i&1) << i
		sums[i/16] += uint32(v)
	}
	for l := range 32 {
		match := uint32(0)
		for i := range in {
			if in[i] == in[l] {
				match |= 1 << i
			}
		}
		active := uint32(0)
		if l&1 == 1 {
			active = odd
		}
		assert.Equal(t, []uint32{over, 1, 1, match, 0xffffffff, 1, sums[l/16], 0xfffffff8, active, 9},
			out[l*10:l*10+10])
	}
	n := int32(0)
	for _, v := range in {
		if v > 4 {
			n++
		}
	}
	counts := make([]int32, 96)
	run(t, m, "counts", line(32, 32), counts, in)
	for l := range 32 {
		assert.Equal(t, []int32{n, 1, 0}, counts[l*3:l*3+3])
	}
	i, u, f := []int32{0, 0, 0, 0}, []uint32{0xffffffff, 0, 0, 0, 0, 1, 0}, []float32{0, 0, 0, 5}
	run(t, m, "atomics", line(32, 32), i, u, f)
	assert.Equal(t, []int32{64, -32, -31, 31}, i)
	c := uint32(1)
	for range 32 {
		c = c*3 + 1
	}
	assert.Equal(t, []uint32{0, 0xffffffff, 0, 2, 8, c, 2}, u)
	assert.Equal(t, []float32{16, 32, 5, 7}, f)
}

func TestCUDANumbers(t *testing.T) {
	m := compileFile(t, "cuda/numbers.cu")
	o := make([]int32, 32)
	u, i := uint32(0xdeadbeef), int32(0x123456)
	run(t, m, "numbers", line(1, 1), o, float32(1), float32(math.NaN()), u, i)
	assert.Equal(t, []int32{1, math.MaxInt32, math.MinInt32, 0, 0, 24, 11, 2, int32(bits.Reverse32(u))}, o[:9])
	var bytes = []uint32{0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77}
	assert.Equal(t, int32(bytes[5]<<24|bytes[2]<<16|bytes[4]<<8|bytes[0]), o[9])
	assert.Equal(t, int32(uint32(i)<<8|u>>24), o[10])
	assert.Equal(t, i, o[11])
	assert.Equal(t, int32(uint64(u)*uint64(u)>>32-1<<32), o[12])
	assert.Equal(t, int32(-int64(i)*int64(i)>>32), o[13])
	assert.Equal(t, int32(-int64(i)*int64(i)&0xffffffff-1<<32), o[14])
	assert.Equal(t, []int32{13, 10 - 1 + 2 + 3 + 4, 10 + 255 + 9, 0x3f800000, 2, 2, 1, -559038737, 2, i, 0, 0, 44, 23,
		41, 8}, o[15:31])
	assert.Equal(t, int32(1), o[31])
}

func TestCUDAFloats(t *testing.T) {
	m := compileFile(t, "cuda/numbers.cu")
	o := make([]float32, 30)
	x, y := 0.75, 2.5
	run(t, m, "floats", line(1, 1), o, float32(x), float32(y))
	want := []float64{math.Sin(x), math.Pow(x, y), 1 / math.Sqrt(x), x, x, math.Sqrt(x), -1, math.Mod(y, x), x / y, x,
		math.Exp(x), math.Log2(y), math.Sin(x), math.Cos(x), math.Inf(1), 1, 3, 2, x, 1.75, x*y + 1, x / y, y, -x, 1,
		0.75, 3,
		6, math.Tanh(x), math.Atan2(x, y)}
	for i, w := range want {
		if math.IsInf(w, 1) {
			assert.Equal(t, float32(w), o[i])
			continue
		}
		assert.InDelta(t, w, float64(o[i]), 2e-7*math.Abs(w), "value %d", i)
	}
}

func TestCUDALaunches(t *testing.T) {
	m := compileFile(t, "cuda/launches.cu")
	ints, floats := []int32{1, 2}, []float32{1, 2}
	run(t, m, "scale<int, 4>", line(2, 2), ints, int32(3))
	assert.Equal(t, []int32{12, 24}, ints)
	run(t, m, "scale<float, 2>", line(2, 2), floats, float32(2))
	assert.Equal(t, []float32{4, 8}, floats)
	run(t, m, "app::rings", line(1, 1), []int32{2, 4}, ints)
	assert.Equal(t, int32(30), ints[0])
	run(t, m, "gain", line(2, 2), floats, []float32{2, 3})
	assert.Equal(t, []float32{8, 24}, floats)
	type item struct {
		V float32
		W int32
	}
	items := make([]item, 4)
	run(t, m, "fill<float>", line(4, 4), items, float32(1.5), int32(2))
	assert.Equal(t, []item{{1.5, 4}, {1.5, 4}, {}, {}}, items)
	run(t, m, "fill<short>", line(4, 4), items, int16(3), int32(1))
	assert.Equal(t, []item{{3, 2}, {1.5, 4}, {}, {}}, items)
}

func TestCUDARefused(t *testing.T) {
	for _, c := range []struct{ text, words string }{
		{"__global__ void k(float *x) { asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x)); }", "inline assembly"},
		{"__global__ void k(float **x) {}", "pass one buffer with the offsets"},
		{"__global__ void k(float *x) { __shared__ float s[2]; float *p = x; p = s; }", "'__shared__' here and '__device__'"},
		{"__global__ void k(double *x) {}", "'double' does not exist on Metal"},
		{"__global__ void k(float *x) { asm volatile(\"bar;\"); }", "inline assembly"},
		{"struct S { __device__ virtual void f(); }; __global__ void k(S s) {}", "virtual"},
		{"__global__ void k(float **x) {}", "cannot point to a pointer"},
		{"__global__ void k(unsigned long long *x) { atomicAdd(x, 1ULL); }", "64 bits"},
		{"__global__ void k(int *x) { int *p = new int; }", "'new'"},
		{"__global__ void k(int *x) { int *p = (int *)malloc(4); }", "cannot be allocated"},
		{"__global__ void f() {} __global__ void k(int *x) { f<<<1, 1>>>(); }", "launches from kernels"},
		{"__global__ void k(float2 *x) { x[0] = x[0] * x[1]; }", "invalid operands"},
		{"__global__ void k(float *x) { __shared__ float s[2]; float *p = x; p = s; }", "would point into"},
		{"__global__ void k(cudaTextureObject_t t) {}", "must be a parameter of the kernel"},
	} {
		refuses(t, dialect.CUDA, "\n"+c.text, "", 2, c.words)
	}
}

func TestCUDACooperative(t *testing.T) {
	m := compileFile(t, "cuda/cooperative.cu")
	in, out := make([]int32, 32), make([]int32, 128)
	for i := range in {
		in[i] = int32(i*5%13 + i)
	}
	run(t, m, "groups", line(32, 32), out, in)
	for i := range in {
		sum, most := int32(0), int32(0)
		for _, v := range in[i&^7 : i&^7+8] {
			sum, most = sum+v, max(most, v)
		}
		assert.Equal(t, []int32{sum, most, int32(i/8*100 + i%8), 32}, out[4*i:4*i+4])
	}
}

func TestCUDASharedName(t *testing.T) {
	m := compile(t, dialect.CUDA, "names.cu", `
__global__ void a(float *x) { extern __shared__ float sa[]; sa[0] = 1; x[0] = sa[0]; }
__global__ void b(int *x) { extern __shared__ int sb[]; sb[0] = 2; x[0] = sb[0]; }
`)
	assert.Equal(t, "sa", m.IR.Func("a").Args[1].Name)
	assert.Equal(t, "sb", m.IR.Func("b").Args[1].Name)
	x := []int32{0}
	run(t, m, "b", line(1, 1), x, local(16))
	assert.Equal(t, int32(2), x[0])
}

package computetest

import (
	"math"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
)

// TestSeed: the numbers depend on the test's name and the variable alone, and a failure names the
// seed.
func TestSeed(t *testing.T) {
	t.Setenv(seedVariable, "")
	numbers := func(t *testing.T) []float64 { return Uniform[float64](NewRand(t), 3, 0, 1) }
	first := numbers(t)
	assert.Equal(t, first, numbers(t))
	t.Run("inside", func(t *testing.T) { assert.Equal(t, first, numbers(t)) })
	assert.Equal(t, []string{"error: wrong",
		"log: computetest: the random data has the seed 1145556492; PUREMETAL_TEST_SEED=1145556492 repeats it"},
		record(t, func(tb testing.TB) { NewRand(tb); tb.Errorf("wrong") }))
	assert.Empty(t, record(t, func(tb testing.TB) { NewRand(tb) }))

	t.Setenv(seedVariable, "1145556492")
	assert.Equal(t, first, numbers(t))
	t.Setenv(seedVariable, "7")
	assert.NotEqual(t, first, numbers(t))
	t.Setenv(seedVariable, "-7")
	assert.Equal(t, []string{`fatal: computetest: PUREMETAL_TEST_SEED="-7": want a number from 0 to 18446744073709551615`},
		record(t, func(tb testing.TB) { NewRand(tb) }))
}

func TestUniform(t *testing.T) {
	r := NewRand(t)
	var sum float64
	for _, x := range Uniform[simd.Float3](r, 10000, -1, 3) {
		assert.True(t, -1 <= min(x.X, x.Y, x.Z) && max(x.X, x.Y, x.Z) <= 3, "%v", x)
		sum += float64(x.X) + float64(x.Y) + float64(x.Z)
	}
	assert.InDelta(t, 1, sum/30000, 0.05)
	for _, h := range Uniform[simd.Half](r, 100, 1, 2) {
		assert.True(t, 1 <= h.Float32() && h.Float32() <= 2, "%v", h)
	}
}

func TestNormal(t *testing.T) {
	var sum, squares float64
	for _, x := range Normal[float32](NewRand(t), 10000, 5, 2) {
		sum += float64(x)
		squares += (float64(x) - 5) * (float64(x) - 5)
	}
	assert.InDelta(t, 5, sum/10000, 0.1)
	assert.InDelta(t, 4, squares/10000, 0.2)
}

func TestIntegers(t *testing.T) {
	r := NewRand(t)
	counts := map[int8]int{}
	for _, v := range Integers[int8](r, 3000, -1, 1) {
		counts[v]++
	}
	assert.Len(t, counts, 3)
	for v, n := range counts {
		assert.InDelta(t, 1000, n, 150, "%d", v)
	}
	wide := Integers[int64](r, 100, math.MinInt64, math.MaxInt64)
	assert.Negative(t, slices.Min(wide))
	assert.Positive(t, slices.Max(wide))
	for _, h := range Integers[simd.Half](r, 100, -2048, 2048) {
		assert.Equal(t, math.Trunc(float64(h.Float32())), float64(h.Float32()))
	}
	assert.Equal(t, []uint32{7, 7}, Integers[uint32](r, 2, 7, 7))
}

// TestSpecial: the values are all there before one comes again.
func TestSpecial(t *testing.T) {
	r := NewRand(t)
	assert.ElementsMatch(t, []int8{0, 1, -1, -128, 127}, Special[int8](r, 5))
	assert.ElementsMatch(t, []uint64{0, 1, math.MaxUint64}, Special[uint64](r, 3))
	assert.ElementsMatch(t, []bool{true, false}, Special[bool](r, 2))
	var bits []uint32
	for _, f := range Special[float32](r, 15) {
		if f == f {
			bits = append(bits, math.Float32bits(f))
		}
	}
	var want []uint32
	for _, f := range []uint32{0, 1, 0x7fffff, 0x800000, 0x3f800000, 0x7f7fffff, 0x7f800000} {
		want = append(want, f, f|1<<31)
	}
	assert.ElementsMatch(t, want, bits)
	halves := Special[simd.Half](r, 15)
	for _, h := range []simd.Half{0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0xfc00, 0xfbff} {
		assert.Contains(t, halves, h)
	}
	assert.Contains(t, Special[simd.BFloat16](r, 15), simd.BFloat16(0x7f7f))
	var components []int32
	for _, v := range Special[simd.Int4](r, 5) {
		components = append(components, v.X, v.Y, v.Z, v.W)
	}
	assert.Len(t, slices.Compact(slices.Sorted(slices.Values(components))), 5)
}

// TestNotRandom: elements that a function cannot make end the test.
func TestNotRandom(t *testing.T) {
	type secret struct{ x float32 }
	for want, run := range map[string]func(*Rand){
		"Uniform[uint8]: uint8 is not a floating-point type; use Integers": func(r *Rand) { Uniform[uint8](r, 1, 0, 1) },
		"Normal[bool]: bool is not a floating-point type; use Integers":    func(r *Rand) { Normal[bool](r, 1, 0, 1) },
		"Uniform[string]: the type string is neither a number nor made of numbers": func(r *Rand) {
			Uniform[string](r, 1, 0, 1)
		},
		"Special[computetest.secret]: the field .x is not exported": func(r *Rand) { _ = Special[secret](r, 1)[0].x },
		"Integers[uint8]: 256 is not a number of type uint8":        func(r *Rand) { Integers[uint8](r, 1, 0, 256) },
		"Integers[uint8]: -1 is not a number of type uint8":         func(r *Rand) { Integers[uint8](r, 1, -1, 0) },
		"Integers[int8]: -129 is not a number of type int8":         func(r *Rand) { Integers[int8](r, 1, -129, 0) },
		"Integers[bool]: 0 is not a number of type bool":            func(r *Rand) { Integers[bool](r, 1, 0, 1) },
		"Integers[float16.Half]: 2049 is not a number of type float16.Half": func(r *Rand) {
			Integers[simd.Half](r, 1, 0, 2049)
		},
		"Integers[int8]: from 1 to 0 there are no numbers": func(r *Rand) { Integers[int8](r, 1, 1, 0) },
		"Uniform[float32]: -1 elements, want at least 0":   func(r *Rand) { Uniform[float32](r, -1, 0, 1) },
	} {
		assert.Equal(t, []string{"fatal: computetest: " + want}, record(t, func(tb testing.TB) { run(NewRand(tb)) })[:1])
	}
}

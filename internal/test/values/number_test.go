package values

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// formatOf returns the exponent and mantissa bits of a floating-point type.
func formatOf(t *types.Basic) (exp, man int) {
	switch t {
	case types.Half:
		return 5, 10
	case types.BFloat:
		return 8, 7
	}
	return 8, 23
}

// nearest returns the bits of the number of a type that is nearest to f, ties to even. It counts in
// steps of the type at f's magnitude, multiplying by powers of two, which is exact.
func nearest(t *types.Basic, f float64) uint64 {
	exp, man := formatOf(t)
	top := 1<<(exp-1) - 1 // the largest exponent, and the bias
	var sign uint64
	if math.Signbit(f) {
		sign = 1 << (exp + man)
	}
	f = math.Abs(f)
	switch {
	case f != f:
		return quietNaN(exp, man)
	case f == 0:
		return sign
	}
	_, e := math.Frexp(f)
	e = max(e-1, 1-top) // exponent of the step
	steps := math.RoundToEven(math.Ldexp(f, man-e))
	if steps == math.Ldexp(2, man) {
		steps, e = steps/2, e+1
	}
	if e > top || math.IsInf(f, 1) {
		return sign | uint64(1<<exp-1)<<man
	}
	if steps < math.Ldexp(1, man) {
		return sign | uint64(steps)
	}
	return sign | uint64(e+top)<<man | uint64(steps)&(1<<man-1)
}

func quietNaN(exp, man int) uint64 { return uint64(1<<exp-1)<<man | 1<<(man-1) }

// meaning returns the value of the bits of a floating-point type.
func meaning(t *types.Basic, bits uint64) float64 {
	exp, man := formatOf(t)
	top := 1<<(exp-1) - 1
	e, m := int(bits>>man&(1<<exp-1)), float64(bits&(1<<man-1))
	var f float64
	switch {
	case e == 1<<exp-1 && m != 0:
		return math.NaN()
	case e == 1<<exp-1:
		f = math.Inf(1)
	case e == 0:
		f = math.Ldexp(m, 1-top-man)
	default:
		f = math.Ldexp(1+math.Ldexp(m, -man), e-top)
	}
	if bits>>(exp+man)&1 != 0 {
		f = -f
	}
	return f
}

// distance returns the distance of two numbers in steps of the type, or 0 if both are NaN.
func distance(t *types.Basic, a, b uint64) float64 {
	x, y := meaning(t, a), meaning(t, b)
	switch {
	case x != x && y != y:
		return 0
	case x != x || y != y:
		return math.Inf(1)
	}
	exp, man := formatOf(t)
	order := func(bits uint64) int64 {
		m := int64(bits & (1<<(exp+man) - 1))
		if bits>>(exp+man)&1 != 0 {
			return -m
		}
		return m
	}
	return math.Abs(float64(order(a) - order(b)))
}

// same reports whether have is as expected: the same bits, any NaN for a NaN, or for floats within
// ulps of it. Zeros of different sign are only distinguished if no error is allowed.
func same(t *types.Basic, want, have uint64, ulps float64) bool {
	if !t.IsFloat() {
		return want == have
	}
	if ulps == 0 {
		return want == have || meaning(t, want) != meaning(t, want) && meaning(t, have) != meaning(t, have)
	}
	return distance(t, want, have) <= ulps
}

func show(t *types.Basic, bits uint64) string {
	if t.IsFloat() {
		return fmt.Sprintf("%g (%#x)", meaning(t, bits), bits)
	}
	if t.IsSigned() {
		n := 64 - 8*t.Size()
		return fmt.Sprint(int64(bits<<n) >> n)
	}
	return fmt.Sprint(bits)
}

func put(data []byte, size int, bits uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(data[:size], b[:])
}

func get(data []byte, size int) uint64 {
	var b [8]byte
	copy(b[:], data[:size])
	return binary.LittleEndian.Uint64(b[:])
}

// TestNearest tests the helpers above on known facts of the formats.
func TestNearest(t *testing.T) {
	for _, typ := range []*types.Basic{types.Half, types.BFloat} {
		for bits := range uint64(1 << 16) {
			if f := meaning(typ, bits); f == f {
				assert.Equal(t, bits, nearest(typ, f), "%s %#x", typ, bits)
			}
		}
	}
	for _, f := range []float64{1, -0.1, 1e-45, 3e38, 1e-39, 16777217, math.Inf(-1), 3.4028235677973366e+38, 7e-46} {
		assert.Equal(t, uint64(math.Float32bits(float32(f))), nearest(types.Float, f), "%g", f)
	}
	assert.Equal(t, uint64(0x7bff), nearest(types.Half, 65519))
	assert.Equal(t, uint64(0x7c00), nearest(types.Half, 65520))
	assert.Equal(t, uint64(0x3c00), nearest(types.Half, 1+math.Ldexp(1, -11)))
	assert.Equal(t, uint64(0x3c02), nearest(types.Half, 1+3*math.Ldexp(1, -11)))
	assert.Equal(t, 2.0, distance(types.Half, 0x8001, 1))
}

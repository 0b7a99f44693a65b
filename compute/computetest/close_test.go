package computetest

import (
	"math"
	"reflect"
	"testing"

	"github.com/puremetal/puremetal/simd"

	"github.com/stretchr/testify/assert"
)

// particle is an element as kernels have them.
type particle struct {
	Position simd.Float3
	_        [4]byte
	Mass     simd.Half
	Tags     [2]uint16
	Alive    bool
}

// closeTo returns a test that compares.
func closeTo[G, W any](got []G, want []W, tol Tolerance, shape ...int) func(testing.TB) {
	return func(t testing.TB) { AllClose(t, got, want, tol, shape...) }
}

// TestAllClose checks what is close, and what a failure says.
func TestAllClose(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	inf32, nan32 := float32(inf), float32(nan)
	minus0 := float32(math.Copysign(0, -1))
	infinite := simd.HalfOf(inf32)
	next := math.Nextafter32(1, 2)
	p := particle{Position: simd.Float3{X: 1, Y: 2, Z: 3}, Mass: simd.HalfOf(1), Tags: [2]uint16{5, 6}, Alive: true}
	q := p
	q.Position.Z, q.Mass, q.Tags[1], q.Alive = 4, simd.HalfOf(1.5), 9, false
	many := make([]int32, 24)
	for i := range many {
		many[i] = int32(i)
	}
	many[20] = 100
	for name, c := range map[string]struct {
		test func(testing.TB)
		want string // "" where all are close
	}{
		"equal":         {closeTo([]float32{1, inf32, nan32, 0}, []float32{1, inf32, nan32, minus0}, Tolerance{}), ""},
		"none":          {closeTo([]float32{}, []float32(nil), Tolerance{}), ""},
		"within Abs":    {closeTo([]float32{1.25, -1.25}, []float32{1, -1}, Tolerance{Abs: 0.25}), ""},
		"within Rel":    {closeTo([]float32{5, -5}, []float32{4, -4}, Tolerance{Rel: 0.25}), ""},
		"within ULP":    {closeTo([]float32{next}, []float32{1}, Tolerance{ULP: 2}), ""},
		"within one":    {closeTo([]float32{5, 0.1}, []float32{4, 0}, Tolerance{Rel: 0.25, Abs: 0.1000001}), ""},
		"rounded":       {closeTo([]float32{1. / 3}, []float64{1. / 3}, Tolerance{ULP: 0.5}), ""},
		"half":          {closeTo([]simd.Half{simd.HalfOf(1. / 3)}, []float64{1. / 3}, Tolerance{ULP: 0.5}), ""},
		"bfloat":        {closeTo([]simd.BFloat16{0x3eab}, []float32{1. / 3}, Tolerance{ULP: 0.5}), ""},
		"overflow":      {closeTo([]simd.Half{infinite}, []float64{1e6}, Tolerance{ULP: 0.5}), ""},
		"subnormal":     {closeTo([]float32{0x1p-149}, []float32{0}, Tolerance{ULP: 1}), ""},
		"integers":      {closeTo([]uint8{3, 255}, []uint8{4, 254}, Tolerance{Abs: 1}), ""},
		"whole numbers": {closeTo([]uint8{3}, []float64{3.4}, Tolerance{Abs: 0.5}), ""},
		"structures":    {closeTo([]particle{p}, []particle{p}, Tolerance{}), ""},
		"wider":         {closeTo([]simd.Float2{{X: 1, Y: 2}}, [][2]float64{{1, 2}}, Tolerance{}), ""},

		"one differs": {closeTo([]float32{1, 1.5}, []float32{1, 1}, Tolerance{}),
			"1 of 2 values is not close (want equal values):\n    [1]: got 1.5, want 1, difference 0.5 (8.389e+06 ULP)"},
		"next": {closeTo([]float32{next}, []float32{1}, Tolerance{ULP: 1.5}),
			"1 of 1 values is not close (ULP 1.5):\n    [0]: got 1.0000001, want 1, difference 1.192e-07 (2 ULP)"},
		"all limits": {closeTo([]float32{2}, []float32{1}, Tolerance{1e-3, 1e-6, 4}),
			"1 of 1 values is not close (ULP 4 or Rel 1e-06 or Abs 0.001):\n" +
				"    [0]: got 2, want 1, difference 1 (1.678e+07 ULP)"},
		"not finite": {closeTo([]float32{1, nan32, inf32, inf32}, []float32{nan32, 1, 1, -inf32}, Tolerance{Rel: 1, ULP: 1}),
			"4 of 4 values are not close (ULP 1 or Rel 1):\n    [0]: got 1, want NaN\n    [1]: got NaN, want 1\n" +
				"    [2]: got +Inf, want 1\n    [3]: got +Inf, want -Inf"},
		"overflow is not equal": {closeTo([]simd.Half{infinite}, []float64{1e6}, Tolerance{}),
			"1 of 1 values is not close (want equal values):\n    [0]: got +Inf, want 1e+06"},
		"largest is not infinite": {closeTo([]simd.Half{simd.HalfOf(65504)}, []float64{inf}, Tolerance{ULP: 10}),
			"1 of 1 values is not close (ULP 10):\n    [0]: got 65504, want +Inf"},
		"signed": {closeTo([]int64{math.MinInt64}, []int64{math.MaxInt64}, Tolerance{Abs: 1, ULP: 9}),
			"1 of 1 values is not close (ULP 9 or Abs 1):\n" +
				"    [0]: got -9223372036854775808, want 9223372036854775807, difference 1.845e+19"},
		"bools": {closeTo([]bool{true}, []bool{false}, Tolerance{Abs: 1}),
			"1 of 1 values is not close (Abs 1):\n    [0]: got true, want false"},
		"parts": {closeTo([]particle{p, p}, []particle{p, q}, Tolerance{}),
			"4 of 14 values are not close (want equal values):\n" +
				"    [1].Position.Z: got 3, want 4, difference 1 (4.194e+06 ULP)\n" +
				"    [1].Mass: got 1, want 1.5, difference 0.5 (512 ULP)\n" +
				"    [1].Tags[1]: got 6, want 9, difference 3\n    [1].Alive: got true, want false"},
		"shape": {closeTo(many[20:], []int32{20, 21, 22, 23}, Tolerance{}, 1, 2, 2),
			"1 of 4 values is not close (want equal values):\n    [0][0][0]: got 100, want 20, difference 80"},
		"many": {closeTo(many, make([]int32, 24), Tolerance{Abs: 0.5}, 4, 6),
			"23 of 24 values are not close (Abs 0.5):\n    [0][1]: got 1, want 0, difference 1\n" +
				"    [0][2]: got 2, want 0, difference 2\n    [0][3]: got 3, want 0, difference 3\n" +
				"    [0][4]: got 4, want 0, difference 4\n    [0][5]: got 5, want 0, difference 5\n" +
				"    [1][0]: got 6, want 0, difference 6\n    [1][1]: got 7, want 0, difference 7\n" +
				"    [1][2]: got 8, want 0, difference 8\n    [1][3]: got 9, want 0, difference 9\n" +
				"    [1][4]: got 10, want 0, difference 10\n    and 13 more; the largest difference is\n" +
				"    [3][2]: got 100, want 0, difference 100"},

		"lengths": {closeTo([]int32{1}, []int32{1, 2}, Tolerance{}), "got 1 elements, want 2"},
		"wrong shape": {closeTo([]int32{1}, []int32{1}, Tolerance{}, 2, 3),
			"the shape [2 3] has 6 elements, got and want have 1"},
		"negative": {closeTo([]int32{1}, []int32{1}, Tolerance{Rel: -1}),
			"the tolerance Rel -1 has a limit that is not at least 0"},
		"no limit": {closeTo([]int32{1}, []int32{1}, Tolerance{ULP: nan}),
			"the tolerance ULP NaN has a limit that is not at least 0"},
		"other integers": {closeTo([]int32{1}, []int64{1}, Tolerance{}),
			"elements of type int32 cannot be compared with int64: want the same type, or floating-point numbers"},
		"other vectors": {closeTo([]simd.Float2{{}}, []simd.Float3{{}}, Tolerance{}),
			"elements of type simd.Float2 cannot be compared with simd.Float3: " +
				"want the same type, or floating-point numbers"},
		"bools with numbers": {closeTo([]bool{true}, []float64{1}, Tolerance{}),
			"elements of type bool cannot be compared with float64: want the same type, or floating-point numbers"},
		"no numbers": {closeTo([]string{""}, []string{""}, Tolerance{}),
			"the type string is neither a number nor made of numbers"},
		"neither": {closeTo([]int8{1}, []chan int{nil}, Tolerance{}),
			"the type chan int is neither a number nor made of numbers"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := record(t, c.test); c.want == "" {
				assert.Empty(t, got)
			} else {
				assert.Equal(t, []string{"error: computetest: " + c.want}, got)
			}
		})
	}
}

// TestReturned: AllClose returns what it found.
func TestReturned(t *testing.T) {
	record(t, func(tb testing.TB) {
		assert.True(t, AllClose(tb, []int8{1}, []int8{1}, Tolerance{}))
		assert.False(t, AllClose(tb, []int8{1}, []int8{2}, Tolerance{}))
		assert.False(t, AllClose(tb, []int8{1}, []int8{}, Tolerance{}))
	})
}

// TestULP compares with the definition: the distance of the two numbers of the format around x.
func TestULP(t *testing.T) {
	f := formatOf(reflect.TypeFor[float32]())
	for _, x := range []float32{1, 1.5, math.Nextafter32(1, 0), 2, 3, 0x1p-126, 0x1p-127, 0x1.8p-126, 0x1p-125,
		65536, math.MaxFloat32, -7} {
		above, below := math.Nextafter32(x, float32(math.Inf(1))), math.Nextafter32(x, float32(math.Inf(-1)))
		want := min(float64(above)-float64(x), float64(x)-float64(below))
		assert.Equal(t, want, f.ulp(float64(x)), "%g", x)
	}
	assert.Equal(t, 0x1p-149, f.ulp(0))
	assert.Equal(t, 0x1p-23, f.ulp(1+0x1p-40), "between two numbers")
	assert.Equal(t, 0x1p-24, formatOf(reflect.TypeFor[simd.Half]()).ulp(0x1p-14))
	assert.Equal(t, 0x1p-8, formatOf(reflect.TypeFor[simd.BFloat16]()).ulp(-0.9))
	assert.Equal(t, 0x1p-1074, formatOf(reflect.TypeFor[float64]()).ulp(0))
}

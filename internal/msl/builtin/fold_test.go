package builtin

import (
	"math"
	"math/bits"
	"testing"

	"github.com/puremetal/puremetal/internal/msl/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFoldAllPatterns tries the unary functions on every half and bfloat against package math on the exact value.
func TestFoldAllPatterns(t *testing.T) {
	round := map[Op]func(float64) float64{OpFAbs: math.Abs, OpCeil: math.Ceil, OpFloor: math.Floor, OpTrunc: math.Trunc, OpRound: math.Round,
		OpRint: math.RoundToEven, OpSqrt: math.Sqrt}
	truth := map[Op]func(float64) bool{OpIsnan: math.IsNaN, OpIsinf: func(f float64) bool { return math.IsInf(f, 0) }, OpSignbit: math.Signbit,
		OpIsfinite: func(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }}
	for _, b := range []*types.Basic{types.Half, types.BFloat} {
		for n := range uint64(1 << 16) {
			v := types.BitsValue(b, n)
			f := v.Float()
			for op, fn := range round {
				got, ok := Fold(op, v)
				want := types.FloatValue(b, fn(f))
				if !ok || !got.Equal(want) {
					t.Fatalf("%v(%v %#04x) is %v, not %v", op, b, n, got, want)
				}
			}
			for op, fn := range truth {
				if got, ok := Fold(op, v); !ok || got.Truth() != fn(f) {
					t.Fatalf("%v(%v %#04x) is %v", op, b, n, got)
				}
			}
			sat, _ := Fold(OpSaturate, v)
			sign, _ := Fold(OpSign, v)
			switch {
			case f != f && (sat.Float() != 0 || sign.Float() != 0), f > 1 && sat.Float() != 1, f > 0 && sign.Float() != 1, f < 0 && (sat.Float() != 0 || sign.Float() != -1):
				t.Fatalf("saturate and sign of %v %#04x are %v and %v", b, n, sat, sign)
			}
		}
	}
}

func TestFold(t *testing.T) {
	i := func(n int64) types.Value { return types.IntValue(types.Int, n) }
	f := func(x float64) types.Value { return types.FloatValue(types.Float, x) }
	nan := f(math.NaN())
	vec := func(n ...int64) types.Value {
		var e []types.Value
		for _, x := range n {
			e = append(e, i(x))
		}
		return types.Aggregate(types.VectorOf(types.Int, len(n)), e)
	}
	for _, c := range []struct {
		op   Op
		args []types.Value
		want string
	}{
		{OpIMin, []types.Value{i(-1), i(2)}, "-1"},
		{OpIMax, []types.Value{types.UintValue(types.UInt, math.MaxUint32), types.UintValue(types.UInt, 2)}, "4294967295u"},
		{OpIMax, []types.Value{vec(1, 5, 3), vec(4, 2, 3)}, "int3(4, 5, 3)"},
		{OpIClamp, []types.Value{i(9), i(1), i(4)}, "4"},
		{OpIMedian3, []types.Value{i(9), i(1), i(4)}, "4"},
		{OpIMin3, []types.Value{i(9), i(1), i(4)}, "1"},
		{OpIMax3, []types.Value{i(2), i(1), i(4)}, "4"},
		{OpIAbs, []types.Value{i(math.MinInt32)}, "-2147483648"},
		{OpClz, []types.Value{types.IntValue(types.UShort, 1)}, "15"},
		{OpClz, []types.Value{i(0)}, "32"},
		{OpCtz, []types.Value{i(0)}, "32"},
		{OpCtz, []types.Value{types.IntValue(types.Long, 8)}, "3l"},
		{OpPopcount, []types.Value{i(-1)}, "32"},
		{OpReverseBits, []types.Value{types.IntValue(types.UChar, 1)}, "128"},
		{OpRotate, []types.Value{types.IntValue(types.UChar, 0x81), types.IntValue(types.UChar, 9)}, "3"},
		{OpFMin, []types.Value{nan, f(2)}, "2.0"},
		{OpFMax, []types.Value{f(2), nan}, "2.0"},
		{OpFMax3, []types.Value{f(2), nan, f(3)}, "3.0"},
		{OpFMin3, []types.Value{f(2), f(1), f(3)}, "1.0"},
		{OpFMedian3, []types.Value{f(2), f(1), f(3)}, "2.0"},
		{OpFClamp, []types.Value{f(2), f(0), f(1)}, "1.0"},
		{OpStep, []types.Value{f(2), f(1)}, "0.0"},
		{OpStep, []types.Value{f(2), f(2)}, "1.0"},
		{OpCopysign, []types.Value{f(2), f(-1)}, "-2.0"},
		{OpDivide, []types.Value{f(1), f(4)}, "0.25"},
		{OpSelect, []types.Value{i(1), i(2), types.BoolValue(true)}, "2"},
		{OpIsunordered, []types.Value{nan, f(1)}, "true"},
		{OpIsordered, []types.Value{f(1), f(1)}, "true"},
		{OpLogicalNot, []types.Value{types.BoolValue(true)}, "false"},
		{OpAll, []types.Value{types.BoolValue(true)}, "true"},
	} {
		v, ok := Fold(c.op, c.args...)
		assert.True(t, ok, "%v", c.op)
		assert.Equal(t, c.want, v.String(), "%v%v", c.op, c.args)
	}
	bools := types.Aggregate(types.VectorOf(types.Bool, 2), []types.Value{types.BoolValue(true), types.BoolValue(false)})
	v, _ := Fold(OpAny, bools)
	assert.True(t, v.Truth())
	v, _ = Fold(OpAll, bools)
	assert.False(t, v.Truth())
	for _, op := range []Op{OpSin, OpThreadgroupBarrier, OpInvalid} {
		_, ok := Fold(op, f(1))
		assert.False(t, ok)
	}
	_, ok := Fold(OpIMin, vec(1, 2), vec(1, 2, 3))
	assert.False(t, ok)
	_, ok = Fold(OpFMin)
	assert.False(t, ok)
}

func TestReinterpret(t *testing.T) {
	one := types.FloatValue(types.Float, 1)
	v, ok := Reinterpret(one, types.UInt)
	require.True(t, ok)
	assert.Equal(t, "1065353216u", v.String())
	v, ok = Reinterpret(one, types.VectorOf(types.Half, 2))
	require.True(t, ok)
	assert.Equal(t, "half2(0.0h, 1.875h)", v.String())
	back, ok := Reinterpret(v, types.Float)
	require.True(t, ok)
	assert.True(t, back.Equal(one))
	_, ok = Reinterpret(one, types.Half)
	assert.False(t, ok)
	for n := range uint64(1 << 16) {
		u := types.BitsValue(types.UShort, n)
		h, _ := Reinterpret(u, types.BFloat)
		if w, ok := Reinterpret(h, types.UShort); !ok || !w.Equal(u) || bits.OnesCount64(h.Bits()) != bits.OnesCount64(n) {
			t.Fatalf("%#04x becomes %v and %v", n, h, w)
		}
	}
}

package types

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ints(t *Basic, n ...int64) Value {
	var elems []Value
	for _, x := range n {
		elems = append(elems, IntValue(t, x))
	}
	return Aggregate(VectorOf(t, len(n)), elems)
}

func TestFoldIntegers(t *testing.T) {
	for _, c := range []struct {
		op   Op
		a, b Value
		want string
	}{
		{Add, IntValue(Int, math.MaxInt32), IntValue(Int, 1), "-2147483648"},
		{Add, IntValue(UChar, 200), IntValue(UChar, 100), "300"},
		{Sub, UintValue(UInt, 0), UintValue(UInt, 1), "4294967295u"},
		{Sub, IntValue(Int, 0), UintValue(UInt, 1), "4294967295u"},
		{Mul, IntValue(Long, math.MinInt64), IntValue(Int, -1), "-9223372036854775808l"},
		{Div, IntValue(Int, -7), IntValue(Int, 2), "-3"},
		{Rem, IntValue(Int, -7), IntValue(Int, 2), "-1"},
		{Div, IntValue(Int, math.MinInt32), IntValue(Int, -1), "-2147483648"},
		{Rem, IntValue(Int, math.MinInt32), IntValue(Int, -1), "0"},
		{Div, UintValue(ULong, math.MaxUint64), UintValue(ULong, 10), "1844674407370955161ul"},
		{Rem, UintValue(UInt, 7), IntValue(Int, -1), "7u"},
		{Shl, IntValue(Int, 1), IntValue(Int, 33), "2"},
		{Shr, IntValue(Int, -8), IntValue(Int, 1), "-4"},
		{Shr, IntValue(UShort, 0x8000), IntValue(Int, 15), "1"},
		{Shr, IntValue(Long, -1), UintValue(UInt, 63), "-1l"},
		{And, IntValue(Int, -1), UintValue(ULong, 0xff), "255ul"},
		{Xor, ints(Short, 5, -1), IntValue(Int, 1), "short2(4, -2)"},
		{Lt, IntValue(Int, -1), UintValue(UInt, 1), "false"},
		{Lt, IntValue(Char, -1), UintValue(UChar, 1), "true"},
		{Ge, ints(Int, 1, 2, 3), IntValue(Int, 2), "bool3(false, true, true)"},
		{LogicalAnd, IntValue(Int, 2), FloatValue(Float, 0.5), "true"},
		{LogicalOr, IntValue(Int, 0), FloatValue(Half, 0), "false"},
		{Add, BoolValue(true), BoolValue(true), "2"},
		{Add, ints(UChar, 250, 3), ints(UChar, 10, 4), "uchar2(4, 7)"},
		{Shl, ints(UChar, 1, 3), IntValue(Int, 7), "uchar2(128, 128)"},
	} {
		got, err := Binary(c.op, c.a, c.b)
		require.NoError(t, err)
		assert.Equal(t, c.want, got.String(), "%v %v %v", c.a, c.op, c.b)
	}
	_, err := Binary(Div, IntValue(Int, 1), IntValue(Int, 0))
	assert.ErrorIs(t, err, ErrDivideByZero)
	_, err = Binary(Rem, ints(UInt, 1, 2), IntValue(Int, 0))
	assert.ErrorIs(t, err, ErrDivideByZero)
	_, err = Binary(Rem, FloatValue(Float, 1), FloatValue(Float, 2))
	assert.ErrorIs(t, err, ErrNotConstant)
	_, err = Binary(Add, ints(Int, 1, 2), ints(Int, 1, 2, 3))
	assert.ErrorIs(t, err, ErrNotConstant)
}

func TestFoldFloats(t *testing.T) {
	nan := FloatValue(Float, math.NaN())
	for _, c := range []struct {
		op   Op
		a, b Value
		want string
	}{
		{Add, FloatValue(Half, 2048), FloatValue(Half, 1), "2048.0h"},
		{Add, FloatValue(Half, 2048), IntValue(Int, 3), "2052.0h"},
		{Add, FloatValue(Half, 2048), FloatValue(Float, 1), "2049.0"},
		{Mul, FloatValue(Half, 60000), FloatValue(Half, 2), "infh"},
		{Add, FloatValue(BFloat, 256), FloatValue(BFloat, 1), "256.0bf"},
		{Div, FloatValue(Float, 1), FloatValue(Float, 0), "inf"},
		{Eq, nan, nan, "false"},
		{Ne, nan, nan, "true"},
		{Le, nan, nan, "false"},
		{Eq, FloatValue(Float, 0), FloatValue(Float, math.Copysign(0, -1)), "true"},
	} {
		got, err := Binary(c.op, c.a, c.b)
		require.NoError(t, err)
		assert.Equal(t, c.want, got.String(), "%v %v %v", c.a, c.op, c.b)
	}
	half, err := Convert(FloatValue(Float, 1e9), Half)
	require.NoError(t, err)
	assert.Equal(t, "infh", half.String())
	for f, want := range map[float64]string{-1: "0", 300: "255", 3.99: "3", math.Inf(1): "255", math.NaN(): "0"} {
		n, err := Convert(FloatValue(Float, f), UChar)
		require.NoError(t, err)
		assert.Equal(t, want, n.String(), "%v", f)
	}
	big, err := Convert(FloatValue(Float, 0x1p63), Long)
	require.NoError(t, err)
	assert.Equal(t, "9223372036854775807l", big.String())
	neg, err := Unary(Neg, FloatValue(Float, 0))
	require.NoError(t, err)
	assert.EqualValues(t, 0x80000000, neg.Bits())
	not, err := Unary(BitNot, IntValue(UChar, 1))
	require.NoError(t, err)
	assert.Equal(t, "-2", not.String(), "a uchar is promoted")
	vec, err := Unary(BitNot, ints(UChar, 1, 255))
	require.NoError(t, err)
	assert.Equal(t, "uchar2(254, 0)", vec.String(), "the elements of a vector are not")
	_, err = Unary(BitNot, FloatValue(Float, 1))
	assert.ErrorIs(t, err, ErrNotConstant)
}

func matrixOf(cols, rows int, n ...float64) Value {
	m := MatrixOf(Float, cols, rows)
	var columns []Value
	for c := range cols {
		var col []Value
		for r := range rows {
			col = append(col, FloatValue(Float, n[c*rows+r]))
		}
		columns = append(columns, Aggregate(m.Column(), col))
	}
	return Aggregate(m, columns)
}

func TestFoldMatrices(t *testing.T) {
	m := matrixOf(2, 3, 1, 2, 3, 4, 5, 6)
	fold := func(op Op, a, b Value) string {
		v, err := Binary(op, a, b)
		require.NoError(t, err)
		return v.String()
	}
	v2, err := Convert(ints(Int, 10, 100), VectorOf(Float, 2))
	require.NoError(t, err)
	v3, err := Convert(ints(Int, 1, 10, 100), VectorOf(Float, 3))
	require.NoError(t, err)
	assert.Equal(t, "float3(410.0, 520.0, 630.0)", fold(Mul, m, v2))
	assert.Equal(t, "float2(321.0, 654.0)", fold(Mul, v3, m))
	assert.Equal(t, "float2x2(float2(22.0, 28.0), float2(49.0, 64.0))", fold(Mul, matrixOf(3, 2, 1, 2, 3, 4, 5, 6), m))
	assert.Equal(t, "float2x3(float3(2.0, 4.0, 6.0), float3(8.0, 10.0, 12.0))", fold(Mul, m, IntValue(Int, 2)))
	assert.Equal(t, fold(Mul, m, IntValue(Int, 2)), fold(Mul, FloatValue(Float, 2), m))
	assert.Equal(t, fold(Mul, m, IntValue(Int, 2)), fold(Add, m, m))
	assert.Equal(t, "true", fold(Eq, m, m))
	assert.Equal(t, "true", fold(Ne, m, matrixOf(2, 3, 1, 2, 3, 4, 5, 7)))
	half, err := Convert(m, MatrixOf(Half, 2, 3))
	require.NoError(t, err)
	assert.Equal(t, "half2x3(half3(1.0h, 2.0h, 3.0h), half3(4.0h, 5.0h, 6.0h))", half.String())
}

func TestValues(t *testing.T) {
	u := NewUniverse()
	n, ok := IntValue(Char, -1).Int()
	assert.True(t, ok)
	assert.EqualValues(t, -1, n)
	_, ok = IntValue(Char, -1).Uint()
	assert.False(t, ok)
	_, ok = UintValue(ULong, math.MaxUint64).Int()
	assert.False(t, ok)
	_, ok = FloatValue(Float, 1).Int()
	assert.False(t, ok)
	assert.False(t, Value{}.IsValid())
	assert.Equal(t, "<no value>", Value{}.String())

	assert.True(t, Represents(IntValue(Int, 255), UChar))
	assert.False(t, Represents(IntValue(Int, 256), UChar))
	assert.False(t, Represents(IntValue(Int, -1), UInt))
	assert.True(t, Represents(IntValue(Int, 1<<24), Float))
	assert.False(t, Represents(IntValue(Int, 1<<24+1), Float))
	assert.True(t, Represents(FloatValue(Float, 0.1), Half), "rounding is allowed")
	assert.False(t, Represents(FloatValue(Float, 1e6), Half), "overflow is not")
	assert.False(t, Represents(FloatValue(Float, 0.5), Int))

	z, ok := Zero(VectorOf(Half, 3))
	assert.True(t, ok)
	assert.Equal(t, "half3(0.0h, 0.0h, 0.0h)", z.String())
	s := record(t, StructRecord, "int a, float2 b")
	z, ok = Zero(u.Array(s, 2))
	assert.True(t, ok)
	assert.Equal(t, "S[2]{S{0, float2(0.0, 0.0)}, S{0, float2(0.0, 0.0)}}", z.String())
	_, ok = Zero(Sampler)
	assert.False(t, ok)
	_, ok = Zero(u.Array(Int, MaxElems+1))
	assert.False(t, ok)
	_, ok = Zero(Void)
	assert.False(t, ok)

	e := u.NewEnum("mode", true)
	e.Values = []Enumerator{{"fast", EnumValue(e, 1)}, {"slow", EnumValue(e, 2)}}
	assert.Equal(t, "mode::slow", EnumValue(e, 2).String())
	assert.Equal(t, "mode(3)", EnumValue(e, 3).String())
	v, ok := e.Lookup("fast")
	assert.True(t, ok)
	i, err := Convert(v, Int)
	require.NoError(t, err)
	assert.Equal(t, "1", i.String())
	back, err := Convert(i, e)
	require.NoError(t, err)
	assert.True(t, back.Equal(v))

	fn := u.Func(Q(Void), nil, false)
	ref := new(int)
	f := RefValue(u.Pointer(Q(fn)), ref)
	assert.True(t, f.Truth())
	assert.True(t, f.Equal(RefValue(u.Pointer(Q(fn)), ref)))
	assert.NotEqual(t, f.Key(), RefValue(u.Pointer(Q(fn)), new(int)).Key())
	null := NullValue(u.Pointer(Q(Int)))
	assert.False(t, null.Truth())
	assert.Equal(t, "nullptr", null.String())
	truth, err := Convert(f, Bool)
	require.NoError(t, err)
	assert.True(t, truth.Truth())
	_, err = Convert(f, Int)
	assert.ErrorIs(t, err, ErrNotConstant)

	keys := map[string]Value{}
	for _, v := range []Value{IntValue(Int, 1), IntValue(UInt, 1), IntValue(Int, 2), FloatValue(Float, 1), BoolValue(true),
		ints(Int, 1, 1), ints(Int, 1, 1, 1),
		FloatValue(Float, 0), FloatValue(Float, math.Copysign(0, -1)), {}} {
		old, ok := keys[v.Key()]
		assert.False(t, ok, "%v and %v have one key", v, old)
		keys[v.Key()] = v
	}
}

// FuzzFold folds any operator on any scalars: it does not panic, the result has the announced type,
// and integer division and remainder are consistent.
func FuzzFold(f *testing.F) {
	f.Add(uint8(0), uint8(1), uint8(2), uint64(3), uint64(4))
	f.Add(uint8(Div), uint8(IntKind), uint8(LongKind), uint64(1)<<63, uint64(math.MaxUint64))
	f.Fuzz(func(t *testing.T, op, k, l uint8, x, y uint64) {
		a := BitsValue(BasicOf(BoolKind+Kind(k)%(FloatKind-BoolKind+1)), x)
		b := BitsValue(BasicOf(BoolKind+Kind(l)%(FloatKind-BoolKind+1)), y)
		o := Op(op) % numOps
		if o >= Neg {
			if v, err := Unary(o, a); err == nil && v.Scalar() == nil {
				t.Fatalf("%v%v is %v", o, a, v)
			}
			return
		}
		v, err := Binary(o, a, b)
		if err != nil {
			return
		}
		if want := BinaryOperands(o, a.Type, b.Type).Result; v.Type != want {
			t.Fatalf("%v %v %v has type %v, not %v", a, o, b, v.Type, want)
		}
		if o != Div || v.Scalar().IsFloat() {
			return
		}
		r, err := Binary(Rem, a, b)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := Binary(Mul, v, b)
		p, _ = Binary(Add, p, r)
		if c, _ := Convert(a, p.Type); !p.Equal(c) {
			t.Fatalf("%v / %v * %v + %v %% %v is %v", a, b, b, a, b, p)
		}
	})
}

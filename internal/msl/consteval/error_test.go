package consteval

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// TestReasons: an expression without a value reports the reason.
func TestReasons(t *testing.T) {
	u := types.NewUniverse()
	x := local("x", types.Int)
	list := &typed.Aggregate{Info: value(u.Array(types.Int, 3))}
	plain := &typed.Func{Name: "g", Result: types.Int, Body: block(ret(num(1)))}
	declared := &typed.Func{Name: "h", Constexpr: true, Result: types.Int}
	for name, c := range map[string]struct {
		reason string
		e      typed.Expr
	}{
		"division":   {": division by zero", op(types.Div, num(1), num(0))},
		"a variable": {": read of non-constexpr variable 'x' is not allowed", load(ref(x))},
		"an index": {": index 3 is out of bounds of 'int[3]'",
			&typed.Index{Info: value(types.Int), X: list, Index: num(3)}},
		"an uninitialized one": {": read of uninitialized object",
			call(function(nil, declare(x, nil), ret(load(ref(x)))))},
		"a plain function": {": non-constexpr function 'g' cannot be used in a constant expression", call(plain)},
		"a declaration":    {": undefined function 'h' cannot be used in a constant expression", call(declared)},
		"no return":        {": control reached end of constexpr function 'f'", call(function(nil, do(num(1))))},
		"a function constant": {": it depends on a function constant",
			load(ref(&typed.Var{Name: "c", Kind: typed.FunctionConstant, Type: types.Int}))},
		"what has no constant form": {"", &typed.PtrDiff{Info: value(types.Long)}},
		"nothing":                   {"", &typed.Zero{Info: value(types.Void)}},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := evaluator().Eval(c.e, Wrapping)
			require.Error(t, err)
			assert.Equal(t, c.reason, Reason(err))
			assert.False(t, v.IsValid())
		})
	}
	assert.Empty(t, Reason(nil))
}

// TestStrict: undefined integer arithmetic has its run-time value, and is rejected where a constant
// is required.
func TestStrict(t *testing.T) {
	highest := num(math.MaxInt32)
	for _, c := range []struct {
		want   int64
		reason string
		e      typed.Expr
	}{
		{math.MinInt32, "2147483648 does not fit in 'int'", op(types.Add, highest, num(1))},
		{math.MaxInt32, "-2147483649 does not fit in 'int'", op(types.Sub, num(math.MinInt32), num(1))},
		{-2, "4294967294 does not fit in 'int'", op(types.Mul, highest, num(2))},
		{2, "a value of 32 bits is shifted by 33", op(types.Shl, num(1), num(33))},
		{4, "a value of 32 bits is shifted by -31", op(types.Shr, num(8), num(-31))},
	} {
		v, err := evaluator().Eval(c.e, Wrapping)
		require.NoError(t, err, c.reason)
		n, _ := v.Int()
		assert.Equal(t, c.want, n, c.reason)
		_, err = evaluator().Eval(c.e, Strict)
		assert.EqualError(t, err, c.reason)
	}
}

// TestLimits: a single evaluation is bounded, and so are many together.
func TestLimits(t *testing.T) {
	forever := function(nil, &typed.Loop{Body: block()}, ret(num(1)))
	_, err := evaluator().Eval(call(forever), Wrapping)
	assert.ErrorIs(t, err, ErrSteps)

	n := local("n", types.Int)
	deep := function([]*typed.Var{n})
	deep.Body = block(ret(call(deep, load(ref(n)))))
	_, err = evaluator().Eval(call(deep, num(1)), Wrapping)
	assert.ErrorIs(t, err, ErrDepth)

	large := types.NewUniverse().Array(types.Int, maxParts+1)
	_, err = New(types.NewUniverse(), host{}, 1<<30).Eval(
		call(function(nil, declare(local("a", large), nil), ret(num(1)))), Wrapping)
	assert.ErrorIs(t, err, ErrSteps)

	sum := op(types.Add, num(1), num(2)) // three steps
	ev := New(types.NewUniverse(), host{}, 3)
	for range 8 {
		_, err := ev.Eval(sum, Wrapping)
		require.NoError(t, err)
	}
	_, err = ev.Eval(sum, Wrapping)
	assert.ErrorIs(t, err, ErrSteps, "all evaluations together take eight times the steps of one")
}

// TestSpend: the checker ends an evaluation by its own panic if the compilation is to stop.
func TestSpend(t *testing.T) {
	type canceled struct{}
	polls := 0
	ev := New(types.NewUniverse(), host{spend: func(int) {
		if polls++; polls == 10 {
			panic(canceled{})
		}
	}}, 1<<12)
	assert.PanicsWithValue(t, canceled{}, func() {
		_, _ = ev.Eval(call(function(nil, &typed.Loop{Body: block()}, ret(num(1)))), Wrapping)
	})
	assert.Equal(t, 10, polls)
	v, err := ev.Eval(op(types.Add, num(1), num(2)), Wrapping)
	require.NoError(t, err, "an evaluator is usable after a panic")
	assert.Equal(t, "3", v.String())
}

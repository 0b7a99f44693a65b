package consteval

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// host is a checker that has already checked all functions.
type host struct{ spend func(steps int) }

func (h host) Body(f *typed.Func) (*typed.Block, bool) { return f.Body, f.Constexpr }

func (h host) Spend(steps int) {
	if h.spend != nil {
		h.spend(steps)
	}
}

func evaluator() *Evaluator { return New(types.NewUniverse(), host{}, 1<<12) }

func value(t types.Type) typed.Info { return typed.Info{Typ: t} }

func lvalue(t types.Type) typed.Info { return typed.Info{Typ: t, LValue: true, Space: types.Thread} }

func num(n int64) *typed.Const {
	return &typed.Const{Info: value(types.Int), Value: types.IntValue(types.Int, n)}
}

func local(name string, t types.Type) *typed.Var { return &typed.Var{Name: name, Type: t} }

func ref(v *typed.Var) typed.Expr { return &typed.VarRef{Info: lvalue(v.Type), Var: v} }

func load(e typed.Expr) typed.Expr { return &typed.Load{Info: value(e.Type()), X: e} }

func at(array, index typed.Expr) typed.Expr {
	return &typed.Index{Info: lvalue(partType(array.Type(), 0)), X: array, Index: index}
}

func op(o types.Op, x, y typed.Expr) typed.Expr {
	return &typed.Binary{Info: value(types.BinaryOperands(o, x.Type(), y.Type()).Result), Op: o, X: x, Y: y}
}

func assign(x, y typed.Expr) typed.Expr { return &typed.Assign{Info: lvalue(x.Type()), X: x, Y: y} }

func add(x, y typed.Expr) typed.Expr {
	return &typed.CompoundAssign{Info: lvalue(x.Type()), Op: types.Add, X: x, Y: y, OpType: x.Type()}
}

func inc(x typed.Expr, post bool) typed.Expr {
	return &typed.IncDec{Info: value(x.Type()), X: x, Post: post}
}

func do(e typed.Expr) typed.Stmt { return &typed.ExprStmt{X: e} }

func declare(v *typed.Var, init typed.Expr) typed.Stmt { return &typed.VarDecl{Var: v, Init: init} }

func block(list ...typed.Stmt) *typed.Block { return &typed.Block{List: list} }

func ret(e typed.Expr) typed.Stmt { return &typed.Return{X: e} }

// function is a constexpr function that returns int.
func function(params []*typed.Var, body ...typed.Stmt) *typed.Func {
	return &typed.Func{Name: "f", Constexpr: true, Params: params, Result: types.Int, Body: block(body...)}
}

func call(f *typed.Func, args ...typed.Expr) typed.Expr {
	return &typed.Call{Info: value(f.Result), Func: f, Args: args}
}

func wantInt(t *testing.T, want int64, e typed.Expr) {
	t.Helper()
	v, err := evaluator().Eval(e, Strict)
	require.NoError(t, err)
	n, ok := v.Int()
	assert.True(t, ok)
	assert.Equal(t, want, n)
}

func TestExpressions(t *testing.T) {
	zero := op(types.Div, num(1), num(0))
	yes := op(types.Lt, num(1), num(2))
	u := types.NewUniverse()
	list := &typed.Aggregate{Info: value(u.Array(types.Int, 3)), Elems: []typed.Expr{num(7), nil}}
	vec := &typed.Compose{Info: value(types.VectorOf(types.Int, 3)), Elems: []typed.Expr{num(4), num(5), num(6)}}
	for name, c := range map[string]struct {
		want int64
		e    typed.Expr
	}{
		"operators":        {-7, op(types.Sub, op(types.Mul, num(2), num(3)), num(13))},
		"a branch not run": {5, &typed.Cond{Info: value(types.Int), C: yes, X: num(5), Y: zero}},
		"an operand unread": {1, &typed.Logical{Info: value(types.Bool), Or: true, X: yes,
			Y: op(types.Lt, zero, num(1))}},
		"an element":        {7, &typed.Index{Info: value(types.Int), X: list, Index: num(0)}},
		"a missing element": {0, &typed.Index{Info: value(types.Int), X: list, Index: num(2)}},
		"a component":       {6, &typed.Swizzle{Info: value(types.Int), X: vec, Comps: []uint8{2}}},
		"a comma":           {3, &typed.Comma{Info: value(types.Int), X: num(9), Y: num(3)}},
		"a conversion": {-1, &typed.Convert{Info: value(types.Int), Kind: typed.ConvArith,
			X: &typed.Const{Info: value(types.Float), Value: types.FloatValue(types.Float, -1.9)}}},
	} {
		t.Run(name, func(t *testing.T) { wantInt(t, c.want, c.e) })
	}
}

// TestEffectsOnce: an assignment evaluates its target once, whether it is used as a statement, as a
// value or as an lvalue.
func TestEffectsOnce(t *testing.T) {
	array := types.NewUniverse().Array(types.Int, 4)
	a, i := local("a", array), local("i", types.Int)
	next := func() typed.Expr { return at(ref(a), inc(ref(i), true)) }
	body := func(e typed.Expr) *typed.Func {
		return function(nil,
			declare(a, &typed.Zero{Info: value(array)}), declare(i, num(0)), do(e),
			ret(op(types.Add, op(types.Mul, load(at(ref(a), num(0))), num(10)), load(ref(i)))))
	}
	for name, c := range map[string]struct {
		want int64
		e    typed.Expr
	}{
		"assignment":     {51, assign(next(), num(5))},
		"compound":       {51, add(next(), num(5))},
		"assigned again": {61, assign(assign(next(), num(5)), num(6))},
		"added again":    {71, add(add(next(), num(5)), num(2))},
		"value of another": {12, assign(at(ref(a), num(0)),
			load(assign(at(ref(a), inc(ref(i), false)), inc(ref(i), false))))},
	} {
		t.Run(name, func(t *testing.T) {
			wantInt(t, c.want, call(body(c.e)))
		})
	}
}

func TestSwizzlesWritten(t *testing.T) {
	vec := types.VectorOf(types.Int, 4)
	two := func(x, y int64) typed.Expr {
		return &typed.Compose{Info: value(types.VectorOf(types.Int, 2)), Elems: []typed.Expr{num(x), num(y)}}
	}
	v := local("v", vec)
	part := func(a, b uint8) typed.Expr {
		return &typed.Swizzle{Info: lvalue(types.VectorOf(types.Int, 2)), X: ref(v), Comps: []uint8{a, b}}
	}
	f := function(nil, declare(v, &typed.Zero{Info: value(vec)}),
		do(assign(part(3, 1), two(5, 6))), do(add(part(1, 0), two(10, 20))),
		ret(op(types.Add, op(types.Mul, load(at(ref(v), num(0))), num(10000)),
			op(types.Add, op(types.Mul, load(at(ref(v), num(1))), num(100)), load(at(ref(v), num(3)))))))
	wantInt(t, 201605, call(f))
}

// TestStatements runs a loop with continue and break, a loop that tests last, and a switch with
// fallthrough.
func TestStatements(t *testing.T) {
	n, s, i := local("n", types.Int), local("s", types.Int), local("i", types.Int)
	is := func(v *typed.Var, k int64) typed.Expr { return op(types.Eq, load(ref(v)), num(k)) }
	loop := &typed.Loop{TestFirst: true, Init: []typed.Stmt{declare(i, num(0))},
		Cond: op(types.Lt, load(ref(i)), load(ref(n))), Post: inc(ref(i), false),
		Body: block(
			&typed.If{Cond: is(i, 2), Then: block(&typed.Continue{})},
			&typed.If{Cond: is(i, 5), Then: block(&typed.Break{})},
			do(add(ref(s), load(ref(i)))))}
	sum := function([]*typed.Var{n}, declare(s, num(0)), loop, ret(load(ref(s))))
	wantInt(t, 0+1+3, call(sum, num(4)))
	wantInt(t, 0+1+3+4, call(sum, num(100)))

	once := function([]*typed.Var{n},
		&typed.Loop{Cond: op(types.Lt, load(ref(n)), num(0)), Body: block(do(inc(ref(n), false)))}, ret(load(ref(n))))
	wantInt(t, 8, call(once, num(7)))

	label := func(k int64) []types.Value { return []types.Value{types.IntValue(types.Int, k)} }
	choose := function([]*typed.Var{n}, declare(s, num(0)),
		&typed.Switch{X: load(ref(n)), Cases: []*typed.Case{
			{Values: label(1), Body: []typed.Stmt{do(add(ref(s), num(1)))}},
			{Default: true, Body: []typed.Stmt{do(add(ref(s), num(10))), &typed.Break{}}},
			{Values: label(2), Body: []typed.Stmt{ret(num(100))}},
		}}, ret(load(ref(s))))
	wantInt(t, 11, call(choose, num(1)))
	wantInt(t, 100, call(choose, num(2)))
	wantInt(t, 10, call(choose, num(3)))
}

// TestNested: a call leaves the caller's objects and depth unchanged.
func TestNested(t *testing.T) {
	n := local("n", types.Int)
	f := function([]*typed.Var{n})
	f.Body = block(
		&typed.If{Cond: op(types.Lt, load(ref(n)), num(2)), Then: block(ret(load(ref(n))))},
		ret(op(types.Add, call(f, op(types.Sub, load(ref(n)), num(1))), call(f, op(types.Sub, load(ref(n)), num(2))))))
	wantInt(t, 55, call(f, num(10)))
}

// TestConstantObjects: a constant is one object in all evaluations, so that its addresses are
// equal.
func TestConstantObjects(t *testing.T) {
	u := types.NewUniverse()
	ev := New(u, host{}, 100)
	k := &typed.Var{Name: "k", Type: types.Int, Value: types.IntValue(types.Int, 3)}
	pointer := u.Pointer(types.Qualified{Type: types.Int, Space: types.Constant})
	address := &typed.AddrOf{Info: value(pointer), X: ref(k)}
	p, err := ev.Eval(address, Strict)
	require.NoError(t, err)
	q, err := ev.Eval(address, Strict)
	require.NoError(t, err)
	assert.Same(t, p.Ref, q.Ref)
	same, err := ev.Eval(&typed.Binary{Info: value(types.Bool), Op: types.Eq, X: address, Y: address}, Strict)
	require.NoError(t, err)
	assert.True(t, same.Truth())
}

func TestBuiltins(t *testing.T) {
	uintConst := func(n uint64) typed.Expr {
		return &typed.Const{Info: value(types.UInt), Value: types.UintValue(types.UInt, n)}
	}
	library := func(name string, o builtin.Op, args ...typed.Expr) typed.Expr {
		return &typed.Builtin{Info: value(types.Int), Fn: &builtin.Func{Name: name, Op: o}, Op: o, Args: args}
	}
	wantInt(t, 24, library("__builtin_clz", builtin.OpClz, uintConst(0x80)))
	wantInt(t, 7, library("__builtin_ctz", builtin.OpCtz, uintConst(0x80)))
	wantInt(t, 0, library("__builtin_popcount", builtin.OpPopcount, uintConst(0)))
	wantInt(t, 32, library("__builtin_popcount", builtin.OpPopcount, uintConst(0xffffffff)))
	wantInt(t, 4, library("__builtin_expect", builtin.OpExpect, num(4), num(5)))
	for name, e := range map[string]typed.Expr{
		"the result of '__builtin_clz' of 0 is undefined": library(
			"__builtin_clz", builtin.OpClz, uintConst(0)),
		"non-constexpr function 'clz' cannot be used in a constant expression": library("clz", builtin.OpClz, uintConst(1)),
		"non-constexpr function 'max' cannot be used in a constant expression": library(
			"max", builtin.OpIMax, num(1), num(2)),
	} {
		_, err := evaluator().Eval(e, Wrapping)
		assert.EqualError(t, err, name)
	}
	_, err := evaluator().Eval(library("is_function_constant_defined", builtin.OpInvalid), Wrapping)
	assert.ErrorIs(t, err, ErrFunctionConstant)
}

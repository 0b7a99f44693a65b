package ir

import (
	"errors"
	"fmt"
	"go/ast"
	goparser "go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A condition (Arg.When) is a Go expression that says when an argument exists. fc3.i32 is the
// function constant with index 3, read as an int; defined(fc3) reports whether the host has set it.
// The types are bool, i8 to i64, u8 to u64, f16, bf16 and f32; each is also a conversion, as in
// u8(x). Both operands of an operator are truth values, signed integers, unsigned integers or
// floating-point numbers. Arithmetic is done in 64 bits; converting the result to a narrower type
// gives that type's result. Integer division by zero behaves as elsewhere in this package. cond(c,
// x, y) is x if c is true, else y.

var errCondition = errors.New("not an expression of function constants")

// EvalCondition evaluates an argument's condition. value returns a function constant's bits by
// index; ok is false if the host has not set it.
func EvalCondition(cond string, value func(index int) (bits uint64, ok bool)) (holds bool, err error) {
	eval, _, err := parseCondition(cond)
	if err != nil {
		return false, err
	}
	v, err := eval(value)
	if err != nil {
		return false, err
	}
	return v.truth(), nil
}

// checkCondition reports a condition that cannot be evaluated or that uses anything other than a
// function constant of f.
func checkCondition(f *Func, cond string) error {
	if cond == "" {
		return nil
	}
	_, used, err := parseCondition(cond)
	if err != nil {
		return err
	}
	for _, i := range used {
		if !slices.ContainsFunc(f.Constants, func(c FunctionConstant) bool { return c.Index == i }) {
			return fmt.Errorf(`"fc%d" is not a function constant`, i)
		}
	}
	return nil
}

// condEval evaluates part of a condition.
type condEval func(value func(int) (uint64, bool)) (condValue, error)

// parseCondition returns a function that evaluates a condition, and the indices of the function
// constants in it.
func parseCondition(cond string) (condEval, []int, error) {
	e, err := goparser.ParseExpr(cond)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errCondition, err)
	}
	p := &condParser{}
	eval, _, err := p.expr(e)
	return eval, p.used, err
}

type condParser struct{ used []int }

// expr returns a function that evaluates an expression, and the kind of its value.
func (p *condParser) expr(e ast.Expr) (condEval, condKind, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return p.expr(e.X)
	case *ast.BasicLit:
		return number(e)
	case *ast.Ident:
		if e.Name == "true" || e.Name == "false" {
			return constantly(condBoolean(e.Name == "true")), condBool, nil
		}
	case *ast.SelectorExpr:
		return p.read(e)
	case *ast.CallExpr:
		return p.call(e)
	case *ast.UnaryExpr:
		x, kind, err := p.expr(e.X)
		if err != nil {
			return nil, 0, err
		}
		if !unaryFits(e.Op, kind) {
			return nil, 0, fmt.Errorf("%w: %s does not apply to a %s", errCondition, e.Op, kind)
		}
		return func(value func(int) (uint64, bool)) (condValue, error) {
			v, err := x(value)
			return v.unary(e.Op), err
		}, kind, nil
	case *ast.BinaryExpr:
		return p.binary(e)
	}
	return nil, 0, errCondition
}

func constantly(v condValue) condEval {
	return func(func(int) (uint64, bool)) (condValue, error) { return v, nil }
}

// number parses a number. Integers are signed but may be as large as the largest unsigned one,
// whose bits they then have.
func number(e *ast.BasicLit) (condEval, condKind, error) {
	switch e.Kind {
	case token.INT:
		n, err := strconv.ParseUint(e.Value, 10, 64)
		return constantly(condValue{kind: condInt, bits: n}), condInt, err
	case token.FLOAT:
		x, err := strconv.ParseFloat(e.Value, 64)
		return constantly(condValue{kind: condFloat, float: x}), condFloat, err
	}
	return nil, 0, errCondition
}

// constant returns the index in a name such as fc3.
func (p *condParser) constant(e ast.Expr) (int, error) {
	id, ok := e.(*ast.Ident)
	if !ok {
		return 0, errCondition
	}
	rest, ok := strings.CutPrefix(id.Name, "fc")
	i, err := strconv.Atoi(rest)
	if !ok || err != nil || i < 0 {
		return 0, fmt.Errorf("%w: %q is not a function constant", errCondition, id.Name)
	}
	p.used = append(p.used, i)
	return i, nil
}

// read evaluates a function constant with its type, such as fc3.i32.
func (p *condParser) read(e *ast.SelectorExpr) (condEval, condKind, error) {
	i, err := p.constant(e.X)
	t, ok := condTypeOf(e.Sel.Name)
	if err == nil && !ok {
		err = fmt.Errorf("%w: %q is not a type", errCondition, e.Sel.Name)
	}
	return func(value func(int) (uint64, bool)) (condValue, error) {
		bits, ok := value(i)
		if !ok {
			return condValue{}, fmt.Errorf("function constant %d has no value", i)
		}
		return t.read(bits), nil
	}, t.kind, err
}

func (p *condParser) call(e *ast.CallExpr) (condEval, condKind, error) {
	f, ok := e.Fun.(*ast.Ident)
	if !ok {
		return nil, 0, errCondition
	}
	t, conversion := condTypeOf(f.Name)
	switch {
	case f.Name == "defined" && len(e.Args) == 1:
		i, err := p.constant(e.Args[0])
		return func(value func(int) (uint64, bool)) (condValue, error) {
			_, has := value(i)
			return condBoolean(has), nil
		}, condBool, err
	case conversion && len(e.Args) == 1:
		x, _, err := p.expr(e.Args[0])
		return func(value func(int) (uint64, bool)) (condValue, error) {
			v, err := x(value)
			return t.convert(v), err
		}, t.kind, err
	case f.Name == "cond" && len(e.Args) == 3:
		var parts [3]condEval
		var kinds [3]condKind
		for i, a := range e.Args {
			var err error
			if parts[i], kinds[i], err = p.expr(a); err != nil {
				return nil, 0, err
			}
		}
		if kinds[1] != kinds[2] {
			return nil, 0, fmt.Errorf("%w: the branches of cond differ: %s and %s", errCondition, kinds[1], kinds[2])
		}
		return func(value func(int) (uint64, bool)) (condValue, error) {
			c, err := parts[0](value)
			switch {
			case err != nil:
				return c, err
			case c.truth():
				return parts[1](value)
			}
			return parts[2](value)
		}, kinds[1], nil
	}
	return nil, 0, fmt.Errorf("%w: %q is not a function", errCondition, f.Name)
}

func (p *condParser) binary(e *ast.BinaryExpr) (condEval, condKind, error) {
	x, kind, err := p.expr(e.X)
	if err != nil {
		return nil, 0, err
	}
	y, kindY, err := p.expr(e.Y)
	if err != nil {
		return nil, 0, err
	}
	if e.Op == token.LAND || e.Op == token.LOR {
		return func(value func(int) (uint64, bool)) (condValue, error) {
			v, err := x(value)
			if err == nil && v.truth() == (e.Op == token.LAND) {
				v, err = y(value)
			}
			return condBoolean(v.truth()), err
		}, condBool, nil
	}
	result, ok := binaryKind(e.Op, kind, kindY)
	if !ok {
		return nil, 0, fmt.Errorf("%w: %s does not apply to %s and %s", errCondition, e.Op, kind, kindY)
	}
	return func(value func(int) (uint64, bool)) (condValue, error) {
		v, err := x(value)
		if err != nil {
			return v, err
		}
		w, err := y(value)
		return v.binary(e.Op, w), err
	}, result, nil
}

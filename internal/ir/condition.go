package ir

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	goparser "go/parser"
	"go/token"
	"strconv"
	"strings"
)

// A condition (Arg.When) says in the syntax of Go's expressions when an argument exists: fc3 is the function constant with the
// index 3, defined(fc3) whether the host has given it a value. There are integers, booleans and floating-point numbers, the
// comparisons, ! && || and the operators of arithmetic.

var errCondition = errors.New("not an expression of function constants")

// EvalCondition evaluates an argument's condition. value gives a function constant by its index; ok is false when the host has
// given it none.
func EvalCondition(cond string, value func(index int) (v constant.Value, ok bool)) (holds bool, err error) {
	e, err := goparser.ParseExpr(cond)
	if err != nil {
		return false, fmt.Errorf("%w: %w", errCondition, err)
	}
	defer func() {
		if recover() != nil { // go/constant panics on operands that do not go together
			holds, err = false, errCondition
		}
	}()
	v, err := evalCondition(e, value)
	if err != nil {
		return false, err
	}
	return truth(v), nil
}

func truth(v constant.Value) bool {
	if v.Kind() == constant.Bool {
		return constant.BoolVal(v)
	}
	return constant.Sign(v) != 0
}

func evalCondition(e ast.Expr, value func(int) (constant.Value, bool)) (constant.Value, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return evalCondition(e.X, value)
	case *ast.BasicLit:
		return constant.MakeFromLiteral(e.Value, e.Kind, 0), nil
	case *ast.Ident:
		switch e.Name {
		case "true", "false":
			return constant.MakeBool(e.Name == "true"), nil
		}
		i, ok := constantIndex(e)
		if !ok {
			return nil, errCondition
		}
		v, ok := value(i)
		if !ok {
			return nil, fmt.Errorf("function constant %d has no value", i)
		}
		return v, nil
	case *ast.CallExpr:
		if f, ok := e.Fun.(*ast.Ident); ok && f.Name == "defined" && len(e.Args) == 1 {
			if id, ok := e.Args[0].(*ast.Ident); ok {
				if i, ok := constantIndex(id); ok {
					_, has := value(i)
					return constant.MakeBool(has), nil
				}
			}
		}
	case *ast.UnaryExpr:
		x, err := evalCondition(e.X, value)
		if err != nil {
			return nil, err
		}
		if e.Op == token.NOT {
			return constant.MakeBool(!truth(x)), nil
		}
		return constant.UnaryOp(e.Op, x, 0), nil
	case *ast.BinaryExpr:
		return evalBinary(e, value)
	}
	return nil, errCondition
}

func evalBinary(e *ast.BinaryExpr, value func(int) (constant.Value, bool)) (constant.Value, error) {
	x, err := evalCondition(e.X, value)
	if err != nil {
		return nil, err
	}
	if e.Op == token.LAND || e.Op == token.LOR {
		if truth(x) == (e.Op == token.LOR) {
			return constant.MakeBool(truth(x)), nil
		}
		y, err := evalCondition(e.Y, value)
		if err != nil {
			return nil, err
		}
		return constant.MakeBool(truth(y)), nil
	}
	y, err := evalCondition(e.Y, value)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return constant.MakeBool(constant.Compare(x, e.Op, y)), nil
	case token.QUO, token.REM:
		if constant.Sign(y) == 0 {
			return nil, errCondition
		}
		if e.Op == token.QUO && x.Kind() == constant.Int && y.Kind() == constant.Int {
			return constant.BinaryOp(x, token.QUO_ASSIGN, y), nil // of integers
		}
	}
	return constant.BinaryOp(x, e.Op, y), nil
}

// constantIndex takes fc3 apart.
func constantIndex(id *ast.Ident) (int, bool) {
	rest, ok := strings.CutPrefix(id.Name, "fc")
	if !ok {
		return 0, false
	}
	i, err := strconv.Atoi(rest)
	return i, err == nil && i >= 0
}

// checkCondition reports a condition that does not parse or names what is no function constant of f.
func checkCondition(f *Func, cond string) error {
	if cond == "" {
		return nil
	}
	e, err := goparser.ParseExpr(cond)
	if err != nil {
		return errCondition
	}
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || err != nil {
			return err == nil
		}
		switch id.Name {
		case "true", "false", "defined":
			return true
		}
		i, isConstant := constantIndex(id)
		for _, c := range f.Constants {
			if isConstant && c.Index == i {
				return true
			}
		}
		err = fmt.Errorf("%q is no function constant", id.Name)
		return false
	})
	return err
}

package check

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [expr.const]: a constant expression can be evaluated at compile time: it calls only constexpr
// functions whose bodies are known, reads only constants and what it has made itself, and does
// nothing undefined. Package consteval evaluates; this file gives it the bodies.

// evalHost implements the interface through which constant evaluation calls the checker.
type evalHost struct{ c *checker }

// evalStepsPerStep is how many evaluation steps count as one step of the check.
const evalStepsPerStep = 4

// Body checks the body of a function that is constexpr, or of a lambda, which is so implicitly.
func (h evalHost) Body(fn *typed.Func) (body *typed.Block, constexpr bool) {
	f := h.c.functionOf(fn)
	if f == nil || !fn.Constexpr && f.lambda == nil {
		return nil, false
	}
	h.c.body(f)
	if f.state != stateDone {
		return nil, true
	}
	return fn.Body, true
}

func (h evalHost) Spend(steps int) {
	h.c.evaluated += steps
	if n := h.c.evaluated / evalStepsPerStep; n > 0 {
		h.c.evaluated %= evalStepsPerStep
		h.c.spend(n, 0)
	}
}

// constant tries to evaluate an expression as a constant.
func (c *checker) constant(e typed.Expr, mode consteval.Mode) (types.Value, error) {
	switch e.(type) {
	case *typeOperand, *overload, *initList, *badExpr:
		return types.Value{}, consteval.ErrNotConstant
	}
	return c.eval.Eval(c.constLoad(e), mode)
}

// constLoad reads e. A value of a class with a conversion to a number is converted.
func (c *checker) constLoad(e typed.Expr) typed.Expr {
	if _, ok := e.Type().(*types.Struct); ok {
		v := c.viaUser(e, c.konst(e.Pos(), types.IntValue(types.Int, 0)), types.Add)
		return c.load(v)
	}
	return c.load(e)
}

// constInt evaluates an integer constant expression, or reports that it is not one.
func (c *checker) constInt(x ast.Expr, what string) (int64, bool) {
	e := c.expr(x)
	if _, ok := e.(*badExpr); ok {
		return 0, false
	}
	v, err := c.constant(e, consteval.Strict)
	b := v.Scalar()
	if err != nil {
		switch e.(type) {
		case *typeOperand, *overload:
			c.value(e)
			return 0, false
		}
		c.notConstant(x, err, "%s", what)
		return 0, false
	}
	if b == nil || !b.IsInteger() {
		c.errorf(diag.NotConstant, x, "%s must be an integer, not '%s'", what, v.Type)
		return 0, false
	}
	n, _ := v.Int()
	return n, true
}

// notConstant reports that something is not a constant expression, and why.
func (c *checker) notConstant(n ast.Node, err error, format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	c.errorf(diag.NotConstant, n, "%s is not a constant expression%s", what, consteval.Reason(err))
}

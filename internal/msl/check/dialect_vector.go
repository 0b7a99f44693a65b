package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// vectorMasks reports whether comparisons of vectors give integers here. Functions of the library
// are in Metal.
func (c *checker) vectorMasks() bool {
	return c.library != nil && c.opts.Dialect.VectorMasks && !c.inLibrary()
}

// inC reports whether the rules of C apply here.
func (c *checker) inC() bool { return c.library != nil && c.opts.Dialect.C && !c.inLibrary() }

// inLibrary reports whether what is checked belongs to the dialect's library.
func (c *checker) inLibrary() bool {
	for s := c.sc; s != nil; s = s.parent {
		if s == c.own {
			return true
		}
	}
	return false
}

// laneOperator returns the function of the library for an operator whose result on vectors is a
// mask, or "".
func laneOperator(op types.Op) string {
	switch op {
	case types.Eq:
		return "lanes_equal"
	case types.Ne:
		return "lanes_not_equal"
	case types.Lt:
		return "lanes_less"
	case types.Le:
		return "lanes_less_equal"
	case types.Gt:
		return "lanes_greater"
	case types.Ge:
		return "lanes_greater_equal"
	case types.LogicalAnd:
		return "lanes_and"
	case types.LogicalOr:
		return "lanes_or"
	}
	return ""
}

// dialectBinary is an operator that the dialect's library defines; nil means to go on.
func (c *checker) dialectBinary(op types.Op, a, b typed.Expr, n ast.Node) typed.Expr {
	name := laneOperator(op)
	if name == "" || !c.vectorMasks() {
		return nil
	}
	x, okx := a.Type().(*types.Vector)
	y, oky := b.Type().(*types.Vector)
	if !okx && !oky {
		return nil
	}
	a, b = c.value(a), c.value(b)
	if c.anyBad(a, b) {
		return c.badExpr(n)
	}
	switch {
	case okx && oky && x != y:
		c.errorf(diag.BadOperands, n, "invalid operands to binary '%s' ('%s' and '%s')", op, a.Type(), b.Type())
		return c.badExpr(n)
	case !oky:
		b = c.load(c.implicit(b, Q{Type: x}, "operand"))
	case !okx:
		a = c.load(c.implicit(a, Q{Type: y}, "operand"))
	}
	return c.libraryCall(name, n, a, b)
}

// dialectCond is ?: with a vector as the condition, whose top bits select; nil means to go on.
func (c *checker) dialectCond(x *ast.CondExpr, cond typed.Expr) typed.Expr {
	if s, ok := cond.Type().(*types.Struct); ok && x.Then != nil && c.vectorMasks() && c.wideLanes(s) > 0 {
		a, b := c.load(c.expr(x.Then)), c.load(c.expr(x.Else))
		if c.anyBad(a, b) {
			return c.badExpr(x)
		}
		return c.libraryCall("lanes_choose", x, c.load(cond), a, b)
	}
	v, ok := cond.Type().(*types.Vector)
	if !ok || !c.vectorMasks() || x.Then == nil {
		return nil
	}
	a, b := c.value(c.expr(x.Then)), c.value(c.expr(x.Else))
	if c.anyBad(cond, a, b) {
		return c.badExpr(x)
	}
	t, _ := types.Usual(a.Type(), b.Type()).(*types.Vector)
	if a.Type() == b.Type() {
		if e, ok := a.Type().(*types.Basic); ok {
			t = types.VectorOf(e, v.Len)
		}
	}
	if t == nil || t.Len != v.Len || t.Elem.Size() != v.Elem.Size() || !v.Elem.IsInteger() {
		c.errorf(diag.CondTypes, x, "incompatible operand types ('%s' and '%s') for a condition of type '%s'", a.Type(),
			b.Type(), v)
		return c.badExpr(x)
	}
	a, b = c.load(c.implicit(a, Q{Type: t}, "operand")), c.load(c.implicit(b, Q{Type: t}, "operand"))
	return c.libraryCall("lanes_choose", x, c.value(cond), a, b)
}

// numbered returns the letters of a selector by numbers, such as .s03, or of half a vector of
// three.
func numbered(name string, n int) string {
	switch {
	case n == 3 && name == "lo":
		return "xy"
	case n == 3 && name == "even":
		return "xz"
	case len(name) < 2 || name[0] != 's' && name[0] != 'S':
		return name
	}
	letters := make([]byte, 0, len(name)-1)
	for i := 1; i < len(name); i++ {
		k := strings.IndexByte("0123", name[i])
		if k < 0 {
			return name
		}
		letters = append(letters, "xyzw"[k])
	}
	return string(letters)
}

// intsInC makes the arguments of a call that are comparisons what they are in C.
func (c *checker) intsInC(args []typed.Expr) {
	for i, a := range args {
		if a.Type() == types.Type(types.Bool) {
			if _, over := a.(*overload); !over {
				args[i] = c.operand(c.value(a), types.Int)
			}
		}
	}
}

// lanesOf returns the type of the components of a vector, of up to 16 components, or nil.
func (c *checker) lanesOf(t types.Type) *types.Basic {
	switch t := t.(type) {
	case *types.Vector:
		return t.Elem
	case *types.Struct:
		if k := c.classes[t]; c.wideLanes(t) > 0 && len(k.args) > 0 {
			elem, _ := k.args[0].q.Type.(*types.Basic)
			return elem
		}
	}
	return nil
}

// refusedScalar reports an operator on a vector and a number that has more bits than a component
// may have.
func (c *checker) refusedScalar(op types.Op, a, b typed.Expr, n ast.Node) bool {
	elem, number := c.lanesOf(a.Type()), types.ScalarOf(b.Type())
	if elem == nil {
		elem, number = c.lanesOf(b.Type()), types.ScalarOf(a.Type())
	}
	if elem == nil || number == nil || op == types.Shl || op == types.Shr ||
		elem.IsInteger() != number.IsInteger() || max(number.Size(), numberSize(number)) <= elem.Size() {
		return false
	}
	c.errorf(diag.BadOperands, n, "'%s' has a greater rank than the components of the vector in '%s' %s '%s': "+
		"cast the number", number, a.Type(), op, b.Type())
	return true
}

// numberSize is the size of a comparison, which is an int.
func numberSize(t *types.Basic) int {
	if t == types.Bool {
		return types.Int.Size()
	}
	return 0
}

func isStep(op token.Kind) bool { return op == token.PlusPlus || op == token.MinusMinus }

// refusedStep reports ++ and -- of a vector of numbers with a point.
func (c *checker) refusedStep(e typed.Expr, n ast.Node) bool {
	elem := c.lanesOf(e.Type())
	if elem == nil || elem.IsInteger() {
		return false
	}
	c.errorf(diag.BadOperands, n, "cannot increment or decrement value of type '%s': add or subtract 1", e.Type())
	return true
}

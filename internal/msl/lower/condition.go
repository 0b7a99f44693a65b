package lower

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// maxCondition is the maximum size of a condition in bytes. A condition computed from others
// contains a copy of them for each use.
const maxCondition = 4096

// condition records when an argument exists, as a function constant or an expression of function
// constants.
func (l *lowerer) condition(arg *ir.Arg, v *typed.Var) {
	if v.Kind == typed.FunctionConstant {
		l.constant(v)
		arg.Condition = v.Name
		return
	}
	c := &condition{lowerer: l, of: v, pos: l.at}
	c.variable(v)
	arg.Computed, arg.When = v.Name, c.text.String()
}

// condition writes an expression in the syntax of ir.EvalCondition.
type condition struct {
	*lowerer
	of   *typed.Var
	pos  diag.Pos
	text strings.Builder
}

func (c *condition) write(format string, args ...any) {
	fmt.Fprintf(&c.text, format, args...)
	if c.text.Len() > maxCondition {
		c.unsupported(c.of.Pos, "a condition of an argument, '%s', that exceeds %d bytes when expanded", c.of.Name,
			maxCondition)
	}
}

func (c *condition) variable(v *typed.Var) {
	switch {
	case v.Kind == typed.FunctionConstant:
		t := c.typeName(v.Type)
		c.constant(v)
		c.write("fc%d.%s", v.Index, t)
	case v.Value.IsValid():
		c.value(v.Value)
	case v.Init != nil:
		c.expr(v.Init)
	default:
		c.unsupported(c.pos, "the condition '%s'", v.Name)
	}
}

// typeName is the name of a scalar type in a condition.
func (c *condition) typeName(t types.Type) string {
	if e, ok := t.(*types.Enum); ok {
		t = e.Underlying
	}
	switch t {
	case types.Bool:
		return "bool"
	case types.Char:
		return "i8"
	case types.Short:
		return "i16"
	case types.Int:
		return "i32"
	case types.Long:
		return "i64"
	case types.UChar:
		return "u8"
	case types.UShort:
		return "u16"
	case types.UInt:
		return "u32"
	case types.ULong:
		return "u64"
	case types.Half:
		return "f16"
	case types.BFloat:
		return "bf16"
	case types.Float:
		return "f32"
	}
	c.unsupported(c.pos, "a value of type '%s' in the condition of an argument", t)
	return ""
}

func (c *condition) value(v types.Value) {
	name := c.typeName(v.Type)
	switch b := v.Scalar(); {
	case b == types.Bool:
		c.write("%t", v.Truth())
	case b.IsFloat():
		c.write("%s", floatLiteral(v.Float()))
	case b.IsSigned():
		n, _ := v.Int()
		c.write("(%d)", n)
	default:
		n, _ := v.Uint()
		c.write("%s(%d)", name, n)
	}
}

// floatLiteral formats a number that may be infinite or NaN.
func floatLiteral(x float64) string {
	switch {
	case math.IsNaN(x):
		return "(0.0 / 0.0)"
	case math.IsInf(x, 0):
		return fmt.Sprintf("(%.1f / 0.0)", math.Copysign(1, x))
	}
	return "(" + strconv.FormatFloat(x, 'e', -1, 64) + ")"
}

// list writes expressions interleaved with text; there is one more part than expressions.
func (c *condition) list(parts []string, list ...typed.Expr) {
	for i, e := range list {
		c.write("%s", parts[i])
		c.expr(e)
	}
	c.write("%s", parts[len(list)])
}

func (c *condition) expr(e typed.Expr) {
	switch e := e.(type) {
	case *typed.Const:
		c.pos = e.Pos()
		c.value(e.Value)
		return
	case *typed.Load:
		c.expr(e.X)
		return
	case *typed.VarRef:
		c.pos = e.Pos()
		c.variable(e.Var)
		return
	case *typed.Logical:
		op := " && "
		if e.Or {
			op = " || "
		}
		c.list([]string{"(", op, ")"}, e.X, e.Y)
		return
	case *typed.Cond:
		c.list([]string{"cond(", ", ", ", ", ")"}, e.C, e.X, e.Y)
		return
	case *typed.Unary:
		if c.unary(e) {
			return
		}
	case *typed.Binary:
		if c.binary(e) {
			return
		}
	case *typed.Convert:
		if e.Kind == typed.ConvArith && types.ScalarOf(e.X.Type()) != nil && types.ScalarOf(e.Typ) != nil {
			c.pos = e.Pos()
			c.list([]string{c.typeName(e.Typ) + "(", ")"}, e.X)
			return
		}
	case *typed.Builtin:
		if e.Op == builtin.OpFunctionConstantDefined {
			for _, v := range roots(nil, loadOf(e.Args[0])) {
				if v.Kind == typed.FunctionConstant {
					c.constant(v)
					c.write("defined(fc%d)", v.Index)
					return
				}
			}
		}
	}
	c.unsupported(e.Pos(), "this in the condition of an argument")
}

func (c *condition) unary(e *typed.Unary) bool {
	if types.ScalarOf(e.Typ) == nil {
		return false
	}
	c.pos = e.Pos()
	switch e.Op {
	case types.Not:
		c.list([]string{"!bool(", ")"}, e.X)
	case types.Plus:
		c.expr(e.X)
	case types.Neg:
		c.list([]string{c.typeName(e.Typ) + "(-", ")"}, e.X)
	case types.BitNot:
		c.list([]string{c.typeName(e.Typ) + "(^", ")"}, e.X)
	default:
		return false
	}
	return true
}

// binary writes an operator. The operands have the same type, except for shifts.
func (c *condition) binary(e *typed.Binary) bool {
	from, to := types.ScalarOf(e.X.Type()), types.ScalarOf(e.Typ)
	if from == nil || to == nil {
		return false
	}
	c.pos = e.Pos()
	op := " " + e.Op.String() + " "
	switch e.Op {
	case types.Eq, types.Ne, types.Lt, types.Le, types.Gt, types.Ge:
		c.list([]string{"(", op, ")"}, e.X, e.Y)
	case types.Add, types.Sub, types.Mul, types.Div, types.Rem, types.And, types.Or, types.Xor:
		c.list([]string{c.typeName(to) + "(", op, ")"}, e.X, e.Y)
	case types.Shl, types.Shr:
		mask := fmt.Sprintf(" & %d))", 8*from.Size()-1)
		c.list([]string{c.typeName(to) + "(", op + "(i64(", ")" + mask}, e.X, e.Y)
	default:
		return false
	}
	return true
}

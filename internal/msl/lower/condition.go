package lower

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// condition says when an argument exists: by a function constant, or by what is computed from some.
func (l *lowerer) condition(arg *ir.Arg, v *typed.Var) {
	if v.Kind == typed.FunctionConstant {
		l.constant(v)
		arg.Condition = v.Name
		return
	}
	arg.Computed, arg.When = v.Name, l.conditionOf(v)
}

func (l *lowerer) conditionOf(v *typed.Var) string {
	switch {
	case v.Kind == typed.FunctionConstant:
		l.constant(v)
		return fmt.Sprintf("fc%d", v.Index)
	case v.Value.IsValid():
		return l.conditionValue(v.Value)
	case v.Init != nil:
		return l.conditionExpr(v.Init)
	}
	l.unsupported(l.at, "the condition '%s'", v.Name)
	return ""
}

func (l *lowerer) conditionValue(v types.Value) string {
	b := v.Scalar()
	switch {
	case b == types.Bool:
		return fmt.Sprint(v.Truth())
	case b != nil && b.IsInteger():
		if n, ok := v.Int(); ok {
			return fmt.Sprint(n)
		}
	}
	l.unsupported(l.at, "a condition with the value %s", v)
	return ""
}

// conditionExpr writes an expression as ir.EvalCondition reads it.
func (l *lowerer) conditionExpr(e typed.Expr) string {
	switch e := e.(type) {
	case *typed.Const:
		return l.conditionValue(e.Value)
	case *typed.Load:
		return l.conditionExpr(e.X)
	case *typed.VarRef:
		return l.conditionOf(e.Var)
	case *typed.Logical:
		op := "&&"
		if e.Or {
			op = "||"
		}
		return "(" + l.conditionExpr(e.X) + " " + op + " " + l.conditionExpr(e.Y) + ")"
	case *typed.Unary:
		switch e.Op {
		case types.Not:
			return "!" + l.conditionExpr(e.X)
		case types.Neg:
			return "-" + l.conditionExpr(e.X)
		}
	case *typed.Binary:
		switch e.Op {
		case types.Eq, types.Ne, types.Lt, types.Le, types.Gt, types.Ge:
			return "(" + l.conditionExpr(e.X) + " " + e.Op.String() + " " + l.conditionExpr(e.Y) + ")"
		}
		// What wraps or is masked is left to code.
	case *typed.Convert:
		from, to := types.ElemOf(e.X.Type()), types.ElemOf(e.Typ)
		if e.Kind == typed.ConvArith && from != nil && to != nil && types.LenOf(e.Typ) == 1 {
			switch {
			case to == types.Bool && from != types.Bool:
				return "(" + l.conditionExpr(e.X) + " != 0)"
			case from == to, from != types.Bool && from.IsInteger() && to.IsInteger() && to.Size() >= from.Size() && (to.IsSigned() || !from.IsSigned()):
				return l.conditionExpr(e.X)
			}
		}
	case *typed.Builtin:
		if e.Op == builtin.OpFunctionConstantDefined {
			for _, v := range roots(nil, loadOf(e.Args[0])) {
				if v.Kind == typed.FunctionConstant {
					return fmt.Sprintf("defined(fc%d)", v.Index)
				}
			}
		}
	}
	l.unsupported(e.Pos(), "this in the condition of an argument")
	return ""
}

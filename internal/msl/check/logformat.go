package check

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// logArgs checks the arguments of a log message: the format, which must be a string literal, and
// the values. A mismatch between the two is only a warning, as for printf.
func (c *checker) logArgs(name string, args []typed.Expr, x ast.Node) {
	if name == "log_with_type" && len(args) > 0 {
		args = args[1:]
	}
	text, ok := "", false
	if len(args) > 0 {
		if k, isConst := args[0].(*typed.Const); isConst {
			text, ok = k.Value.Ref.(string)
		}
		args = args[1:]
	}
	if !ok {
		c.errorf(diag.LogFormat, x, "format string of '%s' is not a string literal", name)
		return
	}
	var wants []*ir.LogConversion
	for _, p := range ir.LogPieces(text) {
		if p.Conversion != nil {
			wants = append(wants, p.Conversion)
		}
	}
	for i, w := range wants {
		if !w.Valid() {
			c.warnf(diag.LogFormat, x, "invalid conversion specifier '%s' in a log message", w.Text)
			return
		}
		if i >= len(args) {
			c.warnf(diag.LogFormat, x, "the format has %d conversions, but %d arguments are given", len(wants), len(args))
			return
		}
		if t := args[i].Type(); !c.isBad(t) && !logFits(w, t) {
			c.warnf(diag.LogFormat, at{args[i].Pos()}, "conversion '%s' does not accept an argument of type '%s'", w.Text, t)
		} else if w.Letter == 's' && !isLiteral(args[i]) {
			c.errorf(diag.LogFormat, at{args[i].Pos()}, "conversion '%s' in a log message accepts string literals only", w.Text)
		}
	}
	if len(args) > len(wants) {
		c.warnf(diag.LogFormat, x, "the format has %d conversions, but %d arguments are given", len(wants), len(args))
	}
}

func isLiteral(e typed.Expr) bool {
	k, ok := e.(*typed.Const)
	if ok {
		_, ok = k.Value.Ref.(string)
	}
	return ok
}

// logFits reports whether a conversion can format values of a type.
func logFits(k *ir.LogConversion, t types.Type) bool {
	switch k.Letter {
	case 'p':
		_, ok := types.Promote(t).(*types.Pointer)
		return ok
	case 's':
		p, ok := types.Promote(t).(*types.Pointer)
		return ok && p.Elem.Type == types.Type(types.Char)
	}
	elem := types.ElemOf(t)
	if e, ok := t.(*types.Enum); ok && !e.Scoped {
		elem = e.Underlying
	}
	if elem == nil || !elem.IsArithmetic() || max(1, types.LenOf(t)) != k.Lanes {
		return false
	}
	return elem.IsFloat() == k.IsFloat()
}

package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// logArgs checks the arguments of a message for a log: a format, which is a string literal, and what it formats. A format that goes badly with
// the others is no error, as for printf.
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
		c.errorf(diag.LogFormat, x, "the format of '%s' must be a string literal", name)
		return
	}
	wants := logConversions(text)
	for i, w := range wants {
		if w.conv == 0 || !strings.ContainsRune("diouxXcfFeEgGaAp", rune(w.conv)) {
			c.warnf(diag.LogFormat, x, "'%s' in the format is no conversion of a log message", w.spelled)
			return
		}
		if i >= len(args) {
			c.warnf(diag.LogFormat, x, "the format has %d conversions, %d arguments are given", len(wants), len(args))
			return
		}
		if t := args[i].Type(); !c.isBad(t) && !w.fits(t) {
			c.warnf(diag.LogFormat, at{args[i].Pos()}, "'%s' does not format '%s'", w.spelled, t)
		}
	}
	if len(args) > len(wants) {
		c.warnf(diag.LogFormat, x, "the format has %d conversions, %d arguments are given", len(wants), len(args))
	}
}

// logConversion is one conversion of a format: %[flags][width][.precision][vn][length]conversion.
type logConversion struct {
	spelled string
	lanes   int
	conv    byte // 0: none follows
}

func logConversions(text string) (list []logConversion) {
	for i := 0; i < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		from := i
		i++
		skip := func(set string) {
			for i < len(text) && strings.IndexByte(set, text[i]) >= 0 {
				i++
			}
		}
		skip("-+ #0123456789.")
		k := logConversion{lanes: 1}
		if i+1 < len(text) && text[i] == 'v' && text[i+1] >= '2' && text[i+1] <= '4' {
			k.lanes = int(text[i+1] - '0')
			i += 2
		}
		skip("hl")
		if i < len(text) {
			k.conv = text[i]
		}
		if k.spelled = text[from:min(i+1, len(text))]; k.spelled != "%%" {
			list = append(list, k)
		}
	}
	return list
}

// fits reports whether the conversion formats values of a type.
func (k logConversion) fits(t types.Type) bool {
	if k.conv == 'p' {
		_, ok := types.Promote(t).(*types.Pointer)
		return ok
	}
	elem := types.ElemOf(t)
	if e, ok := t.(*types.Enum); ok && !e.Scoped {
		elem = e.Underlying
	}
	if elem == nil || !elem.IsArithmetic() || max(1, types.LenOf(t)) != k.lanes {
		return false
	}
	return elem.IsFloat() == strings.ContainsRune("fFeEgGaA", rune(k.conv))
}

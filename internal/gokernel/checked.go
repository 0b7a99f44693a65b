package gokernel

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// fault writes that the launch ends with an error unless conditions hold: Go would panic. The
// message is for the place of n. Without Options.Checked it writes nothing.
func (in *instance) fault(n ast.Node, conditions []string, format string, args ...string) {
	if !in.t.options.Checked {
		return
	}
	pos := in.t.fset.Position(n.Pos())
	text := strings.ReplaceAll(fmt.Sprintf("%s:%d: ", pos.Filename, pos.Line), "%", "%%") + format
	if len(text) > maxFormat {
		text = text[len(text)-maxFormat:]
	}
	in.t.logs, in.t.helpers["fault"] = true, true
	list := strings.Join(append([]string{literalText(text)}, args...), ", ")
	line := fmt.Sprintf("if (!(%s)) { go::fault.log_fault(%s); }", strings.Join(conditions, " && "), list)
	// A place that is read and then written has been checked already.
	if written := strings.TrimSuffix(in.b.String(), "\n"); !strings.HasSuffix(written, "  "+line) {
		in.line("%s", line)
	}
}

// once returns an expression that a check and an operation use, evaluated once.
func (in *instance) once(x ast.Expr, v val, t types.Type) val {
	if !in.t.options.Checked || in.pkg.info.Types[x].Value != nil || in.stable(x) && pure(x) {
		return v
	}
	name := in.temp("value")
	in.line("%s = %s;", in.fixedDeclaration(x, types.Default(t), "", name), v.s)
	return val{name, primary}
}

// notZero faults if a divisor is zero. It returns the operands, which are evaluated before.
func (in *instance) notZero(x ast.Node, dividend, divisor ast.Expr, a, b val, t types.Type) (val, val) {
	if !in.t.options.Checked {
		return a, b
	}
	a = in.once(dividend, a, t)
	b = in.once(divisor, b, t)
	in.fault(x, []string{b.in(relation) + " != 0"}, "integer divide by zero")
	return a, b
}

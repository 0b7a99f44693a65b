package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// inTemplateInstance reports whether the code being checked belongs to a template instance. A
// constant derived from template arguments may only be wrong in code the instance never reaches, so
// value-dependent warnings are off there.
func (c *checker) inTemplateInstance() bool {
	return c.fn != nil && c.fn.f != nil && (c.fn.f.tmpl != nil || c.fn.f.class != nil && c.fn.f.class.tmpl != nil)
}

// shiftCount warns about a constant shift count out of range for the type. The count is taken
// modulo the width.
func (c *checker) shiftCount(op types.Op, shifted, count typed.Expr, of types.Type, n ast.Node) {
	if op != types.Shl && op != types.Shr || c.inTemplateInstance() {
		return
	}
	if u, ok := count.(*typed.Unary); ok { // a minus that has not been folded
		if v, err := c.constant(u, consteval.Wrapping); err == nil {
			count = c.konst(u.At, v)
		}
	}
	k, ok := count.(*typed.Const)
	b := types.ElemOf(of)
	if !ok || b == nil || types.ScalarOf(k.Typ) == nil {
		return
	}
	by, ok := k.Value.Int()
	width := int64(8 * b.Size())
	switch {
	case !ok:
	case by < 0:
		c.warnf(diag.NegativeShift, n, "shift count %d is negative", by)
	case by >= width:
		c.warnf(diag.ShiftCount, n, "shift count %d is not below the %d bits of '%s'", by, width, of)
	default:
		c.shifted(op, shifted, by, n)
	}
}

// assigned warns about an assignment used as a condition, possibly a mistyped ==. Extra parentheses
// show that it is intended.
func (c *checker) assigned(cond ast.Expr) {
	if a, ok := cond.(*ast.AssignExpr); ok && (a.Op == token.Assign || a.Op == token.PipeAssign) {
		c.warnf(diag.Assignment, at{a.OpPos},
			"'%s' as a condition; write '==' to compare, or put the assignment into parentheses", a.Op)
	}
}

// declared records a local variable whose use is checked.
func (c *checker) declared(v *variable, d *ast.VarDecl) {
	if !c.caller.Wants(diag.UnusedVariable) || c.trap != nil || c.fn == nil || c.inTemplateInstance() {
		return // what one instance of a template leaves unused another may use
	}
	if v.name == "" || strings.HasPrefix(v.name, "_") || ast.FindAttr("maybe_unused",
		d.Attrs) != nil || ast.FindAttr("unused", d.Attrs) != nil {
		return
	}
	c.fn.locals = append(c.fn.locals, v)
}

// unused warns about local variables of a function that nothing names.
func (c *checker) unused(ctx *fnCtx) {
	for _, v := range ctx.locals {
		if s, ok := v.q.Type.(*types.Struct); v.used || c.isBad(v.q.Type) || ok && c.classes[s] != nil &&
			len(c.classes[s].ctors) > 0 {
			continue // its constructor may be why the variable exists
		}
		if c.sink.Errors() == 0 && v.v != nil { // code with errors might use it
			c.report(diag.Warnf(diag.UnusedVariable, v.at, v.at+diag.Pos(len(v.name)), "variable '%s' is not used", v.name))
		}
	}
	ctx.locals = nil
}

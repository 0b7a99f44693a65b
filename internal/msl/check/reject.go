package check

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// explaining reports whether a diagnostic needs the reason why the current candidate fails.
func (c *checker) explaining() bool { return c.trap != nil && c.trap.reason != nil }

// because records why a candidate fails, for explain. The first reason wins.
func (c *checker) because(format string, args ...any) {
	if c.explaining() && *c.trap.reason == "" {
		*c.trap.reason = fmt.Sprintf(format, args...)
	}
}

// explain runs f with errors trapped and returns the first reason, or "" if none was given.
func (c *checker) explain(f func()) (reason string) {
	saved := c.trap
	c.trap = &trap{reason: &reason}
	defer func() { c.trap = saved }()
	f()
	return reason
}

// withCandidates adds a note for each function that a call might have meant, with the reason why it
// is not viable.
func (c *checker) withCandidates(d diag.Diagnostic, o *overload, args []typed.Expr) diag.Diagnostic {
	if c.trap != nil {
		return d
	}
	const most = 6
	for i, f := range o.fns {
		if i == most {
			return d.WithNote(diag.NoPos, diag.NoPos, "and %d more candidates", len(o.fns)-most)
		}
		reason := c.explain(func() { c.candidate(f, o, args) })
		if reason == "" {
			reason = "it does not accept these arguments"
		}
		d = d.WithNote(f.decl.Pos(), diag.NoPos, "candidate function '%s' not viable: %s", f.name, reason)
	}
	if len(o.fns) > 0 {
		return d
	}
	shown := 0
	for _, l := range o.lib {
		if len(args) > len(l.Params) || len(args) < l.Required() || shown == 3 {
			continue
		}
		shown++
		d = d.WithNote(diag.NoPos, diag.NoPos, "candidate library function '%s'", libSignature(l))
	}
	return d
}

// wrongCount says how many arguments a function takes and how many were given.
func wrongCount(need, most, given int) string {
	takes := number(need, "argument")
	switch {
	case need == most:
	case given > most:
		takes = "at most " + number(most, "argument")
	default:
		takes = "at least " + takes
	}
	return fmt.Sprintf("it takes %s, but %d given", takes, given)
}

// number formats a count of things.
func number(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// arity returns the minimum and maximum number of arguments of a declaration.
func arity(d *ast.FuncDecl) (need, most int) {
	for _, p := range d.Params {
		if p.Default == nil {
			need++
		}
	}
	return need, len(d.Params)
}

// undeduced records a template parameter that has neither an argument nor a default.
func (c *checker) undeduced(params []ast.TemplateParam, args []arg) {
	for i := range params {
		p := &params[i]
		if i < len(args) && args[i].kind == argNone && p.Default == nil && p.DefaultType == nil && !p.Pack {
			c.because("couldn't infer template argument '%s'", paramName(p))
		}
	}
}

func spellArg(a *arg) string { return argString([]arg{*a}) }

// spell formats a type for messages, omitting the thread address space.
func spell(q Q) string {
	if q.Space == types.Thread {
		q.Space = types.None
	}
	return q.String()
}

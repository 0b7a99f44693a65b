package gokernel

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// switchStatement writes a switch.
func (in *instance) switchStatement(s *ast.SwitchStmt, label types.Object) {
	if s.Init != nil {
		in.line("{")
		in.indent++
		in.statement(s.Init, nil)
		defer func() { in.indent--; in.line("}") }()
	}
	l := &loop{label: label, isSwitch: true}
	if s.Tag != nil && in.constantCases(s) {
		in.constantSwitch(s, l)
		return
	}
	tag := ""
	var tagType types.Type
	if s.Tag != nil {
		tagType = types.Default(in.typeOf(s.Tag))
		tag = in.temp("tag")
		in.line("const %s = %s;", in.declaration(s.Tag, tagType, "", tag), in.value(s.Tag, tagType).s)
	}
	clauses := s.Body.List
	// Which clause runs, so that each can follow its predecessor.
	chosen := in.temp("clause")
	in.line("int %s = %d;", chosen, len(clauses))
	open := 0
	for i, c := range clauses {
		c := c.(*ast.CaseClause)
		for _, x := range c.List {
			var cond string
			if s.Tag == nil {
				cond = in.expr(x).s
			} else {
				cond = in.equal(s, token.EQL, in.value(x, tagType), val{tag, primary}, tagType).s
			}
			in.line("if (%s) {", cond)
			in.indent++
			in.line("%s = %d;", chosen, i)
			in.indent--
			in.line("} else {")
			in.indent++
			open++
		}
	}
	for i, c := range clauses {
		if c.(*ast.CaseClause).List == nil {
			in.line("%s = %d;", chosen, i)
		}
	}
	for range open {
		in.indent--
		in.line("}")
	}
	in.clauses(s, l, chosen, func(i int) string { return fmt.Sprintf("case %d:", i) })
}

// constantCases reports whether a switch is one of Metal: over integers, with different constants.
func (in *instance) constantCases(s *ast.SwitchStmt) bool {
	b, ok := in.under(s.Tag).(*types.Basic)
	if _, small := smallType(in.typeOf(s.Tag)); small || !ok || b.Info()&types.IsInteger == 0 {
		return false
	}
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			if in.pkg.info.Types[x].Value == nil {
				return false
			}
		}
	}
	return true
}

func (in *instance) constantSwitch(s *ast.SwitchStmt, l *loop) {
	t := types.Default(in.typeOf(s.Tag))
	in.clauses(s, l, in.value(s.Tag, t).s, func(i int) string {
		c := s.Body.List[i].(*ast.CaseClause)
		if c.List == nil {
			return "default:"
		}
		var parts []string
		for _, x := range c.List {
			parts = append(parts, "case "+in.value(x, t).s+":")
		}
		return strings.Join(parts, " ")
	})
}

// clauses writes a switch of Metal.
func (in *instance) clauses(s *ast.SwitchStmt, l *loop, tag string, label func(i int) string) {
	before := in.facts.clone()
	in.assignedIn(s.Body) // a clause may follow another
	in.loops = append(in.loops, l)
	text := in.capture(func() {
		for i, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			in.commentsBefore(c.Pos())
			in.line("%s {", label(i))
			in.indent++
			facts := in.facts.clone()
			in.scoped(func() { in.statements(c.Body) })
			in.facts = facts
			falls := len(c.Body) > 0
			if falls {
				b, ok := c.Body[len(c.Body)-1].(*ast.BranchStmt)
				falls = ok && b.Tok == token.FALLTHROUGH
			}
			if !falls && (len(c.Body) == 0 || !terminates(c.Body[len(c.Body)-1])) {
				in.line("break;")
			}
			in.indent--
			in.line("}")
		}
	})
	in.loops = in.loops[:len(in.loops)-1]
	in.facts = before
	in.assignedIn(s.Body)
	in.flags(l)
	in.line("switch (%s) {", tag)
	in.b.WriteString(text)
	in.line("}")
	in.afterLoop(l)
}

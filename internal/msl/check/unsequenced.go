package check

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
)

// [intro.execution]: operands of most operators, and arguments of a call, are evaluated in no
// particular order. Changing a variable in one of them that another reads or changes is undefined.

// effects are what an expression does to variables.
type effects struct {
	uses    map[*typed.Var]bool     // whose values it reads
	changes map[*typed.Var]diag.Pos // which it changes
	// late are the changed ones whose change may take effect after the expression has its value,
	// as that of i++.
	late map[*typed.Var]bool
}

func (e *effects) use(v *typed.Var) {
	if e.uses == nil {
		e.uses = make(map[*typed.Var]bool)
	}
	e.uses[v] = true
}

func (e *effects) change(v *typed.Var, at diag.Pos, late bool) {
	if e.changes == nil {
		e.changes = make(map[*typed.Var]diag.Pos)
		e.late = make(map[*typed.Var]bool)
	}
	if _, ok := e.changes[v]; !ok {
		e.changes[v] = at
	}
	e.late[v] = e.late[v] || late
}

// add adds what another expression does.
func (e *effects) add(x effects) {
	for v := range x.uses {
		e.use(v)
	}
	for v, at := range x.changes {
		e.change(v, at, x.late[v])
	}
}

// complete says that all changes have taken effect before what follows.
func (e *effects) complete() { clear(e.late) }

// sequencer finds variables that an expression changes and also uses or changes without a rule
// which comes first (C++14, [intro.execution]).
type sequencer struct {
	step   func()
	report func(v *typed.Var, at diag.Pos, twice bool)
}

// unsequenced checks all expressions of the program's functions.
func (c *checker) unsequenced() {
	s := &sequencer{step: c.step, report: func(v *typed.Var, at diag.Pos, twice bool) {
		what := "changes and uses '%s' in no fixed order"
		if twice {
			what = "changes '%s' twice in no fixed order"
		}
		c.sink.Report(diag.Warnf(diag.Unsequenced, at, diag.NoPos, "this expression "+what, v.Name))
	}}
	for _, f := range c.prog.Functions {
		if f.Body != nil {
			s.statements(f.Body.List)
		}
	}
}

func (s *sequencer) statements(list []typed.Stmt) {
	for _, x := range list {
		switch x := x.(type) {
		case *typed.Block:
			s.block(x)
		case *typed.VarDecl:
			s.expr(x.Init)
		case *typed.ExprStmt:
			s.expr(x.X)
		case *typed.If:
			s.expr(x.Cond)
			s.block(x.Then)
			s.block(x.Else)
		case *typed.Loop:
			s.statements(x.Init)
			s.expr(x.Cond)
			s.expr(x.Post)
			s.block(x.Body)
		case *typed.Switch:
			s.expr(x.X)
			for _, k := range x.Cases {
				s.statements(k.Body)
			}
		case *typed.Return:
			s.expr(x.X)
		}
	}
}

func (s *sequencer) block(b *typed.Block) {
	if b != nil {
		s.statements(b.List)
	}
}

// expr checks an expression and returns what it does.
func (s *sequencer) expr(e typed.Expr) effects {
	var out effects
	if e == nil {
		return out
	}
	s.step()
	switch e := e.(type) {
	case *typed.Load:
		if v := variableOf(e.X); v != nil {
			out.use(v)
			return out
		}
		return s.expr(e.X)
	case *typed.IncDec:
		out = s.place(e.X)
		if v := variableOf(e.X); v != nil {
			out.change(v, e.At, e.Post)
		}
	case *typed.Assign:
		out = s.together(s.place(e.X), s.expr(e.Y))
		if v := variableOf(e.X); v != nil {
			if out.late[v] {
				s.report(v, out.changes[v], true)
			}
			out.change(v, e.At, false)
		}
	case *typed.CompoundAssign:
		out = s.together(s.place(e.X), s.expr(e.Y))
		if v := variableOf(e.X); v != nil {
			if at, ok := out.changes[v]; ok {
				s.report(v, at, false)
			}
			out.use(v)
			out.change(v, e.At, false)
		}
	case *typed.Logical:
		out = s.inOrder(e.X, e.Y)
	case *typed.Comma:
		out = s.inOrder(e.X, e.Y)
	case *typed.Cond:
		out = s.inOrder(e.C, nil)
		out.add(s.expr(e.X))
		out.add(s.expr(e.Y))
	case *typed.Binary, *typed.Index, *typed.PtrAdd, *typed.PtrDiff:
		out = s.operands(e)
	case *typed.Call, *typed.Builtin, *typed.CallPtr, *typed.Construct:
		out = s.operands(e)
		out.complete()
	case *typed.Aggregate: // a list in braces is evaluated from left to right
		for _, x := range e.Elems {
			out.add(s.inOrder(x, nil))
		}
	default:
		typed.Operands(e, func(x typed.Expr) { out.add(s.expr(x)) })
	}
	return out
}

// place returns what finding an lvalue does, without reading it.
func (s *sequencer) place(e typed.Expr) effects {
	if variableOf(e) != nil {
		return effects{}
	}
	return s.expr(e)
}

// inOrder returns what two expressions do one after the other.
func (s *sequencer) inOrder(x, y typed.Expr) effects {
	out := s.expr(x)
	out.complete()
	out.add(s.expr(y))
	return out
}

// operands returns what the operands of an expression do, in any order.
func (s *sequencer) operands(e typed.Expr) (out effects) {
	typed.Operands(e, func(x typed.Expr) { out = s.together(out, s.expr(x)) })
	return out
}

// together joins the effects of two expressions evaluated in any order, and reports those that
// depend on it.
func (s *sequencer) together(x, y effects) effects {
	var clash map[*typed.Var]diag.Pos
	note := func(v *typed.Var, at diag.Pos) {
		if clash == nil {
			clash = make(map[*typed.Var]diag.Pos)
		}
		clash[v] = at
	}
	for v, at := range x.changes {
		if _, ok := y.changes[v]; ok || y.uses[v] {
			note(v, at)
		}
	}
	for v, at := range y.changes {
		if _, ok := clash[v]; !ok && x.uses[v] {
			note(v, at)
		}
	}
	found := make([]*typed.Var, 0, len(clash))
	for v := range clash {
		found = append(found, v)
	}
	slices.SortFunc(found, func(a, b *typed.Var) int { return cmp.Compare(a.Pos, b.Pos) })
	for _, v := range found {
		_, first := x.changes[v]
		_, second := y.changes[v]
		s.report(v, clash[v], first && second)
	}
	if len(x.uses)+len(x.changes) < len(y.uses)+len(y.changes) {
		x, y = y, x // copy the smaller one
	}
	x.add(y)
	return x
}

// variableOf returns the local variable or parameter that an lvalue is, or nil.
func variableOf(e typed.Expr) *typed.Var {
	if r, ok := e.(*typed.VarRef); ok && (r.Var.Kind == typed.Local || r.Var.Kind == typed.Param) {
		return r.Var
	}
	return nil
}

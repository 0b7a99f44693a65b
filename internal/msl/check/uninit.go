package check

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// uninit finds variables that are read but cannot have been written before. It walks a function
// once in evaluation order. A write on any path counts, and a write anywhere in a loop counts for
// the whole loop, so it warns only if a read is wrong on all paths.
type uninit struct {
	step   func()
	open   map[*typed.Var]bool // declared without a value and not written yet
	report func(v *typed.Var, at diag.Pos)
}

// uninitialized checks all functions of the program.
func (c *checker) uninitialized() {
	for _, f := range c.prog.Functions {
		u := &uninit{step: c.step, open: map[*typed.Var]bool{}, report: func(v *typed.Var, at diag.Pos) {
			d := diag.Warnf(diag.Uninitialized, at, at+diag.Pos(len(v.Name)),
				"variable '%s' is read before anything is written to it", v.Name).
				WithNote(v.Pos, diag.NoPos, "'%s' is declared here without a value", v.Name)
			for _, n := range f.Backtrace {
				d = d.WithNote(n.Pos, diag.NoPos, "%s", n.Message)
			}
			c.sink.Report(d)
		}}
		u.block(f.Body)
	}
}

func (u *uninit) block(b *typed.Block) {
	if b != nil {
		u.stmts(b.List)
	}
}

func (u *uninit) stmts(list []typed.Stmt) {
	for _, s := range list {
		u.stmt(s)
	}
}

func (u *uninit) stmt(s typed.Stmt) {
	switch s := s.(type) {
	case *typed.Block:
		u.block(s)
	case *typed.VarDecl:
		u.expr(s.Init)
		if s.Init == nil && s.Var.Kind == typed.Local && !s.Var.Ref && !s.Var.Volatile && plainValue(s.Var.Type) {
			u.open[s.Var] = true
		}
	case *typed.ExprStmt:
		u.expr(s.X)
	case *typed.If:
		u.expr(s.Cond)
		u.block(s.Then)
		u.block(s.Else)
	case *typed.Loop:
		u.stmts(s.Init)
		if len(u.open) > 0 {
			u.written(s)
		}
		if s.TestFirst {
			u.expr(s.Cond)
		}
		u.block(s.Body)
		u.expr(s.Post)
		if !s.TestFirst {
			u.expr(s.Cond)
		}
	case *typed.Switch:
		u.expr(s.X)
		for _, c := range s.Cases {
			u.stmts(c.Body)
		}
	case *typed.Return:
		u.expr(s.X)
	}
}

// plainValue reports whether a type holds a single value; others may be written part by part.
func plainValue(t types.Type) bool {
	switch t.(type) {
	case *types.Basic, *types.Enum, *types.Pointer:
		return true
	}
	return false
}

// written closes the variables written anywhere in a loop.
func (u *uninit) written(l *typed.Loop) {
	quiet := uninit{open: u.open, report: func(*typed.Var, diag.Pos) {}}
	mark := func(e typed.Expr) {
		u.step()
		quiet.write(e)
	}
	typed.InspectExpr(l.Cond, mark)
	typed.InspectExpr(l.Post, mark)
	typed.InspectBlock(l.Body, mark, nil)
}

// write closes the variable that an expression writes or whose address it passes on.
func (u *uninit) write(e typed.Expr) {
	var x typed.Expr
	switch e := e.(type) {
	case *typed.Assign:
		x = e.X
	case *typed.CompoundAssign:
		x = e.X
	case *typed.IncDec:
		x = e.X
	case *typed.AddrOf:
		x = e.X
	}
	if v, ok := x.(*typed.VarRef); ok {
		delete(u.open, v.Var)
	}
}

func (u *uninit) expr(e typed.Expr) {
	if e == nil || len(u.open) == 0 {
		return
	}
	switch e := e.(type) {
	case *typed.Assign:
		u.expr(e.Y)
		if _, ok := e.X.(*typed.VarRef); !ok {
			u.expr(e.X)
		}
	case *typed.CompoundAssign:
		u.read(e.X)
		u.expr(e.Y)
	case *typed.IncDec:
		u.read(e.X)
	case *typed.Load:
		u.read(e.X)
		typed.Operands(e, u.expr)
	default:
		typed.Operands(e, u.expr)
	}
	u.write(e)
}

// read reports a variable that is read while open, once.
func (u *uninit) read(e typed.Expr) {
	v, ok := e.(*typed.VarRef)
	if !ok || !u.open[v.Var] {
		return
	}
	delete(u.open, v.Var)
	u.report(v.Var, v.At)
}

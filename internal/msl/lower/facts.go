package lower

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// facts is what lowering knows about a function before lowering it.
type facts struct {
	escapes map[*typed.Var]bool  // variables that need an address
	returns int                  // return statements
	last    bool                 // the only return statement is the last statement
	tail    map[*typed.Call]bool // calls of the function itself in tail position
}

func (m *module) factsOf(f *typed.Func) *facts {
	if x, ok := m.facts[f]; ok {
		return x
	}
	x := &facts{escapes: map[*typed.Var]bool{}}
	m.facts[f] = x
	newFinder(m, x).stmt(f.Body)
	if f.Result == types.Void {
		x.tails(f, f.Body.List)
	}
	if n := len(f.Body.List); n > 0 {
		_, x.last = f.Body.List[n-1].(*typed.Return)
		x.last = x.last && x.returns == 1
	}
	return x
}

// tails finds the tail-recursive calls of a function without a result, which are lowered as a loop.
func (x *facts) tails(f *typed.Func, list []typed.Stmt) {
	if len(list) == 0 {
		return
	}
	switch s := list[len(list)-1].(type) {
	case *typed.Block:
		x.tails(f, s.List)
	case *typed.If:
		x.tails(f, s.Then.List)
		if s.Else != nil {
			x.tails(f, s.Else.List)
		}
	case *typed.ExprStmt:
		if c, ok := s.X.(*typed.Call); ok && c.Func == f {
			if x.tail == nil {
				x.tail = map[*typed.Call]bool{}
			}
			x.tail[c] = true
		}
	}
}

// roots appends the variables that an lvalue may be part of.
func roots(list []*typed.Var, e typed.Expr) []*typed.Var {
	switch e := e.(type) {
	case *typed.VarRef:
		return append(list, e.Var)
	case *typed.Member:
		return roots(list, e.X)
	case *typed.Index:
		return roots(list, e.X)
	case *typed.Swizzle:
		return roots(list, e.X)
	case *typed.Cond:
		return roots(roots(list, e.X), e.Y)
	case *typed.Assign:
		return roots(list, e.X)
	case *typed.CompoundAssign:
		return roots(list, e.X)
	case *typed.IncDec:
		return roots(list, e.X)
	case *typed.Comma:
		return roots(list, e.Y)
	case *typed.Deref:
		if a, ok := threadElements(e.X); ok {
			return roots(list, a.X)
		}
	}
	return list
}

// threadElements returns the address of the matrix if e is the address of its elements.
func threadElements(e typed.Expr) (*typed.AddrOf, bool) {
	b, ok := e.(*typed.Builtin)
	if !ok || b.Op != builtin.OpSimdgroupThreadElements || len(b.Args) != 1 {
		return nil, false
	}
	a, ok := b.Args[0].(*typed.AddrOf)
	return a, ok
}

// finder walks a function once. It finds the variables that need an address, and the variables that
// each piece of control flow assigns.
type finder struct {
	m     *module
	facts *facts
	// writes are the variables assigned so far, in source order. Those of a finished piece of control
	// flow are listed once.
	writes []*typed.Var
	each   func(typed.Expr)
}

func newFinder(m *module, x *facts) *finder {
	f := &finder{m: m, facts: x}
	f.each = f.expr
	return f
}

// assigns returns the variables that a piece of control flow assigns, each once, in source order.
func (l *lowerer) assigns(key any) []*typed.Var {
	if list, ok := l.assigned[key]; ok {
		return list
	}
	// It is not part of the function's body.
	f := newFinder(l.module, &facts{escapes: map[*typed.Var]bool{}})
	switch key := key.(type) {
	case typed.Expr:
		f.expr(key)
		if c, ok := key.(*typed.Cond); ok {
			f.cond(c)
		}
	case typed.Stmt:
		f.stmt(key)
	}
	return l.assigned[key]
}

// note records the variables assigned since there were n writes.
func (f *finder) note(key any, n int) {
	list := distinct(f.writes[n:])
	f.writes = f.writes[:n+len(list)]
	f.m.assigned[key] = slices.Clone(list)
}

// distinct removes duplicates from the list, keeping the first occurrence.
func distinct(list []*typed.Var) []*typed.Var {
	const many = 16
	out := list[:0]
	var seen map[*typed.Var]bool
	for _, v := range list {
		switch {
		case seen != nil:
			if seen[v] {
				continue
			}
			seen[v] = true
		case slices.Contains(out, v):
			continue
		case len(out) == many:
			seen = map[*typed.Var]bool{v: true}
			for _, w := range out {
				seen[w] = true
			}
		}
		out = append(out, v)
	}
	return out
}

func (f *finder) write(e typed.Expr) { f.writes = roots(f.writes, e) }

func (f *finder) escape(e typed.Expr) {
	n := len(f.writes)
	for _, v := range roots(f.writes, e)[n:] {
		f.facts.escapes[v] = true
	}
}

func (f *finder) block(b *typed.Block) {
	if b != nil {
		f.stmts(b.List)
	}
}

func (f *finder) stmts(list []typed.Stmt) {
	for _, s := range list {
		f.stmt(s)
	}
}

func (f *finder) stmt(s typed.Stmt) {
	n := len(f.writes)
	switch s := s.(type) {
	case *typed.Block:
		f.block(s)
	case *typed.VarDecl:
		if _, ok := s.Init.(*typed.Construct); ok || s.Init == nil && f.m.opts.KeepUninitialized {
			f.facts.escapes[s.Var] = true
		}
		f.expr(s.Init)
	case *typed.ExprStmt:
		f.expr(s.X)
	case *typed.If:
		f.expr(s.Cond)
		f.block(s.Then)
		f.block(s.Else)
		f.note(s, n)
	case *typed.Loop:
		f.stmts(s.Init)
		n = len(f.writes)
		f.expr(s.Cond)
		f.expr(s.Post)
		f.block(s.Body)
		f.note(s, n)
	case *typed.Switch:
		f.expr(s.X)
		for _, c := range s.Cases {
			for _, b := range c.Body {
				if d, ok := b.(*typed.VarDecl); ok { // the switch declares it beforehand
					f.writes = append(f.writes, d.Var)
				}
				f.stmt(b)
			}
		}
		f.note(s, n)
	case *typed.Return:
		f.facts.returns++
		f.expr(s.X)
	}
}

// expr visits an expression and its operands, except for addresses of what is lowered as a place:
// those variables need no address.
func (f *finder) expr(e typed.Expr) {
	switch e := e.(type) {
	case nil, *typed.Const, *typed.VarRef:
		return
	case *typed.Load:
		if c, ok := e.X.(*typed.Cond); ok { // a choice between values
			f.cond(c)
			return
		}
		f.expr(e.X)
		return
	case *typed.Deref:
		if a, ok := threadElements(e.X); ok {
			f.expr(a.X)
			return
		}
	case *typed.AddrOf:
		f.escape(e.X)
	case *typed.Convert:
		if e.Kind == typed.ConvDecay {
			f.escape(e.X)
		}
	case *typed.Cond:
		if e.LValue {
			f.escape(e.X)
			f.escape(e.Y)
		}
		f.cond(e)
		return
	case *typed.Logical:
		f.expr(e.X)
		n := len(f.writes)
		f.expr(e.Y)
		f.note(e, n)
		return
	case *typed.Index:
		if _, isConst := e.Index.(*typed.Const); !isConst && !isVector(e.X.Type()) {
			f.escape(e.X)
		}
	case *typed.Assign:
		f.write(e.X)
	case *typed.CompoundAssign:
		f.write(e.X)
	case *typed.IncDec:
		f.write(e.X)
	case *typed.Builtin:
		asPlaces := loweringOf(e.Op).args == argPlaces && e.Op != builtin.OpSimdgroupThreadElements
		for _, a := range e.Args {
			place, ok := a.(*typed.AddrOf)
			if ok {
				f.write(place.X)
			}
			if ok && asPlaces {
				a = place.X
			}
			f.expr(a)
		}
		return
	}
	typed.Operands(e, f.each)
}

func (f *finder) cond(c *typed.Cond) {
	f.expr(c.C)
	n := len(f.writes)
	for _, x := range [...]typed.Expr{c.X, c.Y} {
		if inner, ok := x.(*typed.Cond); ok { // as the outer choice, between values or between objects
			f.cond(inner)
		} else {
			f.expr(x)
		}
	}
	f.note(c, n)
}

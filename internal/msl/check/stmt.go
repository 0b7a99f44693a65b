package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

func (c *checker) stmts(list []ast.Stmt) (out []typed.Stmt) {
	for _, s := range list {
		out = append(out, c.stmt(s)...)
	}
	return out
}

// scoped runs f in a new block.
func (c *checker) scoped(f func()) {
	s := newScope(c.sc, blockScope, "")
	s.fn = c.fn
	c.in(s, f)
}

func sp(n ast.Node) typed.StmtPos { return typed.StmtPos{At: n.Pos()} }

// block checks a statement as a block with its own scope.
func (c *checker) block(s ast.Stmt) *typed.Block {
	b := &typed.Block{StmtPos: sp(s), End: s.End()}
	c.scoped(func() {
		if x, ok := s.(*ast.BlockStmt); ok {
			b.List = c.stmts(x.List)
			if !x.Implicit {
				b.Math = mathMode(x)
			}
			return
		}
		b.List = c.stmt(s)
	})
	return b
}

// mathMode returns the precision of math functions in a block that the program writes.
func mathMode(b *ast.BlockStmt) typed.MathMode {
	switch b.Math {
	case token.SafeMath:
		return typed.MathSafe
	case token.FastMath:
		return typed.MathFast
	}
	return typed.MathDefault
}

func (c *checker) stmt(s ast.Stmt) []typed.Stmt {
	c.at = s.Pos()
	switch s := s.(type) {
	case *ast.EmptyStmt, *ast.BadStmt:
		return nil
	case *ast.BlockStmt:
		if s.Implicit {
			return c.stmts(s.List)
		}
		return []typed.Stmt{c.block(s)}
	case *ast.DeclStmt:
		return c.declStmt(s)
	case *ast.ExprStmt:
		return c.exprStmt(s.X)
	case *ast.AttrStmt:
		return c.unrolled(s, c.stmt(s.Stmt))
	case *ast.IfStmt:
		return c.ifStmt(s)
	case *ast.SwitchStmt:
		return c.switchStmt(s)
	case *ast.ForStmt:
		return c.forStmt(s)
	case *ast.RangeForStmt:
		return c.rangeFor(s)
	case *ast.WhileStmt:
		return c.whileStmt(s)
	case *ast.DoStmt:
		l := &typed.Loop{StmtPos: sp(s)}
		c.fn.loops++
		c.fn.breaks++
		l.Body = c.block(s.Body)
		c.fn.loops--
		c.fn.breaks--
		_, l.Cond = c.condition(s.Cond, nil)
		return []typed.Stmt{l}
	case *ast.BreakStmt:
		if c.fn.breaks == 0 {
			c.errorf(diag.StrayBreak, s, "'break' statement not in loop or switch statement")
		}
		return []typed.Stmt{&typed.Break{StmtPos: sp(s)}}
	case *ast.ContinueStmt:
		if c.fn.loops == 0 {
			c.errorf(diag.StrayContinue, s, "'continue' statement not in loop statement")
		}
		return []typed.Stmt{&typed.Continue{StmtPos: sp(s)}}
	case *ast.ReturnStmt:
		return c.returnStmt(s)
	case *ast.CaseStmt:
		c.errorf(diag.StrayCase, s, "'case' or 'default' statement not directly in switch statement")
	}
	return nil // already reported by the parser
}

func (c *checker) declStmt(s *ast.DeclStmt) (out []typed.Stmt) {
	var first *variable // first of the variables that share an auto
	for _, d := range s.Decls {
		c.at = d.Pos()
		switch d := d.(type) {
		case *ast.VarDecl:
			out = append(out, c.localVar(d)...)
			first = c.sameAuto(first, d)
		case *ast.BindingDecl:
			out = append(out, c.binding(d)...)
		case *ast.FuncDecl:
			if d.Body == nil { // the parser rejects others
				c.declFunc(d, nil)
			}
		default:
			c.decl(d)
		}
	}
	return out
}

// sameAuto checks that auto deduces to one type in a declaration of several variables. It returns
// the first of them.
func (c *checker) sameAuto(first *variable, d *ast.VarDecl) *variable {
	t := d.Type
	if q, ok := t.(*ast.QualType); ok {
		t = q.Elem
	}
	if _, ok := t.(*ast.AutoType); !ok || d.Name == nil {
		return first
	}
	y := c.sc.syms.of(d.Name.Last().Ident)
	if y == nil {
		return first
	}
	v, ok := y.val.(*variable)
	switch {
	case !ok || v.v == nil || c.isBad(v.q.Type):
		return first
	case first == nil:
		return v
	case first.q.Type != v.q.Type:
		c.errorf(diag.BadAuto, d,
			"'auto' deduced as '%s' in declaration of '%s' and deduced as '%s' in declaration of '%s'", first.q.Type, first.name,
			v.q.Type, v.name)
	}
	return first
}

func (c *checker) exprStmt(x ast.Expr) []typed.Stmt {
	e := c.expr(x)
	if c.isBad(e.Type()) {
		return nil
	}
	switch e.(type) {
	case *typeOperand, *overload, *initList:
		c.value(e)
		return nil
	}
	c.unusedResult(e)
	if _, ok := e.(*typed.Const); ok {
		return nil
	}
	return []typed.Stmt{&typed.ExprStmt{StmtPos: sp(x), X: e}}
}

// condition checks a condition or a variable declared as one.
func (c *checker) condition(x ast.Expr, v *ast.VarDecl) (pre []typed.Stmt, cond typed.Expr) {
	if v == nil {
		c.assigned(x)
		e := c.expr(x)
		c.extraParentheses(x, e)
		return nil, c.toBool(e, "condition")
	}
	pre = c.localVar(v)
	y := c.sc.syms.of(v.Name.Last().Ident)
	if va, ok := y.val.(*variable); ok && va.v != nil {
		return pre, c.toBool(c.varRef(va, v.Pos()), "condition")
	}
	return pre, c.badExpr(v)
}

func (c *checker) ifStmt(s *ast.IfStmt) (out []typed.Stmt) {
	c.scoped(func() {
		if s.Init != nil {
			out = append(out, c.stmt(s.Init)...)
		}
		pre, cond := c.condition(s.Cond, s.CondVar)
		out = append(out, pre...)
		if s.Constexpr {
			if c.isBad(cond.Type()) {
				return
			}
			v, err := c.constant(cond, consteval.Wrapping)
			if err != nil {
				c.notConstant(s.Cond, err, "condition of 'if constexpr'")
				return
			}
			if v.Truth() {
				out = append(out, c.block(s.Then))
			} else if s.Else != nil {
				out = append(out, c.block(s.Else))
			}
			return
		}
		i := &typed.If{StmtPos: sp(s), Cond: cond, Then: c.block(s.Then)}
		if s.Else != nil {
			i.Else = c.block(s.Else)
		}
		out = append(out, i)
	})
	return wrapScope(s, out, s.Init != nil || s.CondVar != nil)
}

// wrapScope puts statements that declare variables into their own block.
func wrapScope(n ast.Node, out []typed.Stmt, need bool) []typed.Stmt {
	if !need || len(out) == 0 {
		return out
	}
	return []typed.Stmt{&typed.Block{StmtPos: sp(n), List: out, End: n.End()}}
}

func (c *checker) forStmt(s *ast.ForStmt) []typed.Stmt {
	l := &typed.Loop{StmtPos: sp(s), TestFirst: true}
	c.scoped(func() {
		if s.Init != nil {
			l.Init = c.stmt(s.Init)
		}
		var pre []typed.Stmt
		if s.Cond != nil || s.CondVar != nil {
			pre, l.Cond = c.condition(s.Cond, s.CondVar)
		}
		if s.Post != nil {
			if p := c.exprStmt(s.Post); len(p) == 1 {
				l.Post = p[0].(*typed.ExprStmt).X
			}
		}
		c.loopBody(l, s.Body, pre)
	})
	return []typed.Stmt{l}
}

// loopBody checks a loop's body; a variable declared in the condition is created anew in each
// iteration.
func (c *checker) loopBody(l *typed.Loop, body ast.Stmt, pre []typed.Stmt) {
	c.fn.loops++
	c.fn.breaks++
	l.Body = c.block(body)
	c.fn.loops--
	c.fn.breaks--
	if len(pre) > 0 {
		stop := &typed.If{StmtPos: l.StmtPos, Cond: l.Cond, Then: &typed.Block{StmtPos: l.StmtPos},
			Else: &typed.Block{StmtPos: l.StmtPos, List: []typed.Stmt{&typed.Break{StmtPos: l.StmtPos}}}}
		l.Body.List = append(append(pre, stop), l.Body.List...)
		l.Cond = nil
	}
}

func (c *checker) whileStmt(s *ast.WhileStmt) []typed.Stmt {
	l := &typed.Loop{StmtPos: sp(s), TestFirst: true}
	c.scoped(func() {
		pre, cond := c.condition(s.Cond, s.CondVar)
		l.Cond = cond
		c.loopBody(l, s.Body, pre)
	})
	return []typed.Stmt{l}
}

func (c *checker) switchStmt(s *ast.SwitchStmt) (out []typed.Stmt) {
	c.scoped(func() {
		if s.Init != nil {
			out = append(out, c.stmt(s.Init)...)
		}
		var x typed.Expr
		if s.CondVar != nil {
			out = append(out, c.localVar(s.CondVar)...)
			if v, ok := c.sc.syms.of(s.CondVar.Name.Last().Ident).val.(*variable); ok && v.v != nil {
				x = c.load(c.varRef(v, s.Pos()))
			} else {
				return
			}
		} else {
			e := c.expr(s.Cond)
			x = c.value(c.viaUser(e, c.konst(s.Pos(), types.IntValue(types.Int, 0)), types.Add))
		}
		if c.isBad(x.Type()) {
			return
		}
		enum, isEnum := x.Type().(*types.Enum)
		var t types.Type = enum
		if !isEnum || !enum.Scoped {
			b, ok := x.Type().(*types.Basic)
			if isEnum {
				b, ok = enum.Underlying, true
			}
			if !ok || !b.IsInteger() {
				c.errorf(diag.SwitchType, s.Cond, "statement requires expression of integer type ('%s' invalid)", x.Type())
				return
			}
			if boolean(x.Type()) {
				c.warnf(diag.SwitchBool, s, "the condition of this switch is of type 'bool'")
			}
			t = types.PromoteScalar(b)
			x = c.operand(x, t)
		}
		sw := &typed.Switch{StmtPos: sp(s), X: x}
		l := &labels{t: t, enum: enum, seen: make(map[string]bool)}
		c.cases(sw, s.Body, l)
		c.switchEnum(s, l)
		out = append(out, sw)
	})
	return wrapScope(s, out, s.Init != nil || s.CondVar != nil)
}

// labels are the labels of a switch.
type labels struct {
	t     types.Type      // their type
	enum  *types.Enum     // of the condition before its conversion to t, or nil
	seen  map[string]bool // keys of the values
	list  []label
	deflt bool // there is a default
}

// label is one value of a label.
type label struct {
	value types.Value
	at    ast.Node
}

// cases checks the body of a switch and collects its labels.
func (c *checker) cases(sw *typed.Switch, body *ast.BlockStmt, l *labels) {
	var cur *typed.Case
	labels := false
	var bypassed *typed.VarDecl // an initialization in the switch's own scope
	c.fn.breaks++
	defer func() { c.fn.breaks-- }()
	var walk func(list []ast.Stmt)
	walk = func(list []ast.Stmt) {
		for _, st := range list {
			if b, ok := st.(*ast.BlockStmt); ok && b.Implicit {
				walk(b.List)
				continue
			}
			k, ok := st.(*ast.CaseStmt)
			if !ok {
				ss := c.stmt(st)
				for _, s := range ss {
					if v, isDecl := s.(*typed.VarDecl); isDecl && v.Init != nil && bypassed == nil {
						bypassed = v
					}
				}
				if cur == nil {
					if len(ss) > 0 {
						if _, isDecl := ss[0].(*typed.VarDecl); !isDecl {
							c.warnf(diag.Unreachable, st, "statement before the first case label is never executed")
						}
					}
					continue
				}
				cur.Body = append(cur.Body, ss...)
				labels = false
				continue
			}
			if bypassed != nil {
				c.report(diag.Errorf(diag.BypassedInit, k.Pos(), k.End(),
					"cannot jump from switch statement to this case label: jump bypasses initialization of '%s'", bypassed.Var.Name).
					WithNote(bypassed.At, diag.NoPos, "'%s' is declared here; enclose the case in braces to limit its scope",
						bypassed.Var.Name))
				bypassed = nil
			}
			if cur == nil || !labels {
				cur = &typed.Case{StmtPos: sp(k)}
				sw.Cases = append(sw.Cases, cur)
				labels = true
			}
			if k.X == nil {
				if l.deflt {
					c.errorf(diag.DuplicateCase, k, "multiple default labels in one switch")
				}
				l.deflt = true
				cur.Default = true
				continue
			}
			c.caseValues(k, cur, l)
		}
	}
	c.scoped(func() { walk(body.List) })
}

// caseValues checks a label and adds its values to cur and l.
func (c *checker) caseValues(k *ast.CaseStmt, cur *typed.Case, l *labels) {
	val := func(x ast.Expr) (types.Value, bool) {
		label := c.value(c.expr(x))
		if b, ok := label.Type().(*types.Basic); ok && !b.IsInteger() {
			c.errorf(diag.SwitchType, x, "case label must be an integer, not '%s'", b)
			return types.Value{}, false
		}
		if of, ok := label.Type().(*types.Enum); ok && l.enum != nil && of != l.enum {
			c.warnf(diag.EnumCompareSwitch, x, "a label of enum '%s' in a switch over '%s'", of, l.enum)
		}
		e := c.implicit(label, Q{Type: l.t}, "case label")
		if c.isBad(e.Type()) {
			return types.Value{}, false
		}
		v, err := c.constant(c.load(e), consteval.Wrapping)
		if err != nil {
			c.notConstant(x, err, "case label")
			return v, false
		}
		if w, err := c.constant(label, consteval.Wrapping); err == nil {
			if b, ok := l.t.(*types.Basic); ok && b.IsInteger() && !types.Represents(w, b) {
				c.errorf(diag.Narrowing, x, "case label %s does not fit in '%s'", w, l.t)
				return v, false
			}
		}
		return v, true
	}
	v, ok := val(k.X)
	if !ok {
		return
	}
	last := v
	if k.High != nil {
		if last, ok = val(k.High); !ok {
			return
		}
	}
	lo, _ := v.Int()
	hi, _ := last.Int()
	if hi < lo || hi-lo > 1<<12 {
		c.errorf(diag.CaseRange, k, "case range from %d to %d is empty or too large", lo, hi)
		return
	}
	for n := lo; n <= hi; n++ {
		w := v
		if n != lo {
			if b, ok := l.t.(*types.Basic); ok {
				w = types.IntValue(b, n)
			} else {
				w = types.EnumValue(l.t.(*types.Enum), n)
			}
		}
		if l.seen[w.Key()] {
			c.errorf(diag.DuplicateCase, k, "duplicate case value '%s'", w)
			return
		}
		l.seen[w.Key()] = true
		cur.Values = append(cur.Values, w)
		l.list = append(l.list, label{w, k.X})
	}
}

func (c *checker) returnStmt(s *ast.ReturnStmt) []typed.Stmt {
	r := &typed.Return{StmtPos: sp(s)}
	ctx := c.fn
	if s.X == nil {
		if ctx.deduce {
			c.setDeduced(Q{Type: types.Void})
		} else if ctx.result.Type != types.Type(types.Void) {
			c.errorf(diag.ReturnType, s, "non-void function '%s' should return a value of type '%s'", ctx.f.name, ctx.result)
		}
		return []typed.Stmt{r}
	}
	e := c.expr(s.X)
	if _, ok := e.(*badExpr); ok {
		if ctx.deduce {
			ctx.deduced = true
		}
		return []typed.Stmt{r}
	}
	if ctx.deduce && isDecltypeAuto(ctx.f.decl.Result) {
		if q := c.decltype(s.X); !c.isBad(q.Type) {
			c.setDeduced(q)
		}
	}
	null := c.infers() && isZero(e) && pointerResult(ctx.f.decl.Result) != nil
	if null && ctx.deduce {
		ctx.nulls = append(ctx.nulls, r)
		return []typed.Stmt{r}
	}
	if ctx.deduce {
		q := c.deduceAuto(ctx.result, e, s)
		if e.Type() == types.Type(types.Void) {
			q = Q{Type: types.Void}
		}
		q.Const, q.Space = false, types.None
		if c.isBad(q.Type) {
			return nil
		}
		c.setDeduced(q)
	} else if ctx.deduced && c.autoResult(ctx.f) && !null {
		if v := c.valueOrClass(e); !isRef(ctx.result) && v.Type() != ctx.result.Type && e.Type() != ctx.result.Type &&
			!c.isBad(v.Type()) {
			if _, list := e.(*initList); !list {
				c.errorf(diag.ReturnType, s,
					"'auto' in return type deduced as '%s' in an earlier return statement but as '%s' here", ctx.result, v.Type())
				return nil
			}
		}
	}
	if ctx.result.Type == types.Type(types.Void) {
		if e.Type() != types.Type(types.Void) {
			c.value(e)
			c.errorf(diag.ReturnType, s, "void function '%s' should not return a value", ctx.f.name)
			return nil
		}
		return []typed.Stmt{&typed.ExprStmt{StmtPos: sp(s), X: e}, r}
	}
	if l, ok := e.(*typed.VarRef); ok && l.Var.Kind == typed.Local && !isRef(ctx.result) && l.Typ == ctx.result.Type {
		if _, isStruct := l.Typ.(*types.Struct); isStruct { // constructed in place, not copied
			r.X = c.load(e)
			return []typed.Stmt{r}
		}
	}
	v := c.implicit(e, ctx.result, "return value")
	if c.isBad(v.Type()) {
		return []typed.Stmt{r}
	}
	if !isRef(ctx.result) {
		v = c.load(v)
	}
	_, points := v.Type().(*types.Pointer)
	if l := pointee(v); points && l != nil {
		c.warnf(diag.DanglingReturn, s.X, "'%s' returns the address of its local variable '%s', which is gone after the call",
			ctx.f.name, l.Name)
	}
	r.X = v
	return []typed.Stmt{r}
}

// pointee returns the local variable or parameter that a pointer obviously points into, or nil.
func pointee(p typed.Expr) *typed.Var {
	for {
		switch e := p.(type) {
		case *typed.AddrOf:
			p = e.X
		case *typed.Member:
			p = e.X
		case *typed.Index:
			p = e.X
		case *typed.Convert:
			if e.Kind != typed.ConvDecay {
				return nil
			}
			p = e.X
		case *typed.VarRef:
			if e.Var.Kind == typed.Local || e.Var.Kind == typed.Param {
				return e.Var
			}
			return nil
		default:
			return nil
		}
	}
}

func (c *checker) autoResult(f *function) bool {
	found := false
	if f.decl.Result == nil {
		return f.lambda != nil
	}
	ast.Inspect(f.decl.Result, func(n ast.Node) bool {
		if _, ok := n.(*ast.AutoType); ok {
			found = true
		}
		return !found
	})
	return found
}

// binding checks auto [a, b] = x.
func (c *checker) binding(d *ast.BindingDecl) []typed.Stmt {
	tmp := &ast.VarDecl{Span: d.Span, Spec: d.Spec, Type: d.Type, InitKind: d.InitKind, Init: d.Init, Args: d.Args,
		Name: &ast.Name{Span: d.Span, Parts: []ast.NamePart{{Span: d.Span, Ident: "binding:" + d.Names[0].Name}}}}
	out := c.localVar(tmp)
	v, ok := c.sc.syms.of(tmp.Name.Simple()).val.(*variable)
	if !ok || v.v == nil {
		return out
	}
	obj := c.varRef(v, d.Pos())
	for i, n := range d.Names {
		b := obj.Base()
		var e typed.Expr
		count := 0
		switch t := obj.Type().(type) {
		case *types.Struct:
			if count = len(t.Fields); i < count {
				e = c.memberPath(obj, []int{i}, n.Pos())
			}
		case *types.Array:
			if count = t.Len; i < count {
				e = &typed.Index{Info: typed.Info{At: n.Pos(), Typ: t.Elem, LValue: true, Const: b.Const, Space: b.Space}, X: obj,
					Index: c.konst(n.Pos(), types.IntValue(types.Int, int64(i)))}
			}
		}
		if count != len(d.Names) {
			c.errorf(diag.BindingCount, d, "type '%s' does not decompose into %d elements", obj.Type(), len(d.Names))
			return out
		}
		c.sc.sym(n.Name).val = &variable{name: n.Name, q: qOf(e), bind: e, owner: c.fn, state: stateDone}
	}
	return out
}

// fallsOff reports whether control can obviously reach the end of a list of statements.
func (c *checker) fallsOff(list []typed.Stmt) bool {
	if len(list) == 0 {
		return true
	}
	switch s := list[len(list)-1].(type) {
	case *typed.Return:
		return false
	case *typed.Block:
		return c.fallsOff(s.List)
	case *typed.If:
		return s.Else == nil || c.fallsOff(s.Then.List) || c.fallsOff(s.Else.List)
	case *typed.Loop:
		return s.Cond != nil
	case *typed.Switch:
		return false
	}
	return true
}

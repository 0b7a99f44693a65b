package lower

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

func (l *lowerer) block(b *typed.Block) {
	if b == nil {
		return
	}
	outer := l.math
	if b.Math != typed.MathAround && b.Math != outer {
		l.setMath(b.Math)
		defer l.setMath(outer)
	}
	l.stmts(b.List)
}

// setMath sets the precision of math functions in what follows.
func (l *lowerer) setMath(m typed.MathMode) {
	l.math = m
	if m == typed.MathSafe || m == typed.MathDefault && l.opts.Math == Safe {
		l.b.SetFlags(0)
		return
	}
	l.b.SetFlags(ir.Fast)
}

func (l *lowerer) stmts(list []typed.Stmt) {
	for _, s := range list {
		if l.b.Terminated() {
			return
		}
		l.stmt(s)
	}
}

func (l *lowerer) stmt(s typed.Stmt) {
	l.setLoc(s.Pos())
	l.count()
	switch s := s.(type) {
	case *typed.Block:
		l.block(s)
	case *typed.VarDecl:
		l.varDecl(s)
	case *typed.ExprStmt:
		l.effect(s.X)
	case *typed.If:
		l.ifStmt(s)
	case *typed.Loop:
		l.loop(s)
	case *typed.Switch:
		l.switchStmt(s)
	case *typed.Break:
		e := &l.fr.exits[len(l.fr.exits)-1]
		l.b.Break(e.brk, values(e.vars)...)
	case *typed.Continue:
		i := len(l.fr.exits) - 1
		for l.fr.exits[i].isSwitch {
			i--
		}
		e := &l.fr.exits[i]
		if e.contIsLoop {
			l.b.Continue(e.cont, values(e.vars)...)
		} else {
			l.b.Break(e.cont, values(e.vars)...)
		}
	case *typed.Return:
		l.returnStmt(s)
	case *typed.Discard:
		l.unsupported(s.Pos(), "discard_fragment in a kernel")
	default:
		l.unsupported(s.Pos(), "this statement (%T)", s)
	}
}

func (l *lowerer) varDecl(s *typed.VarDecl) {
	v := s.Var
	switch v.Kind {
	case typed.ThreadgroupLocal:
		l.fr.vars.set(v, &variable{typ: v.Type, addr: l.sharedAddr(v)})
		return
	case typed.StaticLocal, typed.Global, typed.FunctionConstant, typed.SpecConstant:
		return
	}
	if v.Space == types.Threadgroup {
		l.fr.vars.set(v, &variable{typ: v.Type, addr: l.sharedAddr(v)})
		return
	}
	if i, ok := s.Init.(*typed.Construct); ok {
		x := l.declare(v)
		l.clear(x.addr, v.Type)
		l.construct(i, x.addr)
		return
	}
	if v.Type == types.Sampler {
		if b, ok := s.Init.(*typed.Builtin); ok {
			l.bind(v, l.expr(b))
			return
		}
	}
	if s.Init == nil {
		if x := l.declare(v); x.addr == nil {
			x.val = l.zero(v.Type)
		}
		return
	}
	if l.shape(v.Type).class == inMemory && !isFuncPtr(v.Type) {
		// The initializer may refer to the variable itself, but not to its value.
		x := l.declare(v)
		l.exprInto(place{typ: v.Type, addr: x.addr}, s.Init)
		return
	}
	l.bind(v, l.expr(s.Init))
}

func isFuncPtr(t types.Type) bool {
	_, ok := pointeeOf(t).Type.(*types.Func)
	return ok
}

// values returns the SSA values of variables.
func values(vars []*variable) []*ir.Value {
	var list []*ir.Value
	for _, v := range vars {
		list = flatten(list, &v.val)
	}
	return list
}

func typesOf(vs []*ir.Value) []ir.Type {
	out := make([]ir.Type, len(vs))
	for i, v := range vs {
		out[i] = v.Type
	}
	return out
}

// set assigns values to variables, in the variables' shapes.
func set(vars []*variable, from []*ir.Value) {
	for _, v := range vars {
		v.val, from = rebuild(&v.val, from)
	}
}

// carried returns the declared variables that are not in memory and that a piece of control flow
// assigns.
func (l *lowerer) carried(key any) []*variable {
	var list []*variable
	for _, v := range l.assigns(key) {
		if x := l.fr.vars.of(v); x != nil && x.addr == nil && x.val.typ != nil {
			list = append(list, x)
		}
	}
	return list
}

func snapshot(vars []*variable) []val {
	out := make([]val, len(vars))
	for i, v := range vars {
		out[i] = v.val
	}
	return out
}

func restore(vars []*variable, vals []val) {
	for i, v := range vars {
		v.val = vals[i]
	}
}

func (l *lowerer) ifStmt(s *typed.If) {
	if c, ok := s.Cond.(*typed.Const); ok {
		if c.Value.Truth() {
			l.block(s.Then)
		} else {
			l.block(s.Else)
		}
		return
	}
	cond := l.expr(s.Cond).v
	vars := l.carried(s)
	l.setLoc(s.Pos())
	l.choose(cond, vars, nil, func() []*ir.Value {
		l.block(s.Then)
		return nil
	}, func() []*ir.Value {
		l.block(s.Else)
		return nil
	})
}

// choose builds an If from functions that build its regions, and returns their results, of the
// given types. Afterwards the variables have the values from the region that was executed.
func (l *lowerer) choose(cond *ir.Value, vars []*variable, results []ir.Type, then,
	els func() []*ir.Value) []*ir.Value {
	before := snapshot(vars)
	all := append(append([]ir.Type(nil), results...), typesOf(values(vars))...)
	in := l.b.If(cond, all...)
	at := l.at
	ended := true
	var got [2][]*ir.Value
	for i, build := range []func() []*ir.Value{then, els} {
		restore(vars, before)
		old := l.b.Enter(in.Regions[i])
		vs := build()
		if !l.b.Terminated() {
			ended = false
			got[i] = vs
			l.setLoc(at)
			l.b.Yield(append(vs[:len(vs):len(vs)], values(vars)...)...)
		}
		l.b.Leave(old)
	}
	l.sharePointerTypes(in.Results[:len(results)], got)
	restore(vars, before)
	set(vars, in.Results[len(results):])
	l.setLoc(at)
	if ended {
		l.b.Unreachable()
	}
	return in.Results[:len(results)]
}

// hasContinue reports whether statements contain a continue of the enclosing loop.
func hasContinue(list []typed.Stmt) bool {
	return slices.ContainsFunc(list, func(s typed.Stmt) bool {
		switch s := s.(type) {
		case *typed.Continue:
			return true
		case *typed.Block:
			return hasContinue(s.List)
		case *typed.If:
			return hasContinue(s.Then.List) || s.Else != nil && hasContinue(s.Else.List)
		case *typed.Switch:
			return slices.ContainsFunc(s.Cases, func(c *typed.Case) bool { return hasContinue(c.Body) })
		}
		return false
	})
}

func (l *lowerer) loop(s *typed.Loop) {
	l.stmts(s.Init)
	vars := l.carried(s)
	before := snapshot(vars)
	init := values(vars)
	l.setLoc(s.Pos())
	loop := l.b.Loop(init, typesOf(init)...)
	loop.Imm = int64(s.Unroll)
	restore(vars, before)
	set(vars, loop.Regions[0].Params)
	old := l.b.Enter(loop.Regions[0])

	test := func() {
		if s.Cond == nil {
			return
		}
		if c, ok := s.Cond.(*typed.Const); ok && c.Value.Truth() {
			return
		}
		l.setLoc(s.Cond.Pos())
		c := l.expr(s.Cond).v
		in := l.b.If(c)
		l.b.In(in.Regions[0], func() { l.b.Yield() })
		l.b.In(in.Regions[1], func() { l.b.Break(loop, values(vars)...) })
	}
	if s.TestFirst {
		test()
	}
	if hasContinue(s.Body.List) {
		in := l.b.Block(typesOf(init)...)
		l.fr.exits = append(l.fr.exits, exit{brk: loop, cont: in, vars: vars})
		inner := l.b.Enter(in.Regions[0])
		l.block(s.Body)
		l.b.Yield(values(vars)...)
		l.b.Leave(inner)
		set(vars, in.Results)
	} else {
		l.fr.exits = append(l.fr.exits, exit{brk: loop, cont: loop, contIsLoop: true, vars: vars})
		l.block(s.Body)
	}
	l.fr.exits = l.fr.exits[:len(l.fr.exits)-1]
	if !l.b.Terminated() {
		if s.Post != nil {
			l.setLoc(s.Post.Pos())
			l.effect(s.Post)
		}
		if !s.TestFirst {
			test()
		}
		l.b.Continue(loop, values(vars)...)
	}
	l.b.Leave(old)
	restore(vars, before)
	set(vars, loop.Results)
}

func (l *lowerer) switchStmt(s *typed.Switch) {
	x := l.expr(s.X).v
	// A variable that a case declares is in scope in the following cases.
	for _, c := range s.Cases {
		for _, b := range c.Body {
			if d, ok := b.(*typed.VarDecl); ok && d.Var.Kind == typed.Local && l.shape(d.Var.Type).class != inMemory &&
				!isFuncPtr(d.Var.Type) {
				if v := l.declare(d.Var); v.addr == nil {
					v.val = l.zero(d.Var.Type)
				}
			}
		}
	}
	entries := make([]*ir.Value, len(s.Cases))
	var any *ir.Value
	or := func(a, b *ir.Value) *ir.Value {
		if a == nil {
			return b
		}
		if b == nil {
			return a
		}
		return l.b.Op(ir.OpOr, a, b)
	}
	def := -1
	at := l.at
	for i, c := range s.Cases {
		l.setLoc(c.Pos())
		for _, v := range c.Values {
			entries[i] = or(entries[i], l.b.Op(ir.OpEq, x, l.b.Const(x.Type, v.Bits())))
		}
		any = or(any, entries[i])
		if c.Default {
			def = i
		}
	}
	if def >= 0 {
		if any == nil {
			any = l.b.Bool(false)
		}
		entries[def] = or(entries[def], l.b.Op(ir.OpNot, any))
	}
	vars := l.carried(s)
	before := snapshot(vars)
	l.setLoc(at)
	sw := l.b.Block(typesOf(values(vars))...)
	l.fr.exits = append(l.fr.exits, exit{brk: sw, vars: vars, isSwitch: true})
	old := l.b.Enter(sw.Regions[0])
	var fell *ir.Value
	for i, c := range s.Cases {
		run := or(entries[i], fell)
		if run == nil {
			continue
		}
		l.setLoc(c.Pos())
		fell = l.runCase(run, vars, c.Body)
	}
	if !l.b.Terminated() {
		l.b.Yield(values(vars)...)
	}
	l.b.Leave(old)
	l.fr.exits = l.fr.exits[:len(l.fr.exits)-1]
	restore(vars, before)
	set(vars, sw.Results)
}

// runCase executes a case's body if run is true, and returns whether it fell through to the next
// case; nil means never.
func (l *lowerer) runCase(run *ir.Value, vars []*variable, body []typed.Stmt) *ir.Value {
	before := snapshot(vars)
	in := l.b.If(run, typesOf(values(vars))...)
	at := l.at
	old := l.b.Enter(in.Regions[0])
	l.stmts(body)
	falls := !l.b.Terminated()
	l.setLoc(at)
	if falls {
		l.b.Yield(append(values(vars), l.b.Bool(true))...)
	}
	l.b.Leave(old)
	restore(vars, before)
	l.b.In(in.Regions[1], func() {
		vs := values(vars)
		if falls {
			vs = append(vs, l.b.Bool(false))
		}
		l.b.Yield(vs...)
	})
	set(vars, in.Results)
	if falls {
		return l.b.AddResult(in, ir.TI1)
	}
	return nil
}

func (l *lowerer) returnStmt(s *typed.Return) {
	fr := l.fr
	if fr.entry {
		if s.X != nil {
			l.effect(s.X)
		}
		l.watch(l.b.Return())
		return
	}
	var x val
	if s.X != nil {
		x = l.expr(s.X)
	}
	if fr.ret == nil { // the last statement
		fr.result = x
		return
	}
	switch {
	case fr.retTo != nil:
		l.storeAt(fr.retTo, x, false)
		l.b.Break(fr.ret)
	default:
		if x.fn != nil || x.arg != 0 {
			l.unsupported(s.Pos(), "returning a function pointer")
		}
		l.b.Break(fr.ret, flatten(nil, &x)...)
	}
}

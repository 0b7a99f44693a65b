package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// expr lowers an expression to its value; an lvalue is read.
func (l *lowerer) expr(e typed.Expr) val {
	l.setLoc(e.Pos())
	l.count()
	if e.Base().LValue {
		return l.read(e)
	}
	switch e := e.(type) {
	case *typed.Const:
		v := l.constVal(e.Value)
		v.typ = e.Typ
		return v
	case *typed.Load:
		return l.read(e.X)
	case *typed.AddrOf:
		return l.addrOf(e)
	case *typed.Member, *typed.Index, *typed.Swizzle:
		return l.load(l.place(e))
	case *typed.PtrAdd:
		p, n := l.expr(e.X), l.expr(e.N)
		return leafVal(e.Typ, l.ptrAdd(p, n.v, e.N.Type()))
	case *typed.PtrDiff:
		x, y := l.b.Op(ir.OpPtrToInt, l.expr(e.X).v), l.b.Op(ir.OpPtrToInt, l.expr(e.Y).v)
		size := max(int64(pointeeOf(e.X.Type()).Type.Size()), 1)
		return leafVal(e.Typ, l.b.Op(ir.OpSDiv, l.b.Op(ir.OpSub, x, y), l.b.Int(ir.TI64, size)))
	case *typed.Unary:
		return l.unary(e.Op, l.expr(e.X), e.Typ)
	case *typed.Binary:
		x := l.expr(e.X)
		y := l.expr(e.Y)
		l.setLoc(e.At)
		return l.binary(e.Op, x, y, e.Typ)
	case *typed.Logical:
		return l.logical(e)
	case *typed.Cond:
		return l.conditional(e)
	case *typed.Assign:
		return l.load(l.assign(e))
	case *typed.CompoundAssign:
		return l.load(l.compoundAssign(e))
	case *typed.IncDec:
		return l.incDec(e)
	case *typed.Convert:
		return l.convert(e)
	case *typed.Compose:
		return l.compose(e)
	case *typed.Aggregate, *typed.Construct:
		return l.aggregate(e)
	case *typed.Zero:
		return l.zero(e.Typ)
	case *typed.Call:
		return l.call(e.At, e.Func, l.exprs(e.Args))
	case *typed.Builtin:
		if table, index, ok := entryOf(e); ok {
			return l.entry(e, table, index)
		}
		return l.builtin(e)
	case *typed.FuncAddr:
		return val{typ: e.Typ, fn: e.Func}
	case *typed.CallPtr:
		fn := l.expr(e.Fn)
		if fn.fn == nil && fn.v != nil && fn.v.Type == ir.TI64 {
			return l.callEntry(e, fn, l.exprs(e.Args))
		}
		if fn.fn == nil {
			l.unsupported(e.At, "calls through function pointers or visible function tables")
		}
		return l.call(e.At, fn.fn, l.exprs(e.Args))
	case *typed.Comma:
		l.effect(e.X)
		return l.expr(e.Y)
	}
	l.unsupported(e.Pos(), "this expression (%T)", e)
	return val{}
}

// read reads an lvalue. A choice between objects is a choice between their values.
func (l *lowerer) read(e typed.Expr) val {
	if c, ok := e.(*typed.Cond); ok {
		return l.conditional(c)
	}
	return l.load(l.place(e))
}

func (l *lowerer) exprs(list []typed.Expr) []val {
	out := make([]val, len(list))
	for i, e := range list {
		out[i] = l.expr(e)
	}
	return out
}

// effect lowers an expression whose value is unused.
func (l *lowerer) effect(e typed.Expr) {
	l.setLoc(e.Pos())
	switch e := e.(type) {
	case *typed.Call:
		if l.fr.facts.tail[e] {
			l.tailCall(e)
			return
		}
		l.expr(e)
	case *typed.Assign:
		l.assign(e)
	case *typed.CompoundAssign:
		l.compoundAssign(e)
	case *typed.IncDec:
		l.incDec(e)
	case *typed.Comma:
		l.effect(e.X)
		l.effect(e.Y)
	case *typed.Convert:
		if e.Kind == typed.ConvVoid {
			l.effect(e.X)
			return
		}
		l.expr(e)
	case *typed.Const, *typed.VarRef, *typed.Zero:
	case *typed.Deref:
		l.effect(e.X)
	case *typed.Load:
		if _, ok := e.X.(*typed.VarRef); !ok {
			l.expr(e)
		}
	default:
		l.expr(e)
	}
}

// exprInto stores the value of an expression in memory that the expression itself cannot access.
func (l *lowerer) exprInto(p place, e typed.Expr) {
	l.setLoc(e.Pos())
	if p.addr != nil && l.shape(p.typ).class == inMemory {
		switch e := e.(type) {
		case *typed.Load:
			if _, cond := e.X.(*typed.Cond); !cond {
				if q := l.place(e.X); q.addr != nil && q.lanes == nil && q.lane == nil && q.bits == nil {
					l.b.OpImm(ir.OpCopy, ir.TVoid, int64(p.typ.Size()), p.addr, q.addr)
					return
				}
			}
		case *typed.Zero:
			l.clear(p.addr, p.typ)
			return
		case *typed.Construct:
			l.clear(p.addr, p.typ)
			l.construct(e, p.addr)
			return
		case *typed.Aggregate:
			l.aggregateInto(p.addr, e)
			return
		}
	}
	l.store(p, l.expr(e))
}

func (l *lowerer) aggregateInto(addr *ir.Value, e *typed.Aggregate) {
	var n int
	var partAt func(int) (types.Type, int64)
	switch t := e.Typ.(type) {
	case *types.Array:
		n = t.Len
		partAt = func(i int) (types.Type, int64) { return t.Elem, int64(i * t.Elem.Size()) }
	case *types.Struct:
		n = len(t.Fields)
		partAt = func(i int) (types.Type, int64) { return t.Fields[i].Type.Type, int64(t.Fields[i].Offset) }
	default:
		l.storeAt(addr, l.aggregate(e), false)
		return
	}
	l.clear(addr, e.Typ)
	for i, x := range e.Elems {
		if x == nil || i >= n {
			continue
		}
		if _, zero := x.(*typed.Zero); zero {
			continue
		}
		t, offset := partAt(i)
		if s, ok := e.Typ.(*types.Struct); ok && s.Fields[i].IsBits {
			l.store(l.member(place{typ: s, addr: addr}, s, i), l.expr(x))
			continue
		}
		l.exprInto(place{typ: t, addr: l.b.Field(addr, offset)}, x)
	}
}

func (l *lowerer) aggregate(e typed.Expr) val {
	s := l.shape(e.Type())
	if c, ok := e.(*typed.Construct); ok {
		addr := l.alloca(c.Typ, "")
		l.clear(addr, c.Typ)
		l.construct(c, addr)
		if s.class == inMemory {
			return val{typ: c.Typ, addr: addr}
		}
		return l.loadAt(addr, c.Typ, false)
	}
	a := e.(*typed.Aggregate)
	switch s.class {
	case inMemory:
		addr := l.alloca(a.Typ, "")
		l.aggregateInto(addr, a)
		return val{typ: a.Typ, addr: addr}
	case tree:
		v := val{typ: a.Typ, parts: make([]val, len(s.parts))}
		for i, p := range s.parts {
			if i < len(a.Elems) && a.Elems[i] != nil {
				v.parts[i] = l.expr(a.Elems[i])
			} else {
				v.parts[i] = l.zero(p.typ)
			}
		}
		return v
	}
	if len(a.Elems) == 1 && a.Elems[0] != nil {
		return l.expr(a.Elems[0])
	}
	if len(a.Elems) == 0 {
		return l.zero(a.Typ)
	}
	return l.composeVals(a.Typ, l.exprs(a.Elems))
}

func (l *lowerer) compose(e *typed.Compose) val { return l.composeVals(e.Typ, l.exprs(e.Elems)) }

// composeVals builds a vector or matrix from the concatenated components of values.
func (l *lowerer) composeVals(t types.Type, vals []val) val {
	var scalars []*ir.Value
	var add func(v *val)
	add = func(v *val) {
		for i := range v.parts {
			add(&v.parts[i])
		}
		if v.v != nil {
			for i := range v.v.Type.Lanes() {
				scalars = append(scalars, l.b.Extract(v.v, i))
			}
		}
	}
	s := l.shape(t)
	if s.class == tree && len(vals) == len(s.parts) { // a matrix from its columns
		out := val{typ: t, parts: vals}
		whole := true
		for i := range vals {
			whole = whole && vals[i].typ == s.parts[i].typ
		}
		if whole {
			return out
		}
	}
	for i := range vals {
		add(&vals[i])
	}
	return l.fromScalars(t, scalars)
}

func (l *lowerer) fromScalars(t types.Type, scalars []*ir.Value) val {
	if s := l.shape(t); s.class == tree {
		out := val{typ: t, parts: make([]val, len(s.parts))}
		for i, p := range s.parts {
			n := types.LenOf(p.typ)
			out.parts[i] = l.fromScalars(p.typ, scalars[i*n:(i+1)*n])
		}
		return out
	}
	it := l.leafType(t)
	if it.Lanes() == 1 {
		return leafVal(t, scalars[0])
	}
	return leafVal(t, l.b.OpAs(ir.OpBuild, it, scalars[:it.Lanes()]...))
}

// pure reports whether an expression may be evaluated where C++ would not: it has no side effects
// and is cheap.
func (l *lowerer) pure(e typed.Expr, budget *int) bool {
	if *budget--; *budget < 0 {
		return false
	}
	switch e := e.(type) {
	case *typed.Const:
		return l.shape(e.Typ).class == leaf
	case *typed.Load:
		return l.pure(e.X, budget)
	case *typed.VarRef:
		x := l.fr.vars.of(e.Var)
		return x != nil && x.addr == nil || x == nil && e.Var.Value.IsValid() && l.shape(e.Var.Type).class == leaf
	case *typed.Swizzle:
		return l.pure(e.X, budget)
	case *typed.Member:
		return l.pure(e.X, budget)
	case *typed.Unary:
		return l.pure(e.X, budget)
	case *typed.Binary:
		return l.pure(e.X, budget) && l.pure(e.Y, budget)
	case *typed.Logical:
		return l.pure(e.X, budget) && l.pure(e.Y, budget)
	case *typed.Convert:
		return e.Kind != typed.ConvDecay && e.Kind != typed.ConvVoid && l.pure(e.X, budget)
	}
	return false
}

const pureBudget = 12

func (l *lowerer) logical(e *typed.Logical) val {
	x := l.expr(e.X).v
	budget := pureBudget
	if l.pure(e.Y, &budget) {
		op := ir.OpAnd
		if e.Or {
			op = ir.OpOr
		}
		return leafVal(e.Typ, l.b.Op(op, x, l.expr(e.Y).v))
	}
	vars := l.carried(e)
	then := func() []*ir.Value { return []*ir.Value{l.expr(e.Y).v} }
	els := func() []*ir.Value { return []*ir.Value{l.b.Bool(e.Or)} }
	if e.Or {
		then, els = els, then
	}
	return leafVal(e.Typ, l.choose(x, vars, []ir.Type{ir.TI1}, then, els)[0])
}

// conditional lowers the value of c ? x : y.
func (l *lowerer) conditional(e *typed.Cond) val {
	if c, ok := e.C.(*typed.Const); ok {
		if c.Value.Truth() {
			return l.expr(e.X)
		}
		return l.expr(e.Y)
	}
	c := l.expr(e.C).v
	s := l.shape(e.Typ)
	budget := pureBudget
	if s.class == leaf && c.Type == ir.TI1 && l.pure(e.X, &budget) && l.pure(e.Y, &budget) {
		x, y := l.expr(e.X), l.expr(e.Y)
		if x.v != nil && y.v != nil {
			return leafVal(e.Typ, l.b.Op(ir.OpSelect, c, x.v, y.v))
		}
	}
	vars := l.carried(e)
	if s.class == inMemory {
		addr := l.alloca(e.Typ, "")
		into := func(x typed.Expr) func() []*ir.Value {
			return func() []*ir.Value {
				l.storeAt(addr, l.expr(x), false)
				return nil
			}
		}
		l.choose(c, vars, nil, into(e.X), into(e.Y))
		return val{typ: e.Typ, addr: addr}
	}
	if s.class == noValue {
		l.choose(c, vars, nil, func() []*ir.Value { l.effect(e.X); return nil },
			func() []*ir.Value { l.effect(e.Y); return nil })
		return val{typ: e.Typ}
	}
	var results []ir.Type
	var fill func(t types.Type) val
	mark := &ir.Value{}
	fill = func(t types.Type) val {
		s := l.shape(t)
		if s.class == leaf {
			results = append(results, l.leafType(t))
			return leafVal(t, mark)
		}
		v := val{typ: t, parts: make([]val, len(s.parts))}
		for i, p := range s.parts {
			v.parts[i] = fill(p.typ)
		}
		return v
	}
	template := fill(e.Typ)
	arm := func(x typed.Expr) func() []*ir.Value {
		return func() []*ir.Value {
			v := l.expr(x)
			if v.fn != nil || v.arg != 0 {
				l.unsupported(x.Pos(), "a choice between functions or arrays of textures")
			}
			return flatten(nil, &v)
		}
	}
	v, _ := rebuild(&template, l.choose(c, vars, results, arm(e.X), arm(e.Y)))
	return v
}

func (l *lowerer) assign(e *typed.Assign) place {
	if ld, ok := e.Y.(*typed.Load); ok && l.shape(e.X.Type()).class == inMemory {
		if _, cond := ld.X.(*typed.Cond); !cond {
			q := l.place(ld.X)
			p := l.place(e.X)
			l.setLoc(e.At)
			if p.addr != nil && q.addr != nil {
				l.b.OpImm(ir.OpCopy, ir.TVoid, int64(p.typ.Size()), p.addr, q.addr)
				return p
			}
			l.store(p, l.load(q))
			return p
		}
	}
	y := l.expr(e.Y)
	p := l.place(e.X)
	l.setLoc(e.At)
	l.store(p, y)
	return p
}

func (l *lowerer) compoundAssign(e *typed.CompoundAssign) place {
	y := l.expr(e.Y)
	p := l.place(e.X)
	l.setLoc(e.At)
	old := l.load(p)
	if _, ok := e.X.Type().(*types.Pointer); ok {
		n := y.v
		if e.Op == types.Sub {
			n = l.b.Op(ir.OpNeg, l.index64(y.v, e.Y.Type()))
			l.store(p, leafVal(p.typ, l.ptrAdd(old, n, types.Long)))
			return p
		}
		l.store(p, leafVal(p.typ, l.ptrAdd(old, n, e.Y.Type())))
		return p
	}
	x := old
	if e.OpType != nil && e.OpType != old.typ {
		x = l.convertVal(e.To, old, e.OpType)
	}
	opType := x.typ
	if e.OpType != nil {
		opType = e.OpType
	}
	r := l.binary(e.Op, x, y, opType)
	if e.OpType != nil && e.OpType != old.typ {
		r = l.convertVal(e.From, r, old.typ)
	}
	r.typ = p.typ
	l.store(p, r)
	return p
}

func (l *lowerer) incDec(e *typed.IncDec) val {
	p := l.place(e.X)
	old := l.load(p)
	var next *ir.Value
	t := old.v.Type
	switch {
	case t.Kind == ir.Pointer:
		n := int64(1)
		if e.Dec {
			n = -1
		}
		next = l.ptrAdd(old, l.b.Int(ir.TI64, n), types.Long)
	case t.Kind == ir.I1:
		next = l.b.Bool(true)
	case t.Kind.IsFloat():
		op := ir.OpFAdd
		if e.Dec {
			op = ir.OpFSub
		}
		next = l.b.Op(op, old.v, l.b.Float(t, 1))
	default:
		op := ir.OpAdd
		if e.Dec {
			op = ir.OpSub
		}
		next = l.b.Op(op, old.v, l.b.Int(t, 1))
	}
	now := leafVal(p.typ, next)
	l.store(p, now)
	if e.Post {
		return old
	}
	return now
}

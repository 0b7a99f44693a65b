package check

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [over.best.ics] and [over.ics.rank]: the implicit conversion of an argument is a standard
// conversion, a user-defined one, which is a constructor or a conversion function with a standard
// conversion before and after it, or an ellipsis, from best to worst. Standard conversions rank
// exact match, promotion, conversion. [dcl.init.ref]: a reference binds to the object itself if it
// can, and otherwise, if it may not write, to a temporary.

// conv describes the conversion of an expression to the type of a parameter or variable.
type conv struct {
	ok   bool
	how  howConv
	std  types.Conversion // also the second step, after a user-defined conversion function
	rank convRank
	user *function
	bind types.Binding
	inC  bool // the dialect has it and Metal has not
}

type howConv uint8

const (
	howStd  howConv = iota
	howBind         // a reference to the object itself
	howTemp         // a reference to a temporary
	howCtor
	howFunc // a user-defined conversion function
	howList
	howFnAddr
	howBad

	// howTempOf is a flag combined with the others: the converted value goes into a temporary, and
	// the reference binds to that.
	howTempOf howConv = 0x80
)

type convRank uint8

const (
	rankExact convRank = iota
	rankPromotion
	rankConversion
	rankUser
	rankEllipsis
)

// compare orders two conversions of the same argument: negative if a is better.
func (a conv) compare(b conv) int {
	if a.rank != b.rank {
		return int(a.rank) - int(b.rank)
	}
	if a.rank == rankUser {
		if a.user != b.user {
			return 0
		}
		return a.std.Compare(b.std)
	}
	if n := a.std.Compare(b.std); n != 0 {
		return n
	}
	if !a.bind.OK() || !b.bind.OK() {
		return 0
	}
	if a.bind.RValueRef != b.bind.RValueRef {
		if a.bind.RValueRef == a.bind.Temporary {
			return -1
		}
		return 1
	}
	if a.bind.Base != b.bind.Base {
		return 0
	}
	return a.bind.Added - b.bind.Added
}

func stdConv(s types.Conversion) conv {
	return conv{ok: s.OK() && !s.Explicit(), std: s, rank: convRank(s.Rank)}
}

// classify finds the implicit conversion of an expression to a type.
func (c *checker) classify(e typed.Expr, to Q) conv { return c.classifyUser(e, to, true) }

// classifyUser is classify; it ignores user-defined conversions unless user is set.
func (c *checker) classifyUser(e typed.Expr, to Q, user bool) conv {
	c.step()
	if c.isBad(to.Type) || c.isBad(e.Type()) {
		if _, plain := e.(*badExpr); plain || c.isBad(to.Type) {
			return conv{ok: true, how: howBad}
		}
	}
	if r, ok := to.Type.(*types.Reference); ok {
		return c.classifyRef(e, r, user)
	}
	if p, ok := to.Type.(*types.Pointer); ok && p.Elem.Space == types.Constant && !p.Elem.Const {
		to.Type = c.u.Pointer(p.Elem.WithConst()) // constant memory is always const
	}
	switch e := e.(type) {
	case *initList:
		return c.classifyKnown(e, to)
	case *overload:
		return c.classifyFunc(e, to.Type)
	case *typeOperand:
		return conv{}
	}
	from := e.Type()
	b := e.Base()
	if from == to.Type {
		return conv{ok: true, std: types.Conversion{Kind: types.Identity}}
	}
	if _, ok := from.(*types.Array); ok {
		if p, isPtr := to.Type.(*types.Pointer); isPtr {
			return stdConv(types.DecayTo(qOf(e), p))
		}
	}
	if _, ok := to.Type.(*types.Pointer); ok && !b.LValue && isZero(e) {
		return conv{ok: true, std: types.Conversion{Kind: types.NullToPointer, Rank: types.Converted}, rank: rankConversion}
	}
	if k := stdConv(types.Implicit(from, to.Type)); k.ok {
		return k
	}
	if c.inC() {
		if k := conversionInC(e, to.Type); k.ok {
			return k
		}
	}
	if c.infers() && to.Type == types.Type(types.BFloat) || from == types.Type(types.BFloat) && c.infers() {
		if k := conversionOfBFloat(from, to.Type); k.ok {
			return k
		}
	}
	if !user {
		return conv{}
	}
	if s, ok := from.(*types.Struct); ok {
		if k := c.classifyOperator(e, s, to); k.ok {
			return k
		}
	}
	if s, ok := to.Type.(*types.Struct); ok {
		return c.classifyCtor(e, s)
	}
	return conv{}
}

// classifyRef finds the binding of a reference.
func (c *checker) classifyRef(e typed.Expr, r *types.Reference, user bool) conv {
	if r.Elem.Space == types.Constant && !r.Elem.Const {
		r = c.u.Reference(r.Elem.WithConst(), r.RValue)
	}
	switch e := e.(type) {
	case *initList:
		temporary := (r.RValue || r.Elem.Const) && types.SameSpace(r.Elem.Space, types.Thread)
		if k := c.classifyKnown(e, Q{Type: r.Elem.Type}); k.ok && temporary {
			k.how = howTemp
			return k
		}
		return conv{}
	case *overload:
		if f, ok := r.Elem.Type.(*types.Func); ok {
			if g := c.functionOfType(e, f); g != nil {
				return conv{ok: true, how: howFnAddr, user: g}
			}
		}
		return conv{}
	case *typeOperand:
		return conv{}
	}
	if s, ok := e.Type().(*types.Struct); ok {
		if k := c.classes[s]; k != nil {
			c.complete(k)
		}
	}
	bn := types.BindReference(qOf(e), e.Base().LValue, r)
	if bn.OK() && !bn.Explicit() {
		k := conv{ok: true, how: howBind, std: bn.Conversion, rank: convRank(bn.Rank), bind: bn}
		if bn.Temporary {
			k.how = howTemp
			if e.Base().LValue && e.Type() == r.Elem.Type {
				k.rank = max(k.rank, rankConversion) // a copy, since the object is in another address space
			}
		}
		return k
	}
	if _, swz := e.(*typed.Swizzle); swz && e.Base().LValue {
		return conv{}
	}
	if user && (r.RValue || r.Elem.Const) && types.SameSpace(r.Elem.Space, types.Thread) && e.Type() != r.Elem.Type {
		if k := c.classify(e, Q{Type: r.Elem.Type}); k.ok {
			k.bind = types.Binding{Conversion: types.Conversion{Kind: types.Identity}, Temporary: true, RValueRef: r.RValue}
			k.how |= howTempOf
			return k
		}
	}
	// An object in the constant address space may be copied into a temporary for a const thread
	// reference.
	if e.Base().LValue && r.Elem.Const && types.SameSpace(r.Elem.Space,
		types.Thread) && e.Type() == r.Elem.Type && !types.SameSpace(e.Base().Space, types.Thread) {
		if _, ok := e.Type().(*types.Array); !ok {
			return conv{ok: true, how: howTemp, std: types.Conversion{Kind: types.Identity, Quals: 2}, rank: rankConversion}
		}
	}
	return conv{}
}

func (c *checker) classifyFunc(e *overload, to types.Type) conv {
	if p, ok := to.(*types.Pointer); ok {
		to = p.Elem.Type
	}
	if f, ok := to.(*types.Func); ok && e.obj == nil {
		if g := c.functionOfType(e, f); g != nil {
			return conv{ok: true, how: howFnAddr, user: g}
		}
	}
	return conv{}
}

// classifyOperator looks for a user-defined conversion function.
func (c *checker) classifyOperator(e typed.Expr, s *types.Struct, to Q) conv {
	k := c.classes[s]
	if k == nil {
		return conv{}
	}
	c.complete(k)
	if f := c.lambdaFunction(k, to.Type); f != nil {
		return conv{ok: true, how: howFnAddr, rank: rankUser, user: f}
	}
	best := conv{}
	ambiguous := false
	for _, f := range c.allConvs(k) {
		g := c.conversionTo(f, to.Type)
		if g == nil || f.decl.Spec.Explicit || !c.objectFits(e, g) {
			continue
		}
		t := g.result.Type
		if r, ok := t.(*types.Reference); ok {
			t = r.Elem.Type
		}
		std := types.Conversion{Kind: types.Identity}
		if t != to.Type {
			std = types.Implicit(t, to.Type)
		}
		if !std.OK() || std.Explicit() {
			continue
		}
		k := conv{ok: true, how: howFunc, std: std, rank: rankUser, user: g}
		switch n := std.Compare(best.std); {
		case !best.ok || n < 0 || n == 0 && best.user.tmpl != nil && g.tmpl == nil:
			best, ambiguous = k, false
		case n == 0 && (g.tmpl == nil) == (best.user.tmpl == nil) && g.konst == best.user.konst:
			ambiguous = true
		}
	}
	if ambiguous {
		return conv{}
	}
	return best
}

// conversionTo returns the conversion function; for a template, the instance that yields the type,
// or nil if there is none.
func (c *checker) conversionTo(f *function, t types.Type) *function {
	if !f.isTemplate() {
		if !c.signature(f) {
			return nil
		}
		return f
	}
	d := c.newDeducer(f.tparams)
	ok := false
	c.in(f.scope, func() { ok = d.typ(f.decl.Name.Last().Type, Q{Type: t}) })
	if !ok {
		return nil
	}
	return c.instFunc(f, d.result(f.tparams))
}

// allConvs lists the conversion functions of a class and of its bases.
func (c *checker) allConvs(k *class) []*function {
	if len(k.bases) == 0 {
		return k.convs
	}
	return c.addConvs(nil, k, make(map[*class]int))
}

// addConvs adds the conversion functions of a class to a list. A base reached along several paths
// is added at most twice, which is enough to make its conversions ambiguous.
func (c *checker) addConvs(list []*function, k *class, times map[*class]int) []*function {
	if times[k]++; times[k] > 2 {
		return list
	}
	c.step()
	list = append(list, k.convs...)
	for _, b := range k.bases {
		c.complete(b)
		list = c.addConvs(list, b, times)
	}
	return list
}

// objectFits reports whether a method can be called on an object.
func (c *checker) objectFits(e typed.Expr, f *function) bool {
	b := e.Base()
	if !b.LValue {
		return f.space == types.Thread
	}
	return types.SameSpace(b.Space, f.space) && (!b.Const || f.konst)
}

// classifyCtor looks for a constructor that takes the expression as its only argument.
func (c *checker) classifyCtor(e typed.Expr, s *types.Struct) conv {
	k := c.classes[s]
	if k == nil {
		return conv{}
	}
	c.complete(k)
	if len(k.ctors) == 0 {
		return conv{}
	}
	var fns []*function
	for _, f := range k.ctors {
		if !f.decl.Spec.Explicit {
			fns = append(fns, f)
		}
	}
	m, _ := c.resolveCtor(fns, []typed.Expr{e}, types.Thread, true)
	if m == nil {
		return conv{}
	}
	return conv{ok: true, how: howCtor, rank: rankUser, user: m.fn}
}

// implicit converts an expression, or reports that it cannot be converted.
func (c *checker) implicit(e typed.Expr, to Q, what string) typed.Expr {
	k := c.classify(e, to)
	if !k.ok {
		c.noConversion(e, to, what)
		return c.badExpr(at{e.Pos()})
	}
	if r, ok := to.Type.(*types.Reference); ok && k.how == howBind && !r.Elem.Const && !c.addressable(e, at{e.Pos()}) {
		return c.badExpr(at{e.Pos()})
	}
	c.changed(e, to.Type)
	return c.apply(e, k, to)
}

func (c *checker) noConversion(e typed.Expr, to Q, what string) {
	switch x := e.(type) {
	case *badExpr:
		c.failed()
		return
	case *overload, *typeOperand:
		if v := c.value(x); !c.isBad(v.Type()) {
			c.errorf(diag.NoConversion, at{e.Pos()}, "no viable conversion from '%s' to '%s' for %s", v.Type(), to, what)
		}
		return
	case *initList:
		c.errorf(diag.BadInit, at{e.Pos()}, "%s of type '%s' cannot be initialized with this list", what, to)
		return
	}
	from := qOf(e)
	if r, ok := to.Type.(*types.Reference); ok && from.Type == r.Elem.Type {
		switch {
		case !e.Base().LValue:
			c.errorf(diag.BindTemporary, at{e.Pos()}, "%s of type '%s' cannot bind to a temporary", what, to)
		case r.RValue:
			c.errorf(diag.BindTemporary, at{e.Pos()}, "%s of type '%s' cannot bind to lvalue of type '%s'", what,
				to, from.Type)
		case !types.SameSpace(from.Space, r.Elem.Space):
			c.errorf(diag.SpaceMismatch, at{e.Pos()}, "%s of type '%s' cannot bind to an object in address space '%s'",
				what, to, from.Space.Or(types.Thread))
		default:
			c.errorf(diag.DropsConst, at{e.Pos()}, "%s of type '%s' drops qualifiers of '%s'", what, to, from)
		}
		return
	}
	if p, ok := from.Type.(*types.Pointer); ok {
		if q, ok := to.Type.(*types.Pointer); ok {
			from.Space = types.None // irrelevant: the address space of the pointer itself
			switch {
			case !types.SameSpace(p.Elem.Space, q.Elem.Space):
				c.errorf(diag.SpaceMismatch, at{e.Pos()},
					"%s of type '%s' does not accept '%s', which points to a different address space",
					what, to, from.Type)
				return
			case p.Elem.Type == q.Elem.Type:
				c.errorf(diag.DropsConst, at{e.Pos()}, "%s of type '%s' drops qualifiers of '%s'", what, to, from)
				return
			}
		}
	}
	from.Space, from.Const = types.None, false
	if s, ok := to.Type.(*types.Struct); ok && s.Template == "metal::array_ref" {
		if f, ok := from.Type.(*types.Struct); ok && f.Template == "metal::array" {
			c.errorf(diag.UnsupportedType, at{e.Pos()}, "not supported: the conversion from '%s' to '%s'", from, to)
			return
		}
	}
	c.errorf(diag.NoConversion, at{e.Pos()}, "no viable conversion from '%s' to '%s' for %s", from, to, what)
}

// apply carries out a conversion.
func (c *checker) apply(e typed.Expr, k conv, to Q) typed.Expr {
	if k.how&howTempOf != 0 {
		r := to.Type.(*types.Reference)
		k.how &^= howTempOf
		v := c.apply(e, k, Q{Type: r.Elem.Type})
		return c.addr(c.temp(v, r.Elem))
	}
	if k.inC {
		c.recordCast(e, Cast{To: to.Type})
	}
	switch k.how {
	case howBad:
		return c.badExpr(at{e.Pos()})
	case howFnAddr:
		return c.funcAddr(k.user, e.Pos())
	case howList:
		return c.initFromList(e.(*initList), to)
	case howBind:
		r := to.Type.(*types.Reference)
		x := c.toBase(e, r.Elem.Type)
		return c.asPointer(c.addr(x), c.u.Pointer(r.Elem))
	case howTemp:
		r := to.Type.(*types.Reference)
		var v typed.Expr
		if l, ok := e.(*initList); ok {
			v = c.initFromList(l, Q{Type: r.Elem.Type})
		} else {
			v = c.stdApply(c.load(e), k.std, r.Elem.Type)
			if a, ok := e.Type().(*types.Array); ok && a == r.Elem.Type {
				v = &typed.Load{Info: rvAt(e.Pos(), a), X: e}
			}
		}
		return c.addr(c.temp(v, r.Elem))
	case howCtor:
		return c.construct(to.Type.(*types.Struct), []typed.Expr{e}, at{e.Pos()})
	case howFunc:
		v := c.callConversion(k.user, c.object(e), e.Pos())
		return c.stdApply(c.load(v), k.std, to.Type)
	}
	if k.user != nil {
		return c.badExpr(at{e.Pos()})
	}
	if k.std.Kind == types.Identity {
		if x := c.copied(e); x != nil {
			return x
		}
		if p, ok := to.Type.(*types.Pointer); ok {
			return c.asPointer(c.load(e), p)
		}
	}
	return c.stdApply(c.load(e), k.std, to.Type)
}

func (c *checker) temp(v typed.Expr, q Q) typed.Expr {
	return &typed.Temp{Info: lv(v.Pos(), q), X: v}
}

func (c *checker) asPointer(p typed.Expr, t *types.Pointer) typed.Expr {
	if p.Type() == types.Type(t) {
		return p
	}
	return &typed.Convert{Info: rvAt(p.Pos(), t), Kind: typed.ConvPointer, X: p}
}

// toBase denotes the base-class part of an object.
func (c *checker) toBase(e typed.Expr, t types.Type) typed.Expr {
	if e.Type() == t {
		return e
	}
	s, ok1 := e.Type().(*types.Struct)
	b, ok2 := t.(*types.Struct)
	if ok1 && ok2 {
		return c.memberPath(e, s.DerivesFrom(b), e.Pos())
	}
	return e
}

// stdApply carries out a standard conversion of a value.
func (c *checker) stdApply(v typed.Expr, k types.Conversion, to types.Type) typed.Expr {
	if v.Type() == to {
		return v
	}
	kind := typed.ConvArith
	switch k.Kind {
	case types.Identity:
		return v
	case types.BaseToDerived:
		return c.toDerived(v, to)
	case types.Qualify, types.ToVoidPointer, types.PointerCast, types.ArrayDecay:
		kind = typed.ConvPointer
	case types.FuncDecay:
		return v
	case types.NullToPointer:
		return c.konst(v.Pos(), types.NullValue(to))
	case types.DerivedToBase:
		if p, ok := to.(*types.Pointer); ok {
			x := c.toBase(c.deref(v), p.Elem.Type)
			return c.asPointer(c.addr(x), p)
		}
		return c.load(c.toBase(c.object(v), to))
	case types.PointerToBool:
		kind = typed.ConvPtrToBool
	case types.PointerToInt:
		kind = typed.ConvPtrToInt
	case types.IntToPointer:
		kind = typed.ConvIntToPtr
	case types.Splat:
		kind = typed.ConvSplat
		if e := types.ElemOf(to); e != nil && v.Type() != types.Type(e) {
			v = c.converted(v, typed.ConvArith, e)
		}
	case types.Unpack, types.Pack, types.VectorConv:
		kind = typed.ConvVector
	case types.MatrixConv:
		kind = typed.ConvMatrix
	case types.ToVoid:
		kind = typed.ConvVoid
	}
	if kind == typed.ConvArith && c.infers() {
		return c.convertedInCUDA(v, to)
	}
	return c.converted(v, kind, to)
}

// toDerived converts a pointer to a base into a pointer to the derived object.
func (c *checker) toDerived(v typed.Expr, to types.Type) typed.Expr {
	offset := 0
	from, ok1 := v.Type().(*types.Pointer)
	p, ok2 := to.(*types.Pointer)
	if ok1 && ok2 {
		b, isB := from.Elem.Type.(*types.Struct)
		d, isD := p.Elem.Type.(*types.Struct)
		if isB && isD {
			for _, i := range d.DerivesFrom(b) {
				f := &d.Fields[i]
				offset += f.Offset
				d, _ = f.Type.Type.(*types.Struct)
			}
		}
	}
	if offset != 0 {
		q := from.Elem
		q.Type = types.Char
		bytes := c.u.Pointer(q)
		v = &typed.Convert{Info: rvAt(v.Pos(), bytes), Kind: typed.ConvPointer, X: v}
		v = &typed.PtrAdd{Info: rvAt(v.Pos(), bytes), X: v, N: c.konst(v.Pos(), types.IntValue(types.Long, int64(-offset)))}
	}
	return &typed.Convert{Info: rvAt(v.Pos(), to), Kind: typed.ConvPointer, X: v}
}

// converted converts a value; a scalar constant stays a constant.
func (c *checker) converted(e typed.Expr, kind typed.ConvKind, to types.Type) typed.Expr {
	if k, ok := e.(*typed.Const); ok && kind == typed.ConvArith {
		if v, err := types.Convert(k.Value, to); err == nil {
			return c.konst(k.At, v)
		}
	}
	return c.slabs.converts.put(typed.Convert{Info: rvAt(e.Pos(), to), Kind: kind, X: e})
}

// toBool converts a condition.
func (c *checker) toBool(e typed.Expr, what string) typed.Expr {
	e2 := c.valueOrClass(e)
	if c.isBad(e2.Type()) {
		return e2
	}
	c.alwaysTrue(e2)
	if s, ok := e2.Type().(*types.Struct); ok {
		// An explicit conversion function is accepted too.
		if k := c.classes[s]; k != nil {
			for _, f := range c.allConvs(k) {
				if !f.isTemplate() && c.signature(f) && f.result.Type == types.Type(types.Bool) && c.objectFits(e, f) {
					return c.load(c.callConversion(f, c.object(e), e.Pos()))
				}
			}
		}
	}
	if en, ok := e2.Type().(*types.Enum); ok && !en.Scoped {
		return c.stdApply(e2, types.Conversion{Kind: types.ToBool}, types.Bool)
	}
	return c.load(c.implicit(e2, Q{Type: types.Bool}, what))
}

func (c *checker) valueOrClass(e typed.Expr) typed.Expr {
	if _, ok := e.Type().(*types.Struct); ok && e.Base().LValue {
		return e
	}
	return c.value(e)
}

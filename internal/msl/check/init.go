package check

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [dcl.init.list]: {...} initializes an aggregate member by member ([dcl.init.aggr]; braces of
// members may be left out, and members without a value get their default initializer or zero),
// anything else of class type by a constructor, where one that takes a std::initializer_list would
// come first, and a scalar by its only element; narrowing is an error. [dcl.init]: () and {} give
// value-initialization, and nothing at all default-initialization, which leaves scalars as they
// are.

func (c *checker) initList(x *ast.InitList) typed.Expr { return c.braced(x.Elems, x) }

// braced checks the elements of a braced list.
func (c *checker) braced(elems []ast.Expr, n ast.Node) *initList {
	l := &initList{Info: rv(n, c.u.NewStruct(types.StructRecord, "{...}")), node: n}
	named := false
	for _, e := range elems {
		name := ""
		if d, ok := e.(*ast.DesignatedInit); ok {
			if d.Field == nil {
				i, ok := c.constInt(d.Index, "index")
				if !ok || i < 0 || i > 1<<20 {
					continue
				}
				last := i
				if d.High != nil {
					if last, ok = c.constInt(d.High, "index"); !ok || last < i || last > 1<<20 {
						c.errorf(diag.BadInit, d, "array designator range is empty or too large")
						continue
					}
				}
				for len(l.places) < len(l.elems) {
					l.places = append(l.places, -1)
				}
				e = d.X
				if last > i {
					c.spend(int(last-i), 48*int(last-i))
					v := c.expr(e)
					for n := i; n <= last; n++ {
						l.places = append(l.places, int(n))
						l.elems = append(l.elems, v)
						l.fields = append(l.fields, "")
					}
					continue
				}
				l.places = append(l.places, int(i))
			} else {
				name, e, named = d.Field.Name, d.X, true
			}
		}
		for _, v := range c.exprList([]ast.Expr{e}) {
			l.elems = append(l.elems, v)
			l.fields = append(l.fields, name)
		}
	}
	if !named {
		l.fields = nil
	}
	return l
}

// classifyKnown is classifyList with memoization: nested lists are tried for every constructor of
// every enclosing class.
func (c *checker) classifyKnown(l *initList, to Q) conv {
	if c.explaining() {
		return c.classifyList(l, to)
	}
	k, ok := l.known[to.Type]
	if !ok {
		k = c.classifyList(l, to)
		if l.known == nil {
			l.known = make(map[types.Type]conv)
		}
		l.known[to.Type] = k
	}
	return k
}

// classifyList finds the conversion of a braced list to a type.
func (c *checker) classifyList(l *initList, to Q) conv {
	k := conv{ok: true, how: howList, rank: rankConversion}
	switch t := to.Type.(type) {
	case *types.Struct:
		k.rank = rankUser
		cl := c.classes[t]
		if cl == nil {
			return k
		}
		c.complete(cl)
		if len(l.elems) == 0 {
			return k
		}
		if c.inC() && c.wideLanes(t) > 0 && len(l.elems) > 1 {
			n := 0
			for _, e := range l.elems {
				if s, ok := e.Type().(*types.Struct); ok {
					n += c.wideLanes(s)
				} else {
					n += max(1, types.LenOf(e.Type()))
				}
			}
			k.ok = n == c.wideLanes(t)
			return k
		}
		if isInitializerList(cl) {
			for _, e := range l.elems {
				k.ok = k.ok && c.classify(e, cl.args[0].q).ok
			}
			return k
		}
		if len(cl.ctors) > 0 {
			m, _ := c.resolveCtor(cl.ctors, l.elems, types.Thread, false)
			k.ok = m != nil
			return k
		}
		k.ok = len(l.elems) <= max(types.Leaves(t), len(t.Fields)) // members without leaves take elements, too
	case *types.Array:
		k.ok = t.Len == types.Unsized || len(l.elems) <= types.Leaves(t)
	case *types.Basic, *types.Pointer, *types.Enum:
		if len(l.elems) > 1 {
			return conv{}
		}
		if len(l.elems) == 1 {
			return c.classify(l.elems[0], to).asList()
		}
	case *types.Vector, *types.Packed:
		n := 0
		for _, e := range l.elems {
			n += max(1, types.LenOf(e.Type()))
		}
		k.ok = n <= types.LenOf(t) || len(l.elems) == 1
		if c.inC() && n < types.LenOf(t) {
			k.ok = false
		}
	}
	return k
}

// elided returns how many elements of a list initialize an object of type t whose braces are
// omitted. whole reports that the first element alone initializes it.
func (c *checker) elided(t types.Type, elems []typed.Expr) (n int, whole bool) {
	if len(elems) == 0 {
		return 0, false
	}
	e := elems[0]
	if _, braced := e.(*initList); braced {
		return 1, true
	}
	c.step()
	switch t := t.(type) {
	case *types.Array:
		if _, str := literalFor(e, t); str {
			return 1, false // equivalent to one in braces
		}
		if e.Type() == types.Type(t) || t.Len == types.Unsized {
			return 1, true
		}
		if types.Leaves(t) == 0 {
			return 0, false
		}
		for i := 0; i < t.Len && n < len(elems); i++ {
			m, _ := c.elided(t.Elem, elems[n:])
			n += m
		}
		return n, false
	case *types.Struct:
		k := c.classes[t]
		if k == nil && t.Template != "metal::array" { // the only library aggregate
			return 1, true
		}
		if k != nil && len(k.ctors) > 0 || e.Type() == types.Type(t) || c.classify(e, Q{Type: t}).ok {
			return 1, true
		}
		if types.Leaves(t) == 0 {
			return 0, false
		}
		for i := range t.Fields {
			if n >= len(elems) || t.IsUnion() && i > 0 {
				break
			}
			if f := &t.Fields[i]; !f.IsBits || f.Name != "" {
				m, _ := c.elided(f.Type.Type, elems[n:])
				n += m
			}
		}
		return n, false
	}
	return 1, true
}

// group collects elements written without inner braces into one list per array element.
func (c *checker) group(t types.Type, elems []typed.Expr, l *initList) []typed.Expr {
	var out []typed.Expr
	for len(elems) > 0 {
		n, whole := c.elided(t, elems)
		if whole || n == 0 {
			out, elems = append(out, elems[0]), elems[1:]
			continue
		}
		out = append(out, &initList{Info: l.Info, elems: elems[:n], node: l.node})
		elems = elems[n:]
	}
	return out
}

func (k conv) asList() conv {
	k.how = howList
	return k
}

// initFromList initializes a type from a braced list.
func (c *checker) initFromList(l *initList, to Q) typed.Expr {
	n := at{l.At}
	if l.node != nil {
		n = at{l.node.Pos()}
	}
	for _, e := range l.elems {
		if _, ok := e.(*badExpr); ok {
			return c.badExpr(n)
		}
	}
	if len(l.elems) == 0 {
		return c.valueInit(Q{Type: to.Type}, n)
	}
	if s, ok := to.Type.(*types.Struct); ok && len(l.elems) > 1 && c.inC() && l.fields == nil && l.places == nil {
		if lanes := c.wideLanes(s); lanes > 0 {
			if x, ok := l.node.(*ast.InitList); ok && c.opts.Record != nil {
				c.opts.Record.Types[x] = s
			}
			return c.composeWide(s, lanes, l.elems, n)
		}
	}
	if r, ok := to.Type.(*types.Reference); ok {
		if len(l.elems) == 1 {
			return c.implicit(l.elems[0], to, "reference")
		}
		return c.addr(c.temp(c.initFromList(l, Q{Type: r.Elem.Type}), r.Elem))
	}
	switch t := to.Type.(type) {
	case *types.Struct:
		return c.structFromList(l, t, n)
	case *types.Array:
		return c.arrayFromList(l, t, n)
	case *types.Vector, *types.Packed:
		if len(l.elems) == 1 {
			if _, ok := l.elems[0].(*initList); !ok {
				return c.castTo(l.elems[0], to, n, ast.CStyleCast)
			}
		}
		// If there are fewer components than the vector has, the rest is zero.
		got := 0
		for _, e := range l.elems {
			got += max(1, types.LenOf(e.Type()))
		}
		elems := l.elems
		for _, e := range elems {
			c.narrowing(e, types.ElemOf(t))
		}
		for ; got < types.LenOf(t); got++ {
			elems = append(elems[:len(elems):len(elems)], c.konst(n.Pos(), types.IntValue(types.Int, 0)))
		}
		return c.compose(to.Type, elems, n)
	case *types.Matrix:
		if len(l.elems) == 1 {
			return c.matrixFrom(t, l.elems[0], n)
		}
		return c.compose(t, l.elems, n)
	}
	if len(l.elems) > 1 {
		if e := c.libConstruct(to, l.elems, n); e != nil {
			return e
		}
		c.errorf(diag.BadInit, n, "excess elements in initializer of '%s': %d given, 1 expected", to, len(l.elems))
		return c.badExpr(n)
	}
	e := c.implicit(l.elems[0], Q{Type: to.Type}, "initializer")
	c.narrowing(l.elems[0], to.Type)
	return c.load(e)
}

func (c *checker) structFromList(l *initList, t *types.Struct, n ast.Node) typed.Expr {
	k := c.classes[t]
	if k == nil {
		if e := c.libConstruct(Q{Type: t}, l.elems, n); e != nil {
			return e
		}
		return c.aggregate(l, t, nil, n)
	}
	if !c.need(t, n) {
		return c.badExpr(n)
	}
	if len(k.ctors) > 0 {
		if l.fields == nil {
			return c.construct(t, l.elems, n)
		}
		c.errorf(diag.BadInit, n, "initialization of non-aggregate type '%s' with a designated initializer list", t)
		return c.badExpr(n)
	}
	if isInitializerList(k) {
		a := c.arrayFromList(l, c.u.Array(k.args[0].q.Type, len(l.elems)), n)
		if c.isBad(a.Type()) {
			return a
		}
		first := c.asPointer(c.load(c.temp(a, Q{Type: a.Type()})), t.Fields[0].Type.Type.(*types.Pointer))
		size := c.konst(n.Pos(), types.IntValue(types.ULong, int64(len(l.elems))))
		return &typed.Aggregate{Info: rv(n, t), Elems: []typed.Expr{first, size}}
	}
	if len(l.elems) == 1 && l.fields == nil {
		if e := l.elems[0]; e.Type() == types.Type(t) {
			return c.load(e)
		} else if s, ok := e.Type().(*types.Struct); ok && s.DerivesFrom(t) != nil {
			return c.load(c.toBase(e, t))
		}
	}
	return c.aggregate(l, t, k, n)
}

// isInitializerList reports whether a class is an instance of initializer_list.
func isInitializerList(k *class) bool {
	return k.tmpl != nil && k.tmpl.prelude && k.tmpl.name == "initializer_list"
}

// aggregate initializes the members of a struct, in order or by name.
func (c *checker) aggregate(l *initList, t *types.Struct, k *class, n ast.Node) typed.Expr {
	c.spend(1+len(t.Fields), 128+16*len(t.Fields))
	out := &typed.Aggregate{Info: rv(n, t), Elems: make([]typed.Expr, len(t.Fields))}
	i := 0
	used := 0
	skip := 0
	for j, e := range l.elems {
		if skip > 0 {
			skip--
			continue
		}
		if l.fields != nil && l.fields[j] != "" {
			if i = t.Field(l.fields[j]); i < 0 {
				c.errorf(diag.NoMember, at{e.Pos()}, "no member named '%s' in '%s'", l.fields[j], t)
				return c.badExpr(n)
			}
		}
		for i < len(t.Fields) && t.Fields[i].IsBits && t.Fields[i].Name == "" {
			i++
		}
		if i >= len(t.Fields) || t.IsUnion() && used > 0 {
			c.errorf(diag.TooManyInits, at{e.Pos()},
				"excess elements in initializer of '%s': %d given, %d members", t, len(l.elems),
				len(t.Fields))
			return c.badExpr(n)
		}
		f := &t.Fields[i]
		// Braces may be omitted around the elements of an aggregate member.
		if n, whole := c.elided(f.Type.Type, l.elems[j:]); !whole {
			e = &initList{Info: l.Info, elems: l.elems[j : j+n], node: l.node}
			skip = n - 1
		}
		v := c.implicit(e, Q{Type: f.Type.Type}, "member '"+f.Name+"'")
		if c.isBad(v.Type()) {
			return v
		}
		if _, ok := f.Type.Type.(*types.Reference); !ok {
			v = c.load(v)
		}
		if k != nil { // library structs have constructors
			c.narrowing(e, f.Type.Type)
		}
		out.Elems[i] = v
		i++
		used++
	}
	if k != nil && !t.IsUnion() && c.defaultsNeedObject(k, out.Elems) {
		return c.memberwise(k, out.Elems, n)
	}
	if k != nil && !t.IsUnion() {
		for j := range out.Elems {
			if out.Elems[j] == nil {
				out.Elems[j] = c.fieldDefault(k, j, n)
			}
		}
	}
	return out
}

// fieldDefault returns the default initializer of a member; nil means zero or uninitialized.
func (c *checker) fieldDefault(k *class, i int, n ast.Node) typed.Expr {
	f := &k.st.Fields[i]
	if i < len(k.decls) && k.decls[i] != nil && k.decls[i].InitKind != ast.NoInit {
		d := k.decls[i]
		var e typed.Expr
		c.in(k.sc, func() {
			if d.InitKind == ast.ParenInit {
				e = c.constructType(Q{Type: f.Type.Type}, c.exprList(d.Args), d, false)
			} else {
				e = c.load(c.implicit(c.expr(d.Init), Q{Type: f.Type.Type}, "member '"+f.Name+"'"))
			}
		})
		return e
	}
	if s, ok := f.Type.Type.(*types.Struct); ok {
		if in := c.classes[s]; in != nil && (in.fieldInits || len(in.ctors) > 0) {
			return c.defaultInit(f.Type.Type, n)
		}
	}
	return nil
}

func (c *checker) arrayFromList(l *initList, t *types.Array, n ast.Node) typed.Expr {
	elems := l.elems
	if len(elems) == 1 {
		if s, ok := literalFor(elems[0], t); ok {
			return c.stringArray(s, t, n)
		}
	}
	if l.places != nil {
		var spread []typed.Expr
		gap := &initList{Info: rv(n, c.bad), node: n}
		i := 0
		for j, e := range elems {
			if j < len(l.places) && l.places[j] >= 0 {
				i = l.places[j]
			}
			if more := i + 1 - len(spread); more > 0 {
				c.spend(more, 16*more)
			}
			for len(spread) <= i {
				spread = append(spread, gap)
			}
			spread[i] = e
			i++
		}
		elems = spread
	}
	length := t.Len
	if l.places == nil {
		elems = c.group(t.Elem, elems, l)
	}
	if length == types.Unsized {
		length = len(elems)
		t = c.u.Array(t.Elem, length)
	}
	if len(elems) > length {
		c.errorf(diag.TooManyInits, n, "excess elements in initializer of '%s': %d given", t, len(elems))
		return c.badExpr(n)
	}
	c.spend(len(elems), 128+64*len(elems))
	out := &typed.Aggregate{Info: rv(n, t)}
	for _, e := range elems {
		v := c.load(c.implicit(e, Q{Type: t.Elem}, "array element"))
		if c.isBad(v.Type()) {
			return v
		}
		c.narrowing(e, t.Elem)
		out.Elems = append(out.Elems, v)
	}
	return out
}

// literalFor returns the text of a string literal that can initialize a char or uchar array.
func literalFor(e typed.Expr, t *types.Array) (string, bool) {
	k, ok := e.(*typed.Const)
	if !ok || t.Elem != types.Type(types.Char) && t.Elem != types.Type(types.UChar) {
		return "", false
	}
	s, ok := k.Value.Ref.(string)
	return s, ok
}

func (c *checker) stringArray(s string, t *types.Array, n ast.Node) typed.Expr {
	if t.Len == types.Unsized {
		t = c.u.Array(t.Elem, len(s)+1)
	}
	if len(s)+1 > t.Len {
		c.errorf(diag.TooManyInits, n,
			"initializer-string is too long: it has %d characters including the terminating null character, but '%s' holds %d",
			len(s)+1,
			t, t.Len)
		return c.badExpr(n)
	}
	c.spend(len(s), 192*len(s))
	out := &typed.Aggregate{Info: rv(n, t)}
	elem := t.Elem.(*types.Basic)
	for i := 0; i < len(s); i++ {
		out.Elems = append(out.Elems, c.konst(n.Pos(), types.IntValue(elem, int64(s[i]))))
	}
	return out
}

// construct creates an object with a constructor.
func (c *checker) construct(t *types.Struct, args []typed.Expr, n ast.Node) typed.Expr {
	k := c.classes[t]
	if !c.need(t, n) {
		return c.badExpr(n)
	}
	if len(args) == 1 {
		if l, ok := args[0].(*initList); ok && len(k.ctors) == 0 {
			return c.structFromList(l, t, n)
		}
		if e := args[0]; e.Type() == types.Type(t) {
			if x := c.copied(e); x != nil {
				return x
			}
			return c.load(e)
		}
		if s, ok := args[0].Type().(*types.Struct); ok && s.DerivesFrom(t) != nil {
			return c.load(c.toBase(args[0], t))
		}
	}
	// converted applies a conversion function to the only argument, or returns nil if it has none.
	converted := func() typed.Expr {
		if len(args) == 1 {
			if s, ok := args[0].Type().(*types.Struct); ok {
				return c.explicitOperator(args[0], s, Q{Type: t})
			}
		}
		return nil
	}
	if len(k.ctors) == 0 {
		if e := converted(); e != nil {
			return e
		}
		if len(args) == 0 {
			return c.valueInit(Q{Type: t}, n)
		}
		c.errorf(diag.NoConstructor, n,
			"no matching constructor for initialization of '%s' with arguments of types (%s)", t, argTypes(args))
		return c.badExpr(n)
	}
	m, tie := c.resolveCtor(k.ctors, args, types.Thread, false)
	if m == nil {
		// For a temporary that is then copied, a constructor for another address space will do.
		for _, s := range []types.AddrSpace{types.Constant, types.Threadgroup, types.Device} {
			if m, tie = c.resolveCtor(k.ctors, args, s, false); m != nil {
				break
			}
		}
	}
	if m == nil {
		if e := converted(); e != nil {
			return e
		}
		if len(args) == 0 {
			c.errorf(diag.NoConstructor, n, "'%s' has no default constructor", t)
			return c.badExpr(n)
		}
		d := diag.Errorf(diag.NoConstructor, n.Pos(), n.End(),
			"no matching constructor for initialization of '%s' with arguments of types (%s)", t,
			argTypes(args))
		obj := &badExpr{typed.Info{LValue: true, Space: types.Thread}}
		c.report(c.withCandidates(d, &overload{name: t.Name, fns: k.ctors, obj: obj, scope: c.sc}, args))
		return c.badExpr(n)
	}
	if tie != nil {
		c.errorf(diag.AmbiguousCall, n,
			"call to constructor of '%s' is ambiguous for arguments of types (%s)", t, argTypes(args))
		return c.badExpr(n)
	}
	c.spend(1, 256)
	out := make([]typed.Expr, 0, len(m.fn.params))
	for i, a := range args {
		out = append(out, c.argument(a, m.convs[i], m.fn.params[i]))
	}
	out = c.defaults(m.fn, len(args), out)
	if c.anyBad(out...) {
		return c.badExpr(n)
	}
	c.at = n.Pos()
	if !c.callAccess(m.fn, n) {
		return c.badExpr(n)
	}
	c.needBody(m.fn)
	return &typed.Construct{Info: rv(n, t), Ctor: m.fn.out, Args: out}
}

// valueInit builds T().
func (c *checker) valueInit(q Q, n ast.Node) typed.Expr {
	switch t := q.Type.(type) {
	case *types.Struct:
		k := c.classes[t]
		if !c.need(t, n) {
			return c.badExpr(n)
		}
		if k == nil {
			if e := c.libConstruct(q, nil, n); e != nil {
				return e
			}
		} else if len(k.ctors) > 0 {
			return c.construct(t, nil, n)
		} else if k.fieldInits {
			return c.aggregate(&initList{Info: rv(n, t), node: n}, t, k, n)
		}
	case *types.Reference:
		c.errorf(diag.BadInit, n, "declaration of a reference requires an initializer")
		return c.badExpr(n)
	case *types.Basic:
		if t == types.Void {
			return &typed.Zero{Info: rv(n, t)}
		}
		if v, ok := types.Zero(t); ok {
			return c.konst(n.Pos(), v)
		}
	}
	return &typed.Zero{Info: rv(n, q.Type)}
}

// defaultInit is the initializer of an object declared without one; nil leaves it uninitialized.
func (c *checker) defaultInit(t types.Type, n ast.Node) typed.Expr {
	switch t := t.(type) {
	case *types.Struct:
		k := c.classes[t]
		if k == nil {
			return nil
		}
		c.complete(k)
		if len(k.ctors) > 0 {
			for _, f := range k.ctors {
				if f.def == f {
					return nil // = default
				}
			}
			return c.construct(t, nil, n)
		}
		if t.IsUnion() {
			for _, f := range t.Fields {
				if s, ok := f.Type.Type.(*types.Struct); ok && c.classes[s] != nil && len(c.classes[s].ctors) > 0 {
					c.errorf(diag.NoConstructor, n, "'%s' needs a constructor because its member '%s' has one", t, f.Name)
					return c.badExpr(n)
				}
			}
		}
		for i := range t.Fields {
			f := &t.Fields[i]
			if t.IsUnion() || i >= len(k.decls) || k.decls[i] == nil || k.decls[i].InitKind != ast.NoInit {
				continue
			}
			if isRef(f.Type) {
				c.errorf(diag.BadInit, n, "object of type '%s' requires an initializer because its member '%s' is a reference", t,
					f.Name)
				return c.badExpr(n)
			}
			if _, class := f.Type.Type.(*types.Struct); f.Type.Const && !class {
				c.errorf(diag.BadInit, n, "object of type '%s' requires an initializer because its member '%s' is const", t, f.Name)
				return c.badExpr(n)
			}
		}
		if k.fieldInits {
			return c.aggregate(&initList{Info: rv(n, t), node: n}, t, k, n)
		}
	case *types.Array:
		const most = 4096
		if t.Len == 0 || t.Len == types.Unsized || t.Len > most {
			return nil
		}
		e := c.defaultInit(t.Elem, n)
		if e == nil || c.isBad(e.Type()) {
			return e
		}
		c.spend(t.Len, 128+16*t.Len)
		a := &typed.Aggregate{Info: rv(n, t), Elems: make([]typed.Expr, t.Len)}
		for i := range a.Elems {
			a.Elems[i] = e
		}
		return a
	}
	return nil
}

// ctorInits returns the statements that initialize bases and members before a constructor's body.
func (c *checker) ctorInits(f *function) (list []typed.Stmt) {
	k := f.class
	c.complete(k)
	this := c.deref(c.load(c.varRef(c.fn.this, f.decl.Pos())))
	i := this.Base()
	i.Const = false
	inits := make(map[int]typed.Expr)
	for j := range f.decl.Inits {
		in := &f.decl.Inits[j]
		name := in.Name.Simple()
		var path []int
		if name != "" {
			if p, _ := k.st.Path(name); p != nil {
				path = p
			}
		}
		var target Q
		if path == nil {
			q, ok := c.nameAsType(in.Name)
			if !ok {
				c.errorf(diag.NoMember, in,
					"member initializer '%s' does not name a non-static data member or base class of '%s'",
					ast.NameString(in.Name), k.st)
				continue
			}
			if q.Type == types.Type(k.st) { // delegates to another constructor
				v := c.constructType(q, c.exprList(in.Args), in, in.Brace)
				return []typed.Stmt{c.assignStmt(this, v, in)}
			}
			for b := range k.st.Fields {
				if k.st.Fields[b].Base && k.st.Fields[b].Type.Type == q.Type {
					path = []int{b}
				}
			}
			if path == nil {
				c.errorf(diag.NoMember, in, "type '%s' is not a direct base of '%s'", q, k.st)
				continue
			}
			target = q
		} else {
			m := c.memberPath(this, path, in.Pos())
			target = Q{Type: m.Type()}
			if fl := k.st.Fields[path[0]].Type; len(path) == 1 {
				target = fl
			}
		}
		target.Const = false
		var v typed.Expr
		args := c.exprList(in.Args)
		if r, ok := target.Type.(*types.Reference); ok && len(args) == 1 {
			v = c.implicit(args[0], Q{Type: r}, "member '"+name+"'")
		} else {
			if a, ok := target.Type.(*types.Array); ok && len(args) > 0 && !in.Brace {
				if args[0].Type() == types.Type(a) {
					v = &typed.Load{Info: rv(in, a), X: args[0]}
				} else if _, list := args[0].(*initList); !list {
					c.errorf(diag.BadInit, in, "array member '%s' must be initialized with an initializer list", name)
					continue
				}
			}
			if v == nil {
				if len(args) == 1 && !in.Brace {
					if _, isClass := target.Type.(*types.Struct); !isClass {
						v = c.load(c.implicit(args[0], Q{Type: target.Type}, "member '"+name+"'"))
					}
				}
				if v == nil {
					v = c.constructType(target, args, in, in.Brace)
				}
			}
		}
		if c.isBad(v.Type()) {
			continue
		}
		if len(path) > 1 {
			list = append(list, c.assignStmt(c.memberPath(this, path, in.Pos()), v, in))
			continue
		}
		if inits[path[0]] != nil {
			c.errorf(diag.Redefinition, in, "multiple initializations given for non-static member '%s'", name)
		}
		inits[path[0]] = v
	}
	for j := range k.st.Fields {
		v := inits[j]
		if v == nil {
			if k.st.IsUnion() {
				continue
			}
			if v = c.fieldDefault(k, j, f.decl); v == nil {
				if r, ok := k.st.Fields[j].Type.Type.(*types.Reference); ok && !f.decl.Defaulted {
					c.errorf(diag.BadInit, f.decl, "constructor must explicitly initialize the reference member '%s' of type '%s'",
						k.st.Fields[j].Name, r)
				} else if q := k.st.Fields[j].Type; q.Const && !k.st.Fields[j].Base && !f.decl.Defaulted {
					c.errorf(diag.BadInit, f.decl, "constructor must explicitly initialize the const member '%s' of type '%s'",
						k.st.Fields[j].Name, q)
				}
				continue
			}
		}
		if c.isBad(v.Type()) {
			continue
		}
		info := *this.Base()
		fq := k.st.Fields[j].Type
		info.Typ = fq.Type
		if r, ok := fq.Type.(*types.Reference); ok {
			info.Typ = c.u.Pointer(r.Elem)
		}
		m := &typed.Member{Info: info, X: this, Index: j}
		list = append(list, c.assignStmt(m, v, f.decl))
	}
	return list
}

func (c *checker) assignStmt(to, v typed.Expr, n ast.Node) typed.Stmt {
	i := *to.Base()
	i.At = n.Pos()
	return &typed.ExprStmt{StmtPos: typed.StmtPos{At: n.Pos()}, X: &typed.Assign{Info: i, X: to, Y: v}}
}

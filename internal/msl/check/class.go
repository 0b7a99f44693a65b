package check

import (
	"slices"
	"strconv"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [class.mem] and [class.name]: a class is complete after its closing brace. Bodies of member
// functions, default arguments and default member initializers come after that, as if they were
// written behind the class, so that they see all members. [class.union] and [class.derived] say
// what members a union and a base class give.

// record returns the class that a definition among the specifiers of a declaration defines.
func (c *checker) record(d *ast.RecordDecl) *class {
	if k := c.records[d]; k != nil {
		return k
	}
	return c.declRecord(d)
}

// declRecord declares a class that is not a template.
func (c *checker) declRecord(d *ast.RecordDecl) *class {
	if d.Name == nil {
		k := c.newClass("", d)
		if !d.Anonymous {
			k.st.Name = "(unnamed)"
		}
		c.records[d] = k
		c.complete(k)
		return k
	}
	if len(d.Name.Parts) > 1 {
		q := c.namedType(d.Name)
		if s, ok := q.Type.(*types.Struct); ok && c.classes[s] != nil {
			k := c.classes[s]
			k.decl = d
			c.records[d] = k
			c.complete(k)
			return k
		}
	}
	name := d.Name.Last().Ident
	y := c.sc.sym(name)
	var k *class
	if t, ok := y.typ.(*typeName); ok {
		if s, ok := t.q.Type.(*types.Struct); ok {
			k = c.classes[s]
		}
		if k == nil || d.Defined && k.state == stateDone {
			if k != nil {
				c.definedTwice(d.Name, "'"+name+"'", k.decl.Pos())
			} else {
				c.errorf(diag.Redefinition, d.Name, "'%s' is declared as another type before", name)
			}
			if k == nil {
				k = c.newClass(name, d)
			}
			c.records[d] = k
			return k
		}
	} else if y.typ != nil {
		c.errorf(diag.Redefinition, d.Name, "'%s' is a template", name)
	} else if y.ns != nil {
		c.errorf(diag.Redefinition, d.Name, "redefinition of '%s' as different kind of symbol", name)
	}
	if k == nil {
		k = c.newClass(qualify(c.sc, name), d)
		y.typ = &typeName{q: Q{Type: k.st}}
	}
	c.records[d] = k
	if d.Defined {
		k.decl = d
		c.complete(k)
	}
	return k
}

// complete resolves the members of a class; a class without a definition stays incomplete.
func (c *checker) complete(k *class) {
	if k.state != stateNew {
		return
	}
	if k.tmpl == nil {
		if !k.decl.Defined {
			return
		}
		k.state = stateBusy
		c.members(k, k.decl)
		k.state = stateDone
		return
	}
	k.state = stateBusy
	var d *ast.RecordDecl
	c.hardInstance(k.decl, k.st.Name, func() {
		var s *scope
		d, s = c.specialize(k)
		if s == nil || d == nil || !d.Defined {
			d = nil
			return
		}
		k.sc.parent = s
		k.sc.syms = symTable{}
		k.decl = d
		k.sc.sym(k.tmpl.name).typ = &typeName{q: Q{Type: k.st}, tmpl: k.tmpl}
		c.in(s, func() { c.members(k, d) })
	})
	if d == nil {
		k.state = stateNew
		return
	}
	k.state = stateDone
}

// hardInstance runs f as a separate instantiation, in which errors are always reported.
func (c *checker) hardInstance(at ast.Node, what string, f func()) {
	pos := c.at
	if !pos.IsValid() {
		pos = at.Pos()
	}
	defer c.restore(c.context)
	c.trap, c.unevaluated = nil, 0
	c.enter(pos, what)
	f()
}

// members checks the member declarations of a class.
func (c *checker) members(k *class, d *ast.RecordDecl) {
	s := k.sc
	if s.syms.empty() && d.Name != nil {
		name := d.Name.Last().Ident
		s.sym(name).typ = &typeName{q: Q{Type: k.st}, tmpl: k.tmpl}
	}
	var fields []types.Field
	for i := range d.Bases {
		b := &d.Bases[i]
		c.baseClass(k, b, &fields)
	}
	c.in(s, func() { k.st.AlignAs = c.alignment(d.Attrs) })
	k.st.Packed = ast.FindAttr("packed", d.Attrs) != nil || ast.FindAttr("__packed__", d.Attrs) != nil
	c.in(s, func() {
		access := startAccess(d)
		for _, m := range d.Members {
			if a, ok := m.(*ast.AccessDecl); ok {
				access = a.Access
			}
			k.noteAccess(m, access)
			c.member(k, m, &fields)
		}
	})
	k.implicitOnly()
	if len(k.ctors) > 0 || len(k.bases) > 0 {
		k.st.NonPOD = true
	}
	for i := range fields {
		if t, ok := fields[i].Type.Type.(*types.Array); ok && t.Len == types.Unsized {
			c.errorf(diag.BadField, d, "member '%s' is an array of unknown bound", fields[i].Name)
			fields[i].Type = c.badQ()
		}
	}
	k.st.Complete(fields)
}

// implicitOnly drops the constructors if all are defaulted at their declaration: the class is then
// an aggregate, as if it had none. If there are others too, it marks a default constructor that
// does nothing.
func (k *class) implicitOnly() {
	all := true
	for _, f := range k.ctors {
		all = all && f.decl.Defaulted
		if f.decl.Defaulted && len(f.decl.Params) == 0 && !k.fieldInits && f.class == k {
			f.def = f
		}
	}
	if all {
		k.ctors = nil
	}
}

// alignment returns what attributes align to, or 0. GNU's attribute without an argument asks for
// the most that any type needs.
func (c *checker) alignment(attrs []*ast.Attr) int {
	for _, name := range []string{"alignas", "aligned", "__aligned__"} {
		if a := ast.FindAttr(name, attrs); a != nil {
			if len(a.Args) == 0 {
				return 16
			}
			return c.alignArg(a.Args[0])
		}
	}
	return 0
}

func (c *checker) alignArg(x ast.Expr) int {
	if t, ok := x.(*ast.TypeValue); ok {
		return c.writtenType("an argument", t.Type).Type.Align()
	}
	if n, ok := x.(*ast.NameExpr); ok {
		if q, ok := c.nameAsType(n.Name); ok {
			return q.Type.Align()
		}
	}
	n, ok := c.constInt(x, "alignment")
	if !ok {
		return 0
	}
	if n < 0 || n&(n-1) != 0 || n > 1<<20 {
		c.errorf(diag.BadAlignment, x, "requested alignment %d is not a power of 2", n)
		return 0
	}
	return int(n)
}

func (c *checker) baseClass(k *class, b *ast.Base, fields *[]types.Field) {
	add := func(t ast.TypeExpr) {
		q := c.typ(t)
		if c.isBad(q.Type) {
			k.badBase = true
			return
		}
		st, ok := q.Type.(*types.Struct)
		base := c.classes[st]
		if !ok || base == nil || st.IsUnion() {
			c.errorf(diag.BadBase, b, "base specifier '%s' does not name a class", q)
			return
		}
		if !c.need(st, b) {
			return
		}
		if slices.Contains(k.bases, base) {
			c.errorf(diag.BadBase, b, "base class '%s' specified more than once as a direct base class", q)
			return
		}
		k.bases = append(k.bases, base)
		k.decls = append(k.decls, nil)
		k.fieldInits = k.fieldInits || base.fieldInits
		*fields = append(*fields, types.Field{Type: Q{Type: st}, Base: true})
	}
	if p, ok := b.Type.(*ast.PackType); ok {
		c.expand(p.Elem, b, func() { add(p.Elem) })
		return
	}
	add(b.Type)
}

func (c *checker) member(k *class, m ast.Decl, fields *[]types.Field) {
	c.at = m.Pos()
	switch m := m.(type) {
	case *ast.VarDecl:
		c.memberVar(k, m, fields)
	case *ast.FuncDecl:
		c.memberFunc(k, m, nil)
	case *ast.TemplateDecl:
		switch d := m.Decl.(type) {
		case *ast.FuncDecl:
			if len(m.Params) == 0 {
				c.memberSpec(k, d)
				return
			}
			c.templateSpaces(m)
			c.memberFunc(k, d, m.Params)
		case *ast.FriendDecl:
			c.friend(k, d, m.Params)
		default:
			c.template(m)
		}
	case *ast.FriendDecl:
		c.friend(k, m, nil)
	case *ast.RecordDecl:
		if m.Anonymous {
			inner := c.declRecord(m)
			if m.Name == nil {
				*fields = append(*fields, types.Field{Type: Q{Type: inner.st}})
				k.decls = append(k.decls, nil)
				for y := range inner.sc.syms.all {
					if f, ok := y.val.(field); ok {
						k.sc.sym(y.name).val = f
					}
				}
			}
			return
		}
		c.declRecord(m)
	case *ast.AccessDecl, *ast.EmptyDecl:
	default:
		c.decl(m)
	}
}

func (c *checker) memberVar(k *class, d *ast.VarDecl, fields *[]types.Field) {
	name := ""
	if d.Name != nil {
		name = d.Name.Last().Ident
	}
	if d.Spec.Static {
		y := c.sc.sym(name)
		if y.val != nil {
			c.errorf(diag.Redefinition, d, "member '%s' is declared twice", name)
			return
		}
		y.val = &variable{name: k.st.Name + "::" + name, decl: d, scope: c.sc, class: k}
		return
	}
	q := c.typ(d.Type)
	if c.isBad(q.Type) || !c.need(q.Type, d) {
		q = Q{Type: types.Int}
	}
	if c.hasAuto(q) {
		c.errorf(diag.BadField, d, "'auto' not allowed in the type of member '%s'", name)
		q = Q{Type: types.Int}
	}
	if q.Space != types.None && q.Space != types.Thread {
		c.errorf(diag.FieldSpace, d, "member '%s' may not be qualified with address space '%s'", name, q.Space)
	}
	c.explicitSpace("member '"+name+"'", d.Type, d)
	if d.Spec.Constexpr {
		c.errorf(diag.BadField, d, "non-static data member '%s' cannot be constexpr", name)
	}
	q.Space = types.None
	if a := ast.FindAttr("function_constant", d.Attrs); a != nil && len(a.Args) == 1 {
		if _, index := a.Args[0].(*ast.IntLit); index {
			c.errorf(diag.AttributeMisplaced, a, "'function_constant' attribute does not apply to a member")
		}
	}
	f := types.Field{Name: name, Type: q, Mutable: d.Spec.Mutable}
	f.Align = c.alignment(d.Attrs)
	if d.Bits != nil {
		f.IsBits = true
		n, ok := c.constInt(d.Bits, "bit-field width")
		b := types.ElemOf(q.Type)
		if ok && (b == nil || !b.IsInteger() || n < 0 || int(n) > 8*q.Type.Size()) {
			c.errorf(diag.BadBitField, d, "width of bit-field (%d bits) exceeds the width of its type '%s'", n, q)
			n = 1
		}
		if ok && n == 0 && name != "" {
			c.errorf(diag.BadBitField, d, "named bit-field '%s' has zero width", name)
			n = 1
		}
		f.Bits = int(n)
	}
	if name != "" {
		y := c.sc.sym(name)
		if y.val != nil || len(y.fns) > 0 {
			c.errorf(diag.Redefinition, d, "member '%s' is declared twice", name)
			return
		}
		y.val = field{}
	}
	if d.InitKind != ast.NoInit {
		k.fieldInits = true
	}
	if s, ok := q.Type.(*types.Struct); ok {
		if in := c.classes[s]; in != nil && (in.fieldInits || len(in.ctors) > 0) {
			k.fieldInits = true
		}
	}
	c.memberID(k, d, &f, *fields)
	*fields = append(*fields, f)
	k.decls = append(k.decls, d)
}

// funcName is the key under which a function is stored: "operator+", "operator()".
func funcName(n *ast.Name) string {
	p := n.Last()
	switch p.Kind {
	case ast.PartOperator:
		return opName(p.Op)
	case ast.PartConversion:
		return "operator <type>"
	case ast.PartDestructor:
		return "~" + p.Ident
	}
	return p.Ident
}

func opName(op token.Kind) string { return "operator" + ast.OpString(op) }

func (c *checker) memberFunc(k *class, d *ast.FuncDecl, tparams []ast.TemplateParam) {
	name := funcName(d.Name)
	f := &function{name: name, decl: d, scope: c.sc, class: k, tparams: autoParams(d.Params, tparams)}
	if what := needsObject(d); what != "" && d.Spec.Static {
		c.errorf(diag.MisplacedSpec, d.Name, "a %s cannot be static", what)
		d.Spec.Static = false // recover by checking it as a non-static function
	}
	switch {
	case d.Name.Last().Kind == ast.PartDestructor:
		if d.Body != nil && len(d.Body.List) > 0 {
			c.errorf(diag.UnsupportedType, d.Name, "not supported: a non-trivial destructor")
		}
		return
	case d.Ctor:
		c.missingDefault(d)
		k.ctors = append(k.ctors, f)
		return
	case d.Name.Last().Kind == ast.PartConversion:
		k.convs = append(k.convs, f)
		return
	case d.Guide:
		return
	case d.Defaulted && d.Name.Last().Kind == ast.PartOperator && d.Name.Last().Op == token.Assign: // which it is without
		return
	}
	if s := c.stage(d); s != "" {
		c.errorf(diag.AttributeMisplaced, d.Name, "the %s function '%s' cannot be a member", s, name)
		return
	}
	y := c.sc.sym(name)
	if y.val != nil {
		c.errorf(diag.Redefinition, d, "member '%s' is declared twice", name)
		return
	}
	c.missingDefault(d)
	c.operatorDecl(f)
	y.fns = append(y.fns, f)
}

// needsObject names the kind of a member function that only makes sense for an object, or returns
// "".
func needsObject(d *ast.FuncDecl) string {
	switch kind := d.Name.Last().Kind; {
	case d.Ctor:
		return "constructor"
	case kind == ast.PartDestructor:
		return "destructor"
	case kind == ast.PartConversion:
		return "conversion function"
	}
	return ""
}

// memberSpec declares template <> f(...) inside a class.
func (c *checker) memberSpec(k *class, d *ast.FuncDecl) {
	name := funcName(d.Name)
	y := k.sc.syms.of(name)
	if y == nil {
		c.errorf(diag.NoTemplateToSpecialize, d, "there is no function template '%s' to specialize", name)
		return
	}
	c.specializeFunc(y.fns, d, k)
}

// specializeMember handles template <> R C<args>::f() {}, which gives the member of one instance
// its own body.
func (c *checker) specializeMember(d *ast.FuncDecl) {
	s, ok := c.qualifier(d.Name)
	if !ok {
		return
	}
	name := funcName(d.Name)
	if s.class == nil {
		c.specializeFunc(s.sym(name).fns, d, nil)
		return
	}
	for _, f := range s.sym(name).fns {
		if len(f.decl.Params) != len(d.Params) || f.decl.Quals.Const != d.Quals.Const ||
			f.decl.Quals.Space != d.Quals.Space || f.isTemplate() {
			continue
		}
		if f.queued {
			c.errorf(diag.LateSpecialization, d, "explicit specialization of '%s' after instantiation", f.name)
			return
		}
		f.decl, f.sigState, f.out = d, stateNew, nil
		return
	}
	for _, f := range s.sym(name).fns {
		if f.isTemplate() {
			c.specializeFunc(s.sym(name).fns, d, s.class)
			return
		}
	}
	c.errorf(diag.NoMemberNamed, d.Name,
		"out-of-line definition of '%s' does not match any declaration in '%s'", name, s.class.st)
}

// friend declares a friend function in the namespace that encloses the class.
func (c *checker) friend(k *class, d *ast.FriendDecl, tparams []ast.TemplateParam) {
	fd, ok := d.Decl.(*ast.FuncDecl)
	if !ok || fd.Name == nil {
		return
	}
	s := k.sc
	for s.kind != nsScope {
		s = s.parent
	}
	name := funcName(fd.Name)
	fd.Spec.Friend = true
	f := &function{name: name, decl: fd, scope: k.sc, tparams: autoParams(fd.Params, tparams)}
	y := s.sym(name)
	y.fns = append(y.fns, f)
}

// autoParams adds a template parameter for each parameter declared auto.
func autoParams(params []*ast.Param, tparams []ast.TemplateParam) []ast.TemplateParam {
	for i, p := range params {
		name := "auto:" + strconv.Itoa(i)
		if t, ok := replaceAuto(p.Type, name); ok {
			p.Type = t
			_, isPack := t.(*ast.PackType)
			tparams = append(tparams[:len(tparams):len(tparams)],
				ast.TemplateParam{Span: p.Span, Ident: &ast.Ident{Span: p.Span, Name: name}, Pack: isPack})
		} else if hasAutoName(p.Type, name) {
			tparams = append(tparams[:len(tparams):len(tparams)],
				ast.TemplateParam{Span: p.Span, Ident: &ast.Ident{Span: p.Span, Name: name}})
		}
	}
	return tparams
}

func hasAutoName(t ast.TypeExpr, name string) bool {
	found := false
	ast.Inspect(t, func(n ast.Node) bool {
		if n, ok := n.(*ast.NamedType); ok && n.Name.Simple() == name {
			found = true
		}
		return !found
	})
	return found
}

// replaceAuto replaces auto by a name.
func replaceAuto(t ast.TypeExpr, name string) (ast.TypeExpr, bool) {
	var outer ast.TypeExpr // a copy of t, and where its element is
	var elem *ast.TypeExpr
	switch t := t.(type) {
	case *ast.AutoType:
		n := &ast.Name{Span: t.Span, Parts: []ast.NamePart{{Span: t.Span, Ident: name}}}
		return &ast.NamedType{Span: t.Span, Name: n}, true
	case *ast.QualType:
		u := *t
		outer, elem = &u, &u.Elem
	case *ast.PointerType:
		u := *t
		outer, elem = &u, &u.Elem
	case *ast.ReferenceType:
		u := *t
		outer, elem = &u, &u.Elem
	case *ast.PackType:
		u := *t
		outer, elem = &u, &u.Elem
	default:
		return t, false
	}
	inner, ok := replaceAuto(*elem, name)
	if !ok {
		return t, false
	}
	*elem = inner
	return outer, true
}

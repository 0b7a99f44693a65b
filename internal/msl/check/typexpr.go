package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [dcl.type] and [dcl.meaning]: specifiers give a type, to which the declarator adds pointers,
// references, arrays and parameters from the name outwards. References to references collapse
// ([dcl.ref]). [dcl.fct]: parameters of array and function type are pointers, and their top-level
// qualifiers are not part of the function's type.

var spaces = [...]types.AddrSpace{types.None, types.Thread, types.Device, types.Constant, types.Threadgroup,
	types.ThreadgroupImageblock, types.RayData, types.ObjectData, types.None}

func (c *checker) isBad(t types.Type) bool { return t == types.Type(c.bad) || t == nil }

func (c *checker) badQ() Q { return Q{Type: c.bad} }

// typ resolves a type expression. After an error, the result is c.bad.
func (c *checker) typ(t ast.TypeExpr) Q {
	c.step()
	switch t := t.(type) {
	case *ast.BasicType:
		return c.basic(t)
	case *ast.NamedType:
		return c.namedType(t.Name)
	case *ast.ElaboratedType:
		return c.elaborated(t)
	case *ast.RecordType:
		return Q{Type: c.record(t.Decl).st}
	case *ast.EnumType:
		return Q{Type: c.enum(t.Decl)}
	case *ast.QualType:
		return c.qualified(t)
	case *ast.PointerType:
		e := c.typ(t.Elem)
		if c.isBad(e.Type) {
			return e
		}
		if _, ok := e.Type.(*types.Reference); ok {
			c.errorf(diag.PointerToReference, t, "cannot form a pointer to a reference of type '%s'", e)
			return c.badQ()
		}
		return Q{Type: c.u.Pointer(e)}
	case *ast.ReferenceType:
		e := c.typ(t.Elem)
		if c.isBad(e.Type) {
			return e
		}
		if e.Type == types.Type(types.Void) {
			c.errorf(diag.BadReference, t, "cannot form a reference to 'void'")
			return c.badQ()
		}
		return Q{Type: c.u.Reference(e, t.RValue)}
	case *ast.ArrayType:
		return c.arrayType(t)
	case *ast.FuncType:
		return c.funcType(t)
	case *ast.AutoType:
		return Q{Type: c.auto}
	case *ast.DecltypeType:
		return c.decltype(t.X)
	case *ast.PackType:
		c.errorf(diag.UnexpandedPack, t, "pack expansion is not allowed here")
		return c.badQ()
	}
	return c.badQ()
}

func (c *checker) basic(t *ast.BasicType) Q {
	switch t.Kind {
	case ast.Void:
		return Q{Type: types.Void}
	case ast.Bool:
		return Q{Type: types.Bool}
	case ast.Char, ast.SChar:
		return Q{Type: types.Char}
	case ast.UChar:
		return Q{Type: types.UChar}
	case ast.Short:
		return Q{Type: types.Short}
	case ast.UShort:
		return Q{Type: types.UShort}
	case ast.Int:
		return Q{Type: types.Int}
	case ast.UInt:
		return Q{Type: types.UInt}
	case ast.Long:
		return Q{Type: types.Long}
	case ast.ULong:
		return Q{Type: types.ULong}
	case ast.LongLong, ast.ULongLong:
		c.errorf(diag.NoLongLong, t, "'long long' is not supported in Metal; 'long' has 64 bits")
		return c.badQ()
	case ast.Float:
		return Q{Type: types.Float}
	case ast.Double, ast.LongDouble:
		if d := c.opts.Dialect; d != nil {
			c.errorf(diag.DialectDouble, t, "%s's 'double' does not exist on Metal", d.Name)
			return c.badQ()
		}
		c.errorf(diag.NoDouble, t, "'double' is not supported in Metal")
		return c.badQ()
	}
	c.errorf(diag.NoWideChar, t, "wide characters are not supported in Metal")
	return c.badQ()
}

func (c *checker) elaborated(t *ast.ElaboratedType) Q {
	if n := t.Name.Simple(); n != "" && c.lookup(n).empty() && t.Key != 0 {
		k := c.newClass(n, &ast.RecordDecl{Span: t.Span, Key: t.Key, Name: t.Name})
		c.sc.sym(n).typ = &typeName{q: Q{Type: k.st}}
		return Q{Type: k.st}
	}
	return c.namedType(t.Name)
}

func (c *checker) qualified(t *ast.QualType) Q {
	q := c.typ(t.Elem)
	if c.isBad(q.Type) {
		return q
	}
	if _, function := q.Type.(*types.Func); function || isRef(q) {
		return q // qualifiers applied to a function or a reference through a name are ignored
	}
	s := spaces[t.Space]
	if t.SpaceParam != "" {
		s = c.spaceArg(t.SpaceParam)
	}
	if s != types.None {
		if q.Space != types.None && q.Space != s {
			c.errorf(diag.ManySpaces, t, "multiple address spaces specified for type: '%s' and '%s'", q.Space, s)
		}
		q.Space = s
	}
	q.Const = q.Const || t.Const
	q.Volatile = q.Volatile || t.Volatile
	q.Coherent = q.Coherent || t.Coherent
	if t.Coherent {
		c.needs(t, "coherent", 320)
	}
	return q
}

func (c *checker) arrayType(t *ast.ArrayType) Q {
	e := c.typ(t.Elem)
	if c.isBad(e.Type) {
		return e
	}
	switch et := e.Type.(type) {
	case *types.Reference, *types.Func:
		c.errorf(diag.BadArray, t, "array has invalid element type '%s'", e)
		return c.badQ()
	case *types.Basic:
		if et == types.Void {
			c.errorf(diag.BadArray, t, "array has incomplete element type 'void'")
			return c.badQ()
		}
	case *types.Array:
		if et.Len == types.Unsized {
			c.errorf(diag.BadArray, t, "array has elements of unknown bound")
			return c.badQ()
		}
	}
	n := types.Unsized
	if t.Len != nil {
		v, ok := c.constInt(t.Len, "array bound")
		if !ok {
			return c.badQ()
		}
		if v < 0 {
			c.errorf(diag.ArrayBound, t.Len, "array size %d is negative", v)
			return c.badQ()
		}
		if v > 1<<31 {
			c.errorf(diag.ArrayBound, t.Len, "array is too large (%d elements)", v)
			return c.badQ()
		}
		n = int(v)
	}
	c.need(e.Type, t)
	e.Type = c.u.Array(e.Type, n)
	return e
}

func (c *checker) funcType(t *ast.FuncType) Q {
	var params []Q
	for _, p := range t.Params {
		c.eachParam(p, func(*ast.Param) { params = append(params, c.paramType(c.typ(unpack(p.Type)))) })
	}
	res := c.typ(t.Result)
	return Q{Type: c.u.Func(res, params, t.Variadic)}
}

func unpack(t ast.TypeExpr) ast.TypeExpr {
	if p, ok := t.(*ast.PackType); ok {
		return p.Elem
	}
	return t
}

// paramType adjusts the type of a parameter: arrays and functions become pointers.
func (c *checker) paramType(q Q) Q {
	switch t := q.Type.(type) {
	case *types.Array:
		return Q{Type: c.u.Pointer(Q{Type: t.Elem, Const: q.Const, Volatile: q.Volatile, Space: q.Space})}
	case *types.Func:
		return Q{Type: c.u.Pointer(q)}
	}
	return q
}

// decltype returns the declared type of an unparenthesized name; for other expressions, their type,
// as a reference for an lvalue.
func (c *checker) decltype(x ast.Expr) Q {
	c.unevaluated++
	defer func() { c.unevaluated-- }()
	e := c.expr(x)
	switch e := e.(type) {
	case *typeOperand:
		return e.q
	case *overload:
		if f := c.onlyFunction(e, x); f != nil {
			return Q{Type: c.funcTypeOf(f)}
		}
		return c.badQ()
	}
	b := e.Base()
	if c.isBad(b.Typ) {
		return c.badQ()
	}
	q := qOf(e)
	switch x := x.(type) {
	case *ast.NameExpr, *ast.MemberExpr:
		if n, ok := x.(*ast.NameExpr); ok && n.Name.Simple() != "" {
			if y := c.lookup(n.Name.Simple()); y != nil {
				if v, ok := y.val.(*variable); ok {
					return v.q
				}
			}
		}
		return q
	}
	if b.LValue {
		return Q{Type: c.u.Reference(q, false)}
	}
	return Q{Type: q.Type}
}

// qOf returns the qualified type of an expression; for an lvalue, that of the object.
func qOf(e typed.Expr) Q {
	b := e.Base()
	if !b.LValue {
		return Q{Type: b.Typ}
	}
	return Q{Type: b.Typ, Const: b.Const, Volatile: b.Volatile, Space: b.Space}
}

// need reports an incomplete type, after trying to complete it.
func (c *checker) need(t types.Type, n ast.Node) bool {
	switch t := t.(type) {
	case *types.Struct:
		if t == c.auto || t == c.bad {
			return true
		}
		if k := c.classes[t]; k != nil {
			c.complete(k)
		}
		if !t.IsComplete() {
			c.errorf(diag.IncompleteType, n, "incomplete type '%s' where a complete type is required", t)
			return false
		}
	case *types.Array:
		return c.need(t.Elem, n)
	case *types.Basic:
		if t == types.Void {
			c.errorf(diag.VoidObject, n, "object has incomplete type 'void'")
			return false
		}
	}
	return true
}

// namedType resolves a name that denotes a type.
func (c *checker) namedType(n *ast.Name) Q {
	s, ok := c.qualifier(n)
	if !ok {
		return c.badQ()
	}
	p := n.Last()
	if p.Kind == ast.PartDecltype {
		return c.typ(p.Type)
	}
	q, _ := c.typeOfPart(s, p)
	return q
}

// typeOfPart resolves one part of a name as a type, in scope s or, if that is nil, from the current
// scope outwards.
func (c *checker) typeOfPart(s *scope, p *ast.NamePart) (Q, bool) {
	if p.Kind == ast.PartDecltype {
		q := c.typ(p.Type)
		return q, !c.isBad(q.Type)
	}
	y := c.lookupPart(s, p.Ident)
	if y == nil || y.typ == nil {
		if y == nil {
			c.undeclared(s, p, p.Ident, "type")
		} else {
			c.errorf(diag.NotAType, p, "'%s' does not name a type", p.Ident)
		}
		return c.badQ(), false
	}
	if y.ambiguous {
		c.ambiguousName(p, p.Ident)
		return c.badQ(), false
	}
	switch t := y.typ.(type) {
	case *typeName:
		if p.HasArgs {
			if t.tmpl != nil {
				return c.instClass(t.tmpl, c.templateArgs(t.tmpl.params, p.Args), p)
			}
			c.errorf(diag.NotATemplate, p, "'%s' is not a template", p.Ident)
			return c.badQ(), false
		}
		if !c.typeVersion(p, p.Ident, t.q.Type) {
			return c.badQ(), false
		}
		return t.q, true
	case *classTmpl:
		if k := builtin.LookupClass(t.lib); t.lib != "" && k != nil && k.Unsupported {
			c.errorf(diag.UnsupportedType, p, "not supported: type '%s'", p.Ident)
			return c.badQ(), false
		}
		if !p.HasArgs {
			if t.lib == "" && len(t.params) > 0 && allDefault(t.params) {
				return c.instClass(t, nil, p)
			}
			c.errorf(diag.MissingTemplateArgs, p, "use of template '%s' requires template arguments", p.Ident)
			return c.badQ(), false
		}
		return c.instClass(t, c.templateArgs(t.params, p.Args), p)
	case *aliasTmpl:
		if !p.HasArgs && !allDefault(t.params) {
			c.errorf(diag.MissingTemplateArgs, p, "use of template '%s' requires template arguments", p.Ident)
			return c.badQ(), false
		}
		return c.instAlias(t, c.templateArgs(t.params, p.Args), p)
	case *pack:
		c.errorf(diag.UnexpandedPack, p, "unexpanded parameter pack '%s'", p.Ident)
	}
	return c.badQ(), false
}

func allDefault(params []ast.TemplateParam) bool {
	for i := range params {
		if p := &params[i]; p.Default == nil && p.DefaultType == nil && !p.Pack {
			return false
		}
	}
	return true
}

// scopeOf returns the scope of a type's members, or nil if it has none.
func (c *checker) scopeOf(q Q) *scope {
	t := q.Type
	if r, ok := t.(*types.Reference); ok {
		t = r.Elem.Type
	}
	switch t := t.(type) {
	case *types.Struct:
		if k := c.classes[t]; k != nil {
			c.complete(k)
			return k.sc
		}
		if t.Name == "simd_vote" || t.Name == "quad_vote" {
			s := newScope(nil, nsScope, t.Name)
			s.sym("vote_t").typ = &typeName{q: Q{Type: types.ULong}}
			return s
		}
	case *types.SimdgroupMatrix:
		s := newScope(nil, nsScope, t.String())
		s.sym("storage_type").typ = &typeName{q: Q{Type: t.Storage()}}
		return s
	case *types.Enum:
		s := c.enumValues[t]
		if s == nil || len(s.syms.list) != len(t.Values) {
			c.spend(len(t.Values), 0)
			s = newScope(nil, nsScope, t.Name)
			for _, e := range t.Values {
				s.sym(e.Name).val = &constant{value: e.Value}
			}
			c.enumValues[t] = s
		}
		return s
	}
	return nil
}

func (c *checker) notScope(n ast.Node, q Q) {
	if !c.isBad(q.Type) {
		c.errorf(diag.NotAScope, n, "type '%s' cannot be used prior to '::' because it has no members", q)
	} else {
		c.failed()
	}
}

func (c *checker) ambiguousName(n ast.Node, name string) {
	c.errorf(diag.AmbiguousName, n, "reference to '%s' is ambiguous: several of the namespaces in use declare it", name)
}

// undeclared reports an undeclared name.
func (c *checker) undeclared(s *scope, n ast.Node, name, what string) {
	if c.trap != nil {
		c.trap.failed++
		switch {
		case !c.explaining():
		case s == nil:
			c.because("'%s' is not declared", name)
		case strings.Contains(s.name, "enable_if"):
			c.because("its enable_if does not hold")
		default:
			c.because("no %s named '%s' in '%s'", what, name, s.name)
		}
		return
	}
	if s != nil && s.class != nil && s.class.badBase {
		return
	}
	if c.opts.Dialect != nil && c.refusedName(name, n) {
		return
	}
	if s != nil {
		where := s.name
		if where == "" {
			where = "the global namespace"
		} else {
			where = "'" + where + "'"
		}
		meant := ""
		library := strings.HasPrefix(s.name, "metal")
		if library {
			meant = diag.Foreign(name)
		}
		if meant == "" {
			meant = c.suggest(s, name, what, library)
		}
		c.errorf(diag.NoMemberNamed, n, "no %s named '%s' in %s%s", what, name, where, meant)
		return
	}
	if c.declaredLater(s, name) {
		c.errorf(diag.UndeclaredName, n, "'%s' is used before it is declared", name)
		return
	}
	if what == "type" {
		c.errorf(diag.UndeclaredType, n, "unknown type name '%s'%s", name, c.meant(name, what))
		return
	}
	c.errorf(diag.UndeclaredName, n, "use of undeclared identifier '%s'%s", name, c.meant(name, what))
}

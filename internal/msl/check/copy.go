package check

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [class.copy]: a copy constructor takes a reference to its class. A class without one gets it,
// which copies bases and members one by one; it is deleted if one of them cannot be copied.

// Objects are copied bytewise, as Metal's compiler does in every address space, except for classes
// with a user-defined copy constructor and classes that have bases or members of such classes. A
// value that is not stored in an object is not copied.

// copied copies an object with a constructor; it returns nil if the bytes are copied instead.
func (c *checker) copied(e typed.Expr) typed.Expr {
	s, ok := e.Type().(*types.Struct)
	if !ok || !e.Base().LValue {
		return nil
	}
	k := c.classes[s]
	if k == nil {
		return nil
	}
	if c.deletedCopy(k) {
		c.errorf(diag.DeletedFunction, at{e.Pos()}, "call to deleted copy constructor of '%s'", k.st)
		return c.badExpr(at{e.Pos()})
	}
	if !c.hasUserCopy(k) || k.copying > 0 {
		return nil
	}
	fns := c.copyCtors(k)
	if len(fns) == 0 {
		f := c.memberCopy(k, e.Base().Space)
		if f == nil {
			return nil
		}
		fns = []*function{f}
	}
	k.copying++
	defer func() { k.copying-- }()
	m, _ := c.resolveCtor(fns, []typed.Expr{e}, types.Thread, false)
	if m == nil {
		return nil
	}
	out := []typed.Expr{c.argument(e, m.convs[0], m.fn.params[0])}
	out = c.defaults(m.fn, 1, out)
	if c.anyBad(out...) {
		return c.badExpr(at{e.Pos()})
	}
	c.needBody(m.fn)
	return &typed.Construct{Info: rvAt(e.Pos(), s), Ctor: m.fn.out, Args: out}
}

// copyCtors lists the user-declared copy constructors of a class: those that take a reference to an
// object of the class.
func (c *checker) copyCtors(k *class) (list []*function) {
	for _, f := range k.ctors {
		if f.isTemplate() || f.decl.Defaulted || f.decl.Deleted || len(f.decl.Params) == 0 || !c.signature(f) ||
			required(f) > 1 || len(f.params) == 0 {
			continue
		}
		if r, ok := f.params[0].Type.(*types.Reference); ok && r.Elem.Type == types.Type(k.st) {
			list = append(list, f)
		}
	}
	return list
}

// deletedCopy reports whether a class's copy constructor is deleted.
func (c *checker) deletedCopy(k *class) bool {
	for _, f := range k.ctors {
		if !f.decl.Deleted || f.isTemplate() || len(f.decl.Params) != 1 || !c.signature(f) || len(f.params) != 1 {
			continue
		}
		if r, ok := f.params[0].Type.(*types.Reference); ok && !r.RValue && r.Elem.Type == types.Type(k.st) {
			return true
		}
	}
	return false
}

// hasUserCopy reports whether copying an object of a class runs code.
func (c *checker) hasUserCopy(k *class) bool {
	if k.state != stateDone {
		return false
	}
	if k.userCopy == 0 {
		k.userCopy = 1
		for _, f := range k.ctors {
			if !f.isTemplate() && !f.decl.Defaulted && len(f.decl.Params) > 0 && len(c.copyCtors(k)) > 0 {
				k.userCopy = 2
				break
			}
		}
		for i := range k.st.Fields {
			if s, ok := k.st.Fields[i].Type.Type.(*types.Struct); ok && !k.st.IsUnion() {
				if in := c.classes[s]; in != nil && c.hasUserCopy(in) {
					k.userCopy = 2
				}
			}
		}
	}
	return k.userCopy == 2
}

// memberCopy is the implicit copy constructor of a class: it copies bases and members one by one.
func (c *checker) memberCopy(k *class, space types.AddrSpace) *function {
	key := "copy:" + space.String()
	if f := k.memberwise[key]; f != nil {
		return f
	}
	span := ast.Span{}
	if k.decl != nil {
		span = k.decl.Span
	}
	name := func(s string) *ast.Name {
		return &ast.Name{Span: span, Parts: []ast.NamePart{{Span: span, Ident: s}}}
	}
	value := func(s string) ast.Expr { return &ast.NameExpr{Span: span, Name: name(s)} }
	s := newScope(k.sc, bindScope, "")
	s.sym("copy:type").typ = &typeName{q: Q{Type: c.u.Reference(Q{Type: k.st, Const: true, Space: space}, false)}}
	d := &ast.FuncDecl{Span: span, Name: name("copy"), Ctor: true, Member: true, Body: &ast.BlockStmt{Span: span}}
	d.Spec.Constexpr = true
	d.Params = []*ast.Param{{Span: span, Ident: &ast.Ident{Span: span, Name: "copy:of"},
		Type: &ast.NamedType{Span: span, Name: name("copy:type")}}}
	for i := range k.st.Fields {
		f := &k.st.Fields[i]
		in := ast.CtorInit{Span: span}
		switch {
		case f.Base:
			base := fmt.Sprintf("copy:base:%d", i)
			s.sym(base).typ = &typeName{q: Q{Type: f.Type.Type}}
			in.Name, in.Args = name(base), []ast.Expr{value("copy:of")}
		case f.Name == "":
			return nil // an anonymous struct or union
		default:
			in.Name, in.Args = name(f.Name), []ast.Expr{&ast.MemberExpr{Span: span, X: value("copy:of"), Name: name(f.Name)}}
		}
		d.Inits = append(d.Inits, in)
	}
	f := &function{name: "copy", decl: d, scope: s, class: k}
	if !c.signature(f) {
		return nil
	}
	if k.memberwise == nil {
		k.memberwise = make(map[string]*function)
	}
	k.memberwise[key] = f
	return f
}

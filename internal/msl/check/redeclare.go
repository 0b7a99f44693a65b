package check

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// [basic.def.odr], [basic.scope.declarative] and [dcl.fct.default]: declarations with the same name
// in one scope denote the same entity, are overloads, or are an error; an entity has one
// definition; default arguments add up, from the right, and are never given twice.

// definedTwice reports a second definition.
func (c *checker) definedTwice(n ast.Node, what string, first diag.Pos) {
	c.report(diag.Errorf(diag.Redefinition, n.Pos(), n.End(), "redefinition of %s", what).
		WithNote(first, diag.NoPos, "previous definition is here"))
}

// inheritDefaults copies the default arguments of an earlier declaration.
func (c *checker) inheritDefaults(d, earlier *ast.FuncDecl) {
	for i, p := range d.Params {
		if i >= len(earlier.Params) {
			break
		}
		q := earlier.Params[i]
		switch {
		case p.Default == nil:
			p.Default = q.Default
		case q.Default != nil && p.Default != q.Default:
			later := p
			if q.Pos() > p.Pos() {
				later = q
			}
			c.errorf(diag.Redefinition, later, "redefinition of default argument of parameter %d", i+1)
		}
	}
}

// missingDefault checks that every parameter after one with a default argument has one too.
func (c *checker) missingDefault(d *ast.FuncDecl) {
	given := false
	for i, p := range d.Params {
		_, pack := p.Type.(*ast.PackType)
		switch {
		case p.Default != nil:
			given = true
		case given && !pack:
			c.errorf(diag.MissingDefault, p, "missing default argument on parameter %d", i+1)
			return
		}
	}
}

// hidesParam reports whether a name is a template parameter of the current function or class.
func (c *checker) hidesParam(name string) bool {
	for s := c.sc; s != nil; s = s.parent {
		if s.kind == bindScope && s.params {
			if y := s.syms.of(name); y != nil {
				return true
			}
		}
	}
	return false
}

func isTemplateSym(y *sym) bool {
	switch y.typ.(type) {
	case *classTmpl, *aliasTmpl:
		return true
	}
	return false
}

// sameHead reports whether two function templates with the same parameters are the same template:
// results, qualifiers and template parameters are spelled alike.
func sameHead(f, g *function) bool {
	written := func(n ast.Node) string {
		if n == nil {
			return ""
		}
		return ast.String(n)
	}
	a, b := f.decl, g.decl
	if a.Quals != b.Quals || (a.Result == nil) != (b.Result == nil) || a.Result != nil &&
		written(a.Result) != written(b.Result) {
		return false
	}
	return slices.EqualFunc(f.tparams, g.tparams, func(p, q ast.TemplateParam) bool {
		if p.Kind != q.Kind || p.Pack != q.Pack || (p.Type == nil) != (q.Type == nil) || p.Type != nil &&
			written(p.Type) != written(q.Type) {
			return false
		}
		return (p.DefaultType == nil) == (q.DefaultType == nil) &&
			(p.DefaultType == nil || written(p.DefaultType) == written(q.DefaultType))
	})
}

// methods checks the methods of a class that is not a template or nested in one: no two may be the
// same, and all bodies are checked, used or not, where the program writes address spaces.
func (c *checker) methods(k *class, d *ast.RecordDecl) {
	of := make(map[*ast.FuncDecl]*function)
	add := func(list []*function) {
		for _, f := range list {
			if f.class == k {
				of[f.decl] = f
			}
		}
	}
	add(k.ctors)
	add(k.convs)
	for y := range k.sc.syms.all {
		add(y.fns)
	}
	first := make(map[string][]*function)
	for _, m := range d.Members {
		switch m := m.(type) {
		case *ast.RecordDecl:
			if in := c.records[m]; in != nil && in.tmpl == nil {
				c.methods(in, m)
			}
		case *ast.FuncDecl:
			f := of[m]
			if f == nil || f.isTemplate() || !c.signature(f) {
				continue
			}
			c.spend(len(first[f.name]), 0)
			for _, g := range first[f.name] {
				if sameParams(f.params, g.params) && f.konst == g.konst && f.space == g.space &&
					(m.Name.Last().Kind != ast.PartConversion || f.result.Type == g.result.Type) {
					c.report(diag.Errorf(diag.Redefinition, m.Name.Pos(), m.Name.End(), "member '%s' is declared twice", f.name).
						WithNote(g.decl.Pos(), diag.NoPos, "previous declaration is here"))
				}
			}
			first[f.name] = append(first[f.name], f)
			// A method has an overload for each address space that objects may be in: those that are used.
			if m.Body != nil && !(c.infers() && f.isMethod() && !m.Ctor) {
				c.use(f)
			}
		}
	}
}

package check

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [temp.inst]: an instance is made when its completeness matters. [temp.class.spec.match]: of the
// partial specializations whose arguments can be deduced from those of the instance, the most
// specialized one is used, and without any the template itself; two of which neither is more
// specialized are ambiguous.

// instClass returns the type of a class template instance, which is completed when necessary.
func (c *checker) instClass(t *classTmpl, args []arg, n ast.Node) (Q, bool) {
	if c.missing(args) {
		return c.badQ(), false
	}
	if t.lib != "" {
		return c.libTemplate(t, args, n)
	}
	_, full := c.bind(t.scope, t.params, args, t.name, n)
	if full == nil && len(t.params) > 0 {
		return c.badQ(), false
	}
	return Q{Type: c.classInst(t, full).st}, true
}

// missing reports whether an argument could not be resolved, which makes the substitution in
// progress fail.
func (c *checker) missing(args []arg) bool {
	if !slices.ContainsFunc(args, func(a arg) bool { return a.kind == argNone }) {
		return false
	}
	c.failed()
	return true
}

func (c *checker) classInst(t *classTmpl, full []arg) *class {
	key := c.key(full)
	k := t.insts[key]
	if k == nil {
		if t.insts == nil {
			t.insts = make(map[string]*class)
		}
		k = c.newClass(qualify(t.scope, t.name)+"<"+argString(full)+">", t.decl)
		k.tmpl, k.args = t, full
		k.sc.parent, k.sc.fn = t.scope, t.scope.fn
		k.st.Template = t.name
		for i := range full {
			k.st.Args = append(k.st.Args, types.TemplateArg{Type: full[i].q, Value: full[i].val})
		}
		t.insts[key] = k
	}
	return k
}

// qualify prefixes a name with its namespaces.
func qualify(s *scope, name string) string {
	for ; s != nil; s = s.parent {
		if s.name != "" && (s.kind == nsScope || s.kind == classScope) {
			name = s.name + "::" + name
			if s.kind == classScope {
				return name
			}
		}
	}
	return name
}

func (c *checker) newClass(name string, d *ast.RecordDecl) *class {
	kind := types.StructRecord
	switch d.Key {
	case ast.KeyUnion:
		kind = types.UnionRecord
	case ast.KeyClass:
		kind = types.ClassRecord
	}
	k := &class{st: c.u.NewStruct(kind, name), decl: d}
	k.st.Decl = d
	k.sc = newScope(c.sc, classScope, name)
	k.sc.class = k
	k.sc.fn = c.sc.fn
	c.classes[k.st] = k
	return k
}

// specialize picks the declaration that an instance is made from, and the scope that binds its
// parameters.
func (c *checker) specialize(k *class) (*ast.RecordDecl, *scope) {
	t := k.tmpl
	best, bestScope, tie := c.bestPartial(t.partials, t.params, k.args, t.name)
	if tie != nil && tie.decl != best.decl {
		c.hard(func() {
			c.errorf(diag.AmbiguousPartial, tie.decl, "ambiguous partial specializations of '%s'", k.st.Name)
		})
	}
	if best != nil {
		return best.decl, bestScope
	}
	s, _ := c.bind(t.scope, t.params, k.args, t.name, t.decl)
	return t.decl, s
}

// bestPartial picks the specialization that fits the arguments best, with its parameters bound. If
// the choice is ambiguous, tie is one that best does not beat.
func (c *checker) bestPartial(list []*partial, primary []ast.TemplateParam, args []arg, name string) (best *partial,
	bound *scope, tie *partial) {
	var fits []*partial
	more := func(p, q *partial) bool {
		c.spend(8+len(p.args)+len(q.args), 0)
		return moreSpecialized(p, q)
	}
	for _, p := range list {
		s := c.matchPartial(p, primary, args, name)
		if s == nil {
			continue
		}
		fits = append(fits, p)
		if best == nil || len(p.params) == 0 || len(best.params) > 0 && more(p, best) {
			best, bound = p, s
		}
	}
	for _, p := range fits {
		if p != best && len(best.params) > 0 && !more(best, p) {
			tie = p
		}
	}
	return best, bound, tie
}

// matchPartial returns the scope that binds a specialization's parameters if the specialization
// fits the arguments, or nil.
func (c *checker) matchPartial(p *partial, primary []ast.TemplateParam, args []arg, name string) (s *scope) {
	c.spend(4+len(args), 0)
	d := c.newDeducer(p.params)
	d.exact = true
	c.in(p.scope, func() {
		if !d.args(p.args, args) {
			return
		}
		ok := c.try(func() {
			if s, _ = c.bind(p.scope, p.params, d.result(p.params), name, p.node()); s == nil {
				return
			}
			// Parts that were not deduced must come out the same.
			c.in(s, func() {
				again := c.templateArgs(primary, p.args)
				_, again = c.bind(p.scope, primary, again, name, p.node())
				if again == nil && len(primary) > 0 || c.key(again) != c.key(args) {
					s = nil
				}
			})
		})
		if !ok {
			s = nil
		}
	})
	return s
}

func (p *partial) node() ast.Node {
	if p.decl != nil {
		return p.decl
	}
	return p.varD
}

// moreSpecialized compares two specializations that both fit: a is more specialized if b's pattern
// matches a's but not the other way round.
func moreSpecialized(a, b *partial) bool {
	return newMatcher(b.params, a.params).args(b.args, a.args) && !newMatcher(a.params, b.params).args(a.args, b.args)
}

func (c *checker) instAlias(t *aliasTmpl, args []arg, n ast.Node) (Q, bool) {
	if c.missing(args) {
		return c.badQ(), false
	}
	s, _ := c.bind(t.scope, t.params, args, t.name, n)
	if s == nil {
		return c.badQ(), false
	}
	defer c.restore(c.context)
	c.enter(n.Pos(), t.name)
	q := c.badQ()
	c.in(s, func() { q = c.typ(t.decl.Type) })
	return q, !c.isBad(q.Type)
}

// instVar returns an instance of a variable template.
func (c *checker) instVar(t *varTmpl, args []arg, n ast.Node) *variable {
	_, full := c.bind(t.scope, t.params, args, t.name, n)
	if full == nil {
		return nil
	}
	key := c.key(full)
	if v := t.insts[key]; v != nil {
		return v
	}
	if t.insts == nil {
		t.insts = make(map[string]*variable)
	}
	decl := t.decl
	best, s, _ := c.bestPartial(t.partials, t.params, full, t.name)
	if best != nil {
		decl = best.varD
	}
	if s == nil {
		s, _ = c.bind(t.scope, t.params, full, t.name, n)
	}
	v := &variable{name: qualify(t.scope, t.name) + "<" + argString(full) + ">", decl: decl, scope: s, class: t.class}
	t.insts[key] = v
	return v
}

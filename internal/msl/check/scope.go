package check

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// [basic.lookup.unqual]: a name is looked up in the block, then in the blocks, classes with their
// bases and namespaces around it, up to the first that declares it; using directives add the
// members of a namespace to the nearest one that encloses both. [basic.lookup.qual]: a name after
// :: is looked up in that class or namespace alone, and then in what it uses.
// [class.member.lookup]: a member hides those of the same name in base classes.

type scopeKind uint8

const (
	blockScope scopeKind = iota
	nsScope
	classScope
	bindScope // for template parameters
)

// scope is a region in which names are declared.
type scope struct {
	parent *scope
	kind   scopeKind
	name   string
	syms   symTable
	usings []using
	clock  *int32 // the number of the declaration being checked
	class  *class // of a classScope
	params bool   // of a bindScope: it binds template parameters rather than pack elements
	// deduced is set for the parameters of a function template, or of one that is being declared.
	deduced bool
	lib     string // the library namespace behind this one, or ""
	fn      *fnCtx // of a blockScope
}

// sym is the meaning of a name in one scope: a value or functions may hide a type.
type sym struct {
	name string
	typ  any // *typeName, *classTmpl, *aliasTmpl, *pack
	val  any // *variable, *constant, field, *varTmpl, *pack
	fns  []*function
	ns   *scope
	lib  []string // library namespaces that may have functions of this name

	ambiguous bool // several used namespaces declare it differently

	since int32 // of a namespace: number of the first declaration
}

type typeName struct {
	q    Q
	tmpl *classTmpl // of the injected name of an instance
}

func newScope(parent *scope, kind scopeKind, name string) *scope {
	s := &scope{parent: parent, kind: kind, name: name}
	if parent != nil {
		s.clock = parent.clock
	}
	return s
}

// sym returns the symbol of a name, creating it if necessary.
func (s *scope) sym(name string) *sym {
	y := s.syms.of(name)
	if y == nil {
		y = &sym{name: name}
		if s.kind == nsScope && s.clock != nil {
			y.since = *s.clock
		}
		s.syms.add(y)
	}
	return y
}

func (y *sym) empty() bool {
	return y == nil || y.typ == nil && y.val == nil && len(y.fns) == 0 && y.ns == nil && len(y.lib) == 0
}

// merge adds what another declaration of the name in the same region contributes.
func (y *sym) merge(z *sym) *sym {
	if y.empty() {
		return z
	}
	if z.empty() || y == z {
		return y
	}
	m := *y
	if m.typ == nil {
		m.typ = z.typ
	}
	if m.val == nil {
		m.val = z.val
	}
	if m.ns == nil {
		m.ns = z.ns
	}
	m.fns, m.lib = union(m.fns, z.fns), union(m.lib, z.lib)
	return &m
}

// union returns list plus the elements of more that it lacks. It does not modify list.
func union[T comparable](list, more []T) []T {
	switch {
	case len(more) == 0:
		return list
	case len(list) == 0:
		return slices.Clip(more)
	case len(list) == len(more) && &list[0] == &more[0]:
		return list
	}
	list = slices.Clip(list)
	const many = 64
	if len(list)+len(more) > many {
		in := make(map[T]bool, len(list)+len(more))
		for _, x := range list {
			in[x] = true
		}
		for _, x := range more {
			if !in[x] {
				in[x] = true
				list = append(list, x)
			}
		}
		return list
	}
	for _, x := range more {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// clashes reports whether two declarations of a name conflict.
func (y *sym) clashes(z *sym) bool {
	if y.empty() || z.empty() || y == z {
		return false
	}
	a, ok := y.typ.(*typeName)
	b, both := z.typ.(*typeName)
	if ok && both {
		return a.q.Type != b.q.Type
	}
	return y.typ != nil && z.typ != nil && y.typ != z.typ || y.val != nil && z.val != nil && y.val != z.val
}

// lookup finds a name from the current scope outwards.
func (c *checker) lookup(name string) *sym { return c.lookupFrom(c.sc, name) }

func (c *checker) lookupFrom(s *scope, name string) *sym {
	for ; s != nil; s = s.parent {
		if y := c.lookupIn(s, name); !y.empty() {
			return y
		}
	}
	return nil
}

// lookupIn finds a name in one scope, its bases and the namespaces it uses.
func (c *checker) lookupIn(s *scope, name string) *sym {
	if s.kind == classScope {
		return c.lookupMember(s.class, name)
	}
	return c.lookupNS(s, name, nil)
}

// lookupQualified finds a name that is qualified by its scope. The namespaces that a namespace uses
// count only if it does not declare the name itself.
func (c *checker) lookupQualified(s *scope, name string) *sym {
	if s.kind == nsScope && s.lib == "" && s != c.own {
		if y := c.seen(s.syms.of(name)); !y.empty() {
			return y
		}
	}
	return c.lookupIn(s, name)
}

// lookupNS finds a name in a namespace and the namespaces it uses. seen holds the results for
// visited namespaces, nil for those still being searched.
func (c *checker) lookupNS(s *scope, name string, seen map[*scope]*sym) *sym {
	if y, ok := seen[s]; ok {
		return y
	}
	c.step()
	y := s.syms.of(name)
	switch {
	case s.lib != "":
		y = c.lookupLib(s, name, y)
	case s == c.own:
		if y = c.lookupOwn(name, y); !y.empty() || !c.inLibrary() {
			return y // Metal's library is for the dialect's own
		}
	default:
		if y = c.seen(y); s == c.global && y.empty() && !c.ownName(name) {
			y = c.lookupGlobal(name)
		}
	}
	if len(s.usings) > 0 {
		if seen == nil && chained(s) {
			seen = make(map[*scope]*sym)
		}
		if seen != nil {
			seen[s] = nil
		}
		fromLib, own := false, false // the library may have names that Metal does not: not a reason to complain
		// What a namespace declares hides Metal's library, which it uses as if it were outside.
		hides := s != c.global && s.lib == "" && !y.empty()
		for _, u := range s.usings {
			if hides && u.scope.lib != "" {
				continue
			}
			if u.scope == c.own && c.own != nil { // last: what the program declares goes before
				own = s == c.global
				continue
			}
			if c.step(); u.since <= c.horizon {
				z := c.lookupNS(u.scope, name, seen)
				clash := s.lib == "" && u.scope.lib == "" && !fromLib && y.clashes(z)
				if y = y.merge(z); clash {
					m := *y
					m.ambiguous = true
					y = &m
				}
				fromLib = fromLib || u.scope.lib != "" && !z.empty()
			}
		}
		if own && c.addsOwn(y) {
			y = y.merge(c.lookupNS(c.own, name, seen))
		}
	}
	if seen != nil {
		seen[s] = y
	}
	return y
}

// chained reports whether a namespace uses one that in turn uses others.
func chained(s *scope) bool {
	return slices.ContainsFunc(s.usings, func(u using) bool { return len(u.scope.usings) > 0 || u.scope == s })
}

// lookupMember finds a name in a class, then in its bases.
func (c *checker) lookupMember(k *class, name string) *sym { return c.memberOf(k, name, nil) }

// memberOf is lookupMember. Classes in without are known not to have the member; without it, a base
// reachable along exponentially many paths would be searched each time.
func (c *checker) memberOf(k *class, name string, without map[*class]bool) *sym {
	c.complete(k)
	if y := k.sc.syms.of(name); !y.empty() {
		return y
	}
	for _, b := range k.bases {
		if without[b] {
			continue
		}
		c.step()
		if without == nil && len(b.bases) > 0 {
			without = make(map[*class]bool)
		}
		if y := c.memberOf(b, name, without); !y.empty() {
			return y
		}
		if without != nil {
			without[b] = true
		}
	}
	return nil
}

// qualifier resolves all parts of a name but the last, and returns the namespace or class scope to
// look that up in. After an error it returns nil, false.
func (c *checker) qualifier(n *ast.Name) (s *scope, ok bool) {
	if n.Global {
		s = c.global
	}
	for i := range n.Parts[:len(n.Parts)-1] {
		p := &n.Parts[i]
		if p.Kind == ast.PartDecltype {
			q := c.typ(p.Type)
			if s = c.scopeOf(q); s == nil {
				c.notScope(p, q)
				return nil, false
			}
			continue
		}
		if p.Kind == ast.PartIdent && !p.HasArgs {
			if y := c.lookupPart(s, p.Ident); y != nil && y.ns != nil && y.typ == nil {
				s = y.ns
				continue
			}
		}
		if (p.Ident == "raytracing" || p.Ident == "mpp") && c.lookupPart(s, p.Ident).empty() {
			c.errorf(diag.UnsupportedType, p, "not supported: namespace '%s'", p.Ident)
			return nil, false
		}
		if y := c.lookupPart(s, p.Ident); s == nil && y.empty() {
			c.undeclared(nil, p, p.Ident, "name")
			return nil, false
		} else if !y.empty() && y.typ == nil {
			c.errorf(diag.NotAScope, p, "'%s' is not a class, namespace, or enumeration", p.Ident)
			return nil, false
		}
		q, found := c.typeOfPart(s, p)
		if !found {
			return nil, false
		}
		next := c.scopeOf(q)
		if next == nil {
			c.notScope(p, q)
			return nil, false
		}
		s = next
	}
	return s, true
}

func (c *checker) lookupPart(s *scope, name string) *sym {
	if s == nil {
		return c.lookup(name)
	}
	return c.lookupQualified(s, name)
}

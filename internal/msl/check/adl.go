package check

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [basic.lookup.argdep]: the name of a called function is also looked up in the namespaces of which
// the arguments' types are members: of a class and its bases, of what a pointer or an array is made
// from, and of the template arguments of an instance. Not so if ordinary lookup has found a member
// of a class, a local declaration or something that is no function. [over.match.oper]: non-member
// operators are found likewise; members that ordinary lookup would find do not count.

// operatorFns finds operators by name and by the namespaces of the operands.
func (c *checker) operatorFns(op string, args []typed.Expr) []*function {
	var fns []*function
	for s := c.sc; s != nil; s = s.parent {
		if s.kind != classScope {
			if y := c.lookupIn(s, op); y != nil && len(y.fns) > 0 {
				fns = union(fns, y.fns)
				break
			}
		}
	}
	for _, ns := range c.associated(args) {
		if y := ns.syms.of(op); y != nil {
			fns = union(fns, y.fns)
		}
	}
	return fns
}

// addADL adds the functions found in the namespaces of the arguments.
func (c *checker) addADL(o *overload, args []typed.Expr) {
	for _, ns := range c.associated(args) {
		if ns == c.metal && len(o.lib) == 0 && len(o.spec) == 0 {
			c.addLib(o, ns.lib)
		}
		if y := ns.syms.of(o.name); y != nil {
			o.fns = union(o.fns, y.fns)
		}
	}
}

func hasNamespace(e typed.Expr) bool {
	switch e.(type) {
	case *overload, *typeOperand, *initList, *badExpr:
		return false
	}
	return true
}

// associated lists the namespaces that argument-dependent lookup searches for arguments, each once.
func (c *checker) associated(args []typed.Expr) []*scope {
	a := association{c: c}
	for _, e := range args {
		if hasNamespace(e) {
			a.visit(e.Type())
		}
	}
	return a.list
}

// association is a walk over types, their bases and their template arguments. There can be
// exponentially many paths to a type, so each class is visited only once.
type association struct {
	c    *checker
	list []*scope
	seen map[*class]bool // nil until there is more than one
	one  *class
}

func (a *association) add(s *scope) {
	if !slices.Contains(a.list, s) {
		a.list = append(a.list, s)
	}
}

// enter reports whether a class has not been visited before.
func (a *association) enter(k *class) bool {
	a.c.step()
	switch {
	case a.one == nil:
		a.one = k
		return true
	case a.one == k || a.seen[k]:
		return false
	case a.seen == nil:
		a.seen = make(map[*class]bool)
	}
	a.seen[k] = true
	return true
}

func (a *association) visit(t types.Type) {
	c := a.c
	switch t := t.(type) {
	case *types.Pointer:
		a.visit(t.Elem.Type)
	case *types.Reference:
		a.visit(t.Elem.Type)
	case *types.Array:
		a.visit(t.Elem)
	case *types.Enum:
		if s := c.enumScopes[t]; s != nil {
			a.add(s)
		} else {
			a.add(c.metal)
		}
	case *types.Atomic, *types.Texture, *types.Opaque, *types.SimdgroupMatrix:
		a.add(c.metal)
	case *types.Struct:
		k := c.classes[t]
		if k == nil {
			a.add(c.metal)
			return
		}
		if !a.enter(k) {
			return
		}
		s := k.sc
		if k.tmpl != nil {
			s = k.tmpl.scope
		}
		for ; s != nil; s = s.parent {
			if s.kind == nsScope {
				a.add(s)
				break
			}
		}
		for _, b := range k.bases {
			a.visit(b.st)
		}
		for i := range k.args {
			if k.args[i].kind == argType {
				a.visit(k.args[i].q.Type)
			}
		}
	}
}

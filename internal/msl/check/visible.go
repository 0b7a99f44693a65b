package check

import (
	"math"

	"github.com/puremetal/puremetal/internal/msl/ast"
)

// Bodies are checked after everything is declared, but they only see what is declared before them.
// So each namespace declaration has a number, and a body has a horizon, the number of the
// declaration it belongs to. Names in templates are looked up at instantiation, where everything is
// visible: this finds too much for names that do not depend on the template's arguments.

// everything is the horizon from which all declarations are visible.
const everything = math.MaxInt32

// using is a namespace whose names are visible in a scope from a certain declaration on.
type using struct {
	scope *scope
	since int32
}

// count numbers a namespace declaration.
func (c *checker) count(d ast.Decl) {
	if c.inPrelude || c.fn != nil || c.sc.kind != nsScope || c.sc == c.own {
		return
	}
	c.declCount++
	c.horizons[d] = c.declCount
}

// horizonOf returns the horizon of a function's body.
func (c *checker) horizonOf(f *function) int32 {
	if f.lambda != nil && f.tmpl == nil {
		return c.horizon
	}
	if f.tmpl != nil {
		return everything
	}
	if h, ok := c.horizons[f.decl]; ok {
		return h
	}
	for k := f.class; k != nil && k.tmpl == nil; k = k.outer() {
		if h, ok := c.horizons[k.decl]; ok {
			return h
		}
	}
	return everything
}

// outer returns the class that k is nested in, or nil.
func (k *class) outer() *class {
	for s := k.sc.parent; s != nil; s = s.parent {
		if s.kind == classScope {
			return s.class
		}
	}
	return nil
}

// seen returns the part of a namespace symbol declared before the horizon, or nil.
func (c *checker) seen(y *sym) *sym {
	if y == nil || c.horizon == everything {
		return y
	}
	if y.since > c.horizon {
		return nil
	}
	for i, f := range y.fns {
		if f.since > c.horizon {
			z := *y
			z.fns = append([]*function(nil), y.fns[:i]...)
			for _, f := range y.fns[i:] {
				if f.since <= c.horizon {
					z.fns = append(z.fns, f)
				}
			}
			return &z
		}
	}
	return y
}

// declaredLater reports whether a name that was not found is declared after its use.
func (c *checker) declaredLater(s *scope, name string) bool {
	if c.horizon == everything {
		return false
	}
	saved := c.horizon
	defer func() { c.horizon = saved }()
	c.horizon = everything
	return !c.lookupPart(s, name).empty()
}

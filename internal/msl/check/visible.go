package check

import (
	"math"

	"github.com/puremetal/puremetal/internal/msl/ast"
)

// Bodies are checked when everything is declared, yet they see only what stands before them. So
// each declaration of a namespace has a number, and a body has a horizon, the number of the
// declaration that it belongs to. What templates name is looked up when they are instantiated, from
// where all is visible: that finds more than it should, where their arguments have nothing to do
// with it.

// everything is the horizon of what sees all declarations.
const everything = math.MaxInt32

// using is a namespace whose names are visible in a scope, from a declaration on.
type using struct {
	scope *scope
	since int32
}

// count gives a declaration of a namespace its number.
func (c *checker) count(d ast.Decl) {
	if c.inPrelude || c.fn != nil || c.sc.kind != nsScope {
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

// outer returns the class that a class is a member of, or nil.
func (k *class) outer() *class {
	for s := k.sc.parent; s != nil; s = s.parent {
		if s.kind == classScope {
			return s.class
		}
	}
	return nil
}

// seen returns what of a symbol of a namespace lies before the horizon; nil for nothing.
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

// declaredLater reports whether a name that was not found is declared behind the place that names
// it.
func (c *checker) declaredLater(s *scope, name string) bool {
	if c.horizon == everything {
		return false
	}
	saved := c.horizon
	defer func() { c.horizon = saved }()
	c.horizon = everything
	return !c.lookupPart(s, name).empty()
}

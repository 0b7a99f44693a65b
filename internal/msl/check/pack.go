package check

import (
	"maps"
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// [temp.variadic]: an expansion repeats its pattern for each element of the packs that the pattern
// names outside of other expansions; packs that are expanded together must have the same length.

// packsIn finds the bound packs named in a pattern.
func (c *checker) packsIn(n ast.Node) map[string]*pack {
	found := make(map[string]*pack)
	look := func(name string) {
		if name == "" || found[name] != nil {
			return
		}
		y := c.lookup(name)
		if y == nil {
			return
		}
		if p, ok := y.val.(*pack); ok {
			found[name] = p
		} else if p, ok := y.typ.(*pack); ok {
			found[name] = p
		}
	}
	ast.Inspect(n, func(n ast.Node) bool {
		c.step()
		switch n := n.(type) {
		case *ast.SizeofPackExpr, *ast.PackExpr, *ast.PackType:
			return false
		case *ast.Name:
			for i := range n.Parts {
				look(n.Parts[i].Ident)
			}
		case *ast.NameExpr:
			for i := range n.Name.Parts {
				look(n.Name.Parts[i].Ident)
			}
		case *ast.NamedType:
			for i := range n.Name.Parts {
				look(n.Name.Parts[i].Ident)
			}
		}
		return true
	})
	return found
}

// expand runs f once for each element of the packs in a pattern, with their names bound to the
// elements. It returns false if there are no packs or their lengths differ.
func (c *checker) expand(pattern any, at ast.Node, f func()) bool {
	var found map[string]*pack
	switch p := pattern.(type) {
	case *ast.TemplateArg:
		if p.Type != nil {
			found = c.packsIn(p.Type)
		} else {
			found = c.packsIn(p.X)
		}
	case ast.Node:
		found = c.packsIn(p)
	}
	if len(found) == 0 {
		c.errorf(diag.NoPackToExpand, at, "pack expansion does not contain any unexpanded parameter packs")
		return false
	}
	n := -1
	for _, name := range slices.Sorted(maps.Keys(found)) {
		p := found[name]
		if n >= 0 && n != len(p.elems) {
			c.errorf(diag.PackLengths, at,
				"pack expansion contains parameter packs that have different lengths (%d vs. %d)", n, len(p.elems))
			return false
		}
		n = len(p.elems)
	}
	for i := range n {
		c.spend(2, 256)
		s := newScope(c.sc, bindScope, "")
		s.fn = c.sc.fn
		for name, p := range found {
			bindArg(s, name, &p.elems[i])
		}
		c.in(s, f)
	}
	return true
}

// eachParam runs f for a parameter, or for each element of a parameter pack.
func (c *checker) eachParam(p *ast.Param, f func(*ast.Param)) {
	if t, ok := p.Type.(*ast.PackType); ok {
		c.expand(t.Elem, p, func() { f(p) })
		return
	}
	f(p)
}

package check

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// wideLanes returns the number of components of a vector of 8 or 16, which is a structure of the
// dialect's library, and 0 for other types.
func (c *checker) wideLanes(t *types.Struct) int {
	k := c.classes[t]
	if k == nil || !c.opts.Dialect.VectorMasks {
		return 0
	}
	switch name := k.st.String(); {
	case strings.HasPrefix(name, "opencl::vec8<"):
		return 8
	case strings.HasPrefix(name, "opencl::vec16<"):
		return 16
	}
	return 0
}

// wideHalf selects one half of a vector of 8 or 16.
func (c *checker) wideHalf(e typed.Expr, name string, n ast.Node) typed.Expr {
	path, _ := e.Type().(*types.Struct).Path(name)
	return c.memberPath(e, path, n.Pos())
}

// wideMember selects components of a vector of 8 or 16 lanes; nil means that the name is no
// selector.
func (c *checker) wideMember(e typed.Expr, lanes int, name string, x *ast.MemberExpr) typed.Expr {
	c.complete(c.classes[e.Type().(*types.Struct)])
	switch name {
	case "even", "odd":
		return c.libraryCall(name+"_lanes", x, c.load(e))
	case "lo", "hi":
		return nil // members of the structure
	}
	list := Components(name)
	for _, k := range list {
		if k < 0 || k >= lanes {
			c.errorf(diag.BadSwizzle, x.Name, "no components '%s' in a vector of %d", name, lanes)
			return c.badExpr(x)
		}
	}
	return c.pickLanes(e, lanes, list, x)
}

// Components returns the numbers of the components that a selector of OpenCL C names, -1 for what
// is no name of one.
func Components(name string) (list []int) {
	for i := range len(name) {
		switch {
		case name[0] != 's' && name[0] != 'S':
			list = append(list, strings.IndexByte("xyzw", name[i]))
		case i > 0:
			list = append(list, strings.IndexByte("0123456789abcdef", name[i]|0x20)) // which leaves digits as they are
		}
	}
	return list
}

// pickLanes selects the listed components. Those of one vector of four stay assignable.
func (c *checker) pickLanes(e typed.Expr, lanes int, list []int, x *ast.MemberExpr) typed.Expr {
	half := lanes / 2
	inLow, inHigh := true, true
	for _, k := range list {
		inLow, inHigh = inLow && k < half, inHigh && k >= half
	}
	switch {
	case len(list) == 0, len(list) > 4 && len(list) != 8 && len(list) != 16:
		c.errorf(diag.BadSwizzle, x.Name, "a selector has %d components", len(list))
		return c.badExpr(x)
	case (inLow || inHigh) && len(list) < lanes:
		name := "lo"
		if inHigh {
			name = "hi"
			for i := range list {
				list[i] -= half
			}
		}
		part := c.wideHalf(e, name, x)
		if half > 4 {
			if len(list) == half && ascending(list) {
				return part
			}
			return c.pickLanes(part, half, list, x)
		}
		if len(list) <= 4 {
			letters := make([]byte, len(list))
			for i, k := range list {
				letters[i] = "xyzw"[k]
			}
			return c.swizzle(part, part.Type().(*types.Vector).Elem, 4,
				&ast.NamePart{Span: x.Name.Span, Ident: string(letters)}, x)
		}
	}
	if len(list) > 4 || ast.HasEffects(x.X) {
		c.errorf(diag.DialectFeature, x.Name,
			"this choice of %d components from a vector of %d is not translated: write the components one by one",
			len(list), lanes)
		return c.badExpr(x)
	}
	elems := make([]typed.Expr, len(list))
	for i, k := range list {
		if elems[i] = c.load(c.pickLanes(e, lanes, []int{k}, x)); c.isBad(elems[i].Type()) {
			return elems[i]
		}
	}
	elem := elems[0].Type().(*types.Basic)
	return &typed.Compose{Info: rv(x, types.VectorOf(elem, len(list))), Elems: elems}
}

func ascending(list []int) bool {
	for i, k := range list {
		if i != k {
			return false
		}
	}
	return true
}

// composeWide builds a vector of 8 or 16 lanes of its components. Those of an argument must not lie
// in two vectors of four, unless it is a wide vector in its place.
func (c *checker) composeWide(t *types.Struct, lanes int, args []typed.Expr, n ast.Node) typed.Expr {
	if c.anyBad(args...) {
		return c.badExpr(n)
	}
	k := c.classes[t]
	c.complete(k)
	half := t.Fields[0].Type.Type
	halves := [2][]typed.Expr{}
	at := 0
	for _, a := range args {
		v, size := c.load(a), types.LenOf(a.Type())
		if s, ok := v.Type().(*types.Struct); ok {
			size = c.wideLanes(s)
		}
		which := at / (lanes / 2)
		if size == 0 || which > 1 || at%(lanes/2)+size > lanes/2 {
			c.errorf(diag.DialectFeature, n, "these components of a vector of %d are not translated: "+
				"those of an argument are in both halves, or they are too many", lanes)
			return c.badExpr(n)
		}
		halves[which] = append(halves[which], v)
		at += size
	}
	if at != lanes {
		c.errorf(diag.ComponentCount, n, "too few components for a vector of %d: %d given", lanes, at)
		return c.badExpr(n)
	}
	parts := make([]typed.Expr, 2)
	for i, list := range halves {
		if len(list) == 1 && list[0].Type() == half {
			parts[i] = list[0]
		} else if parts[i] = c.constructType(Q{Type: half}, list, n, false); c.isBad(parts[i].Type()) {
			return parts[i]
		}
	}
	return c.construct(t, parts, n)
}

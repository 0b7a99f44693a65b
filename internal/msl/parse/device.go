package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// deviceSpec reads a specifier of CUDA C++ that is no attribute.
func (p *parser) deviceSpec(s *specs) bool {
	switch p.cur.Text {
	case "__global__":
		return p.stage(s, ast.Kernel)
	case "__device__", "__managed__":
		if s.memory == ast.NoSpace {
			s.memory = ast.Device
		}
	case "__constant__":
		s.memory = ast.Constant
	case "__shared__":
		s.memory = ast.Threadgroup
	default:
		before := len(s.attrs)
		return p.deviceAttr(&s.attrs) || len(s.attrs) > before
	}
	p.next()
	return true
}

// deviceAttr reads a specifier of CUDA C++ that has no effect or is an attribute in Metal.
func (p *parser) deviceAttr(list *[]*ast.Attr) bool {
	from := p.cur.Pos
	name, most := "", 0
	switch p.cur.Text {
	case "__host__", "__forceinline__", "__noinline__", "__grid_constant__", "__nv_pure__", "__inline_hint__":
		p.next()
		return true
	case "__align__", "__builtin_align__":
		name, most = "alignas", 1
	case "__launch_bounds__":
		name, most = "max_total_threads_per_threadgroup", 1
	case "__cluster_dims__", "__maxnreg__", "__block_size__":
	default:
		return false
	}
	p.next()
	open := p.i
	if !p.expect(token.LParen, "after the specifier") {
		return true
	}
	a := &ast.Attr{Name: name, Parens: true, Args: p.typeOrExprs()}
	p.closeBracket(open, "after the arguments of the specifier")
	if name != "" {
		a.Args = a.Args[:min(most, len(a.Args))]
		a.Span = p.span(from)
		*list = append(*list, a)
	}
	return true
}

// inMemory gives a variable's type the address space of the variable. Arrays carry that of their
// elements.
func inMemory(t ast.TypeExpr, space ast.AddrSpace) ast.TypeExpr {
	switch t := t.(type) {
	case *ast.ArrayType:
		a := *t
		a.Elem = inMemory(t.Elem, space)
		return &a
	case *ast.QualType:
		q := *t
		q.Space = space
		return &q
	}
	return &ast.QualType{Span: ast.Span{From: t.Pos(), To: t.End()}, Space: space, Elem: t}
}

package translate

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// split makes declarations of their own of the variables of a list whose pointers point into
// different address spaces, or some of which are no pointers.
func (p *program) split(list []ast.Decl) {
	var group []*ast.VarDecl
	flush := func() {
		if len(group) > 1 {
			p.splitGroup(group)
		}
		group = nil
	}
	for _, d := range list {
		v, ok := d.(*ast.VarDecl)
		if !ok || v.Name == nil {
			flush()
			continue
		}
		if len(group) > 0 && p.first(baseType(group[0].Type)) != p.first(baseType(v.Type)) {
			flush()
		}
		group = append(group, v)
	}
	flush()
}

// baseType returns what pointers, references and arrays are of.
func baseType(t ast.TypeExpr) ast.TypeExpr {
	for e := elemOf(t); e != nil; e = elemOf(t) {
		t = e
	}
	return t
}

// elemOf returns what a pointer, reference, array or qualified type is of, nil for other types.
func elemOf(t ast.TypeExpr) ast.TypeExpr {
	switch e := t.(type) {
	case *ast.QualType:
		return e.Elem
	case *ast.PointerType:
		return e.Elem
	case *ast.ReferenceType:
		return e.Elem
	case *ast.ArrayType:
		return e.Elem
	}
	return nil
}

// innerSpace returns the innermost pointer or reference of a type, and the address space that it
// gets.
func (p *program) innerSpace(t ast.TypeExpr) (inner ast.TypeExpr, space string) {
	for {
		var elem ast.TypeExpr
		switch e := t.(type) {
		case *ast.QualType:
			t = e.Elem
			continue
		case *ast.ArrayType:
			t = e.Elem
			continue
		case *ast.PointerType:
			elem = e.Elem
		case *ast.ReferenceType:
			elem = e.Elem
		default:
			return inner, space
		}
		inner, space = t, ""
		if q, ok := elem.(*ast.QualType); ok && p.snapshot.spaces[t] == ast.NoSpace && q.Space != ast.NoSpace {
			space = q.Space.String()
			if q.Space == ast.Inferred {
				space = ""
				if s := p.inferred(t, q.SpaceParam); s != types.None {
					space = s.String()
				}
			}
		}
		t = elem
	}
}

func (p *program) splitGroup(group []*ast.VarDecl) {
	_, first := p.innerSpace(group[0].Type)
	same, plain := true, true
	for _, v := range group {
		_, s := p.innerSpace(v.Type)
		same = same && s == first
		plain = plain && (s == "" || s == "thread")
	}
	if same || plain {
		return
	}
	base := baseType(group[0].Type)
	from, to := p.first(base), p.last(base)
	if from < 0 || to < from {
		return
	}
	for _, v := range group[1:] {
		comma := p.first(v.Name) - 1
		for comma > to && p.list[comma].Kind != token.Comma {
			comma--
		}
		if comma <= to {
			return
		}
		inner, s := p.innerSpace(v.Type)
		text := ";"
		for t := v.Type; t != nil; t = elemOf(t) {
			if q, ok := t.(*ast.QualType); ok && q.Elem == baseType(q) {
				if q.Const {
					text += " const"
				}
				if q.Volatile {
					text += " volatile"
				}
			}
		}
		if s != "" {
			text += " " + s
		}
		if inner != nil {
			p.apart[inner] = true
		}
		p.replace(comma, text+" "+p.sharedText(from, to))
		p.edit(comma).tight = true
	}
}

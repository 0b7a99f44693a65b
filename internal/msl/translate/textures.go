package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Textures of CUDA C++. What the language has as one value is a texture and a sampler in Metal: two
// parameters of a kernel, of which it makes a value of a class. Functions that take one are
// templates over its type.

const sampledMaker = "__sampled"

// samplerOf returns the parameter for the sampler of a texture, which the source does not have.
func (p *program) samplerOf(f *ast.FuncDecl, a *ast.Param) *ast.Param {
	i := slices.Index(f.Params, a) + 1
	if i >= len(f.Params) {
		return nil
	}
	if _, written := p.snapshot.params[f.Params[i]]; written {
		return nil
	}
	return f.Params[i]
}

// sampled writes the parameter for a texture that has a sampler. It returns the sampler's name, and
// with what the body begins.
func (p *program) sampled(a, sampler *ast.Param) (name, body string) {
	was := p.snapshot.params[a].Ident.Name
	texture := p.unused(was + "_texture")
	name = p.unused(sampler.Ident.Name)
	p.replace(p.first(a.Ident), texture)
	p.made[sampledMaker] = true
	return name, fmt.Sprintf(" auto %s = %s(%s, %s);", p.named(was), p.libraryName(sampledMaker), texture, name)
}

// textureTypes writes the parameters of a function that are textures: their types are parameters of
// a template.
func (p *program) textureTypes(f *ast.FuncDecl, outer ast.Node) {
	var names []string
	for _, a := range f.Params {
		if name := textureType(a); name != "" && a.Ident != nil {
			p.retype(p.first(a), p.first(a.Ident), name)
			names = append(names, "class "+name)
		}
	}
	if len(names) == 0 {
		return
	}
	list := strings.Join(names, ", ")
	first := p.first(outer)
	if first < 0 {
		first = p.first(f)
	}
	if p.list[first].Kind != token.KwTemplate {
		p.around(first, p.last(f), "template <"+list+"> ", "")
		return
	}
	for {
		t, ok := outer.(*ast.TemplateDecl)
		if !ok {
			return
		}
		if outer = t.Decl; outer != ast.Node(f) {
			continue
		}
		for k := p.first(f); k > first; k-- { // the bracket that ends the template's parameters
			if p.list[k-1].Kind == token.Greater {
				p.before(k-1, ", "+list)
				return
			}
		}
	}
}

// textureType returns the parameter of a template that is the type of a texture, or "".
func textureType(a *ast.Param) string {
	if name := namedType(a.Type); strings.HasPrefix(name, "__texture") {
		return name
	}
	return ""
}

// textureVar edits a variable of a function that is a texture.
func (p *program) textureVar(d *ast.VarDecl) {
	if t, ok := d.Type.(*ast.AutoType); ok && t.Span == d.Span { // in place of the type of a value
		p.retype(p.first(d), p.first(d.Name), "auto")
	}
}

// isReference reports whether a type is that of a texture of the program.
func isReference(t ast.TypeExpr) bool {
	n, ok := t.(*ast.NamedType)
	if !ok {
		return false
	}
	name := n.Name.Last().Ident
	return isHandle(n) || (name == "texture" || name == "surface") && len(n.Name.Last().Args) > 0
}

// readReference writes a call that reads a reference to a texture.
func (p *program) readReference(x *ast.CallExpr) {
	f, ok := x.Fun.(*ast.NameExpr)
	if !ok {
		return
	}
	if i := p.first(x); f.Name.Simple() == sampledMaker && len(x.Args) == 2 && i >= 0 && i == p.last(x) {
		if n, ok := x.Args[0].(*ast.NameExpr); ok && dialect.Written(n.Name.Simple()) != n.Name.Simple() {
			return // of a kernel's parameters, written with them
		}
		p.made[sampledMaker] = true
		p.replace(i, fmt.Sprintf("%s(%s, %s)", p.libraryName(sampledMaker), p.handle(x.Args[0]), p.handle(x.Args[1])))
		return
	}
	last := f.Name.Last()
	if i := p.last(f); len(last.Args) == 1 && last.Args[0].Span == last.Span && i >= 0 {
		t := last.Args[0].Type
		if n, ok := t.(*ast.NamedType); ok {
			p.types[n.Name.Simple()] = true
		}
		p.after(i, "<"+ast.TypeString(t)+">")
	}
}

// handle returns the name of the parameter for a texture or sampler of the program.
func (p *program) handle(x ast.Expr) string {
	n, ok := x.(*ast.NameExpr)
	if !ok {
		return ""
	}
	name := n.Name.Simple()
	for _, in := range p.variables {
		if in.v != nil && in.v.Name == name && isHandleType(in.v.Type) {
			return in.name
		}
	}
	return name
}

func isHandleType(t types.Type) bool { return handleText(t) != "" }

// handleText returns the text of the type of a texture or sampler, "" for other types.
func handleText(t types.Type) string {
	switch t := t.(type) {
	case *types.Texture:
		return "metal::" + strings.NewReplacer("access::", "metal::access::", "memory_coherence::",
			"metal::memory_coherence::").Replace(t.String())
	case *types.Opaque:
		return "metal::" + strings.TrimPrefix(t.String(), "metal::")
	}
	return ""
}

package dialect

import (
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/msl/ast"
)

// Textures. An object of textures that is a kernel's parameter becomes two arguments, a texture and
// a sampler, of which the kernel makes a value; other functions are templates over its type. A
// reference to a texture is two arguments of every kernel that reaches it. What is read by an index
// is a buffer without a sampler. The functions that read a texture say its class and components.

// textureClasses are Metal's classes by the functions of CUDA C++ that access textures.
var textureClasses = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"tex1Dfetch": "texture_buffer", "tex1D": "texture1d", "tex1DLod": "texture1d", "tex2D": "texture2d",
		"tex2DLod": "texture2d", "tex3D": "texture3d", "tex3DLod": "texture3d", "tex1DLayered": "texture1d_array",
		"tex2DLayered": "texture2d_array", "texCubemap": "texturecube",
		"surf1Dread": "texture1d", "surf1Dwrite": "texture1d", "surf2Dread": "texture2d", "surf2Dwrite": "texture2d",
		"surf3Dread": "texture3d", "surf3Dwrite": "texture3d", "surf2DLayeredread": "texture2d_array",
		"surf2DLayeredwrite": "texture2d_array",
	}
})

// isTextureObject reports whether a type is that of objects of textures or surfaces.
func isTextureObject(t ast.TypeExpr) bool {
	if q, ok := t.(*ast.QualType); ok {
		t = q.Elem
	}
	n, ok := t.(*ast.NamedType)
	return ok && slices.Contains(words("cudaTextureObject_t cudaSurfaceObject_t CUtexObject CUsurfObject"),
		n.Name.Simple())
}

// use is how a texture is accessed: Metal's class, components and access.
type use struct{ class, elem, access string }

// textureUse finds out how a function accesses a texture that is its parameter or a variable,
// itself or by the functions that it hands it to.
func (a *cudaAdapter) textureUse(fn *ast.FuncDecl, name string, depth int) (u use) {
	if fn.Body == nil || depth > 16 {
		return u
	}
	add := func(v use) {
		switch {
		case u.class == "":
			u = v
		case v.access != "" && u.access != v.access:
			u.access = "read_write"
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		f, ok := call.Fun.(*ast.NameExpr)
		if !ok {
			return true
		}
		callee := f.Name.Last()
		for i, arg := range call.Args {
			x, ok := arg.(*ast.NameExpr)
			if !ok || x.Name.Simple() != name {
				continue
			}
			class := textureClasses()[callee.Ident]
			if class == "" {
				for _, to := range a.functions[callee.Ident] {
					if i < len(to.Params) && to.Params[i].Ident != nil && to != fn {
						if v := a.textureUse(to, to.Params[i].Ident.Name, depth+1); v.class != "" {
							add(v)
						}
					}
				}
				continue
			}
			v := use{class: class, access: "sample"}
			switch {
			case strings.HasSuffix(callee.Ident, "read"):
				v.access = "read"
			case strings.HasSuffix(callee.Ident, "write"):
				v.access = "write"
			case class == "texture_buffer":
				v.access = "read"
			}
			switch {
			case len(callee.Args) > 0 && callee.Args[0].Type != nil:
				v.elem = componentOf(callee.Args[0].Type)
			case len(callee.Args) > 0:
				if n, ok := callee.Args[0].X.(*ast.NameExpr); ok {
					v.elem = componentOf(&ast.NamedType{Span: n.Span, Name: n.Name})
				}
			case i > 0:
				v.elem = componentOf(typeIn(fn, call.Args[0]))
			}
			add(v)
		}
		return true
	})
	return u
}

// typeIn returns the type of an expression of simple form in a function, or nil.
func typeIn(fn *ast.FuncDecl, x ast.Expr) (t ast.TypeExpr) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return typeIn(fn, x.X)
	case *ast.UnaryExpr:
		return typeIn(fn, x.X)
	case *ast.CastExpr:
		return x.Type
	case *ast.ConstructExpr:
		return x.Type
	case *ast.IndexExpr:
		t = typeIn(fn, x.X)
		if q, ok := t.(*ast.QualType); ok {
			t = q.Elem
		}
		switch t := t.(type) {
		case *ast.PointerType:
			return t.Elem
		case *ast.ArrayType:
			return t.Elem
		}
	case *ast.FloatLit:
		return &ast.BasicType{Span: x.Span, Kind: ast.Float}
	case *ast.CallExpr:
		if f, ok := x.Fun.(*ast.NameExpr); ok {
			if name, ok := strings.CutPrefix(f.Name.Simple(), "make_"); ok {
				return &ast.NamedType{Span: x.Span, Name: plainName(x.Span, name)}
			}
			return &ast.NamedType{Span: x.Span, Name: f.Name}
		}
	case *ast.NameExpr:
		name := x.Name.Simple()
		for _, p := range fn.Params {
			if p.Ident != nil && p.Ident.Name == name {
				t = p.Type
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if v, ok := n.(*ast.VarDecl); ok && v.Name.Simple() == name {
				t = v.Type
				if _, ok := t.(*ast.AutoType); ok && v.Init != nil && v.Init != ast.Expr(x) {
					t = nil
				}
			}
			return true
		})
	}
	return t
}

// componentOf returns the type of a texture's components that a type reads, or "".
func componentOf(t ast.TypeExpr) string {
	if q, ok := t.(*ast.QualType); ok {
		t = q.Elem
	}
	switch t := t.(type) {
	case *ast.BasicType:
		switch t.Kind {
		case ast.Float:
			return "float"
		case ast.Char, ast.SChar, ast.Short, ast.Int:
			return "int"
		case ast.UChar, ast.UShort, ast.UInt:
			return "uint"
		}
	case *ast.NamedType:
		switch strings.TrimRight(t.Name.Simple(), "124") {
		case "float":
			return "float"
		case "char", "short", "int", "int8_t", "int16_t", "int32_t":
			return "int"
		case "uchar", "ushort", "uint", "uint8_t", "uint16_t", "uint32_t":
			return "uint"
		}
	}
	return ""
}

func (u use) typ(at ast.Span) ast.TypeExpr {
	return &ast.NamedType{Span: at, Name: metalName(at, u.class,
		ast.TemplateArg{Span: at, Type: &ast.NamedType{Span: at, Name: plainName(at, u.elem)}},
		ast.TemplateArg{Span: at, X: metalEnum(at, "access", u.access)})}
}

// textureParams makes the objects among a kernel's parameters textures and samplers. One whose
// accesses do not say what it is stays what it is, which is refused.
func (a *cudaAdapter) textureParams(d *ast.FuncDecl) {
	var params []*ast.Param
	var made []ast.Stmt
	for _, p := range d.Params {
		params = append(params, p)
		if !isTextureObject(p.Type) || p.Ident == nil {
			continue
		}
		u := a.textureUse(d, p.Ident.Name, 0)
		if u.class == "" || u.elem == "" {
			continue
		}
		at := p.Ident.Span
		p.Type = u.typ(at)
		if u.access != "sample" {
			continue
		}
		name := p.Ident.Name
		p.Ident = &ast.Ident{Span: at, Name: name + copySuffix}
		params = append(params, &ast.Param{Span: p.Span, Ident: &ast.Ident{Span: at, Name: name + "_sampler"},
			Type: &ast.NamedType{Span: at, Name: metalName(at, "sampler")}})
		made = append(made, &ast.DeclStmt{Span: at, Decls: []ast.Decl{&ast.VarDecl{Span: at,
			Type: &ast.AutoType{Span: at}, Name: plainName(at, name), InitKind: ast.CopyInit,
			Init: sampled(at, name+copySuffix, name+"_sampler")}}})
	}
	if d.Params = params; len(made) > 0 {
		d.Body.List = append(made, d.Body.List...)
	}
}

// sampled is a texture together with its sampler.
func sampled(at ast.Span, texture, sampler string) ast.Expr {
	name := func(s string) ast.Expr { return &ast.NameExpr{Span: at, Name: plainName(at, s)} }
	return &ast.CallExpr{Span: at, Fun: name("__sampled"), Args: []ast.Expr{name(texture), name(sampler)}}
}

// reference is a texture reference, with the type that reads it.
type reference struct {
	use
	result ast.TypeExpr
}

// textureReference returns a file's variable that is a texture reference as a texture and a
// sampler.
func (a *cudaAdapter) textureReference(v *ast.VarDecl) (list []ast.Decl) {
	t, ok := v.Type.(*ast.NamedType)
	if !ok || t.Name.Last().Ident != "texture" && t.Name.Last().Ident != "surface" || len(t.Name.Last().Args) == 0 {
		return []ast.Decl{v}
	}
	args := t.Name.Last().Args
	result := args[0].Type
	if n, ok := args[0].X.(*ast.NameExpr); ok {
		result = &ast.NamedType{Span: n.Span, Name: n.Name}
	}
	if result == nil {
		return []ast.Decl{v}
	}
	r := &reference{use: use{elem: componentOf(a.aliased(result)), access: "sample"}, result: result}
	if len(args) > 2 && isNumber(args[2].X, "1") { // normalized: numbers from 0 to 1
		r.elem = "float"
		r.result = normalized(a.aliased(result))
	}
	for _, fns := range a.functions {
		for _, fn := range fns {
			if u := a.textureUse(fn, v.Name.Simple(), 16); u.class != "" {
				r.class, r.access = u.class, u.access
			}
		}
	}
	if r.class == "" || r.elem == "" || r.result == nil {
		return []ast.Decl{v}
	}
	a.references[v.Name.Simple()] = r
	at := v.Name.Span
	list = append(list, &ast.VarDecl{Span: at, Type: r.typ(at), Name: v.Name})
	if r.access == "sample" {
		list = append(list, &ast.VarDecl{Span: at, Type: &ast.NamedType{Span: at, Name: metalName(at, "sampler")},
			Name: plainName(at, v.Name.Simple()+"_sampler")})
	}
	return list
}

// aliased returns the type that a name of the file stands for.
func (a *cudaAdapter) aliased(t ast.TypeExpr) ast.TypeExpr {
	for range 16 {
		n, ok := t.(*ast.NamedType)
		if !ok || a.types[n.Name.Simple()] == nil {
			break
		}
		t = a.types[n.Name.Simple()]
	}
	return t
}

func isNumber(x ast.Expr, text string) bool {
	n, ok := x.(*ast.IntLit)
	return ok && n.Text == text
}

// normalized returns the type of float with as many components, or nil.
func normalized(t ast.TypeExpr) ast.TypeExpr {
	switch t := t.(type) {
	case *ast.BasicType:
		return &ast.BasicType{Span: t.Span, Kind: ast.Float}
	case *ast.NamedType:
		name := t.Name.Simple()
		if n := strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz"); len(n) == 1 {
			return &ast.NamedType{Span: t.Span, Name: plainName(t.Span, "float"+n)}
		}
	}
	return nil
}

// readReference rewrites a call that reads a texture reference.
func (a *cudaAdapter) readReference(call *ast.CallExpr) {
	f, ok := call.Fun.(*ast.NameExpr)
	if !ok || textureClasses()[f.Name.Last().Ident] == "" {
		return
	}
	for i, arg := range call.Args {
		x, ok := arg.(*ast.NameExpr)
		if !ok {
			continue
		}
		r := a.references[x.Name.Simple()]
		if r == nil {
			continue
		}
		if r.access == "sample" {
			call.Args[i] = sampled(x.Span, x.Name.Simple(), x.Name.Simple()+"_sampler")
		}
		if last := f.Name.Last(); i == 0 && len(last.Args) == 0 {
			name := *f.Name
			name.Parts = slices.Clone(name.Parts)
			last := name.Last()
			last.HasArgs, last.Args = true, []ast.TemplateArg{{Span: last.Span, Type: r.result}}
			call.Fun = &ast.NameExpr{Span: f.Span, Name: &name}
		}
		return
	}
}

package dialect

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// image is a type of images of OpenCL C and Metal's class of it.
type image struct{ name, class string }

var images = []image{
	{"image1d_t", "texture1d"}, {"image1d_array_t", "texture1d_array"}, {"image1d_buffer_t", "texture_buffer"},
	{"image2d_t", "texture2d"}, {"image2d_array_t", "texture2d_array"}, {"image3d_t", "texture3d"},
}

// imageReads are the suffixes of read_image and write_image, and the components that images have
// then.
var imageReads = []struct{ suffix, elem string }{{"f", "float"}, {"i", "int"}, {"ui", "uint"}, {"h", "half"}}

// imageOf returns the type of images that a type names, or nil.
func imageOf(t ast.TypeExpr) *image {
	if q, ok := t.(*ast.QualType); ok {
		t = q.Elem
	}
	if n, ok := t.(*ast.NamedType); ok {
		for i := range images {
			if images[i].name == n.Name.Simple() {
				return &images[i]
			}
		}
	}
	return nil
}

// isImage reports whether a parameter is an image or a sampler.
func isImage(t ast.TypeExpr) bool { return imageOf(t) != nil || isSampler(t) }

func isSampler(t ast.TypeExpr) bool {
	if q, ok := t.(*ast.QualType); ok {
		t = q.Elem
	}
	n, ok := t.(*ast.NamedType)
	return ok && n.Name.Simple() == "sampler_t"
}

// adaptImages gives the images that are parameters the components with which they are read and
// written, in the function itself or in those that it passes them to.
func adaptImages(f *ast.File) {
	funcs := map[string]*ast.FuncDecl{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && (funcs[fn.Name.Simple()] == nil || fn.Body != nil) {
			funcs[fn.Name.Simple()] = fn
		}
	}
	elems := map[*ast.Param]string{}
	for range len(funcs) + 1 { // until nothing changes: a call chain is no longer
		changed := false
		for _, fn := range funcs {
			changed = imageElems(fn, funcs, elems) || changed
		}
		if !changed {
			break
		}
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		for i, p := range fn.Params {
			m := imageOf(p.Type)
			if m == nil {
				continue
			}
			elem := elems[p]
			if body := funcs[fn.Name.Simple()]; elem == "" && body != fn && i < len(body.Params) {
				elem = elems[body.Params[i]]
			}
			p.Type = m.typ(p, elem)
		}
	}
}

// imageElems finds out the components of a function's images, and reports whether it found any.
func imageElems(fn *ast.FuncDecl, funcs map[string]*ast.FuncDecl, elems map[*ast.Param]string) (changed bool) {
	images := map[string]*ast.Param{}
	for _, p := range fn.Params {
		if p.Ident != nil && imageOf(p.Type) != nil {
			images[p.Ident.Name] = p
		}
	}
	if len(images) == 0 || fn.Body == nil {
		return false
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		callee, ok := call.Fun.(*ast.NameExpr)
		if !ok {
			return true
		}
		for i, a := range call.Args {
			arg, ok := a.(*ast.NameExpr)
			if !ok || images[arg.Name.Simple()] == nil {
				continue
			}
			p, elem := images[arg.Name.Simple()], ""
			name := callee.Name.Simple()
			if to := funcs[name]; to != nil && i < len(to.Params) {
				elem = elems[to.Params[i]]
			} else {
				for _, r := range imageReads {
					if name == "read_image"+r.suffix || name == "write_image"+r.suffix {
						elem = r.elem
					}
				}
			}
			if elem != "" && elems[p] == "" {
				elems[p], changed = elem, true
			}
		}
		return true
	})
	return changed
}

// typ returns Metal's type of a parameter that is an image, and removes the qualifier for its
// access.
func (m *image) typ(p *ast.Param, elem string) ast.TypeExpr {
	access := "sample"
	if m.class == "texture_buffer" {
		access = "read"
	}
	attrs := p.Attrs[:0]
	for _, a := range p.Attrs {
		switch a.Name {
		case "read_only", "__read_only":
		case "write_only", "__write_only":
			access = "write"
		case "read_write", "__read_write":
			access = "read_write"
		default:
			attrs = append(attrs, a)
		}
	}
	p.Attrs = attrs
	if elem == "" {
		elem = "float"
	}
	at := ast.Span{From: p.Type.Pos(), To: p.Type.End()}
	return &ast.NamedType{Span: at, Name: metalName(at, m.class,
		ast.TemplateArg{Span: at, Type: &ast.NamedType{Span: at, Name: plainName(at, elem)}},
		ast.TemplateArg{Span: at, X: metalEnum(at, "access", access)})}
}

func plainName(at ast.Span, name string) *ast.Name {
	return &ast.Name{Span: at, Parts: []ast.NamePart{{Span: at, Ident: name}}}
}

// metalName is a name of Metal's library.
func metalName(at ast.Span, name string, args ...ast.TemplateArg) *ast.Name {
	return &ast.Name{Span: at, Parts: []ast.NamePart{{Span: at, Ident: "metal"},
		{Span: at, Ident: name, HasArgs: len(args) > 0, Args: args}}}
}

// metalEnum is an enumerator of Metal's library.
func metalEnum(at ast.Span, enum, name string) ast.Expr {
	return &ast.NameExpr{Span: at, Name: &ast.Name{Span: at, Parts: []ast.NamePart{{Span: at, Ident: "metal"},
		{Span: at, Ident: enum}, {Span: at, Ident: name}}}}
}

// adaptSampler makes a sampler that is initialized with flags one of Metal.
func adaptSampler(v *ast.VarDecl) {
	if !isSampler(v.Type) || v.InitKind != ast.CopyInit {
		return
	}
	flags, ok := flagsOf(v.Init)
	if !ok {
		return
	}
	at := ast.Span{From: v.Type.Pos(), To: v.Type.End()}
	coord, address, filter := "pixel", "clamp_to_edge", "nearest"
	if flags&1 != 0 {
		coord = "normalized"
	}
	switch flags & 14 {
	case 4:
		address = "clamp_to_zero"
	case 6:
		address = "repeat"
	case 8:
		address = "mirrored_repeat"
	}
	if flags&32 != 0 {
		filter = "linear"
	}
	v.Spec.Constexpr = true
	v.Type = &ast.NamedType{Span: at, Name: metalName(at, "sampler")}
	v.InitKind, v.Init = ast.ParenInit, nil
	v.Args = []ast.Expr{metalEnum(at, "coord", coord), metalEnum(at, "address", address), metalEnum(at, "filter",
		filter)}
}

// flagsOf returns the value of flags that are combined by | or +.
func flagsOf(x ast.Expr) (flags uint64, ok bool) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return flagsOf(x.X)
	case *ast.CastExpr:
		return flagsOf(x.X)
	case *ast.IntLit:
		l, err := token.ParseInt(x.Text)
		return l.Value, err == nil
	case *ast.BinaryExpr:
		a, ok1 := flagsOf(x.X)
		b, ok2 := flagsOf(x.Y)
		return a | b, ok1 && ok2 && (x.Op == token.Pipe || x.Op == token.Plus)
	}
	return 0, false
}

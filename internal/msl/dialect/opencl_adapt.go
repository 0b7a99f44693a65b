package dialect

import "github.com/puremetal/puremetal/internal/msl/ast"

// adaptOpenCL applies the rules of OpenCL C 1.2: pointers without an address space are private, and
// kernels take values.
func adaptOpenCL(f *ast.File) {
	adaptImages(f)
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			adaptAttributes(n)
			if n.Result != nil {
				inSpace(n.Result, ast.Thread)
			}
			for _, p := range n.Params {
				if n.Spec.Stage == ast.Kernel {
					if a, ok := p.Type.(*ast.ArrayType); ok {
						p.Type = &ast.PointerType{Span: a.Span, Elem: a.Elem}
					}
					if !isPointer(p.Type) && !isImage(p.Type) && !isTexture(p.Type) {
						byValue(p, n.Body)
						continue
					}
				}
				inSpace(p.Type, ast.Thread)
			}
		case *ast.VarDecl:
			adaptSampler(n)
			inSpace(n.Type, ast.Thread)
		case *ast.TypedefDecl:
			inSpace(n.Type, ast.Thread)
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.NameExpr); ok && f.Name.Simple() == "printf" {
				at := f.Span
				n.Fun = &ast.MemberExpr{Span: at, X: &ast.NameExpr{Span: at, Name: metalName(at, "os_log_default")},
					Name: plainName(at, "log")}
			}
		case *ast.CastExpr:
			inSpace(n.Type, ast.Thread)
		case *ast.SizeofExpr:
			if n.Type != nil {
				inSpace(n.Type, ast.Thread)
			}
		}
		return true
	})
}

// isTexture reports whether a parameter is an image whose type is Metal's already.
func isTexture(t ast.TypeExpr) bool {
	n, ok := t.(*ast.NamedType)
	return ok && len(n.Name.Parts) == 2 && n.Name.Parts[0].Ident == "metal"
}

// adaptAttributes gives the attributes of a kernel Metal's names, and drops hints.
func adaptAttributes(fn *ast.FuncDecl) {
	attrs := fn.Attrs[:0]
	for _, a := range fn.Attrs {
		switch a.Name {
		case "reqd_work_group_size", "__reqd_work_group_size__":
			a.Name, a.GNU = "required_threads_per_threadgroup", false
		case "work_group_size_hint", "vec_type_hint", "intel_reqd_sub_group_size", "endian":
			continue
		}
		attrs = append(attrs, a)
	}
	fn.Attrs = attrs
}

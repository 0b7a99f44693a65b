package dialect

import (
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// adaptCUDA applies the rules of CUDA C++: kernels take values and pointers to device memory.
// Other pointers and references get the address space of what they are given: functions become
// templates over the address spaces of their parameters, and variables take that of their
// initializers. Pointers in structures, types and typedefs point to device memory.
func adaptCUDA(f *ast.File) {
	a := &cudaAdapter{methods: map[string]bool{}, functions: map[string][]*ast.FuncDecl{},
		references: map[string]*reference{}, types: map[string]ast.TypeExpr{},
		adapted: map[*ast.FuncDecl]bool{}}
	a.survey(f.Decls)
	f.Decls = a.decls(f.Decls)
	a.rest(f)
}

type cudaAdapter struct {
	methods    map[string]bool            // of structures, that take an object
	functions  map[string][]*ast.FuncDecl // by name
	references map[string]*reference      // to textures, by name
	types      map[string]ast.TypeExpr    // that names of the file stand for
	adapted    map[*ast.FuncDecl]bool
}

// survey collects the functions and the names of types.
func (a *cudaAdapter) survey(list []ast.Decl) {
	for _, d := range list {
		switch d := d.(type) {
		case *ast.NamespaceDecl:
			if !isHeader(d) {
				a.survey(d.Decls)
			}
		case *ast.LinkageDecl:
			a.survey(d.Decls)
		case *ast.TemplateDecl:
			a.survey([]ast.Decl{d.Decl})
		case *ast.RecordDecl:
			a.survey(d.Members)
		case *ast.FuncDecl:
			name := d.Name.Last().Ident
			a.functions[name] = append(a.functions[name], d)
		case *ast.TypedefDecl:
			a.types[d.Ident.Name] = d.Type
		case *ast.AliasDecl:
			a.types[d.Ident.Name] = d.Type
		}
	}
}

// decls adapts the functions of a list of declarations. A method that is defined outside its class
// gets the same overloads as in it.
func (a *cudaAdapter) decls(list []ast.Decl) (out []ast.Decl) {
	for i, d := range list {
		d := d
		switch d := d.(type) {
		case *ast.NamespaceDecl:
			if !isHeader(d) {
				d.Decls = a.decls(d.Decls)
			}
		case *ast.LinkageDecl:
			d.Decls = a.decls(d.Decls)
		case *ast.RecordDecl:
			a.record(d)
		case *ast.TemplateDecl:
			a.template(d)
		case *ast.VarDecl:
			if !d.Field {
				out = append(out, a.textureReference(d)...)
				continue
			}
		case *ast.FuncDecl:
			list[i] = a.function(d, nil)
		case *ast.ExplicitInstantiation:
			if f, ok := d.Decl.(*ast.FuncDecl); ok {
				a.function(f, &ast.TemplateDecl{})
			}
		}
		out = append(out, list[i])
		if f, ok := funcOf(list[i]); ok && a.isMethod(f.Name) {
			out = append(out, inSpaces(list[i])...)
		}
	}
	return out
}

// isMethod reports whether a qualified name is one of a method that takes an object.
func (a *cudaAdapter) isMethod(n *ast.Name) bool {
	if len(n.Parts) < 2 {
		return false
	}
	last := *n.Last()
	return a.methods[n.Parts[len(n.Parts)-2].Ident+"::"+ast.NameString(&ast.Name{Parts: []ast.NamePart{last}})]
}

// isHeader reports whether a namespace is that of the compiler's headers, which are in Metal.
func isHeader(d *ast.NamespaceDecl) bool { return len(d.Path) > 0 && d.Path[0].Name == "puremetal" }

func (a *cudaAdapter) template(d *ast.TemplateDecl) {
	switch e := d.Decl.(type) {
	case *ast.RecordDecl:
		a.record(e)
	case *ast.FuncDecl:
		if len(d.Params) == 0 && e.Spec.Stage != ast.Kernel {
			a.specialization(e)
			return
		}
		a.function(e, d)
	case *ast.TemplateDecl:
		a.template(e)
	}
}

// record adapts the members of a class. A method takes its object in any address space: it gets an
// overload for each.
func (a *cudaAdapter) record(r *ast.RecordDecl) {
	for _, m := range r.Members {
		if f, ok := funcOf(m); ok && !f.Spec.Static && !f.Ctor && r.Name != nil {
			a.methods[r.Name.Last().Ident+"::"+ast.NameString(f.Name)] = true
		}
	}
	var all []ast.Decl
	for _, m := range a.decls(r.Members) {
		all = append(all, m) // its overloads follow, for they have its access
		if f, ok := funcOf(m); ok && !f.Spec.Static && !f.Ctor && !f.Spec.Friend && !f.Defaulted && !f.Deleted &&
			f.Name.Last().Kind != ast.PartDestructor {
			all = append(all, inSpaces(m)...)
		}
	}
	r.Members = all
}

// funcOf returns the function that a member declares.
func funcOf(d ast.Decl) (*ast.FuncDecl, bool) {
	if t, ok := d.(*ast.TemplateDecl); ok {
		return funcOf(t.Decl)
	}
	f, ok := d.(*ast.FuncDecl)
	return f, ok
}

// inSpaces returns copies of a method for objects in device, threadgroup and constant memory.
func inSpaces(d ast.Decl) (list []ast.Decl) {
	for _, s := range []ast.AddrSpace{ast.Device, ast.Threadgroup, ast.Constant} {
		if c := inObjectSpace(d, s); c != nil {
			list = append(list, c)
		}
	}
	return list
}

func inObjectSpace(d ast.Decl, s ast.AddrSpace) ast.Decl {
	switch d := d.(type) {
	case *ast.TemplateDecl:
		if inner := inObjectSpace(d.Decl, s); inner != nil {
			t := *d
			t.Decl = inner
			return &t
		}
	case *ast.FuncDecl:
		if d.Quals.Space == ast.NoSpace && (s != ast.Constant || d.Quals.Const) {
			f := *d
			f.Quals.Space = s
			return &f
		}
	}
	return nil
}

// function adapts a function, and returns it or the template that it becomes.
func (a *cudaAdapter) function(d *ast.FuncDecl, of *ast.TemplateDecl) ast.Decl {
	if d.Spec.Stage == ast.Kernel {
		a.textureParams(d)
		for _, p := range d.Params {
			if t, ok := p.Type.(*ast.ArrayType); ok {
				p.Type = &ast.PointerType{Span: t.Span, Elem: t.Elem}
			}
			if isPointer(p.Type) {
				inSpace(p.Type, ast.Device)
				continue
			}
			if isTexture(p.Type) {
				continue
			}
			byValue(p, d.Body)
		}
		return d
	}
	a.adapted[d] = true
	if r, ok := d.Result.(*ast.ReferenceType); ok && (d.Defaulted || d.Deleted) {
		inQual(&r.Elem, ast.Thread, "")
	}
	d.Result = cudaResult(d.Result, d.Body != nil || d.Member)
	params := spaceParams(d.Params, of, d.Ctor || isAssignment(d.Name))
	switch {
	case len(params) == 0 || isAssignment(d.Name):
		return d
	case of != nil:
		of.Params = append(of.Params, params...)
		return d
	}
	return &ast.TemplateDecl{Span: d.Span, Params: params, Decl: d}
}

// specialization gives the parameters of an explicit specialization the address spaces of its
// template's: each instance of that may have others.
func (a *cudaAdapter) specialization(d *ast.FuncDecl) {
	for _, f := range a.functions[d.Name.Last().Ident] {
		if f == d || f.Body != nil && f.Pos() > d.Pos() || len(f.Params) != len(d.Params) || !a.adapted[f] {
			continue
		}
		d.Result = cudaResult(d.Result, d.Body != nil || d.Member)
		for i, p := range d.Params {
			likeSpace(&p.Type, f.Params[i].Type)
		}
		return
	}
}

// likeSpace gives the pointers and references in a type the address spaces of those in another.
func likeSpace(t *ast.TypeExpr, like ast.TypeExpr) {
	elem := func(t ast.TypeExpr) (*ast.TypeExpr, bool) {
		for {
			switch e := t.(type) {
			case *ast.QualType:
				t = e.Elem
			case *ast.PointerType:
				return &e.Elem, true
			case *ast.ReferenceType:
				return &e.Elem, true
			case *ast.ArrayType:
				return &e.Elem, true
			default:
				return nil, false
			}
		}
	}
	to, ok := elem(*t)
	from, both := elem(like)
	if !ok || !both {
		return
	}
	if q, ok := (*from).(*ast.QualType); ok && q.Space != ast.NoSpace {
		inQual(to, q.Space, q.SpaceParam)
	}
	likeSpace(to, *from)
}

func isAssignment(n *ast.Name) bool {
	return n.Last().Kind == ast.PartOperator && n.Last().Op == token.Assign
}

// spaceParam begins the names of template parameters that stand for address spaces.
const spaceParam = "$"

// IsSpace reports whether a template parameter stands for an address space.
func IsSpace(p ast.TemplateParam) bool {
	return p.Ident != nil && strings.HasPrefix(p.Ident.Name, spaceParam)
}

// spaceParams gives the pointers and references among parameters an address space: that of a
// template parameter, which it returns, or thread for references to values that may be copied.
func spaceParams(list []*ast.Param, of *ast.TemplateDecl, copied bool) (params []ast.TemplateParam) {
	names := map[string]bool{}
	if of != nil {
		for i := range of.Params {
			if id := of.Params[i].Ident; id != nil {
				names[id.Name] = true
			}
		}
	}
	fresh := func(span ast.Span) string {
		name := spaceParam + strconv.Itoa(len(params))
		params = append(params, ast.TemplateParam{Span: span, Kind: ast.TypeParam,
			Ident: &ast.Ident{Span: span, Name: name},
			DefaultType: &ast.QualType{Span: span, Space: ast.Thread,
				Elem: &ast.BasicType{Span: span, Kind: ast.Void}}})
		return name
	}
	for _, p := range list {
		t := p.Type
		if isTextureObject(t) {
			name := "__texture" + strconv.Itoa(len(params))
			params = append(params, ast.TemplateParam{Span: p.Span, Kind: ast.TypeParam,
				Ident: &ast.Ident{Span: p.Span, Name: name}})
			p.Type = &ast.NamedType{Span: p.Span, Name: plainName(p.Span, name)}
			continue
		}
		if q, ok := t.(*ast.PackType); ok {
			t = q.Elem
			if r, ok := t.(*ast.ReferenceType); ok {
				inQual(&r.Elem, ast.Thread, "")
			} else {
				inSpace(t, ast.Device)
			}
			continue
		}
		if r, ok := t.(*ast.ReferenceType); ok && (r.RValue || copyable(r.Elem, names) || copied) {
			if !r.RValue || !mentions(r.Elem, names) {
				inQual(&r.Elem, ast.Thread, "")
			}
			continue
		}
		deducedSpace(&p.Type, fresh)
	}
	return params
}

// copyable reports whether a reference to a type may be one to a copy: it is const and neither an
// array nor of a type that a template deduces.
func copyable(t ast.TypeExpr, names map[string]bool) bool {
	q, ok := t.(*ast.QualType)
	if !ok || !q.Const || q.Volatile {
		return false
	}
	switch q.Elem.(type) {
	case *ast.BasicType, *ast.NamedType, *ast.ElaboratedType:
		return !mentions(q.Elem, names)
	}
	return false
}

func mentions(t ast.TypeExpr, names map[string]bool) (found bool) {
	ast.Inspect(t, func(n ast.Node) bool {
		if n, ok := n.(*ast.Name); ok {
			for i := range n.Parts {
				found = found || names[n.Parts[i].Ident]
			}
		}
		return !found
	})
	return found
}

// deducedSpace gives the pointers and references in a type without an address space one that a call
// deduces.
func deducedSpace(t *ast.TypeExpr, fresh func(ast.Span) string) {
	switch e := (*t).(type) {
	case *ast.QualType:
		deducedSpace(&e.Elem, fresh)
	case *ast.PointerType:
		deducedSpace(element(&e.Elem), fresh)
		inQual(&e.Elem, ast.Inferred, fresh(e.Span))
	case *ast.ReferenceType:
		deducedSpace(element(&e.Elem), fresh)
		inQual(&e.Elem, ast.Inferred, fresh(e.Span))
	case *ast.ArrayType:
		for {
			inner, ok := e.Elem.(*ast.ArrayType)
			if !ok {
				break
			}
			e = inner
		}
		deducedSpace(&e.Elem, fresh)
		inQual(&e.Elem, ast.Inferred, fresh(e.Span))
	}
}

// element returns the type of the elements if t is an array, which a pointer or reference refers
// to.
func element(t *ast.TypeExpr) *ast.TypeExpr {
	for {
		a, ok := (*t).(*ast.ArrayType)
		if !ok {
			return t
		}
		t = &a.Elem
	}
}

// inQual gives a type an address space, unless it has one.
func inQual(t *ast.TypeExpr, s ast.AddrSpace, param string) {
	q, ok := (*t).(*ast.QualType)
	if !ok {
		q = &ast.QualType{Span: ast.Span{From: (*t).Pos(), To: (*t).End()}, Elem: *t}
		*t = q
	}
	if q.Space == ast.NoSpace {
		q.Space, q.SpaceParam = s, param
	}
}

// cudaResult gives a result the address space of what the function returns, if there is a body to
// tell, else device.
func cudaResult(t ast.TypeExpr, body bool) ast.TypeExpr {
	switch e := t.(type) {
	case *ast.PointerType:
		if !body {
			inSpace(e, ast.Device)
			return t
		}
		p := *e
		if q, ok := e.Elem.(*ast.QualType); ok {
			c := *q
			p.Elem = &c
		}
		inSpace(&p, ast.Device)
		return &ast.AutoType{Span: e.Span, Pointer: &p}
	case *ast.ReferenceType:
		if q, ok := e.Elem.(*ast.QualType); ok && q.Space != ast.NoSpace {
			return t
		}
		if body {
			auto := ast.TypeExpr(&ast.AutoType{Span: e.Span})
			if q, ok := e.Elem.(*ast.QualType); ok && q.Const {
				auto = &ast.QualType{Span: e.Span, Const: true, Elem: auto}
			}
			return &ast.ReferenceType{Span: e.Span, Elem: auto, RValue: e.RValue}
		}
		inQual(&e.Elem, ast.Device, "")
	}
	return t
}

// rest adapts everything but the parameters and results of functions.
func (a *cudaAdapter) rest(f *ast.File) {
	local := 0
	var visit func(n ast.Node) bool
	visit = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.NamespaceDecl:
			return !isHeader(n)
		case *ast.BlockStmt:
			local++
			for _, s := range n.List {
				ast.Inspect(s, visit)
			}
			local--
			return false
		case *ast.RecordDecl:
			outer := local
			local = 0
			for _, m := range n.Members {
				ast.Inspect(m, visit)
			}
			local = outer
			return false
		case *ast.LambdaExpr:
			n.Template = append(n.Template, spaceParams(n.Params, nil, false)...)
		case *ast.CallExpr:
			a.readReference(n)
		case *ast.VarDecl:
			switch {
			case local > 0 && isTextureObject(n.Type) && n.Init != nil:
				n.Type = &ast.AutoType{Span: n.Span}
			case local == 0 && !n.Field && constant(n):
				inSpace(n.Type, ast.Device)
				inConstant(&n.Type)
			case local == 0 || n.Field:
				inSpace(n.Type, ast.Device)
			default:
				inferSpace(&n.Type)
			}
		case *ast.TypedefDecl:
			inSpace(n.Type, ast.Device)
		case *ast.AliasDecl:
			inSpace(n.Type, ast.Device)
		case *ast.TemplateArg:
			if n.Type != nil {
				inSpace(n.Type, ast.Device)
			}
		case *ast.CastExpr:
			inferSpace(&n.Type)
		case *ast.SizeofExpr:
			if n.Type != nil {
				inSpace(n.Type, ast.Device)
			}
		}
		return true
	}
	for _, d := range f.Decls {
		ast.Inspect(d, visit)
	}
}

// constant reports whether a variable of the program is a constant.
func constant(v *ast.VarDecl) bool {
	t := v.Type
	for {
		switch e := t.(type) {
		case *ast.ArrayType:
			t = e.Elem
			continue
		case *ast.QualType:
			return e.Space == ast.NoSpace && (e.Const || v.Spec.Constexpr)
		}
		return v.Spec.Constexpr
	}
}

// inConstant puts a variable into constant memory.
func inConstant(t *ast.TypeExpr) {
	if a, ok := (*t).(*ast.ArrayType); ok {
		inConstant(&a.Elem)
		return
	}
	inQual(t, ast.Constant, "")
}

// inferSpace marks the outermost pointer or reference of a variable or cast to take the address
// space of what it is given. Pointers to pointers point to those to device memory.
func inferSpace(t *ast.TypeExpr) {
	switch e := (*t).(type) {
	case *ast.QualType:
		inferSpace(&e.Elem)
	case *ast.PointerType:
		inSpace(e.Elem, ast.Device)
		inQual(&e.Elem, ast.Inferred, "")
	case *ast.ReferenceType:
		inSpace(e.Elem, ast.Device)
		inQual(&e.Elem, ast.Inferred, "")
	default:
		inSpace(e, ast.Device)
	}
}

package check

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// refuseInC reports what a program in C cannot say and the rest of the checker, which knows C++,
// would take, and what OpenCL C does not have either.
func (c *checker) refuseInC(f *ast.File) {
	if c.library == nil || !c.opts.Dialect.C {
		return
	}
	named := typesInC{typedefs: map[string]ast.TypeExpr{}, tags: map[string]*ast.RecordDecl{}}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypedefDecl:
			named.typedefs[n.Ident.Name] = n.Type
		case *ast.RecordDecl:
			if n.Name != nil && (n.Defined || named.tags[n.Name.Simple()] == nil) {
				named.tags[n.Name.Simple()] = n
			}
			c.refuseRecord(n)
		case *ast.EnumDecl:
			if n.Name != nil {
				named.tags[n.Name.Simple()] = nil
			}
		case *ast.NamedType:
			name := n.Name.Simple()
			if _, tag := named.tags[name]; tag && named.typedefs[name] == nil {
				c.errorf(diag.DialectFeature, n, "'%[1]s' is a tag: write 'struct', 'union' or 'enum' before it, or "+
					"declare a typedef", name)
			}
		case *ast.FuncDecl:
			c.refuseFunction(n, named)
		case *ast.FuncType:
			c.errorf(diag.DialectFeature, n, "function pointers do not exist in %s: call the function by its name, "+
				"or choose with a switch", c.opts.Dialect.Name)
		case *ast.LambdaExpr:
			c.errorf(diag.DialectFeature, n, "%s has no lambdas", c.opts.Dialect.Name)
		case *ast.VarDecl:
			c.refuseVariable(n)
		case *ast.ConstructExpr:
			if n.Pos() == n.Type.Pos() { // (float4)(1, 2, 3, 4) begins before the type
				c.errorf(diag.DialectFeature, n, "a conversion in C has its type in parentheses: (%[1]s)(...)",
					ast.TypeString(n.Type))
			}
		case *ast.CallExpr:
			c.refuseFormat(n)
		case *ast.RangeForStmt:
			c.errorf(diag.DialectFeature, n, "C has no loop over the elements of an array: count")
		case *ast.IfStmt:
			c.refuseCondition(n.CondVar, n.Init)
		case *ast.SwitchStmt:
			c.refuseCondition(n.CondVar, n.Init)
		case *ast.WhileStmt:
			c.refuseCondition(n.CondVar, nil)
		case *ast.ForStmt:
			c.refuseCondition(n.CondVar, nil)
		}
		return true
	})
}

// typesInC are the types that a program names.
type typesInC struct {
	typedefs map[string]ast.TypeExpr
	tags     map[string]*ast.RecordDecl // nil for an enumeration
}

// unsized returns the name of a type in an argument of a kernel whose size is not the same on the
// host and the device, or "".
func (t typesInC) unsized(x ast.TypeExpr, depth int) string {
	if depth > 64 {
		return ""
	}
	record := func(d *ast.RecordDecl) string {
		if d == nil {
			return ""
		}
		for _, m := range d.Members {
			if v, ok := m.(*ast.VarDecl); ok {
				if name := t.unsized(v.Type, depth+1); name != "" {
					return name
				}
			}
		}
		return ""
	}
	switch x := valueOf(x).(type) {
	case *ast.BasicType:
		if x.Kind == ast.Bool {
			return "bool"
		}
	case *ast.ArrayType:
		return t.unsized(x.Elem, depth+1)
	case *ast.RecordType:
		return record(x.Decl)
	case *ast.ElaboratedType:
		return record(t.tags[x.Name.Simple()])
	case *ast.NamedType:
		name := x.Name.Simple()
		if of := t.typedefs[name]; of != nil {
			return t.unsized(of, depth+1)
		}
		if slices.Contains([]string{"size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "event_t"}, name) {
			return name
		}
	}
	return ""
}

// refuseRecord reports members that a structure of C does not have.
func (c *checker) refuseRecord(r *ast.RecordDecl) {
	for _, m := range r.Members {
		switch m := m.(type) {
		case *ast.VarDecl:
			switch {
			case m.Bits != nil:
				c.errorf(diag.DialectFeature, m, "%s has no bit-fields: shift and mask", c.opts.Dialect.Name)
			case m.InitKind != ast.NoInit || m.Spec.Static:
				c.errorf(diag.DialectFeature, m, "a member of a structure has no initializer in C, and is not static")
			}
		case *ast.RecordDecl, *ast.EnumDecl, *ast.BadDecl, *ast.EmptyDecl:
		default:
			c.errorf(diag.DialectFeature, m, "a structure of C has nothing but variables in it")
		}
	}
	if len(r.Bases) > 0 {
		c.errorf(diag.DialectFeature, r, "a structure of C has no base")
	}
}

// refuseFormat reports vectors of 8 and 16 in a format of printf.
func (c *checker) refuseFormat(x *ast.CallExpr) {
	if m, ok := x.Fun.(*ast.MemberExpr); !ok || m.Name.Last().Ident != "log" || len(x.Args) == 0 {
		return
	}
	if s, ok := x.Args[0].(*ast.StringLit); ok {
		if wide := wideFormat().FindString(strings.Join(s.Texts, " ")); wide != "" {
			c.errorf(diag.DialectFeature, x.Args[0], "'%s': messages have vectors of up to 4 numbers: write the halves", wide)
		}
	}
}

var wideFormat = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[-+ #0-9.]*v(8|16)`) })

// refuseCondition reports a declaration where C has only an expression.
func (c *checker) refuseCondition(v *ast.VarDecl, init ast.Stmt) {
	switch {
	case v != nil:
		c.errorf(diag.DialectFeature, v, "a condition declares no variable in C")
	case init != nil:
		c.errorf(diag.DialectFeature, init, "a condition has no statement before it in C")
	}
}

// refuseOverload reports a function that has the name of others. One of them may be without the
// attribute.
func (c *checker) refuseOverload(f *function, others []*function) {
	plain := func(f *function) bool { return ast.FindAttr("overloadable", f.decl.Attrs) == nil }
	if len(others) > 0 && plain(f) && slices.ContainsFunc(others, plain) {
		c.errorf(diag.DialectFeature, f.decl.Name, "conflicting types for '%s': functions of one name have "+
			"__attribute__((overloadable))", f.name)
	}
}

// refuseThrust reports uses of what our part of thrust does not have.
func (c *checker) refuseThrust(f *ast.File) {
	if !c.infers() {
		return
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n, ok := n.(*ast.Name); ok && len(n.Parts) > 1 && n.Parts[0].Ident == "thrust" &&
			!c.library.Has(n.Parts[1].Ident) && n.Parts[1].Ident != "" {
			c.refusedName("thrust", n)
		}
		return true
	})
}

func (c *checker) refuseFunction(f *ast.FuncDecl, named typesInC) {
	kernel := f.Spec.Stage == ast.Kernel
	if f.Variadic && !kernel {
		c.errorf(diag.DialectFeature, f.Name, "'%s': functions of %s have a fixed number of parameters",
			f.Name.Simple(), c.opts.Dialect.Name)
	}
	if kernel && f.Spec.Static {
		c.errorf(diag.DialectFeature, f.Name, "'%s': a kernel cannot be static", f.Name.Simple())
	}
	for _, p := range f.Params {
		if p.Default != nil {
			c.errorf(diag.DialectFeature, p.Default, "a parameter has no default in C")
		}
		if name := named.unsized(p.Type, 0); kernel && name != "" {
			c.errorf(diag.DialectFeature, p, "'%s' has no size that the host knows: an argument of a kernel is a uchar, "+
				"an int or a long", name)
		}
	}
	if a := ast.FindAttr("required_threads_per_threadgroup", f.Attrs); a != nil && len(a.Args) != 3 {
		c.errorf(diag.AttributeArgs, a, "'reqd_work_group_size' takes 3 sizes, not %d", len(a.Args))
	}
	if f.Body != nil {
		c.refuseLocals(f.Body, kernel)
	}
}

// refuseLocals reports variables in local memory that are not in the outermost block of a kernel.
func (c *checker) refuseLocals(body *ast.BlockStmt, kernel bool) {
	outermost := map[*ast.VarDecl]bool{}
	for _, s := range body.List {
		if d, ok := s.(*ast.DeclStmt); ok && kernel {
			for _, d := range d.Decls {
				if v, ok := d.(*ast.VarDecl); ok {
					outermost[v] = true
				}
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if v, ok := n.(*ast.VarDecl); ok && !outermost[v] && v.Name != nil {
			t := v.Type
			for {
				a, ok := t.(*ast.ArrayType)
				if !ok {
					break
				}
				t = a.Elem
			}
			if q, ok := t.(*ast.QualType); ok && q.Space == ast.Threadgroup {
				c.errorf(diag.DialectFeature, v.Name, "'%s': a variable in local memory is declared in the outermost "+
					"block of a kernel", v.Name.Simple())
			}
		}
		return true
	})
}

// valueOf returns the type of a parameter of a kernel without what makes it a reference.
func valueOf(t ast.TypeExpr) ast.TypeExpr {
	for {
		switch x := t.(type) {
		case *ast.ReferenceType:
			t = x.Elem
		case *ast.QualType:
			t = x.Elem
		default:
			return t
		}
	}
}

func (c *checker) refuseVariable(d *ast.VarDecl) {
	if d.Name == nil {
		return
	}
	n, _ := valueOf(d.Type).(*ast.NamedType)
	if (d.InitKind == ast.ParenInit || d.InitKind == ast.BraceInit) && (n == nil || n.Name.Simple() != "") {
		c.errorf(diag.DialectFeature, d.Name, "'%s': an initializer in C begins with =", d.Name.Simple())
	}
	if n != nil && strings.HasPrefix(n.Name.Simple(), "image") && strings.HasSuffix(n.Name.Simple(), "_t") {
		c.errorf(diag.DialectFeature, d.Name, "'%s': an image is an argument and no variable", d.Name.Simple())
	}
	switch t := d.Type.(type) {
	case *ast.AutoType:
		// A parameter by value has a copy, whose declaration is nowhere in the source.
		if d.Type.Pos() != d.Name.Pos() {
			c.errorf(diag.DialectFeature, d.Type, "'auto' says no type in C")
		}
	case *ast.QualType:
		if t.Space == ast.Threadgroup && d.InitKind != ast.NoInit {
			c.errorf(diag.DialectFeature, d.Name, "'%s': a variable in local memory has no initializer: let a "+
				"work-item assign it, then wait at a barrier", d.Name.Simple())
		}
	}
}

// refusedCast reports a cast of a vector to another, which C does not have.
func (c *checker) refusedCast(e typed.Expr, to Q, n ast.Node) bool {
	if !c.inC() || !c.opts.Dialect.VectorLiterals || c.isBad(e.Type()) || !c.isLanes(e.Type()) ||
		to.Type == types.Type(types.Void) || e.Type() == to.Type {
		return false
	}
	c.errorf(diag.BadCast, n, "cannot cast from type '%s' to type '%s': convert_%[2]s converts values, as_%[2]s "+
		"keeps the bits", e.Type(), to)
	return true
}

// isLanes reports whether a type is a vector, of up to 16 components.
func (c *checker) isLanes(t types.Type) bool {
	switch t := t.(type) {
	case *types.Vector:
		return true
	case *types.Struct:
		return c.wideLanes(t) > 0
	}
	return false
}

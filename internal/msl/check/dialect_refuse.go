package check

import (
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
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			c.refuseFunction(n)
		case *ast.FuncType:
			c.errorf(diag.DialectFeature, n, "function pointers do not exist in %s: call the function by its name, "+
				"or choose with a switch", c.opts.Dialect.Name)
		case *ast.LambdaExpr:
			c.errorf(diag.DialectFeature, n, "%s has no lambdas", c.opts.Dialect.Name)
		case *ast.VarDecl:
			c.refuseVariable(n)
		}
		return true
	})
}

func (c *checker) refuseFunction(f *ast.FuncDecl) {
	kernel := f.Spec.Stage == ast.Kernel
	if f.Variadic && !kernel {
		c.errorf(diag.DialectFeature, f.Name, "'%s': functions of %s have a fixed number of parameters",
			f.Name.Simple(), c.opts.Dialect.Name)
	}
	for _, p := range f.Params {
		if p.Default != nil {
			c.errorf(diag.DialectFeature, p.Default, "a parameter has no default in C")
		}
		if b, ok := valueOf(p.Type).(*ast.BasicType); ok && kernel && b.Kind == ast.Bool {
			c.errorf(diag.DialectFeature, p, "'bool' has no defined size: an argument of a kernel is a uchar or an int")
		}
	}
	if a := ast.FindAttr("required_threads_per_threadgroup", f.Attrs); a != nil && len(a.Args) != 3 {
		c.errorf(diag.AttributeArgs, a, "'reqd_work_group_size' takes 3 sizes, not %d", len(a.Args))
	}
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

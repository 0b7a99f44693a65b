package check

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Record is what became of a program in a dialect, for its translation.
type Record struct {
	// Calls are the functions of the dialect's library that say what nodes mean which are no calls.
	Calls map[ast.Node]LibraryCall
	// Types are the types of expressions, before they are converted to what their place requires.
	Types map[ast.Expr]types.Type
	// Declared are the declarations of the library that the program uses.
	Declared map[int]bool
	// Instances are the functions whose bodies were checked: instances of templates are several of
	// one declaration.
	Instances []*Instance
	// Reached are the functions that kernels reach, and Used their declarations.
	Reached map[*typed.Func]bool
	Used    map[*ast.FuncDecl]bool
	// Casts are conversions of expressions that Metal does not make, or makes to other values.
	Casts map[ast.Expr]Cast
	// Narrowed are the assignments a op= b whose result is converted in the same way.
	Narrowed map[*ast.AssignExpr]Cast

	exprs map[typed.Expr]ast.Expr
	// Program is the checked program.
	Program *typed.Program
}

// Cast is a conversion: a cast to a type, or the call of a function of the library.
type Cast struct {
	To   types.Type
	Call string // "" for a cast
	// Mixed: other instances of the same declaration may convert to another type, or not at all.
	Mixed bool
}

// Instance is a function whose body was checked.
type Instance struct {
	Func   *typed.Func
	Decl   *ast.FuncDecl
	Within *typed.Func // the function around a lambda or a local class, or nil
	// Args are the template arguments, with those of the class, that are no address spaces.
	Args string
	// Passed are the functions among them, by the name of the parameter.
	Passed map[string]*ast.FuncDecl
	// Spaces are the address spaces that the dialect's template parameters stand for, by name.
	Spaces map[string]types.AddrSpace
	// Inferred are the address spaces that the program does not write, of pointers and references by
	// their types.
	Inferred map[ast.Node]types.AddrSpace
}

// recordInstance notes that the body of a function is checked.
func (c *checker) recordInstance(f *function) {
	if c.library == nil || c.opts.Record == nil || f.scope == c.own {
		return
	}
	x := &Instance{Func: f.out, Decl: f.decl, Spaces: map[string]types.AddrSpace{},
		Inferred: map[ast.Node]types.AddrSpace{}}
	if f.class != nil {
		x.Args = f.class.st.Name
	}
	if f.tmpl != nil {
		var rest []arg
		for i, p := range f.tmpl.tparams {
			switch {
			case i >= len(f.args):
			case dialect.IsSpace(p):
				x.Spaces[p.Ident.Name] = f.args[i].q.Space
				continue
			case f.args[i].kind == argFunc && p.Ident != nil:
				if x.Passed == nil {
					x.Passed = map[string]*ast.FuncDecl{}
				}
				x.Passed[p.Ident.Name] = f.args[i].fn.decl
			}
			if i < len(f.args) {
				rest = append(rest, f.args[i])
			}
		}
		x.Args += "<" + argString(rest) + ">"
	}
	if outer := f.scope.fnCtx(); outer != nil {
		x.Within = outer.out
	}
	f.bscope.fn.instance = x
	c.opts.Record.Instances = append(c.opts.Record.Instances, x)
}

// inTypeTemplate reports whether what is checked may have other types in another instance of the
// same declaration.
func (c *checker) inTypeTemplate() bool {
	if c.fn == nil {
		return false
	}
	f := c.fn.f
	if f.class != nil {
		return true
	}
	return f.tmpl != nil && slices.ContainsFunc(f.tmpl.tparams,
		func(p ast.TemplateParam) bool { return !dialect.IsSpace(p) })
}

// recordCast notes a conversion that Metal does not make, or makes to another value.
func (c *checker) recordCast(e typed.Expr, to Cast) {
	if c.opts.Record == nil || c.trap != nil {
		return
	}
	for {
		if x := c.opts.Record.exprs[e]; x != nil {
			to.Mixed = c.inTypeTemplate()
			c.opts.Record.Casts[x] = to
			return
		}
		l, ok := e.(*typed.Load)
		if !ok {
			return
		}
		e = l.X
	}
}

// recordSpace notes the address space of a pointer or reference that has an inferred one.
func (c *checker) recordSpace(t ast.TypeExpr, q Q) {
	if c.fn == nil || c.fn.instance == nil {
		return
	}
	if q0, ok := t.(*ast.QualType); ok {
		t = q0.Elem
	}
	switch p := q.Type.(type) {
	case *types.Pointer:
		c.fn.instance.Inferred[t] = p.Elem.Space.Or(types.Thread)
	case *types.Reference:
		c.fn.instance.Inferred[t] = p.Elem.Space.Or(types.Thread)
	}
}

// Call returns the call that took the place of a node.
func (r *Record) Call(n ast.Node) (LibraryCall, bool) {
	call, ok := r.Calls[callKey(n)]
	return call, ok
}

// callKey returns the key of a node in Record.Calls: the place of an operator, which is all that
// the checker of operators knows.
func callKey(n ast.Node) ast.Node {
	switch x := n.(type) {
	case *ast.BinaryExpr:
		return at{x.OpPos}
	case *ast.AssignExpr:
		return at{x.OpPos}
	}
	return n
}

// LibraryCall is the call of a function of the library that takes the place of a node, with the
// types of its arguments.
type LibraryCall struct {
	Name  string
	Types []types.Type
}

// Selector returns Metal's name of a dialect's selector of components of a vector of n.
func Selector(name string, n int) string { return numbered(name, n) }

// openDialect makes the dialect's library visible everywhere.
func (c *checker) openDialect() {
	d := c.opts.Dialect
	if d == nil {
		return
	}
	c.library = LibraryOf(d)
	s := newScope(c.global, nsScope, d.Namespace)
	s.clock = nil
	s.usings = []using{{c.metal, 0}}
	c.own = s
	if c.opts.Record != nil {
		size := c.prog.Files.Size() / 8 // about as many as there are expressions
		*c.opts.Record = Record{Calls: map[ast.Node]LibraryCall{}, Types: make(map[ast.Expr]types.Type, size),
			Declared: c.ownDeclared, Program: c.prog, Reached: map[*typed.Func]bool{},
			Used: map[*ast.FuncDecl]bool{}, Casts: map[ast.Expr]Cast{},
			Narrowed: map[*ast.AssignExpr]Cast{}, exprs: make(map[typed.Expr]ast.Expr, size)}
	}
	c.global.sym(d.Namespace).ns = s
	if d.HostCode {
		for _, n := range namespaces(d) {
			c.global.sym(n).ns = s
		}
		s.sym("std").ns = s // cuda::std
	}
	c.global.usings = append(c.global.usings, using{s, 0})
	c.doubles = map[diag.Pos]bool{}
}

// lookupOwn finds a name of the dialect's library, and declares it first if it is y, nil.
func (c *checker) lookupOwn(name string, y *sym) *sym {
	if y != nil || !c.library.Has(name) {
		return y
	}
	defer c.restore(c.context)
	c.context = context{sc: c.own, horizon: everything}
	for i := range c.library.Named(name) {
		if c.ownDeclared[i] { // the first, as soon as it is looked up
			return y
		}
		c.ownDeclared[i] = true
		c.decl(c.library.Node(i))
	}
	return c.own.syms.of(name)
}

// addsOwn reports whether the dialect's library adds to what the program declares of a name: to
// nothing or, in C++, to functions. Headers of this compiler are in Metal.
func (c *checker) addsOwn(y *sym) bool {
	return !c.inHeaderText() && (y.empty() || y.val == nil && y.typ == nil && !c.inC())
}

// libraryCall calls a function of the dialect's library, which says what n means. The text of a
// translation has the same call.
func (c *checker) libraryCall(name string, n ast.Node, args ...typed.Expr) typed.Expr {
	if c.opts.Record != nil && !c.inLibrary() {
		call := LibraryCall{Name: name}
		for _, a := range args {
			call.Types = append(call.Types, a.Type())
		}
		c.opts.Record.Calls[callKey(n)] = call
	}
	return c.ownCall(name, n, args...)
}

// ownCall calls a function of the dialect's library.
func (c *checker) ownCall(name string, n ast.Node, args ...typed.Expr) typed.Expr {
	o := &overload{Info: rv(n, types.Void), name: name, scope: c.own}
	y := c.lookupNS(c.own, name, nil)
	o.fns = y.fns
	for _, ns := range y.lib {
		c.addLib(o, ns)
	}
	return c.callOverload(o, args, n)
}

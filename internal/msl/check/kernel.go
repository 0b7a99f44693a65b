package check

import (
	"cmp"
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

var stageAttrs = [...]string{"kernel", "vertex", "fragment", "mesh", "object", "intersection", "tile"}

// stage returns the pipeline stage that a declaration is an entry point of, or "" for an ordinary
// function.
func (c *checker) stage(d *ast.FuncDecl) string {
	if s := d.Spec.Stage; s != ast.NoStage {
		return s.String()
	}
	for _, s := range stageAttrs {
		if ast.FindAttr(s, d.Attrs) != nil {
			return s
		}
	}
	return ""
}

// oneStage reports a declaration that is an entry point of several stages.
func (c *checker) oneStage(d *ast.FuncDecl) {
	first := c.stage(d)
	for _, s := range stageAttrs {
		if a := ast.FindAttr(s, d.Attrs); a != nil && s != first {
			c.errorf(diag.AttributeClash, a, "a function is an entry point of one stage: '%s' and '%s' are not compatible",
				first, s)
			return
		}
	}
}

func (c *checker) stageOf(f *function) string {
	if f.kernel {
		return "kernel"
	}
	return c.stage(f.decl)
}

// kernelDecl declares an entry point that is not a template.
func (c *checker) kernelDecl(f *function) {
	d := f.decl
	s := c.stage(d)
	y := f.scope.sym(f.name)
	if !slices.Contains(y.fns, f) && f.tmpl == nil {
		y.fns = append(y.fns, f)
	}
	if s != "kernel" {
		c.prog.Skipped = append(c.prog.Skipped, typed.Skipped{Name: f.name, Stage: s, Pos: d.Pos()})
		if c.trap == nil {
			c.report(diag.Diagnostic{Code: diag.RenderStage, Severity: diag.Remark, Pos: d.Name.Pos(), End: d.Name.End(),
				Message: "not supported: '" + f.name + "' is a " + s + " function and is not checked further"})
		}
		return
	}
	if a := ast.FindAttr("visible", d.Attrs); a != nil {
		c.errorf(diag.AttributeMisplaced, a, "'visible' attribute does not apply to a kernel")
	}
	if d.Body == nil {
		return
	}
	host := qualify(f.nsScope(), f.name)
	c.entry(f, c.hostName(d.Attrs, host), d)
}

func (c *checker) hostName(attrs []*ast.Attr, deflt string) string {
	a := ast.FindAttr("host_name", attrs)
	if a == nil {
		return deflt
	}
	if len(a.Args) == 1 {
		if k, ok := c.expr(a.Args[0]).(*typed.Const); ok {
			if s, ok := k.Value.Ref.(string); ok {
				if s == "" {
					c.errorf(diag.AttributeArgs, a, "argument of 'host_name' attribute must not be empty")
					return deflt
				}
				return s
			}
		}
	}
	c.errorf(diag.AttributeArgs, a, "'host_name' attribute requires a string")
	return deflt
}

// instantiateFunc handles an explicit instantiation whose declaration has parameters.
func (c *checker) instantiateFunc(d *ast.ExplicitInstantiation, e *ast.FuncDecl) {
	y := c.lookup(funcName(e.Name))
	if len(e.Name.Parts) > 1 {
		if s, ok := c.qualifier(e.Name); ok {
			y = c.lookupIn(s, funcName(e.Name))
		}
	}
	if y == nil || len(y.fns) == 0 {
		c.errorf(diag.NoTemplateToSpecialize, e.Name, "there is no function template '%s' to instantiate", funcName(e.Name))
		return
	}
	if c.infers() && e.Spec.Stage == ast.Kernel {
		c.launched(y.fns, d, e)
		return
	}
	if !c.knownSpec(y.fns, e) {
		return
	}
	var found *function
	for _, f := range y.fns {
		if !f.isTemplate() {
			continue
		}
		if g := c.matchSpec(f, e); g != nil && (found == nil || c.functionOrder(f, found.tmpl, len(e.Params))) {
			found = g
		}
	}
	if found == nil {
		c.errorf(diag.NoTemplateToSpecialize, e.Name, "no function template matches the explicit instantiation of '%s'",
			funcName(e.Name))
		return
	}
	c.instantiated(found, d, e.Attrs, e.Spec.Stage == ast.Kernel || ast.FindAttr("kernel", e.Attrs, d.Attrs) != nil)
}

// instantiateByType handles template decltype(f<int>) f<int>;
func (c *checker) instantiateByType(d *ast.ExplicitInstantiation, e *ast.VarDecl) {
	if e.Name == nil {
		return
	}
	x := c.exprUnevaluated(&ast.NameExpr{Span: e.Name.Span, Name: e.Name})
	if c.isBad(x.Type()) {
		return
	}
	o, ok := x.(*overload)
	if !ok {
		c.errorf(diag.NoTemplateToSpecialize, e.Name, "there is no function template to instantiate")
		return
	}
	q := c.typ(e.Type)
	if c.isBad(q.Type) {
		return
	}
	var f *function
	if t, isFn := q.Type.(*types.Func); isFn {
		f = c.functionOfType(o, t)
	}
	if f == nil {
		c.errorf(diag.NoTemplateToSpecialize, e.Name, "no function template '%s' has the type '%s'", o.name, q)
		return
	}
	c.instantiated(f, d, e.Attrs, e.Spec.Stage == ast.Kernel || ast.FindAttr("kernel", e.Attrs, d.Attrs) != nil)
}

func (c *checker) instantiated(f *function, d *ast.ExplicitInstantiation, attrs []*ast.Attr, kernel bool) {
	if a := ast.FindAttr("host_name", attrs, d.Attrs); a != nil && !kernel && c.stageOf(f) == "" {
		c.errorf(diag.AttributeMisplaced, a,
			"'host_name' attribute only applies to entry points, and '%s' is not one", f.name)
		return
	}
	if s := c.stage(f.decl); !kernel && s != "kernel" {
		if s == "" {
			c.use(f)
		}
		return
	}
	host := c.hostName(d.Attrs, c.hostName(attrs, f.name+"<"+argString(f.args)+">"))
	c.entry(f, host, d)
}

// entry turns a function into an entry point.
func (c *checker) entry(f *function, host string, n ast.Node) {
	f.kernel = true
	if f.tmpl != nil && c.infers() {
		c.entries[f.tmpl] = true
	}
	if !c.signature(f) {
		return
	}
	if _, ok := c.kernels[host]; ok && c.infers() {
		if c.entries[f] { // it is launched twice
			return
		}
		host += c.parameterTypes(f)
	}
	if old, ok := c.kernels[host]; ok {
		c.report(diag.Errorf(diag.DuplicateKernel, n.Pos(), n.End(), "redefinition of entry point '%s'", host).
			WithNote(old, diag.NoPos, "previous definition is here"))
		return
	}
	c.kernels[host] = n.Pos()
	if c.infers() {
		c.entries[f] = true
	}
	if f.result.Type != types.Type(types.Void) {
		c.errorf(diag.KernelResult, f.decl.Name, "kernel '%s' must return void, not '%s'", f.name, f.result)
	}
	if f.decl.Variadic {
		c.errorf(diag.ArgumentType, f.decl.Name, "kernel '%s' cannot be variadic", f.name)
	}
	f.bscope.fn.kernel = true
	k := &typed.Kernel{HostName: host, Func: f.out}
	c.at = n.Pos()
	c.use(f)
	c.in(f.bscope, func() { c.kernelAttrs(k, f.decl.Attrs) })
	c.kernelArgs(k, f)
	c.in(f.bscope, func() { c.native(k, f.decl.Attrs) })
	c.prog.Kernels = append(c.prog.Kernels, k)
}

func (c *checker) kernelAttrs(k *typed.Kernel, attrs []*ast.Attr) {
	if a := ast.FindAttr("max_total_threads_per_threadgroup", attrs); a != nil {
		if len(a.Args) != 1 {
			c.errorf(diag.AttributeArgs, a, "'%s' attribute takes one argument", a.Name)
		} else if n, ok := c.constInt(a.Args[0], "number of threads"); ok {
			if n < 1 || n > ir.MaxThreads {
				c.errorf(diag.IndexLimit, a, "%d threads per threadgroup is not between 1 and %d", n, ir.MaxThreads)
			}
			k.MaxThreads = int(n)
		}
	}
	if a := ast.FindAttr("required_threads_per_threadgroup", attrs); a != nil {
		k.RequiredThreads = [3]int{1, 1, 1}
		if len(a.Args) < 1 || len(a.Args) > 3 {
			c.errorf(diag.AttributeArgs, a, "'%s' attribute takes one to three arguments", a.Name)
			return
		}
		total := int64(1)
		for i, x := range a.Args {
			n, ok := c.constInt(x, "number of threads")
			if !ok {
				return
			}
			if n < 1 || n > ir.MaxThreads {
				c.errorf(diag.IndexLimit, x, "%d threads per threadgroup is not between 1 and %d", n, ir.MaxThreads)
				return
			}
			k.RequiredThreads[i] = int(n)
			total *= n
		}
		if total > ir.MaxThreads {
			c.errorf(diag.IndexLimit, a, "%d threads per threadgroup is not between 1 and %d", total, ir.MaxThreads)
		}
	}
}

// finish completes the program after all bodies are checked.
func (c *checker) finish() {
	if c.badAt.IsValid() && c.sink.Errors() == 0 {
		// Every error should have a diagnostic; without one, this must not pass for a complete
		// program.
		c.errorAt(diag.Internal, c.badAt, diag.NoPos,
			"internal error: an expression could not be resolved and no reason was given")
	}
	for _, k := range c.prog.Kernels {
		c.reach(k)
	}
	c.withoutInstance()
}

// reach finds the function constants and threadgroup variables that an entry point uses.
func (c *checker) reach(k *typed.Kernel) {
	seen := make(map[*typed.Func]bool)
	vars := make(map[*typed.Var]bool)
	var host []*typed.Var
	var visit func(f *typed.Func)
	var note func(v *typed.Var)
	note = func(v *typed.Var) {
		if vars[v] {
			return
		}
		vars[v] = true
		switch v.Kind {
		case typed.FunctionConstant:
			k.Constants = append(k.Constants, v)
		case typed.SpecConstant, typed.Global, typed.StaticLocal:
			if !v.Value.IsValid() && v.Init != nil {
				typed.InspectExpr(v.Init, func(e typed.Expr) {
					if r, ok := e.(*typed.VarRef); ok {
						note(r.Var)
					}
				})
			}
		case typed.ThreadgroupLocal:
			k.Threadgroup = append(k.Threadgroup, v)
		case typed.Param:
			host = append(host, v)
		}
	}
	visit = func(f *typed.Func) {
		if f == nil || seen[f] || f.Body == nil {
			return
		}
		seen[f] = true
		if c.opts.Record != nil && c.opts.Record.Reached != nil {
			c.opts.Record.Reached[f] = true
			if g := c.functions[f]; g != nil {
				c.opts.Record.Used[g.decl] = true
			}
		}
		list := c.mentionsOf(f)
		c.spend(1+len(list), 0)
		for _, m := range list {
			if m.fn != nil {
				visit(m.fn)
			} else {
				note(m.v)
			}
		}
	}
	visit(k.Func)
	slices.SortFunc(host, func(a, b *typed.Var) int { return cmp.Compare(a.Pos, b.Pos) })
	for _, v := range host {
		c.hostArg(k, v)
	}
	for _, a := range k.Args {
		if a.Condition != nil {
			note(a.Condition)
		}
	}
	if k.Native != "" && len(k.Constants) > 0 {
		c.errorAt(diag.AttributeMisplaced, k.Func.Pos, diag.NoPos,
			"a kernel with native body '%s' cannot use function constants, and '%s' uses '%s'", k.Native, k.HostName,
			k.Constants[0].Name)
	}
	size := 0
	for _, v := range k.Threadgroup {
		a := max(v.Type.Align(), 1)
		size = (size+a-1)/a*a + v.Type.Size()
	}
	if size > ir.GPUThreadgroupBytes {
		c.sink.Report(diag.Warnf(diag.ThreadgroupSize, k.Func.Pos, diag.NoPos,
			"kernel '%s' declares %d bytes of threadgroup memory, and a threadgroup has at most %d", k.Func.Name, size,
			ir.GPUThreadgroupBytes))
	}
}

// mention is a function or variable named in a function's body.
type mention struct {
	fn *typed.Func
	v  *typed.Var
}

// mentionsOf returns the functions and variables named in a function that matter for entry points,
// each once, in source order. It is memoized because many entry points share functions.
func (c *checker) mentionsOf(f *typed.Func) []mention {
	if list, ok := c.mentions[f]; ok {
		return list
	}
	var list []mention
	seen := make(map[mention]bool)
	add := func(m mention) {
		if m != (mention{}) && !seen[m] {
			seen[m] = true
			list = append(list, m)
		}
	}
	typed.InspectBlock(f.Body, func(e typed.Expr) {
		c.step()
		switch e := e.(type) {
		case *typed.VarRef:
			if e.Var.Kind != typed.Local && (e.Var.Kind != typed.Param || c.hostVars[e.Var] != nil) {
				add(mention{v: e.Var})
			}
		case *typed.Call:
			add(mention{fn: e.Func})
		case *typed.Construct:
			add(mention{fn: e.Ctor})
		case *typed.FuncAddr:
			add(mention{fn: e.Func})
		}
	}, func(s typed.Stmt) {
		if d, ok := s.(*typed.VarDecl); ok && d.Var.Kind == typed.ThreadgroupLocal {
			add(mention{v: d.Var})
		}
	})
	c.mentions[f] = list
	return list
}

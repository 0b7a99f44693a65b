package gokernel

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// instance is a function as it is called: with these types for its type parameters and these
// address spaces of the pointers and slices among its parameters.
type instance struct {
	source
	t      *translation
	kernel *Kernel // nil if it is no kernel
	name   string
	types  map[*types.TypeParam]types.Type
	spaces []space // of the parameters, the receiver first
	result space   // of the pointer or slice that it returns

	done    bool // false within its translation: a call from there is recursion
	used    bool // by a kernel in the text
	refused *Refusal
	callees []*instance
	structs []*structure
	tables  []*table
	funcs   []string // template parameters, for parameters that are functions
	effects bool     // it writes memory, so that calls of it stay in order
	text    string

	writer
	comments   []*ast.CommentGroup // of the file, those not yet written
	vars       map[types.Object]*variable
	visible    map[string]int // the names of variables in scope, and how often
	temps      map[string]bool
	loops      []*loop
	facts      facts
	volatile   map[types.Object]bool            // variables that may change where no statement assigns them
	tried      map[types.Object]map[string]bool // the types of 32 bits that a variable does not fit
	together   map[ast.Expr]*interval           // of values that are assigned together: what they can be, if known
	indices    map[ast.Expr]string              // variables that have the values of indices
	sliceTexts map[ast.Expr]string              // and those of slices
	sig        *types.Signature                 // of the function or the literal whose body is written
	literal    bool                             // it is a literal
	exit       *exit                            // of the body of a range over a function
	given      []string                         // parameters of the function that it returns
	resolved   map[*ast.CallExpr]*instance      // what calls call

	// Of kernels: parameters for memory of a threadgroup, whether some is zeroed, and the name of
	// the thread.
	shared     []string
	zeroes     bool
	threadName string
}

// variable is a variable of a function.
type variable struct {
	name, length string // length: of a slice that is a parameter of a kernel
	space        space  // of a pointer or slice
	narrow       string // of an integer of 64 bits: the type of 32 bits that it has in the text
	fixed        bool   // a parameter of a kernel that is never assigned
	closure      bool   // a function literal, or a parameter that is one

	sampler *ast.CompositeLit // of a kernel.Sampler that the function declares
}

// writer writes lines.
type writer struct {
	b      strings.Builder
	indent int
	pos    token.Position // of the line in the source
	lines  bool           // add #line directives
}

func (w *writer) line(format string, args ...any) {
	indent := 2 * w.indent
	if w.lines && w.pos.IsValid() {
		fmt.Fprintf(&w.b, "#line %d %q\n", w.pos.Line, w.pos.Filename)
		indent = min(w.pos.Column-1, maxIndent) // a statement has its column, too
	}
	w.b.WriteString(strings.Repeat(" ", indent) + fmt.Sprintf(format, args...) + "\n")
}

// maxIndent is the maximum number of spaces before a line with the column of the source.
const maxIndent = 200

// refuse ends the translation of the function: n has no translation.
func (in *instance) refuse(n ast.Node, format string, args ...any) string {
	panic(&Refusal{Pos: in.t.fset.Position(n.Pos()), Code: diag.GoSubset, Reason: fmt.Sprintf(format, args...)})
}

// guarded calls f and returns what it refuses.
func (in *instance) guarded(f func()) (r *Refusal) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case *Refusal:
			r = x
			in.refused = x
		default:
			panic(x)
		}
	}()
	f()
	return nil
}

// wanted marks what the function needs as part of the text.
func (in *instance) wanted() {
	if in.used {
		return
	}
	in.used = true
	for _, s := range in.structs {
		s.want()
	}
	for _, v := range in.tables {
		v.used = true
		for _, s := range v.structs {
			s.want()
		}
	}
	for _, c := range in.callees {
		c.wanted()
	}
}

func (s *structure) want() {
	if !s.wanted {
		s.wanted = true
		for _, n := range s.needs {
			n.want()
		}
	}
}

// translate writes the function.
func (in *instance) translate() {
	defer func() { in.done = true }()
	in.tried = map[types.Object]map[string]bool{}
	for in.attempt() {
	}
}

// attempt writes the function, and reports whether it must be written again.
func (in *instance) attempt() (again bool) {
	defer func() {
		switch x := recover().(type) {
		case nil:
		case widened:
			again = true
		default:
			panic(x)
		}
	}()
	in.callees, in.structs, in.tables, in.comments, in.loops, in.indices, in.together = nil, nil, nil, nil, nil, nil, nil
	in.funcs = nil
	in.writer, in.shared, in.zeroes, in.effects, in.result = writer{}, nil, false, false, ""
	if in.kernel != nil {
		in.kernel.Args = nil
	}
	in.lines = in.t.options.Lines
	in.literal, in.exit, in.given = false, nil, nil
	in.vars, in.visible, in.temps = map[types.Object]*variable{}, map[string]int{}, map[string]bool{}
	in.facts, in.volatile = newFacts(), map[types.Object]bool{}
	in.sliceTexts, in.resolved = map[ast.Expr]string{}, map[*ast.CallExpr]*instance{}
	in.shallow(in.decl)
	in.findVolatile()
	in.errors(in.decl)
	in.fileComments()
	sig := in.pkg.info.Defs[in.decl.Name].Type().(*types.Signature)
	in.sig = sig
	in.pos = in.t.fset.Position(in.decl.Pos())
	in.indent = 1
	params := in.params(sig)
	gives := sig.Results() // in the text
	if inner := in.returned(sig); inner != nil {
		if name := sig.Results().At(0).Name(); name != "" {
			in.refuse(in.decl.Type.Results, "a function as a result with a name; return it without the name %s", name)
		}
		params, gives = append(params, in.givenParams(inner)...), inner.Results()
	} else {
		in.results(sig)
	}
	in.block(in.decl.Body)
	result := in.resultsType(gives, in.result)
	body := in.b.String()
	in.writer = writer{lines: in.t.options.Lines}
	in.doc()
	in.pos = in.t.fset.Position(in.decl.Pos())
	if in.kernel != nil {
		in.kernel.As = in.t.unique(in.kernel.Name)
		in.name = in.kernel.As
		params = append(params, in.threadParams()...)
		attribute := ""
		if g := in.kernel.Group; g[0] > 0 {
			attribute = fmt.Sprintf("[[max_total_threads_per_threadgroup(%d)]] ", g[0]*g[1]*g[2])
		}
		in.line("%skernel void %s(%s) {", attribute, in.name, strings.Join(params, ", "))
		in.indent++
		in.pos = token.Position{}
		in.threadValue()
		in.indent--
	} else {
		if len(in.funcs) > 0 {
			in.line("template <%s>", strings.Join(in.funcs, ", "))
		}
		in.line("static %s %s(%s) {", result, in.name, strings.Join(params, ", "))
	}
	in.text = in.b.String() + body + "}\n"
	return false
}

// errors refuses a function in which the Go compiler finds errors.
func (in *instance) errors(n ast.Node) {
	for _, e := range in.pkg.errors {
		if e.Pos >= n.Pos() && e.Pos < n.End() {
			in.missing(n, e.Pos)
			panic(&Refusal{Pos: in.t.fset.Position(e.Pos), Code: diag.GoError, Reason: e.Msg})
		}
	}
}

// missing refuses a name of the standard library that kernels do not have, if that is what the
// error at pos is about: stubs do not declare it.
func (in *instance) missing(n ast.Node, pos token.Pos) {
	ast.Inspect(n, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || sel.Sel.Pos() != pos {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok {
			return true
		}
		p, ok := in.pkg.info.Uses[id].(*types.PkgName)
		if !ok || in.pkg.info.Uses[sel.Sel] != nil {
			return true
		}
		remedy, ok := map[string]string{"math": "write a function in float32", "math/bits": "write a function",
			"sync/atomic": "use those of int32 and uint32"}[p.Imported().Path()]
		if ok && ast.IsExported(sel.Sel.Name) {
			in.refuse(sel, "%s.%s: kernels do not have it; %s", id.Name, sel.Sel.Name, remedy)
		}
		return true
	})
}

// whyInvalid says why an expression has no type.
func (in *instance) whyInvalid(n ast.Node) string {
	if id, ok := ast.Unparen(exprOf(n)).(*ast.SelectorExpr); ok {
		if x, ok := id.X.(*ast.Ident); ok {
			if p, ok := in.pkg.info.Uses[x].(*types.PkgName); ok {
				return fmt.Sprintf("kernels cannot use package %s; they can use iter, math, math/bits, sync/atomic, and "+
					"packages of this module", p.Imported().Path())
			}
		}
	}
	return "it has no type that kernels know"
}

func exprOf(n ast.Node) ast.Expr {
	if x, ok := n.(ast.Expr); ok {
		return x
	}
	return &ast.BadExpr{}
}

// fileComments finds the comments in the function.
func (in *instance) fileComments() {
	for _, f := range in.pkg.files {
		if f.FileStart <= in.decl.Pos() && in.decl.Pos() < f.FileEnd {
			for _, g := range f.Comments {
				if g.Pos() > in.decl.Body.Lbrace && g.End() <= in.decl.Body.Rbrace {
					in.comments = append(in.comments, g)
				}
			}
		}
	}
}

// doc writes the comment above the function.
func (in *instance) doc() {
	if in.decl.Doc == nil {
		return
	}
	var list []*ast.Comment
	for _, c := range in.decl.Doc.List {
		if !strings.HasPrefix(c.Text, "//puremetal:") && !strings.HasPrefix(c.Text, "//go:") {
			list = append(list, c)
		}
	}
	for len(list) > 0 && strings.TrimSpace(list[len(list)-1].Text) == "//" {
		list = list[:len(list)-1]
	}
	for _, c := range list {
		in.comment(c)
	}
}

func (in *instance) comment(c *ast.Comment) {
	for line := range strings.SplitSeq(c.Text, "\n") {
		// A backslash at the end of a line would continue the comment.
		in.b.WriteString(strings.Repeat("  ", in.indent) + strings.TrimRight(strings.TrimSpace(line), `\`) + "\n")
	}
}

// commentsBefore writes the comments before a place.
func (in *instance) commentsBefore(pos token.Pos) {
	for len(in.comments) > 0 && in.comments[0].Pos() < pos {
		for _, c := range in.comments[0].List {
			in.comment(c)
		}
		in.comments = in.comments[1:]
	}
}

// commentAfter puts a comment on the line of a place behind what was written last.
func (in *instance) commentAfter(pos token.Pos) {
	if len(in.comments) == 0 {
		return
	}
	g := in.comments[0]
	if len(g.List) != 1 || strings.Contains(g.List[0].Text, "\n") || g.Pos() < pos ||
		in.t.fset.Position(g.Pos()).Line != in.t.fset.Position(pos).Line {
		return
	}
	text := strings.TrimSuffix(in.b.String(), "\n")
	if strings.HasSuffix(text, "{") || text == "" {
		return
	}
	in.b.Reset()
	in.b.WriteString(text + " " + strings.TrimRight(g.List[0].Text, `\`) + "\n")
	in.comments = in.comments[1:]
}

// concrete returns a type with the arguments for the function's type parameters.
func (in *instance) concrete(t types.Type) types.Type {
	if len(in.types) == 0 {
		return t
	}
	switch u := t.(type) {
	case *types.TypeParam:
		if c, ok := in.types[u]; ok {
			return c
		}
	case *types.Alias:
		return in.concrete(types.Unalias(u))
	case *types.Pointer:
		return types.NewPointer(in.concrete(u.Elem()))
	case *types.Slice:
		return types.NewSlice(in.concrete(u.Elem()))
	case *types.Array:
		return types.NewArray(in.concrete(u.Elem()), u.Len())
	case *types.Tuple:
		return in.concreteTuple(u)
	case *types.Named:
		if u.TypeArgs().Len() == 0 {
			return t
		}
		var args []types.Type
		for i := range u.TypeArgs().Len() {
			args = append(args, in.concrete(u.TypeArgs().At(i)))
		}
		if n, err := types.Instantiate(in.t.context(), u.Origin(), args, false); err == nil {
			return n
		}
	}
	return t
}

func (in *instance) concreteTuple(t *types.Tuple) *types.Tuple {
	var list []*types.Var
	for i := range t.Len() {
		v := t.At(i)
		list = append(list, types.NewParam(v.Pos(), v.Pkg(), v.Name(), in.concrete(v.Type())))
	}
	return types.NewTuple(list...)
}

// context makes equal instances of types identical.
func (t *translation) context() *types.Context {
	if t.typeContext == nil {
		t.typeContext = types.NewContext()
	}
	return t.typeContext
}

// typeOf returns the type of an expression.
func (in *instance) typeOf(x ast.Expr) types.Type {
	t := in.pkg.info.TypeOf(x)
	if t == nil {
		return types.Typ[types.Invalid]
	}
	return in.concrete(t)
}

// under returns the underlying type of an expression.
func (in *instance) under(x ast.Expr) types.Type { return in.typeOf(x).Underlying() }

// params returns the parameters of the function in the text.
func (in *instance) params(sig *types.Signature) (list []string) {
	var vars []*types.Var
	if r := sig.Recv(); r != nil {
		vars = append(vars, r)
	}
	for i := range sig.Params().Len() {
		vars = append(vars, sig.Params().At(i))
	}
	if sig.Variadic() {
		in.refuse(in.decl.Type.Params, "a variable number of arguments; take a slice")
	}
	if in.kernel != nil {
		return in.kernelParams(sig, vars)
	}
	for i, v := range vars {
		t := in.concrete(v.Type())
		if isThread(t) {
			list = append(list, "thread const Thread& "+in.declare(v, "").name)
			continue
		}
		if s, ok := t.Underlying().(*types.Signature); ok {
			in.closureParams(in.decl.Name, s)
			x := in.declare(v, "")
			x.closure = true
			list = append(list, in.functionParam(x.name))
			continue
		}
		x := in.declare(v, in.spaces[i])
		list = append(list, in.parameter(in.decl.Name, t, x.space, x.name))
	}
	return list
}

// kernelParams returns the parameters of a kernel.
func (in *instance) kernelParams(sig *types.Signature, vars []*types.Var) (list []string) {
	d := in.decl
	switch {
	case d.Recv != nil:
		in.refuse(d.Name, "a kernel that is a method; make it a function")
	case sig.TypeParams().Len() > 0:
		in.refuse(d.Name, "a kernel with type parameters; call it from a kernel for each type")
	case sig.Results().Len() > 0:
		in.refuse(d.Type.Results, "a kernel returns nothing; write to a slice")
	case len(vars) == 0 || !isThread(vars[0].Type()):
		in.refuse(d.Name, "the first parameter of a kernel is a *kernel.Thread")
	}
	in.threadName = in.declare(vars[0], "").name
	assigned := in.assigned()
	for _, v := range vars[1:] {
		at := in.paramNode(v)
		x := in.declare(v, device)
		x.fixed = !assigned[v]
		t := types.Unalias(v.Type())
		if typ, ok := textureType(t); ok {
			list = append(list, in.texture(at, v, typ, x.name))
			continue
		}
		if isKernel(t, "Sampler") {
			in.refuse(at, "parameter %s is a kernel.Sampler; declare it in the kernel or the package, as a composite literal",
				v.Name())
		}
		arg := Arg{Name: v.Name(), As: x.name, Kind: "value", Index: in.buffers()}
		switch u := t.Underlying().(type) {
		case *types.Slice:
			elem := in.typ(at, u.Elem(), "")
			arg.Kind, arg.Type = "buffer", elem
			in.kernel.Args = append(in.kernel.Args, arg)
			x.length = in.fresh(x.name + "_len")
			constant := ""
			if in.readOnly(v) {
				constant = "const "
			}
			list = append(list, fmt.Sprintf("device %s%s* %s [[buffer(%d)]]", constant, elem, x.name, arg.Index))
			in.kernel.Args = append(in.kernel.Args, Arg{Name: "len(" + v.Name() + ")", As: x.length, Kind: "length",
				Of: v.Name(), Index: arg.Index + 1, Type: "uint"})
			list = append(list, fmt.Sprintf("constant uint& %s [[buffer(%d)]]", x.length, arg.Index+1))
			if !x.fixed {
				own := in.fresh(x.name + "_own")
				in.line("go::slice<device %s*> %s = {%s, %s};", elem, own, x.name, x.length)
				in.t.helpers["slice"] = true
				x.name, x.length = own, ""
			}
			continue
		case *types.Basic:
			if u.Kind() == types.Int || u.Kind() == types.Uint || u.Kind() == types.Uintptr {
				in.refuse(at, "parameter %s is %s, whose size is the processor's; use int32 or int64", v.Name(), in.named(t))
			}
		case *types.Pointer:
			in.refuse(at, "parameter %s is a pointer; use a slice", v.Name())
		}
		arg.Type = in.typ(at, t, "")
		in.kernel.Args = append(in.kernel.Args, arg)
		list = append(list, fmt.Sprintf("constant %s& %s [[buffer(%d)]]", arg.Type, x.name, arg.Index))
		if !x.fixed {
			own := in.fresh(x.name + "_own")
			in.line("%s %s = %s;", arg.Type, own, x.name)
			x.name = own
		}
	}
	if n := in.buffers(); n > 31 {
		in.refuse(d.Type.Params, "the kernel needs %d buffers, a slice two; Metal has 31", n)
	}
	return list
}

func isKernelIndex(t types.Type) bool { return isKernel(t, "Index") }

// paramNode returns the place of a parameter.
func (in *instance) paramNode(v *types.Var) ast.Node {
	for _, f := range in.decl.Type.Params.List {
		for _, n := range f.Names {
			if in.pkg.info.Defs[n] == v {
				return n
			}
		}
		if len(f.Names) == 0 && f.Pos() == v.Pos() {
			return f
		}
	}
	return in.decl.Name
}

// root returns the variable of which an expression is a part, or nil: the parts of a slice and what
// a pointer points to are elsewhere.
func (in *instance) root(x ast.Expr) *ast.Ident {
	for {
		switch y := x.(type) {
		case *ast.Ident:
			return y
		case *ast.ParenExpr:
			x = y.X
		case *ast.SelectorExpr:
			if in.pkg.info.Selections[y] == nil || isPointer(in.under(y.X)) {
				return nil
			}
			x = y.X
		case *ast.IndexExpr:
			if _, array := in.under(y.X).(*types.Array); !array {
				return nil
			}
			x = y.X
		default:
			return nil
		}
	}
}

// results declares results that have names.
func (in *instance) results(sig *types.Signature) {
	for i := range sig.Results().Len() {
		v := sig.Results().At(i)
		if v.Name() == "" {
			continue
		}
		t := in.concrete(v.Type())
		x := in.declare(v, device)
		in.line("%s = %s;", in.declaration(in.decl.Type.Results, t, x.space, x.name), in.zero(in.decl.Name, t))
	}
}

// declaration returns a declaration of a name with a type.
func (in *instance) declaration(n ast.Node, t types.Type, s space, name string) string {
	typ := in.typ(n, t, s)
	if base, ok := strings.CutSuffix(typ, "*"); ok {
		return base + "* " + name
	}
	return typ + " " + name
}

// fixedDeclaration returns a declaration of a name that nothing assigns. What it points to may be.
func (in *instance) fixedDeclaration(n ast.Node, t types.Type, s space, name string) string {
	if isPointer(t.Underlying()) {
		return in.typ(n, t, s) + " const " + name
	}
	return "const " + in.declaration(n, t, s, name)
}

// zero returns the zero value of a type.
func (in *instance) zero(n ast.Node, t types.Type) string {
	if name, ok := smallType(t); ok {
		return name + "(0)"
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsFloat != 0:
			return "0.0f"
		}
		return "0"
	case *types.Pointer:
		return "nullptr"
	}
	if t, ok := t.(*types.Named); ok {
		if name, ok := vectorType(t); ok {
			return name + "(0)"
		}
	}
	return in.typ(n, t, "") + "{}"
}

// declare adds a variable to the scope.
func (in *instance) declare(obj types.Object, s space) *variable {
	v := &variable{name: in.fresh(safe(obj.Name())), space: s}
	in.vars[obj] = v
	return v
}

// fresh returns a name that no variable in scope has.
func (in *instance) fresh(base string) string {
	name := base
	if base == "_" {
		base, name = "unused", "unused"
	}
	for i := 2; in.visible[name] > 0 || in.temps[name]; i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	in.visible[name]++
	return name
}

// temp returns a name for a variable of the text alone. No other variable of the function gets it:
// the statement that it is for need not be a block.
func (in *instance) temp(base string) string {
	name := in.fresh(base)
	in.temps[name] = true
	return name
}

// scoped calls f and forgets the variables that it declares.
func (in *instance) scoped(f func()) {
	outer := in.visible
	in.visible = map[string]int{}
	for k, v := range outer {
		in.visible[k] = v
	}
	f()
	in.visible = outer
}

// callee returns the function of the text for a function, its type arguments and the spaces of
// its parameters.
func (in *instance) callee(n ast.Node, f *types.Func, args []types.Type, recv types.Type, spaces []space) *instance {
	origin := f.Origin()
	src := in.t.funcs[origin]
	if src == nil {
		in.refuse(n, "%s: kernels cannot call it; they can use math, math/bits, sync/atomic, package kernel and the "+
			"functions of this module", f.FullName())
	}
	sig := origin.Type().(*types.Signature)
	params := map[*types.TypeParam]types.Type{}
	base := f.Name()
	if r := sig.Recv(); r != nil {
		named := namedOf(in.concrete(recv))
		base = named.Obj().Name() + "_" + base
		for i := range sig.RecvTypeParams().Len() {
			params[sig.RecvTypeParams().At(i)] = named.TypeArgs().At(i)
			base += "_" + in.typeWord(n, named.TypeArgs().At(i))
		}
	}
	for i := range sig.TypeParams().Len() {
		params[sig.TypeParams().At(i)] = in.concrete(args[i])
		base += "_" + in.typeWord(n, in.concrete(args[i]))
	}
	key := fmt.Sprintf("%p", src.decl)
	for i := range sig.RecvTypeParams().Len() {
		key += "|" + types.TypeString(params[sig.RecvTypeParams().At(i)], nil)
	}
	for i := range sig.TypeParams().Len() {
		key += "|" + types.TypeString(params[sig.TypeParams().At(i)], nil)
	}
	for _, s := range spaces {
		key += "|" + string(s)
	}
	c := in.t.instances[key]
	if c == nil {
		if src.pkg != in.t.pkg {
			base = src.pkg.types.Name() + "_" + base
		}
		c = &instance{source: *src, t: in.t, types: params, spaces: spaces, name: in.t.unique(base)}
		in.t.instances[key] = c
		if len(in.t.instances) > maxInstances {
			in.refuse(n, "more than %d functions and instances of functions", maxInstances)
		}
		if c.guarded(c.translate); c.refused == nil {
			in.t.order = append(in.t.order, c)
		}
	}
	if !c.done {
		in.refuse(n, "%s calls itself: Metal has no recursion; use a loop", f.Name())
	}
	if c.refused != nil {
		panic(c.refused)
	}
	if !slices.Contains(in.callees, c) {
		in.callees = append(in.callees, c)
	}
	in.effects = in.effects || c.effects
	return c
}

// maxInstances is how many functions a text may have.
const maxInstances = 10000

// namedOf returns the type of a receiver.
func namedOf(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	return types.Unalias(t).(*types.Named)
}

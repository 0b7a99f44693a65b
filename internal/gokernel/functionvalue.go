package gokernel

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// Metal has no values that are functions. In the text a Go function is one as a lambda, under a
// name that nothing assigns: a variable, or an argument of a template. So it must be known which
// function a variable is, but the function may be any expression: a literal, a function or a method
// by its name, or a call of a function that returns one.
//
// A function that returns a function has the parameters of both in the text: it is called when the
// function that it returns is called.

// isFunction reports whether an expression is a function.
func (in *instance) isFunction(x ast.Expr) bool {
	_, ok := in.under(x).(*types.Signature)
	return ok
}

// selection returns the field or method that an expression selects, or nil.
func (in *instance) selection(x ast.Expr) *types.Selection {
	sel, _ := ast.Unparen(x).(*ast.SelectorExpr)
	return in.pkg.info.Selections[sel]
}

// functionVariable declares a variable that is a function.
func (in *instance) functionVariable(id *ast.Ident, x ast.Expr) {
	obj := in.pkg.info.Defs[id]
	if obj == nil || in.assigned()[obj] {
		in.refuse(id, "the function %s is assigned more than once; use an if", id.Name)
	}
	v := &variable{closure: true}
	x = in.unconverted(x)
	if other := in.variableNamed(x); other != nil && other.closure {
		v.name = other.name
	} else {
		v.name = in.fresh(safe(obj.Name()))
		in.bind(v.name, x)
	}
	in.vars[obj] = v // after the body of a literal: it cannot call itself
}

// callable returns the name of what calls a function.
func (in *instance) callable(x ast.Expr) string {
	x = in.unconverted(x)
	if v := in.variableNamed(x); v != nil && v.closure {
		return v.name
	}
	name := in.temp("function")
	in.bind(name, x)
	return name
}

// unconverted returns an expression without conversions to other types of functions.
func (in *instance) unconverted(x ast.Expr) ast.Expr {
	for {
		x = ast.Unparen(x)
		call, ok := x.(*ast.CallExpr)
		if !ok || !in.pkg.info.Types[call.Fun].IsType() {
			return x
		}
		x = call.Args[0]
	}
}

// bind writes what calls a function under a name. What the function is made of is evaluated now.
func (in *instance) bind(name string, x ast.Expr) {
	switch x := x.(type) {
	case *ast.FuncLit:
		in.lambda(name, x)
		return
	case *ast.CallExpr:
		if f := in.function(x.Fun); f != nil {
			in.stateless(x, f, map[*types.Func]bool{})
			c, args := in.prepare(x, f)
			list := in.kept(args)
			in.adapter(name, x, func(more []string) string { return c.invoke(append(list, more...)).s })
			return
		}
	case *ast.SelectorExpr:
		if sel := in.selection(x); sel != nil && sel.Kind() != types.FieldVal {
			in.bindMethod(name, x, sel)
			return
		}
	}
	if in.function(x) == nil {
		in.refuse(x, "%s: it is not known which function it is; declare a variable with it that nothing else assigns, or "+
			"pass it to a function that calls it", in.code(x))
	}
	in.lambda(name, in.expanded(x))
}

// kept evaluates arguments into variables that nothing assigns.
func (in *instance) kept(args []argument) (list []string) {
	for _, a := range args {
		_, function := a.t.Underlying().(*types.Signature)
		_, handle := handleType(a.t)
		if !function && !handle && !isThread(a.t) && in.pkg.info.Types[a.x].Value == nil {
			name := in.temp("arg")
			in.line("%s = %s;", in.fixedDeclaration(a.x, types.Default(a.t), a.s, name), a.text)
			a.text = name
		}
		list = append(list, a.text)
	}
	return list
}

// bindMethod writes what calls a method: of a value that is evaluated now, or T.Method, whose first
// parameter is the value.
func (in *instance) bindMethod(name string, x *ast.SelectorExpr, of *types.Selection) {
	if name := of.Obj().Name(); !in.ownMethod(of) {
		in.refuse(x, "the method %s as a function; call it as v.%s, in a function literal", name, name)
	}
	sel, index, f := in.method(x, of.Obj().(*types.Func))
	var t types.Type
	var s space
	var receiver string
	first := 0 // of the parameters of the method
	if of.Kind() == types.MethodExpr {
		t, first = in.concrete(of.Recv()), 1
	} else {
		var v val
		v, t, s = in.receiver(sel, index, f)
		receiver = in.kept([]argument{{v.s, t, s, sel.X}})[0]
	}
	in.adapter(name, x, func(args []string) string {
		if first == 1 {
			var v val
			v, t = in.path(val{args[0], primary}, t, index[:len(index)-1])
			receiver = v.s
		}
		spaces := make([]space, 1+len(args)-first)
		spaces[0] = s
		return in.callee(x, f, nil, t, spaces).invoke(append([]string{receiver}, args[first:]...)).s
	})
}

// ownMethod reports whether a method is one that the program declares.
func (in *instance) ownMethod(of *types.Selection) bool {
	p := of.Obj().Pkg()
	return p != nil && p.Path() != kernelPath && p.Path() != simdPath
}

// adapter writes a lambda with the parameters and results of a function.
func (in *instance) adapter(name string, f ast.Expr, call func(args []string) string) {
	sig := in.under(f).(*types.Signature)
	in.closureParams(f, sig)
	in.scoped(func() {
		var params, args []string
		for _, t := range in.paramTypes(sig) {
			arg := in.fresh("a")
			args, params = append(args, arg), append(params, in.lambdaParam(f, t, arg))
		}
		text := call(args)
		result := in.resultsType(sig.Results(), "")
		if result != "void" {
			text = "return " + text
		}
		in.line("const auto %s = [&](%s) -> %s { %s; };", name, strings.Join(params, ", "), result, text)
	})
}

// expanded returns the literal that does what a function does: func(a int32) int32 { return f(a) }.
func (in *instance) expanded(f ast.Expr) *ast.FuncLit {
	if lit := in.t.expansions[f]; lit != nil {
		return lit
	}
	info := in.pkg.info
	sig := info.TypeOf(f).Underlying().(*types.Signature)
	at := f.Pos()
	call := &ast.CallExpr{Fun: f, Lparen: at, Rparen: at}
	var params []*types.Var
	for i := range sig.Params().Len() {
		v := types.NewParam(at, in.pkg.types, "a", sig.Params().At(i).Type())
		id := &ast.Ident{NamePos: at, Name: v.Name()}
		info.Uses[id], info.Types[id] = v, types.TypeAndValue{Type: v.Type()}
		params, call.Args = append(params, v), append(call.Args, id)
	}
	var s ast.Stmt = &ast.ExprStmt{X: call}
	if n := sig.Results().Len(); n > 0 {
		info.Types[call] = types.TypeAndValue{Type: sig.Results()}
		if n == 1 {
			info.Types[call] = types.TypeAndValue{Type: sig.Results().At(0).Type()}
		}
		s = &ast.ReturnStmt{Return: at, Results: []ast.Expr{call}}
	}
	lit := &ast.FuncLit{Type: &ast.FuncType{Func: at, Params: &ast.FieldList{}},
		Body: &ast.BlockStmt{Lbrace: at, List: []ast.Stmt{s}, Rbrace: at}}
	info.Types[lit] = types.TypeAndValue{
		Type: types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())}
	in.t.expansions[f] = lit
	return lit
}

// closureParams refuses functions whose parameters point to memory: it may be of any space.
func (in *instance) closureParams(n ast.Node, sig *types.Signature) {
	for _, t := range in.paramTypes(sig) {
		switch t.Underlying().(type) {
		case *types.Pointer, *types.Slice:
			if !isThread(t) {
				in.refuse(n, "a parameter of a function that is a value is a %s; use the variable itself in a function "+
					"literal", in.named(t))
			}
		}
	}
	for i := range sig.Results().Len() {
		switch t := in.concrete(sig.Results().At(i).Type()); t.Underlying().(type) {
		case *types.Pointer, *types.Slice:
			in.refuse(n, "a result of a function that is a value is a %s; use the variable itself in a function literal",
				in.named(t))
		case *types.Signature:
			in.refuse(n, "a function literal that returns a function; declare a function that returns one")
		}
	}
	if sig.Variadic() {
		in.refuse(n, "a variable number of arguments; take a slice")
	}
}

// lambdaParam returns the declaration of a parameter of a lambda.
func (in *instance) lambdaParam(n ast.Node, t types.Type, name string) string {
	if isThread(t) {
		return "thread const Thread& " + name
	}
	if _, ok := t.Underlying().(*types.Signature); ok {
		return "thread const auto& " + name
	}
	return in.parameter(n, t, "", name)
}

// functionParam returns the declaration of a parameter that is a function: each argument makes an
// instance of the template.
func (in *instance) functionParam(name string) string {
	typ := fmt.Sprintf("F%d", len(in.funcs)+1)
	in.funcs = append(in.funcs, "typename "+typ)
	return "thread const " + typ + "& " + name
}

// resultsType returns the type in the text of a function with results.
func (in *instance) resultsType(results *types.Tuple, s space) string {
	switch results.Len() {
	case 0:
		return "void"
	case 1:
		return in.typ(in.decl.Type, in.concrete(results.At(0).Type()), s)
	}
	return in.typ(in.decl.Type, in.concreteTuple(results), "")
}

// lambda writes a function literal under a name. It sees the variables around it, as in Go, and
// ends with them, because it can only be called.
func (in *instance) lambda(name string, lit *ast.FuncLit) {
	sig := in.under(lit).(*types.Signature)
	in.closureParams(lit, sig)
	var params []string
	var body string
	in.scoped(func() {
		for i, t := range in.paramTypes(sig) {
			v := in.declare(sig.Params().At(i), "")
			_, v.closure = t.Underlying().(*types.Signature)
			params = append(params, in.lambdaParam(lit, t, v.name))
		}
		body = in.capture(func() {
			in.indent++
			in.literalBody(sig, lit.Body)
			in.indent--
		})
	})
	in.line("const auto %s = [&](%s) -> %s {", name, strings.Join(params, ", "), in.resultsType(sig.Results(), ""))
	in.b.WriteString(body)
	in.line("};")
}

// literalBody writes the statements of a function literal.
func (in *instance) literalBody(sig *types.Signature, body *ast.BlockStmt) {
	outerSig, outerLiteral, outerLoops, outerFacts, outerExit := in.sig, in.literal, in.loops, in.facts, in.exit
	in.sig, in.literal, in.loops, in.facts, in.exit = sig, true, nil, newFacts(), nil
	in.results(sig)
	in.block(body)
	in.sig, in.literal, in.loops, in.facts, in.exit = outerSig, outerLiteral, outerLoops, outerFacts, outerExit
}

// returned returns the function that a function returns, or nil.
func (in *instance) returned(sig *types.Signature) *types.Signature {
	if sig.Results().Len() != 1 {
		return nil
	}
	inner, _ := in.concrete(sig.Results().At(0).Type()).Underlying().(*types.Signature)
	return inner
}

// givenParams declares the parameters of the function that a function returns.
func (in *instance) givenParams(inner *types.Signature) (list []string) {
	in.closureParams(in.decl.Type, inner)
	for i, t := range in.paramTypes(inner) {
		name := inner.Params().At(i).Name()
		_, function := t.Underlying().(*types.Signature)
		switch {
		case name != "":
		case function:
			name = "yield"
		default:
			name = "a"
		}
		name = in.temp(safe(name))
		in.given = append(in.given, name)
		switch {
		case function:
			list = append(list, in.functionParam(name))
		default:
			list = append(list, in.lambdaParam(in.decl.Type, t, name))
		}
	}
	return list
}

// returnFunction writes the return of a function: what it does with the parameters that are given.
func (in *instance) returnFunction(x ast.Expr) {
	if in.literal || in.innermost() != nil {
		in.refuse(x, "a function that a function literal or the body of a range over a function returns; declare a "+
			"function that returns it")
	}
	sig := in.returned(in.sig)
	lit, ok := in.unconverted(x).(*ast.FuncLit)
	if !ok {
		text := in.apply(x, in.given)
		if sig.Results().Len() == 0 {
			in.line("%s;", text)
			in.line("return;")
		} else {
			in.line("return %s;", text)
		}
		return
	}
	sig = in.under(lit).(*types.Signature)
	for i, t := range in.paramTypes(sig) {
		_, function := t.Underlying().(*types.Signature)
		in.vars[sig.Params().At(i)] = &variable{name: in.given[i], closure: function}
	}
	if len(in.decl.Body.List) == 1 {
		in.literalBody(sig, lit.Body)
		return
	}
	in.line("{")
	in.indent++
	in.scoped(func() { in.literalBody(sig, lit.Body) })
	if n := len(lit.Body.List); sig.Results().Len() == 0 && (n == 0 || !terminates(lit.Body.List[n-1])) {
		in.line("return;")
	}
	in.indent--
	in.line("}")
}

// apply returns a call of a function, which is evaluated only for it.
func (in *instance) apply(x ast.Expr, args []string) string {
	if call, ok := in.unconverted(x).(*ast.CallExpr); ok {
		if f := in.function(call.Fun); f != nil {
			c, first := in.prepare(call, f)
			return c.invoke(append(texts(first), args...)).s
		}
	}
	sel := in.selection(x)
	if f := in.function(x); f != nil && in.t.funcs[f.Origin()] != nil && sel == nil {
		return in.callee(x, f, in.typeArgs(x), nil, make([]space, len(args))).invoke(args).s
	}
	if sel != nil && sel.Kind() == types.MethodVal && in.ownMethod(sel) {
		own, index, f := in.method(x, sel.Obj().(*types.Func))
		v, t, s := in.receiver(own, index, f)
		spaces := append([]space{s}, make([]space, len(args))...)
		return in.callee(x, f, nil, t, spaces).invoke(append([]string{v.s}, args...)).s
	}
	in.effects = true
	return in.callable(x) + "(" + strings.Join(args, ", ") + ")"
}

// stateless refuses a function whose result is called later, perhaps several times, unless it does
// nothing itself: it returns a literal that assigns none of the variables around it, or what
// another such function returns.
func (in *instance) stateless(x ast.Expr, f *types.Func, seen map[*types.Func]bool) {
	src := in.t.funcs[f.Origin()]
	if src == nil || seen[f] {
		return // refused as a call
	}
	seen[f] = true
	(&instance{t: in.t, source: *src}).errors(src.decl)
	refuse := func() {
		in.refuse(x, "%s does more than to return a function that assigns none of its variables, and is called here for "+
			"a value; range over its result, or write a function literal", f.Name())
	}
	list := src.decl.Body.List
	if len(list) != 1 {
		refuse()
	}
	s, ok := list[0].(*ast.ReturnStmt)
	if !ok || len(s.Results) != 1 {
		refuse()
	}
	var known func(x ast.Expr)
	known = func(x ast.Expr) {
		switch x := ast.Unparen(x).(type) {
		case *ast.FuncLit:
			own := &instance{t: in.t, source: *src, types: in.types}
			ast.Inspect(x.Body, func(n ast.Node) bool {
				list := targets(n)
				if y := src.pkg.addressed(n); y != nil {
					list = append(list, y)
				}
				for _, y := range list {
					if id := own.root(y); id != nil && !within(own.object(id), x) {
						refuse()
					}
				}
				return true
			})
		case *ast.CallExpr:
			if !src.pkg.info.Types[x.Fun].IsType() {
				g, _ := src.pkg.info.Uses[idOf(x.Fun)].(*types.Func)
				if g == nil {
					refuse()
				}
				if _, ok := src.pkg.info.TypeOf(x).Underlying().(*types.Signature); !ok {
					refuse()
				}
				if sel, ok := ast.Unparen(x.Fun).(*ast.SelectorExpr); ok {
					known(sel.X)
				}
				in.stateless(x, g, seen)
			}
			for _, a := range x.Args {
				known(a)
			}
		case *ast.Ident, *ast.BasicLit:
		case *ast.SelectorExpr:
			if _, ok := src.pkg.info.TypeOf(x).Underlying().(*types.Signature); !ok {
				refuse()
			}
			known(x.X)
		default:
			refuse()
		}
	}
	known(s.Results[0])
}

// idOf returns the name of the function that an expression is; a new one if it has none.
func idOf(fun ast.Expr) *ast.Ident {
	if id := nameOf(fun); id != nil {
		return id
	}
	return &ast.Ident{}
}

// within reports whether a variable is declared within a node.
func within(v types.Object, n ast.Node) bool {
	return v != nil && n.Pos() <= v.Pos() && v.Pos() < n.End()
}

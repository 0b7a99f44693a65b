package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// capture returns the text that f writes.
func (in *instance) capture(f func()) string {
	outer := in.writer
	in.writer = writer{indent: outer.indent, lines: outer.lines, pos: outer.pos}
	f()
	text := in.b.String()
	in.writer = outer
	return text
}

func (in *instance) block(b *ast.BlockStmt) {
	in.scoped(func() {
		in.statements(b.List)
		in.commentsBefore(b.Rbrace)
	})
}

func (in *instance) statements(list []ast.Stmt) {
	for _, s := range list {
		in.commentsBefore(s.Pos())
		in.pos = in.t.fset.Position(s.Pos())
		in.statement(s, nil)
		in.commentAfter(s.End())
	}
}

// body writes the statements in braces, one deeper.
func (in *instance) body(b *ast.BlockStmt) {
	in.indent++
	in.block(b)
	in.indent--
}

// statement writes a statement. A label is that of a loop or switch.
func (in *instance) statement(s ast.Stmt, label types.Object) {
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.BlockStmt:
		in.line("{")
		in.body(s)
		in.line("}")
	case *ast.ExprStmt:
		in.callStatement(s)
	case *ast.AssignStmt:
		in.assign(s)
	case *ast.IncDecStmt:
		op := token.ADD
		if s.Tok == token.DEC {
			op = token.SUB
		}
		one := &ast.BasicLit{ValuePos: s.TokPos, Kind: token.INT, Value: "1"}
		in.pkg.info.Types[one] = types.TypeAndValue{Type: in.typeOf(s.X), Value: constant.MakeInt64(1)}
		in.opAssign(s, s.X, op, one)
	case *ast.DeclStmt:
		in.declStatement(s.Decl.(*ast.GenDecl))
	case *ast.IfStmt:
		in.ifStatement(s)
	case *ast.ForStmt:
		in.scoped(func() { in.forStatement(s, label) })
	case *ast.RangeStmt:
		in.scoped(func() { in.rangeStatement(s, label) })
	case *ast.SwitchStmt:
		in.scoped(func() { in.switchStatement(s, label) })
	case *ast.LabeledStmt:
		in.statement(s.Stmt, in.pkg.info.Defs[s.Label])
	case *ast.BranchStmt:
		in.branch(s)
	case *ast.ReturnStmt:
		in.returnStatement(s)
	case *ast.GoStmt:
		in.refuse(s, "a go statement: a kernel is one thread of many; launch more threads")
	case *ast.DeferStmt:
		in.refuse(s, "a defer statement; call the function where the kernel returns")
	case *ast.SelectStmt, *ast.SendStmt:
		in.refuse(s, "a channel; use Shared memory and Barrier")
	case *ast.TypeSwitchStmt:
		in.refuse(s, "an interface; use type parameters")
	default:
		in.refuse(s, "a statement that kernels do not have")
	}
}

// callStatement writes a call whose results are not used.
func (in *instance) callStatement(s *ast.ExprStmt) {
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok {
		in.refuse(s, "an expression without a call")
	}
	if text := in.call(call); text.s != "" {
		in.line("%s;", text.s)
	}
}

func (in *instance) declStatement(d *ast.GenDecl) {
	if d.Tok != token.VAR { // constants are written where they are used, and types by who uses them
		return
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		if len(spec.Values) > 0 {
			var lhs []ast.Expr
			for _, n := range spec.Names {
				lhs = append(lhs, n)
			}
			in.define(spec, lhs, spec.Values)
			continue
		}
		for _, n := range spec.Names {
			obj := in.pkg.info.Defs[n]
			if obj == nil {
				continue
			}
			t := in.concrete(obj.Type())
			if isKernel(t, "Sampler") {
				in.declareSampler(n, nil)
				continue
			}
			zero := in.zero(n, t)
			if s, ok := t.Underlying().(*types.Slice); ok {
				in.refuse(n, "the variable %s is a nil %s; give it a value", n.Name, in.named(s))
			}
			if _, ok := t.Underlying().(*types.Pointer); ok {
				in.refuse(n, "the variable %s is a nil pointer; give it a value", n.Name)
			}
			in.line("%s = %s;", in.declared(n, obj, "", &interval{}), zero)
			in.isZero(obj, t)
		}
	}
}

// isZero notes that a variable is 0.
func (in *instance) isZero(obj types.Object, t types.Type) {
	if b, ok := t.Underlying().(*types.Basic); ok && b.Info()&types.IsInteger != 0 {
		in.facts.ranges[obj] = interval{}
	}
}

// define declares variables with values.
func (in *instance) define(n ast.Node, lhs, rhs []ast.Expr) {
	if slices.ContainsFunc(rhs, in.isFunction) {
		in.defineFunction(lhs, rhs)
		return
	}
	if len(lhs) != len(rhs) { // the results of a call
		call, ok := ast.Unparen(rhs[0]).(*ast.CallExpr)
		if !ok {
			in.refuse(n, "a value and whether there is one: kernels have no maps, channels and interfaces")
		}
		text := in.call(call)
		tuple := in.temp("results")
		in.line("const %s %s = %s;", in.typ(call, in.typeOf(call), ""), tuple, text.s)
		for i, x := range lhs {
			in.store(x, fmt.Sprintf("%s.r%d", tuple, i), nil)
		}
		return
	}
	if id, ok := lhs[0].(*ast.Ident); ok && len(lhs) == 1 && isKernel(in.typeOf(rhs[0]), "Sampler") &&
		in.pkg.info.Defs[id] != nil && id.Name != "_" {
		in.declareSampler(id, in.samplerLit(rhs[0]))
		return
	}
	if len(lhs) == 1 {
		text := in.guardedBy(lhs[0], rhs[0], func() string { return in.assignedValue(lhs[0], rhs[0]) })
		in.store(lhs[0], text, rhs[0])
		return
	}
	// All values are there before the first variable changes.
	texts := make([]string, len(lhs))
	for i, x := range rhs {
		v := in.value(x, in.targetType(lhs[i], x))
		texts[i] = v.s
		if in.pkg.info.Types[x].Value == nil && !in.declares(lhs, i) {
			t := in.targetType(lhs[i], x)
			tmp := in.temp("value")
			in.line("%s = %s;", in.declaration(x, t, in.spaceOf(x), tmp), v.s)
			texts[i] = tmp
		}
	}
	before := map[ast.Expr]*interval{}
	for _, x := range rhs {
		before[ast.Unparen(x)] = nil
		if r, ok := in.rangeOf(x); ok {
			before[ast.Unparen(x)] = &r
		}
	}
	in.together = before
	for i, x := range lhs {
		in.store(x, texts[i], rhs[i])
	}
	in.together = nil
}

// declares reports whether the left sides from i on are new variables: their values cannot change
// what later values read.
func (in *instance) declares(lhs []ast.Expr, i int) bool {
	for _, x := range lhs {
		id, ok := x.(*ast.Ident)
		if !ok || id.Name != "_" && in.pkg.info.Defs[id] == nil {
			return false
		}
	}
	return true
}

// targetType returns the type that a value has once it is assigned.
func (in *instance) targetType(lhs, rhs ast.Expr) types.Type {
	if id, ok := lhs.(*ast.Ident); ok && id.Name == "_" {
		return types.Default(in.typeOf(rhs))
	}
	return in.typeOf(lhs)
}

// store assigns a text to a variable, which it may declare. From is the expression, if known.
func (in *instance) store(x ast.Expr, text string, from ast.Expr) {
	id, ok := x.(*ast.Ident)
	if ok && id.Name == "_" {
		in.line("(void)(%s);", text)
		return
	}
	if ok {
		if obj := in.pkg.info.Defs[id]; obj != nil {
			var s space
			var values *interval
			if from != nil {
				s = in.spaceOf(from)
				if r, known := in.rangeOf(from); known {
					values = &r
				}
			}
			in.line("%s = %s;", in.declared(x, obj, s, values), text)
			if values != nil && !in.volatile[obj] {
				in.facts.ranges[obj] = *values
			}
			if from != nil && in.together == nil { // it equals the expression
				in.noteLess(id, from, 0)
				in.noteLess(from, id, 0)
			}
			return
		}
	}
	in.write(x, "=", text, from)
}

// write writes an assignment to something that exists.
func (in *instance) write(x ast.Expr, op, text string, from ast.Expr) {
	if from != nil {
		if s := in.spaceOf(x); s != "" && in.spaceOf(from) != s {
			in.refuse(x, "%s points to memory of the %s, and the value to that of the %s; use another variable",
				in.code(x), s, in.spaceOf(from))
		}
	}
	in.notThread(x)
	v := in.place(x)
	var r interval
	known := false
	id := in.root(x)
	if from != nil && id != nil {
		r, known = in.rangeOf(from)
	}
	if _, plain := ast.Unparen(x).(*ast.Ident); plain {
		in.keepNarrow(in.object(id), r, known)
	}
	if id != nil {
		in.facts.kill(in.object(id))
		if _, plain := ast.Unparen(x).(*ast.Ident); plain && known && !in.volatile[in.object(id)] {
			in.facts.ranges[in.object(id)] = r
		}
	}
	change := fmt.Sprintf("%s %s %s", v.s, op, text)
	if text == "1" && (op == "+=" || op == "-=") {
		change = v.in(primary) + strings.Repeat(op[:1], 2)
	}
	if len(v.checks) > 0 {
		in.line("if (%s) { %s; }", strings.Join(v.checks, " && "), change)
		return
	}
	in.line("%s;", change)
}

// assign writes an assignment.
func (in *instance) assign(s *ast.AssignStmt) {
	switch s.Tok {
	case token.DEFINE:
		if in.sharesAll(s) {
			return
		}
		in.define(s, s.Lhs, s.Rhs)
	case token.ASSIGN:
		if len(s.Lhs) == 1 {
			in.define(s, s.Lhs, s.Rhs)
			return
		}
		// The operands of indices and pointers on the left are evaluated first.
		in.fixed(s.Lhs)
		in.define(s, s.Lhs, s.Rhs)
		in.unfix()
	default:
		op := map[token.Token]token.Token{token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB,
			token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO, token.REM_ASSIGN: token.REM,
			token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR,
			token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT}[s.Tok]
		in.opAssign(s, s.Lhs[0], op, s.Rhs[0])
	}
}

// fixed evaluates the indices of places that are assigned together, so that the assignment of one
// does not move another.
func (in *instance) fixed(list []ast.Expr) {
	if in.indices == nil {
		in.indices = map[ast.Expr]string{}
	}
	for _, x := range list {
		ast.Inspect(x, func(n ast.Node) bool {
			if _, lit := n.(*ast.FuncLit); lit { // its indices are of its own variables
				return false
			}
			i, ok := n.(*ast.IndexExpr)
			if !ok || in.pkg.info.Types[i.Index].Value != nil || in.pkg.info.Types[i.Index].IsType() {
				return true
			}
			v := in.variableOf(i.Index)
			assigned := false
			for _, y := range list {
				assigned = assigned || v != nil && in.variableOf(y) == v
			}
			if v == nil || assigned {
				name := in.temp("index")
				in.line("const %s %s = %s;", in.typ(i.Index, in.typeOf(i.Index), ""), name, in.expr(i.Index).s)
				in.indices[i.Index] = name
			}
			return true
		})
	}
}

func (in *instance) unfix() { in.indices = nil }

// opAssign writes x = x op y, with x evaluated once.
func (in *instance) opAssign(s ast.Stmt, x ast.Expr, op token.Token, y ast.Expr) {
	t := in.typeOf(x)
	in.noBits(x, t)
	if in.calls(y) > 0 { // before x is read, as the Go compiler does it
		of := t
		if op == token.SHL || op == token.SHR {
			of = types.Default(in.typeOf(y))
		}
		v := in.value(y, of)
		name := in.temp("value")
		in.line("const %s = %s;", in.declaration(y, of, "", name), v.s)
		if in.indices == nil {
			in.indices = map[ast.Expr]string{}
			defer in.unfix()
		}
		in.indices[y] = name
	}
	binary := &ast.BinaryExpr{X: x, OpPos: s.Pos(), Op: op, Y: y}
	in.pkg.info.Types[binary] = types.TypeAndValue{Type: t}
	if pure(x) {
		// As an operation of the place itself where Metal's has Go's meaning.
		if sign, ok := in.plainOp(t, op, x, y); ok {
			text := ""
			if in.width(x) != "" && in.width(y) != "" {
				text = in.narrow(y).s
			} else {
				text = in.operand(y, t).s
			}
			in.write(x, sign+"=", text, binary)
			return
		}
	} else {
		in.fixed([]ast.Expr{x})
		defer in.unfix()
	}
	text := in.guardedBy(x, y, func() string { return in.binary(binary, t).s })
	in.write(x, "=", text, binary)
}

// guardedBy returns what f does: a value that is assigned to an element under the condition that
// its index is valid. That is known in the value, unless that needs statements before it.
func (in *instance) guardedBy(x, value ast.Expr, f func() string) (text string) {
	e, ok := ast.Unparen(x).(*ast.IndexExpr)
	if !ok || in.calls(value) > 0 || !pure(value) {
		return f()
	}
	_, isSlice := in.under(e.X).(*types.Slice)
	slice := in.variableOf(e.X)
	i, known := in.polynomialOf(e.Index)
	if !isSlice || slice == nil || !known || in.inRange(e.X, e.Index) {
		return f()
	}
	before := in.facts.clone()
	if s, ok := i.scaled(-1); ok {
		in.note(s)
	}
	if s, ok := i.beyond(slice); ok {
		in.note(s)
	}
	statements := in.capture(func() { text = f() })
	in.facts = before
	if statements != "" {
		return f()
	}
	return text
}

// ifStatement writes an if, with its else.
func (in *instance) ifStatement(s *ast.IfStmt) {
	in.scoped(func() {
		block := s.Init != nil
		if block {
			in.line("{")
			in.indent++
			in.statement(s.Init, nil)
		}
		in.ifElse(s)
		if block {
			in.indent--
			in.line("}")
		}
	})
}

func (in *instance) ifElse(s *ast.IfStmt) {
	cond := in.expr(s.Cond)
	in.line("if (%s) {", cond.s)
	before := in.facts.clone()
	in.learn(s.Cond, true)
	in.body(s.Body)
	in.facts = before.clone()
	in.learn(s.Cond, false)
	switch e := s.Else.(type) {
	case nil:
		in.line("}")
	case *ast.BlockStmt:
		in.line("} else {")
		in.body(e)
		in.line("}")
	case *ast.IfStmt:
		in.line("} else {")
		in.indent++
		in.ifStatement(e)
		in.indent--
		in.line("}")
	}
	switch {
	case !terminates(s.Body):
		in.facts = before
		in.assignedIn(s.Body)
		if s.Else != nil {
			in.assignedIn(s.Else)
			if terminates(s.Else) { // so the condition was true, unless the body changed that
				in.learnIfUnchanged(s.Cond, true, s.Body)
			}
		}
	case s.Else != nil && terminates(s.Else):
		in.facts = before
	}
}

// learnIfUnchanged adds what a condition said before a statement that did not change its variables.
func (in *instance) learnIfUnchanged(cond ast.Expr, holds bool, n ast.Node) {
	changed := map[types.Object]bool{}
	in.changed(n, func(o types.Object) bool {
		changed[o] = true
		return true
	})
	ok := true
	ast.Inspect(cond, func(n ast.Node) bool {
		if id, isID := n.(*ast.Ident); isID && changed[in.object(id)] {
			ok = false
		}
		return true
	})
	if ok {
		in.learn(cond, holds)
	}
}

// terminates reports whether what follows a statement is not reached from it.
func terminates(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.BranchStmt:
		return true
	case *ast.BlockStmt:
		return len(s.List) > 0 && terminates(s.List[len(s.List)-1])
	case *ast.IfStmt:
		return s.Else != nil && terminates(s.Body) && terminates(s.Else)
	}
	return false
}

func isPointer(t types.Type) bool { _, ok := t.(*types.Pointer); return ok }

// returnStatement writes a return.
func (in *instance) returnStatement(s *ast.ReturnStmt) {
	sig := in.sig
	n := sig.Results().Len()
	switch {
	case n == 0:
		in.returns("")
	case in.returned(sig) != nil:
		in.returnFunction(s.Results[0])
	case len(s.Results) == 0: // results with names
		var names []string
		for i := range n {
			names = append(names, in.vars[sig.Results().At(i)].name)
		}
		in.returnValues(s, sig, names)
	case n == 1:
		x := s.Results[0]
		t := in.concrete(sig.Results().At(0).Type())
		if sp := in.spaceOf(x); sp != "" {
			if sp == thread {
				in.refuse(x, "a pointer or slice to a variable of the function, which ends; return the value")
			}
			if in.result != "" && in.result != sp {
				in.refuse(x, "the function returns memory of the %s here and of the %s elsewhere", sp, in.result)
			}
			if in.literal {
				in.refuse(x, "a function literal that returns a pointer or a slice; use the variable itself")
			}
			in.result = sp
		}
		in.returns(in.value(x, t).s)
	case len(s.Results) == 1: // the results of a call
		in.returns(in.call(ast.Unparen(s.Results[0]).(*ast.CallExpr)).s)
	default:
		var texts []string
		for i, x := range s.Results {
			texts = append(texts, in.braced(x, in.concrete(sig.Results().At(i).Type())))
		}
		in.returnValues(s, sig, texts)
	}
}

func (in *instance) returnValues(n ast.Node, sig *types.Signature, texts []string) {
	if len(texts) == 1 {
		in.returns(texts[0])
		return
	}
	in.returns(in.typ(n, in.concreteTuple(sig.Results()), "") + "{" + strings.Join(texts, ", ") + "}")
}

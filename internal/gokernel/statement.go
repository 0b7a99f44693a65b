package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// loop is a loop or a switch around a statement.
type loop struct {
	label            types.Object
	isSwitch         bool
	plain            bool   // a switch that is written as if and else, which break does not leave
	left, continued  string // variables that say that an outer loop is left or continued, or ""
	leaves, restarts bool   // statements within it leave or restart a loop around it
}

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
	if text := in.call(call, true); text.s != "" {
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
			zero := in.zero(n, t)
			if s, ok := t.Underlying().(*types.Slice); ok {
				in.refuse(n, "the variable %s is a nil %s; give it a value", n.Name, in.named(s))
			}
			if _, ok := t.Underlying().(*types.Pointer); ok {
				in.refuse(n, "the variable %s is a nil pointer; give it a value", n.Name)
			}
			v := in.declare(obj, "")
			in.line("%s = %s;", in.declaration(n, t, "", v.name), zero)
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
	if len(lhs) != len(rhs) { // the results of a call
		call, ok := ast.Unparen(rhs[0]).(*ast.CallExpr)
		if !ok {
			in.refuse(n, "a value and whether there is one: kernels have no maps, channels and interfaces")
		}
		text := in.call(call, false)
		tuple := in.temp("results")
		in.line("const %s %s = %s;", in.typ(call, in.typeOf(call), ""), tuple, text.s)
		for i, x := range lhs {
			in.store(x, fmt.Sprintf("%s.r%d", tuple, i), nil)
		}
		return
	}
	if len(lhs) == 1 {
		in.store(lhs[0], in.value(rhs[0], in.targetType(lhs[0], rhs[0])).s, rhs[0])
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
	for i, x := range lhs {
		in.store(x, texts[i], rhs[i])
	}
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
			t := in.concrete(obj.Type())
			var s space
			if from != nil {
				s = in.spaceOf(from)
			}
			r, known := interval{}, false
			if from != nil {
				r, known = in.rangeOf(from)
			}
			v := in.declare(obj, s)
			in.line("%s = %s;", in.declaration(x, t, s, v.name), text)
			if known && !in.volatile[obj] {
				in.facts.ranges[obj] = r
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
				in.source_(x), s, in.spaceOf(from))
		}
	}
	v := in.place(x)
	var r interval
	known := false
	id := in.root(x)
	if from != nil && id != nil && op == "=" {
		r, known = in.rangeOf(from)
	}
	if id != nil {
		in.facts.kill(in.object(id))
		if _, plain := ast.Unparen(x).(*ast.Ident); plain && known && !in.volatile[in.object(id)] {
			in.facts.ranges[in.object(id)] = r
		}
	}
	if len(v.checks) > 0 {
		in.line("if (%s) { %s %s %s; }", strings.Join(v.checks, " && "), v.s, op, text)
		return
	}
	in.line("%s %s %s;", v.s, op, text)
}

// assign writes an assignment.
func (in *instance) assign(s *ast.AssignStmt) {
	switch s.Tok {
	case token.DEFINE:
		for i, x := range s.Lhs {
			if lit, ok := ast.Unparen(s.Rhs[min(i, len(s.Rhs)-1)]).(*ast.FuncLit); ok {
				if len(s.Lhs) > 1 {
					in.refuse(x, "a function among several values; give it a statement of its own")
				}
				in.closure(x.(*ast.Ident), lit)
				return
			}
		}
		if len(s.Lhs) == 1 && in.shares(s.Lhs[0].(*ast.Ident), s.Rhs[0]) {
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
	if pure(x) {
		// As an operation of the place itself where Metal's has Go's meaning.
		if sign, ok := in.plainOp(t, op, x, y); ok {
			in.write(x, sign+"=", in.operand(y, t).s, nil)
			return
		}
	} else {
		in.fixed([]ast.Expr{x})
		defer in.unfix()
	}
	binary := &ast.BinaryExpr{X: x, OpPos: s.Pos(), Op: op, Y: y}
	in.pkg.info.Types[binary] = types.TypeAndValue{Type: t}
	in.write(x, "=", in.binary(binary, t).s, binary)
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
	ast.Inspect(n, func(n ast.Node) bool {
		var list []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			list = n.Lhs
		case *ast.IncDecStmt:
			list = []ast.Expr{n.X}
		case *ast.RangeStmt:
			list = []ast.Expr{n.Key, n.Value}
		}
		for _, x := range list {
			if x != nil {
				if id := in.root(x); id != nil {
					changed[in.object(id)] = true
				}
			}
		}
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

// loopBody writes the body of a loop in braces that are there, and what leaves or restarts loops
// around it.
func (in *instance) loopBody(l *loop, b *ast.BlockStmt, first func()) string {
	in.loops = append(in.loops, l)
	text := in.capture(func() {
		in.indent++
		if first != nil {
			first()
		}
		in.block(b)
		in.indent--
	})
	in.loops = in.loops[:len(in.loops)-1]
	if l.continued != "" {
		text = strings.Repeat("  ", in.indent+1) + l.continued + " = false;\n" + text
	}
	return text
}

// flags declares the variables by which statements within nested loops leave or continue a loop.
func (in *instance) flags(l *loop) {
	for _, name := range []string{l.left, l.continued} {
		if name != "" {
			in.line("bool %s = false;", name)
		}
	}
}

// afterLoop goes on to leave or continue loops further out.
func (in *instance) afterLoop(l *loop) {
	for i := len(in.loops) - 1; i >= 0; i-- {
		o := in.loops[i]
		if o.left != "" && l.leaves {
			in.line("if (%s) { break; }", o.left)
			in.passOn(o)
		}
		if o.continued != "" && l.restarts {
			if i == len(in.loops)-1 {
				in.line("if (%s) { continue; }", o.continued)
			} else {
				in.line("if (%s) { break; }", o.continued)
			}
			in.passOn(o)
		}
	}
}

// passOn notes that the loops within o, too, are left.
func (in *instance) passOn(o *loop) {
	for i := len(in.loops) - 1; i >= 0 && in.loops[i] != o; i-- {
		in.loops[i].leaves = in.loops[i].leaves || o.left != ""
		in.loops[i].restarts = in.loops[i].restarts || o.continued != ""
	}
}

func (in *instance) branch(s *ast.BranchStmt) {
	switch s.Tok {
	case token.GOTO:
		in.refuse(s, "goto; use a loop with a label")
	case token.FALLTHROUGH:
		return // the end of the clause leaves out its break
	}
	var target *loop
	at := len(in.loops) - 1
	for ; at >= 0; at-- {
		l := in.loops[at]
		if s.Label != nil && l.label == in.pkg.info.Uses[s.Label] && l.label != nil ||
			s.Label == nil && (s.Tok == token.BREAK || !l.isSwitch) {
			target = l
			break
		}
	}
	if target == nil {
		in.refuse(s, "%s leaves a function literal or a block; use a loop with a label", s.Tok)
	}
	inner := in.loops[at+1:]
	word := "break"
	if s.Tok == token.CONTINUE {
		word = "continue"
		// A switch in between does not matter to continue.
		n := 0
		for _, l := range inner {
			if !l.isSwitch {
				n++
			}
		}
		if n == 0 {
			in.line("continue;")
			return
		}
	}
	if len(inner) == 0 {
		in.line("%s;", word)
		return
	}
	if word == "break" {
		if target.left == "" {
			target.left = in.temp("left")
		}
		in.line("%s = true;", target.left)
	} else {
		if target.continued == "" {
			target.continued = in.temp("continued")
		}
		in.line("%s = true;", target.continued)
	}
	for _, l := range inner {
		l.leaves = l.leaves || word == "break"
		l.restarts = l.restarts || word == "continue"
	}
	in.line("break;")
}

// forStatement writes a for loop.
func (in *instance) forStatement(s *ast.ForStmt, label types.Object) {
	l := &loop{label: label}
	if s.Init == nil && s.Post == nil {
		in.assignedIn(s.Body)
		in.whileLoop(s, l)
		return
	}
	init, simple := in.initText(s)
	if !simple { // statements of their own, in a block around
		in.line("{")
		in.indent++
		if s.Init != nil {
			in.statement(s.Init, nil)
		}
		in.generalLoop(s, l)
		in.indent--
		in.line("}")
		return
	}
	start := in.startRange(s)
	in.assignedIn(s.Body, s.Post)
	in.counter(s, start)
	var cond, post string
	before := in.facts.clone()
	condText := in.capture(func() {
		if s.Cond != nil {
			cond = in.expr(s.Cond).s
		}
	})
	postText := in.capture(func() { in.statement(s.Post, nil) })
	in.facts = before
	post, onlyOne := oneStatement(postText)
	if condText != "" || !onlyOne || in.perIteration(s) {
		in.line("{")
		in.indent++
		in.line("%s;", init)
		in.generalLoop(s, l)
		in.indent--
		in.line("}")
		return
	}
	after := in.facts.clone()
	if s.Cond != nil {
		in.learn(s.Cond, true)
	}
	body := in.loopBody(l, s.Body, nil)
	in.facts = after
	in.flags(l)
	in.line("for (%s; %s; %s) {", init, cond, post)
	in.b.WriteString(body)
	in.line("}")
	if s.Cond != nil && l.left == "" && !breaks(s.Body) {
		in.learn(s.Cond, false)
	}
	in.afterLoop(l)
}

// breaks reports whether a break may leave a loop.
func breaks(b *ast.BlockStmt) (found bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok && s.Tok == token.BREAK {
			found = true
		}
		return !found
	})
	return found
}

// oneStatement returns the only statement of a text without its semicolon.
func oneStatement(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "#") || strings.Count(text, "\n") > 0 || strings.HasPrefix(text, "if ") {
		return "", false
	}
	return strings.TrimSuffix(text, ";"), true
}

// initText returns the declaration of the variables of a loop, if it is one declaration.
func (in *instance) initText(s *ast.ForStmt) (string, bool) {
	a, ok := s.Init.(*ast.AssignStmt)
	if s.Init == nil || s.Post == nil {
		return "", false
	}
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || a.Tok == token.DEFINE && in.pkg.info.Defs[a.Lhs[0].(*ast.Ident)] == nil {
		return "", false
	}
	if _, lit := ast.Unparen(a.Rhs[0]).(*ast.FuncLit); lit {
		return "", false
	}
	lines := in.lines
	in.lines = false
	text := in.capture(func() { in.statement(a, nil) })
	in.lines = lines
	one, simple := oneStatement(text)
	if !simple {
		in.refuse(s.Init, "the first part of a for statement is too long; put it before the loop")
	}
	return one, true
}

// startRange returns the values with which the variable of a loop begins.
func (in *instance) startRange(s *ast.ForStmt) *interval {
	if a, ok := s.Init.(*ast.AssignStmt); ok && len(a.Rhs) == 1 {
		if r, ok := in.rangeOf(a.Rhs[0]); ok {
			return &r
		}
	}
	return nil
}

// counter notes the values of the variable of a loop that counts up or down by constants and that
// the body does not assign.
func (in *instance) counter(s *ast.ForStmt, start *interval) {
	a, ok := s.Init.(*ast.AssignStmt)
	if !ok || start == nil || s.Cond == nil {
		return
	}
	v := in.variableOf(a.Lhs[0])
	if v == nil || assigns(in, s.Body, v) {
		return
	}
	whole, ok := in.variableRange(v)
	if !ok {
		return
	}
	up, down := false, false
	switch p := s.Post.(type) {
	case *ast.IncDecStmt:
		if in.variableOf(p.X) == v {
			up, down = p.Tok == token.INC, p.Tok == token.DEC
		}
	case *ast.AssignStmt:
		if len(p.Lhs) == 1 && in.variableOf(p.Lhs[0]) == v {
			r, known := in.rangeOf(p.Rhs[0])
			switch p.Tok {
			case token.ADD_ASSIGN, token.MUL_ASSIGN, token.SHL_ASSIGN:
				up = known && r.lo >= 0 && (p.Tok == token.ADD_ASSIGN || start.lo >= 0)
			case token.SUB_ASSIGN:
				down = known && r.lo >= 0
			case token.QUO_ASSIGN, token.SHR_ASSIGN:
				down = start.lo >= 0
			}
		}
	}
	// Counting up stays below the bound of the condition if one step more does not wrap: the bound
	// is at least a step from the end of the type.
	bound, isBound := s.Cond.(*ast.BinaryExpr)
	if !isBound {
		return
	}
	r, known := in.rangeOf(bound.Y)
	switch {
	case up && known && in.variableOf(bound.X) == v && (bound.Op == token.LSS || bound.Op == token.LEQ || bound.Op == token.NEQ) &&
		in.stepFits(s.Post, r.hi, whole):
		if bound.Op == token.NEQ {
			return
		}
		hi := r.hi
		if step, ok := in.step(s.Post); ok && bound.Op == token.LSS {
			hi = r.hi - 1 + step
		} else if ok {
			hi = r.hi + step
		} else {
			hi = whole.hi
		}
		in.facts.ranges[v] = interval{start.lo, max(hi, start.hi)}
	case down && start.lo >= 0 && whole.lo == 0 && isShrink(s.Post):
		in.facts.ranges[v] = interval{0, start.hi}
	case down && known && in.variableOf(bound.X) == v && (bound.Op == token.GTR || bound.Op == token.GEQ) && whole.lo < 0:
		lo := r.lo
		if step, ok := in.step(s.Post); ok {
			lo = r.lo - step
			if lo > r.lo {
				return
			}
		} else if isShrink(s.Post) {
			lo = min(lo, 0)
		} else {
			return
		}
		if lo < whole.lo {
			return
		}
		in.facts.ranges[v] = interval{min(lo, start.lo), start.hi}
	}
}

func isShrink(s ast.Stmt) bool {
	a, ok := s.(*ast.AssignStmt)
	return ok && (a.Tok == token.QUO_ASSIGN || a.Tok == token.SHR_ASSIGN)
}

// step returns the greatest step of a loop that adds or subtracts.
func (in *instance) step(s ast.Stmt) (int64, bool) {
	switch p := s.(type) {
	case *ast.IncDecStmt:
		return 1, true
	case *ast.AssignStmt:
		if p.Tok == token.ADD_ASSIGN || p.Tok == token.SUB_ASSIGN {
			r, ok := in.rangeOf(p.Rhs[0])
			return r.hi, ok && r.lo >= 0
		}
	}
	return 0, false
}

// stepFits reports whether a loop that counts up to a bound does not wrap.
func (in *instance) stepFits(s ast.Stmt, bound int64, whole interval) bool {
	step, ok := in.step(s)
	return ok && bound <= whole.hi-step
}

// assigns reports whether a statement assigns a variable.
func assigns(in *instance, n ast.Node, v types.Object) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		var list []ast.Expr
		switch n := n.(type) {
		case *ast.AssignStmt:
			list = n.Lhs
		case *ast.IncDecStmt:
			list = []ast.Expr{n.X}
		case *ast.RangeStmt:
			list = []ast.Expr{n.Key, n.Value}
		}
		for _, x := range list {
			if x != nil {
				if id := in.root(x); id != nil && in.object(id) == v {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// perIteration reports whether the variables of a loop must be new in each iteration: something
// refers to them.
func (in *instance) perIteration(s *ast.ForStmt) bool {
	a, ok := s.Init.(*ast.AssignStmt)
	if !ok || a.Tok != token.DEFINE {
		return false
	}
	for _, x := range a.Lhs {
		if in.volatile[in.object(x.(*ast.Ident))] {
			return true
		}
	}
	return false
}

// whileLoop writes a loop that has a condition at most.
func (in *instance) whileLoop(s *ast.ForStmt, l *loop) {
	var cond string
	condText := ""
	before := in.facts.clone()
	if s.Cond != nil {
		condText = in.capture(func() { in.indent++; cond = in.expr(s.Cond).s; in.indent-- })
	}
	in.facts = before.clone()
	if s.Cond != nil {
		in.learn(s.Cond, true)
	}
	body := in.loopBody(l, s.Body, nil)
	in.facts = before
	in.flags(l)
	switch {
	case s.Cond == nil:
		in.line("while (true) {")
	case condText == "":
		in.line("while (%s) {", cond)
	default:
		in.line("while (true) {")
		in.b.WriteString(condText)
		in.indent++
		in.line("if (!(%s)) { break; }", cond)
		in.indent--
	}
	in.b.WriteString(body)
	in.line("}")
	in.afterLoop(l)
}

// generalLoop writes a loop whose condition or last part are several statements, or whose variables
// are new in each iteration; its first part is there already.
func (in *instance) generalLoop(s *ast.ForStmt, l *loop) {
	in.assignedIn(s.Body, s.Post)
	var outer []string // the variables of the loop, whose copies the body has
	var vars []*variable
	if in.perIteration(s) {
		for _, x := range s.Init.(*ast.AssignStmt).Lhs {
			if v := in.vars[in.object(x.(*ast.Ident))]; v != nil {
				outer, vars = append(outer, v.name), append(vars, v)
			}
		}
	}
	again := in.temp("again")
	before := in.facts.clone()
	head := in.capture(func() {
		in.indent++
		if s.Post != nil {
			in.line("if (%s) {", again)
			in.indent++
			in.statement(s.Post, nil)
			in.indent--
			in.line("}")
			in.line("%s = true;", again)
		}
		in.facts = before.clone()
		if s.Cond != nil {
			cond := in.expr(s.Cond)
			in.line("if (!(%s)) { break; }", cond.s)
		}
		in.indent--
	})
	in.facts = before.clone()
	if s.Cond != nil {
		in.learn(s.Cond, true)
	}
	copies := func() {
		for i, v := range vars {
			v.name = in.fresh(outer[i])
			in.line("auto %s = %s;", v.name, outer[i])
		}
	}
	if len(vars) > 0 && hasContinue(s.Body) {
		in.refuse(s, "continue in a loop to whose variable something points; copy the variable in the body")
	}
	body := in.loopBody(l, s.Body, copies)
	for i, v := range vars { // what the body made of them is where the next iteration begins
		body += strings.Repeat("  ", in.indent+1) + outer[i] + " = " + v.name + ";\n"
		v.name = outer[i]
	}
	in.facts = before
	in.flags(l)
	if s.Post != nil {
		in.line("bool %s = false;", again)
	}
	in.line("while (true) {")
	in.b.WriteString(head)
	in.b.WriteString(body)
	in.line("}")
	in.afterLoop(l)
}

func hasContinue(b *ast.BlockStmt) (found bool) {
	ast.Inspect(b, func(n ast.Node) bool {
		if s, ok := n.(*ast.BranchStmt); ok && s.Tok == token.CONTINUE {
			found = true
		}
		return !found
	})
	return found
}

// rangeStatement writes a range loop.
func (in *instance) rangeStatement(s *ast.RangeStmt, label types.Object) {
	l := &loop{label: label}
	t := in.under(s.X)
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	key, value := s.Key, s.Value
	if id, ok := key.(*ast.Ident); ok && id.Name == "_" {
		key = nil
	}
	if id, ok := value.(*ast.Ident); ok && id.Name == "_" {
		value = nil
	}
	var limit string
	var typ types.Type = types.Typ[types.Int]
	var most int64
	var over ast.Expr // what is indexed
	switch t := t.(type) {
	case *types.Basic:
		if t.Info()&types.IsInteger == 0 {
			in.refuse(s.X, "a range over %s", in.named(in.typeOf(s.X)))
		}
		if s.Key != nil {
			typ = in.typeOf(s.Key)
		} else {
			typ = types.Default(in.typeOf(s.X))
		}
		r, ok := in.rangeOf(s.X)
		if most = r.hi; !ok {
			most = -1
		}
		limit = in.value(s.X, typ).s
		if in.pkg.info.Types[s.X].Value == nil && in.variableOf(s.X) == nil || assignsVariable(in, s) {
			name := in.temp("n")
			in.line("const %s %s = %s;", in.typ(s.X, typ, ""), name, limit)
			limit = name
		}
	case *types.Array:
		limit, most, over = fmt.Sprint(t.Len()), t.Len(), s.X
		if value != nil && !isPointer(in.under(s.X)) && (in.variableOf(s.X) == nil || assignsVariable(in, s)) {
			name := in.temp("array") // Go copies it first
			in.line("const %s = %s;", in.declaration(s.X, in.typeOf(s.X), "", name), in.expr(s.X).s)
			if in.indices == nil {
				in.indices = map[ast.Expr]string{}
			}
			in.indices[s.X] = name
			defer delete(in.indices, s.X)
		}
	case *types.Slice:
		x := in.expr(s.X)
		over = s.X
		if in.variableOf(s.X) == nil || assignsVariable(in, s) {
			name := in.temp("slice")
			in.line("const auto %s = %s;", name, x.s)
			in.sliceTexts[s.X] = name
			defer delete(in.sliceTexts, s.X)
		}
		limit, most = in.length(s.X), maxLength
	case *types.Signature:
		in.refuse(s.X, "a range over a function; use a loop")
	default:
		in.refuse(s.X, "a range over %s: kernels have integers, arrays and slices", in.named(in.typeOf(s.X)))
	}
	in.assignedIn(s.Body, s.Key, s.Value)
	define := s.Tok == token.DEFINE
	in.scoped(func() {
		index := ""
		before := in.facts.clone()
		// The loop counts in a variable of its own where the body can change Go's.
		own := key == nil || !define || in.volatile[in.object(key.(*ast.Ident))] || assigns(in, s.Body, in.object(key.(*ast.Ident)))
		first := func() {
			if key != nil && own {
				in.store(key, index, nil)
			}
			if value != nil {
				in.store(value, in.element(over, index), in.elementOf(s, value))
			}
		}
		if own {
			index = in.temp("i")
		} else {
			obj := in.object(key.(*ast.Ident))
			index = in.declare(obj, "").name
			if most >= 0 {
				in.facts.ranges[obj] = interval{0, most}
				if most > 0 {
					in.facts.ranges[obj] = interval{0, most - 1}
				}
			}
			if over != nil {
				if v := in.variableOf(over); v != nil {
					in.facts.below[[2]types.Object{obj, v}] = true
				}
			}
		}
		counter := in.typ(s.X, typ, "")
		body := in.loopBody(l, s.Body, first)
		in.facts = before
		in.flags(l)
		in.line("for (%s %s = 0; %s < %s; %s++) {", counter, index, index, limit, index)
		in.b.WriteString(body)
		in.line("}")
	})
	in.afterLoop(l)
}

// assignsVariable reports whether a range loop assigns what it ranges over.
func assignsVariable(in *instance, s *ast.RangeStmt) bool {
	id := in.root(s.X)
	return id != nil && (assigns(in, s.Body, in.object(id)) || in.volatile[in.object(id)])
}

func isPointer(t types.Type) bool { _, ok := t.(*types.Pointer); return ok }

// returnStatement writes a return.
func (in *instance) returnStatement(s *ast.ReturnStmt) {
	sig := in.sig
	n := sig.Results().Len()
	switch {
	case n == 0:
		in.line("return;")
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
		in.line("return %s;", in.value(x, t).s)
	case len(s.Results) == 1: // the results of a call
		in.line("return %s;", in.call(ast.Unparen(s.Results[0]).(*ast.CallExpr), false).s)
	default:
		var texts []string
		for i, x := range s.Results {
			texts = append(texts, in.value(x, in.concrete(sig.Results().At(i).Type())).s)
		}
		in.returnValues(s, sig, texts)
	}
}

func (in *instance) returnValues(n ast.Node, sig *types.Signature, texts []string) {
	if len(texts) == 1 {
		in.line("return %s;", texts[0])
		return
	}
	in.line("return %s{%s};", in.typ(n, in.concreteTuple(sig.Results()), ""), strings.Join(texts, ", "))
}

// switchStatement writes a switch.
func (in *instance) switchStatement(s *ast.SwitchStmt, label types.Object) {
	if s.Init != nil {
		in.line("{")
		in.indent++
		in.statement(s.Init, nil)
		defer func() { in.indent--; in.line("}") }()
	}
	l := &loop{label: label, isSwitch: true}
	if s.Tag != nil && in.constantCases(s) {
		in.constantSwitch(s, l)
		return
	}
	tag := ""
	var tagType types.Type
	if s.Tag != nil {
		tagType = types.Default(in.typeOf(s.Tag))
		tag = in.temp("tag")
		in.line("const %s = %s;", in.declaration(s.Tag, tagType, "", tag), in.value(s.Tag, tagType).s)
	}
	clauses := s.Body.List
	// Which clause runs, so that each can follow its predecessor.
	chosen := in.temp("clause")
	in.line("int %s = %d;", chosen, len(clauses))
	open := 0
	for i, c := range clauses {
		c := c.(*ast.CaseClause)
		for _, x := range c.List {
			var cond string
			if s.Tag == nil {
				cond = in.expr(x).s
			} else {
				cond = in.equal(s, token.EQL, in.value(x, tagType), val{tag, primary}, tagType).s
			}
			in.line("if (%s) {", cond)
			in.indent++
			in.line("%s = %d;", chosen, i)
			in.indent--
			in.line("} else {")
			in.indent++
			open++
		}
	}
	for i, c := range clauses {
		if c.(*ast.CaseClause).List == nil {
			in.line("%s = %d;", chosen, i)
		}
	}
	for range open {
		in.indent--
		in.line("}")
	}
	in.clauses(s, l, chosen, func(i int) string { return fmt.Sprintf("case %d:", i) })
}

// constantCases reports whether a switch is one of Metal: over integers, with different constants.
func (in *instance) constantCases(s *ast.SwitchStmt) bool {
	b, ok := in.under(s.Tag).(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 {
		return false
	}
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			if in.pkg.info.Types[x].Value == nil {
				return false
			}
		}
	}
	return true
}

func (in *instance) constantSwitch(s *ast.SwitchStmt, l *loop) {
	t := types.Default(in.typeOf(s.Tag))
	in.clauses(s, l, in.value(s.Tag, t).s, func(i int) string {
		c := s.Body.List[i].(*ast.CaseClause)
		if c.List == nil {
			return "default:"
		}
		var parts []string
		for _, x := range c.List {
			parts = append(parts, "case "+in.value(x, t).s+":")
		}
		return strings.Join(parts, " ")
	})
}

// clauses writes a switch of Metal.
func (in *instance) clauses(s *ast.SwitchStmt, l *loop, tag string, label func(i int) string) {
	before := in.facts.clone()
	in.assignedIn(s.Body) // a clause may follow another
	in.loops = append(in.loops, l)
	text := in.capture(func() {
		for i, c := range s.Body.List {
			c := c.(*ast.CaseClause)
			in.commentsBefore(c.Pos())
			in.line("%s {", label(i))
			in.indent++
			facts := in.facts.clone()
			in.scoped(func() { in.statements(c.Body) })
			in.facts = facts
			falls := len(c.Body) > 0
			if falls {
				b, ok := c.Body[len(c.Body)-1].(*ast.BranchStmt)
				falls = ok && b.Tok == token.FALLTHROUGH
			}
			if !falls && (len(c.Body) == 0 || !terminates(c.Body[len(c.Body)-1])) {
				in.line("break;")
			}
			in.indent--
			in.line("}")
		}
	})
	in.loops = in.loops[:len(in.loops)-1]
	in.facts = before
	in.assignedIn(s.Body)
	in.flags(l)
	in.line("switch (%s) {", tag)
	in.b.WriteString(text)
	in.line("}")
	in.afterLoop(l)
}

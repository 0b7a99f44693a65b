package gokernel

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// loop is a loop or a switch around a statement.
type loop struct {
	label            types.Object
	isSwitch         bool
	isFunction       bool   // a range over a function, whose body is a lambda
	stopped          string // of such a one: a variable that says that it is left, or ""
	left, continued  string // variables that say that an outer loop is left or continued, or ""
	leaves, restarts bool   // statements within it leave or restart a loop around it
	returns          bool   // the body of a range over a function may return from the function around it
	back             string // assignments of the copies of its variables that an iteration has
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
	for _, name := range []string{l.left, l.continued, l.stopped} {
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
			in.line("if (%s) { %s }", o.left, in.leave())
			in.passOn(o)
		}
		if o.continued != "" && l.restarts {
			switch {
			case i < len(in.loops)-1:
				in.line("if (%s) { %s }", o.continued, in.leave())
			case o.isFunction:
				in.line("if (%s) { return true; }", o.continued)
			default:
				in.line("if (%s) { %scontinue; }", o.continued, o.back)
			}
			in.passOn(o)
		}
	}
}

// leave returns the statement that leaves the innermost loop or switch.
func (in *instance) leave() string {
	if l := in.loops[len(in.loops)-1]; l.isFunction {
		return in.stop(l)
	}
	return "break;"
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
	body := in.innermost()
	switch {
	case body != nil && body == target:
		if s.Tok == token.CONTINUE {
			in.line("return true;")
		} else {
			in.line("%s", in.stop(body))
		}
		return
	case slices.Contains(inner, body): // what is within the body ends with it
		inner = inner[:slices.Index(inner, body)+1]
	}
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
			if target.back != "" {
				in.line("%s", strings.TrimSpace(target.back))
			}
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
	if slices.Contains(inner, body) {
		in.line("%s", in.stop(body))
		return
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
		if init != "" {
			in.b.WriteString(init)
		} else if s.Init != nil {
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
	in.learnForPost(s)
	postText := in.capture(func() { in.statement(s.Post, nil) })
	in.facts = before
	post, onlyOne := oneStatement(postText)
	if condText != "" || !onlyOne || in.perIteration(s) {
		in.line("{")
		in.indent++
		if init != "" {
			in.line("%s;", init)
		}
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

// learnForPost adds what holds before the last part of a loop: the condition of the iteration, as
// far as its body has changed none of the variables.
func (in *instance) learnForPost(s *ast.ForStmt) {
	var learn func(ast.Expr)
	learn = func(x ast.Expr) {
		if b, ok := ast.Unparen(x).(*ast.BinaryExpr); ok && b.Op == token.LAND {
			learn(b.X)
			learn(b.Y)
			return
		}
		in.learnIfUnchanged(x, true, s.Body)
	}
	if s.Cond != nil {
		learn(s.Cond)
	}
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

// initText returns the declaration of the variables of a loop, if it is one declaration. If it
// needs several statements, they are what it returns.
func (in *instance) initText(s *ast.ForStmt) (string, bool) {
	a, ok := s.Init.(*ast.AssignStmt)
	if s.Init == nil || s.Post == nil {
		return "", s.Post != nil
	}
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
		return "", false
	}
	if a.Tok == token.DEFINE && in.pkg.info.Defs[a.Lhs[0].(*ast.Ident)] == nil {
		return "", false
	}
	if in.isFunction(a.Rhs[0]) {
		return "", false
	}
	lines := in.lines
	in.lines = false
	text := in.capture(func() { in.statement(a, nil) })
	in.lines = lines
	one, simple := oneStatement(text)
	if !simple {
		return text, false
	}
	return one, true
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
			in.learnForPost(s)
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
	copies := func() { // what the body makes of them is where the next iteration begins
		for i, v := range vars {
			v.name = in.fresh(outer[i])
			in.line("auto %s = %s;", v.name, outer[i])
			l.back += outer[i] + " = " + v.name + "; "
		}
	}
	body := in.loopBody(l, s.Body, copies)
	if l.back != "" {
		body += strings.Repeat("  ", in.indent+1) + strings.TrimSpace(l.back) + "\n"
	}
	for i, v := range vars {
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
		in.noBits(s.X, in.typeOf(s.X))
		r, ok := in.rangeOf(s.X)
		if most = r.hi; !ok {
			most = -1
		}
		limit = in.value(s.X, typ).s
		if in.pkg.info.Types[s.X].Value == nil && in.variableOf(s.X) == nil || in.assignsRanged(s) {
			name := in.temp("n")
			in.line("const %s %s = %s;", in.typ(s.X, typ, ""), name, limit)
			limit = name
		}
	case *types.Array:
		limit, most, over = fmt.Sprint(t.Len()), t.Len(), s.X
		if value != nil && !isPointer(in.under(s.X)) && (in.variableOf(s.X) == nil || in.assignsRanged(s)) {
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
		if in.variableOf(s.X) == nil || in.assignsRanged(s) {
			name := in.temp("slice")
			in.line("const auto %s = %s;", name, x.s)
			in.sliceTexts[s.X] = name
			defer delete(in.sliceTexts, s.X)
		}
		limit, most = in.length(s.X), maxLength
	case *types.Signature:
		in.rangeFunction(s, l, t)
		return
	default:
		in.refuse(s.X, "a range over %s: kernels have integers, arrays and slices", in.named(in.typeOf(s.X)))
	}
	in.assignedIn(s)
	define := s.Tok == token.DEFINE
	in.scoped(func() {
		index := ""
		before := in.facts.clone()
		// The loop counts in a variable of its own where the body can change Go's.
		own := key == nil || !define
		if !own {
			v := in.object(key.(*ast.Ident))
			own = in.volatile[v] || in.assigns(s.Body, v)
		}
		first := func() {
			if key != nil && own {
				in.store(key, index, nil)
			}
			if value != nil {
				in.store(value, in.element(over, index), nil)
			}
		}
		if own {
			index = in.temp("i")
		} else {
			obj := in.object(key.(*ast.Ident))
			v := in.declare(obj, "")
			index = v.name
			if most >= 0 {
				v.narrow = in.narrowed(obj, interval{0, most})
				in.facts.ranges[obj] = interval{0, most}
				if most > 0 {
					in.facts.ranges[obj] = interval{0, most - 1}
				}
			}
			if over != nil {
				if v := in.variableOf(over); v != nil {
					if s, ok := (polynomial{times: map[monomial]int64{{{v: obj}}: 1}}).beyond(v); ok {
						in.facts.add(s)
					}
				}
			}
		}
		counter := in.typ(s.X, typ, "")
		switch {
		case !own && in.variableNamed(key).narrow != "":
			counter = in.variableNamed(key).narrow
		case own && in.isWide(typ) && fits32(interval{0, most}, "uint"):
			counter = "uint"
		}
		body := in.loopBody(l, s.Body, first)
		in.facts = before
		in.flags(l)
		in.line("for (%s %s = 0; %s < %s; %s++) {", counter, index, index, limit, index)
		in.b.WriteString(body)
		in.line("}")
	})
	in.afterLoop(l)
}

// assignsRanged reports whether a range loop assigns what it ranges over.
func (in *instance) assignsRanged(s *ast.RangeStmt) bool {
	id := in.root(s.X)
	return id != nil && (in.assigns(s.Body, in.object(id)) || in.volatile[in.object(id)])
}

package dialects

import (
	"fmt"
	"strings"
)

// body writes the statements of a function, a return, and the closing brace.
func (g *goGen) body() {
	g.indent++
	g.block(g.finalReturn)
	g.indent--
	g.line("}\n")
}

func (g *goGen) finalReturn() {
	if len(g.results) > 0 {
		g.returns()
	}
}

func (g *goGen) returns() {
	if len(g.results) == 0 || g.named && g.chance(2) && !g.hidden() {
		g.line("return")
		return
	}
	var list []string
	for _, t := range g.results {
		list = append(list, g.expr(t, 2, false))
	}
	g.line("return %s", strings.Join(list, ", "))
}

// hidden reports whether a result has a name that a variable hides: Go refuses a bare return there.
func (g *goGen) hidden() bool { return true }

// block writes statements in a scope of their own; its variables count in the last one.
func (g *goGen) block(last ...func()) {
	g.scopes = append(g.scopes, nil)
	for range 1 + g.IntN(4) {
		if g.size <= 0 {
			break
		}
		g.size--
		g.statement()
	}
	for _, v := range g.scopes[len(g.scopes)-1] {
		if !strings.HasPrefix(v.name, "(*") {
			g.line("_ = %s", v.name)
		}
	}
	for _, f := range last {
		f()
	}
	g.scopes = g.scopes[:len(g.scopes)-1]
}

func (g *goGen) braces(head string, args ...any) {
	g.line(head+" {", args...)
	g.indent++
	g.block()
	g.indent--
}

// headed writes a block whose head declares the variables of the last scope.
func (g *goGen) headed(head string, args ...any) {
	g.line(head+" {", args...)
	g.indent++
	for _, v := range g.scopes[len(g.scopes)-1] {
		g.line("_ = %s", v.name)
	}
	g.block()
	g.indent--
}

// target returns a place to assign, and its type.
func (g *goGen) target(t *goType) string {
	list := g.places(t, true)
	if len(list) == 0 {
		return ""
	}
	return list[g.IntN(len(list))]()
}

func (g *goGen) statement() {
	deep := len(g.scopes) > 5 || g.helper && len(g.loops) > 0 // nested loops of nested calls take too long
	switch n := g.IntN(30); {
	case n < 5:
		g.declaration()
	case n < 9:
		g.assignment()
	case n < 11:
		g.compound()
	case n == 11:
		g.tuple()
	case n < 14 && !deep:
		g.ifs()
	case n < 16 && !deep:
		g.switches()
	case n < 19 && !deep:
		g.loop()
	case n < 21 && !deep:
		g.ranges()
	case n == 21:
		g.jump()
	case n == 22:
		if g.chance(3) {
			g.functionVariable()
		} else {
			g.closure()
		}
	case n < 26:
		g.callStatement()
	case n == 26:
		g.pointer()
	case n == 27:
		g.part()
	case n == 28 && !deep:
		g.braces("")
		g.line("}")
	default:
		g.guarded()
	}
}

func (g *goGen) declaration() {
	t := g.anyType()
	text := g.expr(t, 3, true)
	name := g.name()
	switch g.IntN(4) {
	case 0:
		g.line("var %s %s = %s", name, t.name, text)
	case 1:
		g.line("var %s %s", name, t.name)
	case 2:
		if t.kind == 'i' && t.name != "T" {
			g.line("%s := %s(%s)", name, t.name, g.literal(t))
			break
		}
		fallthrough
	default:
		g.line("%s := %s", name, text)
	}
	g.declare(goVar{name: name, t: t})
}

func (g *goGen) assignment() {
	t := g.anyType()
	if to := g.target(t); to != "" {
		g.line("%s = %s", to, g.expr(t, 3, false))
	}
}

func (g *goGen) compound() {
	t := g.integer()
	if g.chance(5) {
		t = goFloat
	}
	to := g.target(t)
	switch {
	case to == "":
	case t == goFloat:
		g.line("%s %s %s", to, []string{"+=", "-=", "*=", "/="}[g.IntN(4)], g.expr(t, 2, false))
	case g.chance(4):
		g.line("%s%s", to, []string{"++", "--"}[g.IntN(2)])
	case g.chance(4):
		g.line("%s %s %s", to, []string{"<<=", ">>="}[g.IntN(2)], g.count(2))
	case g.chance(6):
		g.line("%s %s %s | 1", to, []string{"/=", "%="}[g.IntN(2)], g.operand(t, 1, true))
	default:
		g.line("%s %s %s", to, []string{"+=", "-=", "*=", "&=", "|=", "^=", "&^="}[g.IntN(7)], g.expr(t, 2, false))
	}
}

// tuple assigns several places at once. None is assigned twice: the values of the places differ in
// their types, or they are exchanged.
func (g *goGen) tuple() {
	t, u := g.anyType(), g.anyType()
	a, b := g.target(t), g.target(u)
	if a == "" || b == "" {
		return
	}
	if g.chance(3) {
		if c := g.target(t); c != "" {
			g.line("%s, %s = %s, %s", a, c, c, a)
		}
		return
	}
	g.line("%s, %s = %s, %s", a, b, g.expr(t, 2, false), g.expr(u, 2, false))
}

func (g *goGen) condition() string { return g.expr(goBool, 2, true) }

func (g *goGen) ifs() {
	init := ""
	g.scopes = append(g.scopes, nil)
	if g.chance(4) {
		t := g.scalar()
		text, name := g.expr(t, 2, true), g.name()
		init = name + " := " + text + "; "
		g.declare(goVar{name: name, t: t})
		g.braces("if %s%s == %s", init, name, "("+g.expr(t, 1, false)+")")
	} else {
		g.braces("if %s", g.condition())
	}
	for range g.IntN(3) {
		g.braces("} else if %s", g.condition())
	}
	if g.chance(2) {
		g.braces("} else")
	}
	g.line("}")
	g.scopes = g.scopes[:len(g.scopes)-1]
}

func (g *goGen) switches() {
	label := g.label("s")
	start := g.b.Len()
	t := g.integer()
	constants := g.chance(2)
	n := 1 + g.IntN(4)
	def := g.IntN(n + 2)
	noTag := g.chance(3)
	if noTag {
		g.line("switch {")
	} else if constants && g.chance(2) {
		g.line("switch %s & 3 {", g.operand(t, 2, true))
	} else {
		g.line("switch %s {", g.expr(t, 2, true))
	}
	g.loops = append(g.loops, "switch "+label)
	seen := map[string]bool{}
	for i := range n {
		switch {
		case i == def:
			g.line("default:")
		case noTag:
			g.line("case %s:", g.condition())
		case constants:
			var list []string
			for range 1 + g.IntN(2) {
				if x := fmt.Sprint(g.IntN(6)); !seen[x] {
					seen[x] = true
					list = append(list, x)
				}
			}
			if len(list) == 0 {
				continue
			}
			g.line("case %s:", strings.Join(list, ", "))
		default:
			g.line("case %s, %s:", g.expr(t, 1, true), g.expr(t, 1, true))
		}
		g.indent++
		g.block()
		if i+1 < n && g.chance(3) && !(constants && !noTag) {
			g.line("fallthrough")
		}
		g.indent--
	}
	g.line("}")
	g.endLoop(label, start)
}

func (g *goGen) label(kind string) string {
	g.names++
	return fmt.Sprintf("%s%d", kind, g.names)
}

// endLoop puts the label before a loop if a statement names it.
func (g *goGen) endLoop(label string, start int) {
	g.loops = g.loops[:len(g.loops)-1]
	if g.used[label] {
		text := g.b.String()
		g.b.Reset()
		g.b.WriteString(text[:start] + label + ":\n" + text[start:])
	}
}

func (g *goGen) loop() {
	label := g.label("l")
	start := g.b.Len()
	t := g.integer()
	if t.name == "T" {
		t = goInts[1]
	}
	g.scopes = append(g.scopes, nil)
	v := g.name()
	g.loops = append(g.loops, label)
	n := g.IntN(7)
	cond := ""
	count := func() { // the condition is in the scope of the variable, whose name may hide another
		g.declare(goVar{name: v, t: t, only: true})
		if g.chance(4) {
			cond = " && " + g.operand(goBool, 1, true)
		}
	}
	fuel := ""
	switch g.IntN(7) {
	case 0: // up
		count()
		g.headed("for %s := %s(0); %s < %d%s; %s++", v, t.name, v, n, cond, v)
	case 1:
		count()
		g.headed("for %s := %s(%d); %s <= %d%s; %s += %d", v, t.name, g.IntN(3), v, n, cond, v, 1+g.IntN(3))
	case 2: // down
		count()
		g.headed("for %s := %s(%d); %s > 0%s; %s--", v, t.name, n, v, cond, v)
	case 3:
		count()
		g.headed("for %s := %s(%s); %s > 0%s; %s %s", v, t.name, fmt.Sprint(g.IntN(100)), v, cond, v,
			[]string{"/= 2", ">>= 1", "/= 3", "-= 1"}[g.IntN(3)])
	case 4: // across an end of the type
		text := g.expr(t, 1, true)
		g.declare(goVar{name: v, t: t})
		fuel = g.label("fuel")
		g.line("%s := %d", fuel, 1+g.IntN(9))
		g.headed("for %s := %s; %s%s%s && %s > 0; %s %s", v, text, v, []string{" != ", " < ", " >= "}[g.IntN(3)],
			g.operand(t, 1, false), fuel, v, []string{"++", "--", "+= 100", "*= 3", "-= 7"}[g.IntN(5)])
	case 5: // with nothing but a condition
		fuel = g.label("fuel")
		g.line("%s := %d", fuel, 1+g.IntN(9))
		g.braces("for %s > 0 && (%s)", fuel, g.condition())
	default: // two variables
		fuel = g.label("fuel")
		g.line("%s := %d", fuel, 1+g.IntN(9))
		w := v + "b"
		x, y := g.expr(t, 0, true), g.expr(t, 0, true)
		g.declare(goVar{name: v, t: t})
		g.declare(goVar{name: w, t: t})
		g.headed("for %s, %s := %s, %s; %s > 0; %s, %s = %s, %s+1", v, w, x, y, fuel, v, w, w, v)
	}
	g.line("}")
	text := g.b.String()
	if fuel != "" { // at the beginning of the body: continue comes here
		at := strings.Index(text[start:], fuel+" := ")
		brace := start + at + strings.Index(text[start+at:], "{\n") + 2
		text = text[:brace] + strings.Repeat("\t", g.indent+1) + fuel + "--\n" + text[brace:]
		// A label must stand before the loop itself.
		line := strings.Index(text[start+at:], "\n") + 1
		start += at + line
		g.b.Reset()
		g.b.WriteString(text)
	}
	g.scopes = g.scopes[:len(g.scopes)-1]
	g.endLoop(label, start)
}

func (g *goGen) ranges() {
	label := g.label("r")
	start := g.b.Len()
	g.scopes = append(g.scopes, nil)
	k, w := g.name(), g.name()+"w"
	if k == w { // both hide variables
		w += "w"
	}
	g.loops = append(g.loops, label)
	over := ""
	var elem *goType
	for _, v := range g.shuffled() {
		if v.slice || v.t.kind == 'a' {
			over, elem = v.name, v.t
			if !v.slice {
				elem = v.t.elem
			}
			break
		}
	}
	switch n := g.IntN(9); {
	case n > 5:
		start = g.rangesFunction(k, w)
	case n == 0 || over == "":
		i := g.integer()
		text := g.operand(i, 1, true)
		g.declare(goVar{name: k, t: i, only: g.chance(2)})
		g.headed("for %s := range %s & 7", k, text)
	case n == 1:
		g.braces("for range %d", g.IntN(5))
	case n == 2:
		g.declare(goVar{name: k, t: goIntType, only: g.chance(2)})
		g.headed("for %s := range %s", k, over)
	case n == 3:
		g.declare(goVar{name: w, t: elem, only: g.chance(2)})
		g.headed("for _, %s := range %s", w, over)
	default:
		g.declare(goVar{name: k, t: goIntType, only: g.chance(2)})
		g.declare(goVar{name: w, t: elem, only: g.chance(2)})
		g.headed("for %s, %s := range %s", k, w, over)
	}
	g.line("}")
	g.scopes = g.scopes[:len(g.scopes)-1]
	g.endLoop(label, start)
}

// rangesFunction begins a range over a function, and returns where it does so.
func (g *goGen) rangesFunction(k, w string) (start int) {
	t := goInts[g.IntN(len(goInts))]
	seq := fmt.Sprintf("upTo[%s](%s & 7)", t.name, g.operand(t, 1, true))
	switch g.IntN(6) {
	case 0: // a part of a slice
		if x := g.sliceOf(t); x != "" {
			g.declare(goVar{name: k, t: goIntType, only: g.chance(2)})
			g.declare(goVar{name: w, t: t, only: g.chance(2)})
			start = g.b.Len()
			g.headed("for %s, %s := range all(%s)", k, w, x)
			return start
		}
	case 1: // a method, which reads what the body changes
		a := g.label("v")
		g.line("%s := adder[%s]{%s}", a, t.name, g.expr(t, 1, false))
		g.declare(goVar{name: a + ".d", t: t})
		seq = a + ".times"
	case 2: // a literal
		n, fuel := g.label("x"), g.label("fuel")
		g.line("%s := %d", fuel, g.IntN(6))
		g.scopes = append(g.scopes, []goVar{{name: n, t: t}})
		g.line("%sseq := func(yield func(%s) bool) {", n, t.name)
		g.line("\tfor %s := %s(0); %s > 0 && yield(%s); %s++ {", n, t.name, fuel, g.expr(t, 1, true), n)
		g.scopes = g.scopes[:len(g.scopes)-1]
		g.line("\t\t%s--\n\t}\n}", fuel)
		seq = n + "seq"
	case 3:
		g.names++
		v := fmt.Sprintf("p%d", g.names)
		g.scopes = append(g.scopes, []goVar{{name: v, t: t, only: true}})
		seq = fmt.Sprintf("only(%s, func(%s %s) bool { return %s })", seq, v, t.name, g.expr(goBool, 1, true))
		g.scopes = g.scopes[:len(g.scopes)-1]
	}
	g.declare(goVar{name: k, t: t, only: g.chance(2)})
	start = g.b.Len()
	g.headed("for %s := range %s", k, seq)
	return start
}

func (g *goGen) shuffled() []goVar {
	list := g.visible()
	g.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// jump leaves or continues a loop, or returns, under a condition.
func (g *goGen) jump() {
	g.line("if %s {", g.condition())
	g.indent++
	if len(g.loops) == 0 || g.chance(4) {
		g.returns()
	} else {
		l := g.loops[g.IntN(len(g.loops))]
		name, isSwitch := strings.CutPrefix(l, "switch ")
		word := "break"
		if !isSwitch && g.chance(2) {
			word = "continue"
		}
		inner := g.loops[len(g.loops)-1] == l
		if inner && g.chance(2) {
			g.line("%s", word)
		} else {
			g.used[name] = true
			g.line("%s %s", word, name)
		}
	}
	g.indent--
	g.line("}")
}

// closure declares a function literal, which reads and writes what is around it.
func (g *goGen) closure() {
	f := goFunc{name: g.label("c"), literal: true}
	var params []string
	outerResults, outerNamed, outerLoops := g.results, g.named, g.loops
	g.scopes = append(g.scopes, nil)
	for range g.IntN(3) {
		t := g.scalar()
		name := g.label("x") // which nothing hides: the body is no block of its own
		g.declare(goVar{name: name, t: t})
		params = append(params, name+" "+t.name)
		f.params = append(f.params, t)
	}
	result := ""
	if g.chance(2) {
		f.results = []*goType{g.scalar()}
		result = " " + f.results[0].name
	}
	g.line("%s := func(%s)%s {", f.name, strings.Join(params, ", "), result)
	g.results, g.named, g.loops = f.results, false, nil
	count := len(g.funcs)
	g.indent++
	g.block(g.finalReturn)
	g.indent--
	g.funcs = g.funcs[:count]
	g.line("}")
	g.scopes = g.scopes[:len(g.scopes)-1]
	g.results, g.named, g.loops = outerResults, outerNamed, outerLoops
	for range 1 + g.IntN(2) {
		g.callOne(f)
	}
}

// functionVariable declares a variable that is a function, and calls it.
func (g *goGen) functionVariable() {
	t := goInts[g.IntN(len(goInts))]
	f := goFunc{name: g.label("c"), literal: true, params: []*goType{t}, results: []*goType{t}}
	if g.chance(3) {
		a := g.label("v")
		g.line("%s := adder[%s]{%s}", a, t.name, g.expr(t, 1, false))
		g.line("%s := %s.%s", f.name, a, []string{"add", "bump"}[g.IntN(2)])
		g.declare(goVar{name: a + ".d", t: t})
	} else {
		g.line("%s := %s", f.name, g.functionOf(t, 2))
	}
	g.line("_ = %s", f.name)
	for range 1 + g.IntN(2) {
		g.assignment()
		g.callOne(f)
	}
}

func (g *goGen) callStatement() {
	if len(g.funcs) > 0 && len(g.loops) < 2 && !(g.helper && len(g.loops) > 0) && !g.chance(4) {
		g.callOne(g.funcs[g.IntN(len(g.funcs))])
		return
	}
	// Calls that write, in the order that Go promises.
	t := g.integer()
	n, v := g.name(), g.name()
	g.line("%s := %s", n, g.expr(t, 1, true))
	g.declare(goVar{name: n, t: t})
	s := func() string { return fmt.Sprintf("step(&%s, %s)", n, g.literal(t)) }
	if v == n {
		return
	}
	g.line("%s := %s %s %s %s %s", v, s(), []string{"*", "+", "-", "^"}[g.IntN(4)], s(),
		[]string{"*", "+", "-", "&"}[g.IntN(4)], s())
	g.declare(goVar{name: v, t: t})
}

// callOne writes a call as a statement, or keeps its results in new variables.
func (g *goGen) callOne(f goFunc) {
	call := g.callOf(f)
	if call == "" {
		return
	}
	if len(f.results) == 0 || g.chance(6) {
		g.line("%s", call)
		return
	}
	var names []string
	var vars []goVar
	for _, t := range f.results {
		if g.chance(5) && len(f.results) > 1 {
			names = append(names, "_")
			continue
		}
		name := g.label("v")
		names = append(names, name)
		vars = append(vars, goVar{name: name, t: t})
	}
	if len(vars) == 0 {
		g.line("%s = %s", strings.Join(names, ", "), call)
		return
	}
	g.line("%s := %s", strings.Join(names, ", "), call)
	for _, v := range vars {
		g.declare(v)
	}
}

// pointer declares a pointer to a variable or a part of one.
func (g *goGen) pointer() {
	t := g.anyType()
	if to := g.target(t); to != "" && !strings.HasPrefix(to, "(*") {
		name := g.label("p")
		g.line("%s := &%s", name, to)
		g.line("_ = %s", name)
		g.declare(goVar{name: "(*" + name + ")", t: t})
	}
}

// part declares a part of a slice or an array, or copies or clears one.
func (g *goGen) part() {
	t := g.anyType()
	x := g.sliceOf(t)
	if x == "" {
		return
	}
	switch g.IntN(4) {
	case 0:
		if y := g.sliceOf(t); y != "" && y != x && strings.IndexByte(x+"[", '[') > 0 &&
			x[:strings.IndexByte(x+"[", '[')] != y[:strings.IndexByte(y+"[", '[')] {
			if g.chance(2) {
				g.line("copy(%s, %s)", x, y)
			} else {
				name := g.label("v")
				g.line("%s := copy(%s, %s)", name, x, y)
				g.declare(goVar{name: name, t: goIntType})
			}
		}
	case 1:
		g.line("clear(%s)", x)
	default:
		name := g.label("s")
		g.line("%s := %s", name, x)
		g.declare(goVar{name: name, t: t, slice: true})
	}
}

// guarded reads or writes a slice at an index that the program compares with its length.
func (g *goGen) guarded() {
	for _, v := range g.shuffled() {
		if !v.slice || v.only {
			continue
		}
		k := g.label("k")
		i := g.integer()
		g.line("%s := %s", k, g.expr(i, 2, true))
		g.line("_ = %s", k)
		if i.name == "T" {
			return
		}
		forms := []string{"if %[2]s(%[1]s) < uint64(len(%[3]s)) {", "if int(%[1]s) >= 0 && int(%[1]s) < len(%[3]s) {",
			"if %[1]s >= 0 && uint64(%[1]s) < uint64(len(%[3]s)) {", "if !(int64(%[1]s) < 0 || int(%[1]s) >= len(%[3]s)) {",
			"if %[1]s = %[1]s & 3; int(%[1]s) < len(%[3]s) {"}
		g.line(forms[g.IntN(len(forms))], k, "uint64", v.name)
		g.indent++
		at := v.name + "[" + k + "]"
		if w := g.target(v.t); w != "" && g.chance(2) {
			g.line("%s = %s", w, at)
		} else {
			g.line("%s = %s", at, g.expr(v.t, 2, false))
		}
		g.indent--
		g.line("}")
		return
	}
}

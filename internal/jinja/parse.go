package jinja

import "strconv"

// statement and expression are a part of a template, compiled to a function.
type (
	statement  func(r *run) flow
	expression func(r *run) any
)

// flow says how a loop goes on after a statement.
type flow uint8

const (
	goOn flow = iota
	breakLoop
	continueLoop
)

type parser struct {
	tokens []token
	next   token
	at     int
	depth  int
}

func (p *parser) fail(format string, args ...any) { failAt(p.next.line, nil, format, args...) }

// enter counts what is in each other; leave ends it.
func (p *parser) enter() {
	if p.depth++; p.depth > maxNested {
		failAt(p.next.line, ErrLimit, "more than %d statements and expressions in each other", maxNested)
	}
}

func (p *parser) leave() { p.depth-- }

// link counts operators in sequence, each of which is called by the next.
func (p *parser) link(n *int) bool {
	if *n++; *n > maxLinks {
		failAt(p.next.line, ErrLimit, "more than %d operators in sequence", maxLinks)
	}
	return true
}

func (p *parser) peek() token {
	p.next = p.tokens[p.at]
	return p.next
}

func (p *parser) take() token {
	t := p.peek()
	if t.kind != eof {
		p.at++
	}
	return t
}

// op takes an operator if it is the next token.
func (p *parser) op(text string) bool {
	if t := p.peek(); t.kind == opToken && t.text == text {
		p.at++
		return true
	}
	return false
}

// word is op for a name.
func (p *parser) word(text string) bool {
	if t := p.peek(); t.kind == nameToken && t.text == text {
		p.at++
		return true
	}
	return false
}

func (p *parser) isWord(text string) bool {
	t := p.peek()
	return t.kind == nameToken && t.text == text
}

func (p *parser) needOp(text string) {
	if !p.op(text) {
		p.fail("unexpected %s, want %q", p.next, text)
	}
}

func (p *parser) needWord(text string) {
	if !p.word(text) {
		p.fail("unexpected %s, want %s", p.next, text)
	}
}

func (p *parser) name() string {
	t := p.take()
	if t.kind != nameToken {
		failAt(t.line, nil, "unexpected %s, want a name", t)
	}
	return t.text
}

// need takes a token of a kind.
func (p *parser) need(kind tokenKind) {
	if t := p.take(); t.kind != kind {
		failAt(t.line, nil, "unexpected %s at the end of a tag", t)
	}
}

// statements parses up to a tag that is none, such as endif, or the end. Its name is next.
func (p *parser) statements() (list []statement) {
	p.enter()
	defer p.leave()
	for {
		switch t := p.peek(); t.kind {
		case textToken:
			p.at++
			list = append(list, func(r *run) flow {
				r.step(1)
				r.write(t.text)
				return goOn
			})
		case printBegin:
			p.at++
			x := p.expression()
			p.need(printEnd)
			list = append(list, func(r *run) flow {
				r.line = t.line
				r.step(1)
				r.write(r.text(x(r)))
				return goOn
			})
		case blockBegin:
			s := p.block()
			if s == nil {
				return list
			}
			list = append(list, func(r *run) flow {
				r.line = t.line
				r.step(1)
				return s(r)
			})
		default:
			return list
		}
	}
}

// block parses a statement. It returns nil, and stays before the tag, if that is none.
func (p *parser) block() statement {
	p.at++
	switch word := p.name(); word {
	case "if":
		return p.parseIf()
	case "for":
		return p.parseFor()
	case "set":
		return p.parseSet()
	case "macro":
		return p.parseMacro()
	case "generation": // marks what a model is trained on
		p.need(blockEnd)
		body := p.body("endgeneration")
		return func(r *run) flow { return r.all(body) }
	case "break":
		p.need(blockEnd)
		return func(*run) flow { return breakLoop }
	case "continue":
		p.need(blockEnd)
		return func(*run) flow { return continueLoop }
	case "elif", "else", "endif", "endfor", "endset", "endmacro", "endgeneration":
		p.at -= 2
		p.next = p.tokens[p.at+1]
		return nil
	default:
		p.fail("statement %s, which templates of chats cannot have here", word)
	}
	return nil
}

// body parses statements up to a tag, which it takes.
func (p *parser) body(end string) []statement {
	list := p.statements()
	p.endTag(end)
	return list
}

func (p *parser) endTag(end string) {
	if t := p.take(); t.kind != blockBegin {
		failAt(t.line, nil, "unexpected %s, want %s", t, end)
	}
	p.needWord(end)
	p.need(blockEnd)
}

// isTag reports whether a tag is next, and takes its beginning then.
func (p *parser) isTag(word string) bool {
	if p.peek().kind == blockBegin && p.tokens[p.at+1].text == word {
		p.at += 2
		return true
	}
	return false
}

func (p *parser) parseIf() statement {
	p.enter()
	defer p.leave()
	condition := p.expression()
	p.need(blockEnd)
	then := p.statements()
	var otherwise []statement
	switch {
	case p.isTag("elif"):
		otherwise = []statement{p.parseIf()}
	case p.isTag("else"):
		p.need(blockEnd)
		otherwise = p.body("endif")
	default:
		p.endTag("endif")
	}
	return func(r *run) flow {
		r.step(1)
		if r.truth(condition(r)) {
			return r.all(then)
		}
		return r.all(otherwise)
	}
}

// targets parses the names that an assignment or a loop sets.
func (p *parser) targets() (names []string) {
	parens := p.op("(")
	names = append(names, p.name())
	for p.op(",") {
		names = append(names, p.name())
	}
	if parens {
		p.needOp(")")
	}
	return names
}

func (p *parser) parseFor() statement {
	names := p.targets()
	p.needWord("in")
	over := p.or()
	var filter expression
	if p.word("if") {
		filter = p.expression()
	}
	if p.isWord("recursive") {
		p.fail("recursive loops, which templates of chats cannot have here")
	}
	p.need(blockEnd)
	body := p.statements()
	var otherwise []statement
	if p.isTag("else") {
		p.need(blockEnd)
		otherwise = p.body("endfor")
	} else {
		p.endTag("endfor")
	}
	return func(r *run) flow { return r.loop(names, over(r), filter, body, otherwise) }
}

func (p *parser) parseSet() statement {
	if p.tokens[p.at+1].text == "." && p.peek().kind == nameToken {
		space := p.name()
		p.needOp(".")
		attribute := p.name()
		p.needOp("=")
		x := p.expression()
		p.need(blockEnd)
		return func(r *run) flow {
			r.setAttribute(r.lookup(space), attribute, x(r))
			return goOn
		}
	}
	names := p.targets()
	if p.op("=") {
		x := p.expression()
		if p.op(",") {
			x = p.rest(x)
		}
		p.need(blockEnd)
		return func(r *run) flow {
			r.assign(names, x(r))
			return goOn
		}
	}
	p.need(blockEnd)
	body := p.body("endset")
	return func(r *run) flow {
		r.assign(names, r.capture(body))
		return goOn
	}
}

// rest parses the other elements of a tuple without parentheses.
func (p *parser) rest(first expression) expression {
	list := []expression{first}
	for {
		list = append(list, p.expression())
		if !p.op(",") {
			return listOf(list)
		}
	}
}

// parameter is one of a macro.
type parameter struct {
	name  string
	value expression // nil: none
}

func (p *parser) parseMacro() statement {
	name := p.name()
	p.needOp("(")
	var parameters []parameter
	for !p.op(")") {
		if len(parameters) > 0 {
			p.needOp(",")
		}
		x := parameter{name: p.name()}
		if p.op("=") {
			x.value = p.expression()
		}
		parameters = append(parameters, x)
	}
	p.need(blockEnd)
	body := p.body("endmacro")
	return func(r *run) flow {
		r.defineMacro(name, parameters, body)
		return goOn
	}
}

// expression parses with conditions: x if y else z.
func (p *parser) expression() expression {
	p.enter()
	defer p.leave()
	x := p.or()
	if !p.word("if") {
		return x
	}
	condition := p.or()
	var otherwise expression
	if p.word("else") {
		otherwise = p.expression()
	}
	return func(r *run) any {
		r.step(1)
		switch {
		case r.truth(condition(r)):
			return x(r)
		case otherwise != nil:
			return otherwise(r)
		}
		return undefined{"the other case of a condition"}
	}
}

func (p *parser) or() expression {
	x := p.and()
	for n := 0; p.word("or") && p.link(&n); {
		left, right := x, p.and()
		x = func(r *run) any {
			if y := left(r); r.truth(y) {
				return y
			}
			return right(r)
		}
	}
	return x
}

func (p *parser) and() expression {
	x := p.not()
	for n := 0; p.word("and") && p.link(&n); {
		left, right := x, p.not()
		x = func(r *run) any {
			if y := left(r); !r.truth(y) {
				return y
			}
			return right(r)
		}
	}
	return x
}

func (p *parser) not() expression {
	if !p.word("not") {
		return p.comparison()
	}
	p.enter()
	defer p.leave()
	x := p.not()
	return func(r *run) any { return !r.truth(x(r)) }
}

// comparisonOp takes an operator that compares, or returns "".
func (p *parser) comparisonOp() string {
	t := p.peek()
	switch {
	case t.kind == opToken && (t.text == "==" || t.text == "!=" || t.text == "<" || t.text == ">" || t.text == "<=" ||
		t.text == ">="), t.kind == nameToken && t.text == "in":
		p.at++
		return t.text
	case t.kind == nameToken && t.text == "not" && p.tokens[p.at+1].text == "in":
		p.at += 2
		return "not in"
	}
	return ""
}

func (p *parser) comparison() expression {
	x := p.sum()
	op := p.comparisonOp()
	if op == "" {
		return x
	}
	type part struct {
		op string
		x  expression
	}
	var parts []part
	for ; op != ""; op = p.comparisonOp() {
		parts = append(parts, part{op, p.sum()})
	}
	return func(r *run) any {
		left := x(r)
		for _, c := range parts {
			right := c.x(r)
			if !r.compare(c.op, left, right) {
				return false
			}
			left = right
		}
		return true
	}
}

// binary parses operators of the same rank.
func (p *parser) binary(operand func() expression, ops ...string) expression {
	x := operand()
	for n := 0; p.link(&n); {
		var op string
		for _, o := range ops {
			if p.op(o) {
				op = o
				break
			}
		}
		if op == "" {
			return x
		}
		left, right := x, operand()
		x = func(r *run) any { return r.arithmetic(op, left(r), right(r)) }
	}
	return x
}

func (p *parser) sum() expression    { return p.binary(p.concat, "+", "-") }
func (p *parser) concat() expression { return p.binary(p.product, "~") }
func (p *parser) product() expression {
	return p.binary(p.power, "*", "/", "//", "%")
}
func (p *parser) power() expression {
	return p.binary(func() expression { return p.unary(true) }, "**")
}

func (p *parser) unary(filters bool) expression {
	p.enter()
	defer p.leave()
	var x expression
	switch {
	case p.op("-"):
		y := p.unary(false)
		x = func(r *run) any { return r.arithmetic("-", int64(0), y(r)) }
	case p.op("+"):
		x = p.unary(false)
	default:
		x = p.postfix(p.primary())
	}
	if filters {
		x = p.filters(x)
	}
	return x
}

func (p *parser) primary() expression {
	t := p.take()
	switch {
	case t.kind == nameToken:
		switch t.text {
		case "true", "True":
			return constant(true)
		case "false", "False":
			return constant(false)
		case "none", "None":
			return constant(nil)
		}
		return func(r *run) any { return r.lookup(t.text) }
	case t.kind == stringToken:
		text := t.text
		for p.peek().kind == stringToken {
			text += p.take().text
		}
		return constant(text)
	case t.kind == intToken:
		n, err := strconv.ParseInt(t.text, 10, 64)
		if err != nil {
			failAt(t.line, nil, "number %s is too large", t)
		}
		return constant(n)
	case t.kind == floatToken:
		x, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			failAt(t.line, nil, "number %s is too large", t)
		}
		return constant(x)
	case t.kind == opToken && t.text == "(":
		return p.parens()
	case t.kind == opToken && t.text == "[":
		var list []expression
		for !p.op("]") {
			if len(list) > 0 {
				p.needOp(",")
				if p.op("]") {
					break
				}
			}
			list = append(list, p.expression())
		}
		return listOf(list)
	case t.kind == opToken && t.text == "{":
		return p.dict()
	}
	failAt(t.line, nil, "unexpected %s, want an expression", t)
	return nil
}

// constant returns a value that a template states.
func constant(x any) expression {
	return func(r *run) any {
		r.step(1)
		return x
	}
}

func listOf(list []expression) expression {
	return func(r *run) any {
		items := r.items(len(list))
		for i, x := range list {
			items[i] = x(r)
		}
		return &array{items}
	}
}

func (p *parser) parens() expression {
	if p.op(")") {
		return listOf(nil)
	}
	x := p.expression()
	if p.op(")") {
		return x
	}
	list := []expression{x}
	for !p.op(")") {
		p.needOp(",")
		if p.op(")") {
			break
		}
		list = append(list, p.expression())
	}
	return listOf(list)
}

func (p *parser) dict() expression {
	var keys, values []expression
	for !p.op("}") {
		if len(keys) > 0 {
			p.needOp(",")
			if p.op("}") {
				break
			}
		}
		keys = append(keys, p.expression())
		p.needOp(":")
		values = append(values, p.expression())
	}
	return func(r *run) any {
		d := r.dict(len(keys))
		for i, k := range keys {
			key := k(r)
			d.set(r.key(key), values[i](r))
		}
		return d
	}
}

// argument is one of a call.
type argument struct {
	name  string // "": by position
	value expression
}

// arguments parses the rest of a call, behind its parenthesis.
func (p *parser) arguments() (list []argument) {
	for !p.op(")") {
		if len(list) > 0 {
			p.needOp(",")
			if p.op(")") {
				break
			}
		}
		var a argument
		if p.peek().kind == nameToken && p.tokens[p.at+1].kind == opToken && p.tokens[p.at+1].text == "=" {
			a.name = p.name()
			p.at++
		}
		a.value = p.expression()
		list = append(list, a)
	}
	return list
}

func (p *parser) postfix(x expression) expression {
	for n := 0; p.link(&n); {
		line := p.peek().line
		switch {
		case p.op("."):
			t := p.take()
			if t.kind != nameToken && t.kind != intToken {
				failAt(t.line, nil, "unexpected %s, want a name", t)
			}
			of := x
			x = func(r *run) any { return r.attribute(of(r), t.text) }
		case p.op("["):
			x = p.index(x)
		case p.op("("):
			of, list := x, p.arguments()
			x = func(r *run) any {
				f := of(r)
				args := r.arguments(list)
				r.line = line
				return r.call(f, args)
			}
		default:
			return x
		}
	}
	return x
}

func (p *parser) index(of expression) expression {
	var part [3]expression
	slice := false
	for i := 0; i < 3; i++ {
		if t := p.peek(); t.kind != opToken || t.text != ":" && t.text != "]" {
			part[i] = p.expression()
		}
		if !p.op(":") {
			break
		}
		slice = true
	}
	p.needOp("]")
	if !slice {
		if part[0] == nil {
			p.fail("an index is missing")
		}
		return func(r *run) any {
			x := of(r)
			return r.index(x, part[0](r))
		}
	}
	return func(r *run) any {
		x := of(r)
		var at [3]any
		for i, e := range part {
			if e != nil {
				at[i] = e(r)
			}
		}
		return r.slice(x, at)
	}
}

// filters parses filters and tests behind an expression.
func (p *parser) filters(x expression) expression {
	for n := 0; p.link(&n); {
		line := p.peek().line
		switch {
		case p.op("|"):
			name := p.name()
			var list []argument
			if p.op("(") {
				list = p.arguments()
			}
			if !isFilter(name) {
				failAt(line, nil, "unknown filter %q", name)
			}
			of := x
			x = func(r *run) any {
				y := of(r)
				args := r.arguments(list)
				r.line = line
				return r.filter(name, y, args)
			}
		case p.word("is"):
			x = p.test(x)
		case p.op("("):
			of, list := x, p.arguments()
			x = func(r *run) any {
				f := of(r)
				return r.call(f, r.arguments(list))
			}
		default:
			return x
		}
	}
	return x
}

func (p *parser) test(of expression) expression {
	line := p.peek().line
	negated := p.word("not")
	t := p.take()
	if t.kind != nameToken {
		failAt(t.line, nil, "unexpected %s, want a test", t)
	}
	if !isTest(t.text) {
		failAt(t.line, nil, "unknown test %q", t.text)
	}
	var list []argument
	next := p.peek()
	switch {
	case p.op("("):
		list = p.arguments()
	case next.kind == stringToken, next.kind == intToken, next.kind == floatToken,
		next.kind == opToken && (next.text == "[" || next.text == "{"),
		next.kind == nameToken && next.text != "and" && next.text != "or" && next.text != "else" && next.text != "is" &&
			next.text != "if" && next.text != "not" && next.text != "in":
		list = []argument{{value: p.postfix(p.primary())}}
	}
	return func(r *run) any {
		x := of(r)
		args := r.arguments(list)
		r.line = line
		return r.test(t.text, x, args) != negated
	}
}

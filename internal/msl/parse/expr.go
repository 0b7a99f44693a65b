package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// expr reads an expression, including the comma operator.
func (p *parser) expr() ast.Expr {
	from := p.cur.Pos
	x := p.assignExpr()
	for n := 1; p.at(token.Comma) && p.peek(1) != token.Ellipsis && p.chain(n); n++ {
		pos := p.cur.Pos
		p.next()
		y := p.assignExpr()
		x = &ast.BinaryExpr{Span: p.span(from), Op: token.Comma, OpPos: pos, X: x, Y: y}
	}
	return x
}

// assignExpr reads an expression without the comma operator.
func (p *parser) assignExpr() ast.Expr {
	if !p.enter() {
		p.leave()
		return &ast.BadExpr{Span: p.span(p.cur.Pos)}
	}
	defer p.leave()
	from := p.cur.Pos
	if p.at(token.KwThrow) {
		p.notInMSL(p.cur.Pos, p.cur.End(), "exceptions are")
		p.next()
		if p.at(token.Semi) || p.at(token.RParen) {
			return &ast.BadExpr{Span: p.span(from)}
		}
	}
	x := p.condExpr()
	if !p.cur.Kind.IsAssign() || p.peek(1) == token.Ellipsis {
		return x
	}
	op, pos := p.cur.Kind, p.cur.Pos
	p.next()
	y := p.initClause()
	return &ast.AssignExpr{Span: p.span(from), Op: op, OpPos: pos, X: x, Y: y}
}

// assignOrCond reads what C++ calls a constant-expression: no assignment and no comma operator.
func (p *parser) assignOrCond() ast.Expr {
	if !p.enter() {
		p.leave()
		return &ast.BadExpr{Span: p.span(p.cur.Pos)}
	}
	defer p.leave()
	return p.condExpr()
}

// initClause reads an expression or a braced list.
func (p *parser) initClause() ast.Expr {
	if p.at(token.LBrace) {
		return p.initList()
	}
	return p.assignExpr()
}

// condExpr reads c ? a : b and anything that binds tighter. A chain of conditionals does not add
// nesting depth.
func (p *parser) condExpr() ast.Expr {
	type link struct {
		from       diag.Pos
		cond, then ast.Expr
	}
	var chain []link
	var x ast.Expr
	for {
		from := p.cur.Pos
		x = p.binary(0)
		if !p.at(token.Question) || !p.chain(len(chain)+1) {
			break
		}
		p.next()
		noGreater := p.noGreater
		p.noGreater = false
		var then ast.Expr
		if !p.at(token.Colon) {
			then = p.expr()
		}
		p.noGreater = noGreater
		p.expect(token.Colon, "in the conditional expression")
		chain = append(chain, link{from, x, then})
		if p.recovering && p.quiet == 0 || p.failed && p.quiet > 0 {
			x = &ast.BadExpr{Span: p.span(p.cur.Pos)}
			break
		}
	}
	if len(chain) > 0 && p.cur.Kind.IsAssign() && p.peek(1) != token.Ellipsis { // c ? a : b = d
		from, op, pos := x.Pos(), p.cur.Kind, p.cur.Pos
		p.next()
		y := p.initClause()
		x = &ast.AssignExpr{Span: p.span(from), Op: op, OpPos: pos, X: x, Y: y}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		x = &ast.CondExpr{Span: p.span(chain[i].from), Cond: chain[i].cond, Then: chain[i].then, Else: x}
	}
	return x
}

// precedence returns how tightly a binary operator binds, or 0 if k is not a binary operator.
func precedence(k token.Kind) int {
	switch k {
	case token.PipePipe:
		return 1
	case token.AmpAmp:
		return 2
	case token.Pipe:
		return 3
	case token.Caret:
		return 4
	case token.Amp:
		return 5
	case token.Eq, token.Ne:
		return 6
	case token.Less, token.Greater, token.LessEq, token.GreaterEq:
		return 7
	case token.Shl, token.Shr:
		return 8
	case token.Plus, token.Minus:
		return 9
	case token.Star, token.Slash, token.Percent:
		return 10
	case token.DotStar, token.ArrowStar:
		return 11
	}
	return 0
}

// binary reads a binary expression whose operators bind tighter than level.
func (p *parser) binary(level int) ast.Expr {
	from := p.cur.Pos
	x := p.unary()
	for n := 1; ; n++ {
		op := p.cur.Kind
		prec := precedence(op)
		if prec <= level || p.noGreater && (op == token.Greater || op == token.Shr) || p.peek(1) == token.Ellipsis ||
			!p.chain(n) {
			return x
		}
		pos := p.cur.Pos
		if prec == 11 {
			p.notInMSL(pos, p.cur.End(), "pointers to members are")
		}
		p.next()
		y := p.binary(prec)
		x = &ast.BinaryExpr{Span: p.span(from), Op: op, OpPos: pos, X: x, Y: y}
	}
}

// unary reads prefix operators and casts.
func (p *parser) unary() ast.Expr {
	from := p.cur.Pos
	switch k := p.cur.Kind; k {
	case token.Plus, token.Minus, token.Not, token.Tilde, token.Star, token.Amp, token.PlusPlus, token.MinusMinus:
		if !p.enter() {
			p.leave()
			return &ast.BadExpr{Span: p.span(from)}
		}
		defer p.leave()
		p.next()
		x := p.unary()
		return &ast.UnaryExpr{Span: p.span(from), Op: k, X: x}
	case token.KwSizeof, token.KwAlignof:
		return p.sizeof()
	case token.KwNoexcept:
		p.next()
		open := p.i
		n := &ast.NoexceptExpr{}
		if p.expect(token.LParen, "after 'noexcept'") {
			n.X = p.expr()
			p.closeBracket(open, "after the operand of 'noexcept'")
		} else {
			n.X = &ast.BadExpr{Span: p.span(p.cur.Pos)}
		}
		n.Span = p.span(from)
		return n
	case token.KwNew, token.KwDelete:
		return p.newDelete()
	case token.Ident:
		if p.cur.Text == "__extension__" {
			p.next()
			return p.postfix()
		}
	case token.ColonColon:
		if k := p.peek(1); k == token.KwNew || k == token.KwDelete {
			p.next()
			return p.newDelete()
		}
	case token.LParen:
		if t, ok := p.castType(); ok {
			return p.cast(from, t)
		}
	}
	return p.postfix()
}

// newDelete reads new and delete in order to report them as unsupported.
func (p *parser) newDelete() ast.Expr {
	from := p.cur.Pos
	p.notInMSL(p.cur.Pos, p.cur.End(), "'new' and 'delete' are")
	isNew := p.at(token.KwNew)
	p.next()
	if !p.enter() {
		p.leave()
		return &ast.BadExpr{Span: p.span(from)}
	}
	defer p.leave()
	if !isNew {
		if p.at(token.LBrack) && p.peek(1) == token.RBrack {
			p.next()
			p.next()
		}
		p.unary()
		return &ast.BadExpr{Span: p.span(from)}
	}
	if p.at(token.LParen) && p.match[p.i] > 0 {
		p.jump(int(p.match[p.i]))
		p.next()
	}
	if p.startsType() || p.at(token.Ident) {
		p.typeSpecs()
		var d declarator
		p.pointers(&d)
		for p.at(token.LBrack) {
			p.arraySuffix()
		}
	}
	if p.at(token.LParen) || p.at(token.LBrace) {
		p.initializer()
	}
	return &ast.BadExpr{Span: p.span(from)}
}

// castType reads the (T) of a cast, if there is one here.
func (p *parser) castType() (t ast.TypeExpr, ok bool) {
	open := p.i
	start := p.mark()
	p.next()
	is := p.startsType()
	if !is && p.atName() {
		is = p.unknownCast(open)
	}
	p.reset(start)
	if !is {
		return nil, false
	}
	ok = p.try(ruleCast, func() bool {
		p.next()
		noGreater := p.noGreater
		p.noGreater = false
		t = p.typeID()
		p.noGreater = noGreater
		if !p.got(token.RParen) {
			return false
		}
		// (float(int(x))) is a type, a function of an int named x, only where a cast can be.
		_, function := t.(*ast.FuncType)
		return !function || p.startsOperand()
	})
	return t, ok
}

// startsOperand reports whether the operand of a cast can begin here.
func (p *parser) startsOperand() bool {
	switch k := p.cur.Kind; k {
	case token.Ident, token.ColonColon, token.LParen, token.LBrace, token.LBrack, token.Plus, token.Minus, token.Not,
		token.Tilde, token.Star, token.Amp, token.PlusPlus, token.MinusMinus, token.KwTrue, token.KwFalse,
		token.KwNullptr, token.KwThis, token.KwOperator, token.KwStaticCast, token.KwReinterpretCast, token.KwConstCast,
		token.KwDynamicCast, token.KwTypename, token.KwDecltype, token.KwTypeof, token.KwTypeid, token.KwSizeof,
		token.KwAlignof, token.KwNoexcept, token.KwNew, token.KwDelete:
		return true
	default:
		return k.IsLiteral() || token.KwVoid <= k && k <= token.KwAuto
	}
}

// unknownCast reports whether an unknown name in parentheses can only be a type.
func (p *parser) unknownCast(open int) bool {
	m := int(p.match[open])
	if m < 0 || p.peekName().kind != ast.NameUnknown {
		return false
	}
	switch p.toks[m-1].Kind {
	case token.Star, token.Amp, token.AmpAmp, token.KwConst:
		return true
	}
	alone := p.ahead(func() bool {
		p.name(nameInExpr)
		return p.i == m
	})
	if !alone || m+1 >= len(p.toks) {
		return false
	}
	switch k := p.toks[m+1].Kind; k {
	case token.Ident, token.KwThis, token.KwTrue, token.KwFalse, token.KwSizeof, token.KwStaticCast,
		token.KwReinterpretCast:
		return true
	default:
		return k.IsLiteral()
	}
}

// cast reads the operand of a cast.
func (p *parser) cast(from diag.Pos, t ast.TypeExpr) ast.Expr {
	c := &ast.CastExpr{Kind: ast.CStyleCast, Type: t}
	if p.at(token.LBrace) {
		c.X = p.initList()
		c.Span = p.span(from)
		return p.postfixOf(from, c)
	}
	if !p.enter() {
		p.leave()
		return &ast.BadExpr{Span: p.span(from)}
	}
	defer p.leave()
	if p.atVectorLiteral(t) {
		return p.postfixOf(from, p.vectorLiteral(from, t))
	}
	c.X = p.unary()
	c.Span = p.span(from)
	return c
}

// atVectorLiteral reports whether a dialect's vector literal goes on here: several components of a
// type with a name.
func (p *parser) atVectorLiteral(t ast.TypeExpr) bool {
	if d := p.opts.Dialect; d == nil || !d.VectorLiterals || !p.at(token.LParen) {
		return false
	}
	if _, ok := t.(*ast.NamedType); !ok {
		return false
	}
	for i := p.i + 1; i < int(p.match[p.i]); i++ {
		switch p.toks[i].Kind {
		case token.Comma:
			return true
		case token.LParen, token.LBrack, token.LBrace:
			i = max(i, int(p.match[i]))
		}
	}
	return false
}

// vectorLiteral reads the components of (float4)(a, b, c, d).
func (p *parser) vectorLiteral(from diag.Pos, t ast.TypeExpr) ast.Expr {
	open := p.i
	p.next()
	x := &ast.ConstructExpr{Type: t, Args: p.args()}
	p.closeBracket(open, "after the components")
	x.Span = p.span(from)
	return x
}

func (p *parser) sizeof() ast.Expr {
	from := p.cur.Pos
	n := &ast.SizeofExpr{Align: p.at(token.KwAlignof)}
	p.next()
	if p.at(token.Ellipsis) {
		p.next()
		pack := &ast.SizeofPackExpr{Pack: &ast.Ident{Span: p.span(from)}}
		open := p.i
		if p.expect(token.LParen, "after 'sizeof...'") {
			pack.Pack = p.ident()
			p.closeBracket(open, "after the pack")
		}
		pack.Span = p.span(from)
		return pack
	}
	if p.at(token.LParen) {
		open := p.i
		start := p.mark()
		p.next()
		is := p.startsType() || p.atName() && p.unknownCast(open)
		p.reset(start)
		if is && p.try(ruleSizeof, func() bool {
			p.next()
			noGreater := p.noGreater
			p.noGreater = false
			n.Type = p.typeID()
			p.noGreater = noGreater
			return p.got(token.RParen)
		}) {
			n.Span = p.span(from)
			return n
		}
		n.Type = nil
	}
	if !p.enter() {
		p.leave()
		return &ast.BadExpr{Span: p.span(from)}
	}
	defer p.leave()
	n.X = p.unary()
	n.Span = p.span(from)
	return n
}

// args reads the arguments of a call, up to the closing parenthesis.
func (p *parser) args() (list []ast.Expr) {
	noGreater := p.noGreater
	p.noGreater = false
	for !p.at(token.RParen) && !p.at(token.EOF) {
		before, from := p.i, p.cur.Pos
		x := p.initClause()
		if p.got(token.Ellipsis) {
			x = &ast.PackExpr{Span: p.span(from), X: x}
		}
		list = append(list, x)
		if !p.got(token.Comma) {
			break
		}
		if p.at(token.RParen) {
			p.unexpected(diag.ExpectedExpression, "an expression after ','")
		}
		if p.i == before {
			break
		}
	}
	p.noGreater = noGreater
	return list
}

// initList reads {...}.
func (p *parser) initList() *ast.InitList {
	from, open := p.cur.Pos, p.i
	l := &ast.InitList{}
	p.next()
	if !p.enter() {
		p.leave()
		l.Span = p.span(from)
		return l
	}
	defer p.leave()
	noGreater := p.noGreater
	p.noGreater = false
	for !p.at(token.RBrace) && !p.at(token.EOF) {
		before, eFrom := p.i, p.cur.Pos
		var x ast.Expr
		switch {
		case p.at(token.Dot) && p.peek(1) == token.Ident:
			p.next()
			d := &ast.DesignatedInit{Field: p.ident()}
			d.X = p.designated(!p.at(token.LBrace), "after the designated member")
			d.Span = p.span(eFrom)
			x = d
		case p.at(token.LBrack) && p.designatesIndex():
			iOpen := p.i
			p.next()
			d := &ast.DesignatedInit{Index: p.assignOrCond()}
			if p.got(token.Ellipsis) {
				d.High = p.assignOrCond()
			}
			p.closeBracket(iOpen, "after the designated index")
			d.X = p.designated(true, "after the designated index")
			d.Span = p.span(eFrom)
			x = d
		default:
			x = p.initClause()
		}
		if p.got(token.Ellipsis) {
			x = &ast.PackExpr{Span: p.span(eFrom), X: x}
		}
		l.Elems = append(l.Elems, x)
		if !p.got(token.Comma) || p.i == before {
			break
		}
	}
	p.noGreater = noGreater
	if p.at(token.Semi) && p.quiet == 0 { // the brace that seems to close the list really closes the enclosing block
		p.expect(token.RBrace, "to end the initializer list")
		p.recovering = false
	} else {
		p.closeBracket(open, "to end the initializer list")
	}
	l.Span = p.span(from)
	return l
}

// designated reads what follows a designator: the value, or another designator. The second
// designator of .a.b = 1 or [1].x = 2 becomes the only one of a nested list.
func (p *parser) designated(assign bool, where string) ast.Expr {
	from := p.cur.Pos
	switch {
	case p.at(token.Dot) && p.peek(1) == token.Ident:
		p.next()
		d := &ast.DesignatedInit{Field: p.ident()}
		d.X = p.designated(true, where)
		d.Span = p.span(from)
		return &ast.InitList{Span: d.Span, Elems: []ast.Expr{d}}
	case p.at(token.LBrack) && p.match[p.i] > int32(p.i)+1:
		open := p.i
		p.next()
		d := &ast.DesignatedInit{Index: p.assignOrCond()}
		p.closeBracket(open, where)
		d.X = p.designated(true, where)
		d.Span = p.span(from)
		return &ast.InitList{Span: d.Span, Elems: []ast.Expr{d}}
	}
	if assign {
		p.expect(token.Assign, where)
	}
	return p.initClause()
}

// designatesIndex reports whether [i] = comes next rather than a lambda.
func (p *parser) designatesIndex() bool {
	if p.match[p.i] <= int32(p.i)+1 {
		return false
	}
	switch p.afterClose(p.i) {
	case token.Assign:
		return true
	case token.Dot, token.LBrack: // a member or element of an element
		return true
	}
	return false
}

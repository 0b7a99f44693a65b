package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// block reads { statements } in the current scope.
func (p *parser) block(where string) *ast.BlockStmt {
	b := &ast.BlockStmt{}
	from, open := p.cur.Pos, p.i
	if !p.expect(token.LBrace, where) {
		b.Span = ast.Span{From: from, To: from}
		return b
	}
	if !p.enter() {
		p.leave()
		b.Span = p.span(from)
		return b
	}
	defer p.leave()
	for !p.at(token.RBrace) && !p.at(token.EOF) {
		if p.quiet == 0 && p.sink.Full() {
			p.abortSilently()
			break
		}
		before := p.i
		b.List = p.stmtInto(b.List)
		p.recoverStmt(before)
	}
	b.Math = p.cur.Flags & (token.SafeMath | token.FastMath)
	p.closeBracket(open, "to end the block")
	b.Span = p.span(from)
	return b
}

// recoverStmt resynchronizes after the statement that began at token index before.
func (p *parser) recoverStmt(before int) {
	if p.quiet > 0 || p.aborted {
		return
	}
	if p.recovering {
		p.syncStmt(before)
		p.recovering = false
	}
	p.markBroken(before)
	if p.i == before && !p.at(token.EOF) && !p.at(token.RBrace) {
		p.next()
	}
}

// syncStmt skips to the end of a broken statement.
func (p *parser) syncStmt(before int) {
	for !p.at(token.EOF) {
		switch p.cur.Kind {
		case token.Semi:
			p.next()
			return
		case token.RBrace:
			return
		case token.LBrace:
			if m := int(p.match[p.i]); m > p.i {
				p.jump(m)
				p.next()
				p.got(token.Semi)
				return
			}
		case token.LParen, token.LBrack:
			if m := int(p.match[p.i]); m > p.i {
				p.jump(m)
			}
		}
		if p.i > before && p.cur.Flags&token.AtLineStart != 0 && p.beginsStmt() {
			return
		}
		p.next()
	}
}

// beginsStmt reports whether the current token, at the start of a line, can begin a statement.
func (p *parser) beginsStmt() bool {
	switch k := p.cur.Kind; k {
	case token.KwIf, token.KwFor, token.KwWhile, token.KwDo, token.KwSwitch, token.KwReturn, token.KwBreak,
		token.KwContinue,
		token.KwCase, token.KwDefault, token.KwConst, token.KwConstexpr, token.KwStatic, token.KwAuto, token.KwUsing,
		token.KwTypedef:
		return true
	default:
		return k.IsAddrSpace() || token.KwVoid <= k && k <= token.KwUnsigned
	}
}

// stmtInto reads a statement and the labels before it, and appends them to list.
func (p *parser) stmtInto(list []ast.Stmt) []ast.Stmt {
	for n := 1; p.chain(n); n++ {
		from := p.cur.Pos
		switch {
		case p.at(token.KwCase):
			p.next()
			c := &ast.CaseStmt{X: p.assignOrCond()}
			if p.got(token.Ellipsis) {
				c.High = p.assignOrCond()
			}
			p.expect(token.Colon, "after the case")
			c.Span = p.span(from)
			list = append(list, c)
		case p.at(token.KwDefault):
			p.next()
			p.expect(token.Colon, "after 'default'")
			list = append(list, &ast.CaseStmt{Span: p.span(from)})
		case p.at(token.Ident) && p.peek(1) == token.Colon:
			p.notInMSL(from, p.cur.End(), "labels and 'goto' are")
			l := &ast.LabelStmt{Label: p.ident()}
			p.next()
			l.Span = p.span(from)
			list = append(list, l)
		case p.at(token.RBrace):
			return list
		default:
			return append(list, p.stmt())
		}
		if p.recovering && p.quiet == 0 {
			return list
		}
	}
	return list
}

// body reads the substatement of a control statement in its own scope.
func (p *parser) body() ast.Stmt {
	sc := p.push(blockScope)
	defer p.pop(sc)
	from := p.cur.Pos
	switch {
	case p.at(token.LBrace):
		return p.block("")
	case p.at(token.RBrace), p.at(token.EOF):
		p.unexpected(diag.ExpectedStatement, "a statement")
		return &ast.BadStmt{Span: ast.Span{From: from, To: from}}
	}
	before := p.i
	list := p.stmtInto(nil)
	if p.recovering && p.quiet == 0 && !p.aborted {
		p.syncStmt(before)
		p.recovering = false
	}
	if p.quiet == 0 {
		p.markBroken(before)
	}
	if len(list) == 1 {
		return list[0]
	}
	return &ast.BlockStmt{Span: p.span(from), List: list, Implicit: true}
}

func (p *parser) stmt() ast.Stmt {
	from := p.cur.Pos
	if !p.enter() {
		p.leave()
		return &ast.BadStmt{Span: p.span(from)}
	}
	defer p.leave()
	switch p.cur.Kind {
	case token.LBrace:
		sc := p.push(blockScope)
		defer p.pop(sc)
		return p.block("")
	case token.Semi:
		p.next()
		return &ast.EmptyStmt{Span: p.span(from)}
	case token.LBrack:
		if p.peek(1) == token.LBrack {
			return p.attrStmt()
		}
	case token.KwAttribute:
		if p.opts.Dialect != nil && p.beforeLoop() {
			a := &ast.AttrStmt{Attrs: p.attributes(), Stmt: p.stmt()}
			a.Span = p.span(from)
			return a
		}
	case token.KwIf:
		return p.ifStmt()
	case token.KwSwitch:
		return p.switchStmt()
	case token.KwFor:
		return p.forStmt()
	case token.KwWhile:
		return p.whileStmt()
	case token.KwDo:
		return p.doStmt()
	case token.KwBreak:
		p.next()
		p.semi("'break'")
		return &ast.BreakStmt{Span: p.span(from)}
	case token.KwContinue:
		p.next()
		p.semi("'continue'")
		return &ast.ContinueStmt{Span: p.span(from)}
	case token.KwReturn:
		p.next()
		r := &ast.ReturnStmt{}
		if !p.at(token.Semi) {
			if p.at(token.LBrace) {
				r.X = p.initList()
			} else {
				r.X = p.expr()
			}
		}
		p.semi("return statement")
		r.Span = p.span(from)
		return r
	case token.KwGoto:
		p.notInMSL(from, p.cur.End(), "labels and 'goto' are")
		p.next()
		g := &ast.GotoStmt{Label: p.ident()}
		p.semi("'goto'")
		g.Span = p.span(from)
		return g
	case token.KwTry:
		p.notInMSL(from, p.cur.End(), "exceptions are")
		p.next()
		b := p.body()
		for p.at(token.KwCatch) {
			p.next()
			if p.at(token.LParen) && p.match[p.i] > 0 {
				p.jump(int(p.match[p.i]))
				p.next()
			}
			p.body()
		}
		return b
	case token.KwElse:
		p.errorf(diag.ExpectedStatement, from, p.cur.End(), "'else' without a previous 'if'")
		p.next()
		p.recovering = false
		return p.body()
	case token.KwAsm:
		p.notInMSL(from, p.cur.End(), "inline assembly is")
		p.recovering = p.quiet == 0
		p.next()
		return &ast.BadStmt{Span: p.span(from)}
	}
	if p.declares() {
		d := &ast.DeclStmt{Decls: p.declaration(place{})}
		d.Span = p.span(from)
		return d
	}
	x := p.expr()
	p.semi("expression")
	return &ast.ExprStmt{Span: p.span(from), X: x}
}

func (p *parser) attrStmt() ast.Stmt {
	from := p.cur.Pos
	start := p.mark()
	n := p.i
	for p.toks[n].Kind == token.LBrack && p.toks[n+1].Kind == token.LBrack && p.match[n] > 0 {
		n = int(p.match[n]) + 1
	}
	p.jump(n)
	declares := p.declares()
	p.reset(start)
	if declares {
		d := &ast.DeclStmt{Decls: p.declaration(place{})}
		d.Span = p.span(from)
		return d
	}
	a := &ast.AttrStmt{Attrs: p.attributes()}
	if p.at(token.RBrace) {
		p.unexpected(diag.ExpectedStatement, "a statement after the attributes")
		a.Stmt = &ast.BadStmt{Span: p.span(p.cur.Pos)}
	} else {
		a.Stmt = p.stmt()
	}
	a.Span = p.span(from)
	return a
}

// declares reports whether a declaration begins here, where an expression is also possible.
func (p *parser) declares() bool {
	switch k := p.cur.Kind; {
	case k == token.KwConst, k == token.KwVolatile, k.IsAddrSpace(), k == token.KwStatic, k == token.KwConstexpr,
		k == token.KwExtern,
		k == token.KwInline, k == token.KwTypedef, k == token.KwUsing, k == token.KwNamespace, k == token.KwStruct,
		k == token.KwClass,
		k == token.KwUnion, k == token.KwEnum, k == token.KwStaticAssert, k == token.KwTemplate, k == token.KwRegister,
		k == token.KwThreadLocal, k == token.KwAlignas, k == token.KwAttribute, k == token.KwMutable, k == token.KwFriend,
		k == token.KwVirtual, k == token.KwExplicit, k == token.KwKernel, k == token.KwVertex, k == token.KwFragment,
		k == token.KwExport:
		return true
	case k == token.KwAuto:
		return p.peek(1) != token.LParen && p.peek(1) != token.LBrace
	case token.KwVoid <= k && k <= token.KwUnsigned:
		switch q := p.peek(1); {
		case q == token.Ident, q.IsKeyword(), q == token.Star, q == token.Amp:
			return true
		case q == token.LBrace:
			return false
		}
		return p.tryDeclaration()
	case k == token.KwTypename, k == token.KwDecltype, k == token.KwTypeof:
		return p.tryDeclaration()
	case k == token.Ident && p.cur.Text == "__extension__":
		start := p.mark()
		defer p.reset(start)
		p.next()
		return p.declares()
	case k == token.Ident && p.opts.Dialect.Host() && (deviceWord(p.cur.Text) || takesParens(p.cur)):
		return true
	case k == token.Ident, k == token.ColonColon:
		return p.nameDeclares()
	}
	return false
}

// nameDeclares decides whether a name begins a declaration or an expression.
func (p *parser) nameDeclares() bool {
	if p.at(token.Ident) && p.peek(1) != token.ColonColon && p.peek(1) != token.Less {
		e := p.lookup(p.cur.Text)
		switch k := p.peek(1); {
		case k == token.Ident:
			return true
		case e.kind == ast.NameValue, e.kind == ast.NameValueTemplate, e.kind == ast.NameNamespace:
			return false
		case k == token.LBrace, k == token.Dot, k == token.Assign, k == token.Semi, k == token.Arrow:
			return false
		case e.kind == ast.NameUnknown:
			return p.guessDeclaration()
		}
		return p.tryDeclaration()
	}
	ref := p.peekName()
	switch {
	case ref.name == nil:
		return false
	case ref.kind == ast.NameValue, ref.kind == ast.NameValueTemplate, ref.kind == ast.NameNamespace:
		return false
	case ref.kind == ast.NameUnknown:
		return p.guessDeclaration()
	}
	return p.tryDeclaration()
}

// guessDeclaration makes that decision for an unknown name.
func (p *parser) guessDeclaration() bool {
	return p.ahead(func() bool {
		p.name(nameInExpr)
		switch p.cur.Kind {
		case token.Ident, token.KwConst, token.KwVolatile, token.KwThread, token.KwDevice, token.KwConstant,
			token.KwThreadgroup:
			return true
		case token.Star, token.Amp, token.AmpAmp:
			if k := p.peek(1); k != token.Ident {
				return k == token.KwConst || k == token.KwVolatile || k == token.KwRestrict || k.IsAddrSpace()
			}
			operand := p.lookup(p.toks[p.i+1].Text).kind
			return p.peek(2) == token.Assign || p.peek(2) == token.Semi && operand != ast.NameValue
		}
		return false
	})
}

// tryDeclaration reports whether specifiers, a declarator and a token that may follow them come
// next.
func (p *parser) tryDeclaration() bool {
	start := p.mark()
	ok := p.try(ruleDecl, func() bool {
		s := p.declSpecs(specDecl)
		if !s.hasType() {
			return false
		}
		d := p.declarator(declVariable, s)
		if d.name == nil && d.binding == nil || d.name != nil && d.name.Last().Kind != ast.PartIdent {
			return false
		}
		switch p.cur.Kind {
		case token.Semi, token.Comma, token.Assign, token.LBrace, token.Colon, token.LParen:
			return true
		}
		// `T x y` is a declaration with a mistake in it, unless its parentheses may be those of a
		// call.
		return !d.nested && d.fn() == nil
	})
	p.reset(start)
	return ok
}

// beforeLoop reports whether a loop follows __attribute__((...)): a dialect has hints there.
func (p *parser) beforeLoop() bool {
	if p.peek(1) != token.LParen {
		return false
	}
	switch p.toks[p.match[p.i+1]+1].Kind {
	case token.KwFor, token.KwWhile, token.KwDo:
		return true
	}
	return false
}

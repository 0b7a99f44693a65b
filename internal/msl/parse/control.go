package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// header reads the parenthesized header of if, while or switch: an optional init statement, then an
// expression or a declaration.
func (p *parser) header(of string, withInit bool) (init ast.Stmt, cond ast.Expr, v *ast.VarDecl) {
	open := p.i
	from := p.cur.Pos
	if !p.expect(token.LParen, "after '"+of+"'") {
		return nil, &ast.BadExpr{Span: ast.Span{From: from, To: from}}, nil
	}
	noGreater := p.noGreater
	p.noGreater = false
	if withInit && p.hasSemi(open) {
		init = p.forInit()
	}
	cond, v = p.condition()
	p.noGreater = noGreater
	p.closeBracket(open, "after the condition of '"+of+"'")
	return init, cond, v
}

// hasSemi reports whether the parentheses that open here directly contain a semicolon.
func (p *parser) hasSemi(open int) bool {
	end := int(p.match[open])
	for i := open + 1; i < end; i++ {
		switch p.toks[i].Kind {
		case token.Semi:
			return true
		case token.LParen, token.LBrace, token.LBrack:
			if m := int(p.match[i]); m > i {
				i = m
			}
		}
	}
	return false
}

// condition reads an expression, or a declaration with an initializer.
func (p *parser) condition() (ast.Expr, *ast.VarDecl) {
	from := p.cur.Pos
	var v *ast.VarDecl
	k := p.cur.Kind
	maybe := p.startsType() || k == token.Ident && p.peek(1) == token.Ident
	if maybe && p.try(ruleCondition, func() bool {
		s := p.declSpecs(specDecl)
		if !s.hasType() {
			return false
		}
		d := p.declarator(declCondition, s)
		if d.name == nil || !p.at(token.Assign) && !p.at(token.LBrace) {
			return false
		}
		v = &ast.VarDecl{Spec: s.spec, Attrs: append(s.attrs, d.attrs...), Type: p.apply(s.typ(), &d), Name: d.name}
		return true
	}) {
		p.declare(v.Name.Simple(), entry{kind: ast.NameValue})
		v.InitKind, v.Init, v.Args = p.initializer()
		v.Span = p.span(from)
		return nil, v
	}
	return p.expr(), nil
}

// forInit reads the init statement of a header.
func (p *parser) forInit() ast.Stmt {
	from := p.cur.Pos
	switch {
	case p.at(token.Semi):
		p.next()
		return &ast.EmptyStmt{Span: p.span(from)}
	case p.at(token.LBrack) && p.peek(1) == token.LBrack, p.declares():
		d := &ast.DeclStmt{Decls: p.declaration(place{})}
		d.Span = p.span(from)
		return d
	}
	x := p.expr()
	p.semi("expression")
	return &ast.ExprStmt{Span: p.span(from), X: x}
}

// ifStmt reads an if with its chain of else-ifs. The chain does not add nesting depth.
func (p *parser) ifStmt() ast.Stmt {
	first, last := (*ast.IfStmt)(nil), (*ast.IfStmt)(nil)
	outer := p.scope
	defer func() { p.scope = outer }()
	var all []*ast.IfStmt
	for p.chain(len(all)) {
		s := &ast.IfStmt{}
		s.From = p.cur.Pos
		p.next()
		s.Constexpr = p.got(token.KwConstexpr)
		p.push(blockScope)
		s.Init, s.Cond, s.CondVar = p.header("if", true)
		s.Then = p.thenBody()
		all = append(all, s)
		if first == nil {
			first = s
		} else {
			last.Else = s
		}
		last = s
		if p.recovering && p.quiet == 0 || !p.at(token.KwElse) {
			break
		}
		s.ElsePos = p.cur.Pos
		p.next()
		if p.at(token.KwIf) {
			continue
		}
		s.Else = p.body()
		break
	}
	for _, s := range all {
		s.To = p.prevEnd
	}
	if first == nil {
		return &ast.BadStmt{Span: p.span(p.cur.Pos)}
	}
	return first
}

// thenBody is body, but also handles an error in the header that the parser has not recovered from.
func (p *parser) thenBody() ast.Stmt {
	if p.recovering && p.quiet == 0 && !p.at(token.LBrace) {
		return &ast.BadStmt{Span: ast.Span{From: p.cur.Pos, To: p.cur.Pos}}
	}
	if !p.aborted {
		p.recovering = false
	}
	return p.body()
}

func (p *parser) switchStmt() ast.Stmt {
	s := &ast.SwitchStmt{}
	from := p.cur.Pos
	p.next()
	sc := p.push(blockScope)
	defer p.pop(sc)
	s.Init, s.Cond, s.CondVar = p.header("switch", true)
	body := p.thenBody()
	b, ok := body.(*ast.BlockStmt)
	if !ok {
		b = &ast.BlockStmt{Span: ast.Span{From: body.Pos(), To: body.End()}, List: []ast.Stmt{body}, Implicit: true}
	}
	s.Body = b
	s.Span = p.span(from)
	return s
}

func (p *parser) whileStmt() ast.Stmt {
	s := &ast.WhileStmt{}
	from := p.cur.Pos
	p.next()
	sc := p.push(blockScope)
	defer p.pop(sc)
	_, s.Cond, s.CondVar = p.header("while", false)
	s.Body = p.thenBody()
	s.Span = p.span(from)
	return s
}

func (p *parser) doStmt() ast.Stmt {
	s := &ast.DoStmt{}
	from := p.cur.Pos
	p.next()
	s.Body = p.body()
	if p.expect(token.KwWhile, "after the body of 'do'") {
		open := p.i
		if p.expect(token.LParen, "after 'while'") {
			s.Cond = p.expr()
			p.closeBracket(open, "after the condition of 'while'")
		}
		p.semi("'do ... while (...)'")
	}
	if s.Cond == nil {
		s.Cond = &ast.BadExpr{Span: p.span(p.cur.Pos)}
	}
	s.Span = p.span(from)
	return s
}

func (p *parser) forStmt() ast.Stmt {
	from := p.cur.Pos
	p.next()
	sc := p.push(blockScope)
	defer p.pop(sc)
	open := p.i
	if !p.expect(token.LParen, "after 'for'") {
		return &ast.BadStmt{Span: p.span(from)}
	}
	noGreater := p.noGreater
	p.noGreater = false
	if r := p.rangeFor(open); r != nil {
		p.noGreater = noGreater
		p.closeBracket(open, "after the range")
		r.Body = p.thenBody()
		r.Span = p.span(from)
		return r
	}
	s := &ast.ForStmt{Init: p.forInit()}
	if !p.at(token.Semi) && !p.at(token.RParen) {
		s.Cond, s.CondVar = p.condition()
	}
	p.expect(token.Semi, "after the condition of 'for'")
	if !p.at(token.RParen) && !(p.recovering && p.quiet == 0) {
		s.Post = p.expr()
	}
	p.noGreater = noGreater
	p.closeBracket(open, "after the header of 'for'")
	s.Body = p.thenBody()
	s.Span = p.span(from)
	return s
}

// rangeFor reads the header of a range-based for, up to its closing parenthesis. It returns nil if
// the header is not of that form.
func (p *parser) rangeFor(open int) *ast.RangeForStmt {
	colon, semi := p.rangeColon(open)
	if colon == 0 {
		return nil
	}
	r := &ast.RangeForStmt{}
	if semi > 0 && semi < colon {
		r.Init = p.forInit()
	}
	from := p.cur.Pos
	attrs := p.attributes()
	s := p.declSpecs(specDecl)
	if !s.hasType() {
		p.complain(diag.ExpectedType, p.cur.Pos, p.cur.End(), "expected the type of the range's variable, found %s", p.cur)
	}
	d := p.declarator(declVariable, s)
	attrs = append(append(attrs, s.attrs...), d.attrs...)
	if d.binding != nil {
		b := &ast.BindingDecl{Spec: s.spec, Attrs: attrs, Type: p.apply(s.typ(), &d), Names: d.binding}
		b.Span = p.span(from)
		r.Var = b
	} else {
		v := &ast.VarDecl{Spec: s.spec, Attrs: attrs, Type: p.apply(s.typ(), &d), Name: d.name}
		v.Span = p.span(from)
		r.Var = v
	}
	p.expect(token.Colon, "after the variable of the range")
	r.Range = p.initClause()
	p.declare(d.name.Simple(), entry{kind: ast.NameValue})
	for _, n := range d.binding {
		p.declare(n.Name, entry{kind: ast.NameValue})
	}
	return r
}

// rangeColon returns the indices of the colon and the semicolon directly within the header of a
// for. A colon belongs to a range if no semicolon follows it and no question mark precedes it.
func (p *parser) rangeColon(open int) (colon, semi int) {
	end := int(p.match[open])
	for i := open + 1; i < end; i++ {
		switch p.toks[i].Kind {
		case token.Question:
			if colon == 0 {
				return 0, semi
			}
		case token.Semi:
			if colon > 0 || semi > 0 {
				return 0, i
			}
			semi = i
		case token.Colon:
			if colon == 0 {
				colon = i
			}
		case token.LParen, token.LBrace, token.LBrack:
			if m := int(p.match[i]); m > i {
				i = m
			}
		}
	}
	return colon, semi
}

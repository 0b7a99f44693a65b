package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// lambda reads [captures](params) -> result { body }.
func (p *parser) lambda() ast.Expr {
	from, open := p.cur.Pos, p.i
	l := &ast.LambdaExpr{}
	if !p.enter() {
		p.leave()
		return &ast.BadExpr{Span: p.span(from)}
	}
	defer p.leave()
	outer, noGreater, late := p.scope, p.noGreater, p.late
	defer func() { p.scope, p.noGreater, p.late = outer, noGreater, late }()
	p.noGreater, p.late = false, nil
	p.next()
	p.push(blockScope)
	p.captures(l)
	p.closeBracket(open, "after the captures")
	if p.at(token.Less) {
		p.notInMSL(p.cur.Pos, p.cur.End(), "template parameters of lambdas are")
		p.push(templateScope)
		l.Template = p.templateParams()
		p.push(blockScope)
	}
	for p.opts.Dialect.Host() && (p.cur.Is("__device__") || p.cur.Is("__host__")) {
		p.next()
	}
	var f function
	if p.at(token.LParen) {
		pOpen := p.i
		p.next()
		p.params(&f)
		p.closeBracket(pOpen, "after the parameters")
	}
	for p.at(token.KwMutable) || p.at(token.KwConstexpr) {
		l.Mutable = l.Mutable || p.at(token.KwMutable)
		p.next()
	}
	p.funcQuals(&f, false)
	if p.got(token.Arrow) {
		l.Result = p.typeID()
	}
	l.Params, l.Variadic, l.Quals, l.Attrs = f.params, f.variadic, f.quals, f.attrs
	l.Body = p.block("to begin the body of the lambda")
	l.Span = p.span(from)
	return l
}

func (p *parser) captures(l *ast.LambdaExpr) {
	switch {
	case p.at(token.Assign):
		l.Default = ast.CaptureByCopy
	case p.at(token.Amp) && (p.peek(1) == token.RBrack || p.peek(1) == token.Comma):
		l.Default = ast.CaptureByRef
	}
	if l.Default != ast.CaptureNone {
		p.next()
		if !p.got(token.Comma) {
			return
		}
	}
	for !p.at(token.RBrack) && !p.at(token.EOF) {
		from := p.cur.Pos
		var c ast.Capture
		switch {
		case p.at(token.Star) && p.peek(1) == token.KwThis:
			p.next()
			c.Copy = true
		case p.got(token.Amp):
			c.Ref = true
		}
		pack := p.got(token.Ellipsis)
		switch {
		case p.at(token.KwThis), p.at(token.Ident):
			c.Name = p.cur.Text
			p.next()
		default:
			p.unexpected(diag.BadLambda, "a capture")
			return
		}
		c.Pack = p.got(token.Ellipsis) || pack
		switch p.cur.Kind {
		case token.Assign:
			p.next()
			c.Init = p.initClause()
		case token.LParen, token.LBrace:
			var args []ast.Expr
			_, c.Init, args = p.initializer()
			if c.Init == nil && len(args) == 1 {
				c.Init = args[0]
			}
		}
		if c.Init != nil {
			p.declare(c.Name, entry{kind: ast.NameValue})
		}
		c.Span = p.span(from)
		l.Captures = append(l.Captures, c)
		if !p.got(token.Comma) {
			return
		}
	}
}

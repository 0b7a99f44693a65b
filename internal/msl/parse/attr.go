package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// attributes reads all attributes at the current position, in any syntax.
func (p *parser) attributes() []*ast.Attr {
	var list []*ast.Attr
	for {
		switch {
		case p.at(token.LBrack) && p.peek(1) == token.LBrack:
			list = p.attributeList(list)
		case p.at(token.KwAttribute):
			list = p.gnuAttributes(list)
		case p.at(token.KwAlignas):
			list = append(list, p.alignas())
		case p.at(token.Ident) && p.atMetalMacro():
			list = append(list, p.metalMacro())
		case p.at(token.Ident) && p.opts.Dialect.Host() && p.deviceAttr(&list):
		default:
			return list
		}
	}
}

// atMetalMacro reports whether the current token is an unexpanded macro of Metal's headers that
// stands for attributes.
func (p *parser) atMetalMacro() bool {
	switch p.cur.Text {
	case "METAL_FUNC", "METAL_INTERNAL", "METAL_CONST_ARG", "METAL_ASM", "__extension__":
		return true
	}
	return p.opts.Dialect.Qualifier(p.cur.Text)
}

// metalMacro reads such a macro as an attribute of the same name.
func (p *parser) metalMacro() *ast.Attr {
	from := p.cur.Pos
	a := &ast.Attr{Name: p.cur.Text, GNU: true}
	takes := p.cur.Text == "METAL_CONST_ARG" || p.cur.Text == "METAL_ASM"
	p.next()
	if open := p.i; takes && p.got(token.LParen) {
		a.Parens = true
		a.Args = p.typeOrExprs()
		p.closeBracket(open, "after the arguments of the macro")
	}
	a.Span = p.span(from)
	return a
}

// attributeList reads [[...]].
func (p *parser) attributeList(list []*ast.Attr) []*ast.Attr {
	outer := p.i
	p.next()
	inner := p.i
	p.next()
	scope := ""
	if p.got(token.KwUsing) {
		scope = p.cur.Text
		p.next()
		p.expect(token.Colon, "after the scope of attributes")
	}
	list = p.attributeItems(list, scope, false, token.RBrack)
	p.closeBracket(inner, "after the attributes")
	p.closeBracket(outer, "after the attributes")
	return list
}

// gnuAttributes reads __attribute__((...)).
func (p *parser) gnuAttributes(list []*ast.Attr) []*ast.Attr {
	p.next()
	outer := p.i
	if !p.expect(token.LParen, "after '__attribute__'") {
		return list
	}
	inner := p.i
	if !p.expect(token.LParen, "after '__attribute__('") {
		p.closeBracket(outer, "after the attributes")
		return list
	}
	list = p.attributeItems(list, "", true, token.RParen)
	p.closeBracket(inner, "after the attributes")
	p.closeBracket(outer, "after the attributes")
	return list
}

func (p *parser) attributeItems(list []*ast.Attr, scope string, gnu bool, end token.Kind) []*ast.Attr {
	for !p.at(end) && !p.at(token.EOF) {
		if p.got(token.Comma) {
			continue
		}
		from := p.cur.Pos
		if !p.at(token.Ident) && !p.cur.Kind.IsKeyword() {
			p.unexpected(diag.ExpectedName, "the name of an attribute")
			return list
		}
		a := &ast.Attr{Scope: scope, Name: p.cur.Text, GNU: gnu}
		p.next()
		if p.got(token.ColonColon) {
			a.Scope, a.Name = a.Name, p.cur.Text
			if !p.at(token.Ident) && !p.cur.Kind.IsKeyword() {
				p.unexpected(diag.ExpectedName, "the name of an attribute")
				return list
			}
			p.next()
		}
		if p.at(token.LParen) {
			open := p.i
			p.next()
			a.Parens = true
			a.Args = p.attributeArgs()
			p.closeBracket(open, "after the arguments of the attribute")
		}
		a.Span = p.span(from)
		p.unknownAttribute(a)
		list = append(list, a)
		p.got(token.Ellipsis)
		if !p.at(token.Comma) && !p.at(token.Ident) { // generated code may omit the comma, and compilers accept that
			return list
		}
	}
	return list
}

// attributeArgs reads the arguments of an attribute. A lone word is read as a name even if it is a
// keyword, since attributes define words of their own.
func (p *parser) attributeArgs() (args []ast.Expr) {
	for !p.at(token.RParen) && !p.at(token.EOF) {
		before := p.i
		if k := p.cur.Kind; (k == token.Ident || k.IsKeyword()) && (p.peek(1) == token.Comma || p.peek(1) == token.RParen) {
			part := ast.NamePart{Span: ast.Span{From: p.cur.Pos, To: p.cur.End()}, Ident: p.cur.Text}
			p.next()
			args = append(args, &ast.NameExpr{Span: part.Span, Name: &ast.Name{Span: part.Span, Parts: []ast.NamePart{part}}})
		} else {
			args = append(args, p.typeOrExpr(token.RParen))
		}
		if !p.got(token.Comma) || p.i == before {
			break
		}
	}
	return args
}

// typeOrExprs reads a list of types and expressions up to the closing parenthesis.
func (p *parser) typeOrExprs() (args []ast.Expr) {
	noGreater := p.noGreater
	p.noGreater = false
	defer func() { p.noGreater = noGreater }()
	for !p.at(token.RParen) && !p.at(token.EOF) {
		before := p.i
		args = append(args, p.typeOrExpr(token.RParen))
		if !p.got(token.Comma) || p.i == before {
			break
		}
	}
	return args
}

func (p *parser) typeOrExpr(end token.Kind) ast.Expr {
	from := p.cur.Pos
	var t ast.TypeExpr
	if p.startsType() && p.try(ruleTrait, func() bool {
		t = p.typeID()
		return p.at(token.Comma) || p.at(end)
	}) {
		return &ast.TypeValue{Span: p.span(from), Type: t}
	}
	x := p.initClause()
	if p.got(token.Ellipsis) {
		x = &ast.PackExpr{Span: p.span(from), X: x}
	}
	return x
}

// alignas reads alignas(...), which is stored as an attribute of that name.
func (p *parser) alignas() *ast.Attr {
	from := p.cur.Pos
	a := &ast.Attr{Name: "alignas", Parens: true}
	p.next()
	open := p.i
	if p.expect(token.LParen, "after 'alignas'") {
		a.Args = p.typeOrExprs()
		p.closeBracket(open, "after the argument of 'alignas'")
	}
	a.Span = p.span(from)
	return a
}

// asmLabel reads asm("name") after a declarator, which is stored as an attribute named asm.
func (p *parser) asmLabel() *ast.Attr {
	from := p.cur.Pos
	a := &ast.Attr{Name: "asm", Parens: true, GNU: true}
	p.next()
	open := p.i
	if p.expect(token.LParen, "after 'asm'") {
		a.Args = p.typeOrExprs()
		p.closeBracket(open, "after the label")
	}
	a.Span = p.span(from)
	return a
}

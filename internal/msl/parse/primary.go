package parse

import (
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// postfix reads a primary expression and its postfix operators.
func (p *parser) postfix() ast.Expr {
	from := p.cur.Pos
	return p.postfixOf(from, p.primary())
}

// postfixOf reads the postfix operators of an expression: calls, indices, members, ++ and --.
func (p *parser) postfixOf(from diag.Pos, x ast.Expr) ast.Expr {
	for n := 1; ; n++ {
		if p.recovering && p.quiet == 0 || !p.chain(n) {
			return x
		}
		switch p.cur.Kind {
		case token.LParen:
			open := p.i
			p.next()
			var args []ast.Expr
			if isTrait(x) {
				args = p.typeOrExprs()
			} else {
				args = p.args()
			}
			p.closeBracket(open, "after the arguments")
			x = &ast.CallExpr{Span: p.span(from), Fun: x, Args: args}
		case token.LBrack:
			if p.peek(1) == token.LBrack && p.attributeFollows() {
				return x
			}
			open := p.i
			p.next()
			noGreater := p.noGreater
			p.noGreater = false
			var i ast.Expr
			if p.at(token.LBrace) {
				i = p.initList()
			} else {
				i = p.expr()
			}
			p.noGreater = noGreater
			p.closeBracket(open, "after the index")
			x = &ast.IndexExpr{Span: p.span(from), X: x, Index: i}
		case token.Dot, token.Arrow:
			arrow := p.at(token.Arrow)
			p.next()
			x = &ast.MemberExpr{X: x, Arrow: arrow, Name: p.memberName()}
			x.(*ast.MemberExpr).Span = p.span(from)
		case token.PlusPlus, token.MinusMinus:
			op := p.cur.Kind
			p.next()
			x = &ast.PostfixExpr{Span: p.span(from), Op: op, X: x}
		default:
			return x
		}
	}
}

// attributeFollows reports whether [[ here begins attributes rather than an index that begins with
// a lambda. In C++ it always begins attributes, and such a lambda needs parentheses.
func (p *parser) attributeFollows() bool {
	m := p.match[p.i]
	return m > 0 && p.match[p.i+1] == m-1
}

// memberName reads the name after a dot or arrow. The type of the object is unknown, so `<` opens
// template arguments only after the template keyword or after a name that the program declares as a
// template.
func (p *parser) memberName() *ast.Name {
	from := p.cur.Pos
	n := &ast.Name{}
	template := p.at(token.KwTemplate)
	switch {
	case template || p.at(token.Ident) && p.peek(1) == token.ColonColon:
		ref := p.name(nameInExpr)
		return ref.name
	case p.at(token.KwOperator), p.at(token.Tilde):
		ref := p.name(nameInExpr)
		return ref.name
	case p.at(token.Ident):
		part := ast.NamePart{Ident: p.cur.Text}
		p.next()
		if p.at(token.Less) {
			if args, ok := p.memberArgs(); ok {
				part.HasArgs, part.Args = true, args
			}
		}
		part.Span = p.span(from)
		n.Parts = []ast.NamePart{part}
	default:
		p.unexpected(diag.ExpectedName, "the name of a member")
		n.Parts = []ast.NamePart{{Span: ast.Span{From: from, To: from}}}
	}
	n.Span = p.span(from)
	if len(n.Parts[0].Ident) == 0 {
		n.To = from
	}
	return n
}

// memberArgs reads template arguments after the name of a member, provided that a call follows and
// the arguments could not be operands of comparisons.
func (p *parser) memberArgs() (args []ast.TemplateArg, ok bool) {
	ok = p.try(ruleGuess, func() bool {
		args, ok = p.templateArgs()
		if !ok || !p.at(token.LParen) {
			return false
		}
		for i := range args {
			if b, isBinary := args[i].X.(*ast.BinaryExpr); isBinary && (b.Op == token.AmpAmp || b.Op == token.PipePipe) {
				return false
			}
		}
		return true
	})
	return args, ok
}

// isTrait reports whether a callee is a compiler builtin that takes types.
func isTrait(x ast.Expr) bool {
	n, ok := x.(*ast.NameExpr)
	if !ok {
		return false
	}
	name := n.Name.Simple()
	return strings.HasPrefix(name, "__is_") || strings.HasPrefix(name,
		"__has_") || name == "__builtin_offsetof" || name == "offsetof" || name == "__underlying_type"
}

func (p *parser) primary() ast.Expr {
	from := p.cur.Pos
	text, end := p.cur.Text, p.cur.End()
	one := ast.Span{From: from, To: end}
	switch k := p.cur.Kind; k {
	case token.Int:
		p.next()
		return &ast.IntLit{Span: one, Text: text}
	case token.Float:
		p.next()
		return &ast.FloatLit{Span: one, Text: text}
	case token.Number:
		p.next() // already reported
		return &ast.BadExpr{Span: one}
	case token.Char:
		p.next()
		return &ast.CharLit{Span: one, Text: text}
	case token.String:
		return p.stringLit()
	case token.KwTrue, token.KwFalse:
		p.next()
		return &ast.BoolLit{Span: one, Value: k == token.KwTrue}
	case token.KwNullptr:
		p.next()
		return &ast.NullptrLit{Span: one}
	case token.KwThis:
		p.next()
		return &ast.ThisExpr{Span: one}
	case token.LParen:
		return p.paren()
	case token.LBrack:
		return p.lambda()
	case token.Ident, token.ColonColon:
		return p.nameExpr()
	case token.KwOperator:
		ref := p.name(nameInExpr)
		return &ast.NameExpr{Span: ref.name.Span, Name: ref.name}
	case token.KwStaticCast, token.KwReinterpretCast, token.KwConstCast, token.KwDynamicCast:
		return p.namedCast()
	case token.KwTypename:
		p.next()
		ref := p.name(nameOfType)
		return p.construct(from, &ast.NamedType{Span: p.span(from), Typename: true, Name: ref.name})
	case token.KwDecltype, token.KwTypeof:
		return p.decltypeExpr()
	case token.KwTypeid:
		p.notInMSL(from, end, "'typeid' is")
		p.next()
		if p.at(token.LParen) && p.match[p.i] > 0 {
			p.jump(int(p.match[p.i]))
			p.next()
		}
		return &ast.BadExpr{Span: p.span(from)}
	default:
		if token.KwVoid <= k && k <= token.KwAuto {
			return p.basicConstruct()
		}
	}
	p.unexpected(diag.ExpectedExpression, "an expression")
	return &ast.BadExpr{Span: ast.Span{From: from, To: from}}
}

func (p *parser) stringLit() *ast.StringLit {
	from := p.cur.Pos
	s := &ast.StringLit{}
	for p.at(token.String) {
		s.Texts = append(s.Texts, p.cur.Text)
		p.next()
	}
	s.Span = p.span(from)
	return s
}

// paren reads (x), or a fold expression.
func (p *parser) paren() ast.Expr {
	from, open := p.cur.Pos, p.i
	p.next()
	if !p.enter() {
		p.leave()
		return &ast.BadExpr{Span: p.span(from)}
	}
	defer p.leave()
	noGreater := p.noGreater
	p.noGreater = false
	defer func() { p.noGreater = noGreater }()
	if p.at(token.Ellipsis) {
		p.next()
		f := &ast.FoldExpr{Op: p.cur.Kind}
		if !p.atFoldOp() {
			p.unexpected(diag.ExpectedToken, "an operator after '...'")
		} else {
			p.next()
		}
		f.Y = p.foldOperand()
		p.closeBracket(open, "after the fold expression")
		f.Span = p.span(from)
		return f
	}
	x := p.expr()
	if p.atFoldOp() && p.peek(1) == token.Ellipsis {
		return p.fold(from, open, x)
	}
	p.closeBracket(open, "after the expression")
	return &ast.ParenExpr{Span: p.span(from), X: x}
}

// fold reads a fold expression, starting at its first operator.
func (p *parser) fold(from diag.Pos, open int, x ast.Expr) ast.Expr {
	f := &ast.FoldExpr{Op: p.cur.Kind, X: x}
	p.checkFoldOperand(x)
	p.next()
	p.next()
	if p.atFoldOp() {
		if p.cur.Kind != f.Op {
			p.complain(diag.BadFold, p.cur.Pos, p.cur.End(),
				"operators in fold expression must be the same: %s follows '%s'", p.cur,
				f.Op)
		}
		p.next()
		f.Y = p.foldOperand()
	}
	p.closeBracket(open, "after the fold expression")
	f.Span = p.span(from)
	return f
}

func (p *parser) foldOperand() ast.Expr {
	x := p.condExpr()
	p.checkFoldOperand(x)
	return x
}

// checkFoldOperand reports an operand that C++ requires to be in parentheses.
func (p *parser) checkFoldOperand(x ast.Expr) {
	switch x.(type) {
	case *ast.BinaryExpr, *ast.AssignExpr, *ast.CondExpr:
		p.complain(diag.BadFold, x.Pos(), x.End(), "operand of fold expression must be in parentheses")
	}
}

func (p *parser) atFoldOp() bool {
	return precedence(p.cur.Kind) > 0 || p.at(token.Comma) || p.cur.Kind.IsAssign()
}

// nameExpr reads a name, or a construction if the name is a type.
func (p *parser) nameExpr() ast.Expr {
	from := p.cur.Pos
	ref := p.name(nameInExpr)
	n := &ast.NameExpr{Span: ref.name.Span, Name: ref.name}
	isType := ref.isType()
	switch {
	case p.at(token.LParen) && isType,
		p.at(token.LBrace) && (isType || ref.kind == ast.NameUnknown && p.bracesConstruct()):
		return p.construct(from, &ast.NamedType{Span: n.Span, Name: ref.name})
	}
	return n
}

// bracesConstruct reports whether the brace after an unknown name can open an initializer list.
func (p *parser) bracesConstruct() bool {
	switch p.afterClose(p.i) {
	case token.Semi, token.Comma, token.RParen, token.RBrack, token.RBrace, token.Dot:
		return true
	default:
		return precedence(p.afterClose(p.i)) > 0
	}
}

// construct reads the constructor arguments after a type.
func (p *parser) construct(from diag.Pos, t ast.TypeExpr) ast.Expr {
	c := &ast.ConstructExpr{Type: t}
	switch p.cur.Kind {
	case token.LParen:
		open := p.i
		p.next()
		c.Args = p.args()
		p.closeBracket(open, "after the arguments")
	case token.LBrace:
		c.Brace = true
		c.Args = p.initList().Elems
	default:
		p.unexpected(diag.ExpectedToken, "'(' or '{' after the type")
	}
	c.Span = p.span(from)
	return c
}

// basicConstruct reads float(x) and the like.
func (p *parser) basicConstruct() ast.Expr {
	from := p.cur.Pos
	s := &specs{from: from}
	for k := p.cur.Kind; token.KwVoid <= k && k <= token.KwUnsigned; k = p.cur.Kind {
		p.basicWord(s)
		p.took(s, from)
	}
	if p.at(token.KwAuto) {
		p.next()
		s.base = &ast.AutoType{Span: p.span(from)}
		p.took(s, from)
	}
	return p.construct(from, s.typ())
}

// decltypeExpr reads decltype(x)(y), decltype(x){y} or decltype(x)::name.
func (p *parser) decltypeExpr() ast.Expr {
	from := p.cur.Pos
	t := p.decltype()
	if !p.at(token.ColonColon) {
		return p.construct(from, t)
	}
	part := ast.NamePart{Span: ast.Span{From: t.Pos(), To: t.End()}, Kind: ast.PartDecltype, Type: t}
	p.next()
	ref := p.name(nameInExpr)
	n := &ast.Name{Parts: append([]ast.NamePart{part}, ref.name.Parts...)}
	n.Span = p.span(from)
	return &ast.NameExpr{Span: n.Span, Name: n}
}

// namedCast reads static_cast<T>(x) and the like.
func (p *parser) namedCast() ast.Expr {
	from := p.cur.Pos
	c := &ast.CastExpr{Kind: ast.StaticCast}
	switch p.cur.Kind {
	case token.KwReinterpretCast:
		c.Kind = ast.ReinterpretCast
	case token.KwConstCast:
		c.Kind = ast.ConstCast
	case token.KwDynamicCast:
		c.Kind = ast.DynamicCast
		p.notInMSL(from, p.cur.End(), "'dynamic_cast' is")
	}
	p.next()
	open := p.cur
	if p.expect(token.Less, "after the cast") {
		noGreater := p.noGreater
		p.noGreater = true
		c.Type = p.typeID()
		p.noGreater = noGreater
		p.closeAngle(open)
	} else {
		c.Type = &ast.BadType{Span: p.span(p.cur.Pos)}
	}
	at := p.i
	if p.expect(token.LParen, "around the operand of the cast") {
		noGreater := p.noGreater
		p.noGreater = false
		c.X = p.expr()
		p.noGreater = noGreater
		p.closeBracket(at, "after the operand of the cast")
	} else {
		c.X = &ast.BadExpr{Span: p.span(p.cur.Pos)}
	}
	c.Span = p.span(from)
	return c
}

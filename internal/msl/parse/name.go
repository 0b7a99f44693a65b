package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// nameMode says where a name appears.
type nameMode uint8

const (
	nameInExpr nameMode = iota // `<` may be less-than
	nameOfType                 // the name must be a type: `<` opens template arguments
	nameOfDecl                 // the name being declared: `<` opens template arguments too
)

// nameRef is a name and what it refers to.
type nameRef struct {
	name      *ast.Name
	kind      ast.NameKind
	scope     *scope // of its members, if it has any
	within    *scope // of its qualifier, if that is known
	function  bool
	dependent bool
}

// isType reports whether the name on its own denotes a type.
func (r nameRef) isType() bool { return r.kind == ast.NameType || r.kind == ast.NameTypeTemplate }

// atName reports whether a name can begin here.
func (p *parser) atName() bool { return p.at(token.Ident) || p.at(token.ColonColon) }

// name reads a possibly qualified name. Its kind is that of the last part, with any template
// arguments applied.
func (p *parser) name(mode nameMode) nameRef {
	if mode != nameInExpr {
		return p.readName(mode)
	}
	if v, ok := p.recall(ruleName); ok && v.ok {
		p.reset(v.end)
		return v.ref
	}
	at, pending := p.i, len(p.pending)
	ref := p.readName(mode)
	if p.quiet > 0 && !p.failed && len(p.pending) == pending {
		p.remember(ruleName, at, memoValue{ok: true, end: p.mark(), ref: ref})
	}
	return ref
}

// peekName returns what name would return, without consuming tokens.
func (p *parser) peekName() nameRef {
	var ref nameRef
	if !p.ahead(func() bool { ref = p.name(nameInExpr); return true }) {
		return nameRef{}
	}
	return ref
}

func (p *parser) readName(mode nameMode) nameRef {
	from := p.cur.Pos
	n := &ast.Name{}
	ref := nameRef{name: n}
	var within *scope
	qualified := false
	if p.got(token.ColonColon) {
		n.Global, qualified, within = true, true, p.file
	}
	for {
		if len(n.Parts) > 0 && !p.chain(len(n.Parts)) {
			break
		}
		ok := p.namePart(n, &ref, mode, within, qualified)
		if !ok || !p.at(token.ColonColon) || !p.continuesName() {
			break
		}
		p.next()
		within, qualified = ref.scope, true
	}
	n.Span = p.span(from)
	ref.within = within
	return ref
}

// continuesName reports whether the :: here is followed by another part of the name.
func (p *parser) continuesName() bool {
	switch p.peek(1) {
	case token.Ident, token.KwTemplate, token.KwOperator:
		return true
	case token.Tilde:
		return p.peek(2) == token.Ident
	}
	return false
}

// namePart reads one part of a name into n, and stores what it refers to in ref.
func (p *parser) namePart(n *ast.Name, ref *nameRef, mode nameMode, within *scope, qualified bool) bool {
	part := ast.NamePart{}
	from := p.cur.Pos
	part.Template = p.got(token.KwTemplate)
	ref.kind, ref.scope, ref.function = ast.NameUnknown, nil, false
	switch {
	case p.at(token.Ident):
		part.Ident = p.cur.Text
		var e entry
		switch {
		case !qualified:
			e = p.lookup(part.Ident)
		case n.Global && len(n.Parts) == 0:
			if e = p.member(p.file, part.Ident); e.kind == ast.NameUnknown {
				e = p.library(part.Ident)
			}
		default:
			e = p.member(within, part.Ident)
			e.dependent = e.dependent || ref.dependent
		}
		ref.kind, ref.scope, ref.function, ref.dependent = e.kind, e.scope, e.function, e.dependent
		p.next()
		p.partArgs(&part, ref, mode)
	case p.at(token.KwOperator):
		p.operatorName(&part)
		ref.kind, ref.function = ast.NameValue, true
		if part.Kind == ast.PartOperator && p.at(token.Less) && (mode == nameOfDecl || part.Template) {
			part.HasArgs = true
			part.Args, _ = p.templateArgs()
		}
	case p.at(token.Tilde):
		p.next()
		part.Kind, part.Ident = ast.PartDestructor, p.cur.Text
		if !p.got(token.Ident) {
			p.unexpected(diag.ExpectedName, "the class's name")
		}
		ref.kind, ref.function = ast.NameValue, true
	default:
		p.unexpected(diag.ExpectedName, "a name")
		part.Span = p.span(from)
		n.Parts = append(n.Parts, part)
		return false
	}
	part.Span = p.span(from)
	n.Parts = append(n.Parts, part)
	return true
}

// partArgs reads the template arguments of a part, if `<` opens any.
func (p *parser) partArgs(part *ast.NamePart, ref *nameRef, mode nameMode) {
	if !p.at(token.Less) {
		return
	}
	switch {
	case mode != nameInExpr, part.Template, ref.kind == ast.NameTypeTemplate, ref.kind == ast.NameValueTemplate:
	case ref.kind == ast.NameType, ref.function, ref.kind == ast.NameUnknown:
		args, ok := p.guessArgs(ref.kind == ast.NameType)
		if !ok {
			return
		}
		part.HasArgs, part.Args = true, args
		ref.applied()
		return
	default:
		return
	}
	args, _ := p.templateArgs()
	part.HasArgs, part.Args = true, args
	ref.applied()
}

// applied turns a reference to a template into a reference to its specialization.
func (r *nameRef) applied() {
	switch r.kind {
	case ast.NameTypeTemplate:
		r.kind = ast.NameType
	case ast.NameValueTemplate:
		r.kind = ast.NameValue
	}
}

// guessArgs reads template arguments after a name that is not known to be a template, provided that
// what follows could not follow a comparison.
func (p *parser) guessArgs(certain bool) (args []ast.TemplateArg, ok bool) {
	ok = p.try(ruleGuess, func() bool {
		args, ok = p.templateArgs()
		if !ok {
			return false
		}
		if certain {
			return true
		}
		for i := range args {
			if b, isBinary := args[i].X.(*ast.BinaryExpr); isBinary && (b.Op == token.AmpAmp || b.Op == token.PipePipe) {
				return false
			}
		}
		switch p.cur.Kind {
		case token.LParen, token.ColonColon, token.LBrace:
			return true
		case token.Ident, token.KwOperator: // `unknown<x> y`, but not the second argument of f(unknown < x, z > y)
			return plainArgs(args)
		case token.Semi, token.Comma, token.RParen, token.Greater, token.Shr:
			return len(args) > 0 && args[len(args)-1].Type != nil
		}
		return false
	})
	return args, ok
}

// plainArgs reports whether template arguments are unlikely to be operands of comparisons: one is a
// type, or all are literals.
func plainArgs(args []ast.TemplateArg) bool {
	literals := true
	for i := range args {
		switch args[i].X.(type) {
		case nil:
			return true
		case *ast.IntLit, *ast.BoolLit:
		default:
			literals = false
		}
	}
	return literals
}

// operatorName reads operator and the operator or type after it.
func (p *parser) operatorName(part *ast.NamePart) {
	p.next()
	part.Kind, part.Op = ast.PartOperator, p.cur.Kind
	switch k := p.cur.Kind; {
	case k == token.LParen && p.peek(1) == token.RParen, k == token.LBrack && p.peek(1) == token.RBrack:
		p.next()
		p.next()
	case k == token.KwNew, k == token.KwDelete:
		p.next()
		if p.at(token.LBrack) && p.peek(1) == token.RBrack {
			p.next()
			p.next()
		}
	case k == token.String:
		p.notInMSL(p.cur.Pos, p.cur.End(), "literal operators are")
		p.next()
		p.got(token.Ident)
	case token.Plus <= k && k <= token.ShrAssign, k == token.Comma, k == token.Arrow, k == token.ArrowStar:
		p.next()
	case p.startsType():
		part.Kind, part.Op = ast.PartConversion, token.EOF
		part.Type = p.conversionType()
	default:
		p.unexpected(diag.ExpectedName, "an operator or a type after 'operator'")
	}
}

// conversionType reads the target type of a conversion function. It takes no array or function
// suffix, which would swallow the parameter list.
func (p *parser) conversionType() ast.TypeExpr {
	s := p.typeSpecs()
	var d declarator
	p.pointers(&d)
	return p.apply(s.typ(), &d)
}

// templateArgs reads <...>. It reports whether the list is well formed.
func (p *parser) templateArgs() (args []ast.TemplateArg, ok bool) {
	at, pending := p.i, len(p.pending)
	if v, found := p.recall(ruleTemplateArgs); found {
		if v.ok {
			p.reset(v.end)
			return v.args, true
		}
		if p.quiet > 0 {
			p.errorf(diag.ExpectedToken, 0, 0, "")
			return nil, false
		}
	}
	open := p.cur
	p.next()
	if !p.enter() {
		p.leave()
		return nil, false
	}
	noGreater := p.noGreater
	p.noGreater = true
	for !p.atGreater() && !p.at(token.EOF) {
		before := p.i
		args = append(args, p.templateArg())
		if !p.got(token.Comma) || p.i == before {
			break
		}
		if p.atGreater() {
			p.complain(diag.ExpectedToken, p.cur.Pos, p.cur.End(), "expected a template argument after ',', found %s", p.cur)
		}
	}
	p.noGreater = noGreater
	p.leave()
	ok = p.closeAngle(open)
	if p.quiet > 0 && len(p.pending) == pending {
		p.remember(ruleTemplateArgs, at, memoValue{ok: ok, end: p.mark(), args: args})
	}
	return args, ok
}

// atGreater reports whether the current token is, or begins with, the > that closes template
// arguments.
func (p *parser) atGreater() bool {
	switch p.cur.Kind {
	case token.Greater, token.Shr, token.GreaterEq, token.ShrAssign:
		return true
	}
	return false
}

// closeAngle consumes a >, splitting it off a longer token if necessary.
func (p *parser) closeAngle(open token.Token) bool {
	rest := token.EOF
	switch p.cur.Kind {
	case token.Greater:
		p.next()
		return true
	case token.Shr:
		rest = token.Greater
	case token.GreaterEq, token.ShrAssign:
		p.complain(diag.AngleEquals, p.cur.Pos, p.cur.End(), "a space is required between '>' and '='")
		rest = token.Assign
		if p.at(token.ShrAssign) {
			rest = token.GreaterEq
		}
	default:
		if p.quiet == 0 && !p.recovering {
			p.recovering = true
			p.sink.Report(diag.Errorf(diag.ExpectedToken, p.cur.Pos, p.cur.End(),
				"expected '>' to close the template arguments, found %s", p.cur).
				WithNote(open.Pos, open.End(), "to match this '<'"))
		} else {
			p.errorf(diag.ExpectedToken, 0, 0, "")
		}
		return false
	}
	t := p.cur
	p.cur = token.Token{Kind: rest, Pos: t.Pos, Text: t.Text[1:], Flags: t.Flags}
	if t.Pos > 0 {
		p.cur.Pos++
	}
	p.prevEnd = p.cur.Pos
	return true
}

// endOfArg reports whether a template argument may end here.
func (p *parser) endOfArg() bool { return p.atGreater() || p.at(token.Comma) || p.at(token.Ellipsis) }

func (p *parser) templateArg() ast.TemplateArg {
	from := p.cur.Pos
	var a ast.TemplateArg
	asType := func() bool {
		a.Type = p.typeID()
		return p.endOfArg()
	}
	switch {
	case p.startsType():
		if p.try(ruleTypeArg, asType) {
			break
		}
		if a.Type = nil; p.brokenType() {
			a.Type = p.typeID()
		} else {
			a.X = p.assignExpr()
		}
	case p.atName() && p.peekName().kind == ast.NameUnknown:
		if p.try(ruleExprArg, func() bool { a.X = p.assignExpr(); return p.endOfArg() }) {
			break
		}
		a.X = nil
		if p.try(ruleTypeArg, asType) {
			break
		}
		a.Type = nil
		a.X = p.assignExpr()
	default:
		a.X = p.assignExpr()
	}
	if t, ok := a.Type.(*ast.NamedType); ok && !t.Typename && p.namesTemplate(t.Name) {
		a.Type, a.X = nil, &ast.NameExpr{Span: t.Span, Name: t.Name}
	}
	if p.got(token.Ellipsis) {
		if a.Type != nil {
			a.Type = &ast.PackType{Span: p.span(from), Elem: a.Type}
		} else {
			a.X = &ast.PackExpr{Span: p.span(from), X: a.X}
		}
	}
	a.Span = p.span(from)
	return a
}

// brokenType reports whether a type is followed by a token that can follow neither a type nor an
// expression starting with it.
func (p *parser) brokenType() bool {
	return p.quiet == 0 && p.ahead(func() bool {
		p.typeID()
		return p.at(token.Ident) || p.at(token.Semi) || p.at(token.EOF) || p.at(token.RParen) || p.cur.Kind.IsLiteral()
	})
}

// namesTemplate reports whether a name read as a type is that of a class template without
// arguments.
func (p *parser) namesTemplate(n *ast.Name) bool {
	last := n.Last()
	if last.HasArgs || last.Kind != ast.PartIdent {
		return false
	}
	if len(n.Parts) == 1 && !n.Global {
		return p.lookup(last.Ident).kind == ast.NameTypeTemplate
	}
	var within *scope
	for i := range n.Parts {
		var e entry
		if i == 0 && !n.Global {
			e = p.lookup(n.Parts[i].Ident)
		} else if i == 0 {
			e = p.member(p.file, n.Parts[i].Ident)
		} else {
			e = p.member(within, n.Parts[i].Ident)
		}
		if i == len(n.Parts)-1 {
			return e.kind == ast.NameTypeTemplate
		}
		within = e.scope
	}
	return false
}

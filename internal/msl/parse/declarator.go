package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// declMode says which forms of declarator are allowed.
type declMode uint8

const (
	declAbstract  declMode = iota // no name: a type-id
	declParam                     // with or without a name
	declVariable                  // a name; (...) after it may be an initializer
	declMember                    // a name, or none before the : of a bit-field; (...) after it is a parameter list
	declCondition                 // a name; (...) is never a parameter list
)

type chunkKind uint8

const (
	ptrChunk chunkKind = iota
	refChunk
	rrefChunk
	arrayChunk
	funcChunk
	memberChunk
)

// chunk is one step of a declarator, from the declared name outwards.
type chunk struct {
	kind      chunkKind
	to        endpoint
	qual      ast.QualType
	qualified bool
	restrict  bool
	len       ast.Expr
	fn        *function
	class     *ast.Name
}

// endpoint is where a part of a declarator ends. The parts wrap around the name, so an outer one
// may end before an inner one. The index of the following token tells which is further; positions
// cannot, because both may be within one macro.
type endpoint struct {
	i   int
	pos diag.Pos
}

func (p *parser) endpoint() endpoint { return endpoint{p.i, p.prevEnd} }

// function is a parameter list and what follows it.
type function struct {
	params   []*ast.Param
	variadic bool
	quals    ast.FuncQuals
	attrs    []*ast.Attr
	result   ast.TypeExpr // after ->
	override bool
	final    bool
	scope    *scope // of the parameters
}

// declarator is a name and the pointers, arrays and parameter lists around it.
type declarator struct {
	from, nameTo diag.Pos
	name         *ast.Name
	ref          nameRef
	chunks       []chunk // from the name outwards
	attrs        []*ast.Attr
	pack         bool
	packTo       endpoint
	binding      []*ast.Ident
	nested       bool // the name is in parentheses
}

// fn returns the parameter list directly after the name, or nil.
func (d *declarator) fn() *function {
	if len(d.chunks) > 0 && d.chunks[0].kind == funcChunk {
		return d.chunks[0].fn
	}
	return nil
}

// declarator reads a declarator. The specifiers before it, which may be nil, help to distinguish
// parameters from arguments.
func (p *parser) declarator(mode declMode, s *specs) declarator {
	d := declarator{from: p.cur.Pos}
	p.declaratorInto(&d, mode, s)
	return d
}

func (p *parser) declaratorInto(d *declarator, mode declMode, s *specs) {
	if !p.enter() {
		p.leave()
		return
	}
	defer p.leave()
	first := len(d.chunks)
	p.pointers(d)
	for s != nil && len(d.chunks) > first && p.opts.Dialect.Host() && p.at(token.Ident) && p.deviceSpec(s) {
		// T &__device__ f()
	}
	prefix := append([]chunk(nil), d.chunks[first:]...)
	d.chunks = d.chunks[:first]
	if p.at(token.Ellipsis) && (mode == declParam || mode == declAbstract && p.peek(1) != token.Greater &&
		p.peek(1) != token.Comma && p.peek(1) != token.RParen && p.peek(1) != token.Shr) {
		d.pack = true
		p.next()
		d.packTo = p.endpoint()
	}
	switch {
	case mode != declAbstract && d.name == nil && p.atDeclName():
		d.ref = p.name(nameOfDecl)
		d.name = d.ref.name
		d.nameTo = p.prevEnd
	case p.at(token.LBrack) && p.peek(1) != token.LBrack && (mode == declVariable || mode == declCondition) &&
		d.name == nil && s != nil && isAuto(s):
		p.bindingNames(d)
	case p.at(token.LParen) && p.groups(mode):
		open := p.i
		p.next()
		p.declaratorInto(d, mode, s)
		d.nested = true
		p.closeBracket(open, "after the declarator")
	case (mode == declVariable || mode == declCondition) && d.binding == nil,
		mode == declMember && !p.at(token.Colon) && d.binding == nil:
		if !p.failed || p.quiet == 0 {
			p.unexpected(diag.ExpectedName, "a name")
		}
	}
	d.attrs = append(d.attrs, p.attributes()...)
	p.suffixes(d, mode, s)
	for i := len(prefix) - 1; i >= 0; i-- {
		d.chunks = append(d.chunks, prefix[i])
	}
}

func isAuto(s *specs) bool {
	_, ok := s.base.(*ast.AutoType)
	return ok
}

// atDeclName reports whether the current token begins the name of a declarator.
func (p *parser) atDeclName() bool {
	switch p.cur.Kind {
	case token.Ident, token.KwOperator, token.Tilde:
		return true
	case token.ColonColon:
		return p.peek(1) == token.Ident || p.peek(1) == token.KwOperator
	}
	return false
}

// bindingNames reads [a, b] of a structured binding.
func (p *parser) bindingNames(d *declarator) {
	open := p.i
	p.next()
	if !p.at(token.Ident) {
		d.binding = append(d.binding, p.ident()) // reports an error: there must be a name
	}
	for p.at(token.Ident) {
		d.binding = append(d.binding, p.ident())
		if !p.got(token.Comma) {
			break
		}
		if !p.at(token.Ident) {
			p.unexpected(diag.ExpectedName, "a name")
		}
	}
	p.closeBracket(open, "after the names of a structured binding")
}

// ident reads an identifier.
func (p *parser) ident() *ast.Ident {
	n := &ast.Ident{Span: ast.Span{From: p.cur.Pos, To: p.cur.End()}, Name: p.cur.Text}
	if p.at(token.Ident) {
		p.next()
		return n
	}
	n.Name, n.To = "", n.From
	p.unexpected(diag.ExpectedName, "a name")
	return n
}

// pointers reads what precedes the name: * & && with their qualifiers.
func (p *parser) pointers(d *declarator) {
	for n := 0; ; n++ {
		if n > MaxNesting {
			p.abort(diag.NestingTooDeep, "nesting level exceeded maximum of 256")
			return
		}
		c := chunk{}
		switch p.cur.Kind {
		case token.Star:
			c.kind = ptrChunk
		case token.Amp:
			c.kind = refChunk
		case token.AmpAmp:
			c.kind = rrefChunk
		case token.Ident, token.ColonColon:
			if !p.memberPointer(&c) {
				return
			}
		case token.Caret:
			p.notInMSL(p.cur.Pos, p.cur.End(), "blocks are")
		default:
			return
		}
		p.next()
		for p.pointerQualifier(&c) {
		}
		c.to = p.endpoint()
		d.chunks = append(d.chunks, c)
	}
}

// memberPointer reads the class name before ::* and stops at the star.
func (p *parser) memberPointer(c *chunk) bool {
	if p.at(token.Ident) && p.peek(1) != token.ColonColon && p.peek(1) != token.Less {
		return false
	}
	if !p.ahead(func() bool {
		p.name(nameInExpr)
		return p.at(token.ColonColon) && p.peek(1) == token.Star
	}) {
		return false
	}
	from := p.cur.Pos
	ref := p.name(nameInExpr)
	p.next()
	c.kind, c.class = memberChunk, ref.name
	p.notInMSL(from, p.cur.End(), "pointers to members are")
	return true
}

func (p *parser) pointerQualifier(c *chunk) bool {
	switch k := p.cur.Kind; {
	case k == token.KwConst, k == token.KwVolatile, k.IsAddrSpace(),
		k == token.Ident && p.atCoherent() && p.peek(1) != token.Ident:
		p.qualifier(&c.qual)
		c.qualified = true
	case k == token.KwRestrict:
		p.next()
		c.restrict = true
	case k == token.KwAttribute:
		p.attributes()
	default:
		return false
	}
	return true
}

// groups reports whether the parenthesis here encloses a declarator rather than parameters.
func (p *parser) groups(mode declMode) bool {
	if mode == declVariable || mode == declCondition || mode == declMember {
		return true
	}
	switch p.peek(1) {
	case token.Star, token.Amp, token.AmpAmp, token.Caret:
		return true
	case token.LParen:
		return mode == declParam || mode == declAbstract
	case token.LBrack:
		return mode == declAbstract && p.peek(2) != token.LBrack
	case token.Ident, token.ColonColon:
		start := p.mark()
		p.jump(p.i + 1)
		isType := p.startsType() || p.peek(1) == token.Ident
		member := !isType && p.peek(1) == token.ColonColon && p.peekMember()
		p.reset(start)
		return member || mode == declParam && !isType
	}
	return false
}

// peekMember reports whether Name::* comes next.
func (p *parser) peekMember() bool {
	start := p.mark()
	defer p.reset(start)
	for p.at(token.Ident) || p.at(token.ColonColon) {
		p.next()
	}
	return p.at(token.Star) && p.toks[p.i-1].Kind == token.ColonColon
}

// suffixes reads what follows the name: arrays and parameter lists.
func (p *parser) suffixes(d *declarator, mode declMode, s *specs) {
	for n := 0; ; n++ {
		if n > MaxNesting {
			p.abort(diag.NestingTooDeep, "nesting level exceeded maximum of 256")
			return
		}
		switch {
		case p.at(token.LBrack) && p.peek(1) != token.LBrack:
			d.chunks = append(d.chunks, p.arraySuffix())
		case p.at(token.LParen) && p.listsParams(d, mode, s):
			d.chunks = append(d.chunks, p.funcSuffix(d, mode))
		default:
			return
		}
		d.attrs = append(d.attrs, p.attributes()...)
	}
}

func (p *parser) arraySuffix() chunk {
	open := p.i
	p.next()
	noGreater := p.noGreater
	p.noGreater = false
	c := chunk{kind: arrayChunk}
	if !p.at(token.RBrack) {
		c.len = p.expr()
	}
	p.noGreater = noGreater
	p.closeBracket(open, "after the length of the array")
	c.to = p.endpoint()
	return c
}

// listsParams reports whether the parenthesis here opens a parameter list rather than an
// initializer.
func (p *parser) listsParams(d *declarator, mode declMode, s *specs) bool {
	switch mode {
	case declAbstract, declParam:
		return true
	case declMember:
		return d.name != nil || d.nested
	case declCondition:
		return false
	}
	if s != nil && (s.typedef || s.ctor || !s.hasType() || s.spec.Stage != ast.NoStage) {
		return true
	}
	if d.name != nil && d.name.Last().Kind != ast.PartIdent {
		return true
	}
	if s != nil && s.basic == ast.Void && len(d.chunks) == 0 && !d.nested {
		return true
	}
	block := p.home().kind == blockScope
	switch k := p.peek(1); {
	case k == token.RParen, k == token.Ellipsis, k == token.LBrack && p.peek(2) == token.LBrack:
		return true
	case k.IsLiteral():
		return false
	}
	switch p.afterClose(p.i) {
	case token.LBrace, token.Arrow, token.KwConst, token.KwNoexcept:
		return true
	}
	start := p.mark()
	p.next()
	isType := p.startsType()
	unknown := !isType && p.at(token.Ident) && p.lookup(p.cur.Text).kind == ast.NameUnknown
	next := p.peek(1)
	p.reset(start)
	if unknown {
		return next == token.Ident
	}
	if !isType {
		return false
	}
	return p.tryParams() || !block && p.quiet == 0 && !p.listsArgs()
}

// tryParams reports whether a parameter list with its closing parenthesis comes next.
func (p *parser) tryParams() bool {
	start := p.mark()
	ok := p.try(ruleParams, func() bool {
		sc := p.push(blockScope)
		defer p.pop(sc)
		var f function
		p.next()
		p.params(&f)
		return p.at(token.RParen)
	})
	p.reset(start)
	return ok
}

// listsArgs reports whether arguments with their closing parenthesis come next.
func (p *parser) listsArgs() bool {
	return p.ahead(func() bool {
		p.next()
		p.args()
		return p.at(token.RParen)
	})
}

// funcSuffix reads a parameter list and what follows it.
func (p *parser) funcSuffix(d *declarator, mode declMode) chunk {
	f := &function{}
	outer := p.scope
	if d.ref.within != nil && d.ref.within.kind == recordScope {
		view := p.push(viewScope)
		view.imports = []*scope{d.ref.within}
	}
	f.scope = p.push(blockScope)
	p.funcRest(f, mode != declAbstract)
	p.scope = outer
	return chunk{kind: funcChunk, to: p.endpoint(), fn: f}
}

// funcRest reads a parameter list and what follows it, in the parameter scope.
func (p *parser) funcRest(f *function, declares bool) {
	open := p.i
	p.next()
	noGreater := p.noGreater
	p.noGreater = false
	p.params(f)
	p.noGreater = noGreater
	p.closeBracket(open, "after the parameters")
	p.funcQuals(f, declares)
	if p.at(token.Arrow) {
		p.next()
		f.result = p.typeID()
		f.attrs = append(f.attrs, p.attributes()...)
		p.funcQuals(f, declares)
	}
}

// funcQuals reads the qualifiers and attributes after the parameters.
func (p *parser) funcQuals(f *function, declares bool) {
	for {
		switch k := p.cur.Kind; {
		case k == token.KwConst:
			f.quals.Const = true
			p.next()
		case k == token.KwVolatile:
			f.quals.Volatile = true
			p.next()
		case k.IsAddrSpace():
			p.space(&f.quals.Space)
			p.next()
		case k == token.Amp:
			f.quals.Ref = ast.LValueRef
			p.next()
		case k == token.AmpAmp:
			f.quals.Ref = ast.RValueRef
			p.next()
		case k == token.KwNoexcept:
			p.next()
			f.quals.IsNoexcept = true
			if p.at(token.LParen) {
				open := p.i
				p.next()
				f.quals.Noexcept = p.expr()
				p.closeBracket(open, "after the condition of noexcept")
			}
		case k == token.KwThrow:
			p.notInMSL(p.cur.Pos, p.cur.End(), "exceptions are")
			p.next()
			if p.at(token.LParen) && p.match[p.i] > 0 {
				p.jump(int(p.match[p.i]))
				p.next()
			}
		case k == token.LBrack && p.peek(1) == token.LBrack, k == token.KwAttribute, k == token.Ident &&
			p.atMetalMacro():
			f.attrs = append(f.attrs, p.attributes()...)
		case k == token.KwAsm && declares:
			f.attrs = append(f.attrs, p.asmLabel())
		case declares && p.cur.Is("override"):
			f.override = true
			p.next()
		case declares && p.cur.Is("final"):
			f.final = true
			p.next()
		default:
			return
		}
	}
}

// params reads parameters up to the closing parenthesis, and declares them.
func (p *parser) params(f *function) {
	if p.at(token.KwVoid) && p.peek(1) == token.RParen {
		p.next()
		return
	}
	for !p.at(token.RParen) && !p.at(token.EOF) {
		if p.got(token.Ellipsis) {
			f.variadic = true
			return
		}
		before := p.i
		f.params = append(f.params, p.param())
		if p.at(token.Ellipsis) && p.peek(1) == token.RParen { // `T...` without a preceding comma
			p.next()
			f.variadic = true
			return
		}
		if !p.got(token.Comma) || p.i == before {
			return
		}
		if p.at(token.RParen) {
			p.unexpected(diag.ExpectedType, "a parameter")
			return
		}
	}
}

func (p *parser) param() *ast.Param {
	from := p.cur.Pos
	n := &ast.Param{}
	s := p.declSpecs(specParam)
	if !s.hasType() {
		p.unexpected(diag.ExpectedType, "a parameter")
	}
	if len(s.defined) > 0 {
		p.complain(diag.MisplacedSpec, s.tFrom, s.tTo, "a type cannot be defined here")
	}
	d := p.declarator(declParam, s)
	n.Type = p.apply(s.typ(), &d)
	n.Attrs = append(s.attrs, d.attrs...)
	if d.name != nil {
		n.Ident = &ast.Ident{Span: d.name.Span, Name: d.name.Simple()}
		if n.Ident.Name == "" {
			p.complain(diag.BadDeclarator, d.name.From, d.name.To, "parameter declarator cannot be qualified")
		}
		p.declare(n.Ident.Name, entry{kind: ast.NameValue})
	}
	if p.got(token.Assign) {
		n.Default = p.initClause()
	}
	n.Span = p.span(from)
	return n
}

// apply builds the type of a declarator from its base type.
func (p *parser) apply(t ast.TypeExpr, d *declarator) ast.TypeExpr {
	from, furthest := t.Pos(), endpoint{pos: t.End()}
	for i := len(d.chunks) - 1; i >= 0; i-- {
		c := &d.chunks[i]
		if c.to.i > furthest.i {
			furthest = c.to
		}
		span, to := ast.Span{From: from, To: furthest.pos}, c.to.pos
		switch c.kind {
		case ptrChunk:
			if _, ok := t.(*ast.ReferenceType); ok {
				p.complain(diag.BadDeclarator, to, to, "cannot declare a pointer to a reference")
			}
			t = &ast.PointerType{Span: span, Elem: t, Restrict: c.restrict}
		case refChunk, rrefChunk:
			if _, ok := t.(*ast.ReferenceType); ok {
				p.complain(diag.BadDeclarator, to, to, "cannot declare a reference to a reference")
			}
			t = &ast.ReferenceType{Span: span, Elem: t, RValue: c.kind == rrefChunk}
		case memberChunk:
			t = &ast.MemberPointerType{Span: span, Class: c.class, Elem: t}
		case arrayChunk:
			if _, ok := t.(*ast.ReferenceType); ok {
				p.complain(diag.BadDeclarator, to, to, "cannot declare an array of references")
			}
			t = &ast.ArrayType{Span: span, Elem: t, Len: c.len}
		case funcChunk:
			result, trailing := t, false
			if c.fn.result != nil {
				result, trailing = c.fn.result, true
			}
			t = &ast.FuncType{Span: span, Result: result, Params: c.fn.params, Variadic: c.fn.variadic,
				Quals:    c.fn.quals,
				Trailing: trailing, Attrs: c.fn.attrs}
		}
		if (c.kind == refChunk || c.kind == rrefChunk) && (c.qual.Const || c.qual.Volatile) {
			p.complain(diag.BadDeclarator, to, to,
				"'const' and 'volatile' qualifiers may not be applied to a reference")
		}
		if c.qualified {
			q := c.qual
			q.Span, q.Elem = span, t
			t = &q
		}
	}
	if d.pack {
		if d.packTo.i > furthest.i {
			furthest = d.packTo
		}
		t = &ast.PackType{Span: ast.Span{From: from, To: furthest.pos}, Elem: t}
	}
	return t
}

package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// place describes the context of a declaration.
type place struct {
	member   bool
	template bool // after template <...>
	instance bool // after template, in an explicit instantiation
	friend   bool // after friend, in a class body
	attrs    []*ast.Attr
}

func (p *parser) translationUnit() *ast.File {
	from := p.cur.Pos
	p.tree.Decls = p.declarations(token.EOF, place{})
	p.tree.Span = p.span(from)
	p.tree.Partial = p.tree.Partial || p.aborted
	return p.tree
}

// declarations reads declarations up to, but not including, a token of kind end.
func (p *parser) declarations(end token.Kind, pl place) (list []ast.Decl) {
	for !p.at(end) && !p.at(token.EOF) {
		if p.sink.Full() {
			p.abortSilently()
			break
		}
		before := p.i
		list = append(list, p.declaration(pl)...)
		p.recoverDecl(before)
	}
	return list
}

// abortSilently ends the parse without a diagnostic because the sink takes no more.
func (p *parser) abortSilently() {
	p.aborted, p.recovering = true, true
	p.toEOF()
}

// recoverDecl resynchronizes after the declaration that began at token index before.
func (p *parser) recoverDecl(before int) {
	if p.quiet > 0 || p.aborted {
		return
	}
	if p.recovering {
		p.syncDecl(before)
		p.recovering = false
	}
	p.markBroken(before)
	if p.i == before && !p.at(token.EOF) { // nothing consumed the token: skip it
		p.next()
	}
}

// syncDecl skips to the end of a broken declaration.
func (p *parser) syncDecl(before int) {
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
			p.next()
			return
		case token.LParen, token.LBrack:
			if m := int(p.match[p.i]); m > p.i &&
				!(p.at(token.LBrack) && p.peek(1) == token.LBrack && p.i > before &&
					p.cur.Flags&token.AtLineStart != 0) {
				p.jump(m)
			}
		}
		if p.i > before && p.cur.Flags&token.AtLineStart != 0 && p.beginsDecl() {
			return
		}
		p.next()
	}
}

// beginsDecl reports whether the current token, at the start of a line, can begin a declaration.
func (p *parser) beginsDecl() bool {
	switch p.cur.Kind {
	case token.KwKernel, token.KwVertex, token.KwFragment, token.KwTemplate, token.KwStruct, token.KwClass,
		token.KwEnum,
		token.KwNamespace,
		token.KwUsing, token.KwTypedef, token.KwStatic, token.KwInline, token.KwConstexpr, token.KwExtern,
		token.KwStaticAssert:
		return true
	case token.LBrack:
		return p.peek(1) == token.LBrack
	}
	return false
}

// declaration reads one declaration and returns zero, one or, with several declarators, more nodes.
func (p *parser) declaration(pl place) []ast.Decl {
	if !p.enter() {
		p.leave()
		return nil
	}
	defer p.leave()
	from := p.cur.Pos
	switch p.cur.Kind {
	case token.Semi:
		p.next()
		return []ast.Decl{&ast.EmptyDecl{Span: p.span(from)}}
	case token.KwNamespace:
		return p.namespace(from, false)
	case token.KwInline:
		if p.peek(1) == token.KwNamespace {
			p.next()
			return p.namespace(from, true)
		}
	case token.KwUsing:
		return p.using(pl)
	case token.KwTemplate:
		return p.template(from, false, pl)
	case token.KwExtern:
		switch p.peek(1) {
		case token.KwTemplate:
			p.next()
			return p.template(from, true, pl)
		case token.String:
			return p.linkage()
		}
	case token.KwExport:
		p.notInMSL(p.cur.Pos, p.cur.End(), "'export' is")
		p.next()
		return p.declaration(pl)
	case token.KwStaticAssert:
		return []ast.Decl{p.staticAssert()}
	case token.KwAsm:
		p.notInMSL(p.cur.Pos, p.cur.End(), "inline assembly is")
		p.next()
		p.recovering = p.quiet == 0
		return []ast.Decl{&ast.BadDecl{Span: p.span(from)}}
	case token.KwPublic, token.KwPrivate, token.KwProtected:
		if pl.member {
			return []ast.Decl{p.access()}
		}
	case token.KwFriend:
		if pl.member {
			return []ast.Decl{p.friend()}
		}
	}
	return p.simple(pl)
}

func (p *parser) namespace(from diag.Pos, inline bool) []ast.Decl {
	p.next()
	n := &ast.NamespaceDecl{Inline: inline}
	n.Attrs = p.attributes()
	outer := p.scope
	if p.home().kind != fileScope && p.home().kind != namespaceScope && p.home().kind != libraryScope &&
		p.peek(1) != token.Assign {
		p.complain(diag.MisplacedSpec, from, p.prevEnd, "namespaces can only be defined in global or namespace scope")
	}
	for p.at(token.Ident) {
		id := p.ident()
		n.Path = append(n.Path, id)
		if p.at(token.Assign) && len(n.Path) == 1 && !inline {
			p.next()
			a := &ast.NamespaceAlias{Alias: id}
			ref := p.name(nameInExpr)
			a.Target = ref.name
			p.declare(id.Name, entry{kind: ast.NameNamespace, scope: ref.scope})
			p.semi("namespace alias")
			a.Span = p.span(from)
			return []ast.Decl{a}
		}
		n.Attrs = append(n.Attrs, p.attributes()...)
		p.openNamespace(id.Name, inline)
		if !p.chain(len(n.Path)) || !p.got(token.ColonColon) {
			break
		}
		p.got(token.KwInline)
	}
	if len(n.Path) == 0 {
		p.openNamespace("", true)
	}
	open := p.i
	if p.expect(token.LBrace, "to begin the namespace") {
		n.Decls = p.declarations(token.RBrace, place{})
		p.closeBracket(open, "to end the namespace")
	}
	p.scope = outer
	n.Span = p.span(from)
	return []ast.Decl{n}
}

// openNamespace enters a namespace, which may have been opened before.
func (p *parser) openNamespace(name string, imported bool) {
	h := p.home()
	var e entry
	if name != "" {
		e = h.names[name]
		if e.kind == ast.NameUnknown && h.kind == libraryScope {
			e = p.library(name)
		}
	}
	if e.kind != ast.NameNamespace || e.scope == nil {
		e = entry{kind: ast.NameNamespace, scope: &scope{kind: namespaceScope, name: name}}
		if imported {
			p.addImport(h, e.scope)
		}
		p.version++
	}
	if e.scope.parent == nil {
		e.scope.parent = h
	}
	if name != "" {
		p.declareIn(h, name, e)
	}
	p.scope = e.scope
}

func (p *parser) using(pl place) []ast.Decl {
	from := p.cur.Pos
	p.next()
	if p.got(token.KwNamespace) {
		ref := p.name(nameInExpr)
		if ref.scope != nil {
			h := p.home()
			p.addImport(h, ref.scope)
			p.version++
		}
		p.attributes()
		p.semi("using directive")
		return []ast.Decl{&ast.UsingDirective{Span: p.span(from), Name: ref.name}}
	}
	if p.at(token.Ident) && (p.peek(1) == token.Assign || p.peek(1) == token.LBrack || p.peek(1) == token.KwAttribute) {
		return []ast.Decl{p.alias(from, pl)}
	}
	if p.at(token.KwEnum) {
		p.notInMSL(p.cur.Pos, p.cur.End(), "'using enum' is")
		p.next()
	}
	var list []ast.Decl
	for n := 1; p.chain(n); n++ {
		dFrom := p.cur.Pos
		u := &ast.UsingDecl{Typename: p.got(token.KwTypename)}
		ref := p.name(nameOfDecl)
		u.Name, u.Pack = ref.name, p.got(token.Ellipsis)
		u.Span = p.span(dFrom)
		kind := ref.kind
		switch {
		case u.Typename:
			kind = ast.NameType
		case kind == ast.NameUnknown:
			kind = ast.NameValue
		}
		if last := ref.name.Last(); last.Kind == ast.PartIdent && len(ref.name.Parts) > 1 {
			p.declare(last.Ident, entry{kind: kind, scope: ref.scope, function: ref.function ||
				ref.kind == ast.NameUnknown,
				dependent: ref.dependent})
		}
		list = append(list, u)
		if !p.got(token.Comma) {
			break
		}
	}
	p.semi("using declaration")
	return list
}

// alias reads Name = Type; after using.
func (p *parser) alias(from diag.Pos, pl place) ast.Decl {
	a := &ast.AliasDecl{Ident: p.ident()}
	a.Attrs = p.attributes()
	p.expect(token.Assign, "in the alias")
	s := p.declSpecs(specType)
	if !s.hasType() {
		p.unexpected(diag.ExpectedType, "a type")
	}
	d := p.declarator(declAbstract, s)
	a.Type = p.apply(s.typ(), &d)
	p.declareType(a.Ident.Name, s, &d, pl)
	p.semi("alias")
	a.Span = p.span(from)
	return a
}

// declareType declares the name of an alias or typedef.
func (p *parser) declareType(name string, s *specs, d *declarator, pl place) {
	e := entry{kind: ast.NameType, dependent: s.ref.dependent}
	if pl.template {
		e.kind = ast.NameTypeTemplate
	}
	if len(d.chunks) == 0 {
		e.scope = s.ref.scope
	}
	p.declare(name, e)
}

func (p *parser) linkage() []ast.Decl {
	from := p.cur.Pos
	p.next()
	l := &ast.LinkageDecl{Language: p.cur.Text}
	p.next()
	if p.at(token.LBrace) {
		open := p.i
		p.next()
		l.Decls = p.declarations(token.RBrace, place{})
		p.closeBracket(open, "to end the linkage specification")
	} else {
		l.Decls = p.declaration(place{})
	}
	l.Span = p.span(from)
	return []ast.Decl{l}
}

func (p *parser) staticAssert() ast.Decl {
	from := p.cur.Pos
	p.next()
	a := &ast.StaticAssertDecl{}
	open := p.i
	if !p.expect(token.LParen, "after 'static_assert'") {
		a.Cond = &ast.BadExpr{Span: p.span(from)}
		a.Span = p.span(from)
		return a
	}
	a.Cond = p.assignExpr()
	if p.got(token.Comma) {
		if p.at(token.String) {
			a.Message = p.stringLit()
		} else {
			p.unexpected(diag.ExpectedExpression, "a string literal for the message")
		}
	}
	p.closeBracket(open, "after the assertion")
	p.semi("static_assert")
	a.Span = p.span(from)
	return a
}

// simple reads specifiers and declarators.
func (p *parser) simple(pl place) []ast.Decl {
	from := p.cur.Pos
	attrs := append(pl.attrs[:len(pl.attrs):len(pl.attrs)], p.attributes()...)
	mode := specDecl
	if pl.member || pl.friend {
		mode = specMember
	}
	s := p.declSpecs(mode)
	s.attrs = append(attrs, s.attrs...)
	list := s.defined
	if p.at(token.Semi) {
		return append(list, p.noDeclarator(from, s, pl)...)
	}
	if !s.hasType() && !s.ctor && !p.guide() {
		if !p.missingType(s, pl) {
			return append(list, &ast.BadDecl{Span: p.span(from)})
		}
	}
	p.typename(s)
	if len(s.defined) > 0 && !p.beginsDeclarator() {
		p.semi("declaration")
		return list
	}
	for n := 1; p.chain(n); n++ {
		d, done := p.initDeclarator(from, s, pl, n == 1)
		list = append(list, d)
		if done || p.aborted {
			return list
		}
		if !p.got(token.Comma) {
			break
		}
		from = p.cur.Pos
	}
	before := p.prevEnd
	p.semi("declaration")
	if last := list[len(list)-1]; p.prevEnd != before {
		extend(last, p.prevEnd)
	}
	return list
}

// beginsDeclarator reports whether a declarator follows the definition of a class. Otherwise the
// next declaration does, and the semicolon before it is missing.
func (p *parser) beginsDeclarator() bool {
	switch p.cur.Kind {
	case token.Ident:
		return p.cur.Flags&token.AtLineStart == 0 || p.peek(1) != token.Ident && !p.lookupIsType()
	case token.Star, token.Amp, token.AmpAmp, token.LParen, token.LBrack, token.ColonColon, token.Colon:
		return true
	}
	return false
}

func (p *parser) lookupIsType() bool {
	k := p.lookup(p.cur.Text).kind
	return k == ast.NameType || k == ast.NameTypeTemplate
}

// extend moves the end of the last declaration of a statement to its semicolon.
func extend(d ast.Decl, to diag.Pos) {
	switch d := d.(type) {
	case *ast.VarDecl:
		d.To = to
	case *ast.FuncDecl:
		d.To = to
	case *ast.TypedefDecl:
		d.To = to
	case *ast.BindingDecl:
		d.To = to
	}
}

// noDeclarator finishes a declaration without declarators.
func (p *parser) noDeclarator(from diag.Pos, s *specs, pl place) []ast.Decl {
	p.next()
	for _, d := range s.defined {
		if r, ok := d.(*ast.RecordDecl); ok && r.Name == nil {
			r.Anonymous = true
			p.importAnonymous(r)
		}
	}
	if len(s.defined) > 0 {
		if r, ok := s.defined[0].(*ast.RecordDecl); ok {
			r.Attrs = append(s.attrs[:len(s.attrs):len(s.attrs)], r.Attrs...)
			r.From = from
			r.To = p.prevEnd
		}
		return nil
	}
	if !s.hasType() && len(s.attrs) > 0 && !s.qualified {
		return []ast.Decl{&ast.EmptyDecl{Span: p.span(from), Attrs: s.attrs}}
	}
	if pl.instance || pl.template {
		p.complain(diag.BadTemplate, from, p.prevEnd, "only classes, functions, variables and aliases can be templates")
	} else {
		p.complain(diag.DeclaresNothing, from, p.prevEnd, "declaration does not declare anything")
	}
	return []ast.Decl{&ast.BadDecl{Span: p.span(from)}}
}

// missingType reports that a declaration has no type. It returns true if a declarator follows
// anyway.
func (p *parser) missingType(s *specs, pl place) bool {
	if p.at(token.Ident) && (p.peek(1) == token.LParen && !pl.member || s.spec != (ast.Spec{}) || s.qualified ||
		s.typedef) {
		p.complain(diag.ExpectedType, p.cur.Pos, p.cur.End(), "%s is declared without a type", p.cur)
		return true
	}
	if s.spec == (ast.Spec{}) && !s.qualified && !s.typedef {
		if p.at(token.EOF) {
			p.unexpected(diag.ExpectedDeclaration, "a declaration")
			return false
		}
		if p.at(token.RBrace) || p.at(token.RParen) || p.at(token.RBrack) {
			p.errorf(diag.UnmatchedBracket, p.cur.Pos, p.cur.End(), "extraneous closing %s", p.cur)
			return false
		}
		p.errorf(diag.ExpectedDeclaration, p.cur.Pos, p.cur.End(), "%s begins no declaration%s", p.cur,
			diag.Foreign(p.cur.Text))
		return false
	}
	p.unexpected(diag.ExpectedType, "a type")
	return false
}

// guide reports whether the current token begins a deduction guide.
func (p *parser) guide() bool {
	return p.at(token.Ident) && p.peek(1) == token.LParen && p.afterClose(p.i+1) == token.Arrow &&
		p.lookup(p.cur.Text).kind == ast.NameTypeTemplate
}

// typename reports a dependent type without typename where only a type makes sense but C++ still
// requires the keyword.
func (p *parser) typename(s *specs) {
	t, ok := s.base.(*ast.NamedType)
	if !ok || t.Typename || s.ref.isType() || !s.ref.dependent || len(t.Name.Parts) < 2 || p.home().kind != blockScope {
		return
	}
	p.complain(diag.MissingTypename, t.From, t.To, "missing 'typename' prior to dependent type name '%s'",
		ast.NameString(t.Name))
}

// initDeclarator reads a declarator with its initializer or body. It reports whether the
// declaration is complete.
func (p *parser) initDeclarator(from diag.Pos, s *specs, pl place, first bool) (ast.Decl, bool) {
	mode := declVariable
	if pl.member || pl.instance {
		mode = declMember
	}
	if !s.hasType() && p.at(token.Ident) && p.guide() {
		s.ctor = true
	}
	d := p.declarator(mode, s)
	if s.ctor && !s.hasType() && d.fn() == nil {
		p.errorf(diag.ExpectedType, d.from, d.nameTo, "a type specifier is required for all declarations")
	}
	if p.at(token.KwAsm) {
		d.attrs = append(d.attrs, p.asmLabel())
	}
	switch {
	case s.typedef:
		return p.typedefDecl(from, s, &d, pl), false
	case d.fn() != nil && !(d.name == nil && d.binding != nil):
		return p.funcDecl(from, s, &d, pl, first)
	case d.binding != nil:
		return p.bindingDecl(from, s, &d), false
	}
	return p.varDecl(from, s, &d, pl), false
}

func (p *parser) typedefDecl(from diag.Pos, s *specs, d *declarator, pl place) ast.Decl {
	t := &ast.TypedefDecl{Attrs: append(s.attrs[:len(s.attrs):len(s.attrs)], d.attrs...), Type: p.apply(s.typ(), d)}
	t.Ident = &ast.Ident{Span: ast.Span{From: d.from, To: d.from}}
	if d.name != nil {
		t.Ident = &ast.Ident{Span: d.name.Span, Name: d.name.Simple()}
	}
	if t.Ident.Name == "" && d.name != nil {
		p.complain(diag.BadDeclarator, d.name.From, d.name.To, "typedef declarator cannot be qualified")
	}
	if fn := d.fn(); fn != nil {
		ft := t.Type
		if q, ok := ft.(*ast.FuncType); ok {
			q.Attrs = fn.attrs
		}
	}
	p.declareType(t.Ident.Name, s, d, pl)
	t.Span = p.span(from)
	if p.at(token.Assign) || p.at(token.LBrace) && d.fn() == nil {
		p.errorf(diag.BadInitializer, p.cur.Pos, p.cur.End(), "a typedef cannot have an initializer")
	} else if p.at(token.LBrace) {
		p.errorf(diag.BadFunctionBody, p.cur.Pos, p.cur.End(), "function definition declared 'typedef'")
	}
	return t
}

func (p *parser) bindingDecl(from diag.Pos, s *specs, d *declarator) ast.Decl {
	b := &ast.BindingDecl{Spec: s.spec, Attrs: append(s.attrs[:len(s.attrs):len(s.attrs)], d.attrs...),
		Names: d.binding,
		Type:  p.apply(s.typ(), d)}
	for _, n := range d.binding {
		p.declare(n.Name, entry{kind: ast.NameValue})
	}
	b.InitKind, b.Init, b.Args = p.initializer()
	if b.InitKind == ast.NoInit {
		p.complain(diag.BadInitializer, p.prevEnd, p.prevEnd, "structured binding requires an initializer")
	}
	b.Span = p.span(from)
	return b
}

func (p *parser) varDecl(from diag.Pos, s *specs, d *declarator, pl place) *ast.VarDecl {
	v := &ast.VarDecl{Spec: s.spec, Attrs: append(s.attrs[:len(s.attrs):len(s.attrs)], d.attrs...),
		Type: p.apply(s.typ(), d), Name: d.name, Field: pl.member}
	if s.memory != ast.NoSpace {
		v.Type = inMemory(v.Type, s.memory)
	}
	p.declareVar(d, pl)
	if s.spec.Stage != ast.NoStage && !pl.instance {
		p.complain(diag.MisplacedSpec, s.spec.StagePos, s.spec.StagePos, "'%s' can only appear on functions",
			s.spec.Stage)
	}
	if pl.member && p.got(token.Colon) {
		v.Bits = p.condExpr()
	}
	outer := p.scope
	if d.ref.within != nil && d.ref.within.kind == recordScope {
		p.push(viewScope).imports = []*scope{d.ref.within}
	}
	switch {
	case p.at(token.LParen) && pl.member:
		p.errorf(diag.BadInitializer, p.cur.Pos, p.cur.End(),
			"a member must be initialized with '=' or braces, not parentheses")
	case p.at(token.LBrace) && pl.instance:
		p.errorf(diag.BadTemplate, p.cur.Pos, p.cur.End(), "explicit template instantiation cannot have a definition")
	default:
		v.InitKind, v.Init, v.Args = p.initializer()
	}
	p.scope = outer
	v.Span = p.span(from)
	return v
}

// declareVar declares the name of a variable.
func (p *parser) declareVar(d *declarator, pl place) {
	name := d.name.Simple()
	if name == "" || pl.instance {
		return
	}
	e := entry{kind: ast.NameValue}
	if pl.template {
		e.kind = ast.NameValueTemplate
	}
	p.declare(name, e)
}

// initializer reads the initializer of a variable, if there is one.
func (p *parser) initializer() (ast.InitKind, ast.Expr, []ast.Expr) {
	switch p.cur.Kind {
	case token.Assign:
		p.next()
		return ast.CopyInit, p.initClause(), nil
	case token.LBrace:
		return ast.BraceInit, p.initList(), nil
	case token.LParen:
		open := p.i
		p.next()
		args := p.args()
		p.closeBracket(open, "after the initializer")
		return ast.ParenInit, nil, args
	}
	return ast.NoInit, nil, nil
}

package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// template reads what begins with the keyword template: a template, a specialization or an explicit
// instantiation.
func (p *parser) template(from diag.Pos, extern bool, pl place) []ast.Decl {
	kw := p.cur
	p.next()
	if !p.at(token.Less) {
		return []ast.Decl{p.instantiation(from, extern)}
	}
	if p.home().kind == blockScope && !pl.member {
		p.complain(diag.BadTemplate, kw.Pos, kw.End(), "templates can only be declared in namespace or class scope")
	}
	outer := p.scope
	p.push(templateScope)
	t := &ast.TemplateDecl{Params: p.templateParams()}
	if p.cur.Is("requires") {
		p.notInMSL(p.cur.Pos, p.cur.End(), "constraints are")
		p.recovering = p.quiet == 0
	}
	if p.cur.Is("concept") && p.peek(1) == token.Ident {
		p.notInMSL(p.cur.Pos, p.cur.End(), "concepts are")
		p.recovering = p.quiet == 0
	}
	inner := place{member: pl.member, template: true}
	var list []ast.Decl
	if p.at(token.KwTemplate) {
		list = p.template(p.cur.Pos, false, inner)
	} else {
		list = p.declaration(inner)
	}
	p.scope = outer
	switch {
	case len(list) == 0:
		t.Decl = &ast.BadDecl{Span: p.span(from)}
	default:
		t.Decl = list[0]
		if len(list) > 1 {
			p.complain(diag.BadTemplate, list[1].Pos(), list[1].End(), "template declaration can only declare a single entity")
		}
	}
	switch t.Decl.(type) {
	case *ast.RecordDecl, *ast.FuncDecl, *ast.VarDecl, *ast.AliasDecl, *ast.FriendDecl, *ast.TemplateDecl, *ast.BadDecl:
	default:
		p.complain(diag.BadTemplate, kw.Pos, kw.End(), "only classes, functions, variables and aliases can be templates")
	}
	t.Span = p.span(from)
	return []ast.Decl{t}
}

// instantiation reads an explicit instantiation after the keyword.
func (p *parser) instantiation(from diag.Pos, extern bool) ast.Decl {
	e := &ast.ExplicitInstantiation{Extern: extern}
	e.Attrs = p.attributes()
	list := p.simple(place{instance: true, attrs: e.Attrs})
	if len(list) == 1 {
		e.Decl = list[0]
	}
	switch d := e.Decl.(type) {
	case *ast.FuncDecl, *ast.VarDecl, *ast.BadDecl:
	case *ast.RecordDecl:
		if d.Defined {
			p.complain(diag.BadTemplate, d.From, d.To, "explicit template instantiation cannot have a definition")
		}
	default:
		e.Decl = &ast.BadDecl{Span: p.span(from)}
		p.complain(diag.BadTemplate, from, p.prevEnd,
			"explicit template instantiation must name a single function, class or variable")
	}
	e.Span = p.span(from)
	return e
}

// templateParams reads <...> and declares the parameters. The list is not nil.
func (p *parser) templateParams() []ast.TemplateParam {
	open := p.cur
	p.next()
	list := []ast.TemplateParam{}
	noGreater := p.noGreater
	p.noGreater = true
	if !p.enter() {
		p.leave()
		return list
	}
	for !p.atGreater() && !p.at(token.EOF) {
		before := p.i
		list = append(list, p.templateParam())
		if !p.got(token.Comma) || p.i == before {
			break
		}
		if p.atGreater() {
			p.unexpected(diag.ExpectedType, "a template parameter")
		}
	}
	p.leave()
	p.noGreater = noGreater
	p.closeAngle(open)
	return list
}

func (p *parser) templateParam() ast.TemplateParam {
	from := p.cur.Pos
	var t ast.TemplateParam
	switch {
	case p.at(token.KwTemplate):
		p.templateTemplateParam(&t)
	case (p.at(token.KwTypename) || p.at(token.KwClass)) && p.namesTypeParam():
		p.next()
		t.Pack = p.got(token.Ellipsis)
		e := entry{kind: ast.NameType, dependent: true}
		if p.at(token.Ident) {
			t.Ident = p.ident()
			p.scope.declareParam(t.Ident.Name, e)
		}
		if p.got(token.Assign) {
			t.DefaultType = p.typeID()
		}
	default:
		p.valueParam(&t)
	}
	p.version++
	t.Span = p.span(from)
	return t
}

// declareParam adds a template parameter to this very scope.
func (s *scope) declareParam(name string, e entry) {
	if s.names == nil {
		s.names = make(map[string]entry)
	}
	s.names[name] = e
}

// namesTypeParam reports whether typename or class here introduces a type parameter rather than the
// type of a value parameter.
func (p *parser) namesTypeParam() bool {
	i := 1
	if p.peek(i) == token.Ellipsis {
		i++
	}
	if p.peek(i) == token.Ident {
		i++
	}
	switch p.peek(i) {
	case token.Comma, token.Greater, token.Shr, token.Assign, token.EOF, token.GreaterEq, token.ShrAssign:
		return true
	}
	return false
}

func (p *parser) templateTemplateParam(t *ast.TemplateParam) {
	t.Kind = ast.TemplateParamTemplate
	p.next()
	outer := p.scope
	p.push(templateScope)
	if p.at(token.Less) {
		t.Params = p.templateParams()
	} else {
		p.unexpected(diag.ExpectedToken, "'<' after 'template'")
	}
	p.scope = outer
	if !p.got(token.KwClass) && !p.got(token.KwTypename) {
		p.unexpected(diag.ExpectedToken, "'class' or 'typename'")
	}
	t.Pack = p.got(token.Ellipsis)
	if p.at(token.Ident) {
		t.Ident = p.ident()
		p.scope.declareParam(t.Ident.Name, entry{kind: ast.NameTypeTemplate, dependent: true})
	}
	if p.got(token.Assign) {
		dFrom := p.cur.Pos
		ref := p.name(nameInExpr)
		t.Default = &ast.NameExpr{Span: p.span(dFrom), Name: ref.name}
	}
}

// valueParam reads a non-type template parameter.
func (p *parser) valueParam(t *ast.TemplateParam) {
	t.Kind = ast.ValueParam
	s := p.declSpecs(specParam)
	if !s.hasType() {
		p.unexpected(diag.ExpectedType, "a template parameter")
	}
	outer := p.scope
	p.push(blockScope) // for the parameters of a function's type
	d := p.declarator(declParam, s)
	p.scope = outer
	t.Pack = d.pack
	t.Type = p.apply(s.typ(), &d)
	if pack, ok := t.Type.(*ast.PackType); ok {
		t.Type = pack.Elem
	}
	if d.name != nil {
		t.Ident = &ast.Ident{Span: d.name.Span, Name: d.name.Simple()}
		p.scope.declareParam(t.Ident.Name, entry{kind: ast.NameValue, function: false})
	}
	if p.got(token.Assign) {
		t.Default = p.assignExpr()
	}
}

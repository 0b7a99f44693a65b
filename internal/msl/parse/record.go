package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

func recordKey(k token.Kind) ast.RecordKey {
	switch k {
	case token.KwClass:
		return ast.KeyClass
	case token.KwUnion:
		return ast.KeyUnion
	}
	return ast.KeyStruct
}

// recordSpec reads a class as a type specifier: a definition, a declaration or a name.
func (p *parser) recordSpec(s *specs, mode specMode) {
	from := p.cur.Pos
	key := recordKey(p.cur.Kind)
	p.next()
	attrs := p.attributes()
	var ref nameRef
	if p.atName() {
		ref = p.name(nameOfDecl)
	}
	final := false
	if p.cur.Is("final") && (p.peek(1) == token.LBrace || p.peek(1) == token.Colon) {
		final = true
		p.next()
	}
	defines := p.at(token.LBrace) || p.at(token.Colon) && (mode == specDecl || mode == specMember ||
		mode == specType) &&
		ref.name != nil && p.basesFollow()
	if !defines && ref.name == nil {
		p.unexpected(diag.ExpectedName, "a name or '{' after '"+key.String()+"'")
		s.base = &ast.BadType{Span: p.span(from)}
		return
	}
	if !defines && !(p.at(token.Semi) && s.declaresRecordOnly(mode)) {
		if ref.kind == ast.NameUnknown {
			p.declare(ref.name.Simple(), entry{kind: ast.NameType})
		}
		ref.kind = ast.NameType
		s.ref = ref
		s.base = &ast.ElaboratedType{Span: p.span(from), Key: key, Name: ref.name}
		return
	}
	r := &ast.RecordDecl{Key: key, Attrs: attrs, Name: ref.name, Final: final}
	sc := p.declareRecord(r, ref)
	if defines {
		p.recordBody(r, sc)
	}
	r.Span = p.span(from)
	s.defined = append(s.defined, r)
	s.base = &ast.RecordType{Span: r.Span, Decl: r}
	s.ref = nameRef{name: ref.name, kind: ast.NameType, scope: sc}
}

// declaresRecordOnly reports whether, given the specifiers so far, `struct S;` declares S.
func (s *specs) declaresRecordOnly(mode specMode) bool {
	return (mode == specDecl || mode == specMember) && !s.qualified && !s.typedef && !s.spec.Friend
}

// basesFollow reports whether the colon after a class name begins its bases rather than the width
// of a bit-field.
func (p *parser) basesFollow() bool {
	for i := p.i; i < len(p.toks); i++ {
		switch p.toks[i].Kind {
		case token.LBrace:
			return true
		case token.Semi, token.RBrace, token.EOF:
			return false
		case token.LParen:
			if m := int(p.match[i]); m > i {
				i = m
			}
		}
	}
	return false
}

// declareRecord declares a class and returns the scope of its members.
func (p *parser) declareRecord(r *ast.RecordDecl, ref nameRef) *scope {
	sc := &scope{kind: recordScope}
	if r.Name == nil {
		return sc
	}
	last := r.Name.Last()
	sc.name = last.Ident
	if last.HasArgs { // a specialization: the template keeps its scope
		return sc
	}
	home := p.home()
	if len(r.Name.Parts) > 1 || r.Name.Global {
		if home = ref.within; home == nil {
			return sc
		}
	}
	e := entry{kind: ast.NameType, scope: sc}
	if p.scope.kind == templateScope {
		e.kind = ast.NameTypeTemplate
	}
	if old, ok := home.names[last.Ident]; ok && old.scope != nil && old.scope.kind == recordScope && !old.scope.closed {
		e.scope, sc = old.scope, old.scope
	}
	p.declareIn(home, last.Ident, e)
	return sc
}

// lateBody is the body of a member function, read once all members of the class are known.
type lateBody struct {
	fn    *ast.FuncDecl
	scope *scope
	at    mark
}

// recordBody reads bases and members.
func (p *parser) recordBody(r *ast.RecordDecl, sc *scope) {
	r.Defined, sc.closed = true, true
	if p.at(token.Colon) {
		p.bases(r, sc)
	}
	if r.Name != nil {
		kind := ast.NameType
		if p.scope.kind == templateScope {
			kind = ast.NameTypeTemplate
		}
		if sc.names == nil {
			sc.names = make(map[string]entry)
		}
		sc.names[sc.name] = entry{kind: kind, scope: sc}
		p.version++
	}
	outer, late := p.scope, p.late
	saved := sc.parent
	sc.parent = p.scope
	p.scope = sc
	var bodies []lateBody
	if late == nil {
		p.late = &bodies
	}
	noGreater := p.noGreater
	p.noGreater = false
	open := p.i
	if p.expect(token.LBrace, "to begin the members") {
		r.Members = p.declarations(token.RBrace, place{member: true})
		p.closeBracket(open, "to end the members")
	}
	p.scope, p.late, p.noGreater = outer, late, noGreater
	if late == nil {
		p.parseLate(bodies)
	}
	if saved != nil {
		sc.parent = saved
	}
}

// parseLate reads the deferred bodies.
func (p *parser) parseLate(bodies []lateBody) {
	if len(bodies) == 0 || p.aborted || p.failed && p.quiet > 0 {
		return
	}
	end, outer, recovering, late := p.mark(), p.scope, p.recovering, p.late
	p.late = nil
	for _, b := range bodies {
		p.reset(b.at)
		p.scope, p.recovering = b.scope, false
		p.funcBody(b.fn)
		if p.aborted || p.failed && p.quiet > 0 {
			break
		}
	}
	p.late = late
	p.scope, p.recovering = outer, recovering
	if p.aborted {
		p.recovering = true
		return
	}
	if !(p.failed && p.quiet > 0) {
		p.reset(end)
	}
}

func (p *parser) bases(r *ast.RecordDecl, sc *scope) {
	p.next()
	for n := 1; p.chain(n); n++ {
		from := p.cur.Pos
		var b ast.Base
		for {
			switch p.cur.Kind {
			case token.KwVirtual:
				p.notInMSL(p.cur.Pos, p.cur.End(), "virtual functions and bases are")
				b.Virtual = true
			case token.KwPublic:
				b.Access = ast.Public
			case token.KwProtected:
				b.Access = ast.Protected
			case token.KwPrivate:
				b.Access = ast.Private
			default:
				goto named
			}
			p.next()
		}
	named:
		p.attributes()
		p.got(token.KwTypename)
		switch {
		case p.at(token.KwDecltype):
			b.Type = p.decltype()
		case p.atName():
			tFrom := p.cur.Pos
			ref := p.name(nameOfType)
			b.Type = &ast.NamedType{Span: p.span(tFrom), Name: ref.name}
			if ref.scope != nil && ref.scope != sc && !ref.name.Last().HasArgs {
				p.addImport(sc, ref.scope)
			}
		default:
			p.unexpected(diag.ExpectedType, "a base class")
			b.Type = &ast.BadType{Span: p.span(from)}
		}
		if p.got(token.Ellipsis) {
			b.Type = &ast.PackType{Span: p.span(b.Type.Pos()), Elem: b.Type}
		}
		b.Span = p.span(from)
		r.Bases = append(r.Bases, b)
		if !p.got(token.Comma) {
			return
		}
	}
}

// importAnonymous makes the members of an unnamed class visible in the enclosing scope.
func (p *parser) importAnonymous(r *ast.RecordDecl) {
	for _, m := range r.Members {
		switch m := m.(type) {
		case *ast.VarDecl:
			p.declare(m.Name.Simple(), entry{kind: ast.NameValue})
		case *ast.RecordDecl:
			if m.Anonymous {
				p.importAnonymous(m)
			}
		}
	}
}

func (p *parser) access() ast.Decl {
	from := p.cur.Pos
	a := &ast.AccessDecl{Access: ast.Public}
	switch p.cur.Kind {
	case token.KwPrivate:
		a.Access = ast.Private
	case token.KwProtected:
		a.Access = ast.Protected
	}
	p.next()
	p.expect(token.Colon, "after the access specifier")
	a.Span = p.span(from)
	return a
}

func (p *parser) friend() ast.Decl {
	from := p.cur.Pos
	f := &ast.FriendDecl{}
	start := p.mark()
	p.next()
	if k := p.cur.Kind; k == token.KwStruct || k == token.KwClass || k == token.KwUnion || k == token.KwTypename ||
		k == token.Ident {
		if p.try(ruleDecl, func() bool { f.Type = p.typeID(); return p.at(token.Semi) }) {
			p.next()
			f.Span = p.span(from)
			return f
		}
		f.Type = nil
	}
	if p.at(token.KwTemplate) {
		list := p.template(p.cur.Pos, false, place{})
		if len(list) > 0 {
			f.Decl = list[0]
		}
	} else {
		p.reset(start)
		list := p.simple(place{friend: true})
		if len(list) > 0 {
			f.Decl = list[len(list)-1]
		}
	}
	if f.Decl == nil {
		f.Decl = &ast.BadDecl{Span: p.span(from)}
	}
	f.Span = p.span(from)
	return f
}

// enumSpec reads an enumeration as a type specifier.
func (p *parser) enumSpec(s *specs, mode specMode) {
	from := p.cur.Pos
	p.next()
	e := &ast.EnumDecl{}
	if p.at(token.KwClass) || p.at(token.KwStruct) {
		e.Scoped = true
		p.next()
	}
	e.Attrs = p.attributes()
	var ref nameRef
	if p.atName() {
		ref = p.name(nameOfDecl)
		e.Name = ref.name
	}
	if p.at(token.Colon) && mode != specParam {
		p.next()
		t := p.typeSpecs()
		if !t.hasType() {
			p.unexpected(diag.ExpectedType, "the underlying type")
		}
		e.Underlying = t.typ()
	}
	if !p.at(token.LBrace) {
		switch {
		case e.Name == nil:
			p.unexpected(diag.ExpectedName, "a name or '{' after 'enum'")
			s.base = &ast.BadType{Span: p.span(from)}
			return
		case !(p.at(token.Semi) && s.declaresRecordOnly(mode)):
			s.ref = nameRef{name: ref.name, kind: ast.NameType, scope: ref.scope}
			s.base = &ast.ElaboratedType{Span: p.span(from), Name: e.Name}
			return
		}
	}
	sc := &scope{kind: enumScope}
	if e.Name != nil {
		p.declare(e.Name.Simple(), entry{kind: ast.NameType, scope: sc})
	}
	if p.at(token.LBrace) {
		e.Defined = true
		p.enumerators(e, sc)
	}
	e.Span = p.span(from)
	s.defined = append(s.defined, e)
	s.ref = nameRef{name: e.Name, kind: ast.NameType, scope: sc}
	s.base = &ast.EnumType{Span: e.Span, Decl: e}
}

func (p *parser) enumerators(e *ast.EnumDecl, sc *scope) {
	open := p.i
	p.next()
	for p.at(token.Ident) {
		from := p.cur.Pos
		n := &ast.Enumerator{Ident: p.ident()}
		n.Attrs = p.attributes()
		if p.got(token.Assign) {
			n.Value = p.assignOrCond()
		}
		n.Span = p.span(from)
		e.Items = append(e.Items, n)
		p.declareIn(sc, n.Ident.Name, entry{kind: ast.NameValue})
		if !e.Scoped {
			p.declare(n.Ident.Name, entry{kind: ast.NameValue})
		}
		if !p.got(token.Comma) {
			break
		}
	}
	p.closeBracket(open, "to end the enumeration")
}

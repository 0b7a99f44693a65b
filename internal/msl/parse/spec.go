package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// specs are the specifiers before declarators.
type specs struct {
	from             diag.Pos
	tFrom, tTo       diag.Pos // extent of the type specifiers
	spec             ast.Spec
	attrs            []*ast.Attr
	typedef          bool
	base             ast.TypeExpr // without qualifiers, nil until one is read
	ref              nameRef      // of a named type
	qual             ast.QualType
	qualified        bool
	signed, unsigned bool
	short            bool
	long             int
	foreign          bool          // of a dialect, in which long long is long
	basic            ast.BasicKind // of a keyword other than the four above
	words            bool          // any of these
	memory           ast.AddrSpace // of a variable, from a specifier of a dialect
	defined          []ast.Decl    // the class or enumeration that the specifiers define
	ctor             bool          // what follows is the name of a constructor, destructor or conversion function
}

// specMode says which specifiers are allowed, and how certain it is that one is a type.
type specMode uint8

const (
	specType   specMode = iota // a type-id: no storage classes; the first name is a type
	specDecl                   // a declaration: the first name is a type if that makes sense
	specMember                 // as specDecl, for class members
	specParam                  // a parameter: the first name is a type
)

// typeSpecs reads the specifiers of a type-id.
func (p *parser) typeSpecs() *specs { return p.declSpecs(specType) }

func (s *specs) hasType() bool { return s.base != nil || s.words }

// typ builds the type from the specifiers.
func (s *specs) typ() ast.TypeExpr {
	base := s.base
	span := ast.Span{From: s.tFrom, To: s.tTo}
	if base == nil && s.words {
		base = &ast.BasicType{Span: span, Kind: s.basicKind()}
	}
	if base == nil {
		base = &ast.BadType{Span: ast.Span{From: s.from, To: s.from}}
	}
	if s.qualified {
		q := s.qual
		q.Span, q.Elem = span, base
		return &q
	}
	return base
}

// basicKind returns the type that the type keywords spell.
func (s *specs) basicKind() ast.BasicKind {
	switch {
	case s.basic == ast.Char && s.unsigned:
		return ast.UChar
	case s.basic == ast.Char && s.signed:
		return ast.SChar
	case s.basic == ast.Double && s.long > 0:
		return ast.LongDouble
	case s.basic != 0 && s.basic != ast.Int:
		return s.basic
	case s.short && s.unsigned:
		return ast.UShort
	case s.short:
		return ast.Short
	case s.long > 1 && s.unsigned && !s.foreign:
		return ast.ULongLong
	case s.long > 1 && !s.foreign:
		return ast.LongLong
	case s.long > 0 && s.unsigned:
		return ast.ULong
	case s.long > 0:
		return ast.Long
	case s.unsigned:
		return ast.UInt
	}
	return ast.Int
}

// declSpecs reads as many specifiers as there are.
func (p *parser) declSpecs(mode specMode) *specs {
	s := &specs{from: p.cur.Pos, foreign: p.opts.Dialect.Host()}
	for p.spec(s, mode) {
	}
	return s
}

// took records that the token just consumed belongs to the type.
func (p *parser) took(s *specs, from diag.Pos) {
	if s.tFrom == 0 {
		s.tFrom = from
	}
	s.tTo = p.prevEnd
}

// spec reads one specifier. It returns false if there is none.
func (p *parser) spec(s *specs, mode specMode) bool {
	from := p.cur.Pos
	if p.cur.Flags&token.AtLineStart != 0 && p.startsAnew(s) {
		return false
	}
	switch k := p.cur.Kind; {
	case k == token.KwConst, k == token.KwVolatile, k.IsAddrSpace(), k == token.Ident && p.atCoherent():
		p.qualifier(&s.qual)
		s.qualified = true
		p.took(s, from)
	case token.KwVoid <= k && k <= token.KwUnsigned:
		if s.base != nil {
			if why := p.refused(s.base); why != "" {
				p.errorf(diag.DialectFeature, s.base.Pos(), s.base.End(), "%s", why)
				return false
			}
			p.errorf(diag.ConflictingSpecs, p.cur.Pos, p.cur.End(), "cannot combine %s with previous type specifier", p.cur)
			return false
		}
		p.basicWord(s)
		p.took(s, from)
	case k == token.Ident && p.opts.Dialect.Host() && p.deviceSpec(s):
	case k == token.LBrack && p.peek(1) == token.LBrack, k == token.KwAttribute, k == token.KwAlignas,
		k == token.Ident && p.atMetalMacro():
		afterClass := p.at(token.KwAttribute) && p.i > 0 && p.toks[p.i-1].Kind == token.RBrace
		list := p.attributes()
		if r := s.class(); r != nil && afterClass { // GNU attributes after the brace are those of the class
			r.Attrs = append(r.Attrs, list...)
			break
		}
		s.attrs = append(s.attrs, list...)
	case p.storage(s, mode):
	case s.hasType():
		return false
	case k == token.KwAuto:
		p.next()
		s.base = &ast.AutoType{Span: p.span(from)}
		p.took(s, from)
	case k == token.KwStruct, k == token.KwClass, k == token.KwUnion:
		p.recordSpec(s, mode)
		p.took(s, from)
	case k == token.KwEnum:
		p.enumSpec(s, mode)
		p.took(s, from)
	case k == token.KwTypename:
		p.next()
		ref := p.name(nameOfType)
		ref.kind = ast.NameType
		s.ref = ref
		s.base = &ast.NamedType{Span: p.span(from), Typename: true, Name: ref.name}
		p.took(s, from)
	case k == token.KwDecltype, k == token.KwTypeof:
		s.base = p.decltype()
		p.took(s, from)
	case k == token.Ident, k == token.ColonColon:
		return p.nameSpec(s, mode)
	case k == token.Tilde && mode == specMember, k == token.KwOperator:
		s.ctor = true
		return false
	default:
		return false
	}
	return true
}

// class returns the class that the specifiers have just defined, or nil.
func (s *specs) class() *ast.RecordDecl {
	if len(s.defined) == 0 {
		return nil
	}
	r, _ := s.defined[len(s.defined)-1].(*ast.RecordDecl)
	return r
}

// refused returns why the dialect has no such type, or "".
func (p *parser) refused(t ast.TypeExpr) string {
	n, ok := t.(*ast.NamedType)
	if !ok || p.opts.Dialect == nil {
		return ""
	}
	return p.opts.Dialect.Refused(n.Name.Simple())
}

// startsAnew reports whether this line begins a new declaration, with the semicolon before it
// missing: no specifier may follow the closing brace of a class, and a type may not follow another.
func (p *parser) startsAnew(s *specs) bool {
	k := p.cur.Kind
	isType := token.KwVoid <= k && k <= token.KwUnsigned
	if len(s.defined) > 0 {
		return isType || k == token.KwConst || k.IsAddrSpace() || p.beginsDecl()
	}
	return s.hasType() && (isType && (s.base != nil || s.basic != 0) || p.beginsDecl() && !p.at(token.LBrack))
}

// atCoherent reports whether the current token is the qualifier coherent, which is an ordinary name
// elsewhere.
func (p *parser) atCoherent() bool {
	if p.cur.Text != "coherent" || p.lookup("coherent").kind != ast.NameUnknown {
		return false
	}
	if p.peek(1) == token.LParen {
		return p.peek(3) == token.RParen &&
			(p.peek(2) == token.KwDevice || p.peek(2) == token.KwThreadgroup || p.peek(2) == token.Ident)
	}
	switch k := p.peek(1); {
	case k == token.Ident, k.IsAddrSpace(), k == token.KwConst, k == token.KwVolatile,
		token.KwVoid <= k && k <= token.KwUnsigned:
		return true
	}
	return false
}

// qualifier reads const, volatile, coherent or an address space.
func (p *parser) qualifier(q *ast.QualType) {
	switch {
	case p.at(token.KwConst):
		q.Const = true
	case p.at(token.KwVolatile):
		q.Volatile = true
	case p.at(token.Ident):
		q.Coherent = true
		if p.peek(1) == token.LParen {
			p.next()
			p.next()
			q.CoherentScope = p.cur.Text
			p.next()
		}
	default:
		p.space(&q.Space)
	}
	p.next()
}

// space records the address space at the current token. thread is the default and yields to any
// other.
func (p *parser) space(s *ast.AddrSpace) {
	to := addrSpace(p.cur.Kind)
	switch {
	case to == ast.Thread && *s != ast.NoSpace:
		return
	case *s != ast.NoSpace && *s != ast.Thread && *s != to:
		p.complain(diag.ConflictingSpecs, p.cur.Pos, p.cur.End(),
			"multiple address spaces specified for type: %s follows '%s'", p.cur,
			*s)
	}
	*s = to
}

func addrSpace(k token.Kind) ast.AddrSpace {
	switch k {
	case token.KwThread:
		return ast.Thread
	case token.KwDevice:
		return ast.Device
	case token.KwConstant:
		return ast.Constant
	case token.KwThreadgroup:
		return ast.Threadgroup
	case token.KwThreadgroupImageblock:
		return ast.ThreadgroupImageblock
	case token.KwRayData:
		return ast.RayData
	case token.KwObjectData:
		return ast.ObjectData
	}
	return ast.NoSpace
}

// basicWord reads one of the keywords that spell types.
func (p *parser) basicWord(s *specs) {
	conflict := false
	set := func(k ast.BasicKind) {
		conflict = conflict || s.basic != 0
		s.basic = k
	}
	switch p.cur.Kind {
	case token.KwSigned:
		conflict = s.unsigned || s.signed
		s.signed = true
	case token.KwUnsigned:
		conflict = s.unsigned || s.signed
		s.unsigned = true
	case token.KwShort:
		conflict = s.short || s.long > 0
		s.short = true
	case token.KwLong:
		conflict = s.short || s.long > 1
		s.long++
	case token.KwVoid:
		set(ast.Void)
	case token.KwBool:
		set(ast.Bool)
	case token.KwChar:
		set(ast.Char)
	case token.KwWchar:
		set(ast.WChar)
	case token.KwChar16:
		set(ast.Char16)
	case token.KwChar32:
		set(ast.Char32)
	case token.KwInt:
		set(ast.Int)
	case token.KwFloat:
		set(ast.Float)
	case token.KwDouble:
		set(ast.Double)
	}
	sign, size := s.signed || s.unsigned, s.short || s.long > 0
	switch s.basic {
	case 0, ast.Int:
	case ast.Char:
		conflict = conflict || size
	case ast.Double:
		conflict = conflict || sign || s.short || s.long > 1
	default:
		conflict = conflict || sign || size
	}
	if conflict {
		p.complain(diag.ConflictingSpecs, p.cur.Pos, p.cur.End(), "cannot combine %s with the previous type", p.cur)
	}
	s.words = true
	p.next()
}

// storage reads a specifier that is not part of the type.
func (p *parser) storage(s *specs, mode specMode) bool {
	flag := (*bool)(nil)
	switch p.cur.Kind {
	case token.KwStatic:
		flag = &s.spec.Static
	case token.KwExtern:
		flag = &s.spec.Extern
	case token.KwInline:
		flag = &s.spec.Inline
	case token.KwConstexpr:
		flag = &s.spec.Constexpr
	case token.KwFriend:
		flag = &s.spec.Friend
	case token.KwMutable:
		flag = &s.spec.Mutable
	case token.KwTypedef:
		flag = &s.typedef
	case token.KwExplicit:
		flag = &s.spec.Explicit
	case token.KwVirtual:
		flag = &s.spec.Virtual
		p.notInMSL(p.cur.Pos, p.cur.End(), "virtual functions and bases are")
	case token.KwThreadLocal:
		flag = &s.spec.ThreadLocal
		p.notInMSL(p.cur.Pos, p.cur.End(), "'thread_local' is")
	case token.KwRegister:
		flag = &s.spec.Register
		if p.opts.Dialect == nil {
			p.notInMSL(p.cur.Pos, p.cur.End(), "'register' is")
		}
	case token.KwKernel:
		return p.stage(s, ast.Kernel)
	case token.KwVertex:
		return p.stage(s, ast.Vertex)
	case token.KwFragment:
		return p.stage(s, ast.Fragment)
	default:
		return false
	}
	switch {
	case *flag:
		p.complain(diag.ConflictingSpecs, p.cur.Pos, p.cur.End(), "duplicate %s declaration specifier", p.cur)
	case mode == specType, mode == specParam && flag != &s.spec.Register,
		mode == specDecl && (flag == &s.spec.Friend || flag == &s.spec.Mutable || flag == &s.spec.Explicit):
		p.complain(diag.MisplacedSpec, p.cur.Pos, p.cur.End(), "%s is not allowed here", p.cur)
	}
	*flag = true
	p.next()
	return true
}

func (p *parser) stage(s *specs, stage ast.Stage) bool {
	if s.spec.Stage != ast.NoStage {
		p.complain(diag.ConflictingSpecs, p.cur.Pos, p.cur.End(),
			"multiple stages specified for function: %s follows '%s'", p.cur,
			s.spec.Stage)
	}
	s.spec.Stage, s.spec.StagePos = stage, p.cur.Pos
	p.next()
	return true
}

// nameSpec reads a name as a type if it is one or has to be one.
func (p *parser) nameSpec(s *specs, mode specMode) bool {
	start := p.mark()
	if mode == specMember && p.atConstructor() {
		s.ctor = true
		return false
	}
	nm := nameInExpr
	if mode == specType || mode == specParam {
		nm = nameOfType
		if r := p.peekName(); r.kind != ast.NameUnknown {
			nm = nameInExpr
		}
	}
	from := p.cur.Pos
	ref := p.name(nm)
	if last := ref.name.Last(); last.Kind == ast.PartDestructor || last.Kind == ast.PartConversion ||
		last.Kind == ast.PartOperator || p.outsideConstructor(ref) {
		p.reset(start)
		s.ctor = true
		return false
	}
	take := ref.isType()
	if !take {
		switch mode {
		case specType, specParam:
			take = ref.kind == ast.NameUnknown || p.quiet == 0 && p.followsType(ref)
		default:
			take = p.followsType(ref)
		}
	}
	if !take || p.at(token.ColonColon) && p.peek(1) == token.Star {
		p.reset(start)
		return false
	}
	s.ref = ref
	s.base = &ast.NamedType{Span: p.span(from), Name: ref.name}
	p.took(s, from)
	return true
}

// followsType reports whether the current token suggests that the unknown name before it is a type
// rather than a value.
func (p *parser) followsType(ref nameRef) bool {
	switch k := p.cur.Kind; {
	case k == token.Ident, k == token.KwConst, k == token.KwVolatile, k == token.KwOperator, k.IsAddrSpace():
		return true
	case k == token.Star, k == token.Amp, k == token.AmpAmp:
		return ref.kind == ast.NameUnknown
	}
	return false
}

// atConstructor reports whether the class name here declares a constructor.
func (p *parser) atConstructor() bool {
	h := p.home()
	if h.kind != recordScope || h.name == "" || !p.cur.Is(h.name) {
		return false
	}
	if p.peek(1) == token.LParen {
		return true
	}
	if p.peek(1) != token.Less {
		return false
	}
	return p.ahead(func() bool {
		p.name(nameInExpr)
		return p.at(token.LParen)
	})
}

// outsideConstructor reports whether a name is S::S before a parameter list.
func (p *parser) outsideConstructor(ref nameRef) bool {
	n := len(ref.name.Parts)
	if n < 2 || !p.at(token.LParen) {
		return false
	}
	a, b := &ref.name.Parts[n-2], &ref.name.Parts[n-1]
	return a.Kind == ast.PartIdent && b.Kind == ast.PartIdent && a.Ident == b.Ident && !b.HasArgs
}

// decltype reads decltype(x), decltype(auto) or __typeof__(x).
func (p *parser) decltype() ast.TypeExpr {
	from := p.cur.Pos
	typeof := p.at(token.KwTypeof)
	p.next()
	open := p.i
	if !p.expect(token.LParen, "after 'decltype'") {
		return &ast.BadType{Span: p.span(from)}
	}
	if p.at(token.KwAuto) && p.peek(1) == token.RParen && !typeof {
		p.next()
		p.next()
		return &ast.AutoType{Span: p.span(from), Decltype: true}
	}
	noGreater := p.noGreater
	p.noGreater = false
	var x ast.Expr
	if typeof && p.startsType() {
		tFrom := p.cur.Pos
		t := p.typeID()
		x = &ast.TypeValue{Span: p.span(tFrom), Type: t}
	} else {
		x = p.expr()
	}
	p.noGreater = noGreater
	p.closeBracket(open, "after the operand of decltype")
	return &ast.DecltypeType{Span: p.span(from), Typeof: typeof, X: x}
}

// startsType reports whether a type begins here, judging by the names known so far.
func (p *parser) startsType() bool {
	switch k := p.cur.Kind; {
	case token.KwVoid <= k && k <= token.KwAuto, k == token.KwConst, k == token.KwVolatile, k.IsAddrSpace(),
		k == token.KwStruct, k == token.KwClass, k == token.KwUnion, k == token.KwEnum, k == token.KwTypename,
		k == token.KwTypeof:
		return true
	case k == token.KwDecltype:
		return true
	case k == token.Ident:
		if q := p.peek(1); q != token.ColonColon && q != token.Less {
			if kind := p.lookup(p.cur.Text).kind; kind == ast.NameUnknown {
				return p.atCoherent()
			} else {
				return kind == ast.NameType || kind == ast.NameTypeTemplate
			}
		}
		return p.peekName().isType()
	case k == token.ColonColon:
		return p.peekName().isType()
	}
	return false
}

// typeID reads a type without a name.
func (p *parser) typeID() ast.TypeExpr {
	if !p.enter() {
		p.leave()
		return &ast.BadType{Span: p.span(p.cur.Pos)}
	}
	defer p.leave()
	s := p.typeSpecs()
	if !s.hasType() {
		p.unexpected(diag.ExpectedType, "a type")
		return &ast.BadType{Span: ast.Span{From: p.cur.Pos, To: p.cur.Pos}}
	}
	if len(s.defined) > 0 {
		p.complain(diag.MisplacedSpec, s.tFrom, s.tTo, "a type cannot be defined here")
	}
	d := p.declarator(declAbstract, s)
	return p.apply(s.typ(), &d)
}

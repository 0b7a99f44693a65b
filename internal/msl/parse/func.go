package parse

import (
	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// funcDecl turns a declarator into a function and reads its body. It reports whether the
// declaration is complete.
func (p *parser) funcDecl(from diag.Pos, s *specs, d *declarator, pl place, first bool) (ast.Decl, bool) {
	fn := d.fn()
	f := &ast.FuncDecl{
		Spec: s.spec, Name: d.name, Params: fn.params, Variadic: fn.variadic, Quals: fn.quals,
		Override: fn.override, Final: fn.final, Member: pl.member,
		Attrs: append(append(s.attrs[:len(s.attrs):len(s.attrs)], d.attrs...), fn.attrs...),
	}
	if f.Name == nil {
		span := ast.Span{From: d.from, To: d.from}
		f.Name = &ast.Name{Span: span, Parts: []ast.NamePart{{Span: span}}}
	}
	p.funcResult(f, s, d, fn)
	if !pl.instance {
		p.declareFunc(f, pl)
	}
	done := p.funcEnd(f, fn.scope, pl, first)
	f.Span = p.span(from)
	return f, done
}

// funcResult determines the return type, and recognizes constructors and deduction guides.
func (p *parser) funcResult(f *ast.FuncDecl, s *specs, d *declarator, fn *function) {
	last := f.Name.Last()
	rest := declarator{from: d.from, chunks: d.chunks[1:]}
	switch {
	case s.hasType():
		f.Result = p.apply(s.typ(), &rest)
		if fn.result != nil {
			if _, auto := f.Result.(*ast.AutoType); !auto {
				p.complain(diag.BadDeclarator, f.Name.From, f.Name.To,
					"function with trailing return type must specify return type 'auto'")
			}
			f.Result, f.Trailing = fn.result, true
		}
		if h := p.home(); h.kind == recordScope && h.name != "" && f.Name.Simple() == h.name {
			p.complain(diag.BadDeclarator, f.Name.From, f.Name.To, "constructor cannot have a return type")
		}
		if last.Kind == ast.PartConversion || last.Kind == ast.PartDestructor {
			p.complain(diag.BadDeclarator, f.Name.From, f.Name.To,
				"conversion function or destructor cannot have a return type")
		}
	case last.Kind == ast.PartConversion, last.Kind == ast.PartDestructor:
	case last.Kind == ast.PartIdent && fn.result != nil && p.home().kind != recordScope:
		f.Guide, f.Result, f.Trailing = true, fn.result, true
	case last.Kind == ast.PartIdent && s.ctor:
		f.Ctor = true
	default:
		if s.ctor {
			p.complain(diag.ExpectedType, f.Name.From, f.Name.To, "'%s' is declared without a type", ast.NameString(f.Name))
		}
		f.Result = s.typ()
	}
}

// declareFunc declares the name of a function.
func (p *parser) declareFunc(f *ast.FuncDecl, pl place) {
	name := f.Name.Simple()
	if name == "" || f.Ctor || f.Guide || f.Spec.Friend {
		return
	}
	e := entry{kind: ast.NameValue, function: true}
	if pl.template {
		e.kind = ast.NameValueTemplate
	}
	p.declare(name, e)
}

// funcEnd reads the end of a function: a body, = default and the like, or nothing if a semicolon or
// comma follows.
func (p *parser) funcEnd(f *ast.FuncDecl, params *scope, pl place, first bool) (done bool) {
	switch p.cur.Kind {
	case token.Assign:
		return p.funcEquals(f)
	case token.LBrace, token.Colon, token.KwTry:
		if pl.instance {
			p.errorf(diag.BadTemplate, p.cur.Pos, p.cur.End(), "explicit template instantiation cannot have a definition")
			return false
		}
		if !first {
			p.errorf(diag.BadFunctionBody, p.cur.Pos, p.cur.End(), "function definition must be the only declarator")
			return false
		}
		if p.at(token.Colon) && !f.Ctor {
			p.complain(diag.BadFunctionBody, p.cur.Pos, p.cur.End(), "only constructors take base and member initializers")
		}
	default:
		return false
	}
	if p.home().kind == blockScope && !pl.member {
		p.complain(diag.BadFunctionBody, p.cur.Pos, p.cur.End(), "function definition is not allowed here")
	}
	if p.late != nil {
		if end := p.bodyEnd(); end > 0 {
			*p.late = append(*p.late, lateBody{f, params, p.mark()})
			p.jump(end)
			p.next()
			return true
		}
	}
	outer := p.scope
	p.scope = params
	p.funcBody(f)
	p.scope = outer
	return true
}

// bodyEnd returns the index of the brace that ends the body starting here, including constructor
// initializers, or 0.
func (p *parser) bodyEnd() int {
	i := p.i
	if p.toks[i].Kind == token.Colon {
		i++
		for i < len(p.toks) {
			for k := p.toks[i].Kind; k != token.LParen && k != token.LBrace; k = p.toks[i].Kind { // the name
				if k == token.Semi || k == token.RBrace || k == token.EOF {
					return 0
				}
				i++
			}
			if p.match[i] < 0 {
				return 0
			}
			i = int(p.match[i]) + 1
			if p.toks[i].Kind == token.Ellipsis {
				i++
			}
			if p.toks[i].Kind != token.Comma {
				break
			}
			i++
		}
	}
	if p.toks[i].Kind != token.LBrace || p.match[i] < 0 {
		return 0
	}
	return int(p.match[i])
}

// funcEquals reads = default, = delete or = 0.
func (p *parser) funcEquals(f *ast.FuncDecl) bool {
	from := p.cur.Pos
	p.next()
	switch {
	case p.got(token.KwDefault):
		f.Defaulted = true
	case p.got(token.KwDelete):
		f.Deleted = true
	case p.at(token.Int) && p.cur.Text == "0":
		p.next()
		f.Pure = true
		p.notInMSL(from, p.prevEnd, "virtual functions and bases are")
	default:
		p.errorf(diag.BadInitializer, from, p.cur.End(), "a function cannot have an initializer")
	}
	return false
}

// funcBody reads constructor initializers and the block in the parameter scope.
func (p *parser) funcBody(f *ast.FuncDecl) {
	if p.at(token.KwTry) {
		p.notInMSL(p.cur.Pos, p.cur.End(), "exceptions are")
		p.next()
	}
	if p.at(token.Colon) {
		p.next()
		f.Inits = p.ctorInits()
	}
	noGreater := p.noGreater
	p.noGreater = false
	outer := p.scope
	p.push(blockScope)
	f.Body = p.block("to begin the body of the function")
	p.scope = outer
	p.noGreater = noGreater
	for p.at(token.KwCatch) {
		p.next()
		if p.at(token.LParen) && p.match[p.i] > 0 {
			p.jump(int(p.match[p.i]))
			p.next()
		}
		p.block("after 'catch'")
	}
}

func (p *parser) ctorInits() (list []ast.CtorInit) {
	for {
		from := p.cur.Pos
		if !p.atName() {
			p.unexpected(diag.ExpectedName, "a member or base class to initialize")
			return list
		}
		in := ast.CtorInit{Name: p.name(nameOfType).name}
		open := p.i
		switch p.cur.Kind {
		case token.LParen:
			p.next()
			in.Args = p.args()
			p.closeBracket(open, "after the initializer")
		case token.LBrace:
			in.Brace = true
			in.Args = p.initList().Elems
		default:
			p.unexpected(diag.ExpectedToken, "'(' or '{' after the name of the member or base class")
			return list
		}
		in.Pack = p.got(token.Ellipsis)
		in.Span = p.span(from)
		list = append(list, in)
		if !p.chain(len(list)) || !p.got(token.Comma) {
			return list
		}
	}
}

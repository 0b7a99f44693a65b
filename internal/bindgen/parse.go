package bindgen

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// parser walks the tokens of one declaration file.
type parser struct {
	file string
	toks []token
	pos  int
	mod  *Module
	grp  string
}

func (p *parser) peek() token { return p.toks[p.pos] }

func (p *parser) next() token {
	t := p.toks[p.pos]
	if t.kind != tokEOF {
		p.pos++
	}
	return t
}

func (p *parser) peekAt(n int, punct string) bool {
	i := min(p.pos+n, len(p.toks)-1)
	return p.toks[i].kind == tokPunct && p.toks[i].text == punct
}

func (p *parser) peekPunct(s string) bool { return p.peekAt(0, s) }
func (p *parser) peekIdent(s string) bool { return p.peek().kind == tokIdent && p.peek().text == s }

func (p *parser) errorf(format string, args ...any) error {
	return &SyntaxError{p.file, p.peek().line, fmt.Sprintf(format, args...)}
}

func (p *parser) ident(what string) (string, error) {
	if t := p.peek(); t.kind != tokIdent {
		return "", p.errorf("expected %s, found %v", what, t)
	}
	return p.next().text, nil
}

func (p *parser) punct(s string) error {
	if !p.peekPunct(s) {
		return p.errorf("expected %q, found %v", s, p.peek())
	}
	p.next()
	return nil
}

func (p *parser) version() (Version, error) {
	t := p.peek()
	if t.kind != tokNumber {
		return Version{}, p.errorf("expected a version, found %v", t)
	}
	v, err := ParseVersion(t.text)
	if err != nil {
		return v, p.errorf("%v", err)
	}
	p.next()
	return v, nil
}

func (p *parser) number() (uint64, error) {
	neg := false
	if p.peekPunct("-") {
		p.next()
		neg = true
	}
	t := p.peek()
	v, err := strconv.ParseUint(t.text, 0, 64)
	if t.kind != tokNumber || err != nil {
		return 0, p.errorf("expected a number, found %v", t)
	}
	p.next()
	if neg {
		v = -v
	}
	return v, nil
}

// ParseDecl parses one declaration file. The file's base name is the concept of its declarations.
// Comments run from // to the end of the line.
//
//	framework Metal;
//	typedef uint64_t MTLGPUAddress;
//	typedef void (^)(id<MTLCommandBuffer>) MTLCommandBufferHandler;
//	enum MTLStorageMode : NSUInteger { MTLStorageModeShared = 0, MTLStorageModePrivate = 2 }
//	options MTLTextureUsage : NSUInteger { ... }
//	struct MTLSize { NSUInteger width; NSUInteger height; NSUInteger depth; }
//	struct MTL4BufferRange tag MTL4BufferRange { ... }
//	struct MTLPackedFloat3 encoded "{...}" { ... }
//	function id<MTLDevice> MTLCreateSystemDefaultDevice() since 10.11 retained;
//	string MTLLibraryErrorDomain since 10.11;
//	const NSUInteger MTLCounterDontSample = 0xffffffffffffffff;
//	class MTLCompileOptions : NSObject <NSCopying> since 10.11 {
//	    - languageVersion;
//	    - (MTLMathMode)mathMode since 15.0;
//	    - setLibraries: nullable(libraries);
//	}
//	protocol MTLBuffer : MTLResource since 10.11 { ... }
//
// A method without types takes them from darwinkit. A method without "since" is as old as its
// class. The other attributes of a method are "deprecated" with an optional version, "optional",
// "unavailable" for what a class takes back of its superclass, and "nullable" with the names of
// parameters, or "return", that may be nil. Members of an enumeration are added to those that
// darwinkit has.
func ParseDecl(file, src string) (*Module, error) {
	toks, err := lex(file, src)
	if err != nil {
		return nil, err
	}
	p := &parser{file: file, toks: toks, mod: &Module{}, grp: strings.TrimSuffix(path.Base(file), ".decl")}
	for p.peek().kind != tokEOF {
		if err := p.parseTop(); err != nil {
			return nil, err
		}
	}
	if p.mod.Framework == "" {
		return nil, p.errorf("no framework is named")
	}
	return p.mod, nil
}

func (p *parser) parseTop() error {
	word, err := p.ident("a declaration")
	if err != nil {
		return err
	}
	switch word {
	case "framework":
		if p.mod.Framework != "" {
			return p.errorf("second framework line")
		}
		if p.mod.Framework, err = p.ident("a framework"); err != nil {
			return err
		}
		return p.punct(";")
	case "typedef":
		return p.parseTypedef()
	case "enum", "options":
		return p.parseEnum(word == "options")
	case "struct":
		return p.parseStruct()
	case "function":
		return p.parseFunction()
	case "string", "const":
		return p.parseConstant(word == "string")
	case "class", "protocol":
		return p.parseClass(word == "protocol")
	}
	return p.errorf("unknown declaration %q", word)
}

func (p *parser) parseTypedef() error {
	t, err := p.parseType(0)
	if err != nil {
		return err
	}
	name, err := p.ident("a name")
	if err != nil {
		return err
	}
	p.mod.Typedefs = append(p.mod.Typedefs, &Typedef{name, t})
	return p.punct(";")
}

func (p *parser) parseEnum(options bool) error {
	e := &Enum{Options: options, Group: p.grp}
	var err error
	if e.Name, err = p.ident("a name"); err != nil {
		return err
	}
	if err := p.punct(":"); err != nil {
		return err
	}
	if e.Underlying, err = p.ident("an integer type"); err != nil {
		return err
	}
	p.mod.Enums = append(p.mod.Enums, e)
	if p.peekPunct(";") {
		p.next()
		return nil
	}
	if err := p.punct("{"); err != nil {
		return err
	}
	for !p.peekPunct("}") {
		var m Member
		if m.Name, err = p.ident("a member"); err != nil {
			return err
		}
		if err := p.punct("="); err != nil {
			return err
		}
		if m.Value, err = p.number(); err != nil {
			return err
		}
		e.Members = append(e.Members, m)
		if !p.peekPunct(",") {
			break
		}
		p.next()
	}
	return p.punct("}")
}

func (p *parser) parseStruct() error {
	s := &Struct{Tag: "?", Group: p.grp}
	var err error
	if s.Name, err = p.ident("a name"); err != nil {
		return err
	}
	if p.peekIdent("tag") {
		p.next()
		if s.Tag, err = p.ident("a tag"); err != nil {
			return err
		}
	}
	if p.peekIdent("encoded") {
		p.next()
		if p.peek().kind != tokString {
			return p.errorf("expected an encoding in quotes, found %v", p.peek())
		}
		s.Encoding = p.next().text
	}
	if err := p.punct("{"); err != nil {
		return err
	}
	for !p.peekPunct("}") {
		var f Field
		if f.Type, err = p.parseType(0); err != nil {
			return err
		}
		if f.Name, err = p.ident("a field"); err != nil {
			return err
		}
		if p.peekPunct("[") {
			p.next()
			n, err := p.number()
			if err != nil {
				return err
			}
			if n == 0 || n > 1024 {
				return p.errorf("array of %d elements, want 1 to 1024", n)
			}
			f.Len = int(n)
			if err := p.punct("]"); err != nil {
				return err
			}
		}
		if err := p.punct(";"); err != nil {
			return err
		}
		s.Fields = append(s.Fields, f)
	}
	if len(s.Fields) == 0 {
		return p.errorf("structure %s has no fields", s.Name)
	}
	p.mod.Structs = append(p.mod.Structs, s)
	return p.punct("}")
}

func (p *parser) parseFunction() error {
	f := &Function{Group: p.grp}
	var err error
	if f.Ret, err = p.parseType(0); err != nil {
		return err
	}
	if f.Name, err = p.ident("a name"); err != nil {
		return err
	}
	if err := p.punct("("); err != nil {
		return err
	}
	for !p.peekPunct(")") {
		var a Param
		if p.peekIdent("nullable") {
			p.next()
			a.Nullable = true
		}
		if a.Type, err = p.parseType(0); err != nil {
			return err
		}
		if a.Name, err = p.ident("a parameter's name"); err != nil {
			return err
		}
		f.Params = append(f.Params, a)
		if !p.peekPunct(",") {
			break
		}
		p.next()
	}
	if err := p.punct(")"); err != nil {
		return err
	}
	for !p.peekPunct(";") {
		word, err := p.ident("an attribute")
		if err != nil {
			return err
		}
		switch word {
		case "since":
			f.Since, err = p.version()
		case "retained":
			f.Retained = true
		case "inline":
			f.Inline = true
		default:
			err = p.errorf("unknown attribute %q of a function", word)
		}
		if err != nil {
			return err
		}
	}
	p.mod.Functions = append(p.mod.Functions, f)
	return p.punct(";")
}

func (p *parser) parseConstant(str bool) error {
	c := &Constant{Group: p.grp, Symbol: str}
	var err error
	if str {
		c.Type = CType{Name: "NSString", Stars: 1}
	} else if c.Type, err = p.parseType(0); err != nil {
		return err
	}
	if c.Name, err = p.ident("a name"); err != nil {
		return err
	}
	if !str {
		if err := p.punct("="); err != nil {
			return err
		}
		if c.Value, err = p.number(); err != nil {
			return err
		}
	}
	if p.peekIdent("since") {
		p.next()
		if c.Since, err = p.version(); err != nil {
			return err
		}
	}
	p.mod.Constants = append(p.mod.Constants, c)
	return p.punct(";")
}

package stdlib

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// maxNesting limits the nesting of template arguments.
const maxNesting = 8

// maxTypes limits the types that a variable ranges over.
const maxTypes = 256

type parser struct {
	toks      []tok
	pos       int
	file      *File
	namespace string
	section   string
	sets      map[string][]string
	ops       map[string]bool
	names     map[string]string // classes, enums and constants, with their kind
}

// failure is the panic value of a parse error.
type failure struct{ err error }

// Parse reads a definition file.
func Parse(src string) (f *File, err error) {
	toks, err := scan(src)
	if err != nil {
		return nil, err
	}
	p := &parser{toks: toks, file: &File{}, sets: map[string][]string{}, ops: map[string]bool{},
		names: map[string]string{}}
	defer func() {
		if r := recover(); r != nil {
			fail, ok := r.(failure)
			if !ok {
				panic(r)
			}
			f, err = nil, fail.err
		}
	}()
	for p.peek().kind != tEOF {
		p.statement()
	}
	slices.Sort(p.file.Namespaces)
	return p.file, nil
}

func (p *parser) failf(t tok, format string, args ...any) {
	panic(failure{fmt.Errorf("line %d: %s", t.line, fmt.Sprintf(format, args...))})
}

func (p *parser) peek() tok { return p.toks[p.pos] }

func (p *parser) next() tok {
	t := p.toks[p.pos]
	if t.kind != tEOF {
		p.pos++
	}
	return t
}

// is reports whether the next token is the given name or punctuator.
func (p *parser) is(text string) bool {
	t := p.peek()
	return t.text == text && (t.kind == tName || t.kind == tPunct)
}

// accept consumes the next token if it is the given one.
func (p *parser) accept(text string) bool {
	if p.is(text) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) want(text string) {
	if t := p.peek(); !p.accept(text) {
		p.failf(t, "expected %q, found %q", text, t.text)
	}
}

func (p *parser) kind(k tokenKind, what string) string {
	t := p.next()
	if t.kind != k {
		p.failf(t, "expected %s, found %q", what, t.text)
	}
	return t.text
}

func (p *parser) name() string { return p.kind(tName, "a name") }

func (p *parser) integer() int64 {
	t := p.peek()
	neg := p.accept("-")
	s := p.kind(tNumber, "a number")
	n, err := strconv.ParseInt(s, 0, 64)
	if err != nil {
		p.failf(t, "%q is not an integer", s)
	}
	if neg {
		return -n
	}
	return n
}

func (p *parser) statement() {
	t := p.next()
	switch t.text {
	case "namespace":
		p.namespace = ""
		if p.peek().kind == tName {
			p.namespace = p.name()
			p.addNamespace(p.namespace)
		}
	case "section":
		p.section = p.kind(tString, "a title")
		if slices.Contains(p.file.Sections, p.section) {
			p.failf(t, "section %q is declared twice", p.section)
		}
		p.file.Sections = append(p.file.Sections, p.section)
	case "types":
		p.types(t)
	case "object":
		c := Const{Name: p.name(), Type: p.name()}
		p.declare(t, c.Name, "object")
		p.file.Consts = append(p.file.Consts, c)
	case "enum":
		p.enum()
	case "struct", "opaque", "template", "alias", "trait", "typetrait":
		p.class(t)
	case "const":
		c := Const{Name: p.name(), Type: p.name()}
		p.declare(t, c.Name, "constant")
		p.want("=")
		s := p.kind(tNumber, "the bits")
		bits, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			p.failf(t, "%q is not a 64-bit number", s)
		}
		c.Bits = bits
		p.file.Consts = append(p.file.Consts, c)
	case "fn":
		p.fn(t)
	default:
		p.failf(t, "unexpected %q: expected a statement", t.text)
	}
	p.want(";")
}

func (p *parser) addNamespace(n string) {
	if !slices.Contains(p.file.Namespaces, n) {
		p.file.Namespaces = append(p.file.Namespaces, n)
	}
}

// declare records a name that may be declared only once.
func (p *parser) declare(t tok, name, kind string) {
	if old, ok := p.names[name]; ok {
		p.failf(t, "%s is already declared as %s", name, old)
	}
	p.names[name] = kind
}

func (p *parser) types(t tok) {
	name := p.name()
	if _, ok := p.sets[name]; ok {
		p.failf(t, "set %s is already declared", name)
	}
	p.want("=")
	p.sets[name] = p.typeList()
}

// typeList reads types and sets, preceded by an optional shape or followed by a range of lengths.
func (p *parser) typeList() []string {
	t := p.peek()
	shape := ""
	for _, s := range []string{"matrix", "square", "packed"} {
		if p.accept(s) {
			shape = s
			break
		}
	}
	var elems []string
	for p.peek().kind == tName && !p.is("for") {
		n := p.name()
		if set, ok := p.sets[n]; ok {
			elems = append(elems, set...)
		} else {
			elems = append(elems, n)
		}
		if len(elems) > maxTypes {
			p.failf(t, "more than %d types", maxTypes)
		}
	}
	if len(elems) == 0 {
		p.failf(t, "expected types, found %q", t.text)
	}
	lo, hi := 1, 1
	if shape == "packed" {
		lo, hi = 2, 4
	}
	if p.peek().kind == tNumber {
		lo = int(p.integer())
		hi = lo
		if p.accept("-") {
			hi = int(p.integer())
		}
		if lo < 1 || hi > 4 || lo > hi || shape == "matrix" || shape == "square" {
			p.failf(t, "lengths must be from 1 to 4")
		}
	}
	var out []string
	for _, e := range elems {
		switch shape {
		case "matrix", "square":
			for c := 2; c <= 4; c++ {
				for r := 2; r <= 4; r++ {
					if shape == "matrix" || c == r {
						out = append(out, fmt.Sprintf("%s%dx%d", e, c, r))
					}
				}
			}
			continue
		case "packed":
			e = "packed_" + e
		}
		for n := lo; n <= hi; n++ {
			if n == 1 {
				out = append(out, e)
			} else {
				out = append(out, e+strconv.Itoa(n))
			}
		}
	}
	if len(out) > maxTypes {
		p.failf(t, "more than %d types", maxTypes)
	}
	return out
}

func (p *parser) since(v *int) bool {
	if !p.accept("since") {
		return false
	}
	t := p.peek()
	s := p.kind(tNumber, "a version")
	major, minor, ok := strings.Cut(s, ".")
	if !ok || len(major) != 1 || len(minor) != 1 || !isDigit(minor[0]) || !isDigit(major[0]) {
		p.failf(t, "%q is not a version such as 3.1", s)
	}
	*v = int(major[0]-'0')*100 + int(minor[0]-'0')*10
	return true
}

func (p *parser) enum() {
	e := Enum{Section: p.section, Namespace: p.namespace, Since: FirstVersion}
	e.Scoped = p.accept("class")
	e.Flags = p.accept("flags")
	t := p.peek()
	e.Name = p.name()
	p.declare(t, e.Name, "enum")
	p.want("{")
	next := int64(0)
	for !p.is("}") {
		t := p.peek()
		n := p.name()
		if slices.Contains(e.Names, n) {
			p.failf(t, "enumerator %s is already declared", n)
		}
		if !e.Scoped {
			p.declare(t, n, "enumerator")
		}
		if p.accept("=") {
			next = p.integer()
		}
		e.Names = append(e.Names, n)
		e.Values = append(e.Values, next)
		next++
		if !p.accept(",") {
			break
		}
	}
	p.want("}")
	p.since(&e.Since)
	p.file.Enums = append(p.file.Enums, e)
}

func (p *parser) class(kind tok) {
	t := p.peek()
	c := Class{Section: p.section, Kind: kind.text, Name: p.name(), Namespace: p.namespace, Since: FirstVersion}
	p.declare(t, c.Name, c.Kind)
	switch c.Kind {
	case "struct":
		p.want("(")
		c.Fields, _ = p.params()
	case "alias":
		p.want("=")
		c.Fields = []Param{{Type: p.typ(0)}}
	}
	for {
		switch {
		case p.since(&c.Since):
			continue
		case p.accept("unsupported"):
			c.Unsupported = true
			continue
		case p.peek().kind == tString:
			c.Doc = p.next().text
			continue
		}
		break
	}
	if c.Doc == "" && c.Kind != "alias" {
		p.failf(t, "%s %s has no documentation", c.Kind, c.Name)
	}
	p.file.Classes = append(p.file.Classes, c)
	if c.Kind == "struct" && len(c.Fields) > 0 {
		if !p.ops["Construct"] {
			p.ops["Construct"] = true
			p.file.Ops = append(p.file.Ops, Op{"Construct", "an object of a library struct, from its members"})
		}
		p.file.Funcs = append(p.file.Funcs,
			Func{Line: t.line, Section: p.section, Name: c.Name, Namespace: c.Namespace, Recv: c.Name, Params: c.Fields,
				Result: Type{Name: c.Name}, Op: "Construct", Flags: []string{"pure", "constructor"}, Since: c.Since})
	}
}

// params reads parameters up to the closing parenthesis.
func (p *parser) params() (list []Param, variadic bool) {
	for !p.is(")") {
		if p.accept("...") {
			variadic = true
			break
		}
		prm := Param{Type: p.typ(0)}
		if p.peek().kind == tName {
			prm.Name = p.name()
		}
		t := p.peek()
		if p.accept("=") {
			prm.HasDefault = true
			prm.Default = p.integer()
		} else if n := len(list); n > 0 && list[n-1].HasDefault {
			p.failf(t, "a parameter without a default follows one that has a default")
		}
		list = append(list, prm)
		if !p.accept(",") {
			break
		}
	}
	p.want(")")
	return list, variadic
}

var spaces = []string{"thread", "device", "constant", "threadgroup", "threadgroup_imageblock", "ray_data",
	"object_data"}

func (p *parser) typ(depth int) (t Type) {
	at := p.peek()
	if depth > maxNesting {
		p.failf(at, "types nest deeper than %d", maxNesting)
	}
	for {
		switch {
		case p.accept("const"):
			t.Const = true
			continue
		case p.accept("volatile"):
			t.Volatile = true
			continue
		}
		break
	}
	t.Name = p.name()
	// If a second name that can begin a type follows, the first is an address space or a variable
	// of address spaces.
	if slices.Contains(spaces, t.Name) || t.Name == "S" {
		t.Space, t.Name = t.Name, p.name()
	}
	if p.accept("<") {
		for {
			t.Args = append(t.Args, p.typ(depth+1))
			if !p.accept(",") {
				break
			}
		}
		p.want(">")
	}
	if p.accept(".") {
		sel := p.next()
		if sel.kind != tName && sel.kind != tNumber {
			p.failf(sel, "expected a selector of %s, found %q", t.Name, sel.text)
		}
		t.Sel = sel.text
	}
	for _, r := range []string{"*", "&&", "&"} {
		if p.accept(r) {
			t.Refer = r
			break
		}
	}
	return t
}

func (p *parser) fn(start tok) {
	f := Func{Line: start.line, Section: p.section, Namespace: p.namespace, Since: FirstVersion}
	names := []string{p.name()}
	for p.accept("|") {
		names = append(names, p.name())
	}
	recvs, methods := []string{""}, names[:1]
	if p.accept(".") {
		recvs, methods = names, []string{p.name()}
		for p.accept("|") {
			methods = append(methods, p.name())
		}
		// A set can name the classes.
		for i := 0; i < len(recvs); i++ {
			if set, ok := p.sets[recvs[i]]; ok {
				recvs = slices.Replace(slices.Clone(recvs), i, i+1, set...)
			}
		}
	} else if len(names) > 1 {
		p.failf(start, "only classes and methods can have several names")
	}
	f.Name = methods[0]
	p.want("(")
	f.Params, f.Variadic = p.params()
	if p.accept("const") {
		f.Flags = append(f.Flags, "const")
	}
	f.Result = Type{Name: "void"}
	if p.accept("->") {
		f.Result = p.typ(0)
	}
	for p.accept("for") {
		p.vars(&f)
	}
	t := p.peek()
	p.want("=")
	f.Op = p.name()
	v := p.flags(&f)
	doc := ""
	if p.peek().kind == tString {
		doc = p.next().text
	}
	switch known := p.ops[f.Op]; {
	case !known && doc == "":
		p.failf(t, "operation %s has no documentation", f.Op)
	case known && doc != "":
		p.failf(t, "operation %s is already documented", f.Op)
	case !known:
		p.ops[f.Op] = true
		p.file.Ops = append(p.file.Ops, Op{f.Op, doc})
	}
	for _, m := range methods {
		for _, r := range recvs {
			f.Name, f.Recv = m, r
			p.file.Funcs = append(p.file.Funcs, f)
		}
	}
	p.variants(f, v, doc != "")
}

// variants declares the functions derived from one: the fast and precise versions, and the one
// under the compiler's own name, whose last argument selects the fast version. An entry that is
// just another name of an operation has none.
func (p *parser) variants(f Func, v variants, first bool) {
	if v.math {
		for _, name := range []string{"fast", "precise"} {
			g := f
			g.Namespace = p.namespace + "::" + name
			g.Flags = append(slices.Clone(f.Flags), name)
			p.addNamespace(g.Namespace)
			p.file.Funcs = append(p.file.Funcs, g)
		}
	}
	if v.raw || first && v.math && !v.nolow {
		g := f
		g.Namespace, g.Name, g.Low = "", lowPrefix+f.Name, true
		if !v.raw {
			g.Params = append(slices.Clone(f.Params), Param{Name: "fast", Type: Type{Name: "bool"}})
		}
		p.file.Funcs = append(p.file.Funcs, g)
	}
}

func (p *parser) vars(f *Func) {
	for {
		t := p.peek()
		v := Var{Name: p.name()}
		for _, old := range f.Vars {
			if old.Name == v.Name {
				p.failf(t, "variable %s is already declared", v.Name)
			}
		}
		if in := p.name(); in != "in" {
			p.failf(t, "expected \"in\", found %q", in)
		}
		v.Types = p.typeList()
		f.Vars = append(f.Vars, v)
		if !p.accept(",") {
			return
		}
	}
}

// lowPrefix begins the names of the compiler-internal functions behind the library.
const lowPrefix = "__metal_"

// variants says which further functions a function declares.
type variants struct {
	math  bool // the fast and precise versions, and the compiler's own
	raw   bool // the compiler's own, with the same arguments
	nolow bool // not the compiler's own
}

// flags reads flags and the version. It returns the flags that declare more functions.
func (p *parser) flags(f *Func) (v variants) {
	for p.peek().kind == tName {
		t := p.peek()
		switch n := t.text; {
		case p.since(&f.Since):
		case p.accept("math"):
			v.math = true
		case p.accept("raw"):
			v.raw = true
		case p.accept("nolow"):
			v.nolow = true
		case slices.Contains(f.Flags, n):
			p.failf(t, "flag %s is given twice", n)
		case slices.Contains(Flags, n):
			p.pos++
			f.Flags = append(f.Flags, n)
		default:
			p.failf(t, "unknown flag %q", n)
		}
	}
	return v
}

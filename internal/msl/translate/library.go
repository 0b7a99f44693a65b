package translate

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/check"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// library is the library of a dialect as text.
type library struct {
	*check.Library
	name  string
	decls []libraryDecl // as Library's
}

// libraryDecl is a declaration: its tokens, and what they name.
type libraryDecl struct {
	read      sync.Once
	names     []string // other names of the library
	builtins  []string // what Metal gives only to kernels
	variables []libraryVar
}

// libraryVar is a variable of a threadgroup, which only a kernel can have.
type libraryVar struct {
	name, typ, dims string
	from, to        int // tokens
}

// builtin begins the names of functions that stand for what Metal gives only to kernels.
const builtin = "__puremetal_"

var libraries sync.Map // of func() *library, by *dialect.Dialect

func libraryOf(d *dialect.Dialect) *library {
	l, _ := libraries.LoadOrStore(d, sync.OnceValue(func() *library {
		l := check.LibraryOf(d)
		return &library{Library: l, name: d.Namespace, decls: make([]libraryDecl, l.Len())}
	}))
	return l.(func() *library)()
}

// decl returns a declaration.
func (l *library) decl(i int) *libraryDecl {
	x := &l.decls[i]
	x.read.Do(func() {
		toks := l.Tokens(i)
		for k := 1; k < len(toks) && l.Function(i); k++ {
			if toks[k].Kind == token.KwThreadgroup && (ends(toks[k-1]) || toks[k-1].Kind == token.LBrace) {
				if v, ok := l.variable(toks, k); ok {
					x.variables = append(x.variables, v)
				}
			}
		}
		seen := map[string]bool{}
		for at, k := range toks {
			if k.Kind != token.Ident || seen[k.Text] {
				continue
			}
			if at >= 2 && toks[at-1].Kind == token.ColonColon && toks[at-2].Is("metal") {
				continue
			}
			seen[k.Text] = true
			if b, ok := strings.CutPrefix(k.Text, builtin); ok {
				x.builtins = append(x.builtins, b)
			} else if l.Has(k.Text) {
				x.names = append(x.names, k.Text)
			}
		}
	})
	return x
}

// variable reads the declaration of a variable of a threadgroup: threadgroup T name[N]; one with an
// initializer is a pointer, and one with parentheses a function.
func (l *library) variable(toks []token.Token, k int) (libraryVar, bool) {
	v := libraryVar{from: k, to: k}
	for toks[v.to].Kind != token.Semi {
		if k := toks[v.to].Kind; k == token.Assign || k == token.LParen {
			return v, false
		}
		v.to++
	}
	at := v.to - 1
	for toks[at].Kind == token.RBrack {
		for toks[at].Kind != token.LBrack {
			at--
		}
		at--
	}
	text := newTokens(l.Files, toks)
	v.name = toks[at].Text
	v.typ = text.span(k+1, at-1)
	if at+1 < v.to {
		v.dims = text.span(at+1, v.to-1)
	}
	return v, true
}

// ends reports whether a declaration can end with a token.
func ends(t token.Token) bool { return t.Kind == token.Semi || t.Kind == token.RBrace }

// write returns the declarations that a program uses, in an order in which they can be read.
func (l *library) write(p *program) string {
	names := p.sourceNames()
	own := p.declared()
	included := map[int]bool{}
	unit, wholes := map[string]bool{}, map[string]bool{} // names, with all of the functions or those wanted
	var order []int
	wants := func(i int) bool { // functions by what kernels reach, all else by name
		if !l.Function(i) || p.all || len(p.trace.Record.Used) == 0 {
			return true
		}
		return p.trace.Record.Used[ast.Templated(l.Node(i)).(*ast.FuncDecl)]
	}
	var add func(name string, whole bool)
	add = func(name string, whole bool) {
		if wholes[name] || unit[name] && !whole {
			return
		}
		unit[name], wholes[name] = true, whole
		var list []int
		for i := range l.Named(name) {
			if !included[i] && (whole || wants(i)) {
				list = append(list, i)
				included[i] = true
			}
		}
		for _, i := range list {
			for _, other := range l.decl(i).names {
				add(other, whole)
			}
		}
		order = append(order, list...)
	}
	named := func(name string) { add(name, false) }
	for _, i := range slices.Sorted(maps.Keys(p.trace.Record.Declared)) {
		name := l.Name(i)
		switch {
		case p.device != nil && builtinOf(name) != "": // the text has a parameter of this name
		case p.all, names[name], l.Function(i) && wants(i), p.types[name]:
			named(name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.made)) { // no part of the program uses what these need
		add(name, true)
	}
	for name := range p.types {
		named(name)
	}
	visible := map[string]bool{} // to the source
	for _, call := range p.trace.Record.Calls {
		if p.device != nil && builtinOf(call.Name) != "" {
			continue
		}
		named(call.Name)
		visible[call.Name] = !p.names[call.Name]
	}
	has := func(name string) bool {
		for i := range l.Named(name) {
			if included[i] {
				return true
			}
		}
		return false
	}
	for name := range visible {
		visible[name] = visible[name] && has(name)
	}
	maps.Copy(names, p.types)
	for name := range names {
		if has(name) && builtinOf(name) == "" &&
			(!own[name] || p.device != nil && l.isFunction(name)) {
			visible[name] = true
		}
	}
	p.aliases = ""
	var b strings.Builder
	b.WriteString("\nnamespace " + l.name + " {\nusing namespace metal;\n")
	for _, i := range order {
		b.WriteString(l.declaration(i, p) + "\n")
	}
	b.WriteString("}\n")
	for _, name := range slices.Sorted(maps.Keys(visible)) {
		switch {
		case !visible[name]:
		case l.aliased(name):
			// Outside of namespaces Metal has something of this name, and there can be nothing else.
			p.aliases += "#define " + name + " " + l.name + "::" + name + "\n"
		default:
			b.WriteString("using " + l.name + "::" + name + ";\n")
		}
	}
	b.WriteString(p.aliases)
	if p.device != nil {
		for _, name := range slices.Sorted(maps.Keys(p.made)) {
			b.WriteString("using " + l.name + "::" + name + ";\n")
		}
		return b.String()
	}
	for input := range p.inputs {
		p.types[p.inputType(input)] = true
	}
	for name := range p.names {
		p.types[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(p.types)) {
		if metalTypes().MatchString(name) && !own[name] {
			b.WriteString("using metal::" + name + ";\n")
		}
	}
	return b.String()
}

// aliased reports whether a name of the library that the source has is a macro in the text.
func (l *library) aliased(name string) bool {
	return taken(name) && l.Has(name) && (!l.isFunction(name) || strings.HasPrefix(name, "__"))
}

// plain returns how the text spells a type: without the library's namespace where the name is a
// macro that says it.
func (p *program) plain(typ string) string {
	if p.used == nil {
		p.used = p.sourceNames()
	}
	prefix := p.library.name + "::"
	var b strings.Builder
	for {
		i := strings.Index(typ, prefix)
		if i < 0 {
			return b.String() + typ
		}
		rest := typ[i+len(prefix):]
		end := 0
		for end < len(rest) && word(rest[end]) {
			end++
		}
		b.WriteString(typ[:i])
		if name := rest[:end]; !p.used[name] || !p.library.aliased(name) || i > 0 && typ[i-1] == ':' {
			b.WriteString(prefix)
		}
		typ = rest
	}
}

// taken reports whether Metal declares or reserves a name outside of namespaces: a type's, or a
// builtin's of its compiler.
func taken(name string) bool {
	return types.Predeclared(name) || types.Reserved(name) || strings.HasPrefix(name, "__builtin_")
}

// metalTypes are the types that the languages share and that Metal has in its namespace.
var metalTypes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(u?(char|short|int|long)|float|half)[234]$|^u(char|short|int|long)$`)
})

// declaration returns the text of a declaration. What Metal gives only to kernels comes as
// parameters.
func (l *library) declaration(i int, p *program) string {
	d := l.decl(i)
	t := newTokens(l.Files, l.Tokens(i))
	declared, class := -1, ""
	switch f := ast.Templated(l.Node(i)).(type) {
	case *ast.FuncDecl:
		declared = t.first(f.Name)
	case *ast.RecordDecl:
		class = l.Name(i)
	}
	for _, v := range d.variables {
		as := p.input(libraryInput(l.Name(i), v.name))
		for k := range t.list {
			switch {
			case k >= v.from && k <= v.to:
				t.replace(k, "")
				t.edit(k).eats, t.edit(k).dropped = true, true
			case t.list[k].Is(v.name):
				t.replace(k, as)
			}
		}
	}
	for k := range len(t.list) - 1 {
		if t.list[k].Kind != token.Ident || t.list[k+1].Kind != token.LParen {
			continue
		}
		if b, ok := strings.CutPrefix(t.list[k].Text, builtin); ok {
			t.replace(k, p.input(b))
			t.replace(k+1, "")
			t.replace(k+2, "")
			continue
		}
		name := t.list[k].Text
		if name == class {
			name = l.name + "::" + name
		}
		p.handDown(t, name, k+1, k == declared || t.list[k].Is(class), nil)
	}
	return t.span(0, len(t.list)-1)
}

// isFunction reports whether a name is one of functions.
func (l *library) isFunction(name string) bool {
	for i := range l.Named(name) {
		return l.Function(i)
	}
	return false
}

// sourceNames returns the names in the source that may be those of the library.
func (p *program) sourceNames() map[string]bool {
	names := map[string]bool{}
	if p.device == nil {
		maps.Copy(names, p.names)
	}
	for i, t := range p.list {
		if t.Kind == token.Ident && !p.cut[i] {
			names[t.Text] = true
		}
	}
	return names
}

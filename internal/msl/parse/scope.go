package parse

import (
	"slices"

	"github.com/puremetal/puremetal/internal/msl/ast"
)

type scopeKind uint8

const (
	fileScope scopeKind = iota
	namespaceScope
	recordScope
	enumScope
	templateScope // of template parameters: what is declared under it goes into the enclosing scope
	blockScope
	libraryScope // a namespace of the standard library
	viewScope    // imports the names of a class into a definition outside it
)

// scope is a set of names and the scopes to search next.
type scope struct {
	parent  *scope
	kind    scopeKind
	name    string // of a class, to recognize its constructors
	names   map[string]entry
	imports []*scope // namespaces of using directives, bases of classes, inline namespaces
	search  int      // number of the last search that visited the scope
	closed  bool     // a class whose definition has begun: a second one of that name is another class
}

// entry is what the parser knows about a name.
type entry struct {
	kind      ast.NameKind
	scope     *scope // members of a class, enumeration or namespace, if known
	function  bool   // a function: `<` after it is never less-than
	dependent bool   // a template type parameter, or a type that depends on one
}

// find searches one scope and the scopes it imports, visiting each once, because bases and
// using directives can form cycles. Each search has its own number.
func (p *parser) find(s *scope, name string) (entry, bool) {
	if e, ok := s.names[name]; ok {
		return e, true
	}
	if s.search == p.search {
		return entry{}, false
	}
	s.search = p.search
	for _, l := range s.imports {
		p.spend(1)
		if e, ok := p.find(l, name); ok {
			return e, true
		}
	}
	return entry{}, false
}

// addImport adds a scope to those that another imports, unless it is there already.
func (p *parser) addImport(to, from *scope) {
	p.spend(1 + len(to.imports)/16)
	if !slices.Contains(to.imports, from) {
		to.imports = append(to.imports, from)
	}
}

// push opens a scope within the current one.
func (p *parser) push(kind scopeKind) *scope {
	p.scope = &scope{parent: p.scope, kind: kind}
	return p.scope
}

// pop leaves a scope that push returned, and any nested in it.
func (p *parser) pop(s *scope) { p.scope = s.parent }

// openLibrary declares the namespaces that Metal's headers provide.
func (p *parser) openLibrary() {
	lib := entry{kind: ast.NameNamespace, scope: &scope{kind: libraryScope}}
	p.file.names = map[string]entry{"metal": lib}
}

// lookup finds an unqualified name.
func (p *parser) lookup(name string) entry {
	p.search++
	for s := p.scope; s != nil; s = s.parent {
		if e, ok := p.find(s, name); ok {
			return e
		}
	}
	return p.library(name)
}

// library looks up a name that the program does not declare.
func (p *parser) library(name string) entry {
	if p.opts.Known != nil {
		if k := p.opts.Known(name); k != ast.NameUnknown {
			return entry{kind: k}
		}
	}
	k := builtinName(name)
	if k == ast.NameNamespace {
		return entry{kind: k, scope: &scope{kind: libraryScope}}
	}
	return entry{kind: k, function: k == ast.NameValueTemplate}
}

// member finds a name in a scope, qualified.
func (p *parser) member(s *scope, name string) entry {
	if s == nil {
		return entry{}
	}
	p.search++
	if e, ok := p.find(s, name); ok {
		return e
	}
	if s.kind == libraryScope {
		return p.library(name)
	}
	return entry{}
}

// home returns the scope that a declaration here goes into.
func (p *parser) home() *scope {
	s := p.scope
	for s.kind == templateScope && s.parent != nil {
		s = s.parent
	}
	return s
}

// declare adds a name to the current scope.
func (p *parser) declare(name string, e entry) { p.declareIn(p.home(), name, e) }

func (p *parser) declareIn(s *scope, name string, e entry) {
	if name == "" {
		return
	}
	if old, ok := s.names[name]; ok {
		switch {
		case old == e:
			return
		case old.kind == ast.NameValueTemplate && e.kind == ast.NameValue && e.function:
			return // an overload that is not a template does not hide those that are
		case e.scope == nil && old.kind == e.kind:
			e.scope = old.scope
		}
	}
	if s.names == nil {
		s.names = make(map[string]entry)
	}
	s.names[name] = e
	if p.quiet == 0 {
		p.version++
	}
}

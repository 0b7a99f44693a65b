package translate

import (
	"maps"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
)

// find finds which functions need what Metal gives only to kernels. Functions of the same name need
// the same, so that a call need not be resolved.
func (p *program) find() {
	users := map[string][]string{}          // by what they use
	holders := map[string]map[string]bool{} // by built-in
	for i, d := range p.library.Decls {
		f, ok := ast.Templated(d).(*ast.FuncDecl)
		if !ok || f.Name.Last().Kind != ast.PartIdent {
			continue
		}
		name := f.Name.Last().Ident
		for _, n := range p.library.decls[i].names {
			users[n] = append(users[n], name)
		}
		for _, b := range p.library.decls[i].builtins {
			if holders[b] == nil {
				holders[b] = map[string]bool{}
			}
			holders[b][name] = true
		}
	}
	ast.Inspect(p.trace.File, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncDecl)
		if !ok || f.Name == nil || f.Body == nil {
			return true
		}
		name := f.Name.Last().Ident
		ast.Inspect(f.Body, func(n ast.Node) bool {
			call, called := p.trace.Record.Call(n)
			used := call.Name
			switch n := n.(type) {
			case *ast.NameExpr:
				used, called = n.Name.Last().Ident, true
			case *ast.MemberExpr:
				users[n.Name.Last().Ident] = append(users[n.Name.Last().Ident], name)
			}
			if called {
				users[used] = append(users[used], name)
			}
			return true
		})
		return true
	})
	p.needs = map[string][]string{}
	for _, b := range slices.Sorted(maps.Keys(holders)) {
		reach(users, holders[b])
		for name := range holders[b] {
			p.needs[name] = append(p.needs[name], b)
		}
	}
	for _, f := range p.functions() { // names as the kernels need them, which is where they come from
		for _, b := range p.needs[f.Name.Simple()] {
			p.input(b)
		}
	}
}

// input returns the parameter for a built-in.
func (p *program) input(b string) string {
	if p.inputs[b] == "" {
		p.inputs[b] = p.fresh(b)
	}
	return p.inputs[b]
}

// inputType returns the type of a built-in.
func inputType(b string) string {
	if strings.Contains(b, "position_in") || strings.HasPrefix(b, "threads_per_grid") ||
		strings.HasSuffix(b, "threads_per_threadgroup") || strings.HasPrefix(b, "threadgroups_per") {
		return "uint3"
	}
	return "uint"
}

// handDown adds what a function needs to the parentheses at i: as parameters of its declaration, or
// as arguments of a call.
func (p *program) handDown(t *tokens, name string, i int, declares bool, attribute string) {
	list := p.needs[name]
	if len(list) == 0 || t.list[i].Kind != token.LParen {
		return
	}
	var parts []string
	for _, b := range list {
		text := p.input(b)
		if declares {
			text = inputType(b) + " " + text
			if attribute != "" {
				text += " [[" + b + "]]"
			}
		}
		parts = append(parts, text)
	}
	text := strings.Join(parts, ", ")
	end := t.closing(i)
	switch {
	case end == i+1:
	case end == i+2 && t.list[i+1].Text == "void":
		t.replace(i+1, "")
	default:
		text = ", " + text
	}
	t.before(end, text)
}

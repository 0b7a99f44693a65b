package translate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// A function that is an argument of a template needs what Metal gives only to kernels as others do:
// then the type of the template's parameter has it too. All functions that one parameter is need
// the same.

// passedName is the name by which a parameter of a template gets what it needs.
func passedName(function, parameter string) string { return function + "<" + parameter + ">" }

// readPassed finds the functions that parameters of templates are, and notes who uses whom.
func (p *program) readPassed(users map[string][]string) {
	d := p.device
	funcs := map[*ast.FuncDecl]*typed.Func{}
	for _, x := range p.trace.Record.Instances {
		funcs[x.Decl] = x.Func
	}
	for _, x := range p.trace.Record.Instances {
		to := x.Decl.Name.Last().Ident
		for name, decl := range x.Passed {
			key, from := passedName(to, name), decl.Name.Last().Ident
			if d.passed[to] == nil {
				d.passed[to] = map[string][]*typed.Func{}
			}
			if f := funcs[decl]; f != nil && !slices.Contains(d.passed[to][name], f) {
				d.passed[to][name] = append(d.passed[to][name], f)
			}
			users[from] = append(users[from], key, to)
			users[key] = append(users[key], from)
			if p.leading[from] {
				p.leading[key] = true
			}
		}
	}
	for again := true; again; { // all alike
		again = false
		for _, to := range slices.Sorted(maps.Keys(d.passed)) {
			for name, list := range d.passed[to] {
				key := passedName(to, name)
				for _, f := range list {
					if p.leading[f.Name] != p.leading[key] {
						p.leading[f.Name], p.leading[key], again = true, true, true
					}
				}
			}
		}
	}
}

// calledName returns the name by which what is called in the function that is written gets what it
// needs.
func (p *program) calledName(name string) string {
	if p.device == nil || p.device.now == nil {
		return name
	}
	f := p.device.now.checked.Decl.Name.Last().Ident
	if len(p.device.passed[f][name]) > 0 {
		return passedName(f, name)
	}
	return name
}

// passedParam writes the type of a parameter of a template that is a function.
func (p *program) passedParam(f *ast.FuncDecl, a *ast.TemplateParam) {
	if a.Ident == nil {
		return
	}
	to, name := f.Name.Last().Ident, a.Ident.Name
	key := passedName(to, name)
	first, ident := p.first(a), p.first(a.Ident)
	if len(p.needs[key]) == 0 || first < 0 || ident < first {
		return
	}
	if i := ident + 1; i+1 < len(p.list) && p.list[i].Kind == token.RParen && p.list[i+1].Kind == token.LParen {
		p.handDown(p.tokens, key, i+1, true, nil) // its type is here
		return
	}
	typ := ""
	for _, x := range p.device.passed[to][name] {
		var params []string
		for _, v := range x.Params {
			params = append(params, p.plain(v.Type.String()))
		}
		own := len(params)
		for _, b := range p.needs[key] {
			text := p.inputType(b) + " " + p.input(b)
			if in := p.deviceInput(b); in != nil {
				text = p.declare(in)
			}
			params = append(params, text)
		}
		if p.leading[key] && own > 0 {
			params = append(params[own:], params[:own]...)
		}
		result := types.Qualified{Type: x.Result}.String()
		text := fmt.Sprintf("%s (*%s)(%s)", p.plain(result), name, strings.Join(params, ", "))
		if typ != "" && typ != text {
			p.unwritten = fmt.Errorf("%v: functions of several types", p.files.Position(a.Pos()))
		}
		typ = text
	}
	p.retype(first, ident, typ)
	p.replace(ident, "")
	p.edit(ident).tight = true
}

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
	reached := p.libraryReached()
	for _, i := range reached {
		name := p.library.needy(i)
		if name == "" {
			continue
		}
		d := p.library.decl(i)
		for _, n := range d.names {
			users[n] = append(users[n], name)
		}
		for _, v := range d.variables {
			key := libraryInput(name, v.name)
			if p.variables[key] == nil {
				as := p.fresh(strings.TrimLeft(name, "_") + "_" + v.name)
				p.variables[key] = &deviceInput{name: as, users: map[string]bool{name: true},
					param: "threadgroup " + v.typ + " (&" + as + ")" + v.dims,
					local: "threadgroup " + v.typ + " " + as + v.dims + ";"}
			}
		}
		for _, b := range d.builtins {
			if holders[b] == nil {
				holders[b] = map[string]bool{}
			}
			holders[b][name] = true
		}
	}
	p.classes()
	makes := func(class, user string) {
		if class != "" {
			users[class] = append(users[class], user)
		}
	}
	ast.Inspect(p.trace.File, func(n ast.Node) bool {
		f, ok := n.(*ast.FuncDecl)
		if ns, header := n.(*ast.NamespaceDecl); header && p.device != nil && p.cut[max(p.first(ns), 0)] {
			return false
		}
		if !ok || f.Name == nil || f.Body == nil {
			return true
		}
		name := p.inputName(f)
		p.takesMore(f)
		use := func(n ast.Node) bool {
			call, called := p.trace.Record.Call(n)
			used := call.Name
			switch n := n.(type) {
			case *ast.NameExpr:
				used, called = n.Name.Last().Ident, true
				if b := builtinOf(used); b != "" && p.device != nil {
					if holders[b] == nil {
						holders[b] = map[string]bool{}
					}
					holders[b][name] = true
					return true
				}
			case *ast.CallExpr:
				makes(p.madeClass(n), name)
				makes(p.calledClass(n), name)
			case *ast.ConstructExpr:
				makes(p.madeClass(n), name)
			case *ast.VarDecl:
				makes(p.varClass(n), name)
				makes(p.convertedClass(n), name)
			case *ast.CtorInit:
				if class := n.Name.Last().Ident; !p.functionNames[class] {
					makes(class, name)
				}
			case *ast.MemberExpr:
				users[n.Name.Last().Ident] = append(users[n.Name.Last().Ident], name)
			}
			if called {
				users[used] = append(users[used], name)
			}
			return true
		}
		for i := range f.Inits {
			ast.Inspect(&f.Inits[i], use)
		}
		ast.Inspect(f.Body, use)
		return true
	})
	if p.device != nil {
		p.readPassed(users)
	}
	p.variableNeeds(holders)
	p.needs = map[string][]string{}
	for _, b := range slices.Sorted(maps.Keys(holders)) {
		reach(users, holders[b])
		for name := range holders[b] {
			p.needs[name] = append(p.needs[name], b)
		}
	}
	for _, i := range reached {
		if p.library.Function(i) && len(p.needs[p.library.Name(i)]) > 0 {
			p.takesMore(ast.Templated(p.library.Node(i)).(*ast.FuncDecl))
		}
	}
	for _, f := range p.functions() { // names as the kernels need them, which is where they come from
		for _, b := range p.needs[f.Name.Simple()] {
			p.input(b)
		}
	}
	if p.device != nil {
		p.nameInputs()
		p.eachNeeds()
	}
}

// libraryReached returns the declarations of the library that the program can reach by names.
func (p *program) libraryReached() (list []int) {
	names := p.sourceNames()
	for i := range p.trace.Record.Declared {
		names[p.library.Name(i)] = true
	}
	for _, call := range p.trace.Record.Calls {
		names[call.Name] = true
	}
	for next := slices.Collect(maps.Keys(names)); len(next) > 0; {
		name := next[len(next)-1]
		next = next[:len(next)-1]
		for i := range p.library.Named(name) {
			list = append(list, i)
			for _, other := range p.library.decl(i).names {
				if !names[other] {
					names[other] = true
					next = append(next, other)
				}
			}
		}
	}
	slices.Sort(list)
	return list
}

// takesMore notes a function after whose parameters none can follow: the last have defaults, or are
// any number.
func (p *program) takesMore(f *ast.FuncDecl) {
	for _, a := range f.Params {
		if _, pack := a.Type.(*ast.PackType); pack || a.Default != nil {
			p.leading[p.inputName(f)] = true
		}
	}
}

// input returns the parameter for a built-in.
func (p *program) input(b string) string {
	if in := p.variables[b]; in != nil {
		return in.name
	}
	if p.device != nil {
		for _, name := range []string{"threadIdx", "blockIdx", "blockDim", "gridDim"} {
			if builtinOf(name) == b {
				p.inputs[b] = name
			}
		}
	}
	if p.inputs[b] == "" {
		p.inputs[b] = p.fresh(b)
	}
	return p.inputs[b]
}

// inputType returns the type of a built-in.
func (p *program) inputType(b string) string {
	typ := "uint"
	if strings.Contains(b, "position_in") || strings.HasPrefix(b, "threads_per_grid") ||
		strings.HasSuffix(b, "threads_per_threadgroup") || strings.HasPrefix(b, "threadgroups_per") {
		typ = "uint3"
		switch { // the language has a type of this name
		case p.device != nil && p.names[typ]: // which may be a macro
			typ = "metal::vec<uint, 3>"
		case p.device != nil:
			typ = "metal::uint3"
		}
	}
	return typ
}

// handDown adds what a function needs to the parentheses at i: as parameters of its declaration, or
// as arguments of a call. A kernel's have attributes.
func (p *program) handDown(t *tokens, name string, i int, declares bool, kernel *ast.FuncDecl) {
	list := p.needs[name]
	if len(list) == 0 || t.list[i].Kind != token.LParen {
		return
	}
	var parts []string
	locals := ""
	for _, b := range list {
		text := p.input(b)
		if in := p.variables[b]; in != nil && in.each != nil && !declares {
			text = p.eachInput(in, t, i)
		}
		switch own := p.deviceInput(b); {
		case own != nil && kernel != nil:
			param, body := p.hostParam(kernel, b)
			locals += body
			if text = param; text == "" {
				continue
			}
		case own != nil && declares:
			text = p.declare(own)
		case declares:
			text = p.inputType(b) + " " + text
			if kernel != nil {
				text += " [[" + b + "]]"
			}
		}
		parts = append(parts, text)
	}
	if locals != "" && kernel.Body != nil {
		t.after(t.first(kernel.Body), locals)
	}
	if len(parts) == 0 {
		return
	}
	text := strings.Join(parts, ", ")
	end := t.closing(i)
	switch {
	case p.leading[name] && end > i+1 && kernel == nil:
		t.after(i, text+", ")
		return
	case end == i+1:
	case end == i+2 && t.list[i+1].Text == "void":
		t.replace(i+1, "")
	default:
		text = ", " + text
	}
	t.before(end, text)
}

// captures adds what comes from the kernel to what a lambda captures by name.
func (p *program) captures(x *ast.LambdaExpr) {
	first, last := p.first(x), p.last(x)
	if p.device == nil || p.device.now == nil || x.Default != ast.CaptureNone || first < 0 || last < first {
		return
	}
	t, needs := p.tokens, p.needs[p.inputName(p.device.now.checked.Decl)]
	p.later = append(p.later, func() { // once calls have their arguments
		names := map[string]bool{}
		identifiers(t.span(first, last), func(name string) { names[name] = true })
		var list []string
		for _, b := range needs {
			switch name := p.input(b); {
			case !names[name]:
			case p.variables[b] != nil:
				list = append(list, "&"+name)
			default:
				list = append(list, name)
			}
		}
		if len(list) == 0 {
			return
		}
		text := strings.Join(list, ", ")
		if len(x.Captures) > 0 {
			text = ", " + text
		}
		t.before(t.closing(first), text)
	})
}

func (p *program) deviceInput(key string) *deviceInput {
	return p.variables[key]
}

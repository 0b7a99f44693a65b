package translate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/check"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

const dynamicInput = "$dynamic"

// varInput is the key in program.variables of the variable that is declared at a position.
func varInput(at diag.Pos) string { return fmt.Sprintf("$%08d", at) }

// keyOf is the key in program.variables of a variable. A texture and its sampler are one variable
// of the source.
func keyOf(v *typed.Var) string {
	if _, ok := v.Type.(*types.Opaque); ok {
		return varInput(v.Pos) + "s"
	}
	return varInput(v.Pos)
}

// libraryInput is the key of a variable of a function of the library.
func libraryInput(function, variable string) string { return "$" + function + "." + variable }

// hostInput notes a variable that is an argument of kernels.
func (p *program) hostInput(a *typed.Arg) {
	d := p.device
	v := a.Var
	if a.Kind == typed.ArgThreadgroup {
		d.shared = v
		if p.variables[dynamicInput] == nil {
			u := p.trace.Record.Program.Universe
			p.variables[dynamicInput] = &deviceInput{v: v, host: true, users: map[string]bool{},
				typ: types.Qualified{Type: u.Pointer(types.Qualified{Type: types.UChar, Space: types.Threadgroup})}}
		}
		return
	}
	if p.variables[keyOf(v)] != nil {
		return
	}
	x := &deviceInput{name: v.Name, v: v, host: true, users: map[string]bool{}}
	x.typ = types.Qualified{Type: v.Type}
	if t, ok := v.Type.(*types.Pointer); ok && v.Ref {
		x.typ = types.Qualified{Type: p.trace.Record.Program.Universe.Reference(t.Elem, false)}
	}
	p.variables[keyOf(v)] = x
}

// readUses finds which functions name the variables that are handed down, and where.
func (p *program) readUses() {
	d := p.device
	d.around = p.outermost()
	blocks := map[*typed.Var]*deviceInput{}
	p.bodies(func(name string, outer, x *check.Instance) {
		if _, kernel := d.kernels[outer.Func.Pos]; kernel {
			return
		}
		typed.InspectBlock(x.Func.Body, func(typed.Expr) {}, func(s typed.Stmt) {
			if v, ok := s.(*typed.VarDecl); ok && v.Var.Kind == typed.ThreadgroupLocal {
				blocks[v.Var] = p.blockVariable(name, outer, v.Var)
			}
		})
	})
	p.bodies(func(name string, _, x *check.Instance) {
		typed.InspectBlock(x.Func.Body, func(e typed.Expr) {
			r, ok := e.(*typed.VarRef)
			if !ok {
				return
			}
			in := blocks[r.Var]
			switch {
			case in != nil:
			case r.Var == d.shared && d.shared != nil:
				p.variables[dynamicInput].users[name] = true
				return
			case r.Var.Kind == typed.Param:
				if in = p.variables[keyOf(r.Var)]; in == nil || in.v != r.Var {
					return
				}
			default:
				return
			}
			in.users[name] = true
			in.uses = append(in.uses, r.Pos())
		}, func(typed.Stmt) {})
	})
	p.blockInstances()
}

// bodies calls f with the functions that have bodies, the names of the functions around them, and
// these.
func (p *program) bodies(f func(name string, outer, x *check.Instance)) {
	for _, x := range p.trace.Record.Instances {
		if x.Func.Body != nil {
			outer := p.device.around[x.Func]
			f(outer.Decl.Name.Last().Ident, outer, x)
		}
	}
}

func (p *program) refuse(r Refusal) {
	if !slices.Contains(p.refused, r) {
		p.refused = append(p.refused, r)
	}
}

// variableNeeds adds the variables that functions get from kernels to what they need.
func (p *program) variableNeeds(holders map[string]map[string]bool) {
	for key, in := range p.variables {
		if in.each == nil {
			holders[key] = maps.Clone(in.users)
		}
	}
}

// nameInputs gives the variables that are handed down names which no function that needs them has
// for something else, and renames their uses.
func (p *program) nameInputs() {
	if in := p.variables[dynamicInput]; in != nil {
		in.name = p.fresh("shared_memory")
	}
	locals := map[string]map[string]bool{} // names that functions of a name declare
	for _, x := range p.trace.Record.Instances {
		name := x.Decl.Name.Last().Ident
		if locals[name] == nil {
			locals[name] = map[string]bool{}
		}
		for _, v := range x.Func.Params {
			locals[name][v.Name] = true
		}
		if x.Func.Body != nil {
			typed.InspectBlock(x.Func.Body, func(typed.Expr) {}, func(s typed.Stmt) {
				if v, ok := s.(*typed.VarDecl); ok {
					locals[name][v.Var.Name] = true
				}
			})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.variables)) {
		in := p.variables[key]
		if key == dynamicInput || in.v == nil {
			continue
		}
		for name, list := range p.needs {
			if in.host && slices.Contains(list, key) && locals[name][in.name] {
				in.name = p.fresh(in.name + "_")
				break
			}
		}
		if in.name == in.v.Name || in.untyped { // which functions give its name
			continue
		}
		for _, at := range in.uses {
			if i := p.at(at); i >= 0 && p.list[i].Text == in.v.Name {
				p.replace(i, in.name)
			}
		}
	}
}

// hostParam returns the parameter of a kernel for a variable that the host sets, and what the body
// begins with.
func (p *program) hostParam(f *ast.FuncDecl, key string) (param, body string) {
	in := p.variables[key]
	if in.local != "" {
		return "", " " + in.local
	}
	if in.untyped {
		return "", " " + blockMemory(in.name, in.sizes[f])
	}
	if !in.host {
		t := in.v.Type
		return "", " " + p.plain(types.Qualified{Type: t, Space: types.Threadgroup}.Declare(in.name)) + ";"
	}
	for _, k := range p.device.kernels[namePos(f)] {
		for _, a := range k.Args {
			switch {
			case !a.Host || a.Var != in.v:
			case key == dynamicInput:
				return p.dynamicParam(f, a)
			default:
				return fmt.Sprintf("%s [[%s(%d)]]", p.declare(in), place(a.Kind), a.Index), ""
			}
		}
	}
	return "", ""
}

// dynamicParam is the memory of a block whose length the host gives.
func (p *program) dynamicParam(f *ast.FuncDecl, a *typed.Arg) (param, body string) {
	in := p.variables[dynamicInput]
	name, typ := a.Name, ""
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if d, ok := n.(*ast.VarDecl); ok && typ == "" && isDynamic(d) && d.Name.Last().Ident == name {
			typ = p.elemText(d)
		}
		return true
	})
	if typ == "" {
		name = a.Var.Name
		typ = p.plain(types.Qualified{Type: a.Elem}.String())
	}
	p.device.sharedOf[f.Name.Last().Ident+"/"+name] = true
	first, last, body0 := p.first(f), p.last(f), p.first(f.Body)
	p.later = append(p.later, func() { // once it is known whether anything needs it
		for i := first; i <= last; i++ {
			if e := p.edits[i]; e != nil && strings.Contains(e.before+e.text+e.after+e.lead+e.trail, in.name) {
				p.after(body0, fmt.Sprintf(" threadgroup uchar *%s = (threadgroup uchar *)%s;", in.name, name))
				return
			}
		}
	})
	return fmt.Sprintf("%s%s [[threadgroup(%d)]]", sharedPointer(typ), name, a.Index), ""
}

// views declares at the beginning of a function the memory whose length the host gives by the names
// that it has outside of functions.
func (p *program) views(f *ast.FuncDecl) {
	in := p.variables[dynamicInput]
	if in == nil || f.Body == nil {
		return
	}
	name := f.Name.Last().Ident
	own := map[string]bool{}
	var list []string
	for _, a := range f.Params {
		if a.Ident != nil {
			own[a.Ident.Name] = true
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.VarDecl:
			if n.Name != nil {
				own[n.Name.Last().Ident] = true
			}
		case *ast.NameExpr:
			if s := n.Name.Simple(); p.device.dynamic[s] != nil && !slices.Contains(list, s) {
				list = append(list, s)
			}
		}
		return true
	})
	for _, s := range list {
		if !own[s] && !p.device.sharedOf[name+"/"+s] {
			p.after(p.first(f.Body), " "+p.view(p.device.dynamic[s], in))
		}
	}
}

// view declares the memory whose length the host gives by one of its names.
func (p *program) view(d *ast.VarDecl, in *deviceInput) string {
	typ := sharedPointer(p.elemText(d))
	return fmt.Sprintf("%s%s = (%s)%s;", typ, d.Name.Last().Ident, typ, in.name)
}

// sharedPointer returns a pointer to a type in the memory of a block.
func sharedPointer(typ string) string {
	if strings.HasSuffix(typ, "*") {
		return typ + " threadgroup *"
	}
	return "threadgroup " + typ + " *"
}

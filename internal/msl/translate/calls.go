package translate

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/check"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/token"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// libraryCall writes an expression as a call of the function that says what it means.
func (p *program) libraryCall(x ast.Expr, call check.LibraryCall) {
	name := p.libraryName(call.Name)
	switch x := x.(type) {
	case *ast.NameExpr:
		if builtinOf(call.Name) != "" {
			p.builtinVar(x, call.Name)
			return
		}
	case *ast.CallExpr:
		if i := p.first(x.Fun); i == p.last(x.Fun) {
			p.replace(i, name)
			return
		}
	case *ast.BinaryExpr:
		p.wrap(x, name)
		p.comma(p.at(x.OpPos))
		p.converted(call, x.X, x.Y)
		return
	case *ast.CondExpr:
		if x.Then != nil {
			p.wrap(x, name)
			p.comma(p.last(x.Cond) + 1)
			p.comma(p.last(x.Then) + 1)
			p.converted(call, x.Cond, x.Then, x.Else)
			return
		}
	case *ast.UnaryExpr:
		if x.Op != token.PlusPlus && x.Op != token.MinusMinus {
			p.wrap(x, name)
			p.replace(p.first(x), "")
			p.converted(call, x.X)
			return
		}
	case *ast.CastExpr:
		if x.Kind == ast.CStyleCast {
			p.wrap(x, name)
			for i := p.first(x); i < p.first(x.X); i++ {
				p.replace(i, "")
			}
			p.converted(call, x.X)
			return
		}
	case *ast.MemberExpr:
		p.wrap(x, name)
		for i := p.last(x.X) + 1; i <= p.last(x); i++ {
			p.replace(i, "")
		}
		return
	case *ast.IndexExpr:
		p.wrap(x, name)
		p.comma(p.last(x.X) + 1)
		p.replace(p.last(x), "")
		p.converted(call, x.X, x.Index)
		return
	case *ast.AssignExpr:
		if !ast.HasEffects(x.X) && len(call.Types) == 2 {
			p.later = append(p.later, func() {
				p.replace(p.at(x.OpPos), "= "+name+"("+p.span(p.first(x.X), p.last(x.X))+",")
			})
			p.around(p.last(x), p.last(x), "", ")")
			p.converted(check.LibraryCall{Types: call.Types[1:]}, x.Y)
			return
		}
	}
	p.unwritten = fmt.Errorf("%v: no text for %T as %s", p.files.Position(x.Pos()), x, name)
}

// cast begins the text of a conversion, which a parenthesis ends.
func (p *program) cast(to check.Cast) string {
	switch {
	case to.Mixed:
		p.made["__converting"] = true
		return p.libraryName("__converting") + "("
	case to.Call != "":
		p.made[to.Call] = true
		return p.libraryName(to.Call) + "("
	}
	return "(" + p.plain(to.To.String()) + ")("
}

// narrowed writes a op= b in full if the result is converted as Metal does not.
func (p *program) narrowed(x *ast.AssignExpr) {
	to, ok := p.trace.Record.Narrowed[x]
	if !ok {
		return
	}
	op := p.at(x.OpPos)
	p.later = append(p.later, func() {
		p.replace(op, "= "+p.cast(to)+p.span(p.first(x.X), p.last(x.X))+" "+strings.TrimSuffix(p.list[op].Text, "=")+" (")
	})
	p.around(p.last(x), p.last(x), "", "))")
}

// libraryName returns how the text names a function of the library.
func (p *program) libraryName(name string) string {
	if p.names[name] {
		return p.library.name + "::" + name
	}
	return name
}

// converted writes the conversions that an operator has and a call has not.
func (p *program) converted(call check.LibraryCall, args ...ast.Expr) {
	for i, x := range args {
		if i >= len(call.Types) {
			return
		}
		if t := p.trace.Record.Types[x]; t != nil && t != call.Types[i] && p.first(x) >= 0 {
			name := call.Types[i].String()
			p.types[name] = true
			p.wrap(x, p.plain(name))
		}
	}
}

// call edits a call: the arguments as C has them, and those that are handed down.
func (p *program) call(x *ast.CallExpr) {
	name := ""
	switch f := x.Fun.(type) {
	case *ast.NameExpr:
		name = f.Name.Last().Ident
	case *ast.MemberExpr:
		name = f.Name.Last().Ident
		if i := p.first(f); i >= 0 && p.list[i].Is("printf") && name == "log" {
			p.replace(i, "metal::os_log_default.log")
		}
	}
	p.nullArgs(x, name)
	if of := p.calledName(name); of != name {
		name = of
	} else if of := p.madeClass(x); len(p.needs[of]) > 0 {
		name = of
	} else if of := p.calledClass(x); len(p.needs[of]) > 0 {
		name = of
	}
	if i := p.last(x.Fun); i >= 0 && i+1 < len(p.list) {
		p.site = x.Pos()
		p.handDown(p.tokens, name, i+1, false, nil)
	}
	if !p.library.Has(name) || !p.options.Compile.Dialect.C {
		return
	}
	for _, a := range x.Args { // the library has overloads
		_, char := a.(*ast.CharLit)
		if (char || p.trace.Record.Types[a] == types.Type(types.Bool)) && p.first(a) >= 0 {
			p.wrap(a, "int")
		}
	}
}

// nullArgs gives null pointers the types that the function wants that is called: others of its name
// may have pointers into other address spaces.
func (p *program) nullArgs(x *ast.CallExpr, name string) {
	if p.device == nil || p.device.now == nil {
		return
	}
	for i, a := range x.Args {
		if !isNull(a) || p.first(a) < 0 {
			continue
		}
		typ := ""
		for _, in := range p.device.now.instances {
			for _, f := range p.callsOf(in)[x.Pos()] {
				k := i
				if f.This != nil {
					k++
				}
				if f.Name != name || k >= len(f.Params) || len(p.device.functions[f.Pos]) < 2 {
					continue
				}
				t, ok := f.Params[k].Type.(*types.Pointer)
				if !ok || typ != "" && typ != t.String() {
					return
				}
				typ = t.String()
			}
		}
		if typ != "" {
			p.around(p.first(a), p.last(a), "("+p.plain(typ)+")", "")
		}
	}
}

// isNull reports whether an expression is a null pointer or zero.
func isNull(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isNull(x.X)
	case *ast.NullptrLit:
		return true
	case *ast.IntLit:
		return strings.Trim(x.Text, "0uUlL") == ""
	}
	return false
}

// callsOf returns the functions that a function calls, by the place of the call.
func (p *program) callsOf(in *check.Instance) map[diag.Pos][]*typed.Func {
	if calls, ok := p.device.calls[in]; ok {
		return calls
	}
	calls := map[diag.Pos][]*typed.Func{}
	if in.Func.Body != nil {
		typed.InspectBlock(in.Func.Body, func(e typed.Expr) {
			if c, ok := e.(*typed.Call); ok {
				calls[c.Pos()] = append(calls[c.Pos()], c.Func)
			}
		}, func(typed.Stmt) {})
	}
	p.device.calls[in] = calls
	return calls
}

// sizeof writes the operand of sizeof as C has it.
func (p *program) sizeof(x *ast.SizeofExpr) {
	if x.X == nil || !p.options.Compile.Dialect.C {
		return
	}
	inner, before, after := x.X, "(int(", "))"
	for {
		paren, ok := inner.(*ast.ParenExpr)
		if !ok {
			break
		}
		inner, before, after = paren.X, "int(", ")"
	}
	_, char := inner.(*ast.CharLit)
	if (char || p.trace.Record.Types[inner] == types.Type(types.Bool) && ast.IsOperation(inner)) &&
		p.first(inner) >= 0 {
		p.around(p.first(inner), p.last(inner), before, after)
	}
}

// member writes a selector of components as Metal has it.
func (p *program) member(x *ast.MemberExpr) {
	if s, ok := p.trace.Record.Types[x.X].(*types.Struct); ok {
		p.wideMember(x, s)
	}
	v, ok := p.trace.Record.Types[x.X].(*types.Vector)
	i := p.first(x.Name)
	if _, called := p.trace.Record.Call(x); !ok || called || i < 0 {
		return
	}
	if name := x.Name.Last().Ident; check.Selector(name, v.Len) != name {
		p.replace(i, check.Selector(name, v.Len))
	}
}

// wrap makes an expression the arguments of a call.
func (p *program) wrap(x ast.Expr, name string) {
	p.around(p.first(x), p.last(x), name+"(", ")")
}

// comma replaces an operator by a comma.
func (p *program) comma(i int) {
	p.replace(i, ",")
	p.edit(i).tight = true
}

// wideMember writes the components of a vector of 8 or 16: the members of the structure that it is.
func (p *program) wideMember(x *ast.MemberExpr, s *types.Struct) {
	lanes, elem := wideOf(s)
	_, called := p.trace.Record.Call(x)
	name := x.Name.Last().Ident
	if lanes == 0 || called || p.first(x.Name) < 0 || name == "lo" || name == "hi" || p.first(x.X) < 0 {
		return
	}
	list := check.Components(name)
	i := p.first(x.Name)
	if path, ok := lanePath(list, lanes); ok {
		p.replace(i, path)
		return
	}
	first, last := p.first(x), p.last(x)
	from, to := p.first(x.X), p.last(x.X)
	op := p.list[to+1].Text
	p.later = append(p.later, func() {
		object := p.span(from, to)
		var parts []string
		for _, k := range list {
			path, _ := lanePath([]int{k}, lanes)
			parts = append(parts, object+op+path)
		}
		for k := first; k <= last; k++ {
			p.replace(k, "")
			p.edit(k).before, p.edit(k).after, p.edit(k).tight = "", "", k > first
		}
		p.edit(first).text = fmt.Sprint(elem, len(list), "(", strings.Join(parts, ", "), ")")
	})
	p.types[fmt.Sprint(elem, len(list))] = true
}

// lanePath returns how components that are in one vector of four are named.
func lanePath(list []int, lanes int) (path string, ok bool) {
	rest := list
	for half := lanes / 2; half >= 4; half /= 2 {
		low, high := true, true
		for _, k := range rest {
			low, high = low && k < half, high && k >= half
		}
		switch {
		case low:
			path += "lo."
		case high:
			path += "hi."
			next := make([]int, len(rest))
			for i, k := range rest {
				next[i] = k - half
			}
			rest = next
		default:
			return "", false
		}
		if half > 4 && len(rest) == half {
			return strings.TrimSuffix(path, "."), true // which the checker has found ascending
		}
	}
	for _, k := range rest {
		path += string("xyzw"[k])
	}
	return path, true
}

package gokernel

import (
	"fmt"
	"go/ast"
	"go/types"
	"strconv"
	"strings"
)

// address returns a pointer to a place. It ends the function if there is no such place.
func (in *instance) address(x ast.Expr) val {
	if lit, ok := ast.Unparen(x).(*ast.CompositeLit); ok {
		name := in.temp("object")
		in.line("%s = %s;", in.declaration(x, in.typeOf(x), "", name), in.composite(lit).s)
		return val{"&" + name, unary}
	}
	in.notThread(x)
	p := in.place(x)
	in.require(x, p.checks)
	if base, ok := strings.CutPrefix(p.s, "(*"); ok && strings.HasSuffix(base, ")") && !strings.Contains(base, "(") {
		return val{strings.TrimSuffix(base, ")"), primary}
	}
	return val{"&" + p.s, unary}
}

// notThread refuses an expression that is a part of the thread as one that may be assigned.
func (in *instance) notThread(x ast.Expr) {
	for {
		sel, ok := ast.Unparen(x).(*ast.SelectorExpr)
		if !ok {
			return
		}
		if x = sel.X; isThread(in.typeOf(x)) {
			in.refuse(sel, "an assignment to a part of the thread, or a pointer to it; copy it into a variable")
		}
	}
}

// require ends the function unless conditions hold: Go would panic.
func (in *instance) require(n ast.Node, checks []string) {
	if len(checks) == 0 {
		return
	}
	value := ""
	r := in.sig.Results()
	if inner := in.returned(in.sig); inner != nil {
		r = inner.Results()
	}
	switch {
	case r.Len() == 1:
		t := in.concrete(r.At(0).Type())
		if _, ok := t.Underlying().(*types.Slice); ok {
			in.refuse(n, "an index that may be out of range in a function that returns a slice; compare it with the "+
				"length first")
		}
		value = in.zero(n, t)
	case r.Len() > 1:
		value = in.typ(n, in.concreteTuple(r), "") + "{}"
	}
	in.line("if (!(%s)) { %s }", strings.Join(checks, " && "), in.returnText(value))
}

// placed is a place in memory, and the conditions under which it exists.
type placed struct {
	val
	checks []string
}

// place returns what an assignment changes.
func (in *instance) place(x ast.Expr) placed {
	in.noHandle(x, in.typeOf(x))
	switch x := x.(type) {
	case *ast.ParenExpr:
		return in.place(x.X)
	case *ast.Ident:
		if v, ok := in.object(x).(*types.Var); ok && in.vars[v] == nil {
			in.refuse(x, "an assignment to %s, a variable of the package; use a slice that is a parameter", x.Name)
		}
		if v := in.vars[in.object(x)]; v != nil && v.narrow != "" {
			return placed{val: val{v.name, primary}}
		}
		return placed{val: in.identifier(x, in.typeOf(x))}
	case *ast.StarExpr:
		in.effects = true
		return placed{val: val{"(*" + in.expr(x.X).in(unary) + ")", primary}}
	case *ast.SelectorExpr:
		sel := in.pkg.info.Selections[x]
		if sel == nil {
			break
		}
		if isThread(in.typeOf(x.X)) {
			return placed{val: in.selector(x)}
		}
		var p placed
		if isPointer(in.under(x.X)) {
			in.effects = true
			p.val = in.expr(x.X)
		} else {
			p = in.place(x.X)
		}
		p.val, _ = in.path(p.val, in.typeOf(x.X), sel.Index())
		return p
	case *ast.IndexExpr:
		return in.indexed(x)
	}
	in.refuse(x, "an assignment to this expression")
	return placed{}
}

// indexed returns an element of a slice or an array as a place.
func (in *instance) indexed(x *ast.IndexExpr) placed {
	var p placed
	base, length := "", ""
	if a, ok := arrayOf(in.typeOf(x.X)); ok {
		if isPointer(in.under(x.X)) {
			in.effects = true
			base = "(*" + in.expr(x.X).in(unary) + ")"
		} else if in.addressable(x.X) {
			p = in.place(x.X)
			base = p.s
		} else {
			base = in.expr(x.X).in(primary)
		}
		length = fmt.Sprint(a.Len())
	} else if _, ok := in.under(x.X).(*types.Slice); ok {
		in.effects = true
		defer in.holdSlice(x.X)()
		base, length = in.data(x.X), in.length(x.X)
	} else {
		in.refuse(x.X, "an index of %s: kernels have arrays and slices", in.named(in.typeOf(x.X)))
	}
	in.noBits(x.Index, in.typeOf(x.Index))
	index, typ := in.shortest(x.Index)
	if !in.inRange(x.X, x.Index) {
		if in.calls(x.Index) > 0 || !pure(x.Index) || in.t.options.Checked && !in.stable(x.Index) {
			name := in.temp("index")
			in.line("const %s %s = %s;", typ, name, index.s)
			index = val{name, primary}
		}
		check := in.check(x.Index, index, typ, length)
		p.checks = append(p.checks, check)
		in.fault(x, []string{check}, "index %ld is out of range of %lu elements", "long("+index.s+")", "ulong("+length+")")
	}
	if unsignedOf(typ) == "ulong" { // 32 bits hold it, since it is valid
		index.s = "uint(" + index.s + ")"
	}
	p.val = val{base + "[" + index.s + "]", primary}
	return p
}

// check returns the condition that an index, of type t in the text, is below a length.
func (in *instance) check(x ast.Expr, index val, t, length string) string {
	text := index.in(shift)
	if r, ok := in.rangeOf(x); !ok || r.lo < 0 {
		text = unsignedOf(t) + "(" + index.s + ")"
	} else if t != unsignedOf(t) && !isNumber(length) {
		text = unsignedOf(t) + "(" + index.s + ")"
	}
	return text + " < " + length
}

func isNumber(s string) bool { _, err := strconv.Atoi(s); return err == nil }

// addressable reports whether an expression is a place.
func (in *instance) addressable(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		_, ok := in.object(x).(*types.Var)
		return ok && in.vars[in.object(x)] != nil
	case *ast.SelectorExpr:
		return in.pkg.info.Selections[x] != nil && (isPointer(in.under(x.X)) || in.addressable(x.X))
	case *ast.IndexExpr:
		_, slice := in.under(x.X).(*types.Slice)
		return slice || isPointer(in.under(x.X)) || in.addressable(x.X)
	case *ast.StarExpr:
		return true
	}
	return false
}

// load returns the value of an element: zero if there is none.
func (in *instance) load(x *ast.IndexExpr) val {
	if in.pkg.info.Types[x.X].IsType() {
		in.refuse(x, "a type as a value")
	}
	effects := in.effects
	p := in.indexed(x)
	in.effects = effects // it only reads
	return in.guardedValue(x, p)
}

// guardedValue returns the value of a place, zero if there is no such place.
func (in *instance) guardedValue(x ast.Expr, p placed) val {
	if len(p.checks) == 0 {
		return p.val
	}
	return val{strings.Join(p.checks, " && ") + " ? " + p.s + " : " + in.zero(x, in.typeOf(x)), conditional}
}

// data returns the pointer to the elements of a slice.
func (in *instance) data(x ast.Expr) string {
	if text, ok := in.sliceTexts[x]; ok {
		return text + ".data"
	}
	if v := in.variableNamed(x); v != nil && v.length != "" {
		return v.name
	}
	if v := in.tableNamed(x); v != nil {
		return v.name
	}
	return in.expr(x).in(primary) + ".data"
}

// holdSlice evaluates a slice into a variable if that calls something, so that its elements and its
// length are of the same call. The function that it returns ends this.
func (in *instance) holdSlice(x ast.Expr) func() {
	if in.calls(x) == 0 || in.sliceTexts[x] != "" {
		return func() {}
	}
	text := in.expr(x).s
	name := in.temp("slice")
	in.line("const auto %s = %s;", name, text)
	in.sliceTexts[x] = name
	return func() { delete(in.sliceTexts, x) }
}

// length returns the length of a slice.
func (in *instance) length(x ast.Expr) string {
	if text, ok := in.sliceTexts[x]; ok {
		return text + ".len"
	}
	if v := in.variableNamed(x); v != nil && v.length != "" {
		return v.length
	}
	if v := in.tableNamed(x); v != nil {
		return fmt.Sprint(v.length)
	}
	return in.expr(x).in(primary) + ".len"
}

// tableNamed returns the variable of a package that an expression is, or nil.
func (in *instance) tableNamed(x ast.Expr) *table {
	id, ok := ast.Unparen(x).(*ast.Ident)
	if sel, qualified := ast.Unparen(x).(*ast.SelectorExpr); qualified && in.pkg.info.Selections[sel] == nil {
		id, ok = sel.Sel, true
	}
	if !ok {
		return nil
	}
	v, ok := in.object(id).(*types.Var)
	if !ok || in.vars[v] != nil || in.t.vars[v] == nil {
		return nil
	}
	return in.table(x, v)
}

func (in *instance) variableNamed(x ast.Expr) *variable {
	if id, ok := ast.Unparen(x).(*ast.Ident); ok {
		return in.vars[in.object(id)]
	}
	return nil
}

// element returns the element of an array or slice at an index that is in range.
func (in *instance) element(x ast.Expr, index string) string {
	if _, ok := in.under(x).(*types.Slice); ok {
		return in.data(x) + "[" + index + "]"
	}
	if isPointer(in.under(x)) {
		return "(*" + in.expr(x).in(unary) + ")[" + index + "]"
	}
	return in.expr(x).in(primary) + "[" + index + "]"
}

// slice returns x[a:b].
func (in *instance) slice(x *ast.SliceExpr) val {
	if x.Slice3 {
		in.refuse(x, "a slice with a capacity; kernels do not append")
	}
	in.t.helpers["slice"] = true
	in.t.helpers["part"] = true
	var data, length string
	s := in.spaceOf(x)
	if a, ok := arrayOf(in.typeOf(x.X)); ok {
		length = fmt.Sprint(a.Len())
		if isPointer(in.under(x.X)) {
			data = "&(*" + in.expr(x.X).in(unary) + ")[0]"
		} else {
			p := in.place(x.X)
			in.require(x, p.checks)
			data = "&" + p.s + "[0]"
		}
	} else {
		defer in.holdSlice(x.X)()
		data, length = in.data(x.X), in.length(x.X)
		if in.tableNamed(x.X) != nil {
			data = "&" + data + "[0]"
		}
	}
	part := func(e ast.Expr, none string) string {
		if e == nil {
			return none
		}
		in.noBits(e, in.typeOf(e))
		return in.value(e, types.Typ[types.Int]).s
	}
	typ := in.typ(x, in.typeOf(x), s)
	if x.Low == nil && x.High == nil {
		return val{fmt.Sprintf("%s{%s, %s}", typ, data, length), primary}
	}
	low, high := part(x.Low, "0"), part(x.High, length)
	if in.t.options.Checked {
		bounds := [2]string{in.temp("low"), in.temp("high")}
		in.line("const long %s = %s, %s = %s;", bounds[0], low, bounds[1], high)
		low, high = bounds[0], bounds[1]
		in.fault(x, []string{"ulong(" + high + ") <= " + length, "ulong(" + low + ") <= ulong(" + high + ")"},
			"slice bounds [%ld:%ld] are out of range of %lu elements", low, high, "ulong("+length+")")
	}
	return val{fmt.Sprintf("go::part<%s>({%s, %s}, %s, %s)", typ, data, length, low, high), primary}
}

// spaceOf returns the address space of what an expression points to, "" if it is no pointer and no
// slice.
func (in *instance) spaceOf(x ast.Expr) space {
	switch in.under(x).(type) {
	case *types.Pointer, *types.Slice:
	default:
		return ""
	}
	if isThread(in.typeOf(x)) {
		return ""
	}
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		if v := in.vars[in.object(x)]; v != nil {
			return v.space
		}
		return constantSpace
	case *ast.UnaryExpr:
		return in.placeSpace(x.X)
	case *ast.SliceExpr:
		if _, ok := in.under(x.X).(*types.Slice); ok || isPointer(in.under(x.X)) {
			return in.spaceOf(x.X)
		}
		return in.placeSpace(x.X)
	case *ast.CallExpr:
		if in.pkg.info.Types[x.Fun].IsType() {
			return in.spaceOf(x.Args[0])
		}
		if f := in.function(x.Fun); f != nil && f.Pkg() != nil && f.Pkg().Path() == kernelPath {
			return threadgroup
		}
		if c := in.resolved[x]; c != nil {
			return c.result
		}
		return device
	}
	return device
}

// placeSpace returns the address space of a place.
func (in *instance) placeSpace(x ast.Expr) space {
	switch x := ast.Unparen(x).(type) {
	case *ast.SelectorExpr:
		if isPointer(in.under(x.X)) {
			return in.spaceOf(x.X)
		}
		return in.placeSpace(x.X)
	case *ast.IndexExpr:
		if _, ok := in.under(x.X).(*types.Slice); ok || isPointer(in.under(x.X)) {
			return in.spaceOf(x.X)
		}
		return in.placeSpace(x.X)
	case *ast.StarExpr:
		return in.spaceOf(x.X)
	case *ast.Ident:
		if v, ok := in.object(x).(*types.Var); ok && in.vars[v] == nil {
			return constantSpace
		}
	}
	return thread
}

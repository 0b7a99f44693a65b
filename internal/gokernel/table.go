package gokernel

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// table returns the variable of a package in the text, which nothing assigns.
func (in *instance) table(x ast.Expr, obj *types.Var) *table {
	v := in.t.vars[obj]
	switch {
	case v == nil:
		in.refuse(x, "the variable %s of another package; pass it as an argument", obj.Name())
	case v.assigned.IsValid():
		in.refuse(x, "the variable %s, which line %d assigns; pass it as an argument", obj.Name(),
			in.t.fset.Position(v.assigned).Line)
	}
	if in.tables = append(in.tables, v); v.name != "" {
		return v
	}
	of := &instance{t: in.t, source: source{v.pkg, in.decl}, vars: map[types.Object]*variable{},
		visible: map[string]int{}, temps: map[string]bool{},
		facts: newFacts(), volatile: map[types.Object]bool{}}
	if v.value != nil {
		of.errors(v.value)
	}
	t := obj.Type()
	if s, ok := t.Underlying().(*types.Slice); ok {
		lit, ok := ast.Unparen(v.value).(*ast.CompositeLit)
		if v.value == nil || !ok {
			in.refuse(x, "the slice %s of the package, which has no elements that the program writes", obj.Name())
		}
		v.length = literalLength(v.pkg, lit)
		t = types.NewArray(s.Elem(), int64(v.length))
		of.pkg.info.Types[lit] = types.TypeAndValue{Type: t}
	}
	if isKernel(t, "Sampler") {
		if refused := of.guarded(func() {
			var lit *ast.CompositeLit
			if v.value != nil {
				lit = of.samplerLit(v.value)
			}
			name := in.t.unique(v.shown(in.t, obj))
			v.text, v.name = of.sampler(name, lit), name
		}); refused != nil {
			panic(refused)
		}
		in.t.tables = append(in.t.tables, v)
		return v
	}
	if v.value != nil {
		ast.Inspect(v.value, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && v.pkg.info.Types[call].Value == nil {
				in.refuse(x, "the variable %s of the package, whose value is computed; pass it as an argument", obj.Name())
			}
			return true
		})
	}
	if refused := of.guarded(func() {
		typ := of.typ(x, t, "")
		text := of.zero(x, t)
		if v.value != nil {
			text = of.value(v.value, t).s
		}
		text = strings.TrimPrefix(text, typ+"{")
		if text != "" && strings.HasSuffix(text, "}") {
			text = "{" + text
		}
		v.name = in.t.unique(v.shown(in.t, obj))
		v.text = fmt.Sprintf("constant %s %s = %s;", typ, v.name, text)
	}); refused != nil {
		panic(refused)
	}
	in.t.tables = append(in.t.tables, v)
	v.structs = of.structs
	return v
}

// shown returns the name of a variable in the text, if no other has it.
func (v *table) shown(t *translation, obj *types.Var) string {
	if v.pkg != t.pkg {
		return v.pkg.types.Name() + "_" + obj.Name()
	}
	return obj.Name()
}

// tableValue returns a variable of a package as a value.
func (in *instance) tableValue(x ast.Expr, obj *types.Var) val {
	v := in.table(x, obj)
	if _, ok := obj.Type().Underlying().(*types.Slice); ok {
		in.t.helpers["slice"] = true
		return val{fmt.Sprintf("%s{&%s[0], %d}", in.typ(x, obj.Type(), constantSpace), v.name, v.length), primary}
	}
	return val{v.name, primary}
}

// literalLength returns the number of elements of a composite literal.
func literalLength(p *pkg, lit *ast.CompositeLit) int {
	next, most := int64(0), int64(0)
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			next, _ = constant.Int64Val(p.info.Types[kv.Key].Value)
		}
		next++
		most = max(most, next)
	}
	return int(most)
}

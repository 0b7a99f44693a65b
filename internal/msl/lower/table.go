package lower

import (
	"cmp"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// A visible function table is an object in memory, described in package ir: the number of entries,
// then the entries, each of which is the number of a visible function. A call through an entry
// selects among the functions of the entry's type, all inlined.

// tableEntry is package check's name for a table entry.
const tableEntry = "visible_function_table[]"

// listVisible lists the program's visible functions in source order.
func (m *module) listVisible() {
	for _, f := range m.prog.Functions {
		if f.Visible && f.Body != nil && !slices.Contains(m.visible, f) {
			m.visible = append(m.visible, f)
		}
	}
	slices.SortStableFunc(m.visible, func(a, b *typed.Func) int { return cmp.Compare(a.Pos, b.Pos) })
	for _, f := range m.visible {
		name, _, _ := strings.Cut(f.Linkage, "(")
		params := make([]string, len(f.Params))
		for i, p := range f.Params {
			params[i] = p.Type.String()
		}
		m.out.Visible = append(m.out.Visible,
			ir.VisibleFunction{Name: name, Type: f.Result.String() + "(" + strings.Join(params, ", ") + ")"})
	}
}

// entryOf returns the table and the index if an expression is an entry of a visible function table.
func entryOf(e typed.Expr) (table, index typed.Expr, ok bool) {
	if b, is := e.(*typed.Builtin); is && b.Fn != nil && b.Fn.Name == tableEntry && len(b.Args) == 2 {
		return b.Args[0], b.Args[1], true
	}
	return nil, nil, false
}

// entry reads an entry: the number of a visible function, or 0 for none.
func (l *lowerer) entry(e *typed.Builtin, table, index typed.Expr) val {
	t := l.expr(table).v
	i := l.index64(l.expr(index).v, index.Type())
	l.setLoc(e.At)
	return val{typ: e.Typ, v: l.b.Load(ir.TI64, l.b.Field(l.b.Offset(t, i, 8), 8))}
}

// callEntry calls the function in an entry. If the entry holds no function of that type, the result
// is zero.
func (l *lowerer) callEntry(e *typed.CallPtr, entry val, args []val) val {
	l.setLoc(e.At)
	t, _ := pointeeOf(entry.typ).Type.(*types.Func)
	into := l.zero(e.Typ)
	s := l.shape(e.Typ)
	results := typesOf(flatten(nil, &into))
	if s.class == inMemory {
		results = nil
	}
	done := func(v val) []*ir.Value {
		switch s.class {
		case noValue:
			return nil
		case inMemory:
			l.storeAt(into.addr, v, false)
			return nil
		}
		return flatten(nil, &v)
	}
	var choose func(from int) []*ir.Value
	choose = func(from int) []*ir.Value {
		for i := from; i < len(l.visible); i++ {
			f := l.visible[i]
			if !callable(f, t) {
				continue
			}
			is := l.b.Op(ir.OpEq, entry.v, l.b.Int(ir.TI64, int64(i)+1))
			return l.choose(is, nil, results, func() []*ir.Value { return done(l.call(e.At, f, args)) },
				func() []*ir.Value { return choose(i + 1) })
		}
		return done(into)
	}
	vs := choose(0)
	if s.class == inMemory || s.class == noValue {
		return into
	}
	v, _ := rebuild(&into, vs)
	return v
}

// callable reports whether a function has type t.
func callable(f *typed.Func, t *types.Func) bool {
	if t == nil || len(f.Params) != len(t.Params) {
		return false
	}
	for i, p := range f.Params {
		want := t.Params[i].Type
		if r, ok := want.(*types.Reference); ok != p.Ref {
			return false
		} else if ok {
			if q := pointeeOf(p.Type); q != r.Elem {
				return false
			}
			continue
		}
		if p.Type != want {
			return false
		}
	}
	result := t.Result.Type
	if r, ok := result.(*types.Reference); ok {
		return f.RefResult && pointeeOf(f.Result) == r.Elem
	}
	return !f.RefResult && f.Result == result
}

// table lowers the methods of visible function tables.
func (c *libCall) table() val {
	switch c.e.Op {
	case builtin.OpFunctionTableSize:
		return c.leaf(c.b.OpAs(ir.OpTrunc, ir.TI32, c.b.Load(ir.TI64, c.args[0].v)))
	case builtin.OpFunctionTableEmpty:
		return c.leaf(c.b.Op(ir.OpEq, c.b.Load(ir.TI64, c.args[0].v), c.b.Int(ir.TI64, 0)))
	case builtin.OpFunctionTableIsNull:
		return c.leaf(c.b.Op(ir.OpEq, c.b.Op(ir.OpPtrToInt, c.args[0].v), c.b.Int(ir.TI64, 0)))
	}
	panic(c.noCase())
}

package consteval

import (
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// lvalue evaluates an expression that denotes an object.
func (m *machine) lvalue(e typed.Expr) *object {
	m.step()
	switch e := e.(type) {
	case *typed.VarRef:
		return m.variable(e.Var)
	case *typed.Deref:
		return m.pointee(m.rvalue(e.X))
	case *typed.Member:
		return m.part(m.lvalue(e.X), e.Index)
	case *typed.Index:
		i, _ := m.rvalue(e.Index).Int()
		return m.part(m.lvalue(e.X), int(i))
	case *typed.Swizzle:
		if len(e.Comps) == 1 {
			return m.part(m.lvalue(e.X), int(e.Comps[0]))
		}
	case *typed.Temp:
		return m.newObject(e.Typ, m.rvalue(e.X))
	case *typed.Assign:
		if p, _ := m.assignment(e); p.lanes == nil {
			return p.obj
		}
	case *typed.CompoundAssign:
		if p, _ := m.compound(e); p.lanes == nil {
			return p.obj
		}
	case *typed.IncDec:
		if p, _ := m.incDec(e); p.lanes == nil {
			return p.obj
		}
	case *typed.Cond:
		if m.rvalue(e.C).Truth() {
			return m.lvalue(e.X)
		}
		return m.lvalue(e.Y)
	case *typed.Comma:
		m.effect(e.X)
		return m.lvalue(e.Y)
	}
	m.fail(ErrNotConstant)
	return nil
}

// variable returns the object of a local variable or of a constant.
func (m *machine) variable(v *typed.Var) *object {
	if o := m.frame[v]; o != nil {
		return o
	}
	switch {
	case v.Value.IsValid():
		o := m.objects[v]
		if o == nil {
			o = m.newObject(v.Type, v.Value)
			o.of = v
			m.objects[v] = o
		}
		return o
	case v.Kind == typed.FunctionConstant, v.Kind == typed.SpecConstant:
		m.fail(ErrFunctionConstant)
	case v.Name == "this":
		m.fail(ErrNotConstant)
	}
	m.refuse("read of non-constexpr variable '%s' is not allowed", v.Name)
	return nil
}

// place is the target of an assignment: an object, or some components of a vector.
type place struct {
	obj   *object
	lanes *typed.Swizzle // nil for the whole object
}

func (m *machine) place(e typed.Expr) place {
	if s, ok := e.(*typed.Swizzle); ok && len(s.Comps) > 1 {
		return place{m.lvalue(s.X), s}
	}
	return place{obj: m.lvalue(e)}
}

func (m *machine) read(p place) types.Value {
	v := m.load(p.obj)
	if p.lanes != nil {
		return m.pick(v, p.lanes)
	}
	return v
}

func (m *machine) write(p place, v types.Value) {
	if p.lanes == nil {
		m.assign(p.obj, v)
		return
	}
	for i, k := range p.lanes.Comps {
		m.assign(m.part(p.obj, int(k)), m.elem(v, i))
	}
}

// assignment, compound and incDec run their operator once, and return the place written and the
// operator's value.
func (m *machine) assignment(e *typed.Assign) (place, types.Value) {
	v := m.rvalue(e.Y)
	p := m.place(e.X)
	m.write(p, v)
	return p, v
}

func (m *machine) compound(e *typed.CompoundAssign) (place, types.Value) {
	p := m.place(e.X)
	y := m.rvalue(e.Y)
	v := m.read(p)
	if _, ok := e.X.Type().(*types.Pointer); ok {
		n, _ := y.Int()
		v.Offset += n
	} else {
		v = m.convert(m.binary(e.Op, m.convert(v, e.OpType), y), e.X.Type())
	}
	m.write(p, v)
	return p, v
}

func (m *machine) incDec(e *typed.IncDec) (place, types.Value) {
	p := m.place(e.X)
	old := m.read(p)
	v := old
	if _, ok := e.X.Type().(*types.Pointer); ok {
		if v.Offset++; e.Dec {
			v.Offset -= 2
		}
	} else {
		op := types.Add
		if e.Dec {
			op = types.Sub
		}
		one := m.convert(types.IntValue(types.Int, 1), e.X.Type())
		o := types.BinaryOperands(op, e.X.Type(), e.X.Type())
		v = m.convert(m.binary(op, m.convert(old, o.Left), m.convert(one, o.Right)), e.X.Type())
	}
	m.write(p, v)
	if e.Post {
		return p, old
	}
	return p, v
}

package consteval

import (
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// object is an object during an evaluation. The elements and members of an aggregate are separate
// objects, so that pointers and references can refer to them.
type object struct {
	typ   types.Type
	val   types.Value // of an object without parts
	parts []*object
	array *object    // the aggregate that contains this object
	index int        // index in array
	of    *typed.Var // the constant whose value this object is
}

// Address returns the constant that a pointer points into, with the offset in bytes. It returns nil
// for other values.
func Address(v types.Value) (of *typed.Var, offset int64) {
	o, ok := v.Ref.(*object)
	if !ok {
		return nil, 0
	}
	offset = v.Offset * int64(o.typ.Size())
	for ; o.array != nil; o = o.array {
		if s, ok := o.array.typ.(*types.Struct); ok {
			offset += int64(s.Fields[o.index].Offset)
		} else {
			offset += int64(o.index * o.typ.Size())
		}
	}
	return o.of, offset
}

// newObject creates an object with a value; the zero Value leaves it uninitialized.
func (m *machine) newObject(t types.Type, v types.Value) *object {
	o := &object{typ: t, val: v}
	n := 0
	switch t := t.(type) {
	case *types.Array:
		n = max(t.Len, 0)
	case *types.Struct:
		n = len(t.Fields)
		if t.IsUnion() {
			m.fail(ErrNotConstant)
		}
	case *types.Vector, *types.Packed, *types.Matrix:
		if v.Elems == nil {
			if z, ok := types.Zero(t); ok {
				v = z
			}
		}
		n = len(v.Elems)
	default:
		return o
	}
	if n > maxParts {
		m.fail(ErrSteps)
	}
	m.spend(n)
	o.parts = make([]*object, n)
	for i := range o.parts {
		et := partType(t, i)
		var ev types.Value
		if i < len(v.Elems) {
			ev = v.Elems[i]
		} else if v.Type != nil {
			ev, _ = m.zero(et)
		}
		o.parts[i] = m.newObject(et, ev)
		o.parts[i].array, o.parts[i].index = o, i
	}
	o.val = types.Value{}
	return o
}

// partType returns the type of an element or member.
func partType(t types.Type, i int) types.Type {
	switch t := t.(type) {
	case *types.Array:
		return t.Elem
	case *types.Struct:
		return t.Fields[i].Type.Type
	case *types.Vector:
		return t.Elem
	case *types.Packed:
		return t.Elem
	case *types.Matrix:
		return t.Column()
	}
	return nil
}

// load reads an object.
func (m *machine) load(o *object) types.Value {
	if o.parts == nil {
		switch t := o.typ.(type) {
		case *types.Struct, *types.Array:
			return types.Aggregate(t, nil)
		}
		if !o.val.IsValid() {
			m.refuse("read of uninitialized object")
		}
		return o.val
	}
	m.spend(len(o.parts))
	elems := make([]types.Value, len(o.parts))
	for i, p := range o.parts {
		elems[i] = m.load(p)
	}
	return types.Aggregate(o.typ, elems)
}

// assign writes an object.
func (m *machine) assign(o *object, v types.Value) {
	if o.parts == nil {
		o.val = v
		return
	}
	m.spend(len(o.parts))
	for i, p := range o.parts {
		if i >= len(v.Elems) {
			z, _ := m.zero(p.typ)
			m.assign(p, z)
			continue
		}
		m.assign(p, v.Elems[i])
	}
}

// part returns an element or member of an object.
func (m *machine) part(o *object, i int) *object {
	if i < 0 || i >= len(o.parts) {
		m.refuse("index %d is out of bounds of '%s'", i, o.typ)
	}
	return o.parts[i]
}

// pointee returns the object that a pointer points to.
func (m *machine) pointee(v types.Value) *object {
	o, ok := v.Ref.(*object)
	switch {
	case !ok:
		m.fail(ErrNotConstant)
	case v.Offset == 0:
		return o
	case o.array == nil:
		m.fail(ErrNotConstant)
	}
	return m.part(o.array, o.index+int(v.Offset))
}

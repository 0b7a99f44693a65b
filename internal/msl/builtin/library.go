package builtin

import (
	"strconv"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/types"
)

// Library is the library of one compilation: its entries with the types of a universe. It is not
// safe for concurrent use.
type Library struct {
	u         *types.Universe
	instances map[*Func][]*Instance
	members   map[memberKey][]*Instance
	enums     map[*Enum]*types.Enum
	classes   map[string]types.Type
}

type memberKey struct {
	recv types.Type
	fn   *Func
}

// Instance is one overload of a library function.
type Instance struct {
	Fn     *Func
	Params []types.Qualified
	Result types.Qualified
	// Types are the types substituted for the function's variables; nil for a variable of address
	// spaces.
	Types []types.Type
	// Recv is the class of a member function.
	Recv types.Type
}

// Required returns the minimum number of arguments.
func (i *Instance) Required() int { return i.Fn.Required() }

// Default returns the default value of a parameter.
func (i *Instance) Default(param int) (types.Value, bool) {
	p := &i.Fn.Params[param]
	t := i.Params[param].Type
	if !p.HasDefault {
		return types.Value{}, false
	}
	if e, ok := t.(*types.Enum); ok {
		return types.EnumValue(e, p.Default), true
	}
	v, err := types.Convert(types.IntValue(types.Long, p.Default), t)
	return v, err == nil
}

// New returns the library over a universe's types.
func New(u *types.Universe) *Library {
	return &Library{u: u, instances: make(map[*Func][]*Instance), members: make(map[memberKey][]*Instance),
		enums: make(map[*Enum]*types.Enum), classes: make(map[string]types.Type)}
}

// Universe returns the universe.
func (l *Library) Universe() *types.Universe { return l.u }

// Enum returns the type of a library enum.
func (l *Library) Enum(e *Enum) *types.Enum {
	if t, ok := l.enums[e]; ok {
		return t
	}
	t := l.u.NewEnum(e.Name, e.Scoped)
	l.enums[e] = t
	for i, n := range e.Names {
		t.Values = append(t.Values, types.Enumerator{Name: n, Value: types.EnumValue(t, e.Values[i])})
	}
	return t
}

// Type returns the library type with a name and no template arguments: a scalar, vector or matrix,
// an enum, a handle, a struct such as level or simd_vote, or an alias. It returns nil if there is
// none.
func (l *Library) Type(name string) types.Type {
	if t, ok := types.Named(name); ok {
		return t
	}
	if e := LookupEnum(name); e != nil {
		return l.Enum(e)
	}
	if t, ok := l.classes[name]; ok {
		return t
	}
	c := LookupClass(name)
	if c == nil {
		return nil
	}
	var t types.Type
	switch c.Kind {
	case OpaqueClass:
		t = l.u.Opaque(name)
	case AliasClass:
		q, ok := l.resolve(c.Fields[0].Type, nil)
		if !ok {
			return nil
		}
		t = q.Type
	case PlainClass:
		s := l.u.NewStruct(types.StructRecord, name)
		var fields []types.Field
		for _, f := range c.Fields {
			q, ok := l.resolve(f.Type, nil)
			if !ok {
				return nil
			}
			fields = append(fields, types.Field{Name: f.Name, Type: q})
		}
		s.Complete(fields)
		t = s
	default:
		return nil
	}
	l.classes[name] = t
	return t
}

// binding maps variables to types during an instantiation.
type binding struct {
	types  map[string]types.Type
	spaces map[string]types.AddrSpace
}

// Instances returns the overloads of a free function, in the order of stdlib.def. Special functions
// have none.
func (l *Library) Instances(f *Func) []*Instance {
	if f.Flags.Has(Special) || f.Recv != "" && !f.Flags.Has(Constructor) {
		return nil
	}
	if is, ok := l.instances[f]; ok {
		return is
	}
	is := l.expand(f, &binding{map[string]types.Type{}, map[string]types.AddrSpace{}})
	l.instances[f] = is
	return is
}

// Methods returns the overloads of a member function of a library class: a texture, a sampler,
// simd_vote. It ignores whether a texture's access allows the call; see the flags NeedSample,
// NeedRead and NeedWrite.
func (l *Library) Methods(recv types.Type, name string) (found []*Instance) {
	class, vars := receiver(recv)
	for _, f := range LookupMember(class, name) {
		if f.Flags.Has(Special) || f.Flags.Has(Constructor) {
			continue
		}
		k := memberKey{recv, f}
		is, ok := l.members[k]
		if !ok {
			b := &binding{map[string]types.Type{}, map[string]types.AddrSpace{}}
			for n, t := range vars {
				b.types[n] = t
			}
			is = l.expand(f, b)
			for _, i := range is {
				i.Recv = recv
			}
			l.members[k] = is
		}
		found = append(found, is...)
	}
	return found
}

// ClassOf returns the library's name for the class of a type: "texture2d", "simd_vote"; "" for
// types of programs.
func ClassOf(t types.Type) string {
	class, _ := receiver(t)
	return class
}

// receiver returns the class of a type and the variables available to its members.
func receiver(t types.Type) (string, map[string]types.Type) {
	switch t := t.(type) {
	case *types.Texture:
		return t.Kind.String(), map[string]types.Type{"E": t.Elem}
	case *types.SimdgroupMatrix:
		return "simdgroup_matrix", map[string]types.Type{"E": t.Elem}
	case *types.Opaque:
		return t.Name, nil
	case *types.Struct:
		if t.Template != "" && len(t.Args) > 0 {
			return strings.TrimPrefix(t.Template, "metal::"), map[string]types.Type{"E": t.Args[0].Type.Type}
		}
		if LookupClass(t.Name) != nil {
			return t.Name, nil
		}
	}
	return "", nil
}

// expand creates an instance for every substitution of the variables.
func (l *Library) expand(f *Func, b *binding) (out []*Instance) {
	var rec func(i int)
	rec = func(i int) {
		if i < len(f.Vars) {
			v := &f.Vars[i]
			for _, n := range v.Types {
				if s, ok := spaceOf(n); ok {
					b.spaces[v.Name] = s
					rec(i + 1)
					continue
				}
				if t := l.Type(n); t != nil {
					b.types[v.Name] = t
					rec(i + 1)
				}
			}
			return
		}
		inst := &Instance{Fn: f, Types: make([]types.Type, len(f.Vars))}
		for j := range f.Vars {
			inst.Types[j] = b.types[f.Vars[j].Name]
		}
		for _, p := range f.Params {
			q, ok := l.resolve(p.Type, b)
			if !ok {
				return
			}
			inst.Params = append(inst.Params, q)
		}
		var ok bool
		if inst.Result, ok = l.resolve(f.Result, b); ok {
			out = append(out, inst)
		}
	}
	rec(0)
	return out
}

func spaceOf(name string) (types.AddrSpace, bool) {
	for s := types.Thread; s <= types.ObjectData; s++ {
		if s.String() == name {
			return s, true
		}
	}
	return types.None, false
}

// resolve turns a pattern into a type. ok is false if a substitution yields no type, such as a
// matrix of ints; that instance does not exist.
func (l *Library) resolve(p Pattern, b *binding) (types.Qualified, bool) {
	t := l.base(p, b)
	if t == nil {
		return types.Qualified{}, false
	}
	if p.Sel != "" {
		if t = selectType(t, p.Sel); t == nil {
			return types.Qualified{}, false
		}
	}
	q := types.Qualified{Type: t, Const: p.Const, Volatile: p.Volatile}
	if s, ok := spaceOf(p.Space); ok {
		q.Space = s
	} else if b != nil && p.Space != "" {
		q.Space = b.spaces[p.Space]
	}
	switch p.Refer {
	case ByPointer:
		return types.Q(l.u.Pointer(q)), true
	case ByReference:
		return types.Q(l.u.Reference(q, false)), true
	case ByRValue:
		return types.Q(l.u.Reference(q, true)), true
	}
	return q, true
}

func (l *Library) base(p Pattern, b *binding) types.Type {
	if b != nil && len(p.Args) == 0 {
		if t, ok := b.types[p.Name]; ok {
			return t
		}
	}
	if len(p.Args) == 0 {
		return l.Type(p.Name)
	}
	arg, ok := l.resolve(p.Args[0], b)
	if !ok {
		return nil
	}
	elem, _ := arg.Type.(*types.Basic)
	switch p.Name {
	case "atomic":
		if elem != nil {
			return orNil(types.AtomicOf(elem))
		}
	case "simdgroup_matrix":
		if elem != nil {
			return orNil(types.SimdgroupMatrixOf(elem))
		}
	}
	return nil
}

// orNil returns an untyped nil for a nil pointer.
func orNil[T any, P interface {
	*T
	types.Type
}](p P) types.Type {
	if p == nil {
		return nil
	}
	return p
}

// selectType derives a type from t. elem is its element; bool, int and so on the same shape with
// another element; 1 to 4 a scalar or vector of its element; column and row those of a matrix;
// transposed, unsigned and signed what they say.
func selectType(t types.Type, sel string) types.Type {
	elem := types.ElemOf(t)
	if elem == nil {
		return nil
	}
	n := types.LenOf(t)
	m, _ := t.(*types.Matrix)
	switch sel {
	case "elem":
		return elem
	case "unsigned":
		return types.ScalarOrVector(elem.ToUnsigned(), n)
	case "signed":
		return types.ScalarOrVector(elem.ToSigned(), n)
	case "column":
		if m != nil {
			return m.Column()
		}
		return nil
	case "row":
		if m != nil {
			return types.VectorOf(m.Elem, m.Cols)
		}
		return nil
	case "transposed":
		if m != nil {
			return orNil(types.MatrixOf(m.Elem, m.Rows, m.Cols))
		}
		return nil
	}
	if k, err := strconv.Atoi(sel); err == nil {
		return types.ScalarOrVector(elem, k)
	}
	if s, ok := types.Named(sel); ok {
		if b, ok := s.(*types.Basic); ok {
			return types.ScalarOrVector(b, n)
		}
	}
	return nil
}

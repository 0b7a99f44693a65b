package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// argument brings an argument of the entry point into being.
func (l *lowerer) argument(a *typed.Arg) {
	l.setLoc(a.Var.Pos)
	switch a.Kind {
	case typed.ArgBuiltin:
		l.bind(a.Var, l.input(a))
		return
	case typed.ArgVisibleFunctionTable, typed.ArgStageIn:
		l.unsupported(a.Var.Pos, "arguments of kind [[%s]]", a.Kind)
	}
	i := len(l.f.Args)
	arg := ir.Arg{Index: a.Index, Name: a.Var.Name, Reference: a.ByRef, Active: l.uses(a.Var)}
	if a.Condition != nil {
		l.constant(a.Condition)
		arg.Condition = a.Condition.Name
	}
	elem := a.Elem
	if elem == nil {
		elem = a.Var.Type
	}
	switch a.Kind {
	case typed.ArgBuffer, typed.ArgThreadgroup:
		arg.Kind = ir.ArgThreadgroup
		if a.Kind == typed.ArgBuffer {
			arg.Kind = ir.ArgBuffer
			switch space := pointeeOf(a.Var.Type).Space; space {
			case types.Device, types.Constant:
				arg.Space = space.String()
			default:
				l.unsupported(a.Var.Pos, "a buffer of type '%s'", a.Var.Type)
			}
			arg.Access = "read_write"
			if a.ReadOnly || arg.Space == "constant" {
				arg.Access = "read"
			}
		}
		arg.Type, arg.Data = elem.String(), dataType(elem)
		arg.Size, arg.Align = elem.Size(), elem.Align()
		arg.Struct = structLayout(elem, 0)
	case typed.ArgTexture, typed.ArgSampler:
		one := elem
		if e := arrayElem(elem); e != nil {
			one = e
			arg.Count = max(a.Count, 1)
		}
		arg.Kind, arg.Data = ir.ArgSampler, "Sampler"
		if t, ok := one.(*types.Texture); ok {
			arg.Kind = ir.ArgTexture
			arg.Texture, arg.Type, arg.Access = l.textureType(t).String(), t.String(), textureAccess[t.Access].String()
			arg.Data = "Texture"
		}
	}
	l.f.Args = append(l.f.Args, arg)
	if arg.Count > 0 {
		l.fr.vars[a.Var] = &variable{typ: a.Var.Type, val: val{typ: a.Var.Type, arg: i + 1}}
		return
	}
	l.bind(a.Var, leafVal(a.Var.Type, l.b.Arg(i, arg.ValueType())))
}

// uses reports whether the entry point's body names a variable.
func (l *lowerer) uses(v *typed.Var) bool {
	found := false
	walkStmt(l.k.Func.Body, func(n any) bool {
		if r, ok := n.(*typed.VarRef); ok && r.Var == v {
			found = true
		}
		return !found
	})
	return found
}

// arrayElem returns the element of an array or metal::array, else nil.
func arrayElem(t types.Type) types.Type {
	if s, ok := t.(*types.Struct); ok && s.Template == "metal::array" && len(s.Fields) == 1 {
		t = s.Fields[0].Type.Type
	}
	if a, ok := t.(*types.Array); ok {
		return a.Elem
	}
	return nil
}

// input reads a thread's place in the launch, as the type that the argument has.
func (l *lowerer) input(a *typed.Arg) val {
	in, ok := ir.InputByName(a.Builtin)
	if !ok {
		l.unsupported(a.Var.Pos, "arguments with [[%s]]", a.Builtin)
	}
	v := l.b.Input(in)
	t := l.leafType(a.Var.Type)
	if n := t.Lanes(); n == 1 {
		v = l.b.Extract(v, 0)
	} else if n < v.Type.Lanes() {
		lanes := []int{0, 1, 2}
		v = l.b.Swizzle(v, v, lanes[:n]...)
	}
	return leafVal(a.Var.Type, l.convKind(v, types.UInt, types.ElemOf(a.Var.Type)))
}

func dataType(t types.Type) ir.DataType { return ir.DataType(types.DataTypeOf(t).String()) }

// maxLayoutDepth is how deeply reflection describes structs that hold pointers to structs.
const maxLayoutDepth = 8

func structLayout(t types.Type, depth int) *ir.Struct {
	s, ok := t.(*types.Struct)
	if !ok || s.Template == "metal::array" || depth > maxLayoutDepth {
		return nil
	}
	out := &ir.Struct{Name: s.Name, Size: s.Size(), Align: s.Align()}
	for i := range s.Fields {
		f := &s.Fields[i]
		ft := f.Type.Type
		m := ir.Member{Name: f.Name, Offset: f.Offset, Type: ft.String(), Data: dataType(ft), Size: ft.Size(), Align: ft.Align(),
			Array: arrayLayout(ft, depth), Struct: structLayout(ft, depth+1), Index: i}
		if p, ok := ft.(*types.Pointer); ok {
			e := p.Elem.Type
			m.Pointer = &ir.Arg{Kind: ir.ArgBuffer, Type: e.String(), Data: dataType(e), Space: p.Elem.Space.String(), Size: e.Size(), Align: e.Align(),
				Struct: structLayout(e, depth+1)}
			m.Pointer.Access = "read_write"
			if p.Elem.Const || p.Elem.Space == types.Constant {
				m.Pointer.Access = "read"
			}
		}
		out.Members = append(out.Members, m)
	}
	return out
}

func arrayLayout(t types.Type, depth int) *ir.Array {
	e := arrayElem(t)
	if e == nil || depth > maxLayoutDepth {
		return nil
	}
	n := 0
	if e.Size() > 0 {
		n = t.Size() / e.Size()
	}
	return &ir.Array{Len: n, Stride: e.Size(), Type: e.String(), Data: dataType(e), Array: arrayLayout(e, depth+1), Struct: structLayout(e, depth+1)}
}

// finish adds up what the body used.
func (l *lowerer) finish() {
	total := 0
	for _, m := range l.f.Threadgroup {
		a := max(m.Align, 1)
		total = (total+a-1)/a*a + m.Size
	}
	l.f.Attributes.ThreadgroupStatic = total
}
